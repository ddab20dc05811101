#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""After a capture has ended, by any signal, its files are complete and tracing is restored."""

import pathlib
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from jankd import rows
from live import Capture, each, run, session

SETTINGS = ("tracing_on", "buffer_size_kb", "trace_clock", "trace_options")


def ended_by(number):
    with session(f"ended by {number.name}") as s:
        before = s.read(*SETTINGS)
        capture = s.run()
        played = s.play()
        s.stop(capture, number)
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


def fails(what, prepare, said):
    """It ends with one line, before a wait if it cannot work."""
    with session(what) as s, prepare(s):
        capture = Capture(s.mount, s.instance, s.out, *(("--duration", "0.5") if said == "no markers" else ("--wait", "600")))
        error = capture.process.communicate(timeout=60)[1].decode(errors="replace")
        s.equal((capture.process.returncode, error.count("\n")), (1, 1), f"{error!r}")
        s.that(error.startswith("jankd: ") and said in error, f"{error!r}")


def own_instance():
    """An instance that jankd has created is removed at the end."""
    with session("own instance") as s:
        mine = s.instance.with_name(f"{s.instance.name}-own")
        capture = Capture(s.mount, mine, s.out)
        s.that(capture.wait_ready() and mine.is_dir(), "not made")
        with open(mine / "trace_marker", "wb", buffering=0) as marker:
            for n in range(100):
                marker.write(f"C|1|x|{n}".encode())
        capture.stop(signal.SIGTERM)
        s.that(not mine.exists(), "still there")


def silence():
    """Frames wait for later events; if there are none, they are written anyway."""
    with session("silence") as s:
        capture = s.run()
        played = s.play()
        s.until(lambda: s.frames() == played, f"{played} frames before the end", 5)
        before = (s.out / "frames.csv").read_bytes()
        s.stop(capture)
        s.equal((s.out / "frames.csv").read_bytes(), before, "frames.csv")


run(each(ended_by, signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR2, signal.SIGALRM, signal.SIGXCPU, signal.SIGPWR),
    under_nohup, each(fails, ("a silent trace", lambda s: s.marker(), "no markers"),
                      ("another program reads", lambda s: open(s.instance / "trace_pipe", "rb", buffering=0), ";")),
    own_instance, silence)
