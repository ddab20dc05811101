# SPDX-License-Identifier: Apache-2.0
"""Costs of live readers under the same load, one after the other, each on its own instance."""

import contextlib
import os
import re
import signal
import statistics
import subprocess
import time

import tracefs
from family import cost, family, peak_kb, task_slept
from jankd import BUILD, folder, jankd, rows
from readers import ALL, AWK, BEFORE, CAT, JANKDS, RAW, READERS, TEXT, TRACE_CMD, available

LOAD = BUILD / "tests" / "bench" / "load"
BUFFER_KB = 1024
SURFACES, THREADS = 20, 4

# Time after the last event: longer than any of these readers leaves events unread, except for trace-cmd.
DRAIN_S = 2.2
LOST = re.compile(r"^(?:overrun|dropped events): (\d+)$", re.M)
READ = re.compile(r"^read events: (\d+)$", re.M)


class Broken(Exception):
    """A reader that did not work: its costs are meaningless."""


def ring_events(instance, which):
    """The kernel's count of events that match @which: LOST, overwritten or dropped, or READ."""
    return sum(int(n) for path in instance.glob("per_cpu/cpu*/stats")
               for n in which.findall(path.read_text()))


def wait_ready(readers):
    """Waits until the readers have started: their CPU time does not grow any more."""
    before = -1
    for _ in range(40):
        time.sleep(0.1)
        now, _ = cost([reader.pid for reader in readers])
        if now == before:
            break
        before = now
    if any(reader.poll() is not None for reader in readers):
        raise Broken(f"it ended at once: {[reader.poll() for reader in readers]}")


def life_ns(reader):
    """Waits for the end of a reader. Returns its CPU time with that of its children, in ns."""
    for _ in range(6000):
        pid, status, usage = os.wait4(reader.pid, os.WNOHANG)
        if pid:
            reader.returncode = os.waitstatus_to_exitcode(status)
            return int((usage.ru_utime + usage.ru_stime) * 1e9)
        time.sleep(0.01)
    raise Broken("it did not end")


def stop(readers):
    """Ends readers by SIGINT; awk ends with its cat. Returns their CPU time from start to end, in ns."""
    readers[0].send_signal(signal.SIGINT)
    return sum(life_ns(reader) for reader in readers)


def end_all(readers, children):
    """Kills readers that have not ended."""
    for reader in readers:
        if reader.poll() is None:
            reader.kill()
        reader.wait()
    for pid in children:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def check_rows(name, out):
    """Raises if a reader that counts frames has counted none."""
    header = ("summary.csv", 2)
    kept, least = {AWK: ("fps.csv", 1)}.get(name, header if name in JANKDS else ("", 0))
    if kept and (out / kept).read_bytes().count(b"\n") < least:
        raise Broken(f"it has no rows in {kept}")


def play(instance, rate, seconds, surfaces, threads):
    """(markers written, frames of layers in them, seconds) of one load. At a very high rate the writers are
    slower than @rate."""
    done = subprocess.run([LOAD, instance / "trace_marker", str(rate), str(seconds), str(surfaces),
                           str(threads)], check=True, capture_output=True, stdin=subprocess.DEVNULL)
    markers, _, frames, _, us = map(int, re.findall(rb"\d+", done.stdout))
    return markers, frames, max(us / 1e6, seconds)


def measure(mount, name, rate, seconds, surfaces=SURFACES, threads=THREADS):
    """The costs of one reader from before the load until all is read. @rate: 0 is as fast as possible,
    None is no load."""
    with tracefs.instance(mount, BUFFER_KB) as instance, folder() as out:
        readers = READERS[name](mount, instance, out)
        pids = [reader.pid for reader in readers]
        children = []
        try:
            wait_ready(readers)
            children = [pid for pid in family(pids) if pid not in pids]
            cpu, slept = cost(pids)
            first = task_slept(pids[0], pids[0])
            begin = time.monotonic()
            markers = frames = 0
            if rate is None:
                time.sleep(seconds)
            else:
                markers, frames, seconds = play(instance, rate, seconds, surfaces, threads)
                time.sleep(DRAIN_S)
            elapsed = time.monotonic() - begin
            ended_cpu, ended_slept = cost(pids)
            # The first thread of jankd sleeps after each drain.
            drains = (task_slept(pids[0], pids[0]) - first) / elapsed if name in JANKDS else None
            seen = {"cpu_ns": ended_cpu - cpu, "wakeups_s": (ended_slept - slept) / elapsed,
                    "drains_s": drains, "rss_kb": peak_kb(pids), "lost": ring_events(instance, LOST), "markers": markers,
                    "read": ring_events(instance, READ),
                    "seconds": elapsed, "rate": markers / seconds}
            seen["all_ns"] = stop(readers) - cpu
            if rate:
                check_rows(name, out)
            if name in JANKDS and rate:
                seen["frames"] = sum(int(row["frames"]) + int(row["wait times"]) + 1
                                     for row in rows(out, "summary.csv"))
                seen["frames_played"] = frames
        finally:
            end_all(readers, children)
    return seen


