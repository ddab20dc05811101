#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Joined segments are byte by byte the files of a run without rotation."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import segments
import synthetic
from jankd import Checks, analyze, folder, microseconds, rows, trace_names, unpack

OPTIONS = ("--frames-log", "-T", "2", "-f", "2")

# The smallest --rotate-size; a row that is longer gets a segment of its own.
HEADER_AND_ROW = 4096


def same(checks, what, whole, rotated):
    for name in segments.GROWING:
        # doframe.csv appears with its first row.
        expected = (whole / name).read_bytes() if (whole / name).exists() else b""
        checks.that((segments.joined(rotated, name) or b"") == expected, f"{what}: {name} is another")
    checks.equal((rotated / "summary.csv").read_bytes(), (whole / "summary.csv").read_bytes(),
                 f"{what}: summary.csv")


def no_empty_segments(checks, what, rotated):
    for name in segments.GROWING:
        for path in segments.paths(rotated, name)[:-1]:
            lines = path.read_bytes().count(b"\n")
            checks.that(lines > 1, f"{what}: {path.name} has {lines} lines")


def limits(checks, what, rotated, size):
    for name in segments.GROWING:
        for path in segments.paths(rotated, name):
            length, lines = path.stat().st_size, len(rows(path))
            checks.that(length <= size or lines == 1, f"{what}: {path.name} has {length} bytes")


def by_size(checks, name, trace, whole, size):
    with folder() as here:
        what = f"{name}, --rotate-size {size}"
        analyze(here, *OPTIONS, "--rotate-size", size, trace)
        same(checks, what, whole, here)
        limits(checks, what, here, size)
        no_empty_segments(checks, what, here)
        checks.that(segments.numbers(here) or (whole / "frames.csv").stat().st_size <= size,
                    f"{what}: no segment was closed")


def by_time(checks, name, trace, whole, seconds):
    with folder() as here:
        what = f"{name}, --rotate-time {seconds}"
        analyze(here, *OPTIONS, "--rotate-time", seconds, trace)
        same(checks, what, whole, here)
        no_empty_segments(checks, what, here)
        for path in segments.paths(here, "frames.csv"):
            times = [microseconds(row["present(s)"]) for row in rows(path)]
            # Frames wait until the display's vsyncs are known, and the last ones until the end.
            checks.that(not times or max(times) - min(times) <= (seconds + 6) * 1e6,
                        f"{what}: {path.name} spans more")


def kept(checks):
    """--keep: the newest segments stay; they are the end of the whole run."""
    with folder() as here:
        trace = here / "trace.txt"
        trace.write_bytes(synthetic.trace(3000))
        analyze(here / "whole", *OPTIONS, trace)
        analyze(here / "kept", *OPTIONS, "--rotate-size", "20K", "--keep", 3, trace)
        found = segments.numbers(here / "kept")
        checks.equal(len(found), 3, f"--keep 3: segments {found}")
        checks.equal(found, list(range(found[-1] - 2, found[-1] + 1)), "--keep 3: the newest")
        left = segments.joined(here / "kept", "frames.csv").split(b"\n", 1)[1]
        checks.that(left and (here / "whole" / "frames.csv").read_bytes().endswith(left),
                    "--keep 3: the segments are not the end of the whole")
        # Files of an earlier session are closed segments, too.
        analyze(here / "kept", *OPTIONS, "--keep", 2, trace)
        checks.equal(segments.numbers(here / "kept"), [found[-1], found[-1] + 1], "--keep 2")


def both(checks):
    with folder() as here:
        trace = here / "trace.txt"
        trace.write_bytes(synthetic.trace(3000))
        analyze(here / "whole", *OPTIONS, trace)
        analyze(here / "rotated", *OPTIONS, "--rotate-size", "16K", "--rotate-time", "7", trace)
        same(checks, "both", here / "whole", here / "rotated")
        limits(checks, "both", here / "rotated", 16384)


def nearly_full(checks):
    """--min-free removes events after other rows, but keeps 64 segments of them."""
    with folder() as here:
        trace, out = here / "trace.txt", here / "out"
        trace.write_bytes(synthetic.trace(300))
        out.mkdir()
        for number in range(1, 201):
            (out / f"events-{number:06}.csv").write_bytes(b"time(s),wall time,kind,text\n")
        (out / "fps-000200.csv").write_bytes(b"start time\n")
        analyze(out, *OPTIONS, "--min-free", "1000000G", trace)
        checks.equal(segments.numbers(out), list(range(137, 201)), "--min-free: segments")
        checks.that(not segments.numbers(out, "fps.csv"), "--min-free: rows that could go stay")


def large_numbers(checks):
    with folder() as here:
        trace = here / "trace.txt"
        trace.write_bytes(synthetic.trace(300))
        analyze(here / "out", "--rotate-size", "10000000000", "--min-free", "1", trace)
        checks.equal(segments.numbers(here / "out"), [], "--rotate-size: ten billion bytes")


def marks(checks):
    """Any app may write marks: of a flood of them 100 are written and the others are counted."""
    with folder() as here:
        trace = here / "trace.txt"
        mark = "".join(synthetic.line(101000000 + n, f"I|600|jankd:{n}") for n in range(150))
        frames = synthetic.lines(300)
        trace.write_text("".join(frames[:60]) + mark + "".join(frames[60:70]))
        analyze(here / "out", trace)
        reported = [row["text"] for row in rows(here / "out", "events.csv") if row["kind"] == "mark"]
        checks.equal(reported, [*map(str, range(100)), "50 more events of this kind were suppressed"], "marks")


checks = Checks()
kept(checks)
both(checks)
nearly_full(checks)
large_numbers(checks)
marks(checks)
for name in trace_names():
    with folder() as here:
        trace, whole = unpack(name, here), here / "whole"
        analyze(whole, *OPTIONS, trace)
        for size in (HEADER_AND_ROW, 20000, 65536):
            by_size(checks, name, trace, whole, size)
        for seconds in (0.05, 3):
            by_time(checks, name, trace, whole, seconds)
checks.end()
