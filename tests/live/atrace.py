#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""If there is an atrace, it is started with the arguments of the 2019 program, and stopped no matter how the capture
ends."""

import os
import pathlib
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from daemon import wait_until
from jankd import jankd
from live import Capture, each, run, session

# Logs its arguments; $START is run when it is called to start, $STOP at the end.
ATRACE = """#!/bin/sh
echo "$*" >> "$LOG"
[ "$1" = -b ] && eval "$START" || eval "$STOP"
exit 0
"""
BEGUN, ENDED = "-b 1024 -c --async_start gfx view", "--async_stop"
SHORT = ("--duration", "0.3")


class Path:
    """A folder with this atrace, in place of a device."""

    def __init__(self, here, **environment):
        (here / "atrace").write_text(ATRACE)
        (here / "atrace").chmod(0o755)
        self.log = here / "log"
        self.variables = {**os.environ, "PATH": f"{here}:{os.environ['PATH']}", "LOG": str(self.log), **environment}

    def environment(self):
        return self.variables


def called(what, calls, *arguments, start=":", number=None, said=None):
    with session(what) as s:
        path = Path(s.here, START=start)
        capture = Capture(s.mount, s.instance, s.out, *arguments, device=path)
        if number:
            wait_until((s.out / "session.json").exists)
            capture.process.send_signal(number)
        error = capture.process.communicate(timeout=60)[1].decode()
        s.equal(path.log.read_text().splitlines() if path.log.exists() else [], calls, "calls of atrace")
        if said:
            s.equal((capture.process.returncode, error.startswith("jankd: run: atrace"), said in error, error.count("\n")),
                    (1, True, True, 1), error)


def prints_at_the_end():
    """An atrace that prints slowly at its end does not count as a stalled disk, and its failure is not an error of
    'stop'."""
    with session("prints at the end") as s:
        path = Path(s.here, START=":", STOP="for n in 1 2 3 4 5; do echo x; sleep 0.5; done; exit 3")
        done = jankd("start", "--tracefs", s.mount, "--instance", s.instance.name, "-F", s.out, env=path.environment())
        s.equal(done.returncode, 0, f"start: {done.stderr}")
        done = jankd("stop", "-F", s.out)
        s.equal((done.returncode, done.stderr), (0, b""), f"stop: {done.stdout}")
        s.that(b"run:" not in done.stdout, f"stop: {done.stdout}")


run(each(called, ("after a while", [BEGUN, ENDED], *SHORT),
         ("--categories", ["-b 2048 -c --async_start gfx input sched", ENDED], *SHORT, "--categories", " gfx,input  sched",
          "--buffer-kb", "2048"),
         ("--no-atrace", [], *SHORT, "--no-atrace"), ("nothing to begin with", [], "--rules", "/no/such/file")),
    [lambda number=number: called(number.name, [BEGUN, ENDED], number=number)
     for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)],
    lambda: called("atrace fails", [BEGUN, ENDED], *SHORT, start="echo 'error: unknown category'; exit 1", said="unknown category"),
    prints_at_the_end)
