#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""If files cannot be written, the message has the reason and advice; 'stop' prints it once."""

import fcntl
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import tracefs
from daemon import started, wait_until
from jankd import Checks, rows
from live import play, session


def lost(out, name):
    return [r["text"] for r in rows(out, "events.csv") if r["kind"] == "lost" and name in r["text"]]


def folder_for_a_file(checks, name):
    what = f"a folder for {name}"
    with session() as (mount, instance, here), started(checks, mount, instance, here / "out") as daemon:
        out = here / "out"
        play(mount, instance, here / "truth.csv", "--scenario", "steady-60", "--seconds", 1)
        (out / name).unlink(missing_ok=True)
        (out / name / "full").mkdir(parents=True)
        stopped = daemon.stop()
        said = stopped.stderr.decode()
        checks.equal(stopped.returncode, 1, f"{what}: stop: {said}")
        checks.that(said.startswith(f"jankd: stop: {name} in "), f"{what}: stop: {said}")
        # Only this advice, none about the disk.
        checks.that(": Is a directory; remove it or name another folder with -F\n" in said, f"{what}: stop: {said}")


def link_for_the_lock(checks):
    what = "a link for .lock"
    with session() as (mount, instance, here), started(checks, mount, instance, here / "out") as daemon:
        out = here / "out"
        play(mount, instance, here / "truth.csv", "--scenario", "steady-60", "--seconds", 1)
        (out / ".lock").unlink()
        (out / ".lock").symlink_to("/etc/hostname")
        checks.that(wait_until(lambda: lost(out, ".lock"), 10), f"{what}: not reported")
        checks.that("it is a symbolic link" in " ".join(lost(out, ".lock")), f"{what}: {lost(out, '.lock')}")
        said = daemon.ask("status").stderr.decode()
        checks.that(".lock: it is a symbolic link; remove it or name" in said, f"{what}: status: {said}")
        (out / ".lock").unlink()
        checks.that(wait_until((out / ".lock").exists, 10), f"{what}: .lock is not made again")
        stopped = daemon.stop()
        checks.equal(stopped.returncode, 0, f"{what}: stop: {stopped.stderr}")
        checks.that("start:" not in stopped.stdout.decode(), f"{what}: stop: {stopped.stdout}")


def removed_lock(checks):
    """Commands wait until the capture has created its lock again."""
    what = "a removed .lock"
    with session() as (mount, instance, here), started(checks, mount, instance, here / "out") as daemon:
        for command in ("status", "stop"):
            (here / "out" / ".lock").unlink()
            done = daemon.ask(command)
            checks.equal(done.returncode, 0, f"{what}: {command}: {done.stderr}")


def lock_is_held(checks):
    what = "another program holds .lock"
    with session() as (mount, instance, here), started(checks, mount, instance, here / "out") as daemon:
        out = here / "out"
        play(mount, instance, here / "truth.csv", "--scenario", "steady-60", "--seconds", 1)
        (out / ".lock").unlink()
        with open(out / ".lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            time.sleep(5)
        checks.equal(lost(out, ".lock"), [".lock: it is locked by another program; unwritten rows are kept in memory"],
                     f"{what}: reported once")
        time.sleep(2)
        checks.equal(daemon.stop().returncode, 0, f"{what}: stop")


def left_as_it_is(checks):
    """A warning of the daemon that 'stop' prints does not start with the name of another command."""
    with session() as (mount, instance, here), started(checks, mount, instance, here / "out") as daemon:
        play(mount, instance, here / "truth.csv", "--scenario", "steady-60", "--seconds", 1)
        (instance / "buffer_size_kb").write_text("9000")
        stopped = daemon.stop()
        said = stopped.stdout.decode()
        checks.that("warning: " in said and "during the capture: not restored: " in said and "start:" not in said, f"left as it is: {said}")


tracefs.root()
checks = Checks()
for name in ("session.json", "summary.csv"):
    folder_for_a_file(checks, name)
for case in (link_for_the_lock, removed_lock, lock_is_held, left_as_it_is):
    case(checks)
checks.end()
