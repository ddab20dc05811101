# SPDX-License-Identifier: Apache-2.0
"""Runs jank-report, and makes folders for it."""

import json
import subprocess

from jankd import REPORT, analyze, scenario


def report(*arguments, **keywords):
    """Runs jank-report until it ends, whatever its exit code. The outputs are texts."""
    keywords.setdefault("timeout", 300)
    return subprocess.run([REPORT, *map(str, arguments)], capture_output=True, stdin=subprocess.DEVNULL, text=True,
                          encoding="utf-8", **keywords)


def model(*arguments):
    """The sessions that --json prints."""
    done = report("--json", *arguments)
    return json.loads(done.stdout)["sessions"]


def surfaces(session):
    """{Surface: its object} of a session."""
    return {surface["Surface"]: surface for app in session["apps"] for surface in app["surfaces"]}


def demo(here, *arguments, name="out"):
    """The folder that analyze makes of the demo; one of that name is made once."""
    trace = here / "demo.txt"
    if not trace.exists():
        scenario("demo", trace)
    if not (here / name).exists():
        analyze(here / name, *arguments, trace)
    return here / name
