# SPDX-License-Identifier: Apache-2.0
"""Other tools change the trace during a capture. Each change is detected and reported within 2 s, never counted as jank, and the
frames after it are right. What stops the trace is undone unless --yield is given."""

import collections
import contextlib
import datetime
import os
import re
import subprocess
import time
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
import tracefs
from daemon import wait_until
from device import Device
from jankd import rows
from live import each, run, session
from measure import switches

NOTICE_S = 2.0
QUICK = 4
BEFORE = 60  # frames before the trace is changed
SETTLED_S = 2.0  # after the last change frames are right again
AFTER_S = 1.5  # and are compared
VSYNC_S = 1 / 60
SUB_BUFFER_SIZE = "buffer_subbuf_size_kb"  # since Linux 6.8


class PlayedCapture:
    """A device, a capture on it, and jank-phone playing."""

    def __init__(self, s, *options, quick=QUICK, on_device=True, **environment):
        self.s, self.instance, self.write = s, s.instance, s.write
        self.device = Device(s.here / "device", s.instance) if on_device else None
        if on_device:
            self.device.answers("input", "Can't find service: input\n")
        self.capture = s.run(*options, device=self.device, quick=quick, **environment)
        self.phone = s.phone(seconds=60)
        s.until(lambda: s.frames() >= BEFORE, f"{BEFORE} frames", 30)

    def now(self):
        """The time on the clock of jank-phone, and on the current trace clock."""
        name = re.search(r"\[(.*)\]", (self.instance / "trace_clock").read_text()).group(1)
        clock = {"mono_raw": time.CLOCK_MONOTONIC_RAW}.get(name, time.CLOCK_BOOTTIME)
        return time.clock_gettime(time.CLOCK_BOOTTIME), time.clock_gettime(clock)

    def wait_reported(self, text, seconds, after=0):
        """The wall time of the first event with @text from number @after on, or None."""
        def found():
            return next((row["wall time"] for row in [row for row in rows(self.s.out, "events.csv") if row["kind"] == "tracing"][after:]
                         if re.search(text, row["text"])), None)

        wait_until(found, seconds)
        wall = found()
        return wall and datetime.datetime.fromisoformat(wall.replace("Z", "+00:00")).timestamp()

    def is_noticed(self, what, text, begin, after=0):
        """The event comes within NOTICE_S of the change at @begin."""
        noticed = self.wait_reported(text, 3 * NOTICE_S, after)
        if self.s.that(noticed, f"{what}: not reported: {self.s.texts('tracing')[after:]}"):
            self.s.that(noticed - begin < NOTICE_S, f"{what}: detected after {noticed - begin:.2f} s")
            print(f"{self.s.what}: {what}: detected after {noticed - begin:.2f} s")

    def end(self):
        self.phone.terminate()
        self.phone.communicate(timeout=60)
        self.s.stop(self.capture)

    def settle_and_end(self):
        """All frames from SETTLED_S on are right, and none was counted as late."""
        settled_s = [now + SETTLED_S for now in self.now()]
        time.sleep(SETTLED_S + AFTER_S)
        # A machine that is busy plays them later.
        wait_until(lambda: sum(map(len, after(self.s.out / "frames.csv", settled_s[1]).values())) >= 60, 30)
        self.end()
        truth, got = after(self.s.truth, settled_s[0]), after(self.s.out / "frames.csv", settled_s[1])
        wrong = [(layer, len(vsyncs), len(got.get(layer, []))) for layer, vsyncs in truth.items() if abs(len(vsyncs) - len(got.get(layer, []))) > 1]
        total = sum(map(len, got.values()))
        self.s.that(not wrong and total >= 60, f"frames after it: {wrong}, {total} in all since {settled_s}")
        # On a busy machine intervals are played late. Each changes the next one, too.
        late = played_late(self.s.truth, settled_s[0])
        counts = collections.Counter(vsyncs for series in got.values() for vsyncs in series)
        self.s.that(total - counts["1"] <= 2 * late, f"vsyncs after it are not all 1: {counts}, {late} were late")
        late = sum(row["vsyncs"] != "1" for row in rows(self.s.truth)[1:])
        for name in ("jank", "big jank", "A", "B", "C", "D", "missed vsyncs", "wait times"):
            counted = sum(int(row[name] or 0) for row in rows(self.s.out, "fps.csv"))
            self.s.that(counted <= late, f"{name}: {counted} counted, {late} intervals were late")


