#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""frametimeline.csv has every finished frame of the recorded perfetto traces, once, with the values of the truth."""

import collections
import csv
import lzma
import sys

sys.path.insert(0, str(__import__("pathlib").Path(__file__).resolve().parents[1] / "lib"))
from jankd import Checks, TRACES, folder, jankd, rows, skip

PRESENT = ("UNSPECIFIED", "ON_TIME", "LATE", "EARLY", "DROPPED", "UNKNOWN")
JANK = ("NONE", "SF_SCHEDULING", "PREDICTION_ERROR", "DISPLAY_HAL", "SF_CPU_DEADLINE_MISSED", "SF_GPU_DEADLINE_MISSED",
        "APP_DEADLINE_MISSED", "BUFFER_STUFFING", "UNKNOWN", "SF_STUFFING", "DROPPED", "NON_ANIMATING",
        "APP_RESYNCED_JITTER", "DISPLAY_NOT_ON", "DISPLAY_MODE_CHANGE_IN_PROGRESS",
        "DISPLAY_POWER_MODE_CHANGE_IN_PROGRESS")


def seconds(ns):
    return f"{int(ns) // 10**9}.{int(ns) % 10**9 // 1000:06}" if ns else ""


def jank_names(number):
    bits = int(number)
    return "+".join(name for bit, name in enumerate(JANK) if bits >> bit & 1) if bits else "UNSPECIFIED"


def converted(row):
    """A row of the truth with our columns."""
    return {"kind": row["kind"], "start(s)": seconds(row["start_ns"]), "end(s)": seconds(row["end_ns"]),
            "token": row["token"], "display token": row["display_token"], "pid": row["pid"], "layer": row["layer"],
            "present type": PRESENT[int(row["present_type"])], "on time finish": row["on_time_finish"],
            "gpu composition": row["gpu_composition"], "jank type": jank_names(row["jank_type"]),
            "buffer": row["is_buffer"]}


def compare(checks, name, got, truth):
    columns = list(truth[0])
    ours = collections.Counter(tuple(row[column] for column in columns) for row in got)
    real = collections.Counter(tuple(row.values()) for row in truth)
    missing, extra = real - ours, ours - real
    checks.that(not missing, f"{name}: {sum(missing.values())} frames are missing: {list(missing)[:3]}")
    checks.that(not extra, f"{name}: {sum(extra.values())} frames are not real: {list(extra)[:3]}")
    ends = [row["end(s)"] for row in got]
    checks.that(ends == sorted(ends, key=float), f"{name}: rows are not in the order of ends")
    expected = sum(1 for row in got if row["expected start(s)"] and row["expected end(s)"])
    print(f"{name}: {len(truth)} frames in truth, {len(got)} rows, {expected} with an expected frame")


def compare_jank_types(checks, name, out, got):
    for row in rows(out, "summary.csv"):
        counts = collections.Counter(bit for frame in got if frame["kind"] == "surface" and frame["Surface"] == row["Surface"]
                                     for bit in frame["jank type"].split("+"))
        ours = dict(item.split(":") for item in row["jank types"].split())
        checks.equal({word: int(n) for word, n in ours.items()}, dict(counts), f"{name}: jank types of {row['Surface']}")


checks = Checks()
found = sorted(path.parent for path in TRACES.glob("*/frametimeline.csv"))
if not found:
    skip("no recorded trace has frametimeline.csv")
for path in found:
    with folder() as here:
        trace = here / "trace"
        trace.write_bytes(lzma.open(path / "trace.perfetto-trace.xz").read())
        done = jankd("analyze", "-F", here / "out", trace)
        checks.equal(done.returncode, 0, f"{path.name}: exit code; {done.stderr.decode()}")
        with open(path / "frametimeline.csv", newline="", encoding="utf-8") as file:
            truth = [converted(row) for row in csv.DictReader(file)]
        got = rows(here / "out", "frametimeline.csv")
        compare(checks, path.name, got, truth)
        compare_jank_types(checks, path.name, here / "out", got)
checks.end()
