# SPDX-License-Identifier: Apache-2.0
"""A trace buffer that overflows: lost events are counted exactly, and are not counted as jank.

jank-phone plays into a buffer of 64 KB while jankd is stopped (SIGSTOP) and a writer floods the CPUs. The kernel counts the events that it overwrote.
If jankd gives an interval between two frames, no frame was played between them, and the vsyncs are those that were played."""

import bisect
import collections
import contextlib
import math
import os
import pathlib
import re
import signal
import time
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from jankd import microseconds, rows
from live import checks, each, run, session

KILOBYTES = 64
BEFORE = 40  # frames before the loss
SETTLED_US, AFTER_US = 400000, 3000000  # after the loss intervals are known again; for some time they are compared

# A shorter loss may hide no composition, which ticks and buffer numbers then prove.
LOSS_LEAST = 1000
LATE_US = 100000  # on a busy machine jank-phone may wait between reading the clock and writing the marker


def by_layer(path):
    """layer: [(present in microseconds, row)]"""
    found = collections.defaultdict(list)
    for row in rows(path):
        found[row["layer"]].append((microseconds(row["present(s)"]), row))
    return found


def place(times, time_us):
    """The index of the frame that was played, or None. jank-phone reads the clock before it writes."""
    at = bisect.bisect(times, time_us) - 1
    return at if at >= 0 and time_us - times[at] <= LATE_US else None


def check_series(checks, what, played, counted):
    """If a row has an interval, no frame is missing before it, and its vsyncs are those that were played. Returns the number of such rows, and the
    times of rows without an interval, or without vsyncs if @played has them. @played has none for a frame that jank-phone played late."""
    times = [time_us for time_us, _ in played]
    known, unknown, before = 0, [], None
    for time_us, row in counted:
        here = place(times, time_us)
        if not checks.that(here is not None, f"{what} at {time_us}: it was not played"):
            continue
        if before is None:
            before = here
            continue
        vsyncs = played[here][1]["vsyncs"]
        if row["interval(ms)"] == "" or (row["vsyncs"] == "" and vsyncs != ""):
            unknown.append(time_us)
        else:
            known += 1
            checks.equal(here, before + 1, f"{what} at {time_us}: frames are missing before")
            if vsyncs != "":
                checks.equal(row["vsyncs"], vsyncs, f"{what} at {time_us}: vsyncs")
        before = here
    return known, unknown


def monotonic_us():
    return time.monotonic_ns() // 1000


def flood(s, cpus, markers):
    """Writes irrelevant markers on each of @cpus, faster than they are read."""
    home = os.sched_getaffinity(0)
    try:
        with s.marker() as write:
            for cpu in cpus:
                os.sched_setaffinity(0, {cpu})
                for n in range(markers):
                    with contextlib.suppress(OSError):  # a full buffer that drops new events
                        write(f"C|{os.getpid()}|flood|{n}")
    finally:
        os.sched_setaffinity(0, home)


def held_up(s, process, phone):
    """jankd is stopped for a second, and every CPU's buffer overflows."""
    process.send_signal(signal.SIGSTOP)
    time.sleep(0.5)
    flood(s, sorted(os.sched_getaffinity(0)), 3000)
    time.sleep(0.5)
    process.send_signal(signal.SIGCONT)


def tasks(pid):
    """All threads of @pid and of its children."""
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        yield int(task.name)
        for child in (task / "children").read_text().split():
            yield from tasks(int(child))


def move(phone, cpus):
    for tid in tasks(phone.pid):
        os.sched_setaffinity(tid, cpus)


def held_up_on_one(s, process, phone, stop=None):
    """The same, but the buffers of the other CPUs do not overflow: their events are read first, and do
    not show that jank-phone ran on the last CPU for a while."""
    cpus = os.sched_getaffinity(0)
    last = max(cpus)
    move(phone, cpus - {last})
    process.send_signal(signal.SIGSTOP)
    if stop:
        stop(s, process, min(cpus - {last}))
    time.sleep(0.2)
    move(phone, {last})
    time.sleep(0.3)
    move(phone, cpus - {last})
    time.sleep(1)
    flood(s, [last], 3000)
    process.send_signal(signal.SIGCONT)


def in_the_middle(s, process, cpu):
    """Stops jankd again while it reads a large buffer."""
    time.sleep(0.3)
    flood(s, [cpu], 50000)
    process.send_signal(signal.SIGCONT)
    time.sleep(0.005)
    process.send_signal(signal.SIGSTOP)


def held_up_while_it_reads(s, process, phone):
    held_up_on_one(s, process, phone, in_the_middle)


def flooded(s, process, phone):
    """Bursts on one CPU after the other. jankd is late for each: on time it reads all of it."""
    for _ in range(4):
        for cpu in sorted(os.sched_getaffinity(0)):
            process.send_signal(signal.SIGSTOP)
            time.sleep(0.1)
            flood(s, [cpu], 4000)
            process.send_signal(signal.SIGCONT)
            time.sleep(0.2)


