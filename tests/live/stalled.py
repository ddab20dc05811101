# SPDX-License-Identifier: Apache-2.0
"""A disk that stalls, a pipe and a client that do not read, an atrace that hangs, all at once, at 10,000 events/s:
no event and no row of a file is lost, and 'stop' restores tracing without waiting for the disk. The same of a standard output that does not wait,
and of a terminal that is stopped."""

import contextlib
import fcntl
import os
import pty
import signal
import subprocess
import termios
import time
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
import segments
from device import Device
from jankd import JANKD, jankd, rows
from live import each, preload, run, session

RATE, STALL_S = 10000, 5

# For each CPU. Between two drains come 40 KB for each; this is full in less than half a second.
BUFFER_KB = 512

SETTINGS = ("tracing_on", "buffer_size_kb", "trace_clock", "options/overwrite", "options/record-tgid")


def ask(s, command, *arguments):
    """(exit code, output, seconds that it took)."""
    began = time.monotonic()
    try:
        done = jankd(command, "-F", s.out, *arguments, timeout=20)
    except subprocess.TimeoutExpired:
        return None, "it hangs", time.monotonic() - began
    return done.returncode, (done.stdout + done.stderr).decode(errors="replace"), time.monotonic() - began


def never_read(daemon):
    """A client that requests much and reads nothing, and one that requests nothing."""
    clients = [daemon.connect() for _ in range(2)]
    clients[0].sendall(b"top 4096 4096\n")
    return clients


def all_is_there(s, markers, frames):
    counters = s.counters()
    s.equal(counters["records"], markers, "events")
    s.equal((counters["lost_events"], counters["lost_unknown"], counters["rows_lost"]), (0, 0, 0), "lost")
    s.equal(len(segments.rows(s.out, "frames.csv")), frames, "rows of frames.csv")
    for name, counts in counters["rows"].items():
        s.equal(len(segments.rows(s.out, name)), counts["written"], f"rows of {name}")
    events = [row["text"] for row in segments.rows(s.out, "events.csv")]
    s.equal(rows(s.out, "events.csv")[-1]["kind"], "stop", "the last event")
    s.that(any("the disk is not responding" in text for text in events), f"not reported: {events}")
    s.that("the disk responds again" in events and "in between" in events, f"its end and the mark: {events}")


def answers(s):
    """Requests are answered while the disk stalls."""
    s.until(lambda: "disk     has not responded" in ask(s, "status")[1], "status: the disk", 6)
    for command, expected in ((("status", "--json"), 0), (("mark", "in between"), 0), (("rotate",), 1)):
        code, said, took = ask(s, *command)
        s.that(took < 3, f"{command[0]} took {took:.1f} s: {said}")
        s.equal(code, expected, f"{command[0]}: {said[-200:]}")


def ends(s, capture, stalls, before):
    """Of two rotate requests at once the second fails: there are no rows, and no segment for one event is made. 'stop'
    returns when tracing is restored; the files are completed when the disk responds again."""
    stalls.touch()
    time.sleep(0.3)
    asking = [subprocess.Popen([JANKD, "rotate", "-F", s.out], stdout=subprocess.PIPE, stderr=subprocess.STDOUT) for _ in range(2)]
    said = [process.communicate(timeout=20)[0] for process in asking]
    s.equal(sorted(process.returncode for process in asking), [0, 1], f"two rotate: {said}")
    code, said, took = ask(s, "stop")
    now = s.read(*SETTINGS)
    s.that(code == 1 and "the files are not complete yet" in said, f"stop: {code}: {said}")
    # Both captures end at once, and one restores tracing after the other.
    s.that(took < 4, f"stop took {took:.1f} s")
    s.equal(now, before, "settings when stop has answered")
    time.sleep(1)
    s.equal(capture.process.poll(), None, "it ends before the files are complete")
    s.equal(ask(s, "status")[0], 0, "status while it ends")
    stalls.unlink()
    error = capture.process.communicate(timeout=30)[1].decode(errors="replace")
    s.equal(capture.process.returncode, 0, f"exit code: {error}")
    s.that("rows are missing there" in error, f"the rows that the pipe does not have: {error!r}")
    s.that(not (s.out / ".journal").exists(), "the journal is left")


def stalled(source):
    with session(source) as s:
        s.write("buffer_size_kb", BUFFER_KB)
        before, stalls = s.read(*SETTINGS), s.here / "stalls"
        reader, writer = os.pipe()  # never read
        fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
        capture = s.run("--source", source, "--buffer-kb", str(BUFFER_KB), "--stdout", "-k", "1", "-T", "2", "--sync", "1",
                        device=Device(s.here / "device", s.instance), HANG="--async_stop", popen={"stdout": writer},
                        **preload("disk", STALL_IN=str(s.out), STALL_WHILE=str(stalls)))
        os.close(writer)
        try:
            clients = never_read(s.daemon())
            load = s.load(RATE, STALL_S + 2, threads=20)
            time.sleep(1)
            stalls.touch()
            began = time.monotonic()
            answers(s)
            time.sleep(max(STALL_S - (time.monotonic() - began), 0))
            stalls.unlink()
            markers, frames = s.loaded(load)
            s.until(lambda: "the disk responds again" in [row["text"] for row in segments.rows(s.out, "events.csv")], "the disk responds again")
            ends(s, capture, stalls, before)
            all_is_there(s, markers, frames)
            taken, every = os.read(reader, 65536), segments.joined(s.out, "fps.csv")
            s.that(taken and every.startswith(taken[:taken.rfind(b"\n") + 1]) and len(taken) < len(every), f"the pipe: {taken[:200]!r}")
        finally:
            with contextlib.suppress(FileNotFoundError):
                stalls.unlink()
            capture.process.kill()
            capture.process.communicate()
            for file in clients:
                file.close()
            os.close(reader)


def does_not_wait():
    """A pipe that the parent process has made non-blocking is not an error."""
    with session("a pipe that does not wait") as s:
        reader, writer = os.pipe()
        fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
        os.set_blocking(writer, False)
        capture = s.run("--stdout", "-k", "1", popen={"stdout": writer})
        os.close(writer)
        s.play(seconds=3)
        capture.process.send_signal(signal.SIGTERM)
        with open(reader, "rb") as file:
            taken = file.read()
        s.equal(capture.ended()[0], 0, "exit code")
        s.equal(taken, (s.out / "fps.csv").read_bytes(), "rows")


def stopped_terminal(*arguments):
    """A terminal that is stopped by Ctrl-S."""
    with session(f"a terminal that is stopped {arguments}") as s:
        try:
            ours, its = pty.openpty()
        except OSError as error:
            s.cannot_judge(f"there is no terminal: {error}")
            return
        capture = s.run(*arguments, popen={"stdout": its})
        s.that(os.read(ours, 65536), "it prints nothing")
        termios.tcflow(its, termios.TCOOFF)
        played, began = s.play(seconds=3), time.monotonic()
        s.stop(capture)
        s.that(time.monotonic() - began < 4, f"the end took {time.monotonic() - began:.1f} s")
        s.equal(s.frames(), played, "frames")
        termios.tcflow(its, termios.TCOON)
        os.close(ours)
        os.close(its)


run(each(stalled, "raw", "text"), does_not_wait, each(stopped_terminal, (), ("--stdout",)))
