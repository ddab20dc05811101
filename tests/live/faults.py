# SPDX-License-Identifier: Apache-2.0
"""Each call that jankd makes on the trace, files, sockets and child processes fails once, in a short live capture; or jankd is
killed before it.

Then jankd does not crash, hangs nowhere, answers, ends and restores tracing; every row is whole, none is there twice, and if
one is missing the exit code is not 0 and a message says why. After a kill the next 'stop' repairs all of that.

    faults.py [--all | --kills] [--part=TEXT]       one call at each site, all, or all kills; those with TEXT in their name
"""

import collections
import contextlib
import ctypes
import functools
import os
import pathlib
import queue
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import segments
import tracefs
from daemon import wait_until
from device import Device
from faults import CAPTURE, REQUESTS, START, STOP, Faults, all_cases, describe, one_of_each_site
from frames import per_layer
from jankd import JANKD, PHONE, checks, folder, rows
from live import at_once

AT_ONCE = 8
LIMIT_S = 5.0
SETTINGS = (*tracefs.WITNESSED, "buffer_percent", "tracing_cpumask")

# A kill leaves the rows of frames that were older: 2 s between two reads, 0.6 s for the vsyncs, 0.5 s for a busy machine.
KILLED_SECONDS, WAIT_S = 5, 3.1

# What is not right yet: how describe() begins, and why. An entry that no longer fails is a failure, too.
EXPECTED = {
    r"write in setting_write.*, rescue: SHORT": "the value counts as that of another program; the kernel takes a value whole",
    r"fflush in flush_stdout.* of start": "'start' exits with 1 as its line cannot be printed, and the capture runs",
    r"malloc in join_words.*, rescue": "the options of the killed capture are unknown: its rows are not taken, without a message",
    r"(write in setting_write|pwrite in write_bytes).* of stop, device: KILL":
        "after the end of atrace: the next 'stop' takes the settings that atrace left for those of another program"}

# Whether a command of its own has the call that fails, or the capture.
Scenario = collections.namedtuple("Scenario", "name command injected arguments")
SCENARIOS = (Scenario("raw", "run", "capture", ("--no-atrace", "--source", "raw", "--stdout")),
    Scenario("text", "start", "capture", ("--no-atrace", "--source", "text", "--snapshot", "5", "--snapshot-seconds", "1", "--sync", "0.3",
                                          "--min-free", "1M")),
    Scenario("device", "start", "capture", ("--source", "raw", "--rotate-time", "0.5", "--buffer-kb", "8192")),
    Scenario("clients", "start", "requests", ("--no-atrace", "--source", "raw")),
    Scenario("rescue", "run", "requests", ("--no-atrace", "--source", "raw")))


def settings(instance):
    return {name: (instance / name).read_text() for name in SETTINGS if (instance / name).exists()}


