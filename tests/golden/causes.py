#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Causes of frames, computed from marks alone, against the jank types of FrameTimeline in the same trace."""

import sys

sys.path.insert(0, str(__import__("pathlib").Path(__file__).resolve().parents[1] / "lib"))
from jankd import TRACES, Checks, analyze, folder, rows, skip, trace_names, unpack

NONE = 1
# Bits of a FrameTimeline jank type that agree with a cause.
AGREES = {"app": 64, "gpu": 64, "stuffing": 128 | 512, "surfaceflinger-cpu": 16, "surfaceflinger-gpu": 32, "scheduling": 2, "display": 8,
          "prediction": 4, "dropped": 1024, "unknown": 256}

checks = Checks()
judged = 0
for name in trace_names("frametimeline.csv"):
    truth = {(row["layer"].removeprefix("TX - "), row["display_token"]): int(row["jank_type"])
             for row in rows(TRACES / name / "frametimeline.csv") if row["kind"] == "surface" and row["is_buffer"] == "1"}
    with folder() as here:
        analyze(here / "out", "--frames-log", unpack(name, here))
        for row in rows(here / "out" / "frames.csv"):
            jank, cause = truth.get((row["layer"], row["vsync id"])), row["cause"]
            if jank is None or not cause:
                continue
            judged += 1
            checks.that(AGREES[cause] & jank, f"{name}: {row['layer']} at {row['present(s)']}: cause {cause}, FrameTimeline {jank}")
if judged == 0:
    skip("no trace with FrameTimeline and a cause")
print(f"{judged} causes compared")
checks.end()
