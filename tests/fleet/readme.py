#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The commands of tools/fleet/README.md, from top to bottom."""

import datetime
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from devices import UTC, Lab
from fleet import fleet, require_server
from jankd import SOURCE, Checks, folder

README = (SOURCE / "tools" / "fleet" / "README.md").read_text(encoding="utf-8")


def main():
    checks = Checks()
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
