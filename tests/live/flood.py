# SPDX-License-Identifier: Apache-2.0
"""Writers on all CPUs, as fast as they can: events read and lost add up to those written, and jankd raises its priority only during that time."""

import os
import pathlib
import time
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from live import run, session
from measure import waited_s

SECONDS = 1.5

# Half of it is filled within one time slice of another process, before the first drain.
KILOBYTES = 512

# A buffer is full in less than half a second.
JUMP_RATE = 60000
JUMPS = 3

# A quarter of a buffer may be full at the begin of the load; a jankd that gets no CPU until it is full cannot read it.
WAITS_S = 0.2


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


def after_silence():
    """A load begins after a silence: nothing is lost. As text there is no high water."""
    with session("after a silence") as s:
        s.write("buffer_size_kb", KILOBYTES)
        capture = s.run("--source", "text")
        waited = 0
        for _ in range(JUMPS):
            time.sleep(2.5)
            before = waited_s(capture.process.pid)
            s.loaded(s.load(JUMP_RATE, 0.6))
            waited = max(waited, waited_s(capture.process.pid) - before)
        s.stop(capture)
        markers, lost = s.counters()["markers"], s.counters()["lost"]["events"]
        print(f"{s.what}: {markers} events read, {lost} lost; jankd waited for a CPU for {waited:.2f} s at most")
        s.that(lost == 0 or waited > WAITS_S, f"{lost} events were lost, and jankd waited for a CPU for {waited:.2f} s at most")


def flood():
    with session("flood") as s:
        s.write("buffer_size_kb", KILOBYTES)
        capture = s.run("--source", "raw")
        pid, before = capture.process.pid, os.getpriority(os.PRIO_PROCESS, 0)
        load = s.load(0, SECONDS)
        least = least_nice(pid, lambda: load.poll() is not None)
        s.that(least < before, f"nice {before} before, never less than {least} in the flood")
        s.until(lambda: nice(pid) == before, f"nice {before} after the flood", 5)
        written, _ = s.loaded(load)
        s.stop(capture)
        lost = s.counters()["lost"]["events"]
        s.equal(s.counters()["markers"] + lost, written, "events read and lost")
        print(f"{written} events in {SECONDS} s, {lost} lost")


run(after_silence, flood, number=1)
