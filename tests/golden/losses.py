#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Traces with lost events: the loss is counted exactly and does not count as jank; a SurfaceFlinger that restarts
is counted from its first frame on.

Lines of some CPUs are removed from a trace of jank-phone, and a line 'LOST ... EVENTS' is put where the kernel would
print it: before the next line of that CPU.
"""

import collections
import json
import random
import re
import subprocess
import sys

sys.path.insert(0, str(__import__("pathlib").Path(__file__).resolve().parents[1] / "lib"))
from intervals import by_layer, check_series
from jankd import PHONE, Checks, analyze, folder, rows

LINE = re.compile(rb"^ *\S.*-\d+ .*\[(\d+)\] \S+ +(\d+\.\d+): ")
SEEDS = range(4)
HOLES = 3
LONGEST = 0.59  # s: a little less than frames wait to be counted


def text_of(here, scenario, vocabulary, seconds):
    """([(CPU, time, line)] of all lines that are events, path of the frames that were played)."""
    text, truth = here / f"{vocabulary}.txt", here / f"{vocabulary}.csv"
    subprocess.run([PHONE, "--scenario", scenario, "--vocabulary", vocabulary, "--seconds",
                    str(seconds), "--speed", "0", "--output", text, "--truth", truth],
                   check=True, capture_output=True)
    found = [(LINE.match(line), line) for line in text.read_bytes().splitlines(keepends=True)]
    return [(int(m[1]), float(m[2]), line) for m, line in found if m], truth


def is_reported_in_time(events, cpu, begin, end):
    """False if the CPU would be silent for long: an overflowed buffer is full, so events follow a loss at once."""
    before = max((time for n, time, _ in events if n == cpu and time < begin), default=0)
    after = min((time for n, time, _ in events if n == cpu and time >= end), default=begin + 9)
    return after - before < LONGEST


def punch(events, chance):
    """(The events without those of some CPUs in some stretches, the number of removed ones)."""
    begin, end = events[0][1] + 1, events[-1][1] - 1
    holes = []
    for _ in range(HOLES):
        at = chance.uniform(begin, end)
        until = at + chance.uniform(0.005, 0.5)
        holes.append((at, until, [cpu for cpu in chance.sample(range(8), chance.randint(1, 8))
                                  if is_reported_in_time(events, cpu, at, until)]))
    out, lost, total = [], collections.Counter(), 0
    for cpu, time, line in events:
        if any(a <= time < b and cpu in cpus for a, b, cpus in holes):
            lost[cpu] += 1
            total += 1
            continue
        if lost[cpu]:
            out.append(b"CPU:%d [LOST %d EVENTS]\n" % (cpu, lost.pop(cpu)))
        out.append(line)
    return b"".join(out), total - sum(lost.values())


def with_holes(checks, scenario, vocabulary, seeds):
    with folder() as here:
        events, truth = text_of(here, scenario, vocabulary, 6)
        played = by_layer(truth)
        for seed in seeds:
            what = f"{scenario}, {vocabulary}, seed {seed}"
            text, lost = punch(events, random.Random(seed))
            trace, out = here / f"{seed}.txt", here / f"out-{seed}"
            trace.write_bytes(text)
            analyze(out, "--frames-log", "-T", "2", trace)
            known = unknown = 0
            for layer, series in by_layer(out / "frames.csv").items():
                reported, unreported = check_series(checks, f"{what}: {layer}", played[layer], series)
                known, unknown = known + reported, unknown + len(unreported)
            counters = json.loads((out / "session.json").read_text())["counters"]
            checks.equal(counters["lost_events"], lost, f"{what}: lost events")
            reported = [row["text"] for row in rows(out, "events.csv") if row["kind"] == "lost"]
            checks.equal(sum(int(re.search(r": (\d+) events", text)[1]) for text in reported), lost,
                         f"{what}: events.csv")
            late = sum(int(row["vsyncs"] or 1) > 1 for row in rows(truth))
            drops = len(rows(out, "dropFrames.csv"))
            checks.that(drops <= late, f"{what}: {drops} drops, {late} were played")
            print(f"{what}: {lost} events lost, {known} intervals known, {unknown} not")


def again(checks, vocabulary):
    """SurfaceFlinger ends in the middle of a frame; another one, with other process numbers, continues."""
    with folder() as here:
        events, truth = text_of(here, "steady-60", vocabulary, 4)
        first = b"".join(line for _, _, line in events[:len(events) * 2 // 3 + 5])
        second = b"".join(line for _, _, line in events)
        second = re.sub(rb"\b6(12|34|52)\b", rb"36\1", second)
        second = re.sub(rb"( )100(\d\.\d{6}: )", rb"\g<1>101\2", second)
        trace, out = here / "again.txt", here / "out"
        trace.write_bytes(first + second)
        analyze(out, "--frames-log", "-T", "2", trace)
        counters = json.loads((out / "session.json").read_text())["counters"]
        frames = rows(out, "frames.csv")
        after = [row for row in frames if float(row["present(s)"]) > 1009]
        what = f"another SurfaceFlinger, {vocabulary}"
        checks.equal(counters["surfaceflinger_pid"], 3612, f"{what}: its process")
        checks.equal(len(after), len(rows(truth)), f"{what}: frames of the second")
        checks.equal(after[0]["interval(ms)"], "", f"{what}: an interval across the restart")
        checks.equal({row["vsyncs"] for row in after[1:]}, {"1"}, f"{what}: vsyncs afterwards")
        checks.equal(sum(int(row["wait times"]) for row in rows(out, "fps.csv")), 0, f"{what}: waits")
        checks.equal(rows(out, "dropFrames.csv"), [], f"{what}: drops")


checks = Checks()
for vocabulary in ("android-9", "android-11", "android-14"):
    with_holes(checks, "drops-120", vocabulary, SEEDS)
    with_holes(checks, "game-30", vocabulary, SEEDS)
    again(checks, vocabulary)
checks.end()