def in_turn(mount, names, rounds, report, *load):
    """name: the measurements of each round. A reader that breaks is left out; jankd must not break."""
    seen = {name: [] for name in names}
    for _ in range(rounds):
        for name in list(seen):
            try:
                seen[name].append(measure(mount, name, *load))
            except Broken as broken:
                (report.failures if name in JANKDS else report.notes).append(f"{name}: not measured, {broken}")
                del seen[name]
    return seen


def middle(results, what):
    """The median; None if it was not measured."""
    return statistics.median(result[what] for result in results) if results[0][what] is not None else None


def per_event(results, what="cpu_ns"):
    """CPU ns for each event written, user and system, of all processes of the reader."""
    return statistics.median(result[what] / max(result["markers"], 1) for result in results)


def ratios(seen, ours, theirs):
    """Cost for each event that was read, ours divided by theirs, of each round; none if one was not measured."""
    def each(result):
        return result["cpu_ns"] / max(result["read"], 1)

    return [each(a) / max(each(b), 1e-9) for a, b in zip(seen.get(ours, ()), seen.get(theirs, ()))]


def table(title, seen):
    print(f"\n{title:38}{'ns/event':>10}{'to the end':>12}{'% of a CPU':>12}{'wakeups/s':>11}"
          f"{'drains/s':>10}{'RSS KB':>9}{'lost':>11}")
    for name, results in seen.items():
        drains = middle(results, "drains_s")
        share = statistics.median(r["cpu_ns"] / r["seconds"] / 1e7 for r in results)
        each = f"{'':22}"
        if middle(results, "markers"):
            each = f"{per_event(results):10.0f}{per_event(results, 'all_ns'):12.0f}"
        print(f"{name:38}{each}{share:12.3f}{middle(results, 'wakeups_s'):11.1f}"
              f"{'' if drains is None else f'{drains:.1f}':>10}{middle(results, 'rss_kb'):9.0f}{sum(r['lost'] for r in results):11}")


def check_frames(seen, report, title):
    """A jankd that did not count all frames: its costs would be too low."""
    for name in JANKDS:
        for result in seen.get(name, ()):
            if not result["lost"] and result["frames"] < 0.99 * result["frames_played"]:
                report.failures.append(f"{title}: {name} counted {result['frames']} of {result['frames_played']} frames")


def at_rate(mount, rate, seconds, rounds, names, report):
    title = f"live, {rate:,} events/s"
    seen = in_turn(mount, available(names, report.notes), rounds, report, rate, seconds)
    table(title, seen)
    check_frames(seen, report, title)
    for ours, short in ((RAW, "raw"), (TEXT, "text")):
        for theirs, who in ((AWK, "awk"), (CAT, "cat")):
            report.ratios[f"{title}: {short} / {who}, CPU"] = ratios(seen, ours, theirs)
    report.ratios[f"{title}: raw, all files / the other jankd, CPU"] = ratios(seen, ALL, BEFORE)


def idle(mount, seconds, rounds, report):
    table("idle", in_turn(mount, available(READERS, []), rounds, report, None, seconds))


def start_time(mount, rounds, report):
    """The time of 'jankd start', which returns when frames can be counted."""
    took = []
    for _ in range(rounds):
        with tracefs.instance(mount, BUFFER_KB) as instance, folder() as out:
            begin = time.monotonic()
            done = jankd("start", "--tracefs", mount, "--instance", instance.name, "--no-atrace", "-F", out)
            took.append(1000 * (time.monotonic() - begin))
            if done.returncode != 0:
                report.failures.append(f"jankd start: {done.stderr.decode()}")
                return
            jankd("stop", "-F", out)
    print(f"\njankd start, until frames can be counted: {statistics.median(took):.0f} ms")


def run(report, quick):
    mount = tracefs.root()
    if quick:
        names = [name for name in READERS if name != TRACE_CMD]
        at_rate(mount, 10_000, 0.8, 5, names, report)
        return
    for rate in (2_500, 10_000):
        at_rate(mount, rate, 5, 5, READERS, report)
    idle(mount, 3, 5, report)
    start_time(mount, 5, report)
