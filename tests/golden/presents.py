# SPDX-License-Identifier: Apache-2.0
"""frames.csv has every (present, layer) of the recorded traces, and no other, in the order of presents, with the right number of vsyncs."""

import collections
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
import frames
from jankd import microseconds, rows

# A difference of presents that is further from a whole number of periods is ambiguous.
DOUBT = 0.3
LONGEST = 100  # vsyncs
PERIOD_US = collections.defaultdict(lambda: 50000 / 3, {"android-11-launcher": 11128.4})
INTERVALS = collections.Counter()  # the unambiguous ones, by vsyncs


def vsyncs(checks, trace):
    """The number of vsyncs between frames of a layer, if the times of the presents are unambiguous."""
    layers, wrong = collections.defaultdict(list), []
    for row in trace.rows("frames.csv"):
        layers[row["layer"]].append((microseconds(row["present(s)"]), row["vsyncs"]))
    for layer, presents in layers.items():
        for (before, _), (after, reported) in zip(presents, presents[1:]):
            periods = (after - before) / PERIOD_US[trace.name]
            if abs(periods - round(periods)) < DOUBT and periods < LONGEST:
                INTERVALS[round(periods)] += 1
                wrong += [(layer, after, round(periods), reported)] * (str(round(periods)) != reported)
    checks.equal(wrong, [], f"{trace.name}: (layer, present, vsyncs, reported)")


def end(checks):
    checks.that(INTERVALS.total() >= 857 and len(INTERVALS) >= 15, f"intervals by vsyncs: {INTERVALS}")


def late_ticks(checks, trace):
    """The phone of a trace of jank-phone was slow, so that ticks are late: what it played is known."""
    rates = [row["text"].split()[0] for row in trace.rows("events.csv") if row["kind"] == "refresh"]
    checks.equal([float(rate) for rate in rates], [60.0], f"{trace.name}: rates")
    truth = rows(trace.source, "truth.csv")
    for layer in sorted({row["layer"] for row in truth}):
        played, found = ([row["vsyncs"] for row in table if row["layer"] == layer] for table in (truth, trace.rows("frames.csv")))
        known = [pair for pair in zip(played, found) if pair[0]]
        checks.that(known and all(a == b for a, b in known), f"{trace.name}: {layer}: (played, vsyncs) {known}")


def judge(checks, trace):
    if trace.rows("frames.csv"):
        checks.equal(frames.not_added_up(trace.rows("frames.csv")), [], f"{trace.name}: intervals that do not add up")
    if trace.has("truth.csv"):
        late_ticks(checks, trace)
    if not trace.text or not trace.has("frames.csv"):
        return
    vsyncs(checks, trace)
    got = frames.counted(trace.out)
    truth = [(int(row["present_us"]), row["layer"]) for row in rows(trace.source, "frames.csv")]
    frames.same(checks, f"{trace.name}: frames", got, truth)
    presents = [present for present, _ in got]
    checks.equal(presents, sorted(presents), f"{trace.name}: presents in order")
    print(f"{trace.name}: {len(truth)} frames in truth, {len(got)} counted")
    if trace.has("frametimeline.csv"):
        vsync_ids(checks, trace)


def vsync_ids(checks, trace):
    """FrameTimeline names the composition that presented a buffer of a layer."""
    known = {(row["layer"].removeprefix("TX - "), row["display_token"]) for row in rows(trace.source, "frametimeline.csv")
             if row["kind"] == "surface" and row["is_buffer"] == "1"}
    last = max(int(token) for _, token in known)
    found = {(row["layer"], row["vsync id"]) for row in trace.rows("frames.csv") if int(row["vsync id"] or 0) <= last}
    checks.that(all(vsync_id for _, vsync_id in found), f"{trace.name}: a frame has no vsync id")
    joined = known & found
    checks.that(len(joined) * 10 >= len(found) * 9, f"{trace.name}: {len(joined)} of {len(found)} frames join FrameTimeline's")
