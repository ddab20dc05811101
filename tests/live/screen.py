#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""'run' and 'top' on a terminal: the pages fit on it, and its state is restored at the end."""

import codecs
import contextlib
import fcntl
import os
import pathlib
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import tracefs
from daemon import started, wait_until
from jankd import JANKD, Checks, skip
from live import session

ENTER, LEAVE = "\x1b[?1049h\x1b[?25l\x1b[?7l", "\x1b[?7h\x1b[?25h\x1b[?1049l"
HOME = "\x1b[H"
SEQUENCE = re.compile(r"\x1b\[[?0-9]*[A-Za-z]")


class Terminal:
    """A terminal with a program that is the leader of its session."""

    def __init__(self, columns, lines, command):
        self.ours, its = pty.openpty()
        self.resize(columns, lines)
        self.before = termios.tcgetattr(its)
        self.process = subprocess.Popen(
            ["setsid", "--ctty", *map(str, command)], stdin=its, stdout=its, stderr=its)
        self.its = its
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.said = ""

    def resize(self, columns, lines):
        fcntl.ioctl(self.ours, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def read(self, seconds):
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            if not select.select([self.ours], [], [], left)[0]:
                return
            try:
                self.said += self.decoder.decode(os.read(self.ours, 65536))
            except OSError:
                return

    def until(self, true, seconds=10):
        """Reads until true(all output) holds."""
        deadline = time.monotonic() + seconds
        while not true(self.said) and time.monotonic() < deadline:
            self.read(0.05)
        return true(self.said)

    def page(self):
        """The lines of the last complete page."""
        pages = self.said.replace("\r\n", "\n").split(HOME)
        return [SEQUENCE.sub("", line) for line in pages[-2 if len(pages) > 2 else -1].split("\n")]

    def end(self):
        """Waits for the program's end. Returns its exit code."""
        deadline = time.monotonic() + 20
        while self.process.poll() is None and time.monotonic() < deadline:
            self.read(0.05)
        self.read(0.1)
        self.process.kill()
        return self.process.wait()

    def is_as_before(self):
        return termios.tcgetattr(self.its) == self.before and self.said.count(ENTER) == self.said.count(LEAVE)

    def close(self):
        with contextlib.suppress(OSError):
            os.close(self.ours)
            os.close(self.its)


def draw(instance, surfaces=60):
    """Writes frames of many surfaces with long and hostile names, for 3 s."""
    with open(instance / "trace_marker", "wb", buffering=0) as marker:
        for n in range(4 * surfaces):
            app = f"com.example.of.a.company.with.a.long.name.{n % surfaces:03d}"
            layer = f"{app}/{app}.Main\x1b\t#0"
            for text in (f"C|77|{layer}|1", "B|77|handleMessageInvalidate", "B|77|latchBuffer", "B|77|acquireBuffer",
                         f"C|77|{layer}|0", "E|77", "E|77", "E|77", "B|77|handleMessageRefresh",
                         "B|77|postFramebuffer", "E|77", "E|77"):
                marker.write(text.encode())
            time.sleep(0.012)


def pages_fit(checks, what, terminal, screen, lines):
    page = terminal.page()
    text = "\n".join(page)
    checks.equal([line for line in page if len(line) > screen], [], f"{what}: lines that do not fit")
    checks.that(len(page) <= lines, f"{what}: {len(page)} lines on a screen of {lines}")
    checks.that(not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", text), f"{what}: control bytes in {text!r}")
    watched = ("p99 ms", "max ms", "jank", "big", "waits") if screen >= 80 else ()
    for word in ("Surface", "FPS now", "FPS", "1% low", *watched, "presents ", "lost events ", "refresh"):
        checks.that(word in text, f"{what}: no {word} in {text!r}")
    names = [line.split()[0] for line in page if "/.Main" in line]
    checks.that(names and len(set(names)) == len(names), f"{what}: names that are equal: {names}")
    checks.equal([line for line in page if "lost events" in line and len(line) > screen], [],
                 f"{what}: the lost events do not fit")
    checks.that(re.search(r"and \d+ more", text), f"{what}: the number of other surfaces is missing: {text!r}")


def shows(checks, what, terminal, instance):
    checks.that(terminal.until(lambda said: ENTER in said), f"{what}: no page: {terminal.said!r}")
    draw(instance)
    checks.that(terminal.until(lambda said: "more in" in said), f"{what}: no table")
    terminal.said = ENTER
    terminal.until(lambda said: said.count(HOME) >= 2)
    pages_fit(checks, what, terminal, 80, 24)
    for columns, lines in ((120, 40), (60, 12), (40, 16), (80, 24)):
        terminal.said = ENTER
        terminal.resize(columns, lines)
        begin = time.monotonic()
        terminal.until(lambda said: said.count(HOME) >= 1)
        checks.that(time.monotonic() - begin < 2, f"{what}: resized: not drawn again")
        terminal.until(lambda said: said.count(HOME) >= 3)
        pages_fit(checks, f"{what}: {columns} x {lines}", terminal, columns, lines)


def suspends(checks, what, terminal, pid):
    terminal.said = ENTER
    os.kill(pid, signal.SIGTSTP)
    state = pathlib.Path(f"/proc/{pid}/stat")
    checks.that(wait_until(lambda: state.read_text().rpartition(")")[2].split()[0] == "T"), f"{what}: not stopped")
    terminal.read(0.1)
    checks.that(terminal.is_as_before(), f"{what}: suspended: {terminal.said[-100:]!r}")
    terminal.said = ""
    os.kill(pid, signal.SIGCONT)
    checks.that(terminal.until(lambda said: ENTER in said and said.count(HOME) > 0), f"{what}: not drawn again")


def run(checks, number, key):
    what = f"run, ended by {signal.Signals(number).name}" + (" of a key" if key else "")
    with session() as (mount, instance, here):
        terminal = Terminal(80, 24, [JANKD, "run", "--tracefs", mount, "--instance", instance.name, "--no-atrace",
                                     "-F", here / "out"])
        if key:
            shows(checks, what, terminal, instance)
            suspends(checks, what, terminal, terminal.process.pid)
        else:
            checks.that(terminal.until(lambda said: said.count(HOME) > 0), f"{what}: no page")
            draw(instance, 1)
        if key:
            os.write(terminal.ours, key)
        else:
            terminal.process.send_signal(number)
        checks.equal(terminal.end(), 0, f"{what}: exit code: {terminal.said[-300:]!r}")
        checks.that(terminal.is_as_before(), f"{what}: the terminal is not as before: {terminal.said[-300:]!r}")
        terminal.close()


def top(checks, daemon, instance):
    ends = (("q", b"q", None), ("Ctrl-C", b"\x03", None), ("SIGINT", None, signal.SIGINT),
            ("SIGTERM", None, signal.SIGTERM), ("SIGHUP", None, signal.SIGHUP),
            ("SIGQUIT", None, signal.SIGQUIT))
    for name, key, number in ends:
        what = f"top, ended by {name}"
        terminal = Terminal(80, 24, [JANKD, "top", "-F", daemon.out])
        if name == "q":
            shows(checks, what, terminal, instance)
            suspends(checks, what, terminal, terminal.process.pid)
        checks.that(terminal.until(lambda said: said.count(HOME) > 0), f"{what}: no page")
        if key:
            os.write(terminal.ours, key)
        else:
            terminal.process.send_signal(number)
        checks.equal(terminal.end(), 0, f"{what}: exit code: {terminal.said[-300:]!r}")
        checks.that(terminal.is_as_before(), f"{what}: the terminal is not as before")
        terminal.close()


def top_outlives(checks, mount, instance, here):
    """'top' ends when its terminal is closed, and when the daemon ends."""
    with started(checks, mount, instance, here / "out") as daemon:
        top(checks, daemon, instance)
        gone = Terminal(80, 24, [JANKD, "top", "-F", daemon.out])
        gone.until(lambda said: said.count(HOME) > 0)
        gone.close()
        checks.that(wait_until(lambda: gone.process.poll() is not None), "top still runs without a terminal")
        terminal = Terminal(80, 24, [JANKD, "top", "-F", daemon.out])
        terminal.until(lambda said: said.count(HOME) > 0)
        daemon.stop()
        checks.equal(terminal.end(), 0, "top when the daemon ends: exit code")
        checks.that(terminal.is_as_before(), "top when the daemon ends: the terminal is not as before")
        terminal.close()


tracefs.root()
try:
    for end in pty.openpty():
        os.close(end)
except OSError as error:
    skip(f"no pseudo-terminal here: {error}")

checks = Checks()
for number, key in ((signal.SIGINT, b"\x03"), (signal.SIGTERM, None), (signal.SIGHUP, None)):
    run(checks, number, key)
with session() as (mount, instance, here):
    top_outlives(checks, mount, instance, here)
checks.end()
