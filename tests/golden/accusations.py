#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Traces in which jankd once blamed the wrong one: nobody is blamed who was in time."""

import lzma
import sys

sys.path.insert(0, str(__import__("pathlib").Path(__file__).resolve().parents[1] / "lib"))
from jankd import SHARED, Checks, analyze, folder, rows, skip


def causes(out):
    """(vsyncs, cause) of the frames with a cause."""
    return [(row["vsyncs"], row["cause"]) for row in rows(out, "frames.csv") if row["cause"]]


def app_is_late(checks, what, out):
    """The app queues after the latch that it should have made. What its GPU takes afterwards is the same for each frame."""
    checks.equal(causes(out), [("3", "app")], f"{what}: causes")


def idle(checks, what, out):
    """The tick that the app answers is lost: it was idle, and did not wait."""
    (row,) = rows(out, "summary.csv")
    checks.equal((row["wait times"], row["stalls"] or "0", row["big jank"], causes(out)), ("1", "0", "0", []), f"{what}: waits, stalls, janks, causes")


CASES = {"E0_lost_tick_makes_idle_a_stall_a14": idle, "E1_app_late_but_gpu_blamed_a11": app_is_late}

checks = Checks()
for name, judge in CASES.items():
    path = SHARED / "cases" / f"{name}.txt.xz"
    if not path.exists():
        skip(f"no {path.name}")
    with folder() as here:
        (here / "trace").write_bytes(lzma.open(path).read())
        analyze(here / "out", "--frames-log", "-T", "2", here / "trace")
        judge(checks, name, here / "out")
checks.end()
