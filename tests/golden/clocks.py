#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A recorded trace whose clock goes back, or that has some lines twice: that is reported, and no interval spans it."""

import random
import re
import sys

sys.path.insert(0, str(__import__("pathlib").Path(__file__).resolve().parents[1] / "lib"))
import synthetic
from jankd import Checks, analyze, differences, folder, outputs, rows, trace_names, trace_text
from lines import at_time, lines, text

BACK_US = (25000, 300000, 600000, 950000, 2000000)
TWICE_US = (1000, 20000, 500000, 1500000)

MARKER = re.compile(rb": (tracing_mark_write|0): ")

# A step may lose frames that are latched but not presented, one for each layer.
TORN = 3


def reported(out, words):
    return [row for row in rows(out, "events.csv") if row["kind"] == "tracing" and words in row["text"]]


def is_seen(before, after, back):
    """True if the next marker of a CPU is clearly earlier than its last one."""
    last = {line.cpu: line.us for line in before}
    first = {line.cpu: line.us - back for line in reversed(after)}
    return any(first[cpu] + 20000 < last[cpu] for cpu in first.keys() & last.keys())


def markers(parts):
    return [line for line in parts if line.us is not None and MARKER.search(line.text)]


def moments(parts):
    """The lines at which to cut."""
    times = [line.us for line in parts if line.us is not None]
    fifths = (2, 4) if len(parts) < 10000 else (3,)
    return [at_time(parts, times[0] + (times[-1] - times[0]) * part // 5) for part in fifths]


def steps(checks, name, parts, whole, here):
    """A clock that goes back: frames are not lost, and no interval spans the step."""
    expected = {(row["layer"], row["interval(ms)"], row["vsyncs"]) for row in rows(whole, "frames.csv")}
    frames = len(rows(whole, "frames.csv"))
    layers = len({row["layer"] for row in rows(whole, "frames.csv")})
    judged = 0
    for cut in moments(parts):
        for back in BACK_US:
            what, out = f"{name}, line {cut}, {back} us back", here / f"back {cut} {back}"
            if not is_seen(markers(parts[:cut]), markers(parts[cut:]), back):
                continue
            judged += 1
            analyze(out, "--frames-log", "-", input=text(parts[:cut] + [line.moved(-back) for line in parts[cut:]]))
            got = rows(out, "frames.csv")
            checks.equal(len(reported(out, "the clock stepped back")), 1, f"{what}: events")
            checks.that(frames - TORN <= len(got) <= frames, f"{what}: {len(got)} frames, {frames} without")
            checks.equal([row for row in got if row["interval(ms)"] == "0.000"], [], f"{what}: no time at all")
            unknown = sum(row["interval(ms)"] == "" for row in got)
            checks.that(unknown <= 2 * layers, f"{what}: {unknown} frames without interval, {layers} layers")
            for row in rows(out, "summary.csv"):
                checks.that(float(row["first(s)"]) <= float(row["last(s)"]), f"{what}: {row['Surface']}: first(s)")
            if name == "synthetic":
                extra = {(r["layer"], r["interval(ms)"], r["vsyncs"]) for r in got} - expected
                checks.equal(extra, set(), f"{what}: intervals that were not there")
    checks.that(judged, f"{name}: no step back that can be seen")


def twice(checks, name, parts, whole, here):
    """Pieces that overlap give the same files as the whole, except for the event."""
    judged = 0
    for cut in moments(parts):
        for back in TWICE_US:
            what, out = f"{name}, line {cut}, {back} us twice", here / f"twice {cut} {back}"
            again = at_time(parts, parts[cut].us - back)
            if len(markers(parts[again:cut])) < 10:
                continue
            judged += 1
            analyze(out, "--frames-log", "-T", "2", "-", input=text(parts[:cut] + parts[again:]))
            others = [n for n in differences(outputs(whole), outputs(out)) if n != "events.csv"]
            checks.equal(others, [], f"{what}: files that differ")
            checks.that(reported(out, "duplicate lines"), f"{what}: not reported")
            checks.equal(reported(out, "stepped back"), [], f"{what}: called a step")
    checks.that(judged, f"{name}: no overlap of enough markers")


def check(checks, name, data):
    parts = lines(data)
    with folder() as here:
        analyze(here / "whole", "--frames-log", "-T", "2", "-", input=data)
        steps(checks, name, parts, here / "whole", here)
        twice(checks, name, parts, here / "whole", here)


def unsteady(frames):
    """Steady ticks and latches, with buffers and presents at varying times."""
    chance, parts = random.Random(1), []
    for frame in synthetic.lines(frames):
        late = {b"Binder": chance.randrange(-400, -100), b"refresh": chance.randrange(300)}
        block = lines(frame.encode())
        refresh = next(n for n, line in enumerate(block) if b"handleMessageRefresh" in line.text)
        parts += sorted((line.moved(late[b"refresh"]) if n >= refresh else
                         line.moved(late[b"Binder"]) if b"Binder" in line.text else line
                         for n, line in enumerate(block)), key=lambda line: line.us)
    return parts


def whole_periods(checks, here):
    """A step back by whole periods: lines have the times of earlier lines of the same threads."""
    parts = unsteady(300)
    begin = at_time(parts, parts[0].us + 3000000)
    for periods in (2, 6, 18, 30, 60, 120):
        for cut in range(begin, begin + 40, 3):
            what, out = f"line {cut}, {periods} periods back", here / f"{periods} {cut}"
            back = periods * synthetic.PERIOD_US
            analyze(out, "--frames-log", "-", input=text(parts[:cut] + [line.moved(-back) for line in parts[cut:]]))
            got = rows(out, "frames.csv")
            checks.equal(len(reported(out, "the clock stepped back")), 1, f"{what}: events")
            checks.that(300 - TORN <= len(got) <= 300, f"{what}: {len(got)} frames of 300")


checks = Checks()
with folder() as here:
    whole_periods(checks, here)
check(checks, "synthetic", synthetic.trace(300))
for name in trace_names():
    check(checks, name, trace_text(name))
checks.end()
