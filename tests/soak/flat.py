#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""72 hours of a device, replayed fast: memory and descriptors at the end are the same as after the first
hour, every app is in the rows, and the joined segments equal the files of a run without rotation.

640 apps start and end, twice as many as fit in the table; refresh rates change; nights are quiet.
"""

import collections
import fcntl
import os
import pathlib
import re
import struct
import subprocess
import sys
import termios
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import segments
from jankd import BUILD, CSV_FILES, JANKD, Checks, folder, rows, skip
from measure import memory_kb, resident_kb

DAYS = BUILD / "tests" / "soak" / "days"
HOURS = ("1", "24", "72")
GROWTH_KB = 64
APPS = 640
EVERYTHING = ("-T", "2", "--frames-log")
SEGMENT = 500_000


def wait_until_read(pipe, pid):
    """Waits until the process @pid has read all of the pipe and sleeps."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        waiting = struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, b"\0" * 4))[0]
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        if waiting == 0 and state == "S":
            return
        time.sleep(0.01)
    sys.exit("FAILED: the trace was not read within 60 s")


def replay(out, *options):
    """Runs analyze on the days. Returns [(memory in KB, descriptors)] after each of HOURS, and the exit code."""
    reads, writes = os.pipe()
    days = subprocess.Popen([DAYS, *HOURS], stdin=subprocess.PIPE, stdout=writes, text=True,
                            stderr=subprocess.PIPE, bufsize=1)
    os.close(writes)
    jankd = subprocess.Popen([JANKD, "analyze", "-F", out, *options, "-"], stdin=reads,
                             stdout=subprocess.DEVNULL)
    seen = []
    for _ in HOURS:
        said = days.stderr.readline().strip()
        wait_until_read(reads, jankd.pid)
        seen.append((resident_kb(jankd.pid), len(os.listdir(f"/proc/{jankd.pid}/fd"))))
        print(f"{said}: {seen[-1][0]} KB, {seen[-1][1]} descriptors", flush=True)
        days.stdin.write("\n")
    days.communicate()
    os.close(reads)
    return seen, jankd.wait(60)


def check_rows(checks, name, out):
    """Frames of evicted Surfaces are in the files."""
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
        checks.that(joined(whole, file) == joined(rotated, file),
                    f"{file}: the joined segments are not the file without rotation")


def check(checks, name, out, *options):
    out.mkdir()
    seen, code = replay(out, *options)
    checks.equal(code, 0, f"{name}: exit code")
    growth = seen[-1][0] - seen[0][0]
    checks.that(growth <= GROWTH_KB, f"{name}: {growth} KB more after 72 h than after 1 h")
    checks.equal(seen[-1][1], seen[0][1], f"{name}: descriptors")
    check_rows(checks, name, out)


# meson sets MALLOC_PERTURB_, which writes to memory that a table only reserves.
os.environ.pop("MALLOC_PERTURB_", None)
if memory_kb(os.getpid()) == 0:
    skip("no /proc is mounted here: it has the memory of a program")

checks = Checks()
with folder() as here:
    check(checks, "one file", here / "whole", *EVERYTHING)
    check(checks, "segments", here / "rotated", *EVERYTHING, "--rotate-size", str(SEGMENT))
    check_segments(checks, here / "whole", here / "rotated")
checks.end()
