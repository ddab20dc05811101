#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pages of 'top' fit on a terminal of any size; it is restored at the end, by whatever signal. Those of 'run', keys and
Ctrl-Z are in tests/unit/terminal_test.c."""

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
import synthetic
from jankd import JANKD, skip
from live import run, session

ENTER, LEAVE = "\x1b[?1049h\x1b[?25l\x1b[?7l", "\x1b[?7h\x1b[?25h\x1b[?1049l"
HOME = "\x1b[H"
SEQUENCE = re.compile(r"\x1b\[[?0-9]*[A-Za-z]")


class Terminal:
    """A terminal with a program that is the leader of its session."""

    def __init__(self, *command):
        self.ours, self.its = pty.openpty()
        self.resize(80, 24)
        self.before = termios.tcgetattr(self.its)
        self.process = subprocess.Popen(["setsid", "--ctty", *map(str, command)], stdin=self.its, stdout=self.its, stderr=self.its)
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.said = ""

    def resize(self, columns, lines):
        fcntl.ioctl(self.ours, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def until(self, true, seconds=10):
        """Reads until true(all output) holds."""
        deadline = time.monotonic() + seconds
        while not true(self.said) and time.monotonic() < deadline:
            with contextlib.suppress(OSError):
                if select.select([self.ours], [], [], 0.05)[0]:
                    self.said += self.decoder.decode(os.read(self.ours, 65536))
        return true(self.said)

    def has_pages(self, number):
        return self.until(lambda said: said.count(HOME) >= number)

    def ended_by(self, number):
        """(exit code, True if the terminal is as before)"""
        self.process.send_signal(number)
        self.until(lambda said: self.process.poll() is not None, 20)
        self.until(lambda said: said.count(ENTER) == said.count(LEAVE), 1)
        self.process.kill()
        as_before = termios.tcgetattr(self.its) == self.before and self.said.count(ENTER) == self.said.count(LEAVE)
        os.close(self.ours)
        os.close(self.its)
        return self.process.wait(), as_before


def draw(s, surfaces):
    """Writes frames of many surfaces with long and hostile names."""
    with s.marker() as write:
        for n in range(3 * surfaces):
            app = f"com.example.of.a.company.with.a.long.name.{n % surfaces:03d}"
            layer = f"{app}/{app}.Main\x1b\t#0"
            write(*synthetic.markers(0, n, layer))
            time.sleep(0.012)


def page_fits(s, terminal, columns, lines):
    """The last complete page."""
    what, pages = f"{columns} x {lines}", terminal.said.replace("\r\n", "\n").split(HOME)
    page = [SEQUENCE.sub("", line) for line in pages[-2 if len(pages) > 2 else -1].split("\n")]
    text = "\n".join(page)
    s.equal([line for line in page if len(line) > columns], [], f"{what}: lines that do not fit")
    s.that(len(page) <= lines, f"{what}: {len(page)} lines")
    s.that(not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", text), f"{what}: control bytes in {text!r}")
    watched = ("frozen", "grade", "lost ms/s", "freezes", "p99 ms") if columns >= 80 else ()
    words = ("Surface", "FPS now", "FPS", *watched, "presents ", "lost events ", "refresh")
    s.equal([word for word in words if word not in text], [], f"{what}: words that are missing in {text!r}")
    names = [line.split()[0] for line in page if "/.Main" in line]
    s.that(names and len(set(names)) == len(names), f"{what}: names that are equal: {names}")
    s.that(re.search(r"and \d+ more", text), f"{what}: the number of other surfaces is missing: {text!r}")


def shows(s, terminal):
    s.that(terminal.until(lambda said: ENTER in said), f"no page: {terminal.said!r}")
    draw(s, 60)
    s.that(terminal.until(lambda said: "more in" in said), "no table")
    for columns, lines in ((120, 40), (60, 12), (40, 16), (80, 24)):
        terminal.said = ENTER
        terminal.resize(columns, lines)
        s.that(terminal.until(lambda said: HOME in said, 2), f"resized to {columns} x {lines}: not drawn again")
        terminal.has_pages(3)
        page_fits(s, terminal, columns, lines)


def top():
    with session("top") as s, s.started() as daemon:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            terminal = Terminal(JANKD, "top", "-F", daemon.out)
            if number == signal.SIGINT:
                shows(s, terminal)
            s.that(terminal.has_pages(1), f"{number.name}: no page")
            s.equal(terminal.ended_by(number), (0, True), f"{number.name}: exit code, terminal as before")


try:
    for end in pty.openpty():
        os.close(end)
except OSError as error:
    skip(f"no pseudo-terminal here: {error}")
run(top)
