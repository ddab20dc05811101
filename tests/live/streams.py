#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The reader of standard output stops reading: the trace is still read, the files are whole, and signals work."""

import fcntl
import os
import pathlib
import pty
import signal
import subprocess
import sys
import termios
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import synthetic
from live import each, run, session

F_SETPIPE_SZ = 1031


def ends(s, capture, played):
    """The signal ends it even if its output is not read; all frames are in the files."""
    began = time.monotonic()
    capture.process.send_signal(signal.SIGTERM)
    try:
        error = capture.process.communicate(timeout=20)[1].decode()
    except subprocess.TimeoutExpired:
        capture.process.kill()
        s.that(False, "it hangs")
        return ""
    took = time.monotonic() - began
    s.that(took < 4, f"the end took {took:.1f} s")
    s.equal(capture.process.returncode, 0, f"exit code: {error}")
    s.equal(s.frames(), played, "frames")
    return error


def small_pipe(non_blocking=False):
    reader, writer = os.pipe()
    fcntl.fcntl(writer, F_SETPIPE_SZ, 4096)
    os.set_blocking(writer, not non_blocking)
    return reader, writer


def read_all(reader):
    taken = b""
    while part := os.read(reader, 65536):
        taken += part
    os.close(reader)
    return taken


def unread():
    """A small pipe that is not read."""
    with session("a pipe that is not read") as s:
        reader, writer = small_pipe()
        # Together the rows are longer than the pipe.
        capture = s.run("--stdout", "-k", "1", popen={"stdout": writer})
        os.close(writer)
        with s.marker() as write:
            for n in range(900):
                layer = f"com.example.{'x' * 900}{n % 20:02d}/.Main#0"
                write(*(line.split("tracing_mark_write: ", 1)[1] for line in synthetic.frame(0, n, layer).splitlines()))
                time.sleep(0.006)
        error = ends(s, capture, 900)
        taken, every = read_all(reader), (s.out / "fps.csv").read_bytes()
        s.that(taken and every.startswith(taken[:taken.rfind(b"\n") + 1]), f"{taken[:200]!r}")
        lost = every.count(b"\n") - taken.count(b"\n")
        s.that(lost > 0 and "rows are missing there" in error, f"{lost} rows, {error!r}")


def does_not_wait():
    """A pipe that the parent process has made non-blocking is not an error."""
    with session("a pipe that does not wait") as s:
        reader, writer = small_pipe(non_blocking=True)
        capture = s.run("--stdout", "-k", "1", popen={"stdout": writer})
        os.close(writer)
        s.play(seconds=3)
        capture.process.send_signal(signal.SIGTERM)
        taken = read_all(reader)
        error = capture.process.communicate(timeout=20)[1].decode()
        s.equal(capture.process.returncode, 0, f"exit code: {error}")
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
        ends(s, capture, s.play(seconds=3))
        termios.tcflow(its, termios.TCOON)
        os.close(ours)
        os.close(its)


run(unread, does_not_wait, each(stopped_terminal, (), ("--stdout",)))
