#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A folder whose file system gives all files one owner: lock and journal are elsewhere, for their owner alone."""

import contextlib
import os
import pathlib
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import tracefs
from daemon import Daemon, is_alive, wait_until
from jankd import BUILD, Checks, rows
from live import play, session

PLACES = [pathlib.Path(base) / f".jankd-{os.geteuid()}" for base in ("/data/local/tmp", "/run", "/var/tmp", "/tmp")]
SETTINGS = ("tracing_on", "buffer_size_kb", "options/record-tgid")


def settings(instance):
    return {name: (instance / name).read_text() for name in SETTINGS}


def hidden(out):
    """Files of our own place, by their kind; none is elsewhere."""
    info = out.stat()
    key = f"{info.st_dev:x}-{info.st_ino:x}"
    return {path.suffix: path for place in PLACES if place.is_dir() for path in place.glob(f"{key}.*")}


@contextlib.contextmanager
def one_owner(where):
    os.environ.update(LD_PRELOAD=str(BUILD / "tests" / "libone_owner.so"), ONE_OWNER_IN=str(where))
    try:
        yield
    finally:
        del os.environ["LD_PRELOAD"], os.environ["ONE_OWNER_IN"]


def kill(daemon):
    os.kill(daemon.pid, signal.SIGKILL)
    wait_until(lambda: not is_alive(daemon.pid))


def lives_elsewhere(checks):
    what = "one owner"
    with session() as (mount, instance, here), one_owner(here / "out"):
        out, before = here / "out", settings(instance)
        daemon = Daemon(mount, instance, out, "--buffer-kb", "2048")
        done = daemon.start()
        checks.equal(done.returncode, 0, f"{what}: start: {done.stderr}")
        found = hidden(out)
        checks.equal(sorted(found), [".journal", ".lock"], f"{what}: hidden files")
        for path in found.values():
            checks.equal((path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777), (0o600, 0o700), str(path))
        checks.equal([path.name for path in out.iterdir() if path.name.startswith(".")], [], f"{what}: in the folder")
        second = Daemon(mount, instance, out).start()
        checks.that(second.returncode == 1 and b"another jankd" in second.stderr, f"{what}: a second: {second.stderr}")
        checks.equal(daemon.ask("mark", "here").returncode, 0, f"{what}: mark")
        play(mount, instance, here / "truth.csv", "--scenario", "steady-60", "--seconds", 1)
        stopped = daemon.stop()
        checks.equal(stopped.returncode, 0, f"{what}: stop: {stopped.stderr}")
        checks.equal(settings(instance), before, f"{what}: settings")
        checks.that(rows(out, "summary.csv"), f"{what}: no rows")
        checks.equal(hidden(out), {}, f"{what}: hidden files afterwards")


def killed(checks, command):
    """What a killed one has changed is put back by 'stop', and by the next 'start'."""
    what = f"one owner, killed, {command}"
    with session() as (mount, instance, here), one_owner(here / "out"):
        out, before = here / "out", settings(instance)
        daemon = Daemon(mount, instance, out, "--buffer-kb", "2048")
        daemon.start()
        checks.that(settings(instance) != before, f"{what}: nothing was changed")
        kill(daemon)
        if command == "start":
            done = daemon.start()
            checks.equal(done.returncode, 0, f"{what}: start: {done.stderr}")
        done = daemon.stop()
        checks.equal(done.returncode, 0, f"{what}: stop: {done.stderr}")
        checks.equal(settings(instance), before, f"{what}: settings")
        checks.equal(".journal" in hidden(out), False, f"{what}: the journal is left")
        for path in hidden(out).values():
            path.unlink()


def nowhere(checks):
    """Where no place is safe nothing is changed."""
    what = "no place is safe"
    with session() as (mount, instance, here), one_owner("/"):
        before = settings(instance)
        done = Daemon(mount, instance, here / "out", "--buffer-kb", "2048").start()
        checks.that(done.returncode == 1 and b"its file system gives all files to one user" in done.stderr,
                    f"{what}: {done.stderr}")
        checks.equal(settings(instance), before, f"{what}: settings")


tracefs.root()
checks = Checks()
there = [place for place in PLACES if place.exists()]
lives_elsewhere(checks)
killed(checks, "stop")
killed(checks, "start")
nowhere(checks)
for place in PLACES:
    if place not in there and place.exists():
        place.rmdir()
checks.end()
