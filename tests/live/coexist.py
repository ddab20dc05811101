#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Other tools change the trace during a capture. Each change is detected and reported within 2 s, undone unless
--yield is given, never counted as jank, and the frames after it are right."""

import collections
import contextlib
import datetime
import functools
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import tracefs
from daemon import wait_until
from device import Device
from frames import vsyncs_per_layer
from jankd import PHONE, Checks, rows
from live import LATE_MS, TRIES, Capture, at_once, session

NOTICE_S = 2.0
SECONDS = 12  # jank-phone plays
BEFORE_S = 3.0  # before the trace is changed
SUB_BUFFER_SIZE = "buffer_subbuf_size_kb"  # since Linux 6.8
AT_ONCE = 3  # cases
SETTLED_S = 2.0  # after the last change frames are right again


def write(path, text):
    """Writes as a shell does; if the kernel refuses, the test fails."""
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def tracing_events(here):
    return [r["text"] for r in rows(here / "out", "events.csv") if r["kind"] == "tracing"]


class PlayedCapture:
    """A device, a capture on it, and jank-phone playing."""

    def __init__(self, mount, instance, here, options, environment, seconds=SECONDS):
        self.instance, self.here = instance, here
        self.device = Device(here / "device", instance)
        self.device.answers("input", "Can't find service: input\n")
        self.capture = Capture(mount, instance, here / "out", *options, device=self.device, **environment)
        self.ready = self.capture.wait_ready()
        self.phone = subprocess.Popen(
            [PHONE, "--tracefs", mount, "--instance", instance.name, "--scenario", "steady-60",
             "--seconds", str(seconds), "--truth", here / "truth.csv"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def run(self, *command):
        subprocess.run(command, env=self.device.environment(), stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, check=True, timeout=20)

    def clock(self):
        """The current trace clock."""
        name = re.search(r"\[(.*)\]", (self.instance / "trace_clock").read_text()).group(1)
        return {"mono_raw": time.CLOCK_MONOTONIC_RAW}.get(name, time.CLOCK_BOOTTIME)

    def reported(self):
        return [(r["wall time"], r["text"]) for r in rows(self.here / "out", "events.csv") if r["kind"] == "tracing"]

    def wait_reported(self, text, seconds):
        """The wall time of the first event with @text, or None."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for wall, reported in self.reported():
                if re.search(text, reported):
                    return datetime.datetime.fromisoformat(wall.replace("Z", "+00:00")).timestamp()
            time.sleep(0.05)
        return None

    def end(self):
        """Ends both. Returns how late jank-phone was, in ms."""
        account = self.phone.communicate(timeout=60)[1].decode(errors="replace")
        time.sleep(0.8)
        self.capture.stop(signal.SIGTERM)
        late = re.search(r"late by ([0-9.]+) ms at most", account)
        return float(late.group(1)) if late else 0.0


def after(path, boot_s):
    """By layer the vsyncs of the frames presented after @boot_s, without the first of each layer."""
    kept = [r for r in rows(path) if float(r["present(s)"]) > boot_s]
    layers = {}
    for row in kept:
        layers.setdefault(row["layer"], []).append(row["vsyncs"])
    return {layer: vsyncs[1:] for layer, vsyncs in layers.items()}


def judge(what, played, settled_s):
    """False if frames are wrong. @settled_s: a time on the clock of jank-phone and on that of the trace."""
    truth = after(played.here / "truth.csv", settled_s[0])
    got = after(played.here / "out" / "frames.csv", settled_s[1])
    wrong = [(layer, len(vsyncs), len(got.get(layer, []))) for layer, vsyncs in truth.items()
             if abs(len(vsyncs) - len(got.get(layer, []))) > 1]
    single = sum(v == "1" for vsyncs in got.values() for v in vsyncs)
    total = sum(map(len, got.values()))
    fps = rows(played.here / "out", "fps.csv")
    sums = {name: sum(int(r[name] or 0) for r in fps)
            for name in ("jank", "big jank", "A", "B", "C", "D", "missed vsyncs", "wait times")}
    problems = []
    if wrong or total < 60:
        problems.append(f"frames after it: {wrong}, {total} in all")
    if single < total:
        counts = collections.Counter(v for vsyncs in got.values() for v in vsyncs)
        problems.append(f"vsyncs after it are not all 1: {counts}")
    if any(sums.values()):
        problems.append(f"counted: {sums}")
    for problem in problems:
        print(f"{what}: {problem}")
    return not problems


