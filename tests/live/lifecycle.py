#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A daemon continues when the process that started it ends, answers requests, and ends on request."""

import contextlib
import fcntl
import json
import os
import pathlib
import pty
import resource
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import tracefs
from daemon import CAPTURING, Daemon, is_alive, started, wait_until
from device import Device
from jankd import JANKD, Checks, jankd, rows
from live import play, session

SETTINGS = ("tracing_on", "buffer_size_kb", "trace_clock", "trace_options")
COUNTERS = ("events", "bytes", "lost", "malformed", "late", "unattributed_presents", "evicted_surfaces",
            "queue_high_water", "rotations", "restarts")
COSTS = ("cpu_ms", "children_cpu_ms", "rss_kb", "wakeups")


def settings(instance):
    return {name: (instance / name).read_text() for name in SETTINGS}


def is_free(folder):
    """True if no process holds the lock of @folder."""
    with open(folder / ".lock") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            return False


def counted(checks, what, mount, instance, here, daemon, seconds=1):
    """Plays @seconds and waits until all of its frames are counted. Returns all frames so far."""
    truth = here / "truth.csv"
    before = daemon.status()["counters"]["frames"]
    phone = play(mount, instance, truth, "--scenario", "steady-60", "--seconds", seconds)
    checks.equal(phone.returncode, 0, f"{what}: jank-phone: {phone.stderr[-300:]}")
    frames = before + len(rows(truth))
    checks.that(wait_until(lambda: daemon.status()["counters"]["frames"] == frames, 5),
                f"{what}: {daemon.status()['counters']['frames']} frames, {frames} were played")
    return frames


def ends(checks, what, daemon, instance, before, frames):
    done = daemon.stop()
    checks.equal(done.returncode, 0, f"{what}: stop: {done.stderr.decode()}")
    # All of this must hold when 'stop' returns, without a wait.
    checks.equal(len(rows(daemon.out, "frames.csv")), frames, f"{what}: frames")
    kinds = [row["kind"] for row in rows(daemon.out, "events.csv")]
    checks.equal((kinds[:1], kinds[-1:]), (["start"], ["stop"]), f"{what}: events {kinds}")
    checks.that(rows(daemon.out, "summary.csv"), f"{what}: no summary")
    checks.equal(json.loads((daemon.out / "session.json").read_text())["counters"]["frames"], frames,
                 f"{what}: session.json is not the last one")
    checks.equal(settings(instance), before, f"{what}: settings of the instance")
    checks.that(is_free(daemon.out), f"{what}: the folder is still locked")
    checks.that(wait_until(lambda: not is_alive(daemon.pid), 2), f"{what}: still there")


def is_detached(checks, what, pid):
    """The daemon has no session, terminal, folder or files of the process that started it. Returns its files."""
    stat = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    checks.that(int(stat[3]) not in (os.getsid(0), pid), f"{what}: session {stat[3]}")
    checks.equal(int(stat[4]), 0, f"{what}: a terminal")
    checks.equal(os.readlink(f"/proc/{pid}/cwd"), "/", f"{what}: working directory")
    names = {}
    for fd in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        try:
            names[int(fd.name)] = os.readlink(fd)
        except FileNotFoundError:
            continue
    checks.equal({names.get(fd) for fd in range(3)}, {"/dev/null"}, f"{what}: standard files")
    return names


def earlier_frames(checks):
    """Events that were in the buffers before the start are not counted."""
    for source in ("raw", "text"):
        what = f"earlier frames, {source}"
        with session() as (mount, instance, here):
            play(mount, instance, here / "before.csv", "--scenario", "steady-60", "--seconds", 1)
            with started(checks, mount, instance, here / "out", "--source", source) as daemon:
                time.sleep(0.8)
                checks.equal(daemon.status()["counters"]["frames"], 0, f"{what}: frames of before")
                frames = counted(checks, what, mount, instance, here, daemon)
                checks.equal(daemon.stop().returncode, 0, f"{what}: stop")
                checks.equal(len(rows(here / "out", "frames.csv")), frames, f"{what}: frames")
                lost = [row["text"] for row in rows(here / "out", "events.csv") if row["kind"] == "lost"]
                checks.equal(lost, [], f"{what}: lost")


def lock_removed(checks):
    """After .lock was removed a second jankd still cannot start."""
    what = "the lock is removed"
    with session() as (mount, instance, here), started(checks, mount, instance, here / "out") as daemon:
        (here / "out" / ".lock").unlink()
        second = Daemon(mount, instance, here / "out")
        done = second.start()
        checks.equal((done.returncode, b"another jankd" in done.stderr), (1, True), f"{what}: {done.stderr!r}")
        checks.equal(daemon.ask("status").returncode, 0, f"{what}: status")
        events = [row["text"] for row in rows(here / "out", "events.csv")]
        checks.that(any(".lock was removed" in text for text in events), f"{what}: {events}")
        checks.equal(daemon.stop().returncode, 0, f"{what}: stop")


