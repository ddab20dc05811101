#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A file is synced before it is renamed, and again after: on vfat its size is in the directory entry."""

import signal
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from live import each, preload, run, session


def fails(*arguments):
    """A disk that has lost data is reported at the end, and with --sync before that."""
    with session(f"the disk fails, {arguments}") as s:
        capture = s.run(*arguments, **preload("disk", FAIL_SYNCS="out/frames.csv"))
        s.play()
        lost = lambda: [text for text in s.texts("lost") if "frames.csv" in text]
        if arguments:
            s.until(lost, "an event")
        said = s.stop(capture, code=1)
        s.that("frames.csv" in said, said)
        s.equal(len(lost()), 1 if arguments else 0, "events")


def in_order():
    with session("in order") as s:
        log = s.here / "log"
        log.write_text("")
        capture = s.run(**preload("disk", LOG_SYNCS=str(log)))
        played = s.play(seconds=2)
        s.until(lambda: s.frames() == played, "frames")
        capture.process.send_signal(signal.SIGUSR1)
        s.until((s.out / "events-000001.csv").exists, "a segment")
        capture.stop(signal.SIGTERM)
        lines = [line.split(" ") for line in log.read_text().splitlines()]
        renamed = [(at, line[1], line[2]) for at, line in enumerate(lines) if line[0] == "rename"]
        wanted = {"summary.csv", "session.json", ".journal", "fps-000001.csv", "frames-000001.csv", "events-000001.csv"}
        s.equal(wanted - {name for _, _, name in renamed}, set(), "never renamed")
        # While tracing is on and nothing reads the trace yet, nothing waits for the disk. A power cut makes a journal void.
        first = [name for _, _, name in renamed].index("session.json")
        began = [at for at, _, name in renamed[:first] if name == ".journal"]
        s.that(not any(line[0] == "sync" for line in lines[began[0]:renamed[first][0]]), f"it syncs while tracing is on: {lines[:20]}")
        for at, inode, name in [row for i, row in enumerate(renamed) if i != first and row[2] != ".journal"]:
            syncs = [i for i, line in enumerate(lines) if line[:2] == ["sync", inode]]
            s.that(any(i < at for i in syncs), f"{name}: not on the disk before it has its name")
            s.that(any(i > at for i in syncs), f"{name}: not on the disk with its name")


run(each(fails, (), ("--sync", "1")), in_order)
