# SPDX-License-Identifier: Apache-2.0
"""Runs jank-report, and makes folders for it."""

import json
import subprocess

from jankd import PHONE, REPORT, analyze


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


def scenario(name, path, *arguments, **options):
    """Writes a scenario of jank-phone as text into the file @path."""
    words = [word for option, value in options.items() for word in ("--" + option, str(value))]
    subprocess.run([PHONE, "--scenario", name, "--speed", "0", "--output", path, "--truth", str(path) + ".truth", *words, *arguments],
                   check=True, capture_output=True)
    return path


def demo(here, *arguments, name="out"):
    """The folder that analyze makes of the demo; one of that name is made once."""
    trace = here / "demo.txt"
    if not trace.exists():
        scenario("demo", trace)
    if not (here / name).exists():
        analyze(here / name, *arguments, trace)
    return here / name