def after(path, boot_s):
    """By layer the vsyncs of the frames presented after @boot_s, without the first of each layer."""
    layers = {}
    for row in rows(path):
        if float(row["present(s)"]) > boot_s:
            layers.setdefault(row["layer"], []).append(row["vsyncs"])
    return {layer: vsyncs[1:] for layer, vsyncs in layers.items()}


def played_late(path, boot_s):
    """How many intervals after @boot_s were played a quarter of a vsync too long or too short, also of presents that are less late
    than that, or whose vsyncs jank-phone does not know."""
    layers = {}
    for row in rows(path):
        if float(row["present(s)"]) > boot_s:
            layers.setdefault(row["layer"], []).append((float(row["present(s)"]), row["vsyncs"]))
    return sum(vsyncs != "1" or abs(present - last - VSYNC_S) > VSYNC_S / 4
               for series in layers.values() for (last, _), (present, vsyncs) in zip(series, series[1:]))


def disturbed(what, action, notice, back=None, options=(), quick=QUICK, old=""):
    """@old: the atrace is one of Android 8."""
    with session(what) as s:
        played = PlayedCapture(s, *options, quick=quick, OLD=old)
        begin = time.time()
        action(played)
        played.is_noticed("", notice, begin)
        if back:
            s.that(played.wait_reported(back, 3 * NOTICE_S), f"not undone: {s.texts('tracing')}")
        played.settle_and_end()


def off(played):
    played.write("tracing_on", 0)


def off_and_on(played):
    off(played)
    time.sleep(0.15)
    played.write("tracing_on", 1)


def empty(played):
    with open(played.instance / "trace", "w", encoding="ascii"):
        pass


def off_while_emptied(played):
    """As some tools and some kernels empty the trace. Returns the seconds for which it was off: on a busy machine they may be more."""
    action = "import time\nbegin = time.monotonic()\n" + "".join(
        f"{pause}open('{name}', 'w').write('{text}')\n" for pause, name, text in (
            ("", "tracing_on", "0"), ("", "trace", ""), ("time.sleep(0.02)\n", "tracing_on", "1"))) + "print(time.monotonic() - begin)"
    done = subprocess.run(["chrt", "-f", "1", sys.executable, "-ISc", action], cwd=played.instance, check=True, capture_output=True)
    return float(done.stdout)


def empty_each_cpu(played):
    for cpu in sorted((played.instance / "per_cpu").glob("cpu*")):
        played.write(cpu / "trace", 0)


def tags(played):
    played.device.set("debug.atrace.tags.enableflags", "0")


def another_atrace(played):
    subprocess.run(["atrace", "--async_stop"], env=played.device.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True, timeout=20)


def setting(name, value):
    return lambda played: played.write(name, value)


def raw_reader(played):
    """Consumes events for a second."""
    files = [os.open(path, os.O_RDONLY | os.O_NONBLOCK) for path in played.instance.glob("per_cpu/cpu*/trace_pipe_raw")]
    for _ in range(10):
        for fd in files:
            with contextlib.suppress(BlockingIOError):
                os.read(fd, 4096)
        time.sleep(0.1)
    for fd in files:
        os.close(fd)


def for_a_moment(name, value, seconds=0.15):
    """Changes a setting and restores it, usually before jankd's next check, which is once a second."""
    def action(played):
        before = re.sub(r".*\[|\].*", "", (played.instance / name).read_text().strip())
        played.write(name, value)
        time.sleep(seconds)
        played.write(name, before)
    return action


def for_a_while(name, value):
    """Changes a setting and restores it. Returns a case of disturbed()."""
    return (f"{name} {value}", for_a_moment(name, value, 1), f"another program set {name} to {value}", f"another program set {name} to (?!{value})")


def paused(played):
    """Kernels before 5.8 pause tracing whenever a program reads the file 'trace'."""
    played.write("options/pause-on-trace", 1)
    with open(played.instance / "trace", encoding="utf-8", errors="replace") as trace:
        trace.read(10)
        time.sleep(1.3)
    played.write("options/pause-on-trace", 0)


def raw_read_once(played):
    with open(next(played.instance.glob("per_cpu/cpu*/trace_pipe_raw")), "rb", buffering=0) as raw:
        os.set_blocking(raw.fileno(), False)
        raw.read(4096)


def read(played):
    """Consumes no event and pauses nothing."""
    (played.instance / "trace").read_bytes()


