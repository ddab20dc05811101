#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A trace buffer that overflows: lost events are counted exactly, and are not counted as jank.

jank-phone plays into a buffer of 64 KB while jankd is stopped (SIGSTOP) and a writer floods the CPUs.
The kernel counts the events that it overwrote. If jankd gives an interval between two frames, no
frame was played between them, and the vsyncs are those that were played.
"""

import collections
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import tracefs
from intervals import by_layer, check_series
from jankd import PHONE, Checks, folder, rows
from live import TRIES, Capture

KILOBYTES = 64
SECONDS = 9

# A shorter loss may hide no composition, which ticks and buffer numbers then prove.
LOSS_LEAST = 1000


def overruns(instance):
    """The kernel's count of overwritten events, by CPU."""
    found = {}
    for cpu in sorted((instance / "per_cpu").iterdir()):
        found[cpu.name[3:]] = int(re.search(r"^overrun: (\d+)", (cpu / "stats").read_text(), re.M)[1])
    return found


def flood(instance, cpus, markers):
    """Writes irrelevant markers on each of @cpus, faster than they are read."""
    home = os.sched_getaffinity(0)
    try:
        with open(instance / "trace_marker", "wb", buffering=0) as marker:
            for cpu in cpus:
                os.sched_setaffinity(0, {cpu})
                for n in range(markers):
                    marker.write(f"C|{os.getpid()}|flood|{n}".encode())
    finally:
        os.sched_setaffinity(0, home)


def held_up(instance, capture, phone):
    """jankd is stopped for two seconds, and every CPU's buffer overflows."""
    capture.process.send_signal(signal.SIGSTOP)
    time.sleep(1)
    flood(instance, sorted(os.sched_getaffinity(0)), 3000)
    time.sleep(1)
    capture.process.send_signal(signal.SIGCONT)


def tasks(pid):
    """All threads of @pid and of its children."""
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        yield int(task.name)
        for child in (task / "children").read_text().split():
            yield from tasks(int(child))


def move(phone, cpus):
    for tid in tasks(phone.pid):
        os.sched_setaffinity(tid, cpus)


def held_up_on_one(instance, capture, phone, stop=None):
    """The same, but the buffers of the other CPUs do not overflow: their events are read first, and do
    not show that jank-phone ran on the last CPU for a while."""
    cpus = os.sched_getaffinity(0)
    last = max(cpus)
    move(phone, cpus - {last})
    capture.process.send_signal(signal.SIGSTOP)
    if stop:
        stop(instance, capture, min(cpus - {last}))
    time.sleep(0.2)
    move(phone, {last})
    time.sleep(0.3)
    move(phone, cpus - {last})
    time.sleep(2)
    flood(instance, [last], 3000)
    capture.process.send_signal(signal.SIGCONT)


def in_the_middle(instance, capture, cpu):
    """Stops jankd again while it reads a large buffer."""
    time.sleep(0.3)
    flood(instance, [cpu], 50000)
    capture.process.send_signal(signal.SIGCONT)
    time.sleep(0.005)
    capture.process.send_signal(signal.SIGSTOP)


def held_up_in_the_middle(instance, capture, phone):
    held_up_on_one(instance, capture, phone, in_the_middle)


def flooded(instance, capture, phone):
    """Bursts on one CPU after the other. jankd is late for each: on time it reads all of it."""
    for _ in range(4):
        for cpu in sorted(os.sched_getaffinity(0)):
            capture.process.send_signal(signal.SIGSTOP)
            time.sleep(0.1)
            flood(instance, [cpu], 4000)
            capture.process.send_signal(signal.SIGCONT)
            time.sleep(0.2)


