# SPDX-License-Identifier: Apache-2.0
"""A daemon continues when the process that started it ends, answers requests, and ends on request. After a capture has ended, by any signal, its
files are complete and on the disk, atrace was stopped, and tracing is restored."""

import fcntl
import json
import os
import pathlib
import pty
import resource
import signal
import subprocess
import time
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from daemon import CAPTURING, is_alive, wait_until
from device import Device
from jankd import JANKD, rows
from live import Capture, each, preload, run, session

SETTINGS = ("tracing_on", "buffer_size_kb", "trace_clock", "trace_options")
BEGUN, ENDED = "atrace -b 1024 -c --async_start gfx view", "atrace --async_stop"


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


def ended_by(number):
    with session(f"ended by {number.name}") as s:
        before, device = s.read(*SETTINGS), Device(s.here / "device", s.instance)
        capture = s.run(device=device)
        played = s.play()
        s.stop(capture, number)
        s.equal([line for line in device.log() if line.startswith("atrace")], [BEGUN, ENDED], "calls of atrace")
        s.equal(s.frames(), played, "frames")
        kinds = [row["kind"] for row in rows(s.out, "events.csv")]
        s.that("start" in kinds and kinds[-1:] == ["stop"], f"events {kinds}")
        s.that(s.frames("summary.csv"), "no summary")
        s.equal(s.read(*SETTINGS), before, "settings of the instance")


def under_nohup():
    """A capture that is started with SIGHUP ignored is not ended by SIGHUP."""
    with session("under nohup") as s:
        capture = s.run(popen={"preexec_fn": lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)})
        played = s.play()
        capture.process.send_signal(signal.SIGHUP)
        time.sleep(0.3)
        if s.equal(capture.process.poll(), None, "SIGHUP ended it"):
            s.stop(capture)
            s.equal(s.frames(), played, "frames")


def another_reads():
    """It ends with one line, before a wait if it cannot work."""
    with session("another program reads") as s, open(s.instance / "trace_pipe", "rb", buffering=0):
        code, said = Capture(s.mount, s.instance, s.out, "--wait", "600").ended()
        s.that(code == 1 and said.startswith("jankd: ") and ";" in said and said.count("\n") == 1, f"{code}: {said!r}")


def without_atrace(*arguments):
    with session(f"{arguments}") as s:
        device = Device(s.here / "device", s.instance)
        Capture(s.mount, s.instance, s.out, *arguments, device=device).ended()
        s.equal([line for line in device.log() if line.startswith("atrace")], [], "calls of atrace")


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
    """A file is synced before it is renamed, and again after: on vfat its size is in the directory entry."""
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


run(terminal_closes, top_in_a_pipe, each(earlier_frames, "raw", "text"), start_is_ended, small_stack,
    each(ended_by, signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR2, signal.SIGALRM, signal.SIGXCPU, signal.SIGPWR),
    under_nohup, another_reads,
    each(without_atrace, ("--no-atrace", "--duration", "0.3"), ("--rules", "/no/such/file")),
    each(fails, (), ("--sync", "1")), in_order)