MOMENTS = (("trace", read, None, "raw text"),
    ("markers", for_a_moment("options/markers", "0"), "another program (set|wrote to) options/markers", "raw text"),
    ("CPUs", for_a_moment("tracing_cpumask", "1"), "another program (set|wrote to) tracing_cpumask", "raw text"),
    ("words before a marker", for_a_moment("options/sym-addr", "1"), "another program (set|wrote to) options/sym-addr", "text"),
    ("raw trace", raw_read_once, "another program (began to|briefly) read the raw trace", "raw text"),
    ("trace, paused", paused, "another program began to read the trace", "raw text"))


def moments(source):
    """A change that is undone before the next check is reported, too, and the gap that it caused is not jank."""
    with session(f"for a moment, {source}") as s:
        s.write("trace_clock", "boot")
        played = PlayedCapture(s, "--source", source, quick=0)
        for name, action, notice, sources in MOMENTS:
            if source not in sources:
                continue
            reported, begin = len(s.texts("tracing")), time.time()
            action(played)
            time.sleep(max(0, begin + 1.2 - time.time()))
            if notice is None:
                time.sleep(1)
                s.equal(s.texts("tracing")[reported:], [], name)
            else:
                played.is_noticed(name, notice, begin, reported)
        played.settle_and_end()


def emptied_alone():
    """Tracing that is off only while the trace is emptied is not reported as switched off."""
    with session("emptied alone") as s:
        played, quick, slow = PlayedCapture(s), 0, 0
        while quick < 6 and slow < 30:
            time.sleep(0.3)
            took = off_while_emptied(played)
            quick, slow = quick + (took <= 0.06), slow + (took > 0.06)
        # An event waits for the frames before it.
        wait_until(lambda: len(s.texts("tracing")) >= quick, 6)
        texts = s.texts("tracing")
        others = [text for text in texts if "emptied" not in text]
        s.that(len(texts) >= quick and len(others) <= 2 * slow, f"{quick} were quick, {slow} slow: {texts}")
        played.end()


def floods():
    """Settings that change all the time cause few events, and few wakeups. Each program that jankd runs on a device would add three."""
    with session("floods") as s:
        played = PlayedCapture(s, quick=0, on_device=False)
        end = time.monotonic() + 3
        while time.monotonic() < end:
            off(played)
            played.write("tracing_on", 1)
        s.that(len(s.texts("tracing")) <= 45, f"{len(s.texts('tracing'))} events")
        before = switches(played.capture.process.pid)
        time.sleep(2)
        wakeups = switches(played.capture.process.pid) - before
        print(f"floods: {wakeups} wakeups in 2 s afterwards")
        s.that(wakeups < 15, f"{wakeups} wakeups in 2 s afterwards")
        played.end()


mount = tracefs.root()
YIELD = ("--yield",)
CASES = [("switched off", off, "another program set tracing_on to 0", "jankd set tracing_on back to 1", (), 0),
    ("off and on within a moment", off_and_on, "another program (set|wrote to) tracing_on"),
    ("--yield", *for_a_while("tracing_on", "0")[1:], YIELD),
    ("emptied", empty, "emptied"), ("emptied while it is off", off_while_emptied, "emptied"),
    ("each CPU emptied", empty_each_cpu, "emptied"),
    ("resized, smaller", setting("buffer_size_kb", 64), "set buffer_size_kb to 6", "jankd set buffer_size_kb back to "),
    ("resized, larger", setting("buffer_size_kb", 3000), "set buffer_size_kb to 3"),
    ("resized, --yield", setting("buffer_size_kb", 512), "set buffer_size_kb to 5", None, YIELD),
    ("clock mono_raw", setting("trace_clock", "mono_raw"), "another program set trace_clock to mono_raw"),
    for_a_while("trace_clock", "local"), for_a_while("trace_clock", "counter"),
    ("tags", tags, "another program set the atrace tags to 0x0", "jankd set the atrace tags back to 0x", (), 0),
    ("tags, atrace of Android 8", tags, "set the atrace tags to 0x0", "jankd set the atrace tags back to 0x", (), QUICK, "1"),
    ("another atrace stops", another_atrace, "another program set (tracing_on|the atrace tags)",
     "jankd set the atrace tags back to 0x"), for_a_while("tracing_cpumask", "1"), for_a_while("options/markers", "0"),
    for_a_while("options/overwrite", "0"), (*for_a_while("options/context-info", "0"), ("--source", "text")),
    ("raw reader", raw_reader, "another program began to read the raw trace", "other programs stopped reading")]
if (mount / SUB_BUFFER_SIZE).exists():
    CASES.append(("other sub-buffers", setting(SUB_BUFFER_SIZE, "16"), "emptied"))
run(each(moments, "raw", "text"), each(disturbed, *CASES), emptied_alone, floods, number=4)
