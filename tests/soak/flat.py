#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""72 hours of a device, replayed fast: memory and descriptors are after them what they were after
the first hour, and every app is in the rows.

640 apps come and go, twice as many as there is room for; refresh rates change; nights are quiet.
"""

import collections
import fcntl
import os
import pathlib
import struct
import subprocess
import sys
import termios
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from jankd import BUILD, JANKD, Checks, folder, rows, skip
from measure import memory_kb, resident_kb

DAYS = BUILD / "tests" / "days"
HOURS = ("1", "24", "72")
GROWTH_KB = 64
LIMIT_KB = 6 * 1024
APPS = 640


def wait_until_read(pipe, pid):
    """Until the program at the other end has taken all of the pipe and sleeps."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        waiting = struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, b"\0" * 4))[0]
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        if waiting == 0 and state == "S":
            return
        time.sleep(0.01)
    sys.exit("FAILED: the trace was not read within 60 s")


def replay(out, *options):
    """Analyzes the days into @out. Returns (memory in KB, descriptors) after each of HOURS."""
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
        peak = memory_kb(jankd.pid)
        days.stdin.write("\n")
    days.communicate()
    os.close(reads)
    return seen, peak, jankd.wait(60)


def check_rows(checks, out):
    """Nothing that was counted went with a Surface that had to go."""
    frames = collections.Counter()
    for row in rows(out, "fps.csv"):
        frames[row["Surface"]] += int(row["frames"]) + int(row["wait times"])
    checks.equal(len([name for name in frames if name.startswith("com.vendor")]), APPS, "apps")


# meson has malloc fill what it gives, which touches memory that a table only reserves.
os.environ.pop("MALLOC_PERTURB_", None)
if memory_kb(os.getpid()) == 0:
    skip("no /proc is mounted here: it is what tells a program's memory")

checks = Checks()
for options in ((), ("-T", "2", "--frames-log")):
    with folder() as out:
        seen, peak, code = replay(out, *options)
        checks.equal(code, 0, f"{options}: exit code")
        growth = seen[-1][0] - seen[0][0]
        checks.that(growth <= GROWTH_KB, f"{options}: {growth} KB more after 72 h than after 1 h")
        checks.equal(seen[-1][1], seen[0][1], f"{options}: descriptors")
        checks.that(options or peak <= LIMIT_KB, f"{options}: peak memory {peak} KB, at most {LIMIT_KB} KB")
        check_rows(checks, out)
checks.end()
