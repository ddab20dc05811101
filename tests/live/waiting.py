#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""--wait, --until-exit and --duration: when counting begins and ends."""

import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import synthetic
import tracefs
from jankd import Checks, jankd, rows
from live import Capture, session

APP = "org.example.waiting"

# Seconds within which a capture must react, on a busy machine.
SOON = 3


class App:
    """Processes that look like an app's: the first word of their command line is its name. So they cannot be busybox,
    which takes that word for its applet."""

    def __init__(self, *names):
        self.processes = [subprocess.Popen([name, "-c", "import time; time.sleep(600)"], executable=sys.executable)
                          for name in names]

    def end(self, n):
        self.processes[n].kill()
        self.processes[n].wait()

    def close(self):
        for process in self.processes:
            process.kill()
            process.wait()


def write(instance, text):
    with open(instance / "trace_marker", "wb", buffering=0) as marker:
        marker.write(text.encode())


def frame(instance, layer):
    """Writes the markers of a frame from this thread."""
    for line in synthetic.frame(1000000, 0, layer).splitlines():
        write(instance, line.split("tracing_mark_write: ", 1)[1])


def texts(out):
    return [row["text"] for row in rows(out, "events.csv")]


def ends_within(capture, seconds):
    """(exit code, or None if it still runs; seconds that it took)."""
    begin = time.monotonic()
    try:
        return capture.process.wait(seconds), time.monotonic() - begin
    except subprocess.TimeoutExpired:
        return None, seconds


def waits(checks):
    """Frames during --wait are not counted; --duration begins after it."""
    with session() as (mount, instance, here):
        begin = time.monotonic()
        capture = Capture(mount, instance, here / "out", "--wait", "2", "--duration", "2")
        checks.that(capture.wait_ready(), "--wait: jankd does not start")
        checks.that(time.monotonic() - begin < 2, "--wait: it is not set up at once")
        while time.monotonic() < begin + 1.5:
            frame(instance, "com.example.early/A#0")
            time.sleep(0.02)
        time.sleep(1.5)
        while capture.process.poll() is None and time.monotonic() < begin + 20:
            frame(instance, "com.example.late/B#0")
            time.sleep(0.02)
        took = time.monotonic() - begin
        checks.equal(capture.process.wait(20), 0, "--wait: exit code")
        checks.that(4 <= took < 4 + SOON, f"--wait 2 --duration 2: it took {took:.2f} s")
        layers = {row["layer"] for row in rows(here / "out", "frames.csv")}
        checks.equal(layers, {"com.example.late/B#0"}, "--wait: layers that were counted")
        checks.equal(sum("counting began" in text for text in texts(here / "out")), 1,
                     f"--wait: events {texts(here / 'out')}")


def fails_at_once(checks):
    """A capture that cannot work fails before the wait."""
    with session() as (mount, instance, here), open(instance / "trace_pipe", "rb", buffering=0):
        capture = Capture(mount, instance, here / "out", "--wait", "60")
        checks.equal(ends_within(capture, 10)[0], 1, "--wait 60, and another program reads: exit code")


def stopped_while_waiting(checks):
    with session() as (mount, instance, here):
        capture = Capture(mount, instance, here / "out", "--wait", "60")
        checks.that(capture.wait_ready(), "stopped: jankd does not start")
        time.sleep(0.5)
        code, said, _ = capture.stop()
        checks.equal(code, 1, f"stopped while it waits: exit code: {said}")
        checks.that("--wait" in said and "no markers" not in said, f"stopped while it waits: {said!r}")


def detached(checks):
    """'start --wait' returns at once, status shows the wait, and counting begins later."""
    with session() as (mount, instance, here):
        out, begin = here / "out", time.monotonic()
        done = jankd("start", "--tracefs", mount, "--instance", instance.name, "--no-atrace",
                     "--frames-log", "--wait", 2, "--until-exit", APP, "-F", out)
        checks.equal(done.returncode, 0, f"start --wait: {done.stderr.decode(errors='replace')}")
        checks.that(time.monotonic() - begin < 2, "start --wait: it is not ready at once")
        said = jankd("status", "-F", out).stdout.decode(errors="replace")
        checks.that("--wait" in said, f"status does not show the wait: {said}")
        frame(instance, "com.example.early/A#0")
        app = App(APP)
        time.sleep(3.5)
        frame(instance, "com.example.late/B#0")
        app.close()
        time.sleep(SOON)
        checks.equal(jankd("status", "-F", out).returncode, 1, "it has ended with the app: status")
        layers = [row["layer"] for row in rows(out, "frames.csv")]
        checks.equal(layers, ["com.example.late/B#0"], "start --wait: layers that were counted")


def until_exit(checks):
    """The capture ends with the last process of the app, not before and not much later."""
    with session() as (mount, instance, here):
        app = App(APP, f"{APP}:remote", f"{APP}.other")
        capture = Capture(mount, instance, here / "out", "--until-exit", APP)
        checks.that(capture.wait_ready(), "--until-exit: jankd does not start")
        frame(instance, "a/b#0")
        time.sleep(1.5)
        app.end(0)
        checks.equal(ends_within(capture, 2)[0], None, "--until-exit: ended with the first process")
        app.end(1)
        code, took = ends_within(capture, 10)
        app.close()
        checks.equal(code, 0, "--until-exit: exit code")
        checks.that(took < SOON, f"--until-exit: it took {took:.2f} s to end")
        checks.that(any(APP in text for text in texts(here / "out")), f"events {texts(here / 'out')}")


def until_exit_of_a_late_app(checks):
    """The capture waits for an app that does not run yet, and for the end of processes of the app that
    started later than the first."""
    with session() as (mount, instance, here):
        capture = Capture(mount, instance, here / "out", "--until-exit", APP, "--wait", "1")
        checks.that(capture.wait_ready(), "late app: jankd does not start")
        checks.equal(ends_within(capture, 2.5)[0], None, "late app: ended before it started")
        frame(instance, "a/b#0")
        app = App(APP)
        time.sleep(1.8)
        service = App(f"{APP}:service")
        app.end(0)
        checks.equal(ends_within(capture, 2)[0], None, "late app: ended before its service")
        service.end(0)
        code, took = ends_within(capture, 10)
        app.close()
        service.close()
        checks.equal(code, 0, "late app: exit code")
        checks.that(took < SOON, f"late app: it took {took:.2f} s to end")


def an_app_that_never_comes(checks):
    with session() as (mount, instance, here):
        capture = Capture(mount, instance, here / "out", "--until-exit", APP, "--duration", "3")
        checks.that(capture.wait_ready(), "no app: jankd does not start")
        frame(instance, "a/b#0")
        code, took = ends_within(capture, 3 + SOON + 5)
        checks.equal(code, 0, "no app: exit code")
        checks.that(took > 2, f"no app: it ended after {took:.2f} s")


tracefs.root()
checks = Checks()
for case in (waits, fails_at_once, stopped_while_waiting, detached, until_exit,
             until_exit_of_a_late_app, an_app_that_never_comes):
    case(checks)
checks.end()
