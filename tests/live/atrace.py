#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""If there is an atrace, it is started with the arguments of the 2019 program, and stopped no matter how the capture
ends."""

import os
import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import tracefs
from daemon import wait_until
from jankd import JANKD, Checks, jankd
from live import session

# Logs its arguments; $START is run when it is called to start.
ATRACE = """#!/bin/sh
echo "$*" >> "$LOG"
[ "$1" = -b ] && eval "$START"
exit 0
"""
BEGUN, ENDED = "-b 1024 -c --async_start gfx view", "--async_stop"


class Run:
    """A jankd with this atrace on its PATH."""

    def __init__(self, instance, here, *arguments, start=":"):
        self.log = here / "log"
        (here / "atrace").write_text(ATRACE)
        (here / "atrace").chmod(0o755)
        environment = {**os.environ, "PATH": f"{here}:{os.environ['PATH']}", "LOG": str(self.log),
                       "START": start}
        self.process = subprocess.Popen(
            [JANKD, "run", "--instance", instance.name, "-F", here / "out", *arguments],
            env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def end(self):
        """Returns the exit code, standard error, and the calls of atrace."""
        error = self.process.communicate(timeout=60)[1].decode(errors="replace")
        calls = self.log.read_text().splitlines() if self.log.exists() else []
        return self.process.returncode, error, calls


def called(checks, what, calls, *arguments, start=":", stop=None):
    with session() as (_, instance, here):
        run = Run(instance, here, *arguments, start=start)
        if stop:
            while not (here / "out" / "session.json").exists() and run.process.poll() is None:
                time.sleep(0.02)
            run.process.send_signal(stop)
        code, error, got = run.end()
        checks.equal(got, calls, f"{what}: calls of atrace")
        return code, error


def fails_to_start(checks):
    code, error = called(checks, "atrace fails", [BEGUN, ENDED], "--duration", "0.3",
                         start="echo 'error: unknown category'; exit 1")
    checks.equal(code, 1, "atrace fails: exit code")
    checks.that(error.startswith("jankd: run: atrace") and "unknown category" in error
                and error.count("\n") == 1, f"atrace fails: {error!r}")


def hung_up_at_the_start(checks):
    """SIGHUP while atrace is starting: atrace is stopped and jankd ends within seconds."""
    what = "hung up at the start"
    with session() as (_, instance, here):
        run = Run(instance, here, start="sleep 1000")
        checks.that(wait_until(run.log.exists, 10), f"{what}: atrace was not called")
        begun = time.monotonic()
        run.process.send_signal(signal.SIGHUP)
        code, error, calls = run.end()
        took = time.monotonic() - begun
        checks.equal((code, calls), (1, [BEGUN, ENDED]), f"{what}: {error!r}")
        checks.that(took < 4, f"{what}: it took {took:.1f} s")


def prints_at_the_end(checks):
    """An atrace that prints slowly at its end does not count as a stalled disk, and its failure is not an error of
    'stop'."""
    what = "prints at the end"
    with session() as (mount, instance, here):
        run = Run(instance, here, "--duration", "0.1")
        run.end()
        (here / "atrace").write_text('#!/bin/sh\n[ "$1" = -b ] && exit 0\nfor n in 1 2 3 4 5; do echo x; sleep 0.5; done\nexit 3\n')
        arguments = ("--tracefs", mount, "--instance", instance.name, "-F", here / "out")
        environment = {**os.environ, "PATH": f"{here}:{os.environ['PATH']}"}
        done = jankd("start", *arguments, env=environment)
        checks.equal(done.returncode, 0, f"{what}: start: {done.stderr}")
        done = jankd("stop", "-F", here / "out")
        checks.equal((done.returncode, done.stderr), (0, b""), f"{what}: stop: {done.stdout}")
        checks.that(b"run:" not in done.stdout, f"{what}: stop: {done.stdout}")


tracefs.root()
checks = Checks()
called(checks, "after a while", [BEGUN, ENDED], "--duration", "0.3")
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    called(checks, signal.Signals(number).name, [BEGUN, ENDED], stop=number)
called(checks, "--categories", ["-b 2048 -c --async_start gfx input sched", ENDED], "--duration", "0.3",
       "--categories", " gfx,input  sched", "--buffer-kb", "2048")
called(checks, "--no-atrace", [], "--duration", "0.3", "--no-atrace")
called(checks, "nothing to begin with", [], "--rules", "/no/such/file")
fails_to_start(checks)
hung_up_at_the_start(checks)
prints_at_the_end(checks)
checks.end()
