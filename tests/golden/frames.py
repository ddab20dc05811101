#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""frames.csv has every (present, layer) of the recorded traces, and no other."""

import collections
import sys

sys.path.insert(0, str(__import__("pathlib").Path(__file__).resolve().parents[1] / "lib"))
from frames import counted, recorded_truth
from jankd import Checks, TRACES, analyze, folder, rows, trace_names, unpack


def compare(checks, name, got, truth):
    missing = collections.Counter(truth) - collections.Counter(got)
    extra = collections.Counter(got) - collections.Counter(truth)
    checks.that(not missing, f"{name}: {sum(missing.values())} frames are missing: {list(missing)[:5]}")
    checks.that(not extra, f"{name}: {sum(extra.values())} frames are not real: {list(extra)[:5]}")
    presents = [present for present, layer in got]
    checks.that(presents == sorted(presents), f"{name}: frames.csv is not in the order of presents")
    print(f"{name}: {len(truth)} frames in truth, {len(got)} counted")


def compare_vsync_ids(checks, name, path):
    """FrameTimeline names the composition that presented a buffer of a layer."""
    truth = TRACES / name / "frametimeline.csv"
    if not truth.exists():
        return
    known = {(row["layer"].removeprefix("TX - "), row["display_token"]) for row in rows(truth)
             if row["kind"] == "surface" and row["is_buffer"] == "1"}
    last = max(int(token) for layer, token in known)
    frames = {(row["layer"], row["vsync id"]) for row in rows(path) if int(row["vsync id"] or 0) <= last}
    checks.that(all(vsync_id for layer, vsync_id in frames), f"{name}: a frame has no vsync id")
    joined = known & frames
    checks.that(len(joined) * 10 >= len(frames) * 9, f"{name}: {len(joined)} of {len(frames)} frames join a surface frame of FrameTimeline")


checks = Checks()
for name in trace_names():
    with folder() as here:
        analyze(here / "out", "--frames-log", unpack(name, here))
        compare(checks, name, counted(here / "out"), recorded_truth(name))
        compare_vsync_ids(checks, name, here / "out" / "frames.csv")
checks.end()
