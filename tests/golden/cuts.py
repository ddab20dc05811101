#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A recorded trace that is shifted in time, or whose start or end is cut off, gives the same frames and vsyncs for
the rest."""

import sys

sys.path.insert(0, str(__import__("pathlib").Path(__file__).resolve().parents[1] / "lib"))
from jankd import TRACES, Checks, analyze, folder, microseconds, rows, skip, trace_text
from lines import at_time, lines, text

SHIFTS_US = (1_234_567_891, 7, -3_000_011)
CUTS = (0.1, 0.3, 0.5, 0.7)  # of the time between the first present and the last

# The longest time from the latch of a frame to its present.
ON_THE_WAY_US = 50_000


def frames(here, data, shift_us=0):
    """[(present, layer, vsyncs)], presents as without the shift."""
    analyze(here, "--frames-log", "-", input=data)
    return [(microseconds(row["present(s)"]) - shift_us, row["layer"], row["vsyncs"]) for row in rows(here, "frames.csv")]


def without_first(found):
    """The frames without the first of each layer, which has no interval."""
    seen = set()
    return [frame for frame in found if frame[1] in seen or seen.add(frame[1])]


def compare(checks, what, got, expected):
    missing, extra = sorted(set(expected) - set(got)), sorted(set(got) - set(expected))
    checks.that(not missing and not extra and len(got) == len(expected),
                f"{what}: {len(expected)} frames, missing or other {missing[:3]}, instead {extra[:3]}")


def shifted(checks, name, parts, whole, here):
    for shift in SHIFTS_US:
        if whole[0][0] + shift < 5_000_000:
            continue
        got = frames(here / f"shift {shift}", text(line.moved(shift) for line in parts), shift)
        compare(checks, f"{name}, shifted by {shift} us", got, whole)


def cut(checks, name, parts, whole, here):
    begin, end = whole[0][0], whole[-1][0]
    for part in CUTS:
        us = round(begin + (end - begin) * part)
        at = at_time(parts, us)
        what = f"{name}, cut at {us} us"
        # Frames that were latched but not presented at the cut may be there or not.
        got = [f for f in frames(here / f"end {part}", text(parts[:at])) if f[0] < us - ON_THE_WAY_US]
        compare(checks, f"{what}, the start", got, [f for f in whole if f[0] < us - ON_THE_WAY_US])
        got = [f for f in frames(here / f"begin {part}", text(parts[at:])) if f[0] > us + ON_THE_WAY_US]
        expected = [f for f in whole if f[0] > us + ON_THE_WAY_US]
        checks.equal([f[:2] for f in got], [f[:2] for f in expected], f"{what}, the end: frames")
        compare(checks, f"{what}, the end", without_first(got), without_first(expected))


if not TRACES.is_dir():
    skip("there are no recorded traces")
checks = Checks()
for path in sorted(TRACES.glob("*/trace.txt.xz")):
    trace = path.parent.name
    with folder() as place:
        split, all_frames = lines(trace_text(trace)), frames(place / "whole", trace_text(trace))
        shifted(checks, trace, split, all_frames, place)
        cut(checks, trace, split, all_frames, place)
checks.end()
