# SPDX-License-Identifier: Apache-2.0
"""doframe.csv has every callback of the Choreographers in the recorded traces, thread by thread; dropFrames.csv names
those that took longer than a period, with their longest part."""

import collections
import json
import re

from jankd import microseconds, rows

# Counted with grep: slices Choreographer#doFrame, without their parts '- resynced to'.
CALLBACKS = {
    "android-9-flutter": [248, 3],
    "android-9-launcher-scroll": [36],
    "android-9-list-jank": [247],
    "android-7-launcher": [76, 10, 4, 3],
    "android-11-launcher": [328, 328, 179, 53, 2],
}

# The kernel keeps the last 15 bytes of their names; a layer has the whole name.
APPS = {
    "android-9-flutter": "com.thl.fluwanandroid",
    "android-9-list-jank": "sample.tencent.matrix",
    "android-7-launcher": "com.google.android.googlequicksearchbox",
}

# Surface, process, and the least number of callbacks that drops name.
LONG = {
    "android-9-list-jank": ("sample.tencent.matrix/sample.tencent.matrix.trace.TestFpsActivity", "24874", 5),
    "android-15-startup": ("StatusBar", "3067", 2),
}

MARKER = re.compile(r"-(\d+) +(?:\( *\S+\) )?\[\d+\] \S+ +(\d+)\.(\d{6}): tracing_mark_write: ([BE].*)")
PARTS = {"input", "animation", "insets_animation", "traversal", "commit"}
NAMED = re.compile(r"doFrame (\S+) ms(?: \((\w+) (\S+?)(?: draw (\S+))?\))?")


def long_callbacks(path, least_us):
    """{process: [(end, duration, longest part, its time)]} in microseconds."""
    found, stacks = collections.defaultdict(list), collections.defaultdict(list)
    for tid, seconds, micros, payload in MARKER.findall(path.read_text(errors="replace")):
        us = int(seconds) * 1000000 + int(micros)
        if payload.startswith("B|"):
            _, pid, name = payload.split("|", 2)
            stacks[tid].append((name, us, [], pid))
        elif payload.startswith("E") and stacks[tid]:
            name, begin, parts, pid = stacks[tid].pop()
            if stacks[tid] and name in PARTS:
                stacks[tid][-1][2].append((us - begin, name))
            elif stacks[tid] and " - resynced to " in name:
                stacks[tid][-1][2].extend(parts)
            if re.fullmatch(r"Choreographer#doFrame( \d+)?", name) and us - begin > least_us:
                found[pid].append((us, us - begin, *max(parts, default=(0, ""))[::-1]))
    return found


def names_long_callbacks(checks, what, trace, out, surface, process, period_us):
    """Each drop of @surface lists the long callbacks of its process that ended in it, and no others. Returns their number."""
    ends = long_callbacks(trace, period_us)[process]
    frames = [row for row in rows(out, "frames.csv") if row["Surface"] == surface]
    present = {row["vsync(s)"]: microseconds(row["present(s)"]) for row in frames}
    named = 0
    for row in rows(out, "dropFrames.csv"):
        if row["Surface"] != surface or not row["start VSYNC"]:
            continue
        low, high = present[row["start VSYNC"]], present[row["end VSYNC"]]
        expected = [(f"{us // 100 / 10:.1f}", name, f"{part // 100 / 10:.1f}" if name else "")
                    for end, us, name, part in ends if low < end <= high]
        got = [(took, name or "", part or "") for took, name, part, _ in NAMED.findall(row["info"])]
        checks.equal([(took, name) for took, name, _ in got], [(took, name) for took, name, _ in expected], f"{what}: {row['info']}")
        checks.that(all(abs(float(a[2] or 0) - float(b[2] or 0)) <= 0.11 for a, b in zip(got, expected)), f"{what}: {got}, {expected}")
        named += len(got)
    return named


def judge(checks, trace):
    if trace.name in CALLBACKS:
        expected, table = CALLBACKS[trace.name], trace.rows("doframe.csv")
        threads = collections.Counter()
        for row in table:
            threads[row["process"], row["thread"]] += int(row["frames"])
            levels = [row[f"matrix {level}"] for level in ("best", "normal", "middle", "high", "frozen")]
            checks.that(sum(map(int, filter(None, levels))) <= int(row["frames"]), f"{trace.name}: levels of {row}")
        checks.equal(sorted(threads.values(), reverse=True), expected, f"{trace.name}: callbacks of each thread")
        if trace.name in APPS:
            checks.that(APPS[trace.name] in {row["app"] for row in table}, f"{trace.name}: name of the app")
        counted = json.loads((trace.out / "session.json").read_text(encoding="utf-8"))["counters"]["doframes"]
        checks.equal(counted, sum(expected), f"{trace.name}: session.json")
    if trace.name in LONG:
        surface, process, least = LONG[trace.name]
        named = names_long_callbacks(checks, trace.name, trace.text, trace.out, surface, process, 16710)
        checks.that(named >= least, f"{trace.name}: {named} callbacks are named")
