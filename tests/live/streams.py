#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A standard output that does not wait, or a terminal that is stopped: the trace is still read, the files are whole, and
signals work. A pipe that is never read: stalled.py."""

import fcntl
import os
import pty
import signal
import termios
import time
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from live import each, run, session


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


run(does_not_wait, each(stopped_terminal, (), ("--stdout",)))
