#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The README's word: its commands run in a copy of the tree, its options and packages exist.

Blocks marked sh are run from top to bottom, in one folder. Blocks marked console need a phone.
"""

import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from jankd import PHONE, SOURCE, Checks, folder, jankd

README = (SOURCE / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.M | re.S)
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*")

# This test is a part of what they do; they would never end.
NOT_AGAIN = re.compile(r"^(tools/check|\.ci/run|meson test)\b.*$", re.M)
# Programs of others, whose options are not ours.
FOREIGN = re.compile(r"\b(meson|adb|apt|git)\b")


def copy_tree(into):
    """What a fresh clone holds."""
    ignore = shutil.ignore_patterns("build*", ".git", "__pycache__", "jank-demo", "fps", ".cache")
    shutil.copytree(SOURCE, into, ignore=ignore)
    return into


def commands(checks):
    blocks = BLOCK.findall(README)
    checks.that(blocks, "the README has no command")
    with folder() as here:
        tree = copy_tree(here / "jankd")
        for block in blocks:
            script = NOT_AGAIN.sub(":", block)
            done = subprocess.run(["sh", "-eu", "-c", script], cwd=tree, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=500)
            said = done.stdout.decode(errors="replace")
            checks.equal(done.returncode, 0, f"exit code of\n{block}\n{said[-3000:]}\n")


def help_texts():
    helps = [jankd(*command, "--help").stdout for command in
             ((), ("run",), ("start",), ("status",), ("analyze",), ("rules",))]
    for program in ([PHONE], [sys.executable, SOURCE / "tests" / "bench" / "bench.py"]):
        helps.append(subprocess.run([*program, "--help"], capture_output=True).stdout)
    return b"\n".join(helps).decode()


def options(checks):
    known = set(OPTION.findall(help_texts()))
    for line in README.splitlines():
        if not FOREIGN.search(line):
            for option in OPTION.findall(line):
                checks.that(option in known, f"{option} is in the README and in no --help")


def packages(checks):
    section = README.split("\n## Dependencies\n")[1].split("\n## ")[0]
    named = set(re.findall(r"^\| `([a-z0-9.+-]+)` \|", section, re.M))
    script = (SOURCE / "tools" / "install-deps").read_text(encoding="utf-8")
    table = re.search(r"^NEEDED='\n(.*?)^'", script, re.M | re.S).group(1)
    checks.equal(sorted(named), sorted(line.split()[0] for line in table.splitlines()),
                 "packages of the README and of tools/install-deps")


def files(checks):
    """What the README names in backquotes with a slash is there."""
    for name in set(re.findall(r"`((?:tools|rules|tests|parser|daemon)/[\w./-]+)`", README)):
        checks.that((SOURCE / name).exists(), f"{name} is in the README and not in the tree")


checks = Checks()
options(checks)
packages(checks)
files(checks)
commands(checks)
checks.end()
