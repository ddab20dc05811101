#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files that another program cuts, replaces or moves while they are written: it is told, and what follows is whole."""

import os
import pathlib
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from jankd import Checks, rows
from live import Capture, play, session
import tracefs


def cut(path):
    os.truncate(path, 10)


def emptied(path):
    path.write_bytes(b"")


def replaced(path):
    path.with_suffix(".new").write_text("somebody else's\n")
    path.with_suffix(".new").rename(path)


def moved(path):
    path.rename(path.with_name("moved.csv"))


def moved_and_replaced(path):
    moved(path)
    path.symlink_to("/dev/null")


tracefs.root()
checks = Checks()
for change in (cut, emptied, replaced, moved, moved_and_replaced):
    what = change.__name__
    with session() as (mount, instance, here):
        out = here / "out"
        capture = Capture(mount, instance, out)
        checks.that(capture.wait_ready(), f"{what}: jankd does not start")
        play(mount, instance, here / "before.csv", "--scenario", "steady-60", "--seconds", 1)
        time.sleep(2.5)
        header = (out / "frames.csv").read_bytes().split(b"\n")[0]
        change(out / "frames.csv")
        time.sleep(1.5)
        play(mount, instance, here / "after.csv", "--scenario", "steady-60", "--seconds", 1)
        time.sleep(2)
        code, said, _ = capture.stop(signal.SIGTERM)
        checks.equal(code, 0, f"{what}: exit code: {said}")
        content = (out / "frames.csv").read_bytes()
        checks.that(content.startswith(header + b"\n") and b"\0" not in content, f"{what}: {content[:100]!r}")
        checks.equal(len(rows(out, "frames.csv")), len(rows(here / "after.csv")), f"{what}: frames after it")
        events = [row["text"] for row in rows(out, "events.csv")]
        checks.equal(sum("frames.csv was" in text for text in events), 1, f"{what}: {events}")
checks.end()
