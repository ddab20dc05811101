#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""--include and --exclude match whole names of Surfaces, whenever those appear."""

import sys

sys.path.insert(0, str(__import__("pathlib").Path(__file__).resolve().parents[1] / "lib"))
import synthetic
from jankd import Checks, analyze, folder, rows

# In the order in which they appear, 100 frames each.
SURFACES = ("cod", "codex", "com.cod/com.cod.Main", "com.codex/com.codex.Main", "xcod", "COD")
FRAMES = 100

CASES = (
    ((), SURFACES),
    (("--exclude", "cod"), SURFACES[1:]),
    (("--exclude", "cod*"), SURFACES[2:]),
    (("--exclude", "*cod"), ("codex", *SURFACES[2:4], "COD")),
    (("--exclude", "com.cod/*"), (*SURFACES[:2], *SURFACES[3:])),
    (("--include", "cod"), ("cod",)),
    (("--include", "com.codex/*"), ("com.codex/com.codex.Main",)),
    (("--include", "COD"), ("COD",)),
    (("--include", "com.cod*", "--exclude", "com.cod/*"), ("com.codex/com.codex.Main",)),
    (("--include", "cod", "--include", "xcod"), ("cod", "xcod")),
    (("--include", "c?d"), ("cod",)),
)


def check(checks, here, trace, arguments, expected):
    what = " ".join(arguments) or "all"
    analyze(here / "out", "--frames-log", "-T", "2", *arguments, trace)
    for name in ("frames.csv", "fps.csv", "summary.csv"):
        got = [row["Surface"] for row in rows(here / "out", name)]
        checks.equal(list(dict.fromkeys(got)), list(expected), f"{what}: surfaces in {name}")
    counts = {row["Surface"]: int(row["frames"]) for row in rows(here / "out", "summary.csv")}
    checks.equal(set(counts.values()), {FRAMES - 1}, f"{what}: frames")


checks = Checks()
with folder() as here:
    trace = here / "trace.txt"
    text, us = [], 100000000
    for surface in SURFACES:
        text += synthetic.lines(FRAMES, us, f"{surface}#0")
        us += FRAMES * synthetic.PERIOD_US
    trace.write_text("".join(text))
    for arguments, expected in CASES:
        check(checks, here, trace, arguments, expected)
checks.end()