def disturbed_once(checks, what, action, notice, back, options, environment):
    with session() as (mount, instance, here):
        played = PlayedCapture(mount, instance, here, options, environment)
        checks.that(played.ready, f"{what}: jankd does not start")
        time.sleep(BEFORE_S)
        begin = time.time()
        action(played)
        noticed = played.wait_reported(notice, 3 * NOTICE_S)
        if checks.that(noticed, f"{what}: not reported: {played.reported()}"):
            checks.that(noticed - begin < NOTICE_S, f"{what}: detected after {noticed - begin:.2f} s")
            print(f"{what}: detected after {noticed - begin:.2f} s")
        if back:
            checks.that(played.wait_reported(back, 3 * NOTICE_S), f"{what}: not undone:  {played.reported()}")
        settled_s = [time.clock_gettime(clock) + SETTLED_S
                     for clock in (time.CLOCK_BOOTTIME, played.clock())]
        late = played.end()
        if os.environ.get("KEEP"):
            shutil.copytree(here, os.environ["KEEP"], dirs_exist_ok=True)
        good = judge(what, played, settled_s)
        if not good and late > LATE_MS:
            return False
        checks.that(good, f"{what}: frames are wrong: {played.reported()}")
        return True


def disturbed(checks, what, action, notice, back=None, options=(), **environment):
    for _ in range(TRIES):
        if disturbed_once(checks, what, action, notice, back, options, environment):
            return
    checks.cannot_judge(what, f"this machine is too busy to play frames in time, {TRIES} times of {TRIES}")


def off(played):
    write(played.instance / "tracing_on", "0")


def off_and_on(played):
    off(played)
    time.sleep(0.15)
    write(played.instance / "tracing_on", "1")


def off_for_a_while(played):
    off(played)
    time.sleep(2.5)
    write(played.instance / "tracing_on", "1")


def empty(played):
    with open(played.instance / "trace", "w", encoding="ascii"):
        pass


def off_while_emptied(played):
    """As some tools and some kernels empty the trace."""
    off(played)
    empty(played)
    time.sleep(0.02)
    write(played.instance / "tracing_on", "1")


def empty_each_cpu(played):
    for cpu in sorted((played.instance / "per_cpu").glob("cpu*")):
        write(cpu / "trace", "0")


def other_sub_buffers(played):
    write(played.instance / SUB_BUFFER_SIZE, "16")


def tags(played):
    played.device.set("debug.atrace.tags.enableflags", "0")


def another_atrace(played):
    played.run("atrace", "--async_stop")


def size(kilobytes):
    return lambda played: write(played.instance / "buffer_size_kb", str(kilobytes))


def clock(name):
    return lambda played: write(played.instance / "trace_clock", name)


def setting(name, value):
    return lambda played: write(played.instance / name, value)


def raw_reader(played):
    """Consumes events for a second."""
    files = [os.open(path, os.O_RDONLY | os.O_NONBLOCK) for path in played.instance.glob("per_cpu/cpu*/trace_pipe_raw")]
    for _ in range(10):
        for fd in files:
            try:
                os.read(fd, 4096)
            except BlockingIOError:
                pass
        time.sleep(0.1)
    for fd in files:
        os.close(fd)


def for_a_moment(name, value):
    """Changes a setting and restores it before jankd's next check, which is once a second."""
    def action(played):
        path = played.instance / name
        before = path.read_text().strip()
        write(path, value)
        time.sleep(0.15)
        write(path, before)
    return action


