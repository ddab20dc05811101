#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files that another program cuts, replaces or moves during a capture: that is reported, and later rows are whole."""

import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import segments
from jankd import rows
from live import each, run, session
from mounts import pinned

QUICK = 4


def emptied(path):
    path.write_bytes(b"")


def replaced(path):
    path.with_suffix(".new").write_text("of another program\n")
    path.with_suffix(".new").rename(path)


def moved_and_replaced(path):
    path.rename(path.with_name("moved.csv"))
    path.symlink_to("/dev/null")


def changed(change):
    with session(change.__name__) as s:
        capture = s.run(quick=QUICK)
        before = s.play()
        s.until(lambda: s.frames() == before, "frames before it")
        header = (s.out / "frames.csv").read_bytes().split(b"\n")[0]
        change(s.out / "frames.csv")
        s.reports("frames.csv was")
        frames = s.play()
        s.stop(capture)
        content = (s.out / "frames.csv").read_bytes()
        s.that(content.startswith(header + b"\n") and b"\0" not in content, f"{content[:100]!r}")
        s.equal(s.frames(), frames, "frames after it")
        for path in segments.paths(s.out, "frames.csv") if change == emptied else ():
            s.that(segments.is_whole(path.read_bytes()), f"{path.name} is not whole")
        s.equal(sum("frames.csv was" in text for text in s.texts()), 1, f"{s.texts()}")


def pinned_file():
    """A file in the place of frames.csv that cannot be renamed: the message names it."""
    with session("pinned") as s:
        capture = s.run(quick=QUICK)
        before = s.play()
        s.until(lambda: s.frames() == before, "frames before it")
        replaced(s.out / "frames.csv")
        with pinned(s.out / "frames.csv") as is_pinned:
            after = s.play()
            time.sleep(1)
        said = capture.stop()[1]
        if not is_pinned:
            s.cannot_judge("nothing can be mounted here")
            return
        s.that("frames.csv in " in said and "busy" in said and "No such file" not in said, said)
        s.that(s.frames() >= after, f"{s.frames()} frames")


def moved_for_good():
    """A folder that was moved and cannot be made again: rows are written into the moved one, and the reason is reported."""
    with session("moved for good") as s:
        parent, there = s.here / "parent", s.here / "moved" / "out"
        s.out = parent / "out"
        capture = s.run(quick=QUICK)
        parent.rename(s.here / "moved")
        parent.write_bytes(b"mine")
        before = s.play()
        s.until(lambda: s.texts("lost", there), "a report")
        s.until(lambda: len(rows(there, "frames.csv")) == before, "frames in the moved folder")
        s.equal(s.texts("lost", there), ["the folder: Not a directory; unwritten rows are kept in memory"], "reported")
        parent.unlink()
        s.until((s.out / "frames.csv").exists, "the folder is made again")
        after = s.play()
        s.stop(capture)
        s.equal((len(rows(there, "frames.csv")), s.frames()), (before, after), "frames")
        s.that(not (there / ".journal").exists(), "a journal is left")


run(each(changed, emptied, moved_and_replaced), pinned_file, moved_for_good)