class Run:
    """One capture in which one call fails, or none if it only records the sites."""

    def __init__(self, scenario, case, mount, instance, here, header):
        self.scenario, self.mount, self.instance, self.here, self.out = scenario, mount, instance, here, here / "out"
        self.error, self.phase = (case.error, case.phase) if case else ("", START)
        self.faults = Faults(here / "faults", case)
        self.problems, self.code, self.requests = [], None, []
        self.output = open(here / "output", "ab")
        if scenario.name == "text" and header:
            self.out.mkdir()
            (self.out / "fps.csv").write_bytes(header)  # of an earlier session
        self.environment = {**os.environ, "FAULTS": str(self.faults.path)}
        if scenario.name == "device":
            device = Device(here / "device", instance)
            self.environment.update(device.environment())
            device.answers("SurfaceFlinger", "8333333\n0\t0\t0\n")
            device.answers("input", "Input Dispatcher State:\n  FocusedWindow: name='Window{c9 u0 com.a/com.a.Main}'\n")

    def popen(self, *arguments, injected=False):
        return subprocess.Popen([JANKD, *map(str, arguments), "-F", self.out], stdin=subprocess.DEVNULL,
                                stdout=self.output if arguments[0] == "stop" else subprocess.DEVNULL,
                                stderr=self.output, env={**self.environment, **(self.faults.preload() if injected else {})})

    def jankd(self, *arguments, injected=False):
        """Runs a command to its end. Returns its exit code."""
        return self.result(self.popen(*arguments, injected=injected), arguments[0])

    def result(self, process, what):
        try:
            code = process.wait(LIMIT_S)
        except subprocess.TimeoutExpired:
            self.problems.append(f"{what} hangs")
            process.kill()
            return process.wait()
        if code < 0 and not (self.error == "KILL" and code == -9):
            self.problems.append(f"{what}: a crash: signal {-code}")
        return code

    def said(self):
        return (self.here / "output").read_text(errors="replace").replace(str(self.here), "HERE").replace(str(self.instance), "INSTANCE")

    def running(self):
        """The processes of this run. A command has ended before its daemon is looked for."""
        found, mine = [], f"FAULTS={self.faults.path}".encode()
        for path in pathlib.Path("/proc").glob("[0-9]*/environ"):
            with contextlib.suppress(OSError):
                found += [int(path.parent.name)] if mine in path.read_bytes().split(b"\0") else []
        return found

    def start(self):
        """Returns when it captures or has ended. A capture in the foreground answers then."""
        arguments = (self.scenario.command, "--tracefs", self.mount, "--instance", self.instance.name, "--frames-log", "-T", "2", "-f", "2",
                     *self.scenario.arguments)
        process = self.popen(*arguments, injected=self.scenario.injected == "capture")
        if self.scenario.command == "start":
            self.code = self.result(process, "start")
            return None
        wait_until(lambda: process.poll() is not None or (self.out / "events.csv").exists() and self.jankd("status") == 0, LIMIT_S)
        return process

    def play(self):
        self.faults.set_phase(CAPTURE)
        seconds = KILLED_SECONDS if self.error == "KILL" and self.phase != START else 1
        subprocess.run([PHONE, "--tracefs", self.mount, "--instance", self.instance.name, "--truth", self.here / "truth.csv",
                        "--scenario", "drops-120", "--seconds", str(seconds)], stdin=subprocess.DEVNULL, capture_output=True, timeout=300)

    def ask(self):
        """A request may fail if that is the call that fails, but not the next one."""
        self.faults.set_phase(REQUESTS)
        for request in (("status", "--json"), ("mark", "here"), ("rotate",), ("files",)):
            codes = [self.jankd(*request, injected=self.scenario.injected == "requests")]
            if codes[0] != 0 and self.running():
                codes.append(self.jankd(*request))
            self.requests += [request[0]] * codes.count(0)
            if 0 not in codes and "control socket" not in self.said() and not wait_until(lambda: not self.running(), 0.2):
                self.problems.append(f"no answer to {request[0]}")

    def stop(self):
        """Ends the capture, at the latest with a second 'stop'. Returns the exit code of the first one."""
        self.faults.set_phase(STOP)
        code = self.jankd("stop", injected=self.scenario.injected == "requests")
        if not wait_until(lambda: not self.running(), LIMIT_S if code == 0 else 0.5):
            self.jankd("stop")
        if "control socket" in self.said():
            os.kill(self.running()[0], signal.SIGINT)
        elif not wait_until(lambda: not self.running(), LIMIT_S):
            self.problems.append("'stop' does not end it")
        return code

    def capture(self):
        process = self.start()
        if process and process.poll() is None or self.code == 0:
            self.play()
            self.ask()
            code = self.stop()
            self.code = code if process is None else self.code
        if process:
            self.code = self.result(process, "run")

    def rescue(self):
        """A capture is killed before it has read anything. The call that fails is one of the next 'stop'."""
        process = self.start()
        process.kill()
        process.wait()
        self.play()
        self.faults.set_phase(STOP)
        self.code = self.jankd("stop", injected=True)

    def rows(self, name):
        return segments.rows(self.out, name)

    def missing(self):
        """What the files do not hold of what was played and asked."""
        frames, truth = self.rows("frames.csv"), per_layer(self.here / "truth.csv")
        counted = collections.Counter(row["layer"] for row in frames)
        waits = [row for row in frames if float(row["interval(ms)"] or 0) >= 500]
        intervals = truth.total() - len(truth) - len(waits)
        found = [f"{counted.total()} frames of {truth.total()}"] if counted != truth else []
        for name, got, expected in (
                ("fps.csv", sum(int(row["frames"]) for row in self.rows("fps.csv")), intervals),
                ("summary.csv", sum(int(row["frames"]) for row in rows(self.out, "summary.csv")), intervals),
                ("dropFrames.csv", len(self.rows("dropFrames.csv")), sum(int(row["vsyncs"] or 0) > 1 for row in frames if row not in waits)),
                ("doframe.csv", len(self.rows("doframe.csv")) > 0, True),
                *((kind, sum(row["kind"] == kind for row in self.rows("events.csv")), times) for kind, times in
                  (("start", 1), ("stop", 1), ("mark", self.requests.count("mark"))))):
            # A mark whose answer was lost was asked for twice.
            if got != expected and not (self.scenario.name == "rescue" and name in ("summary.csv", "stop") or name == "mark" and got == 2):
                found.append(f"{name} has {got} of {expected}")
        return found

    def check_killed(self, fired_s):
        """Frames from before the kill are missing only if they waited, and none from after it."""
        truth = [(row["layer"], float(row["present(s)"])) for row in rows(self.here / "truth.csv")]
        counted = [(row["layer"], float(row["present(s)"])) for row in self.rows("frames.csv")]
        begin = min(time for _, time in truth)
        gone = sorted(time for layer, time in truth if not any(layer == other and abs(at - time) < 0.004 for other, at in counted))
        old = [time for time in gone if fired_s - begin > WAIT_S and time < fired_s - WAIT_S]
        later = [time for time in gone if time > fired_s + 0.02]
        if old or later:
            self.problems.append(f"missing: {len(old)} frames up to {fired_s - min(old, default=fired_s):.3f} s before the kill, "
                                 f"{len(later)} up to {max(later, default=fired_s) - fired_s:.3f} s after it")

    def check(self, before):
        """What must hold at the end."""
        if self.code != 0 and "jankd: " not in self.said():
            self.problems.append(f"exit code {self.code} without a message")
        after = settings(self.instance)
        changed = {name: (before[name].strip(), after[name].strip()) for name in before if before[name] != after[name]}
        if changed and ("cannot restore" not in self.said() or self.jankd("stop") not in (0, 1) or settings(self.instance) != before):
            self.problems.append(f"tracing is not restored: {changed}")
        # A kill can come between the creation of a file and its header.
        begun = [f"{path.name} is not whole" for path in self.out.glob("*.csv") if self.error == "KILL" and path.stat().st_size == 0]
        self.problems += [what for what in segments.damage(self.out) if what not in begun]
        if self.scenario.name == "rescue" and any("nothing was taken" in row["text"] for row in rows(self.out, "events.csv")):
            return
        missing = self.missing() if (self.here / "truth.csv").exists() and self.error != "KILL" else []
        if missing and self.code == 0:
            self.problems.append(f"exit code 0, but {', '.join(missing)}")
        if self.error.endswith("*") and self.scenario.name != "rescue" and not any("cannot be read" in row["text"] for row in self.rows("events.csv")):
            self.problems.append("no event says that the trace cannot be read")
        if self.error == "EINTR" and self.code != 0:
            self.problems.append(f"exit code {self.code} after EINTR")

    def __call__(self):
        for name, value in (("trace", ""), ("trace_clock", "boot"), ("buffer_size_kb", "8192"), ("buffer_percent", "50"), ("tracing_on", "1")):
            (self.instance / name).write_text(value)
        before = settings(self.instance)
        (self.rescue if self.scenario.name == "rescue" else self.capture)()
        fired_s, pid = self.faults.fired()
        with contextlib.suppress(ChildProcessError):  # A daemon becomes a child of this process, see main().
            if pid and os.waitpid(pid, os.WNOHANG)[1] & 127 and self.error != "KILL":
                self.problems.append("a crash of the daemon")
        if self.error == "KILL":
            self.code = self.jankd("stop")
            if self.scenario.injected == "capture" and (self.here / "truth.csv").exists():
                self.check_killed(fired_s)
        if not wait_until(lambda: not self.running(), LIMIT_S):
            self.problems.append("a process is left")
            self.jankd("stop")
            for left in self.running():
                os.kill(left, 9)
        self.check(before)
        return self