def paused(played):
    """Kernels before 5.8 pause tracing whenever a program reads the file 'trace'."""
    write(played.instance / "options/pause-on-trace", "1")
    with open(played.instance / "trace", encoding="utf-8", errors="replace") as trace:
        trace.read(10)
        time.sleep(1.3)
    write(played.instance / "options/pause-on-trace", "0")


def raw_read_once(played):
    with open(next(played.instance.glob("per_cpu/cpu*/trace_pipe_raw")), "rb", buffering=0) as raw:
        os.set_blocking(raw.fileno(), False)
        raw.read(4096)


def read(played):
    """Consumes no event and pauses nothing."""
    (played.instance / "trace").read_bytes()


MOMENTS = (
    ("markers", for_a_moment("options/markers", "0"), "options of the trace|trace markers", "raw text"),
    ("CPUs", for_a_moment("tracing_cpumask", "1"), "(set|changed) tracing_cpumask", "raw text"),
    ("words before a marker", for_a_moment("options/sym-addr", "1"), "options of the trace|format of trace lines", "text"),
    ("raw trace", raw_read_once, "another program (began to|briefly) read the raw trace", "raw text"),
    ("trace", read, None, "raw text"),
    ("trace, paused", paused, "another program began to read the trace", "raw text"),
)


def moments_once(checks, source):
    with session() as (mount, instance, here):
        write(instance / "trace_clock", "boot")
        played = PlayedCapture(mount, instance, here, ("--source", source), {}, 16)
        time.sleep(1)
        for name, action, notice, sources in MOMENTS:
            if source not in sources:
                continue
            reported, begin = len(played.reported()), time.time()
            action(played)
            time.sleep(max(0, begin + 1.2 - time.time()))
            what = f"for a moment, {source}, {name}"
            if notice is None:
                time.sleep(1)
                checks.equal(played.reported()[reported:], [], what)
            elif checks.that(played.wait_reported(notice, 3), f"{what}: not reported: {played.reported()[reported:]}"):
                late = played.wait_reported(notice, 0.1) - begin
                checks.that(late < NOTICE_S, f"{what}: detected after {late:.2f} s")
        settled_s = time.clock_gettime(time.CLOCK_BOOTTIME) + 0.5
        late = played.end()
        good = judge(f"for a moment, {source}", played, (settled_s, settled_s))
        if not good and late > LATE_MS:
            return False
        checks.that(good, f"for a moment, {source}: frames are wrong: {played.reported()}")
        return True


def moments(checks):
    """A change that is undone before the next check is reported, too, and the gap that it caused is not jank."""
    for source in ("raw", "text"):
        if not any(moments_once(checks, source) for _ in range(TRIES)):
            checks.cannot_judge(f"for a moment, {source}", "this machine is too busy to play frames in time")


def emptied_alone(checks):
    """Tracing that is off only while the trace is emptied is not reported as switched off."""
    with session() as (mount, instance, here):
        played = PlayedCapture(mount, instance, here, (), {})
        for _ in range(8):
            time.sleep(0.7)
            off_while_emptied(played)
        # An event waits for the frames before it, three seconds at most.
        wait_until(lambda: len(played.reported()) >= 8, 6)
        texts = [text for _, text in played.reported()]
        checks.that(len(texts) >= 8 and all("emptied" in text for text in texts), f"emptied alone: {texts}")
        played.end()


def kilobytes(instance):
    return [int((cpu / "buffer_size_kb").read_text()) for cpu in sorted(instance.glob("per_cpu/cpu*"))]


