#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Causes of frames, computed from marks alone, against the jank types of FrameTimeline in the same trace: the class of
the cause is one of the bits of the jank type for at least 90 % of the buffer frames with a jank. frames.csv does not
depend on FrameTimeline."""

import collections
import lzma
import sys

sys.path.insert(0, str(__import__("pathlib").Path(__file__).resolve().parents[1] / "lib"))
from jankd import TRACES, Checks, analyze, folder, rows, trace_names, unpack

SHARE = 0.90
NONE = 1
# Bits of a FrameTimeline jank type that agree with a cause.
AGREES = {"app": 64, "gpu": 64, "stuffing": 128 | 512, "surfaceflinger-cpu": 16, "surfaceflinger-gpu": 32, "scheduling": 2, "display": 8,
          "prediction": 4, "dropped": 1024, "unknown": 256, "": 0}
NAMES = {2: "SF_SCHEDULING", 4: "PREDICTION_ERROR", 8: "DISPLAY_HAL", 16: "SF_CPU", 32: "SF_GPU", 64: "APP_DEADLINE", 128: "BUFFER_STUFFING",
         256: "UNKNOWN", 512: "SF_STUFFING", 1024: "DROPPED"}


def name_of(jank):
    return "+".join(text for bit, text in NAMES.items() if jank & bit) or str(jank)


def janks(path):
    """(layer, token of the display frame): jank type, of the buffer frames that were presented once."""
    found = collections.defaultdict(list)
    for row in rows(path):
        if row["kind"] == "surface" and row["is_buffer"] == "1" and row["display_token"]:
            found[row["layer"].removeprefix("TX - "), row["display_token"]].append(int(row["jank_type"]))
    return {key: types[0] for key, types in found.items() if len(types) == 1}


checks = Checks()
table = collections.Counter()
first_table = collections.Counter()
for name in trace_names("frametimeline.csv"):
    truth = janks(TRACES / name / "frametimeline.csv")
    with folder() as here:
        analyze(here / "out", "--frames-log", unpack(name, here))
        frames = rows(here / "out" / "frames.csv")
        packed = TRACES / name / "trace.perfetto-trace.xz"
        if packed.exists():
            (here / "perfetto").write_bytes(lzma.decompress(packed.read_bytes()))
            analyze(here / "both", "--frames-log", here / "perfetto")
            with_timeline = rows(here / "both" / "frames.csv")
            columns = ("layer", "vsync id", "cause", "vsyncs")
            checks.equal([[row[column] for column in columns] for row in with_timeline],
                         [[row[column] for column in columns] for row in frames], f"{name}: frames.csv with FrameTimeline")
        seen = set()
        for row in frames:
            jank = truth.get((row["layer"], row["vsync id"]), 0)
            if jank & ~NONE:
                (table if row["layer"] in seen else first_table)[name_of(jank), row["cause"] or "none", bool(AGREES[row["cause"]] & jank)] += 1
                if not AGREES[row["cause"]] & jank:
                    print(f"{name}: {row['layer']} at {row['present(s)']}: cause {row['cause'] or 'none'}, FrameTimeline {name_of(jank)}")
            seen.add(row["layer"])
for title, counts in (("frames with a jank", table), ("first frames of a layer", first_table)):
    print(f"{title}: {sum(n for (_, _, agrees), n in counts.items() if agrees)} of {counts.total()} agree")
    for (jank, cause, agrees), n in sorted(counts.items()):
        print(f"  {n:4} {jank:32} {cause:20} {'' if agrees else '<- differs'}")
total = table.total()
agree = sum(n for (_, _, agrees), n in table.items() if agrees)
checks.that(total > 0, "no frame with a jank was compared")
checks.that(agree >= SHARE * total, f"{agree} of {total} causes agree")
checks.end()
