# SPDX-License-Identifier: Apache-2.0
"""frames.csv has every (present, layer) of the recorded traces, and no other, in the order of presents, with the right
number of vsyncs."""

import collections

import frames
from jankd import microseconds
from jankd import rows as rows_of

# A difference of presents that is further from a whole number of periods is ambiguous.
DOUBT = 0.3

PERIOD_US = collections.defaultdict(lambda: 50000 / 3, {"android-11-launcher": 11128.4})

# trace, beginning and end of the layer's name, frames, {vsyncs: how many intervals}
EXPECTED = (
    ("android-4.1-launcher", "com.android.launcher/com.android.launcher2.Launcher", "", 180,
     {1: 178, 2: 1}),
    ("android-7-launcher", "com.google.android.googlequicksearchbox/", "launcher.GEL", 60,
     {1: 58, 5: 1}),
    ("android-9-flutter", "SurfaceView - com.thl.fluwanandroid/", "MainActivity#0", 248,
     {1: 245, 2: 2}),
    ("android-9-launcher-scroll", "com.meizu.flyme.launcher/", "Launcher#0", 35, {1: 34}),
    ("android-9-list-jank", "sample.tencent.matrix/", "TestFpsActivity#0", 123,
     {1: 111, 2: 10, 22: 1}),
    ("android-9-list-jank", "#0", "", 41,
     {1: 2, 2: 1, 3: 2, 4: 2, 5: 3, 6: 11, 7: 9, 8: 6, 9: 1, 10: 3}),
    ("android-11-launcher", "com.miui.home/com.miui.home.launcher.Launcher#0", "", 37,
     {1: 29, 2: 5, 9: 1}),
    ("android-11-launcher", "com.miui.miwallpaper", "SnowmountainSuperWallpaper#0", 89,
     {1: 6, 2: 76, 3: 6}),
    ("android-15-startup", "Splash Screen androidx.compose.", "target#7842", 23,
     {1: 19, 10: 1, 90: 1}),
    ("android-15-startup", "NavigationBar0#76", "", 15, {1: 10, 2: 2, 3: 1}),
)


def clear_intervals(rows, period):
    """(vsyncs by the presents, vsyncs of jankd) of the unambiguous intervals."""
    for before, after in zip(rows, rows[1:]):
        difference = microseconds(after["present(s)"]) - microseconds(before["present(s)"])
        periods = difference / period
        if abs(periods - round(periods)) < DOUBT:
            yield round(periods), after["vsyncs"]


def vsyncs(checks, trace):
    """The number of vsyncs between frames of a layer, if the times of the presents are unambiguous."""
    for name, begin, end, count, histogram in EXPECTED:
        if name != trace.name:
            continue
        layer = f"{name}: {begin}…{end}"
        found = [row for row in trace.rows("frames.csv") if row["layer"].startswith(begin) and row["layer"].endswith(end)]
        checks.equal(len(found), count, f"{layer}: frames")
        clear = list(clear_intervals(found, PERIOD_US[name]))
        said = collections.Counter(int(vsyncs) if vsyncs else None for _, vsyncs in clear)
        checks.equal(said, histogram, f"{layer}: intervals by vsyncs")
        wrong = [(truth, vsyncs) for truth, vsyncs in clear if str(truth) != vsyncs]
        checks.equal(wrong, [], f"{layer}: (vsyncs, reported)")


def late_ticks(checks, trace):
    """The phone of a trace of jank-phone was slow, so that ticks are late: what it played is known."""
    rates = [row["text"].split()[0] for row in trace.rows("events.csv") if row["kind"] == "refresh"]
    checks.equal([float(rate) for rate in rates], [60.0], f"{trace.name}: rates")
    truth = rows_of(trace.source, "truth.csv")
    for layer in sorted({row["layer"] for row in truth}):
        played, found = ([row["vsyncs"] for row in table if row["layer"] == layer] for table in (truth, trace.rows("frames.csv")))
        known = [pair for pair in zip(played, found) if pair[0]]
        checks.that(known and all(a == b for a, b in known), f"{trace.name}: {layer}: (played, vsyncs) {known}")


def judge(checks, trace):
    vsyncs(checks, trace)
    if trace.has("truth.csv"):
        late_ticks(checks, trace)
    if not trace.text or not trace.has("frames.csv"):
        return
    got = frames.counted(trace.out)
    truth = [(int(row["present_us"]), row["layer"]) for row in rows_of(trace.source, "frames.csv")]
    frames.same(checks, f"{trace.name}: frames", got, truth)
    presents = [present for present, _ in got]
    checks.equal(presents, sorted(presents), f"{trace.name}: presents in order")
    print(f"{trace.name}: {len(truth)} frames in truth, {len(got)} counted")
    if trace.has("frametimeline.csv"):
        vsync_ids(checks, trace)


def vsync_ids(checks, trace):
    """FrameTimeline names the composition that presented a buffer of a layer."""
    known = {(row["layer"].removeprefix("TX - "), row["display_token"]) for row in rows_of(trace.source, "frametimeline.csv")
             if row["kind"] == "surface" and row["is_buffer"] == "1"}
    last = max(int(token) for _, token in known)
    found = {(row["layer"], row["vsync id"]) for row in trace.rows("frames.csv") if int(row["vsync id"] or 0) <= last}
    checks.that(all(vsync_id for _, vsync_id in found), f"{trace.name}: a frame has no vsync id")
    joined = known & found
    checks.that(len(joined) * 10 >= len(found) * 9, f"{trace.name}: {len(joined)} of {len(found)} frames join FrameTimeline's")
