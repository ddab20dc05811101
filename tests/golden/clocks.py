# SPDX-License-Identifier: Apache-2.0
"""A trace that is shifted in time, or whose start or end is cut off, gives the same frames and vsyncs for the rest. If its clock goes
back, or it has some lines twice, that is reported, and no interval spans it.

Only the markers of a recorded trace are used: the other events do not change its frames, which is checked, too."""

import random
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
import frames
import synthetic
from jankd import TRACES, analyze, checks, differences, folder, microseconds, outputs, rows, skip, trace_text
from lines import at_time, lines, markers, text

SHIFTS_US = (1_234_567_891, 7, -3_000_011)
CUTS = (0.1, 0.3, 0.5, 0.7)  # of the time between the first present and the last
BACK_US = (25000, 300000, 600000, 950000, 2000000)
TWICE_US = (1000, 20000, 500000, 1500000)
ON_THE_WAY_US = 50_000  # the longest time from the latch of a frame to its present
TORN = 3  # frames that are latched but not presented may be lost at a step, one of each layer


class Trace:
    def __init__(self, checks, name, data, here):
        self.checks, self.name, self.here = checks, name, here
        self.parts = [line for line in lines(markers(data)) if line.us is not None]
        self.whole = self.frames("whole", self.parts)
        analyze(here / "all", "--frames-log", "-T", "2", "-", input=data)
        self.compare("markers alone", self.whole, frames_of(here / "all"))
        begin, end = self.parts[0].us, self.parts[-1].us
        fifths = (2, 4) if len(self.parts) < 10000 else (3,)
        self.moments = [at_time(self.parts, begin + (end - begin) * part // 5) for part in fifths]

    def frames(self, name, parts):
        """[(present, layer, vsyncs)] of these lines."""
        analyze(self.here / name, "--frames-log", "-T", "2", "-", input=text(parts))
        return frames_of(self.here / name)

    def compare(self, what, got, expected):
        frames.same(self.checks, f"{self.name}, {what}: frames", got, expected)


def frames_of(out):
    return [(microseconds(row["present(s)"]), row["layer"], row["vsyncs"]) for row in rows(out, "frames.csv")]


def without_first(found):
    """The frames without the first of each layer, which has no interval."""
    seen = set()
    return [frame for frame in found if frame[1] in seen or seen.add(frame[1])]


def shifted(checks, trace):
    for shift in SHIFTS_US:
        if trace.whole[0][0] + shift >= 5_000_000:
            got = trace.frames(f"shift {shift}", [line.moved(shift) for line in trace.parts])
            trace.compare(f"shifted by {shift} us", [(us - shift, *rest) for us, *rest in got], trace.whole)


def cut(checks, trace):
    begin, end = trace.whole[0][0], trace.whole[-1][0]
    for part in CUTS:
        us = round(begin + (end - begin) * part)
        at = at_time(trace.parts, us)
        # Frames that were latched but not presented at the cut may be there or not.
        got = [f for f in trace.frames(f"end {part}", trace.parts[:at]) if f[0] < us - ON_THE_WAY_US]
        trace.compare(f"cut at {us} us, the start", got, [f for f in trace.whole if f[0] < us - ON_THE_WAY_US])
        got = [f for f in trace.frames(f"begin {part}", trace.parts[at:]) if f[0] > us + ON_THE_WAY_US]
        expected = [f for f in trace.whole if f[0] > us + ON_THE_WAY_US]
        checks.equal([f[:2] for f in got], [f[:2] for f in expected], f"{trace.name}, cut at {us} us, the end: frames")
        trace.compare(f"cut at {us} us, the end", without_first(got), without_first(expected))


def reported(out, words):
    return [row for row in rows(out, "events.csv") if row["kind"] == "tracing" and words in row["text"]]


def is_seen(before, after, back):
    """True if the next marker of a CPU is clearly earlier than its last one."""
    last = {line.cpu: line.us for line in before}
    first = {line.cpu: line.us - back for line in reversed(after)}
    return any(first[cpu] + 20000 < last[cpu] for cpu in first.keys() & last.keys())


def stepped(checks, trace):
    """Frames are not lost, and no interval spans the step."""
    parts, whole = trace.parts, rows(trace.here / "whole", "frames.csv")
    expected = {(row["layer"], row["interval(ms)"], row["vsyncs"]) for row in whole}
    layers, judged = len({row["layer"] for row in whole}), 0
    for at in trace.moments:
        for back in BACK_US:
            what, out = f"{trace.name}, line {at}, {back} us back", trace.here / f"back {at} {back}"
            if not is_seen(parts[:at], parts[at:], back):
                continue
            judged += 1
            trace.frames(out.name, parts[:at] + [line.moved(-back) for line in parts[at:]])
            got = rows(out, "frames.csv")
            checks.equal(len(reported(out, "the clock stepped back")), 1, f"{what}: events")
            checks.that(len(whole) - TORN <= len(got) <= len(whole), f"{what}: {len(got)} frames, {len(whole)} without")
            checks.equal([row for row in got if row["interval(ms)"] == "0.000"], [], f"{what}: no time at all")
            unknown = sum(row["interval(ms)"] == "" for row in got)
            checks.that(unknown <= 2 * layers, f"{what}: {unknown} frames without interval, {layers} layers")
            for row in rows(out, "summary.csv"):
                checks.that(float(row["first(s)"]) <= float(row["last(s)"]), f"{what}: {row['Surface']}: first(s)")
            if trace.name == "synthetic":
                extra = {(r["layer"], r["interval(ms)"], r["vsyncs"]) for r in got} - expected
                checks.equal(extra, set(), f"{what}: intervals that were not there")
    checks.that(judged, f"{trace.name}: no step back that can be seen")


def twice(checks, trace):
    """Pieces that overlap give the same files as the whole, except for the event."""
    judged = 0
    for at in trace.moments:
        for back in TWICE_US:
            what, out = f"{trace.name}, line {at}, {back} us twice", trace.here / f"twice {at} {back}"
            again = at_time(trace.parts, trace.parts[at].us - back)
            if at - again < 10:
                continue
            judged += 1
            trace.frames(out.name, trace.parts[:at] + trace.parts[again:])
            others = [n for n in differences(outputs(trace.here / "whole"), outputs(out)) if n != "events.csv"]
            checks.equal(others, [], f"{what}: files that differ")
            checks.that(reported(out, "duplicate lines"), f"{what}: not reported")
            checks.equal(reported(out, "stepped back"), [], f"{what}: called a step")
    checks.that(judged, f"{trace.name}: no overlap of enough markers")


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
        for at in range(begin, begin + 40, 3):
            what, out = f"line {at}, {periods} periods back", here / f"{periods} {at}"
            back = periods * synthetic.PERIOD_US
            analyze(out, "--frames-log", "-", input=text(parts[:at] + [line.moved(-back) for line in parts[at:]]))
            got = rows(out, "frames.csv")
            checks.equal(len(reported(out, "the clock stepped back")), 1, f"{what}: events")
            checks.that(300 - TORN <= len(got) <= 300, f"{what}: {len(got)} frames of 300")


with folder() as place:
    whole_periods(checks, place)
sources = {"synthetic": None} | {path.parent.name: path for path in sorted(TRACES.glob("*/trace.txt.xz"))}
if len(sources) == 1:
    skip("there are no recorded traces")
for name in sources:
    with folder() as place:
        one = Trace(checks, name, trace_text(name) if sources[name] else synthetic.trace(300), place)
        for case in (shifted, cut, stepped, twice):
            case(checks, one)
checks.end()
