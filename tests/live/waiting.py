#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""--wait, --until-exit and --duration: when counting begins and ends."""

import contextlib
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import synthetic
from jankd import jankd, rows
from live import run, session

# Each case has an app of its own: they run at once, and a capture takes any process of that name for its app.
APP = "org.example.waiting"
DETACHED = "org.example.detached"

# Seconds within which a capture must react, on a busy machine.
SOON = 3


@contextlib.contextmanager
def app(name):
    """A process that looks like an app's: the first word of its command line is its name. So it cannot be busybox, which
    takes that word for its applet."""
    process = subprocess.Popen([name, "-c", "import time; time.sleep(600)"], executable=sys.executable)
    try:
        yield
    finally:
        process.kill()
        process.wait()


def frame(s, layer):
    """Writes the markers of a frame from this thread."""
    with s.marker() as write:
        write(*synthetic.markers(1000000, 0, layer))


def layers(s):
    return {row["layer"] for row in rows(s.out, "frames.csv")}


def runs_on(s, capture, seconds, what):
    time.sleep(seconds)
    s.equal(capture.process.poll(), None, what)


def ends_soon(s, capture):
    began = time.monotonic()
    code, said = capture.ended(20)
    s.equal(code, 0, f"exit code: {said}")
    s.that(time.monotonic() - began < SOON, f"it took {time.monotonic() - began:.2f} s to end")


def stopped_while_waiting():
    with session("--wait 60") as s:
        said = s.stop(s.run("--wait", "60"), code=1)
        s.that("--wait" in said and "no markers" not in said, f"stopped: {said!r}")


def detached():
    """'start --wait' returns at once, status shows the wait, and counting begins later."""
    with session("start --wait") as s:
        begin = time.monotonic()
        done = jankd("start", "--tracefs", s.mount, "--instance", s.instance.name, "--no-atrace",
                     "--frames-log", "--wait", 2, "--until-exit", DETACHED, "-F", s.out)
        s.equal(done.returncode, 0, f"{done.stderr.decode(errors='replace')}")
        s.that(time.monotonic() - begin < 2, "it is not ready at once")
        said = jankd("status", "-F", s.out).stdout.decode(errors="replace")
        s.that("--wait" in said, f"status does not show the wait: {said}")
        frame(s, "com.example.early/A#0")
        with app(DETACHED):
            s.reports("counting began", 6)
            frame(s, "com.example.late/B#0")
            time.sleep(1.2)  # it looks for the app once a second
        s.until(lambda: jankd("status", "-F", s.out).returncode == 1, "it ends with the app", SOON)
        s.equal(layers(s), {"com.example.late/B#0"}, "layers that were counted")


def until_exit():
    """The capture waits for an app that does not run yet, and for the last of its processes, even of one that started
    later than the first; processes of other apps do not count."""
    with session("--until-exit") as s, app(f"{APP}.other"):
        capture = s.run("--until-exit", APP)
        frame(s, "a/b#0")
        runs_on(s, capture, 1.5, "ended before the app started")
        with app(f"{APP}:service"):
            with app(APP):
                time.sleep(1.5)
            runs_on(s, capture, 2, "ended before its service")
        ends_soon(s, capture)
        s.that(any(APP in text for text in s.texts()), f"events {s.texts()}")


run(stopped_while_waiting, detached, until_exit)