def terminal_closes(checks):
    """'start' from a shell on a terminal; then the terminal is closed and the shell is killed."""
    what = "the terminal closes"
    try:
        for end in pty.openpty():
            os.close(end)
    except OSError as error:
        checks.cannot_judge(what, f"there is no terminal: {error}")
        return
    with session() as (mount, instance, here):
        before = settings(instance)
        daemon = Daemon(mount, instance, here / "out")
        extra = os.open(here / "inherited", os.O_CREAT | os.O_RDWR)
        os.set_inheritable(extra, True)
        shell, ours = pty.fork()
        if shell == 0:
            words = " ".join(f"'{word}'" for word in (JANKD, *daemon.command))
            os.execvp("sh", ["sh", "-c", f"{words}; sleep 100"])
        said = b""
        while b"\n" not in said:
            said += os.read(ours, 4096)
        found = CAPTURING.match(said.decode().replace("\r\n", "\n"))
        if checks.that(found, f"{what}: start said {said!r}"):
            daemon.pid = int(found.group(2))
        os.close(ours)
        os.kill(shell, signal.SIGHUP)
        os.kill(shell, signal.SIGKILL)
        os.waitpid(shell, 0)
        os.close(extra)
        try:
            checks.that(is_alive(daemon.pid), f"{what}: it has ended")
            names = is_detached(checks, what, daemon.pid)
            checks.that(str(here / "inherited") not in names.values(), f"{what}: inherited {names}")
            checks.that(not any("/dev/pts" in name or "pipe:" in name for name in names.values()),
                        f"{what}: inherited {names}")
            frames = counted(checks, what, mount, instance, here, daemon, 2)
            checks.equal([path for path in daemon.out.iterdir() if path.is_socket()], [],
                         f"{what}: a socket in the folder")
            ends(checks, what, daemon, instance, before, frames)
        finally:
            daemon.kill()


def hangup(checks):
    """SIGHUP makes a daemon read the rules again, and never ends it."""
    what = "SIGHUP"
    with session() as (mount, instance, here):
        rules, truth = here / "my.rules", here / "truth.csv"
        rules.write_bytes(jankd("rules", "show", "default").stdout)
        with started(checks, mount, instance, here / "out", "--rules", rules) as daemon:
            def reports(text):
                os.kill(daemon.pid, signal.SIGHUP)
                return wait_until(lambda: any(text in row["text"] for row in rows(daemon.out, "events.csv")), 3)

            player = threading.Thread(target=play, args=(mount, instance, truth, "--scenario", "steady-60",
                                                         "--seconds", 3))
            player.start()
            time.sleep(1)
            checks.that(reports("rules reloaded"), f"{what}: no event of the new rules")
            rules.write_text("frobnicate\n")
            checks.that(reports("old rules stay"), f"{what}: no event of the broken rules")
            checks.that("my.rules" in daemon.status()["last_words"], f"{what}: status has no last message")
            player.join()
            time.sleep(0.5)
            checks.equal(daemon.stop().returncode, 0, f"{what}: stop")
            frames, played = len(rows(daemon.out, "frames.csv")), len(rows(truth))
            # Frames that were latched but not presented when the rules changed are dropped.
            checks.that(played - 3 <= frames <= played, f"{what}: {frames} frames of {played}")


def second_one(checks):
    what = "a second one"
    with session() as (mount, instance, here):
        with started(checks, mount, instance, here / "out") as daemon:
            for command in (Daemon(mount, instance, here / "out"), Daemon(mount, instance, here / "other")):
                done = command.start()
                checks.equal(done.returncode, 1, f"{what}: exit code")
                said = done.stderr.decode()
                checks.that(said.startswith("jankd: start: ") and said.count("\n") == 1,
                            f"{what}: said {said!r}")
                checks.equal(done.stdout, b"", f"{what}: standard output")
            counted(checks, what, mount, instance, here, daemon)
            daemon.stop()
        again = Daemon(mount, instance, here / "out")
        checks.equal(again.start().returncode, 0, f"{what}: after the first has ended")
        again.stop()


