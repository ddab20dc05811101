#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The number of vsyncs between frames of a layer, if the times of the presents are unambiguous."""

import collections
import sys

sys.path.insert(0, str(__import__("pathlib").Path(__file__).resolve().parents[1] / "lib"))
import synthetic
from jankd import Checks, analyze, folder, microseconds, rows, trace_names, unpack

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


def check(checks, name, frames, expected):
    trace, begin, end, count, histogram = expected
    layer = f"{trace}: {begin}…{end}"
    frames = [f for f in frames if f["layer"].startswith(begin) and f["layer"].endswith(end)]
    checks.equal(len(frames), count, f"{layer}: frames")
    clear = list(clear_intervals(frames, PERIOD_US[name]))
    said = collections.Counter(int(vsyncs) if vsyncs else None for _, vsyncs in clear)
    checks.equal(dict(sorted(said.items(), key=str)), dict(sorted(histogram.items(), key=str)),
                 f"{layer}: intervals by vsyncs")
    wrong = [(truth, vsyncs) for truth, vsyncs in clear if str(truth) != vsyncs]
    checks.that(not wrong, f"{layer}: (vsyncs, reported):  {wrong[:8]}")


def there_and_back():
    """60 Hz, 1 s of 120 Hz, 60 Hz. A second layer is idle from before that to after it."""
    times, us = [], 100000000
    for period, frames in ((16667, 180), (8333, 120), (16667, 180)):
        times += [us + n * period for n in range(frames)]
        us += frames * period
    text, idle = [], range(174, 306)
    for n, us in enumerate(times):
        layers = ["com.a/com.a.Main#0"] if n in idle else ["com.a/com.a.Main#0", "com.b/com.b.Main#0"]
        text += [synthetic.frame(us, n, layers[n % len(layers)])]
    return "".join(text)


checks, there = Checks(), trace_names()
with folder() as here:
    (here / "trace").write_text(there_and_back())
    analyze(here / "out", "--frames-log", here / "trace")
    frames = [row for row in rows(here / "out", "frames.csv") if row["app"] == "com.b"]
    longest = max(range(1, len(frames)), key=lambda i: microseconds(frames[i]["present(s)"]) - microseconds(frames[i - 1]["present(s)"]))
    true_ms = (microseconds(frames[longest]["present(s)"]) - microseconds(frames[longest - 1]["present(s)"])) / 1e3
    interval = float(frames[longest]["interval(ms)"])
    checks.that(abs(interval - true_ms) < 9 and true_ms > 1000, f"idle while the display is at 120 Hz: {interval} ms, not {true_ms}")
for name in sorted({trace for trace, *_ in EXPECTED} - set(there)):
    checks.cannot_judge(name, "there is no such recorded trace")
for name in there:
    with folder() as here:
        analyze(here / "out", "--frames-log", unpack(name, here))
        frames = rows(here / "out", "frames.csv")
    for expected in EXPECTED:
        if expected[0] == name:
            check(checks, name, frames, expected)
checks.end()