def play(mount, instance, truth, vocabulary):
    return subprocess.Popen(
        [PHONE, "--tracefs", mount, "--instance", instance.name, "--truth", truth, "--vocabulary",
         vocabulary, "--scenario", "game-30", "--seconds", str(SECONDS)],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def compare_frames(checks, what, truth, out, end_us):
    """Intervals that are given are right; after @end_us none is missing. Returns how many are unknown."""
    played, counted = by_layer(truth), by_layer(out / "frames.csv")
    known = unknown = 0
    for layer, series in counted.items():
        reported, unreported = check_series(checks, f"{what}: {layer}", played[layer], series)
        known, unknown = known + reported, unknown + len(unreported)
        late = [time_us for time_us in unreported if time_us >= end_us]
        checks.equal(late, [], f"{what}: {layer}: no interval or vsyncs after {end_us}")
        after = [sum(time_us > end_us for time_us, _ in frames) for frames in (series, played[layer])]
        checks.equal(after[0], after[1], f"{what}: {layer}: frames afterwards")
    print(f"{what}: {known} intervals known, {unknown} unknown")
    checks.that(known > 60, f"{what}: {known} intervals known")
    return unknown


def compare_loss(checks, what, out, lost):
    """The loss in the files is that of the kernel's statistics."""
    total = sum(lost.values())
    counters = json.loads((out / "session.json").read_text())["counters"]
    checks.that(total > 0, f"{what}: nothing was lost")
    checks.equal((counters["lost_events"], counters["lost_unknown"]), (total, 0), f"{what}: session.json")
    reported = [row["text"] for row in rows(out, "events.csv") if row["kind"] == "lost"]
    checks.equal(sum(int(re.search(r": (\d+) events", text)[1]) for text in reported), total,
                 f"{what}: events.csv: {reported}")
    by_surface = collections.Counter()
    for row in rows(out, "fps.csv"):
        by_surface[row["Surface"]] += int(row["lost events"])
    checks.equal(by_surface.most_common(1)[0][1], total, f"{what}: rows of fps.csv: {by_surface}")
    print(f"{what}: {total} events lost, {lost}")


def once(checks, what, trouble, vocabulary, first_kilobytes):
    """Returns False if this machine was too busy to judge all of it."""
    mount = tracefs.root()
    with tracefs.instance(mount, KILOBYTES) as instance, folder() as here:
        (instance / "trace_clock").write_text("mono")
        (instance / "per_cpu" / "cpu0" / "buffer_size_kb").write_text(str(first_kilobytes))
        before = overruns(instance)
        capture = Capture(mount, instance, here / "out", "-T", "2")
        if not checks.that(capture.wait_ready(), f"{what}: jankd does not start"):
            return True
        phone = play(mount, instance, here / "truth.csv", vocabulary)
        time.sleep(3)
        trouble(instance, capture, phone)
        end_us = time.monotonic_ns() // 1000 + 400000
        until_then = overruns(instance)
        phone.wait(timeout=120)
        time.sleep(0.6)
        at_end = overruns(instance)
        if at_end != until_then:
            print(f"{what}: this machine is busy: more was lost later: frames after it are not judged")
            end_us = time.monotonic_ns() // 1000
        lost = {cpu: n - before[cpu] for cpu, n in at_end.items()}
        code, said, _ = capture.stop()
        checks.equal((phone.returncode, code), (0, 0), f"{what}: exit codes: {said[-500:]}")
        compare_loss(checks, what, here / "out", lost)
        unknown, total = compare_frames(checks, what, here / "truth.csv", here / "out", end_us), sum(lost.values())
        if unknown == 0 and total < LOSS_LEAST:
            print(f"{what}: this machine is busy: only {total} events were lost, and they hid nothing")
            return False
        checks.that(unknown > 0, f"{what}: {total} events lost, and all intervals known")
        return at_end == until_then


def check(checks, what, trouble, vocabulary, first_kilobytes=KILOBYTES):
    if not any(once(checks, what, trouble, vocabulary, first_kilobytes) for _ in range(TRIES)):
        checks.cannot_judge(f"{what}: the loss and the frames after it", f"this machine is too busy, {TRIES} times of {TRIES}")


checks = Checks()
check(checks, "held up", held_up, "android-14")
check(checks, "flooded", flooded, "android-9")
if len(os.sched_getaffinity(0)) > 1:
    check(checks, "held up on one CPU", held_up_on_one, "android-14", 4096)
    check(checks, "held up while it reads", held_up_in_the_middle, "android-14", 8192)
else:
    checks.cannot_judge("held up on one CPU", "this machine has one CPU")
checks.end()
