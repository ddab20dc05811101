#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writers on all CPUs, as fast as they can: events read and lost add up to those written, and jankd
raises its priority only during that time."""

import json
import os
import pathlib
import re
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import tracefs
from jankd import BUILD, Checks, folder
from live import Capture

LOAD = BUILD / "tests" / "bench" / "load"
SECONDS = 1.5

# Half of it is filled within one time slice of another process, before the first drain.
KILOBYTES = 512

# A buffer is full in less than half a second.
JUMP_RATE = 60000
JUMPS = 4
TRIES = 3


def nice(pid):
    """The 19th field: comm, the second, may hold blanks and brackets."""
    stat = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    return int(stat.rpartition(")")[2].split()[16])


def least_nice(pid, until):
    """The lowest nice value of a process until @until() is true."""
    least = nice(pid)
    while not until():
        least = min(least, nice(pid))
        time.sleep(0.02)
    return least


def flood(checks, instance, pid, before):
    """Returns how many markers were written."""
    load = subprocess.Popen([LOAD, instance / "trace_marker", "0", str(SECONDS), "20", "4"],
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    least = least_nice(pid, lambda: load.poll() is not None)
    checks.that(least < before, f"nice {before} before, never less than {least} in the flood")
    deadline = time.monotonic() + 5
    least_nice(pid, lambda: nice(pid) == before or time.monotonic() > deadline)
    checks.equal(nice(pid), before, "nice, 5 s after the flood")
    return int(re.match(rb"(\d+) markers", load.stdout.read())[1])


def lost_after_silence(checks, mount):
    """The number of events that are lost when a load begins after a silence. As text there is no high water."""
    with tracefs.instance(mount, KILOBYTES) as instance, folder() as out:
        capture = Capture(mount, instance, out, "--source", "text")
        checks.that(capture.wait_ready(), "text: jankd did not start")
        for _ in range(JUMPS):
            time.sleep(2.5)
            subprocess.run([LOAD, instance / "trace_marker", str(JUMP_RATE), "0.6", "20", "4"],
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        capture.stop()
        counts = json.loads((out / "session.json").read_text())["counters"]
        print(f"text: {counts['markers']} events read, {counts['lost']['events']} lost")
        return counts["lost"]["events"]


def main():
    checks, mount = Checks(), tracefs.root()
    # On a busy machine jankd may get no CPU for that time.
    checks.that(any(lost_after_silence(checks, mount) == 0 for _ in range(TRIES)),
                "text: events were lost after a silence")
    with tracefs.instance(mount, KILOBYTES) as instance, folder() as out:
        capture = Capture(mount, instance, out, "--source", "raw")
        checks.that(capture.wait_ready(), "jankd did not start")
        written = flood(checks, instance, capture.process.pid, os.getpriority(os.PRIO_PROCESS, 0))
        code, said, _ = capture.stop()
        checks.equal(code, 0, f"exit code; {said}")
        counts = json.loads((out / "session.json").read_text())["counters"]
        lost = counts["lost"]["events"]
        checks.equal(counts["markers"] + lost, written, "events read and lost")
        print(f"{written} events in {SECONDS} s, {lost} lost")
    checks.end()


main()