def start_is_ended(checks):
    """If 'start' is ended while atrace is starting, the daemon ends and restores what it has changed."""
    what = "start is ended"
    with session() as (mount, instance, here):
        device = Device(here / "device", instance)
        before = settings(instance)
        start = subprocess.Popen([JANKD, "start", "--tracefs", mount, "--instance", instance.name, "-F", here / "out"],
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 env=device.environment(HANG="atrace"))
        checks.that(wait_until(device.log, 10), f"{what}: atrace was not called")
        pid = int((here / "out" / ".lock").read_text().split()[0])
        start.send_signal(signal.SIGTERM)
        out, error = start.communicate(timeout=60)
        checks.equal((start.returncode, out, error.count(b"\n")), (1, b"", 1), f"{what}: {error!r}")
        checks.that(wait_until(lambda: not is_alive(pid), 4), f"{what}: its daemon still runs")
        checks.equal(settings(instance), before, f"{what}: settings of the instance")
        checks.that(not (here / "out" / ".journal").exists(), f"{what}: a journal is left")
        if is_alive(pid):
            os.kill(pid, signal.SIGTERM)


def start_fails(checks):
    with session() as (mount, instance, here):
        for what, arguments in (("no rules", ("--rules", here / "none")), ("no tracefs", ("--tracefs", here))):
            done = Daemon(mount, instance, here / "out", *arguments).start()
            said = done.stderr.decode()
            checks.equal((done.returncode, done.stdout), (1, b""), f"{what}: {said}")
            checks.that(said.startswith("jankd: start: ") and said.count("\n") == 1, f"{what}: said {said!r}")
        (here / "file").write_text("")
        done = Daemon(mount, instance, here / "file").start()
        checks.equal(done.returncode, 1, f"a file for a folder: {done.stderr!r}")


def relative_paths(checks):
    """Paths are relative to the folder where 'start' ran, though the daemon runs in /."""
    with session() as (mount, instance, here):
        daemon = Daemon(mount, instance, "./deep/er", "--rules", "my.rules")
        (here / "my.rules").write_bytes(jankd("rules", "show", "default").stdout)
        done = daemon.start(cwd=here)
        checks.equal(done.returncode, 0, f"relative paths: {done.stderr!r}")
        checks.that((here / "deep" / "er" / "events.csv").exists(), "relative paths: no files")
        checks.equal(jankd("stop", "-F", "deep/er", cwd=here).returncode, 0, "relative paths: stop")
        daemon.kill()


@contextlib.contextmanager
def trace_clock(instance, name):
    (instance / "trace_clock").write_text(name)
    yield


def requests(checks):
    """status, mark, rotate, and top in a pipe."""
    what = "requests"
    with session() as (mount, instance, here), trace_clock(instance, "mono"), \
            started(checks, mount, instance, here / "out") as daemon:
        counted(checks, what, mount, instance, here, daemon)
        checks.equal(daemon.ask("mark", 'level "2"\n=begins, \\').returncode, 0, f"{what}: mark")
        marks = [row for row in rows(daemon.out, "events.csv") if row["kind"] == "mark"]
        checks.equal([row["text"] for row in marks], ['level "2"\\x0A=begins, \\'], f"{what}: mark")
        now = time.clock_gettime(time.CLOCK_MONOTONIC)
        checks.that(marks and abs(float(marks[0]["time(s)"]) - now) < 5, f"{what}: time of the mark")
        state = daemon.status()
        checks.equal((state["pid"], state["schema"]), (daemon.pid, 1), f"{what}: status")
        checks.equal(state["folder"], str(daemon.out), f"{what}: folder of status")
        checks.that(0 < state["uptime_s"] < 60, f"{what}: uptime {state['uptime_s']}")
        for name in COUNTERS:
            checks.that(name in state["counters"], f"{what}: status has no {name}")
        for name in COSTS:
            checks.that(state["cost"][name] >= 0, f"{what}: status has no {name}")
        checks.that(state["counters"]["frames"] > 30 and state["cost"]["rss_kb"] > 100, f"{what}: status {state}")
        words = daemon.ask("status").stdout.decode()
        for word in (str(daemon.out), str(daemon.pid), "presents", "lost", "CPU", "Surface"):
            checks.that(word in words, f"{what}: {word} is not in the status {words!r}")
        rotates(checks, what, daemon)
        top(checks, what, daemon)
        state = daemon.status()
        checks.equal(state["counters"]["rotations"], 2, f"{what}: rotations")
        daemon.stop()
        last = json.loads((daemon.out / "session.json").read_text())
        checks.equal(set(state) - set(last), {"pid", "uptime_s", "folder", "last_words", "running"},
                     f"{what}: status and session.json")


def rotates(checks, what, daemon):
    checks.equal(daemon.ask("rotate").returncode, 0, f"{what}: rotate")
    checks.that((daemon.out / "frames-000001.csv").exists(), f"{what}: rotate: no segment")
    daemon.ask("mark", "behind")
    os.kill(daemon.pid, signal.SIGUSR1)
    checks.that(wait_until(lambda: (daemon.out / "events-000002.csv").exists(), 3),
                f"{what}: SIGUSR1: no segment")


