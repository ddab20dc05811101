# SPDX-License-Identifier: Apache-2.0
"""Traces with lost events: no frame is wrong, no interval spans a frame that is missing, a known number of vsyncs is right, and
the loss is counted exactly and is no jank. Of pages lost at random, frames and intervals are counted as well as may be.

Lines of some CPUs are removed, and a line 'LOST ... EVENTS' is put where the kernel would print it: before the next line of that CPU. The end of a
CPU stays: nothing would report its loss."""

import bisect
import collections
import itertools
import json
import random
import re
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from jankd import TRACES, analyze, checks, folder, microseconds, rows, scenario, trace_names, trace_text

LINE = re.compile(rb"^ *\S.*-\d+ .*?\[(\d+)\] (?:\S+ +)?(\d+\.\d+): ")
MARKER = re.compile(rb"tracing_mark_write:|print:| 0: ")
SEEDS, HOLES = range(4), 3
SHARES = (0.01, 0.05)  # of the pages
SIZES, EVENT_SIZES = (60, 100), (40, 70)  # markers in a page of 4 KB; events of all kinds
LENGTHS = (("android-9", 0.5), ("android-11", 0.5), ("android-14", 0.5), ("android-11", 1.5), ("android-14", 1.5), ("android-14", 4))  # s: all frames wait 0.6
LEAST = 30  # frames of a trace that is judged alone


def events_of(text):
    """[(CPU, time, line)] of all events."""
    found = ((LINE.match(line), line) for line in text.splitlines(keepends=True))
    return [(int(m[1]), float(m[2]), line) for m, line in found if m]


def render(events, is_lost):
    """(the events without those of which @is_lost is true, the number of the reported ones)"""
    lost, out, total = collections.Counter(), [], 0
    for event, missing in zip(events, is_lost):
        cpu = event[0]
        total += missing
        lost[cpu] += missing
        if not missing:
            if lost[cpu]:
                out.append(b"CPU:%d [LOST %d EVENTS]\n" % (cpu, lost.pop(cpu)))
            out.append(event[2])
    return b"".join(out), total - sum(lost.values())


def pages(events, share, size, chance):
    """Whether each event is in a page that is lost: neither the first one of its CPU nor the last one."""
    total, written, lost = collections.Counter(event[0] for event in events), collections.Counter(), {}
    for cpu, _, _ in events:
        if written[cpu] % size == 0:
            lost[cpu] = size <= written[cpu] < total[cpu] - size and chance.random() < share
        written[cpu] += 1
        yield lost[cpu]


def is_reported_in_time(events, cpu, begin, end, longest):
    """False if the CPU would be silent for long: an overflowed buffer is full, so events follow a loss at once."""
    before = max((time for n, time, _ in events if n == cpu and time < begin), default=0)
    after = min((time for n, time, _ in events if n == cpu and time >= end), default=begin + 9)
    return after - before < longest + 0.09


def stretches(events, chance, longest):
    """Whether each event is in one of some stretches of time on one of its CPUs."""
    begin, end, holes = events[0][1] + 1, events[-1][1] - 1, []
    for _ in range(HOLES):
        at = chance.uniform(begin, end)
        until = at + chance.uniform(0.005, longest)
        holes.append((at, until, [cpu for cpu in chance.sample(range(8), chance.randint(1, 8)) if is_reported_in_time(events, cpu, at, until, longest)]))
    return [any(a <= time < b and cpu in cpus for a, b, cpus in holes) for cpu, time, _ in events]


def judge(checks, what, out, truth):
    """Counts of frames found, and of their intervals that are known and unknown."""
    series = collections.defaultdict(list)
    for present, layer, vsyncs in sorted(truth):
        series[layer].append((present, vsyncs))
    counts, before, faults = collections.Counter(), {}, []
    for row in rows(out, "frames.csv"):
        present, layer = microseconds(row["present(s)"]), row["layer"]
        at = bisect.bisect_left(series[layer], (present,))
        if at == len(series[layer]) or series[layer][at][0] != present:
            faults.append(("not real", present, layer))
            before.pop(layer, None)
            continue
        counts["found"] += 1
        if layer in before:
            is_known = row["interval(ms)"] != ""
            counts["known" if is_known else "unknown"] += 1
            if is_known and before[layer] != at - 1:
                faults.append(("spans a missing frame", present, layer))
            if is_known and row["vsyncs"] and series[layer][at][1] not in ("", row["vsyncs"]):
                faults.append(("other vsyncs", present, layer, row["vsyncs"], series[layer][at][1]))
        before[layer] = at
    checks.equal(faults, [], f"{what}: faults")
    return counts


