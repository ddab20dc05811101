#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Snapshots of a live capture hold the frames that were counted, and are written in time."""

import pathlib
import re
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import frames
import synthetic
from jankd import analyze
from live import run, session

TIMES = re.compile(rb" (\d+\.\d{6}): tracing_mark_write:")

# The first frames of a snapshot are not compared: events before it are missing.
LEAD_US = 500000


def played():
    """analyze counts the same frames in a snapshot as the live capture."""
    with session("played") as s:
        capture = s.run("--snapshot", "12", "--snapshot-seconds", "3")
        s.play(scenario="drops-120", seconds=6)
        s.stop(capture)
        s.equal(sorted(file.name for file in s.out.glob("snapshot-*")), ["snapshot-000001.txt"], "files")
        s.equal(len(s.texts("snapshot")), 1, "events")
        times = [float(match) * 1e6 for match in TIMES.findall((s.out / "snapshot-000001.txt").read_bytes())]
        begin, end = times[0] + LEAD_US, times[-1]
        analyze(s.here / "cut", "--frames-log", s.out / "snapshot-000001.txt")
        got, expected = ({f for f in frames.counted(out) if begin <= f[0] <= end} for out in (s.here / "cut", s.out))
        print(f"{len(expected)} frames in {(end - begin) / 1e6:.2f} s")
        s.that(len(expected) > 30, f"only {len(expected)} frames")
        s.equal(sorted(got ^ expected)[:5], [], "frames")


def falls_silent():
    """A snapshot is written even if no event follows the late frame."""
    with session("silent") as s:
        capture = s.run("--snapshot", "100")
        with s.marker() as write:
            for n in range(90):
                time.sleep(0.3 if n == 60 else 0.0167)
                write(*synthetic.markers(0, n))
        s.until((s.out / "snapshot-000001.txt").exists, "a snapshot")
        s.stop(capture)
        s.equal(len(s.texts("snapshot")), 1, "events")


run(played, falls_silent)
