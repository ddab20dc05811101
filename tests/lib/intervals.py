# SPDX-License-Identifier: Apache-2.0
"""Intervals that jankd tells, against the truth: where frames are missing it may tell none."""

import bisect
import collections

from jankd import microseconds, rows

LATE_US = 100000  # a busy machine lets the phone wait between the clock and the marker


def by_layer(path):
    """layer: [(present in microseconds, row)]"""
    found = collections.defaultdict(list)
    for row in rows(path):
        found[row["layer"]].append((microseconds(row["present(s)"]), row))
    return found


def place(times, time_us):
    """Which frame of the truth it is, or None. The phone reads the clock, then it writes."""
    at = bisect.bisect(times, time_us) - 1
    return at if at >= 0 and time_us - times[at] <= LATE_US else None


def check_series(checks, what, played, counted):
    """Where an interval is told, nothing is missing before, and its vsyncs are the truth's.
    Returns how many are told, and the times of frames that have none, or no vsyncs although the
    truth has some: it has none for a frame that the phone itself was late to play."""
    times = [time_us for time_us, _ in played]
    known, unknown, before = 0, [], None
    for time_us, row in counted:
        here = place(times, time_us)
        if not checks.that(here is not None, f"{what} at {time_us}: nobody played it"):
            continue
        if before is None:
            before = here
            continue
        vsyncs = played[here][1]["vsyncs"]
        if row["interval(ms)"] == "" or (row["vsyncs"] == "" and vsyncs != ""):
            unknown.append(time_us)
        else:
            known += 1
            checks.equal(here, before + 1, f"{what} at {time_us}: frames are missing before")
            if vsyncs != "":
                checks.equal(row["vsyncs"], vsyncs, f"{what} at {time_us}: vsyncs")
        before = here
    return known, unknown