def sizes_of_cpus(checks):
    """If CPUs have buffers of different sizes, each is checked, and restored to its own size."""
    for source in ("raw", "text"):
        with session() as (mount, instance, here):
            cpus = sorted(instance.glob("per_cpu/cpu*/buffer_size_kb"))
            if len(cpus) < 2:
                checks.cannot_judge("sizes of CPUs", "this machine has one CPU")
                return
            write(cpus[0], "2000")
            before = kilobytes(instance)
            capture = Capture(mount, instance, here / "out", "--source", source)
            checks.that(capture.wait_ready(), f"sizes of CPUs, {source}: jankd does not start")
            time.sleep(1)
            for name, value, notice, back in (
                    (cpus[1], "500", "shrank .*, 50[0-9]", "enlarged .* again"),
                    (cpus[0], "300", "shrank .* 30[0-9],", "enlarged .* again"),
                    (instance / "buffer_size_kb", "64", "shrank .* 6[0-9]", "enlarged .* again")):
                reported = len(tracing_events(here))
                write(name, value)
                time.sleep(2.5)
                texts = tracing_events(here)[reported:]
                what = f"sizes of CPUs, {source}, {name.relative_to(instance)} {value}"
                checks.that(len(texts) == 2 and re.search(notice, texts[0]) and re.search(back, texts[1]), f"{what}: {texts}")
                checks.equal(kilobytes(instance), before, what)
            reported = len(tracing_events(here))
            write(cpus[1], "9000")
            time.sleep(1.5)
            texts = tracing_events(here)[reported:]
            checks.that(len(texts) == 1 and "resized" in texts[0], f"sizes of CPUs, {source}, larger: {texts}")
            capture.stop(signal.SIGTERM)


def insists(checks):
    """If a program switches tracing off again and again, jankd stops switching it on, and reports that."""
    with session() as (mount, instance, here):
        played = PlayedCapture(mount, instance, here, (), {})
        for _ in range(40):
            time.sleep(0.25)
            off(played)
        texts = [text for _, text in played.reported()]
        taken = sum("jankd switched tracing on again" in text for text in texts)
        checks.that(1 <= taken <= 4, f"insists: undone {taken} times: {texts}")
        checks.that(any("kept changing" in text for text in texts), f"insists: not reported: {texts}")
        played.end()


def floods(checks):
    """Settings that change all the time cost little CPU time and cause few events."""
    with session() as (mount, instance, here):
        played = PlayedCapture(mount, instance, here, (), {})
        end = time.monotonic() + 4
        while time.monotonic() < end:
            off(played)
            write(instance / "tracing_on", "1")
        checks.that(len(played.reported()) <= 45, f"floods: {len(played.reported())} events")
        begin = int(pathlib.Path(f"/proc/{played.capture.process.pid}/schedstat").read_text().split()[2])
        time.sleep(2)
        ran = int(pathlib.Path(f"/proc/{played.capture.process.pid}/schedstat").read_text().split()[2]) - begin
        checks.that(ran < 60, f"floods: {ran} time slices in 2 s afterwards")
        played.end()


def hung_probes_once(checks):
    """Returns False if the phone was too late to judge the frames."""
    with session() as (mount, instance, here):
        played = PlayedCapture(mount, instance, here, (), {})
        script = played.device.path / "bin" / "getprop"
        script.write_text("#!/bin/sh\nsleep 1000\n")
        late = played.end()
        counted = sum(map(len, vsyncs_per_layer(here / "out" / "frames.csv").values()))
        truth = sum(map(len, vsyncs_per_layer(here / "truth.csv").values()))
        if counted != truth and late > LATE_MS:
            return False
        checks.equal(counted, truth, "getprop hangs: frames")
        return True


def hung_probes(checks):
    """If getprop starts to hang, only its answer is missing."""
    if not any(hung_probes_once(checks) for _ in range(TRIES)):
        checks.cannot_judge("getprop hangs", "this machine is too busy to play frames in time")


