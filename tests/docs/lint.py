# SPDX-License-Identifier: Apache-2.0
"""The man pages, as built, are without a warning of groff and man, and of mandoc where it is installed; and fit into 80
columns, so that no line of an example is broken."""

import os
import shutil
import subprocess
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from jankd import checks, skip
from pages import BUILT, PAGES, page

COMMANDS = {"groff": ("groff", "-ww", "-b", "-mandoc", "-Tutf8"),
    "man": ("man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z"),
    "mandoc": ("mandoc", "-Tlint")}
PLAIN = ("groff", "-mandoc", "-Tutf8", "-rLL=78n", *(f"-P-{flag}" for flag in "cbuo"))  # as man does in 80 columns
# Pages of this project that are not installed; and what is not of the page.
NOT_OURS = ("referenced manual not found", "outdated mandoc.db", "cannot open database")

if not shutil.which("groff"):
    skip("groff is not installed")
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
    shown = subprocess.run([*PLAIN, BUILT / name], stdin=subprocess.DEVNULL, capture_output=True, check=True).stdout.decode()
    checks.equal([line for line in shown.splitlines() if len(line) > 80], [], f"lines of {name} of more than 80 columns")
checks.end()
