# SPDX-License-Identifier: Apache-2.0
"""72 hours of a device, replayed fast: memory grows by the new layers and surfaces only, descriptors at the end are the same as
after the first hour, every app is in the rows, and the joined segments equal the files of a run without rotation.

By day one of 640 apps is opened every few minutes, draws for a few seconds, and is closed: a new layer each time, at 60, 90 or 120 Hz, with late
frames and pauses. By night only the clock in the status bar changes, once a minute."""

import collections
import fcntl
import itertools
import os
import pathlib
import random
import re
import struct
import subprocess
import termios
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
import segments
import synthetic
from daemon import wait_until
from jankd import CSV_FILES, JANKD, checks, folder, rows, skip
from measure import memory_kb, resident_kb

HOURS = (1, 24, 72)
GROWTH_KB, LAYER_KB, SURFACE_KB = 64, 1.7, 2.5  # of a surface with its frame times
APPS = 640
EVERYTHING = ("-T", "2", "--frames-log")
SEGMENT = 500_000
SECOND, HOUR = 10**6, 3600 * 10**6  # in us


def burst(chance, us, period, layer):
    """(text, when it ends) of frames while a finger moves: most vsyncs have one."""
    parts = []
    for tick in range(chance.randint(60, 400)):
        parts.append(synthetic.frame(us, tick, layer))
        dice = chance.randrange(1000)
        missed = chance.randint(1, 3) if dice < 30 else chance.randint(4, 50) if dice < 33 else 0
        parts += [synthetic.line(us + n * period, f"C|{synthetic.SF}|VSYNC-sf|{n % 2}") for n in range(1, missed + 1)]
        us += period * (1 + missed)
    return "".join(parts), us


def days():
    """The text, in pieces, and after each of HOURS its number. Times are those of the trace."""
    chance, us, in_turn, opened = random.Random(1), 0, itertools.cycle(range(APPS)), itertools.count()
    for end in HOURS:
        while us < end * HOUR:
            if not 7 <= (8 + us // HOUR) % 24 < 23:
                yield synthetic.frame(us, 0, "StatusBar#0")
                us += 60 * SECOND
                continue
            # All apps in turn; some are opened again soon.
            app = f"com.vendor{next(in_turn) if chance.randrange(4) else chance.randrange(20)}.app"
            layer, period = f"{app}/{app}.ui.MainActivity#{next(opened)}", chance.choice((16667, 11111, 8333))
            for _ in range(chance.randint(1, 4)):
                text, us = burst(chance, us, period, layer)
                yield text
                us += chance.randint(SECOND // 10, 20 * SECOND)
            us += chance.randint(10 * SECOND, 240 * SECOND)
        yield end


class Replay:
    """An analyze of a pipe. @seen: (memory in KB, descriptors) after each of HOURS."""

    def __init__(self, name, out, *options):
        self.name, self.out, self.seen = name, out, []
        self.process = subprocess.Popen([JANKD, "analyze", "-F", out, *options, "-"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, bufsize=0)

    def is_read(self):
        """All of the pipe, and the process sleeps."""
        waiting = struct.unpack("i", fcntl.ioctl(self.process.stdin, termios.FIONREAD, b"\0" * 4))[0]
        state = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        return waiting == 0 and state == "S"

    def measure(self, checks, hours):
        checks.that(wait_until(self.is_read, 60), f"{self.name}: {hours} h were not read within 60 s")
        pid = self.process.pid
        self.seen.append((resident_kb(pid), len(os.listdir(f"/proc/{pid}/fd"))))
        print(f"{self.name}: {hours} h: {self.seen[-1][0]} KB, {self.seen[-1][1]} descriptors", flush=True)

    def check(self, checks):
        self.process.stdin.close()
        checks.equal(self.process.wait(60), 0, f"{self.name}: exit code")
        growth = self.seen[-1][0] - self.seen[0][0]
        layers = len({row["layer"] for path in segments.paths(self.out, "frames.csv") for row in rows(path)})
        checks.that(growth <= GROWTH_KB + layers * LAYER_KB + APPS * SURFACE_KB, f"{self.name}: {growth} KB more after 72 h than after 1 h")
        checks.equal(self.seen[-1][1], self.seen[0][1], f"{self.name}: descriptors")
        check_rows(checks, self.name, self.out)


def check_rows(checks, name, out):
    """The frames of all apps are in the files."""
    sums = {}
    for file in ("fps.csv", "summary.csv"):
        sums[file] = collections.Counter()
        for path in segments.paths(out, file):
            for row in rows(path):
                sums[file][row["Surface"]] += int(row["frames"]) + int(row["wait times"])
    apps = [surface for surface in sums["fps.csv"] if surface.startswith("com.vendor")]
    checks.equal(len(apps), APPS, f"{name}: apps")
    surfaces = [row["Surface"] for row in rows(out, "summary.csv")]
    checks.equal(len(surfaces), len(set(surfaces)), f"{name}: rows of summary.csv, one a Surface")
    checks.that(sums["fps.csv"] == sums["summary.csv"], f"{name}: the summary is not the rows' sum")


def joined(out, file):
    """The bytes of all segments without events of rotations."""
    return re.sub(rb"(?m)^[^,]*,[^,]*,rotate,.*\n", b"", segments.joined(out, file) or b"")


def check_segments(checks, whole, rotated):
    for file in ("fps.csv", "dropFrames.csv", "frames.csv"):
        sizes = [path.stat().st_size for path in segments.paths(rotated, file)]
        print(f"{file}: {len(sizes)} segments of {max(sizes)} bytes at most", flush=True)
        checks.that(max(sizes) <= SEGMENT, f"{file}: a segment of {max(sizes)} bytes")
    checks.that(len(segments.paths(rotated, "fps.csv")) > 1, "fps.csv was never rotated")
    for file in CSV_FILES:
        checks.that(joined(whole, file) == joined(rotated, file), f"{file}: the joined segments are not the file without rotation")


# meson sets MALLOC_PERTURB_, which writes to memory that a table only reserves.
os.environ.pop("MALLOC_PERTURB_", None)
if memory_kb(os.getpid()) == 0:
    skip("no /proc is mounted here: it has the memory of a program")

with checks, folder() as here:
    replays = (Replay("one file", here / "whole", *EVERYTHING), Replay("segments", here / "rotated", *EVERYTHING, "--rotate-size", str(SEGMENT)))
    for piece in days():
        for replay in replays:
            if isinstance(piece, int):
                replay.measure(checks, piece)
            else:
                replay.process.stdin.write(piece.encode())
    for replay in replays:
        replay.check(checks)
    check_segments(checks, here / "whole", here / "rotated")
