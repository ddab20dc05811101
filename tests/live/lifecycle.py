# SPDX-License-Identifier: Apache-2.0
"""A daemon continues when the process that started it ends, answers requests, and ends on request."""

import fcntl
import json
import os
import pathlib
import pty
import resource
import signal
import subprocess
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from daemon import CAPTURING, is_alive, wait_until
from device import Device
from jankd import JANKD, rows
from live import each, run, session

SETTINGS = ("tracing_on", "buffer_size_kb", "trace_clock", "trace_options")


def is_free(folder):
    """True if no process holds the lock of @folder."""
    with open(folder / ".lock") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            return False


def counted(s, daemon):
    """Plays and waits until all of its frames are counted. Returns all frames so far."""
    frames = daemon.status()["counters"]["frames"] + s.play()
    s.until(lambda: daemon.status()["counters"]["frames"] == frames, f"{frames} frames")
    return frames


def is_detached(s, pid):
    """The daemon has no session, terminal, folder or files of the process that started it."""
    stat = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    s.that(int(stat[3]) not in (os.getsid(0), pid), f"session {stat[3]}")
    s.equal(int(stat[4]), 0, "a terminal")
    s.equal(os.readlink(f"/proc/{pid}/cwd"), "/", "working directory")
    names = {}
    for fd in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        try:
            names[int(fd.name)] = os.readlink(fd)
        except FileNotFoundError:
            continue
    s.equal({names.get(fd) for fd in range(3)}, {"/dev/null"}, "standard files")
    s.that(not any("/dev/pts" in name or "pipe:" in name or "inherited" in name for name in names.values()), f"inherited {names}")


def terminal_closes():
    """'start' from a shell on a terminal; then the terminal is closed and the shell is killed."""
    with session("the terminal closes") as s:
        before = s.read(*SETTINGS)
        daemon = s.daemon()
        extra = os.open(s.here / "inherited", os.O_CREAT | os.O_RDWR)
        os.set_inheritable(extra, True)
        words = " ".join(f"'{word}'" for word in (JANKD, *daemon.command))
        try:
            shell, ours = pty.fork()
        except OSError as error:
            s.cannot_judge(f"there is no terminal: {error}")
            return
        if shell == 0:
            os.execvp("sh", ["sh", "-c", f"{words}; sleep 100"])
        said = b""
        while b"\n" not in said:
            said += os.read(ours, 4096)
        found = CAPTURING.match(said.decode().replace("\r\n", "\n"))
        if s.that(found, f"start said {said!r}"):
            daemon.pid = int(found.group(2))
        os.close(ours)
        os.kill(shell, signal.SIGHUP)
        os.kill(shell, signal.SIGKILL)
        os.waitpid(shell, 0)
        os.close(extra)
        try:
            s.that(is_alive(daemon.pid), "it has ended")
            is_detached(s, daemon.pid)
            frames = counted(s, daemon)
            s.equal([path.name for path in daemon.out.iterdir() if path.is_socket()], [".socket"], "sockets in the folder")
            state = daemon.status()
            s.equal((state["pid"], state["folder"]), (daemon.pid, str(s.out)), "status")
            s.that(all(state["cost"][name] >= 0 for name in ("cpu_ms", "children_cpu_ms", "wakeups"))
                   and state["cost"]["rss_kb"] > 100 and 0 < state["uptime_s"] < 60, f"status {state}")
            ends(s, daemon, before, frames)
            last = json.loads((s.out / "session.json").read_text())
            s.equal(set(state) - set(last), {"pid", "uptime_s", "folder", "last_words", "running"}, "status and session.json")
        finally:
            daemon.kill()


def ends(s, daemon, before, frames):
    """All of this holds when 'stop' returns, without a wait."""
    done = daemon.stop()
    s.equal(done.returncode, 0, f"stop: {done.stderr.decode()}")
    s.equal(s.frames(), frames, "frames")
    kinds = [row["kind"] for row in rows(daemon.out, "events.csv")]
    s.equal((kinds[:1], kinds[-1:]), (["start"], ["stop"]), f"events {kinds}")
    s.that(s.frames("summary.csv"), "no summary")
    s.equal(json.loads((daemon.out / "session.json").read_text())["counters"]["frames"], frames, "session.json is not the last one")
    s.equal(s.read(*SETTINGS), before, "settings of the instance")
    s.that(is_free(daemon.out), "the folder is still locked")
    s.that(wait_until(lambda: not is_alive(daemon.pid), 2), "still there")


def earlier_frames(source):
    """Events that were in the buffers before the start are not counted."""
    with session(f"earlier frames, {source}") as s:
        s.play()
        with s.started("--source", source) as daemon:
            s.until(lambda: daemon.status()["counters"]["records"] > 0 or daemon.status()["uptime_s"] > 0.8, "a read")
            s.equal(daemon.status()["counters"]["frames"], 0, "frames of before")
            frames = counted(s, daemon)
            s.equal(daemon.stop().returncode, 0, "stop")
            s.equal(s.frames(), frames, "frames")
            s.equal(s.texts("lost"), [], "lost")


def start_is_ended():
    """If 'start' is ended while atrace is starting, the daemon ends and restores what it has changed."""
    with session("start is ended") as s:
        device = Device(s.here / "device", s.instance)
        before = s.read(*SETTINGS)
        start = subprocess.Popen([JANKD, "start", "--tracefs", s.mount, "--instance", s.instance.name, "-F", s.out],
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 env=device.environment(HANG="atrace"))
        s.until(device.log, "atrace is called")
        pid = int((s.out / ".lock").read_text().split()[0])
        start.send_signal(signal.SIGTERM)
        out, error = start.communicate(timeout=60)
        s.equal((start.returncode, out, error.count(b"\n")), (1, b"", 1), f"{error!r}")
        s.until(lambda: not is_alive(pid), "its daemon ends", 4)
        s.equal(s.read(*SETTINGS), before, "settings of the instance")
        s.that(not (s.out / ".journal").exists(), "a journal is left")


def top_in_a_pipe():
    """It prints plain lines, and ends when nothing reads them any more."""
    with session("top") as s, s.started() as daemon:
        top = subprocess.Popen([JANKD, "top", "-F", s.out], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        said = b""
        while said.count(b"presents ") < 2 and (line := top.stdout.readline()):
            said += line
        s.that(said and b"\x1b" not in said, f"{said!r}")
        top.stdout.close()
        s.until(lambda: top.poll() is not None, "its end", 5)
        top.kill()
        s.equal(top.communicate()[1], b"", "errors")


def small_stack():
    """Processes that are started from a thread may have a small stack limit."""
    with session("a small stack") as s:
        daemon = s.daemon()
        done = daemon.start(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_STACK, (102400, 102400)))
        s.equal(done.returncode, 0, f"start: {done.stderr}")
        s.play()
        s.equal(daemon.ask("status").returncode, 0, "status")
        s.equal(daemon.stop().returncode, 0, "stop")


run(terminal_closes, top_in_a_pipe, each(earlier_frames, "raw", "text"), start_is_ended, small_stack)
