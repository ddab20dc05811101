# SPDX-License-Identifier: Apache-2.0
"""If files cannot be written, the message has the reason and advice; 'stop' prints it once."""

import fcntl
import time
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from live import each, run, session


def lost(s):
    return [text for text in s.texts("lost") if ".lock" in text]


def folder_for_a_file(name):
    with session(f"a folder for {name}") as s, s.started() as daemon:
        s.play()
        (s.out / name).unlink(missing_ok=True)
        (s.out / name / "full").mkdir(parents=True)
        stopped = daemon.stop()
        said = stopped.stderr.decode()
        s.that(stopped.returncode == 1 and said.startswith(f"jankd: stop: {name} in "), f"stop: {said}")
        # Only this advice, none about the disk.
        s.that(": Is a directory; remove it or name another folder with -F\n" in said, f"stop: {said}")


def link_for_the_lock():
    """Later another program holds it, and at last it is removed: commands wait until the capture has made it again."""
    with session("a link for .lock") as s, s.started() as daemon:
        s.play()
        lock = s.out / ".lock"
        lock.unlink()
        lock.symlink_to("/etc/hostname")
        s.until(lambda: lost(s), "a report")
        s.that("it is a symbolic link" in " ".join(lost(s)), f"{lost(s)}")
        said = daemon.ask("status").stderr.decode()
        s.that(".lock: it is a symbolic link; remove it or name" in said, f"status: {said}")
        lock.unlink()
        s.until(lock.exists, ".lock is made again")
        s.reports(".lock was removed")
        locked = lambda: [text for text in lost(s) if "locked" in text]
        with open(s.here / "held", "w", encoding="ascii") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            (s.here / "held").rename(lock)
            s.until(locked, "a report of a lock that is held")
            time.sleep(2)
            s.equal(locked(), [".lock: it is locked by another program; unwritten rows are kept in memory"], "reported once")
        time.sleep(1.5)
        lock.unlink(missing_ok=True)
        done = s.daemon().start()
        s.equal((done.returncode, b"another jankd" in done.stderr), (1, True), f"a second start: {done.stderr!r}")
        for done in (daemon.ask("status"), daemon.stop()):
            s.equal(done.returncode, 0, f"a removed lock: {done}")
            s.that("start:" not in done.stdout.decode(), f"stop: {done.stdout}")


def left_as_it_is():
    """A warning of the daemon that 'stop' prints does not start with the name of another command."""
    with session("left as it is") as s, s.started() as daemon:
        s.play()
        s.write("buffer_size_kb", 9000)
        said = daemon.stop().stdout.decode()
        s.that("warning: " in said and "during the capture: not restored: " in said and "start:" not in said, said)


run(each(folder_for_a_file, "session.json", "summary.csv"), link_for_the_lock, left_as_it_is)
