#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A folder whose file system gives all files one owner: lock and journal are in another place, private to their owner."""

import contextlib
import fcntl
import os
import pathlib
import shutil
import signal
import socket
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
    """Lock and journal outside of the folder @out, by their suffix."""
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
    """What a killed jankd has changed is restored by 'stop', and by the next 'start'."""
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


def folder_for_the_probe(checks):
    """A folder in place of the probe file does not change where the lock is."""
    what = "a folder for .probe.tmp"
    with session() as (mount, instance, here), one_owner(here / "out"):
        daemon = Daemon(mount, instance, here / "out")
        daemon.start()
        (here / "out" / ".probe.tmp").mkdir()
        done = Daemon(mount, instance, here / "out").start()
        checks.that(done.returncode == 1 and b"another jankd (pid " in done.stderr and b"/out: " in done.stderr,
                    f"{what}: a second: {done}")
        checks.equal([path.name for path in (here / "out").glob(".[!p]*")], [], f"{what}: in the folder")
        checks.equal(daemon.stop().returncode, 0, f"{what}: stop")


def held_by_another(checks):
    """A lock that a killed jankd left does not hide the lock of another user's jankd, which runs."""
    what = "another user writes there"
    with session() as (mount, instance, here), one_owner(here / "out"):
        daemon = Daemon(mount, instance, here / "out")
        daemon.start()
        kill(daemon)
        with trap(here / "out", "lock", "{pid}\n{name}\n"):
            done = Daemon(mount, instance, here / "out").start()
            checks.that(done.returncode == 1 and b"another jankd" in done.stderr, f"{what}: {done}")
        done = daemon.stop()
        checks.equal(done.returncode, 0, f"{what}: stop: {done.stderr}")
        for path in hidden(here / "out").values():
            path.unlink()


def killed_of_another(checks):
    """A journal that another user's killed jankd left is reported."""
    what = "another user's jankd was killed there"
    with session() as (mount, instance, here), one_owner(here / "out"):
        (here / "out").mkdir()
        daemon = Daemon(mount, instance, here / "out")
        with trap(here / "out", "journal", "jankd-journal 1 \n"):
            for done in daemon.start(), daemon.stop():
                checks.that(done.returncode == 1 and b"as the user who ran that jankd" in done.stderr, f"{what}: {done}")
        daemon.kill()


def nowhere(checks):
    """If there is no safe place for the journal nothing is changed."""
    what = "no place is safe"
    with session() as (mount, instance, here), one_owner("/"):
        before = settings(instance)
        done = Daemon(mount, instance, here / "out", "--buffer-kb", "2048").start()
        checks.that(done.returncode == 1 and b"all files in its file system belong to one user" in done.stderr,
                    f"{what}: {done.stderr}")
        checks.equal(settings(instance), before, f"{what}: settings")


@contextlib.contextmanager
def trap(out, kind, text):
    """A false lock or journal for the folder @out, made and locked by another user, whose server answers requests."""
    info, name = out.stat(), f"jankd-trap-{os.getpid()}"
    place = pathlib.Path("/tmp/.jankd-65534")
    ready, notify = os.pipe()
    child = os.fork()
    if child == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
        place.mkdir(mode=0o700)
        path = place / f"{info.st_dev:x}-{info.st_ino:x}.{kind}"
        path.write_text(text.format(pid=os.getpid(), name=name))
        path.chmod(0o600)
        lock = path.open()
        fcntl.flock(lock, fcntl.LOCK_EX)
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind("\0" + name)
            listener.listen()
            os.write(notify, b"x")
            while True:
                client = listener.accept()[0]
                client.recv(100)
                client.sendall(b"ok\nthe trap\n")
                client.close()
    os.close(notify)
    os.read(ready, 1)
    os.close(ready)
    try:
        yield
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        shutil.rmtree(place)


def another_user(checks):
    """Requests of root go to its own jankd or to that of the folder's owner, not to another user's server."""
    what = "a trap"
    with session() as (mount, instance, here):
        out = here / "out"
        daemon = Daemon(mount, instance, out)
        daemon.start()
        with trap(out, "lock", "{pid}\n{name}\n"):
            out.chmod(0o777)
            checks.that(b"the trap" not in daemon.ask("status").stdout, f"{what}: status shows its answer")
            done = daemon.stop()
            checks.that(done.returncode == 0 and b"the trap" not in done.stdout, f"{what}: stop: {done}")
            checks.that(wait_until(lambda: not is_alive(daemon.pid)), f"{what}: it still runs")
            out.chmod(0o755)
            done = daemon.ask("status")
            checks.that(b"no jankd is running there" in done.stderr, f"{what}: a folder of another user: {done}")
        daemon.kill()


tracefs.root()
checks = Checks()
another_user(checks)
there = [place for place in PLACES if place.exists()]
lives_elsewhere(checks)
folder_for_the_probe(checks)
killed(checks, "stop")
killed(checks, "start")
held_by_another(checks)
killed_of_another(checks)
nowhere(checks)
for place in PLACES:
    if place not in there and place.exists():
        place.rmdir()
checks.end()
