#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whole pages of one CPU's buffer are lost, 0.1, 1 and 5 % of them: how many frames are still counted, and how many of
their intervals are known. No frame is wrong, and no interval spans a frame that is missing.

The pages are lost as the kernel loses them: the line '[LOST n EVENTS]' is before the next line of that CPU. The first
and the last page of a CPU stay: nothing would report the loss of the last one.
"""

import bisect
import collections
import random
import re
import subprocess
import sys

sys.path.insert(0, str(__import__("pathlib").Path(__file__).resolve().parents[1] / "lib"))
from frames import recorded_truth
from jankd import PHONE, Checks, analyze, folder, microseconds, rows, trace_names, trace_text

LINE = re.compile(rb"^ *\S.*-\d+ .*?\[(\d+)\] (?:\S+ +)?\d+\.\d+: ")
MARKER = re.compile(rb"tracing_mark_write:|print:| 0: ")
SHARES = (0.001, 0.01, 0.05)
SIZES = (60, 100)  # markers in a page of 4 KB
EVENT_SIZES = (40, 70)  # events of all kinds
SEEDS = range(4)
LEAST = 30  # frames of a trace that is judged alone
PHONES = (("drops-120", "android-9"), ("drops-120", "android-14"), ("game-30", "android-11"), ("steady-60", "android-14"))


def events_of(text):
    """[(CPU, line)]: all events, and the markers among them"""
    found = [(LINE.match(line), line) for line in text.splitlines(keepends=True)]
    events = [(int(m[1]), line) for m, line in found if m]
    return events, [event for event in events if MARKER.search(event[1])]


def lose_pages(events, share, size, chance):
    total = collections.Counter(cpu for cpu, _ in events)
    written, lost, out, is_lost = collections.Counter(), collections.Counter(), [], {}
    for cpu, line in events:
        if written[cpu] % size == 0:
            is_lost[cpu] = size <= written[cpu] < total[cpu] - size and chance.random() < share
        written[cpu] += 1
        if is_lost[cpu]:
            lost[cpu] += 1
            continue
        if lost[cpu]:
            out.append(b"CPU:%d [LOST %d EVENTS]\n" % (cpu, lost.pop(cpu)))
        out.append(line)
    return b"".join(out)


def judge(out, truth):
    """Counts of: frames found, not real, intervals known, unknown, and known but longer than the truth."""
    series = collections.defaultdict(list)
    for present, layer in sorted(truth):
        series[layer].append(present)
    counts, before = collections.Counter(), {}
    for row in rows(out, "frames.csv"):
        present, layer = microseconds(row["present(s)"]), row["layer"]
        at = bisect.bisect_left(series[layer], present)
        if series[layer][at:at + 1] != [present]:
            counts["wrong"] += 1
            before.pop(layer, None)
            continue
        counts["found"] += 1
        if layer in before:
            is_known = row["interval(ms)"] != ""
            counts["known" if is_known else "unknown"] += 1
            counts["longer"] += is_known and before[layer] != at - 1
        before[layer] = at
    return counts


def measure(checks, name, events, truth, shares=SHARES, sizes=SIZES):
    sums = {share: collections.Counter() for share in shares}
    for share in shares:
        for size in sizes:
            for seed in SEEDS:
                with folder() as here:
                    trace = here / "trace.txt"
                    trace.write_bytes(lose_pages(events, share, size, random.Random(f"{seed}-{size}-{share}")))
                    analyze(here / "out", "--frames-log", trace)
                    sums[share] += judge(here / "out", truth)
        got = sums[share]
        got["truth"] = len(truth) * len(sizes) * len(SEEDS)
        print(f"{name:30} {share:6.1%} lost: recall {got['found'] / got['truth']:7.2%}, "
              f"intervals known {got['known'] / max(1, got['known'] + got['unknown']):7.2%}, "
              f"longer {got['longer']}, wrong {got['wrong']}")
        checks.equal(got["wrong"], 0, f"{name}, {share:.1%} lost: frames that are not real")
        checks.equal(got["longer"], 0, f"{name}, {share:.1%} lost: intervals across missing frames")
    got = sums[0.01]
    if len(truth) >= LEAST:
        checks.that(got["found"] >= 0.97 * got["truth"], f"{name}, 1 % lost: {got['found']} of {got['truth']} frames")
        checks.that(got["known"] >= 0.85 * (got["known"] + got["unknown"]),
                    f"{name}, 1 % lost: {got['unknown']} intervals are unknown, {got['known']} known")


checks = Checks()
for scenario, vocabulary in PHONES:
    with folder() as here:
        subprocess.run([PHONE, "--scenario", scenario, "--vocabulary", vocabulary, "--seconds", "10", "--speed", "0",
                        "--output", here / "text", "--truth", here / "truth"], check=True, capture_output=True)
        truth = [(microseconds(row["present(s)"]), row["layer"]) for row in rows(here / "truth")]
        measure(checks, f"{scenario}, {vocabulary}", events_of((here / "text").read_bytes())[1], truth)
for name in trace_names():
    events, markers = events_of(trace_text(name))
    measure(checks, name, markers, recorded_truth(name))
    if len(events) > 2 * len(markers):
        measure(checks, f"{name}, all events", events, recorded_truth(name), (0.01,), EVENT_SIZES)
checks.end()
