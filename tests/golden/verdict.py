#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The verdict as JSON, as text and in summary.csv: harm and continuous drawing, computed again from frames.csv."""

import collections
import json
import sys

sys.path.insert(0, str(__import__("pathlib").Path(__file__).resolve().parents[1] / "lib"))
from jankd import Checks, analyze, folder, rows, trace_names, unpack

WAIT_MS = 500 * 0.995


def most_frequent(intervals):
    counts = collections.Counter(intervals)
    return min(value for value in counts if counts[value] == max(counts.values()))


class Layer:
    """Cadence so far: the most frequent of the last 16 intervals; of several the shortest."""

    def __init__(self):
        self.last = collections.deque(maxlen=16)

    def harm_and_gap(self, row):
        if not row["interval(ms)"]:
            return 0, True
        interval, vsyncs = float(row["interval(ms)"]), row["vsyncs"]
        if interval >= (WAIT_MS if vsyncs else 500):
            self.last.clear()
            return 0, True
        cadence = most_frequent(self.last) if self.last else None
        # A period becomes more precise: intervals are compared in vsyncs.
        this = int(vsyncs) if vsyncs else None
        self.last.append(this or 10**6)
        if cadence is None or this is None:
            return 0, False
        return max(0, this - cadence) * interval / this, this > 4 * cadence


def expected(path):
    """Harm and time of continuous drawing of each Surface whose vsyncs are all known, in ms."""
    layers, harm, drawing, unknown = collections.defaultdict(Layer), collections.Counter(), collections.Counter(), set()
    stretch = collections.Counter()
    for row in rows(path):
        surface = row["Surface"]
        if row["interval(ms)"] and not row["vsyncs"]:
            unknown.add(surface)
        late, gap = layers[row["layer"]].harm_and_gap(row)
        harm[surface] += late
        if gap:
            stretch[surface] = 0
            continue
        before = stretch[surface]
        stretch[surface] += float(row["interval(ms)"])
        if stretch[surface] >= 1000:
            drawing[surface] += stretch[surface] - (before if before >= 1000 else 0)
    return {name: (value, drawing[name]) for name, value in harm.items() if name not in unknown}


def close(got, truth):
    return abs(got - truth) <= 0.01 * truth + 0.1


checks = Checks()
judged = 0
for name in trace_names():
    with folder() as here:
        trace = unpack(name, here)
        text = analyze(here / "out", "--frames-log", "--json", trace).stdout.decode()
        verdict = json.loads(text)
        checks.equal(text.count("\n"), 1, f"{name}: lines of JSON")
        surfaces = {one["surface"]: one for app in verdict["apps"] for one in app["surfaces"]}
        for surface, (harm, drawing) in expected(here / "out" / "frames.csv").items():
            one = surfaces[surface]
            judged += harm > 0
            checks.that(close(one["harm_ms"], harm), f"{name}, {surface}: harm {one['harm_ms']} ms, expected {harm:.3f}")
            checks.that(close(one["drawing_s"] * 1000, drawing), f"{name}, {surface}: drawing {one['drawing_s']} s, expected {drawing:.3f} ms")
        for row in rows(here / "out" / "summary.csv"):
            checks.equal(row["verdict"], surfaces[row["Surface"]]["verdict"], f"{name}: verdict in summary.csv")
        for app in verdict["apps"]:
            longest = max(one["drawing_s"] for one in app["surfaces"])
            checks.equal(app["surfaces"][0]["drawing_s"], longest, f"{name}, {app['app']}: judged by the Surface that draws longest")
        table = analyze(here / "again", trace).stdout.decode()
        shown = [app["verdict"] for app in verdict["apps"] if app["harm_ms"] > 0][:3]
        for one in shown:
            checks.that(one in table, f"{name}: '{one}' is not printed")
        if not shown:
            checks.that("no frame was late" in table or ">=" in table, f"{name}: no verdict is printed")
checks.that(judged >= 5, f"only {judged} surfaces with harm")
checks.end()
