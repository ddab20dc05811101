#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generated phones whose late frames have a known cause: the cause in frames.csv is right for at least 99 % of all
frames, and of the late ones. Software-drawn windows, a game on a SurfaceView, 120 Hz, Android 9, 11 and 14."""

import collections
import subprocess
import sys

sys.path.insert(0, str(__import__("pathlib").Path(__file__).resolve().parents[1] / "lib"))
from jankd import PHONE, Checks, analyze, folder, rows

SHARE = 0.99
SCENARIOS = ("culprits", "culprits-120", "culprits-game", "culprits-cpu")
VOCABULARIES = ("android-9", "android-11", "android-14")
# Every Surface of these has stalls of that cause, and no other frame with a cause.
HANGS = {"hang-doframe": "app", "hang-before": "app", "hang-gpu": "gpu", "hang-dequeue": "app"}


def play(here, scenario, vocabulary, seconds):
    subprocess.run([PHONE, "--scenario", scenario, "--vocabulary", vocabulary, "--seconds", str(seconds), "--speed", "0",
                    "--output", here / "trace", "--truth", here / "truth.csv"], check=True, capture_output=True)
    analyze(here / "out", "--frames-log", "-T", "2", here / "trace")
    return rows(here / "truth.csv"), rows(here / "out" / "frames.csv")


checks = Checks()
right, late = collections.Counter(), collections.Counter()
for scenario in SCENARIOS:
    for vocabulary in VOCABULARIES:
        what = f"{scenario} {vocabulary}"
        with folder() as here:
            truth, frames = play(here, scenario, vocabulary, 30)
            checks.equal([(row["present(s)"], row["layer"]) for row in frames], [(row["present(s)"], row["layer"]) for row in truth],
                         f"{what}: frames")
            pairs = collections.Counter((played["cause"], row["cause"]) for played, row in zip(truth, frames))
            wrong = sorted((pair, n) for pair, n in pairs.items() if pair[0] != pair[1])
            for (cause, _), n in pairs.items():
                if cause:
                    late[cause] += n
            for (cause, said), n in pairs.items():
                right[cause] += n if cause and cause == said else 0
            total = pairs.total()
            print(f"{what}: {total} frames, {sum(n for (cause, _), n in pairs.items() if cause)} late; "
                  f"{sum(n for _, n in wrong)} wrong (played, found): {wrong}")
            checks.that(sum(n for _, n in wrong) <= (1 - SHARE) * total, f"{what}: causes of all frames")
            summed = collections.Counter(row["cause"] for row in rows(here / "out" / "dropFrames.csv"))
            listed = collections.Counter(row["cause"] for row in frames if row["vsyncs"] not in ("", "1"))
            checks.equal(summed, listed, f"{what}: causes in dropFrames.csv")
for cause in sorted(late):
    print(f"{cause}: {right[cause]} of {late[cause]} late frames")
    checks.that(right[cause] >= SHARE * late[cause] > 0, f"{cause}: {right[cause]} of {late[cause]} late frames")
checks.equal(len(late), 9, "every cause but 'unknown' was played")
for scenario, cause in HANGS.items():
    for vocabulary in VOCABULARIES:
        with folder() as here:
            truth, frames = play(here, scenario, vocabulary, 12)
            stalls = [row["cause"] for row in frames if row["interval(ms)"] and float(row["interval(ms)"]) >= 497.5
                      and "StatusBar" not in row["layer"]]
            checks.that(len(stalls) > 0 and set(stalls) == {cause}, f"{scenario} {vocabulary}: stalls {stalls}, not {cause}")
checks.end()
