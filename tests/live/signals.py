#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""After a capture has ended, by any signal, its files are complete, atrace was stopped, and tracing is restored."""

import signal
import time
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from device import Device
from jankd import rows
from live import Capture, each, run, session

SETTINGS = ("tracing_on", "buffer_size_kb", "trace_clock", "trace_options")
BEGUN, ENDED = "atrace -b 1024 -c --async_start gfx view", "atrace --async_stop"


def ended_by(number):
    with session(f"ended by {number.name}") as s:
        before, device = s.read(*SETTINGS), Device(s.here / "device", s.instance)
        capture = s.run(device=device)
        played = s.play()
        s.stop(capture, number)
        s.equal([line for line in device.log() if line.startswith("atrace")], [BEGUN, ENDED], "calls of atrace")
        s.equal(s.frames(), played, "frames")
        kinds = [row["kind"] for row in rows(s.out, "events.csv")]
        s.that("start" in kinds and kinds[-1:] == ["stop"], f"events {kinds}")
        s.that(s.frames("summary.csv"), "no summary")
        s.equal(s.read(*SETTINGS), before, "settings of the instance")


def under_nohup():
    """A capture that is started with SIGHUP ignored is not ended by SIGHUP."""
    with session("under nohup") as s:
        capture = s.run(popen={"preexec_fn": lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)})
        played = s.play()
        capture.process.send_signal(signal.SIGHUP)
        time.sleep(0.3)
        if s.equal(capture.process.poll(), None, "SIGHUP ended it"):
            s.stop(capture)
            s.equal(s.frames(), played, "frames")


def another_reads():
    """It ends with one line, before a wait if it cannot work."""
    with session("another program reads") as s, open(s.instance / "trace_pipe", "rb", buffering=0):
        code, said = Capture(s.mount, s.instance, s.out, "--wait", "600").ended()
        s.that(code == 1 and said.startswith("jankd: ") and ";" in said and said.count("\n") == 1, f"{code}: {said!r}")


def without_atrace(*arguments):
    with session(f"{arguments}") as s:
        device = Device(s.here / "device", s.instance)
        Capture(s.mount, s.instance, s.out, *arguments, device=device).ended()
        s.equal([line for line in device.log() if line.startswith("atrace")], [], "calls of atrace")


run(each(ended_by, signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR2, signal.SIGALRM, signal.SIGXCPU, signal.SIGPWR),
    under_nohup, another_reads,
    each(without_atrace, ("--no-atrace", "--duration", "0.3"), ("--rules", "/no/such/file")))
