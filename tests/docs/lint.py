#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The man pages, as built, are without a warning of groff and man, and of mandoc where it is installed."""

import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from jankd import Checks, skip
from pages import BUILT, PAGES, page

COMMANDS = {
    "groff": ("groff", "-ww", "-b", "-mandoc", "-Tutf8"),
    "man": ("man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z"),
    "mandoc": ("mandoc", "-Tlint"),
}
# Pages of this project that are not installed; and what is not of the page.
NOT_OURS = ("referenced manual not found", "outdated mandoc.db", "cannot open database")

if not shutil.which("groff"):
    skip("groff is not installed")
checks = Checks()
for name in sorted(path.name for path in PAGES.iterdir()):
    page(name)
    for program, command in COMMANDS.items():
        if not shutil.which(program):
            continue
        done = subprocess.run([*command, BUILT / name], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              env={**os.environ, "LC_ALL": "C.UTF-8", "MAN_DISABLE_SECCOMP": "1"})
        said = done.stderr + (done.stdout if program == "mandoc" else "")
        wrong = [line for line in said.splitlines() if line and not any(text in line for text in NOT_OURS)]
        checks.that(not wrong, f"{program} of {name}: {wrong}")
checks.end()
