#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""After start-up jankd allocates nothing: not when idle, not under full load, not for new surfaces
and threads."""

import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from allocations import Allocations
from jankd import rows
from live import each, run, session

# Events/s, seconds, surfaces, threads. The second load has more names than the first.
LOADS = ((20000, 2.5, 20, 50), (20000, 2, 200, 200))

# jankd has a timer tick every second, the first at once, and reads the trace every quarter of a second.
# With --source text it accepts another SurfaceFlinger when the previous one has been silent for a second.
SETTLE_S, IDLE_S, DRAIN_S = 0.7, 1.2, 1.2

# Enough for both loads: nothing is lost even on a busy machine.
BUFFER_KB = 16384


def play(s, allocations):
    """Checks the allocations when idle and under each load. Returns how many markers were written."""
    written = 0
    for part in (None, *LOADS):
        before, begin = allocations.now(), time.monotonic()
        if part:
            written += s.loaded(s.load(*part))[0]
            time.sleep(DRAIN_S)
        else:
            time.sleep(IDLE_S)
        name = "{} events/s for {} s, {} surfaces, {} threads".format(*part) if part else "idle"
        calls, callers = allocations.since(before)
        print(f"{s.what}: {name}: {calls} allocations in {time.monotonic() - begin:.1f} s", flush=True)
        s.equal(calls, 0, f"{name}: allocations of {callers}")
    return written


def check(source, *arguments):
    with session(source) as s:
        allocations = Allocations(s.here / "allocations")
        s.write("buffer_size_kb", BUFFER_KB)
        capture = s.run("--source", source, "-T", "2", *arguments, **allocations.environment())
        time.sleep(SETTLE_S)
        allocations.pid = capture.process.pid
        s.that(allocations.now() > 100, f"{allocations.now()} allocations at the start")
        written = play(s, allocations)
        s.stop(capture)
        # A jankd that reads nothing would pass the other checks.
        s.equal(s.counters()["records"], written, "records")
        surfaces = len(rows(s.out, "summary.csv"))
        s.that(surfaces >= 200, f"{surfaces} surfaces; {s.texts()}")


run(each(check, ("raw",), ("text", "--until-exit", "org.example.never")))
