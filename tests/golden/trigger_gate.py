#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""--trigger: the rows are those of a capture without it that fall into the times at which the trigger
holds or into the five seconds before; each once and in the same order."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import segments
import synthetic
from jankd import Checks, analyze, folder, microseconds, rows

OPTIONS = ("--frames-log", "-T", "2")
BEFORE_US = 5000000
PERIODS = {"fps.csv": ("start time", "end time"), "frames.csv": ("present(s)", "present(s)")}


def every_row(out, name):
    return [row for path in segments.paths(out, name) for row in rows(path)]


def opened(out):
    """The (begin, end) of the times at which the trigger held."""
    pairs, begin = [], None
    for row in every_row(out, "events.csv"):
        if row["kind"] == "trigger" and row["text"].startswith("begins"):
            begin = microseconds(row["time(s)"])
        elif row["kind"] == "trigger":
            pairs.append((begin, microseconds(row["time(s)"])))
    return pairs


def belongs(row, columns, times):
    begin, end = (microseconds(row[column]) for column in columns)
    return any(end >= opened_us - BEFORE_US and begin <= closed_us for opened_us, closed_us in times)


def check(checks, what, trace, *options):
    with folder() as here:
        analyze(here / "all", *OPTIONS, trace)
        analyze(here / "some", *OPTIONS, *options, trace)
        times = opened(here / "some")
        checks.that(times, f"{what}: the trigger never held")
        for name, columns in PERIODS.items():
            wanted = [row for row in rows(here / "all", name) if belongs(row, columns, times)]
            got = every_row(here / "some", name)
            checks.that(0 < len(wanted) < len(rows(here / "all", name)), f"{what}: {name}: no test")
            checks.equal(len(got), len(wanted), f"{what}: {name}: rows")
            checks.that(got == wanted, f"{what}: {name}: other rows")
        checks.equal((here / "some" / "summary.csv").read_bytes(),
                     (here / "all" / "summary.csv").read_bytes(), f"{what}: summary.csv is not gated")
        drops = every_row(here / "some", "dropFrames.csv")
        checks.that(0 < len(drops) < len(rows(here / "all", "dropFrames.csv")), f"{what}: drops")


def with_gaps(frames, *gaps):
    """A steady 60 Hz with gaps of (at, frames); a gap of 4 frames is too short for the trigger."""
    lines = synthetic.lines(frames)
    for at, length in gaps:
        lines[at:at + length] = [""] * length
    return "".join(lines).encode()


checks = Checks()
with folder() as here:
    trace = here / "trace.txt"
    trace.write_bytes(with_gaps(4000, (300, 4), (1200, 10), (1290, 10), (2000, 4), (2900, 12)))
    check(checks, "two times", trace, "--trigger", "interval>100ms")
    check(checks, "rotating", trace, "--trigger", "interval>100ms", "--rotate-size", "4096",
          "--rotate-time", "2")
checks.end()
