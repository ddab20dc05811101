# SPDX-License-Identifier: Apache-2.0
"""A folder whose file system gives all files one owner: lock and journal are in another place, private to their owner."""

import contextlib
import fcntl
import os
import pathlib
import shutil
import signal
import threading
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from daemon import is_alive
from live import each, preload, run, session
from others import OTHER_USER, listening

PLACES = [pathlib.Path(base) / f".jankd-{os.geteuid()}" for base in ("/data/local/tmp", "/run", "/var/tmp", "/tmp")]
SETTINGS = ("tracing_on", "buffer_size_kb", "options/record-tgid")
one_trap = threading.Lock()  # all are in one place


def hidden(s):
    """Lock and journal outside of the folder, by their suffix."""
    info = s.out.stat()
    key = f"{info.st_dev:x}-{info.st_ino:x}"
    return {path.suffix: path for place in PLACES if place.is_dir() for path in place.glob(f"{key}.*")}


@contextlib.contextmanager
def one_owner(what, where=None):
    """A session whose folder is on such a file system, or the folder @where. What a killed jankd leaves is removed."""
    with session(what) as s:
        s.environment = preload("one_owner", ONE_OWNER_IN=str(where or s.out))
        yield s
        for path in hidden(s).values() if s.out.exists() else ():
            path.unlink()


def refused(s, said, *arguments):
    done = s.daemon(*arguments, **s.environment).start()
    s.that(done.returncode == 1 and said in done.stderr, f"start: {done}")


def lives_elsewhere():
    """A folder in place of the probe file does not change where the lock is."""
    with one_owner("one owner") as s:
        before = s.read(*SETTINGS)
        with s.started("--buffer-kb", "2048", **s.environment) as daemon:
            found = hidden(s)
            s.equal(sorted(found), [".journal", ".lock", ".socket"], "hidden files")
            for path in found.values():
                s.equal((path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777), (0o600, 0o700), str(path))
            refused(s, b"another jankd")
            (s.out / ".probe.tmp").mkdir()
            refused(s, b"/out: another jankd (pid ")
            s.equal([path.name for path in s.out.glob(".[!p]*")], [], "in the folder")
            s.equal(daemon.ask("mark", "here").returncode, 0, "mark")
            s.play()
            stopped = daemon.stop()
        s.equal((stopped.returncode, s.read(*SETTINGS)), (0, before), f"stop: {stopped}")
        s.that(s.frames("summary.csv"), "no rows")
        s.equal(hidden(s), {}, "hidden files afterwards")


def killed(command):
    """What a killed jankd has changed is restored by 'stop', and by the next 'start'. A lock that it left does not hide
    the lock of another user's jankd, which runs."""
    with one_owner(f"killed, {command}") as s:
        before = s.read(*SETTINGS)
        with s.started("--buffer-kb", "2048", **s.environment) as daemon:
            s.that(s.read(*SETTINGS) != before, "nothing was changed")
            daemon.end(signal.SIGKILL)
            if command == "start":
                done = daemon.start()
                s.equal(done.returncode, 0, f"start: {done.stderr}")
                s.play()
            else:
                with trap(s, "lock", "{pid}\n{name}\n"):
                    refused(s, b"another jankd")
            done = daemon.stop()
            s.equal((done.returncode, s.read(*SETTINGS)), (0, before), f"stop: {done}")
            s.that(".journal" not in hidden(s), "the journal is left")


def killed_of_another():
    """A journal that another user's killed jankd left is reported."""
    with one_owner("another user's jankd was killed there") as s:
        s.out.mkdir()
        with trap(s, "journal", "jankd-journal 1 \n"):
            refused(s, b"as the user who ran that jankd")
            done = s.daemon(**s.environment).stop()
            s.that(done.returncode == 1 and b"as the user who ran that jankd" in done.stderr, f"stop: {done}")


def nowhere():
    """If there is no safe place for the journal nothing is changed."""
    with one_owner("no place is safe", "/") as s:
        before = s.read(*SETTINGS)
        refused(s, b"all files in its file system belong to one user", "--buffer-kb", "2048")
        s.equal(s.read(*SETTINGS), before, "settings")


@contextlib.contextmanager
def trap(s, kind, text):
    """A false lock or journal for the folder, made and locked by another user, whose server answers requests."""
    info, name, place = s.out.stat(), f"jankd-trap-{os.getpid()}", pathlib.Path(f"/tmp/.jankd-{OTHER_USER}")

    def begin():
        place.mkdir(mode=0o700)
        path = place / f"{info.st_dev:x}-{info.st_ino:x}.{kind}"
        path.write_text(text.format(pid=os.getpid(), name=name))
        path.chmod(0o600)
        lock = path.open()
        fcntl.flock(lock, fcntl.LOCK_EX)
        return lock

    with one_trap:
        try:
            with listening(name, lambda client: (client.recv(100), client.sendall(b"ok\nthe trap\n")), OTHER_USER, begin):
                yield
        finally:
            shutil.rmtree(place)


def another_user():
    """Requests of root go to its own jankd or to that of the folder's owner, not to another user's server."""
    with session("a trap") as s, s.started() as daemon, trap(s, "lock", "{pid}\n{name}\n"):
        s.out.chmod(0o777)
        s.play()
        s.that(b"the trap" not in daemon.ask("status").stdout, "status shows its answer")
        done = daemon.stop()
        s.that(done.returncode == 0 and b"the trap" not in done.stdout, f"stop: {done}")
        s.until(lambda: not is_alive(daemon.pid), "its end")
        s.out.chmod(0o755)
        done = daemon.ask("status")
        s.that(b"no capture writes to this folder" in done.stderr, f"a folder of another user: {done}")


there = [place for place in PLACES if place.exists()]
try:
    run(another_user, lives_elsewhere, each(killed, "stop", "start"), killed_of_another, nowhere)
finally:
    for place in PLACES:
        if place not in there and place.exists():
            with contextlib.suppress(OSError):
                place.rmdir()