def lose_pages(checks, name, events, truth, shares=SHARES, sizes=SIZES):
    for share in shares:
        sums = collections.Counter()
        for size, seed in itertools.product(sizes, SEEDS):
            text, _ = render(events, pages(events, share, size, random.Random(f"{seed}-{size}-{share}")))
            with folder() as out:
                analyze(out, "--frames-log", "-", input=text)
                sums += judge(checks, f"{name}, {share:.1%} of pages of {size} lost, seed {seed}", out, truth)
        total = len(truth) * len(sizes) * len(SEEDS)
        intervals = sums["known"] + sums["unknown"]
        print(f"{name:30} {share:6.1%} lost: {sums['found']} of {total} frames, {sums['known']} of {intervals} intervals are known")
        if share == 0.01 and len(truth) >= LEAST:
            checks.that(sums["found"] >= 0.97 * total, f"{name}, 1 % lost: {sums['found']} of {total} frames")
            checks.that(sums["known"] >= 0.85 * intervals, f"{name}, 1 % lost: {sums['known']} of {intervals} intervals are known")


def lose_stretches(checks, longest, name, events, truth):
    late = sum(int(vsyncs or 1) > 1 for _, _, vsyncs in truth)
    for seed in SEEDS:
        what = f"{name}, up to {longest} s, seed {seed}"
        text, lost = render(events, stretches(events, random.Random(seed), longest))
        with folder() as out:
            analyze(out, "--frames-log", "-T", "2", "-", input=text)
            judge(checks, what, out, truth)
            checks.equal(json.loads((out / "session.json").read_text())["counters"]["lost_events"], lost, f"{what}: lost events")
            reported = [row["text"] for row in rows(out, "events.csv") if row["kind"] == "lost"]
            checks.equal(sum(int(re.search(r": (\d+) events", text)[1]) for text in reported), lost, f"{what}: events.csv")
            checks.that(len(rows(out, "dropFrames.csv")) <= late, f"{what}: more drops than the {late} that were played")


def played(name, vocabulary, seconds):
    """(name, events, truth) of a phone."""
    with folder() as here:
        events = events_of(scenario(name, here / "trace", vocabulary=vocabulary, seconds=seconds).read_bytes())
        truth = [(microseconds(row["present(s)"]), row["layer"], row["vsyncs"]) for row in rows(here / "trace.truth")]
    return f"{name}, {vocabulary}", events, truth


def lose_a_move(checks):
    """The RenderThread goes on on the CPU of the hole: its DrawFrame ends there, and idle waits are no stalls."""
    _, events, _ = played("idle-gaps", "android-11", 10)
    on_cpu_1 = [i for i, event in enumerate(events) if event[0] == 1 and event[1] > 1000.6434][:10]
    text, _ = render(events, [i in on_cpu_1 for i in range(len(events))])
    with folder() as out:
        analyze(out, "-T", "2", "-", input=text)
        found = [(row["wait times"] != "0", row["stalls"] or "0", row["big jank"]) for row in rows(out, "summary.csv") if "scroll" in row["Surface"]]
    checks.equal(found, [(True, "0", "0")], "a thread moves in the hole: waits, stalls, big jank")


def wait_for_a_cpu(checks, name, vocabulary, seconds):
    """After a loss frames wait for a CPU that is silent. They keep their GPU times and their causes, which come with later events: there are many of
    the former with 200 surfaces, and of the latter if each present is missed."""
    _, events, _ = played(name, vocabulary, seconds)
    (at, begin, _), found = events[3000], []
    for other in (b"[003]", b"[002]"):
        lines = [line.replace(b"[003]", other if begin < time < events[-1][1] - 1 else b"[003]").replace(b"PrevFrameMissed|0", b"PrevFrameMissed|1") for _, time, line in events]
        with folder() as out:
            analyze(out, "--frames-log", "-", input=b"".join([*lines[:3000], b"CPU:%d [LOST 1 EVENTS]\n" % at, *lines[3000:]]))
            found.append([(row["layer"], row["gpu done(s)"], row["cause"]) for row in rows(out, "frames.csv")])
    checks.that(found[0] == found[1], f"GPU times and causes of frames that wait for a CPU: {name}")


if "--pages" not in sys.argv:
    lose_a_move(checks)
    wait_for_a_cpu(checks, "surfaces-200", "android-14", 4)
    wait_for_a_cpu(checks, "culprits", "android-11", 8)
    for (vocabulary, longest), name in itertools.product(LENGTHS, ("drops-120", "game-30")):
        lose_stretches(checks, longest, *played(name, vocabulary, 6))
    checks.end()
for name, vocabulary in (("drops-120", "android-9"), ("drops-120", "android-14"), ("game-30", "android-11"), ("steady-60", "android-14")):
    lose_pages(checks, *played(name, vocabulary, 10))
for name in trace_names():
    events = events_of(trace_text(name))
    markers = [event for event in events if MARKER.search(event[2])]
    truth = [(int(row["present_us"]), row["layer"], "") for row in rows(TRACES / name, "frames.csv")]
    lose_pages(checks, name, markers, truth)
    if len(events) > 2 * len(markers):
        lose_pages(checks, f"{name}, all events", events, truth, (0.01,), EVENT_SIZES)
checks.end()
