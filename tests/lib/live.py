# SPDX-License-Identifier: Apache-2.0
"""jank-phone plays into an instance of the kernel's tracefs while jankd reads it.

A script has cases, functions without arguments, and ends with run(): each case has a session of its own, so they run at once."""

import concurrent.futures
import contextlib
import functools
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import daemon
import tracefs
from daemon import wait_until
from frames import per_layer
from jankd import BUILD, JANKD, PHONE, checks, folder, jankd, rows

LOAD = BUILD / "tests" / "bench" / "load"
QUICK = BUILD / "tests" / "jankd-quick"


class Capture:
    """A 'jankd run' on an instance. @quick: its periods are divided by it. @popen: keywords of Popen."""

    def __init__(self, mount, instance, out, *arguments, device=None, quick=0, popen=(), **environment):
        self.out = out
        environment = {**(device.environment() if device else os.environ), **environment, "JANKD_QUICK": str(quick)}
        self.process = subprocess.Popen(
            [QUICK if quick else JANKD, "run", "--tracefs", mount, "--instance", instance.name,
             *([] if device else ["--no-atrace"]), "--frames-log", "-F", out, *arguments],
            **{"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": environment, **dict(popen)})

    def wait_ready(self):
        """Waits for its first file: the trace is open then. Returns False if it ended instead."""
        events = self.out / "events.csv"
        return wait_until(lambda: events.exists() or self.process.poll() is not None, 60) and events.exists()

    def ended(self, seconds=60):
        """Waits for its end. Returns its exit code and what it printed."""
        out, error = self.process.communicate(timeout=seconds)
        return self.process.returncode, ((out or b"") + error).decode(errors="replace")

    def stop(self, number=signal.SIGINT):
        """Ends it by a signal. Returns its exit code and what it printed."""
        self.process.send_signal(number)
        return self.ended()


