# SPDX-License-Identifier: Apache-2.0
"""Compares the intervals in frames.csv with those that were played: there must be none across missing frames."""

import bisect
import collections

from jankd import microseconds, rows

LATE_US = 100000  # on a busy machine jank-phone may wait between reading the clock and writing the marker


def by_layer(path):
    """layer: [(present in microseconds, row)]"""
    found = collections.defaultdict(list)
    for row in rows(path):
        found[row["layer"]].append((microseconds(row["present(s)"]), row))
    return found


def place(times, time_us):
    """The index of the frame that was played, or None. jank-phone reads the clock before it writes."""
    at = bisect.bisect(times, time_us) - 1
    return at if at >= 0 and time_us - times[at] <= LATE_US else None


def check_series(checks, what, played, counted):
    """If a row has an interval, no frame is missing before it, and its vsyncs are those that were played. Returns the number of such rows, and the
    times of rows without an interval, or without vsyncs if @played has them. @played has none for a frame that jank-phone played late."""
    times = [time_us for time_us, _ in played]
    known, unknown, before = 0, [], None
    for time_us, row in counted:
        here = place(times, time_us)
        if not checks.that(here is not None, f"{what} at {time_us}: it was not played"):
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