def top(checks, what, daemon):
    """In a pipe 'top' prints plain lines, and ends when its reader does."""
    reader = subprocess.Popen([JANKD, "top", "-F", daemon.out], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(2.5)
    reader.send_signal(signal.SIGINT)
    out, error = reader.communicate(timeout=10)
    checks.equal((reader.returncode, error), (0, b""), f"{what}: top")
    checks.that(b"\x1b" not in out and out.count(b"presents ") >= 2, f"{what}: top printed {out!r}")
    reader = subprocess.Popen([JANKD, "top", "-F", daemon.out], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    reader.stdout.readline()
    reader.stdout.close()
    checks.that(wait_until(lambda: reader.poll() is not None, 5), f"{what}: top still runs without a reader")
    reader.kill()
    reader.wait()


def ends_top(checks):
    with session() as (mount, instance, here), started(checks, mount, instance, here / "out") as daemon:
        reader = subprocess.Popen([JANKD, "top", "-F", daemon.out], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        reader.stdout.readline()
        daemon.stop()
        error = reader.communicate(timeout=10)[1]
        checks.equal((reader.returncode, error), (0, b""), "top when the daemon ends")


def foreground(checks):
    """'run' answers requests and can be stopped like a daemon."""
    what = "run"
    with session() as (mount, instance, here):
        out = here / "out"
        run = subprocess.Popen([JANKD, "run", "--tracefs", mount, "--instance", instance.name, "--no-atrace",
                                "-F", out], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        checks.that(wait_until(lambda: jankd("status", "-F", out).returncode == 0), f"{what}: no answer to status")
        play(mount, instance, here / "truth.csv", "--scenario", "steady-60", "--seconds", 1)
        done = jankd("stop", "-F", out)
        checks.equal(done.returncode, 0, f"{what}: stop: {done.stderr!r}")
        run.communicate(timeout=10)
        checks.equal(run.returncode, 0, f"{what}: exit code")


def nothing_seen(checks):
    """A capture without any marker has complete files, too; 'stop' says what is missing."""
    with session() as (mount, instance, here), started(checks, mount, instance, here / "out") as daemon:
        done = daemon.stop()
        checks.equal(done.returncode, 0, f"nothing seen: stop: {done.stderr!r}")
        checks.that(b"no markers" in done.stdout, f"nothing seen: {done.stdout!r}")


def killed(checks):
    """After SIGKILL 'status' reports that no daemon runs, and another can start."""
    with session() as (mount, instance, here), started(checks, mount, instance, here / "out") as daemon:
        os.kill(daemon.pid, signal.SIGKILL)
        wait_until(lambda: not is_alive(daemon.pid))
        done = daemon.ask("status")
        checks.equal(done.returncode, 1, "killed: status")
        checks.that(b"no jankd is running there" in done.stderr, f"killed: {done.stderr!r}")
        checks.equal(daemon.start().returncode, 0, "killed: the next one")
        checks.equal(daemon.stop().returncode, 0, "killed: stop of the next one")


def hangs(checks):
    """The wait for a daemon that does not answer is limited."""
    with session() as (mount, instance, here), started(checks, mount, instance, here / "out") as daemon:
        os.kill(daemon.pid, signal.SIGSTOP)
        begin = time.monotonic()
        done = daemon.ask("top")
        checks.that(done.returncode == 1 and time.monotonic() - begin < 20, f"hangs: {done}")
        checks.that(str(daemon.pid).encode() in done.stderr, f"hangs: {done.stderr!r}")
        os.kill(daemon.pid, signal.SIGCONT)
        checks.equal(daemon.ask("status").returncode, 0, "hangs: afterwards")


def small_stack(checks):
    """Processes that are started from a thread may have a small stack limit."""
    what = "a small stack"
    with session() as (mount, instance, here):
        daemon = Daemon(mount, instance, here / "out")
        done = daemon.start(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_STACK, (102400, 102400)))
        checks.equal(done.returncode, 0, f"{what}: start: {done.stderr}")
        play(mount, instance, here / "truth.csv", "--scenario", "steady-60", "--seconds", 1)
        checks.equal(daemon.ask("status").returncode, 0, f"{what}: status")
        checks.equal(daemon.stop().returncode, 0, f"{what}: stop")


tracefs.root()
checks = Checks()
for case in (terminal_closes, hangup, second_one, earlier_frames, lock_removed, start_fails, start_is_ended, relative_paths, requests, ends_top, foreground,
             small_stack, nothing_seen, killed, hangs):
    case(checks)
checks.end()
