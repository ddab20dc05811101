# SPDX-License-Identifier: Apache-2.0
"""Costs of live readers under the same load, one after the other, each on its own instance."""

import contextlib
import os
import re
import shutil
import signal
import statistics
import subprocess
import time
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
import tracefs
from jankd import BUILD, JANKD, SOURCE, folder, rows
from measure import cost, family, memory_kb

CAT = "cat trace_pipe > /dev/null"
AWK = "cat trace_pipe | busybox awk"
TRACE_CMD = "trace-cmd record"
TEXT = "jankd run --source text"
RAW = "jankd run --source raw"
ALL = "jankd run --frames-log -T 2"


LOAD = BUILD / "tests" / "bench" / "load"
AWK_2019 = SOURCE / "tests" / "bench" / "gfx.awk"
BUFFER_KB = 1024

# Time after the last event: longer than any of these readers leaves events unread, except for trace-cmd.
DRAIN_S = 2.2
LOST = re.compile(r"^(?:overrun|dropped events): (\d+)$", re.M)
READ = re.compile(r"^read events: (\d+)$", re.M)


def spawn(*command, **keywords):
    keywords.setdefault("stdout", subprocess.DEVNULL)
    keywords.setdefault("stderr", subprocess.DEVNULL)
    keywords.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.Popen([str(word) for word in command], **keywords)


def cat(mount, instance, out):
    return [spawn("cat", instance / "trace_pipe")]


def awk(mount, instance, out):
    """The rows are written to a file, like those of the 2019 program."""
    reader = spawn("cat", instance / "trace_pipe", stdout=subprocess.PIPE)
    with open(out / "fps.csv", "wb") as rows:
        counter = spawn("busybox", "awk", "-f", AWK_2019, stdin=reader.stdout, stdout=rows)
    reader.stdout.close()
    return [reader, counter]


# trace-cmd writes ftrace_enabled, a setting of the whole machine that is on already and not writable
# everywhere: it gets a private file in that place.
PRIVATE = """echo 1 > ftrace_enabled
mount --bind ftrace_enabled /proc/sys/kernel/ftrace_enabled
exec trace-cmd "$@" """


def trace_cmd(mount, instance, out):
    """trace-cmd does not start without an event: it gets one that never happens. --no-filter: without it
    trace-cmd crashes on kernels that cannot filter threads."""
    return [spawn("unshare", "-m", "sh", "-c", PRIVATE, "sh", "record", "-B", instance.name,
                  "--no-filter", "-e", "oom:mark_victim", "-o", out / "trace.dat", cwd=out)]


def capture(*options):
    def start(mount, instance, out):
        return [spawn(JANKD, "run", "--tracefs", mount, "--instance", instance.name, "--no-atrace", *options, "-F", out)]
    return start


READERS = {AWK: awk, CAT: cat, TRACE_CMD: trace_cmd, TEXT: capture("--source", "text"),
           RAW: capture("--source", "raw"), ALL: capture("--source", "raw", "--frames-log", "-T", "2")}
JANKDS = (TEXT, RAW, ALL)


def available(names, notes):
    """Those of @names whose programs are there; the others are in @notes."""
    missing = {name: program for name, program in ((AWK, "busybox"), (TRACE_CMD, "trace-cmd")) if not shutil.which(program)}
    notes += [f"{name}: not measured, {missing[name]} is missing" for name in names if name in missing]
    return [name for name in names if name not in missing]


class Broken(Exception):
    """A reader that did not work: its costs are meaningless."""


def ring_events(instance, which):
    """The kernel's count of events that match @which: LOST, overwritten or dropped, or READ."""
    return sum(int(n) for path in instance.glob("per_cpu/cpu*/stats") for n in which.findall(path.read_text()))


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


def life_s(reader):
    """Waits for the end of a reader. Returns its CPU time with that of its children."""
    for _ in range(6000):
        pid, status, usage = os.wait4(reader.pid, os.WNOHANG)
        if pid:
            reader.returncode = os.waitstatus_to_exitcode(status)
            return usage.ru_utime + usage.ru_stime
        time.sleep(0.01)
    raise Broken("it did not end")


def stop(readers):
    """Ends readers by SIGINT; awk ends with its cat. Returns their CPU time from start to end."""
    readers[0].send_signal(signal.SIGINT)
    return sum(map(life_s, readers))


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


def play(instance, rate, seconds):
    """(markers written, frames of layers in them) of one load."""
    done = subprocess.run([LOAD, instance / "trace_marker", str(rate), str(seconds), "20", "4"], check=True, capture_output=True, stdin=subprocess.DEVNULL)
    return tuple(map(int, re.findall(rb"\d+", done.stdout)))


def measure(mount, name, rate, seconds):
    """The costs of one reader from before the load until all is read. @rate: 0 is as fast as possible."""
    with tracefs.instance(mount, BUFFER_KB) as instance, folder() as out:
        readers = READERS[name](mount, instance, out)
        pids = [reader.pid for reader in readers]
        children = []
        try:
            wait_ready(readers)
            children = [pid for pid in family(pids) if pid not in pids]
            cpu, slept = cost(pids)
            begin = time.monotonic()
            markers, frames = play(instance, rate, seconds)
            time.sleep(DRAIN_S)
            elapsed = time.monotonic() - begin
            ended_cpu, ended_slept = cost(pids)
            seen = {"cpu_ns": (ended_cpu - cpu) * 1e9, "wakeups_s": (ended_slept - slept) / elapsed,
                    "rss_kb": sum(map(memory_kb, family(pids))), "lost": ring_events(instance, LOST), "markers": markers,
                    "read": ring_events(instance, READ)}
            seen["all_ns"] = (stop(readers) - cpu) * 1e9
            check_rows(name, out)
            if name in JANKDS:
                seen["frames"] = sum(int(row["frames"]) + int(row["wait times"]) + 1 for row in rows(out, "summary.csv"))
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
    return statistics.median(result[what] for result in results)


def per_event(results, what="cpu_ns"):
    """CPU ns for each event written, user and system, of all processes of the reader."""
    return statistics.median(result[what] / max(result["markers"], 1) for result in results)


def ratios(seen, ours, theirs):
    """Cost for each event that was read, ours divided by theirs, of each round; none if one was not measured."""
    def each(result):
        return result["cpu_ns"] / max(result["read"], 1)

    return [each(a) / max(each(b), 1e-9) for a, b in zip(seen.get(ours, ()), seen.get(theirs, ()))]


def table(title, seen):
    print(f"\n{title:38}{'ns/event':>10}{'to the end':>12}{'wakeups/s':>11}{'RSS KB':>9}{'lost':>11}")
    for name, results in seen.items():
        print(f"{name:38}{per_event(results):10.0f}{per_event(results, 'all_ns'):12.0f}{middle(results, 'wakeups_s'):11.1f}"
              f"{middle(results, 'rss_kb'):9.0f}{sum(r['lost'] for r in results):11}")


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


def run(report, quick):
    names = [name for name in READERS if name != TRACE_CMD] if quick else READERS
    at_rate(tracefs.root(), 10_000, 0.8 if quick else 5, 5, names, report)
