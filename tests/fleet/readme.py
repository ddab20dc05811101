#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The commands of tools/fleet/README.md, from top to bottom, and the options in it."""

import datetime
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from devices import UTC, Lab
from fleet import FLEET, fleet, require_server
from jankd import SOURCE, Checks, folder

README = (SOURCE / "tools" / "fleet" / "README.md").read_text(encoding="utf-8")
COMMANDS = ("start", "stop", "load", "query", "page", "drop", "clean")


def options(checks):
    helps = "".join(subprocess.run([sys.executable, FLEET, name, "--help"], capture_output=True, text=True).stdout for name in COMMANDS)
    helps += "--fleet --compare"  # of tools/install-deps and jank-report
    for option in set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", README)):
        checks.that(option in helps, f"{option} is in the README and in no --help")


def main():
    checks = Checks()
    options(checks)
    require_server()
    with folder() as here:
        (here / "tools").symlink_to(SOURCE / "tools")
        Lab(here / "fps", 8, 4, datetime.datetime.now(UTC).date() - datetime.timedelta(days=8))
        try:
            for block in re.findall(r"^```sh\n(.*?)^```$", README, re.M | re.S):
                done = subprocess.run(["sh", "-eu", "-c", block], cwd=here, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, text=True, timeout=300)
                checks.equal(done.returncode, 0, f"exit code of\n{block}\n{done.stdout[-2000:]}\n")
                if "query builds" in block:
                    checks.that("build-2" in done.stdout and "device0007" in done.stdout, f"answers: {done.stdout}")
            checks.that((here / "fleet.html").exists(), "the page")
        finally:
            for name in ("jank-fleet-data", "two"):
                fleet("stop", here / name)
    checks.end()


main()
