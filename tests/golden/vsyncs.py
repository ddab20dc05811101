# SPDX-License-Identifier: Apache-2.0
"""The number of vsyncs between frames of a layer, if the times of the presents are unambiguous."""

import collections

from jankd import microseconds

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


def clear_intervals(frames, period):
    """(vsyncs by the presents, vsyncs of jankd) of the unambiguous intervals."""
    for before, after in zip(frames, frames[1:]):
        difference = microseconds(after["present(s)"]) - microseconds(before["present(s)"])
        periods = difference / period
        if abs(periods - round(periods)) < DOUBT:
            yield round(periods), after["vsyncs"]


def judge(checks, trace):
    for name, begin, end, count, histogram in EXPECTED:
        if name != trace.name:
            continue
        layer = f"{name}: {begin}…{end}"
        frames = [row for row in trace.rows("frames.csv") if row["layer"].startswith(begin) and row["layer"].endswith(end)]
        checks.equal(len(frames), count, f"{layer}: frames")
        clear = list(clear_intervals(frames, PERIOD_US[name]))
        said = collections.Counter(int(vsyncs) if vsyncs else None for _, vsyncs in clear)
        checks.equal(said, histogram, f"{layer}: intervals by vsyncs")
        wrong = [(truth, vsyncs) for truth, vsyncs in clear if str(truth) != vsyncs]
        checks.equal(wrong, [], f"{layer}: (vsyncs, reported)")
