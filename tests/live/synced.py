#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A file is synced before it is renamed, and again after: on vfat its size is in the directory entry."""

import os
import pathlib
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from jankd import BUILD, Checks, rows
from live import Capture, play, session
import tracefs



def fails(checks, part, *arguments):
    """A disk that has lost data is reported at the end, and with --sync before that."""
    with session() as (mount, instance, here):
        capture = Capture(mount, instance, here / "out", *arguments, FAIL_SYNCS=f"out/{part}",
                          LD_PRELOAD=str(BUILD / "tests" / "liblog_syncs.so"))
        checks.that(capture.wait_ready(), "jankd does not start")
        play(mount, instance, here / "truth.csv", "--scenario", "steady-60", "--seconds", 2)
        time.sleep(1)
        code, said, _ = capture.stop(signal.SIGTERM)
        what = f"the disk fails with {part}, {arguments}"
        checks.that(code == 1 and part in said, f"{what}: {code}: {said}")
        reported = [row for row in rows(here / "out", "events.csv") if row["kind"] == "lost" and part in row["text"]]
        checks.equal(len(reported), 1 if arguments else 0, f"{what}: events")


tracefs.root()
checks = Checks()
fails(checks, "frames.csv")
fails(checks, "frames.csv", "--sync", "1")
with session() as (mount, instance, here):
    log = here / "log"
    log.write_text("")
    os.environ["LOG_SYNCS"] = str(log)
    capture = Capture(mount, instance, here / "out", LD_PRELOAD=str(BUILD / "tests" / "liblog_syncs.so"))
    checks.that(capture.wait_ready(), "jankd does not start")
    play(mount, instance, here / "truth.csv", "--scenario", "steady-60", "--seconds", 2)
    time.sleep(1)
    capture.process.send_signal(signal.SIGUSR1)
    time.sleep(1)
    capture.stop(signal.SIGTERM)
    lines = [line.split(" ") for line in log.read_text().splitlines()]
    renamed = [(at, line[1], line[2]) for at, line in enumerate(lines) if line[0] == "rename"]
    names = {name for _, _, name in renamed}
    for name in ("summary.csv", "session.json", ".journal", "fps-000001.csv", "frames-000001.csv", "events-000001.csv"):
        checks.that(name in names, f"{name} was never renamed: {sorted(names)}")
    for at, inode, name in renamed:
        syncs = [i for i, line in enumerate(lines) if line[:2] == ["sync", inode]]
        checks.that(any(i < at for i in syncs), f"{name}: not on the disk before it has its name")
        checks.that(any(i > at for i in syncs), f"{name}: not on the disk with its name")
checks.end()