class Loop:
    """Runs the cases; each of those at one time has its own instance."""

    def __init__(self, mount, instances):
        self.mount, self.instances, self.findings, self.not_reached, self.header = mount, queue.Queue(), {}, [], b""
        for instance in instances:
            self.instances.put(instance)

    def run(self, scenario, case=None):
        instance = self.instances.get()
        try:
            with folder() as here:
                run = Run(scenario, case, self.mount, instance, here, self.header)()
                if not self.header:
                    self.header = (here / "out" / "fps.csv").read_bytes().partition(b"\n")[0] + b"\n"
                return run, run.said()
        finally:
            self.instances.put(instance)

    def judge(self, case):
        run, said = self.run(case.scenario, case)
        if not run.faults.fired()[1]:
            self.not_reached.append(case)
        elif run.problems:
            self.findings[case] = f"{'; '.join(run.problems)}: {said.strip()!r}"
            print(f"found: {describe(case)}: {self.findings[case]}", flush=True)
        else:
            self.findings.pop(case, None)


def record(loop):
    """Which calls there are. Returns the cases and the number of call sites."""
    recorded = {}

    def one(scenario):
        runs = [loop.run(scenario)]
        while (runs[-1][0].problems or runs[-1][0].code != 0) and len(runs) < 3:  # a busy machine
            runs.append(loop.run(scenario))
        run, said = runs[-1]
        if run.problems or run.code != 0:
            raise AssertionError(f"{scenario.name} without a fault: {run.code}, {run.problems}: {said}")
        recorded[scenario] = run.faults.sites()

    one(SCENARIOS[0])  # the header is known then
    at_once(AT_ONCE, [functools.partial(one, scenario) for scenario in SCENARIOS[1:]])
    return all_cases(recorded), len({site.key for sites in recorded.values() for site in sites})


