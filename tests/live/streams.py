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
from jankd import JANKD, Checks, rows
from live import play, session
import tracefs

F_SETPIPE_SZ = 1031


def begin(mount, instance, here, stdout, *arguments):
    process = subprocess.Popen([JANKD, "run", "--tracefs", mount, "--instance", instance.name, "--no-atrace",
                                "--frames-log", "-F", here / "out", *arguments],
                               stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 20
    while not (here / "out" / "events.csv").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    return process


def ends(checks, what, process, number, truth, out):
    """The signal ends it even if its output is not read; all frames are in the files."""
    began = time.monotonic()
    process.send_signal(number)
    try:
        error = process.communicate(timeout=20)[1].decode()
    except subprocess.TimeoutExpired:
        process.kill()
        checks.that(False, f"{what}: it hangs")
        return ""
    took = time.monotonic() - began
    checks.that(took < 4, f"{what}: the end took {took:.1f} s")
    checks.equal(process.returncode, 0, f"{what}: exit code: {error}")
    checks.equal(len(rows(out, "frames.csv")), len(rows(truth)), f"{what}: frames")
    return error


def unread(checks):
    """A small pipe that is not read."""
    what = "a pipe that is not read"
    with session() as (mount, instance, here):
        reader, writer = os.pipe()
        fcntl.fcntl(writer, F_SETPIPE_SZ, 4096)
        # Together the rows are longer than the pipe.
        layers = [f"com.example.{'x' * 900}{n:02d}/.Main#0" for n in range(20)]
        process = begin(mount, instance, here, writer, "--stdout", "-k", "1")
        truth = here / "truth.csv"
        with open(instance / "trace_marker", "wb", buffering=0) as marker:
            for n in range(1800):
                layer = layers[n % len(layers)]
                for text in (f"C|77|{layer}|1", "B|77|handleMessageInvalidate", "B|77|latchBuffer",
                             "B|77|acquireBuffer", f"C|77|{layer}|0", "E|77", "E|77", "E|77",
                             "B|77|handleMessageRefresh", "B|77|postFramebuffer", "E|77", "E|77"):
                    marker.write(text.encode())
                time.sleep(0.006)
        truth.write_text("frame\n" + "1\n" * 1800)
        time.sleep(0.5)
        error = ends(checks, what, process, signal.SIGTERM, truth, here / "out")
        os.close(writer)
        taken = b""
        while part := os.read(reader, 65536):
            taken += part
        os.close(reader)
        every = (here / "out" / "fps.csv").read_bytes()
        checks.that(taken and every.startswith(taken[:taken.rfind(b"\n") + 1]), f"{what}: {taken[:200]!r}")
        lost = every.count(b"\n") - taken.count(b"\n")
        checks.that(lost > 0 and "rows are missing there" in error, f"{what}: {lost} rows, {error!r}")


def does_not_wait(checks):
    """A pipe that the parent process has made non-blocking is not an error."""
    what = "a pipe that does not wait"
    with session() as (mount, instance, here):
        reader, writer = os.pipe()
        fcntl.fcntl(writer, F_SETPIPE_SZ, 4096)
        os.set_blocking(writer, False)
        process = begin(mount, instance, here, writer, "--stdout", "-k", "1")
        os.close(writer)
        truth = here / "truth.csv"
        play(mount, instance, truth, "--scenario", "steady-60", "--seconds", 4)
        time.sleep(0.5)
        process.send_signal(signal.SIGTERM)
        taken = b""
        while part := os.read(reader, 100):
            taken += part
        os.close(reader)
        error = process.communicate(timeout=20)[1].decode()
        checks.equal(process.returncode, 0, f"{what}: exit code: {error}")
        checks.equal(taken, (here / "out" / "fps.csv").read_bytes(), f"{what}: rows")


def stopped_terminal(checks, *arguments):
    """A terminal that is stopped by Ctrl-S."""
    what = f"a terminal that is stopped {arguments}"
    try:
        ours, its = pty.openpty()
    except OSError as error:
        checks.cannot_judge(what, f"there is no terminal: {error}")
        return
    with session() as (mount, instance, here):
        process = begin(mount, instance, here, its, *arguments)
        time.sleep(0.5)
        os.read(ours, 65536)
        termios.tcflow(its, termios.TCOOFF)
        truth = here / "truth.csv"
        play(mount, instance, truth, "--scenario", "steady-60", "--seconds", 4)
        time.sleep(0.5)
        ends(checks, what, process, signal.SIGTERM, truth, here / "out")
        termios.tcflow(its, termios.TCOON)
        os.close(ours)
        os.close(its)


tracefs.root()
checks = Checks()
unread(checks)
does_not_wait(checks)
stopped_terminal(checks)
stopped_terminal(checks, "--stdout")
checks.end()