def dropped(checks):
    """Without 'overwrite' a full buffer drops new events: they are counted as lost, too."""
    for source in ("raw", "text"):
        with session() as (mount, instance, here):
            write(instance / "options/overwrite", "0")
            write(instance / "buffer_size_kb", "64")
            capture = Capture(mount, instance, here / "out", "--source", source, "--buffer-kb", "64")
            checks.that(capture.wait_ready(), f"dropped, {source}: jankd does not start")
            time.sleep(0.5)
            capture.process.send_signal(signal.SIGSTOP)
            with open(instance / "trace_marker", "wb", buffering=0) as marker:
                for n in range(20000):
                    # A full buffer refuses it.
                    with contextlib.suppress(OSError):
                        marker.write(b"C|77|a counter of an app with a name of some length#0|%d" % n)
            kernel = sum(int(re.search(r"(?m)^dropped events: (\d+)", path.read_text()).group(1))
                         for path in instance.glob("per_cpu/cpu*/stats"))
            capture.process.send_signal(signal.SIGCONT)
            time.sleep(1.5)
            capture.stop(signal.SIGTERM)
            lost = json.loads((here / "out" / "session.json").read_text())["counters"]["lost"]["events"]
            checks.that(kernel > 0, f"dropped, {source}: the kernel dropped nothing")
            checks.equal(lost, kernel, f"dropped, {source}: lost")


mount = tracefs.root()
checks = Checks()
YIELD = ("--yield",)
CASES = (
    ("switched off", off, "another program switched tracing off", "jankd switched tracing on again"),
    ("off and on within a moment", off_and_on, "switched tracing (off|on)|switched off and on"),
    ("switched off, --yield", off_for_a_while, "another program switched tracing off",
     "another program switched tracing on again", YIELD),
    ("emptied", empty, "emptied"),
    ("emptied while it is off", off_while_emptied, "emptied"),
    ("each CPU emptied", empty_each_cpu, "emptied"),
    ("other sub-buffers", other_sub_buffers, "emptied"),
    ("resized, smaller", size(64), "shrank", "jankd enlarged .* again"),
    ("resized, larger", size(3000), "resized"),
    ("resized, --yield", size(512), "shrank", None, YIELD),
    ("clock local", clock("local"), "another program set the trace clock to", "jankd set the trace clock back"),
    ("clock counter", clock("counter"), "another program set the trace clock to", "jankd set the trace clock back"),
    ("clock mono_raw, --yield", clock("mono_raw"), "another program set the trace clock to", None, YIELD),
    ("tags", tags, "switched off atrace tags", "jankd switched the atrace tags .* on again: "),
    ("tags, atrace of Android 8", tags, "switched off atrace tags", "jankd switched the atrace tags .* on again: ", (), {"OLD": "1"}),
    ("another atrace stops", another_atrace, "switched (tracing off|off atrace tags)",
     "jankd switched the atrace tags .* on again: "),
    ("CPUs", setting("tracing_cpumask", "1"), "another program set tracing_cpumask", "jankd set tracing_cpumask .* back"),
    ("markers off", setting("options/markers", "0"), "switched trace markers off", "jankd switched trace markers on again"),
    ("no overwriting", setting("options/overwrite", "0"), "drop new events", "jankd .* drop old events again"),
    ("lines without a time", setting("options/context-info", "0"), "cannot be parsed: options/context-info 0",
     "jankd restored the format of trace lines", ("--source", "text")),
    ("raw reader", raw_reader, "another program began to read the raw trace", "other programs stopped reading"),
)
PARTS = (moments, emptied_alone, sizes_of_cpus, insists, hung_probes, dropped)


def chosen(names):
    """The cases as calls without arguments."""
    for name, action, notice, *rest in CASES:
        if action == other_sub_buffers and not (mount / SUB_BUFFER_SIZE).exists():
            checks.cannot_judge(name, "this kernel has one size of sub-buffers")
        elif not names or name in names:
            back, options, environment = rest + [None, (), {}][len(rest):]
            yield functools.partial(disturbed, checks, name, action, notice, back, options, **environment)
    for part in PARTS:
        if not names or part.__name__ in names:
            yield functools.partial(part, checks)


wanted = sys.argv[1:]
at_once(AT_ONCE, chosen(wanted))
# Counts time slices.
if not wanted or floods.__name__ in wanted:
    floods(checks)
checks.end()