def one_cpu(s, process, phone):
    """For 3 s one CPU is traced, and jank-phone runs on it and on another one by turns."""
    cpus, before = sorted(os.sched_getaffinity(0)), (s.instance / "tracing_cpumask").read_text()
    s.write("tracing_cpumask", f"{1 << cpus[0]:x}")
    for n in range(30):
        move(phone, {cpus[n % 2]})
        time.sleep(0.1)
    move(phone, cpus)
    s.write("tracing_cpumask", before)


def full(s, process, phone):
    """Full buffers drop new events."""
    s.write("options/overwrite", 0)
    flooded(s, process, phone)


def compare_frames(s, end_us):
    """Intervals that are given are right; after @end_us none is missing. Returns how many are unknown."""
    played, counted = by_layer(s.truth), by_layer(s.out / "frames.csv")
    known = unknown = 0
    for layer, series in counted.items():
        reported, unreported = check_series(checks, f"{s.what}: {layer}", played[layer], series)
        known, unknown = known + reported, unknown + len(unreported)
        late = [time_us for time_us in unreported if time_us >= end_us]
        s.equal(late, [], f"{layer}: no interval or vsyncs after {end_us}")
        after = [sum(time_us > end_us for time_us, _ in frames) for frames in (series, played[layer])]
        s.equal(after[0], after[1], f"{layer}: frames afterwards")
    print(f"{s.what}: {known} intervals known, {unknown} unknown")
    s.that(known > 60, f"{known} intervals known")
    return unknown


def compare_loss(s, lost):
    """The loss in the files is that of the kernel's statistics."""
    counters = s.counters()
    s.equal((counters["lost_events"], counters["lost_unknown"]), (lost, 0), "session.json")
    reported = s.texts("lost")
    s.equal(sum(int(re.search(r": (\d+) events", text)[1]) for text in reported), lost, f"events.csv: {reported}")
    by_surface = collections.Counter()
    for row in rows(s.out, "fps.csv"):
        by_surface[row["Surface"]] += int(row["lost events"])
    s.equal(by_surface.most_common(1)[0][1], lost, f"rows of fps.csv: {by_surface}")


def check(trouble, vocabulary, first_kilobytes=KILOBYTES, source="raw"):
    with session(trouble.__name__) as s:
        if trouble not in (held_up, flooded) and len(os.sched_getaffinity(0)) < 2:
            s.cannot_judge("this machine has one CPU")
            return
        s.write("buffer_size_kb", KILOBYTES)
        s.write("trace_clock", "mono")
        s.write("per_cpu/cpu0/buffer_size_kb", first_kilobytes)
        before = s.kernel("overrun")
        capture = s.run("-T", "2", "--source", source)
        phone = s.phone("--vocabulary", vocabulary, scenario="game-30", seconds=60)
        s.until(lambda: s.frames() > BEFORE, f"{BEFORE} frames", 30)
        total = 0
        while total < LOSS_LEAST:  # a writer that gets no CPU fills no buffer
            trouble(s, capture.process, phone)
            total = s.kernel("overrun") - before
        # What is lost later, on a busy machine, is in the kernel's statistics, too: the frames since then are judged.
        end_us, deadline = monotonic_us() + SETTLED_US, time.monotonic() + 60
        while monotonic_us() < end_us + AFTER_US and time.monotonic() < deadline:
            lost = s.kernel("overrun") - before
            if lost != total:
                total, end_us = lost, monotonic_us() + SETTLED_US
            time.sleep(0.1)
        phone.terminate()
        s.played(phone)
        total = s.kernel("overrun") - before
        s.stop(capture)
        print(f"{s.what}: {total} events lost")
        compare_loss(s, total)
        s.that(compare_frames(s, end_us) > 0, f"{total} events lost, and all intervals known")


def hidden(trouble, vocabulary, *options):
    """Another program changes the trace so that frames are not recorded."""
    with session(f"{trouble.__name__} {options}") as s:
        if len(os.sched_getaffinity(0)) < 2:
            s.cannot_judge("this machine has one CPU")
            return
        s.write("buffer_size_kb", KILOBYTES)
        s.write("trace_clock", "mono")
        capture = s.run(*options)
        phone = s.phone("--vocabulary", vocabulary, scenario="game-30", seconds=60)
        s.until(lambda: s.frames() > BEFORE, f"{BEFORE} frames", 30)
        trouble(s, capture.process, phone)
        time.sleep(2)
        phone.terminate()
        phone.communicate(timeout=60)
        s.stop(capture)
        s.that(compare_frames(s, math.inf) > 0, "all intervals known")


run(each(hidden, *((trouble, vocabulary, *options) for trouble, vocabulary in ((one_cpu, "android-14"), (full, "android-11"))
                   for options in ((), ("--yield",), ("--source", "text")))),
    each(check, (held_up, "android-14"), (flooded, "android-9", KILOBYTES, "text"), (held_up_on_one, "android-14", 4096),
         (held_up_while_it_reads, "android-14", 8192)), number=2)
