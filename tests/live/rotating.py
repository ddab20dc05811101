#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A live capture whose files are rotated for every reason at once has all frames, each once."""

import pathlib
import signal
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import segments
import tracefs
from jankd import Checks, jankd, rows
from live import Capture, play, session

ROTATIONS = 5


def rotate(process, seconds):
    """Sends SIGUSR1 several times."""
    for _ in range(ROTATIONS):
        time.sleep(seconds / (ROTATIONS + 1))
        process.send_signal(signal.SIGUSR1)


def events(out, kind):
    return [row for path in segments.paths(out, "events.csv") for row in rows(path)
            if row["kind"] == kind]


def check_files(checks, out, truth):
    frames = [row for path in segments.paths(out, "frames.csv") for row in rows(path)]
    checks.equal(len(frames), len(rows(truth)), "frames")
    checks.equal(len({row["present(s)"] for row in frames}), len(frames), "frames, each once")
    for name in segments.GROWING:
        for path in segments.paths(out, name):
            data = path.read_bytes()
            checks.that(segments.is_whole(data), f"{path.name} is not whole")
            checks.that(len(data) <= 8192, f"{path.name} has {len(data)} bytes")
    rotations = events(out, "rotate")
    checks.equal(len(rotations), ROTATIONS, f"events of rotations on request: {rotations}")
    checks.equal(len(events(out, "lost")), 0, "events of loss")
    print(f"{len(frames)} frames in {len(segments.numbers(out))} segments")


tracefs.root()
checks = Checks()
with session() as (mount, instance, here):
    out, truth = here / "out", here / "truth.csv"
    capture = Capture(mount, instance, out, "--rotate-size", "8K", "--rotate-time", "2", "--sync",
                      "0.5", "-T", "2")
    checks.that(capture.wait_ready(), "jankd does not start")
    rotating = threading.Thread(target=rotate, args=(capture.process, 7))
    rotating.start()
    play(mount, instance, truth, "--scenario", "steady-60", "--seconds", 7)
    rotating.join()
    time.sleep(0.6)
    code, said, _ = capture.stop()
    checks.equal(code, 0, f"exit code: {said[-500:]}")
    check_files(checks, out, truth)
    # The next session does not change them.
    before = {path.name: path.read_bytes() for path in out.glob("*-*.csv")}
    jankd("run", "--tracefs", mount, "--instance", instance.name, "--no-atrace", "--duration", "0.3",
          "-F", out)
    after = {path.name: path.read_bytes() for path in out.glob("*-*.csv")}
    checks.equal({name: after.get(name) == data for name, data in before.items()},
                 {name: True for name in before}, "closed segments are never written again")
checks.end()