class Session:
    """An instance of tracefs and a folder, both new. Its checks name the case."""

    def __init__(self, what, mount, instance, here):
        self.what, self.mount, self.instance, self.here = what, mount, instance, here
        self.out, self.truth = here / "out", here / "truth.csv"

    def __iter__(self):
        return iter((self.mount, self.instance, self.here))

    def that(self, holds, text):
        return checks.that(holds, f"{self.what}: {text}")

    def equal(self, got, expected, text):
        return checks.equal(got, expected, f"{self.what}: {text}")

    def cannot_judge(self, why):
        checks.cannot_judge(self.what, why)

    def until(self, true, text, seconds=10):
        """@true() holds within @seconds."""
        return self.that(wait_until(true, seconds), f"{text} within {seconds} s")

    def read(self, *names):
        """{name: text} of those files of the instance that exist."""
        return {name: (self.instance / name).read_text() for name in names if (self.instance / name).exists()}

    def write(self, name, text):
        """As a shell does: if the kernel refuses, the test fails."""
        (self.instance / name).write_text(str(text))

    @contextlib.contextmanager
    def marker(self):
        """Yields a function that writes markers."""
        with open(self.instance / "trace_marker", "wb", buffering=0) as file:
            yield lambda *texts: [file.write(text if isinstance(text, bytes) else text.encode()) for text in texts]

    def run(self, *arguments, out=None, **keywords):
        """A capture that answers: it detects what other programs do from then on."""
        capture = Capture(self.mount, self.instance, out or self.out, *arguments, **keywords)
        if not self.that(capture.wait_ready(), f"{arguments}: jankd does not start"):
            print(capture.process.stderr.read().decode(errors="replace"))
        jankd("status", "-F", capture.out)
        return capture

    def stop(self, capture, number=signal.SIGTERM, code=0):
        """Ends a capture by a signal. Returns what it printed."""
        got, said = capture.stop(number)
        self.equal(got, code, f"exit code: {said[-500:]}")
        return said

    def daemon(self, *arguments, out=None, **keywords):
        return daemon.Daemon(self.mount, self.instance, out or self.out, *arguments, **keywords)

    @contextlib.contextmanager
    def started(self, *arguments, **keywords):
        """A daemon that captures; its pid is 0 if it could not be started."""
        started = self.daemon(*arguments, **keywords)
        done = started.start()
        try:
            self.that(started.pid, f"start {arguments}: {done.returncode} {done.stdout!r} {done.stderr!r}")
            yield started
        finally:
            started.kill()

    def phone(self, *arguments, seconds=1, scenario="steady-60", truth=None):
        """jank-phone in the background. @scenario: None: the arguments name a trace."""
        scenario = ["--scenario", scenario, "--seconds", str(seconds)] if scenario else []
        return subprocess.Popen([PHONE, "--tracefs", self.mount, "--instance", self.instance.name, "--truth",
                                 truth or self.truth, *scenario, *arguments],
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def play(self, *arguments, **keywords):
        """jank-phone until its end. Returns how many frames it has played."""
        return self.played(self.phone(*arguments, **keywords), keywords.get("truth"))

    def played(self, phone, truth=None):
        """Waits for the end of jank-phone. Returns how many frames it has played."""
        error = phone.communicate(timeout=300)[1].decode(errors="replace")
        self.equal(phone.returncode, 0, f"jank-phone: {error[-500:]}")
        return len(rows(truth or self.truth))

    def load(self, rate, seconds, surfaces=20, threads=4):
        """Markers at a rate, in the background: see tests/bench/load.c."""
        return subprocess.Popen([LOAD, self.instance / "trace_marker", *map(str, (rate, seconds, surfaces, threads))],
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)

    def loaded(self, load):
        """Waits for the end of a load. Returns how many markers and frames it has written."""
        said = load.communicate(timeout=60)[0]
        self.equal(load.returncode, 0, "load: exit code")
        return tuple(map(int, re.findall(rb"\d+", said)))

    def kernel(self, name):
        """The sum of that number in the kernel's statistics of all CPUs."""
        return sum(int(n) for path in self.instance.glob("per_cpu/cpu*/stats") for n in re.findall(rf"(?m)^{name}: (\d+)", path.read_text()))

    def counters(self):
        """Those of session.json."""
        return json.loads((self.out / "session.json").read_text())["counters"]

    def frames(self, name="frames.csv"):
        return len(rows(self.out, name))

    def texts(self, kind=None, out=None):
        """Texts of the events, or of those of a kind."""
        return [row["text"] or "" for row in rows(out or self.out, "events.csv") if kind in (None, row["kind"])]

    def reports(self, text, seconds=10, kind=None):
        """An event with @text comes within @seconds."""
        found = wait_until(lambda: any(re.search(text, said) for said in self.texts(kind)), seconds)
        return self.that(found, f"no event '{text}' within {seconds} s: {self.texts(kind)}")

    def compare(self):
        """The files hold the frames that were played, and no event was lost."""
        played, counted = per_layer(self.truth), per_layer(self.out / "frames.csv")
        print(f"{self.what}: truth {played.total()} frames, counted {counted.total()}")
        self.that(played.total(), "nothing was played")
        self.equal({k: v for k, v in counted.items() if played[k] != v}, {k: played[k] for k in counted if played[k] != counted[k]}, "frames")
        self.equal(sorted(played.keys() - counted.keys()), [], "layers that were not detected")
        lost = sum(int(row["lost events"]) for row in rows(self.out, "fps.csv") if row["lost events"] != "")
        self.equal(lost, 0, "lost events")
        self.equal(self.texts("lost"), [], "events were lost")


@contextlib.contextmanager
def session(what=""):
    """Raises if the top level of tracefs has changed at the end."""
    mount = tracefs.root(processes=False)
    with tracefs.top_level(), folder() as here:
        before = tracefs.witness(mount)
        with tracefs.instance(mount) as instance:
            yield Session(what, mount, instance, here)
        after = tracefs.witness(mount)
    if before != after:
        raise AssertionError(f"the top level of tracefs changed: {before} to {after}")


def remove_folder(folder):
    """Removes a folder into which a capture may write a file meanwhile."""
    for _ in range(100):
        try:
            return shutil.rmtree(folder)
        except OSError:
            time.sleep(0.01)
    return shutil.rmtree(folder)


def preload(name, **environment):
    """Variables for a program that runs with one of the libraries in tests/lib."""
    library = BUILD / "tests" / "live" / f"lib{name}.so"
    return {"LD_PRELOAD": str(library.resolve(strict=True)), **environment}


def at_once(number, cases):
    """Calls all @cases, @number at a time: they mostly wait, and each has its own instance."""
    with concurrent.futures.ThreadPoolExecutor(number) as pool:
        for ended in [pool.submit(case) for case in cases]:
            ended.result()


def each(function, *values):
    """A case for each value: a tuple has all arguments."""
    return [functools.partial(function, *(value if isinstance(value, tuple) else (value,))) for value in values]


def run(*cases, number=3, processes=True):
    """Runs the cases, or those whose functions are named on the command line, @number at a time, and ends the script."""
    tracefs.root(processes)
    named = [case for case in itertools.chain(*(case if isinstance(case, list) else [case] for case in cases))
             if not sys.argv[1:] or getattr(case, "func", case).__name__ in sys.argv[1:]]
    at_once(number, named)
    checks.end()
