#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The READMEs are right: their commands run in a copy of the tree, and the row that is explained is one that the commands give.

Blocks marked sh are run from top to bottom, in one folder. Blocks marked console need a phone, or a server of ClickHouse."""

import os
import re
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from jankd import SHARED, SOURCE, TRACES, Checks, copy_tree, folder, rows
from pages import run_blocks

README, BENCH = ((SOURCE / path).read_text(encoding="utf-8") for path in ("README.md", "tests/bench/README.md"))
BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.M | re.S)

# Not run: these commands run this test; and tools/bench has nothing to measure without recorded traces.
NOT_AGAIN = re.compile(rf"^(tools/check|\.ci/run|meson test{'' if TRACES.is_dir() else '|tools/bench'})\b.*$", re.M)
# A line of the table that explains a row: "| `FPS`, `frames` | 60.00, 30 | meaning |"
CELLS = re.compile(r"^\| (`[^|]*`) \| ([^|]*) \| [^|]* \|$", re.M)
# The commands build in the default folder of the copy.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in ("BUILD", "JANKD_BUILD")}


def commands(checks):
    blocks = BLOCK.findall(README) + BLOCK.findall(BENCH)
    checks.that(BLOCK.search(README) and BLOCK.search(BENCH), "a README has no command")
    if not TRACES.is_dir():
        checks.cannot_judge("tools/bench", "there are no recorded traces")
    with folder() as here:
        tree = copy_tree(here / "jankd")
        if SHARED.is_dir():
            (here / "shared").symlink_to(SHARED)
        # Beside other tests a benchmark may be slower than its bounds: that is no failure of the README.
        blocks = [re.sub(r"^tools/bench\b.*$", r"\g<0> || [ $? = 1 ]", NOT_AGAIN.sub(":", block), flags=re.M) for block in blocks]
        for said in run_blocks(checks, "a README", blocks, cwd=tree, env=ENVIRONMENT):
            checks.that("\nfailed: " not in said, f"a README: {said[-3000:]}")
        explained(checks, rows(tree / "out", "fps.csv"))


def explained(checks, found):
    """The row that the README explains is in @found, with all columns in order."""
    section = README.split("\n## How to read a row\n")[1].split("\n## ")[0]
    names, values = [], []
    for left, right in CELLS.findall(section):
        names += re.findall(r"`([^`]+)`", left)
        values += ["" if value == "-" else value for value in right.split(", ")]
    checks.that(found and names == list(found[0]), f"columns that are explained: {names}")
    expected = dict(zip(names, values))
    near = [row for row in found if row["start time"] == expected.get("start time")]
    checks.that(expected in near, f"the row that is explained, {expected}, is not in fps.csv: {near}")


os.nice(10)  # compilers run beside tests that depend on time
checks = Checks()
commands(checks)
checks.end()
