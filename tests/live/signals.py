#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""After a capture has ended, by any signal, its files are complete and tracing is restored."""

import pathlib
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import tracefs
from jankd import Checks, rows
from live import Capture, play, session

SETTINGS = ("tracing_on", "buffer_size_kb", "trace_clock", "trace_options")


def settings(instance):
    return {name: (instance / name).read_text() for name in SETTINGS}


def ended_by(checks, number):
    what = f"ended by {signal.Signals(number).name}"
    with session() as (mount, instance, here):
        before = settings(instance)
        capture = Capture(mount, instance, here / "out")
        checks.that(capture.wait_ready(), f"{what}: jankd does not start")
        truth = here / "truth.csv"
        play(mount, instance, truth, "--scenario", "steady-60", "--seconds", 2)
        code, said, _ = capture.stop(number)
        checks.equal(code, 0, f"{what}: exit code: {said[-500:]}")
        checks.equal(len(rows(here / "out", "frames.csv")), len(rows(truth)), f"{what}: frames")
        kinds = [row["kind"] for row in rows(here / "out", "events.csv")]
        checks.that("start" in kinds and kinds[-1:] == ["stop"], f"{what}: events {kinds}")
        checks.that(rows(here / "out", "summary.csv"), f"{what}: no summary")
        checks.equal(settings(instance), before, f"{what}: settings of the instance")


def under_nohup(checks):
    """A capture that is started with SIGHUP ignored is not ended by SIGHUP."""
    what = "under nohup"
    with session() as (mount, instance, here):
        handler = signal.signal(signal.SIGHUP, signal.SIG_IGN)
        capture = Capture(mount, instance, here / "out")
        signal.signal(signal.SIGHUP, handler)
        checks.that(capture.wait_ready(), f"{what}: jankd does not start")
        truth = here / "truth.csv"
        play(mount, instance, truth, "--scenario", "steady-60", "--seconds", 1)
        capture.process.send_signal(signal.SIGHUP)
        time.sleep(0.5)
        if not checks.equal(capture.process.poll(), None, f"{what}: SIGHUP ended it"):
            return
        code, said, _ = capture.stop(signal.SIGTERM)
        checks.equal(code, 0, f"{what}: exit code: {said[-500:]}")
        checks.equal(len(rows(here / "out", "frames.csv")), len(rows(truth)), f"{what}: frames")


def no_markers(checks):
    with session() as (mount, instance, here):
        capture = Capture(mount, instance, here / "out", "--duration", "1")
        error = capture.process.communicate(timeout=60)[1].decode(errors="replace")
        checks.equal(capture.process.returncode, 1, f"a silent trace: exit code: {error}")
        checks.that("no markers" in error, f"a silent trace: {error!r}")
        checks.equal(len(error.splitlines()), 1, f"a silent trace: lines on stderr: {error!r}")


def busy(checks):
    with session() as (mount, instance, here), open(instance / "trace_pipe", "rb", buffering=0):
        capture = Capture(mount, instance, here / "out", "--duration", "1")
        error = capture.process.communicate(timeout=60)[1].decode(errors="replace")
        checks.equal(capture.process.returncode, 1, f"another program reads:  exit code: {error}")
        checks.that(error.startswith("jankd: ") and ";" in error, f"another program reads:  {error!r}")


def own_instance(checks):
    """An instance that jankd has created is removed at the end."""
    with session() as (mount, instance, here):
        mine = instance.with_name(f"{instance.name}-own")
        capture = Capture(mount, mine, here / "out")
        checks.that(capture.wait_ready(), "own instance: jankd does not start")
        checks.that(mine.is_dir(), "own instance: not made")
        with open(mine / "trace_marker", "wb", buffering=0) as marker:
            for n in range(100):
                marker.write(f"C|1|x|{n}".encode())
        time.sleep(0.5)
        capture.stop(signal.SIGTERM)
        checks.that(not mine.exists(), "own instance: still there")


def switched_off(checks):
    """If another program sets tracing_on to 0, this is reported, and so is the change back to 1."""
    with session() as (mount, instance, here):
        capture = Capture(mount, instance, here / "out")
        checks.that(capture.wait_ready(), "switched off: jankd does not start")
        for state in "01":
            time.sleep(2.8)
            (instance / "tracing_on").write_text(state)
        time.sleep(2.8)
        with open(instance / "trace_marker", "wb", buffering=0) as marker:
            marker.write(b"B|1|x")
        capture.stop()
        reported = [r["text"] for r in rows(here / "out", "events.csv") if r["kind"] == "tracing"]
        checks.that(len(reported) >= 2, f"switched off and on: events {reported}")


def silence(checks):
    """Frames wait for later events; if there are none, they are written anyway."""
    with session() as (mount, instance, here):
        capture = Capture(mount, instance, here / "out")
        checks.that(capture.wait_ready(), "silence: jankd does not start")
        truth = here / "truth.csv"
        play(mount, instance, truth, "--scenario", "steady-60", "--seconds", 2)
        time.sleep(3.5)
        checks.equal(len(rows(here / "out", "frames.csv")), len(rows(truth)),
                     "silence: frames that are written before the end")
        before = (here / "out" / "frames.csv").read_bytes()
        capture.stop()
        checks.equal((here / "out" / "frames.csv").read_bytes(), before, "silence: frames.csv")


tracefs.root()
checks = Checks()
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR2, signal.SIGALRM, signal.SIGXCPU, signal.SIGPWR):
    ended_by(checks, number)
for case in (under_nohup, no_markers, busy, own_instance, switched_off, silence):
    case(checks)
checks.end()