options, part = [word for word in sys.argv[1:] if word.startswith("--")], "".join(sys.argv[1:]).partition("=")[2]
ctypes.CDLL(None).prctl(36, 1)  # PR_SET_CHILD_SUBREAPER: collects the daemons
mount, begin = tracefs.root(), time.monotonic()
with contextlib.ExitStack() as stack:
    loop = Loop(mount, [stack.enter_context(tracefs.instance(mount)) for _ in range(AT_ONCE)])
    cases, sites = record(loop)
    cases = [case for case in cases if (case.error == "KILL") == ("--kills" in options) and part in describe(case)]
    if not options:
        cases = one_of_each_site(cases)
    at_once(AT_ONCE, [functools.partial(loop.judge, case) for case in cases])
    # What a busy machine has delayed is judged again, alone.
    first, again, loop.not_reached = dict(loop.findings), [*loop.findings, *loop.not_reached], []
    for case in again:
        loop.judge(case)
        if case in first and case not in loop.findings:
            print(f"once only: {describe(case)}: {first[case]}")
with contextlib.suppress(ChildProcessError):
    while os.waitpid(-1, os.WNOHANG)[0]:
        pass
fails = collections.defaultdict(list)  # {entry: of each case whether it fails}
for case in cases:
    entry = next((entry for entry in EXPECTED if re.match(entry, describe(case))), None)
    fails[entry].append(case in loop.findings)
    checks.that(entry or case not in loop.findings, f"{describe(case)}: {loop.findings.get(case)}")
for entry in fails.keys() - {None} if options and not part else ():
    checks.that(any(fails[entry]), f"'{entry}' no longer fails: remove it from EXPECTED")
checks.that(len(loop.not_reached) <= len(cases) // 20, f"not reached: {[describe(case) for case in loop.not_reached]}")
print(f"{sites} call sites, {len(cases)} cases (calls × errnos), {len(loop.findings)} findings, "
      f"{len(loop.not_reached)} not reached, {time.monotonic() - begin:.0f} s")
checks.end()
