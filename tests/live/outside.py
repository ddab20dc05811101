#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files that another program cuts, replaces or moves during a capture: that is reported, and later rows are whole."""

import os
import pathlib
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import segments
import tracefs
from jankd import Checks, rows
from live import Capture, play, session
from mounts import pinned


def cut(path):
    os.truncate(path, 10)


def emptied(path):
    path.write_bytes(b"")


def replaced(path):
    path.with_suffix(".new").write_text("of another program\n")
    path.with_suffix(".new").rename(path)


def moved(path):
    path.rename(path.with_name("moved.csv"))


def appended(path):
    with path.open("ab") as file:
        file.write(b'half a row of "another program' + bytes(4000))


def moved_and_replaced(path):
    moved(path)
    path.symlink_to("/dev/null")


tracefs.root()
checks = Checks()
for change in (cut, emptied, replaced, moved, moved_and_replaced, appended):
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
        frames = len(rows(here / "after.csv")) + (len(rows(here / "before.csv")) if change == appended else 0)
        checks.equal(len(rows(out, "frames.csv")), frames, f"{what}: frames after it")
        if change in (cut, emptied):
            for path in segments.paths(out, "frames.csv"):
                checks.that(segments.is_whole(path.read_bytes()), f"{what}: {path.name} is not whole")
        events = [row["text"] for row in rows(out, "events.csv")]
        checks.equal(sum("frames.csv was" in text for text in events), 1, f"{what}: {events}")

# A file in the place of frames.csv that cannot be renamed: the message names it.
with session() as (mount, instance, here):
    out = here / "out"
    capture = Capture(mount, instance, out)
    checks.that(capture.wait_ready(), "pinned: jankd does not start")
    play(mount, instance, here / "before.csv", "--scenario", "steady-60", "--seconds", 1)
    time.sleep(1)
    replaced(out / "frames.csv")
    with pinned(out / "frames.csv") as is_pinned:
        play(mount, instance, here / "after.csv", "--scenario", "steady-60", "--seconds", 1)
        time.sleep(2)
    code, said, _ = capture.stop(signal.SIGTERM)
    if is_pinned:
        checks.that("frames.csv in " in said and "busy" in said and "No such file" not in said, f"pinned: {said}")
        counted = len(rows(out, "frames.csv"))
        checks.that(counted >= len(rows(here / "after.csv")), f"pinned: {counted} frames")
    else:
        checks.cannot_judge("pinned", "nothing can be mounted here")

# A folder that was moved and cannot be made again: rows are written into the moved one, and the reason is reported.
with session() as (mount, instance, here):
    out, parent = here / "parent" / "out", here / "parent"
    capture = Capture(mount, instance, out)
    checks.that(capture.wait_ready(), "moved for good: jankd does not start")
    parent.rename(here / "moved")
    parent.write_bytes(b"mine")
    play(mount, instance, here / "before.csv", "--scenario", "steady-60", "--seconds", 1)
    time.sleep(3)
    reported = [row["text"] for row in rows(here / "moved" / "out", "events.csv") if row["kind"] == "lost"]
    checks.equal(reported, ["the folder: Not a directory; unwritten rows are kept in memory"], "moved for good")
    parent.unlink()
    time.sleep(2)
    play(mount, instance, here / "after.csv", "--scenario", "steady-60", "--seconds", 1)
    time.sleep(1)
    code, said, _ = capture.stop(signal.SIGTERM)
    checks.equal(code, 0, f"moved for good: exit code: {said}")
    for where, truth in ((here / "moved" / "out", "before.csv"), (out, "after.csv")):
        checks.equal(len(rows(where, "frames.csv")), len(rows(here / truth)), f"moved for good: frames of {truth}")
    checks.that(not (here / "moved" / "out" / ".journal").exists(), "moved for good: a journal is left")
checks.end()
