#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""After start-up jankd allocates nothing: not when idle, not under full load, not for new surfaces
and threads."""

import json
import pathlib
import re
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import tracefs
from allocations import Allocations
from daemon import wait_until
from jankd import BUILD, Checks, rows
from live import Capture, session

LOAD = BUILD / "tests" / "bench" / "load"

# Events/s, seconds, surfaces, threads. The second load has more names than the first.
LOADS = ((20000, 2.5, 20, 50), (20000, 2, 200, 200))

# jankd has a timer tick every second, the first at once, and reads the trace every quarter of a second.
# With --source text it accepts another SurfaceFlinger when the previous one has been silent for a second.
SETTLE_S, IDLE_S, DRAIN_S = 0.7, 1.2, 1.2

# Enough for both loads: nothing is lost even on a busy machine.
BUFFER_KB = 16384


def load(checks, instance, *numbers):
    """Returns how many markers were written."""
    done = subprocess.run([LOAD, instance / "trace_marker", *map(str, numbers)], stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=60)
    written = re.match(rb"(\d+) markers", done.stdout)
    checks.that(done.returncode == 0 and written, f"load {numbers}: {done}")
    return int(written[1]) if written else 0


def play(checks, what, instance, allocations):
    """Checks the allocations when idle and under each load. Returns how many markers were written."""
    written = 0
    for part in (None, *LOADS):
        before, begin = allocations.now(), time.monotonic()
        if part:
            written += load(checks, instance, *part)
            time.sleep(DRAIN_S)
        else:
            time.sleep(IDLE_S)
        name = "{} events/s for {} s, {} surfaces, {} threads".format(*part) if part else "idle"
        calls, callers = allocations.since(before)
        print(f"{what}: {name}: {calls} allocations in {time.monotonic() - begin:.1f} s", flush=True)
        checks.equal(calls, 0, f"{what}: {name}: allocations of {callers}")
    return written


def all_was_read(checks, what, out, written):
    """Checks that all was read: a jankd that reads nothing would pass the other checks."""
    counters = json.loads((out / "session.json").read_text())["counters"]
    checks.equal(counters["records"], written, f"{what}: records")
    surfaces = len(rows(out, "summary.csv"))
    events = [row["text"] for row in rows(out, "events.csv") if row["kind"] != "focus"]
    checks.that(surfaces >= 200, f"{what}: {surfaces} surfaces; {events}")


def check(checks, what, *arguments):
    with session() as (mount, instance, here):
        allocations = Allocations(here / "allocations")
        (instance / "buffer_size_kb").write_text(str(BUFFER_KB))
        capture = Capture(mount, instance, here / "out", *arguments, **allocations.environment())
        if not checks.that(wait_until((here / "out" / "session.json").exists), f"{what}: jankd does not start"):
            return
        time.sleep(SETTLE_S)
        allocations.pid = capture.process.pid
        checks.that(allocations.now() > 100, f"{what}: {allocations.now()} allocations at the start")
        written = play(checks, what, instance, allocations)
        code, said, _ = capture.stop()
        checks.equal(code, 0, f"{what}: exit code: {said[-500:]}")
        all_was_read(checks, what, here / "out", written)


tracefs.root()
checks = Checks()
check(checks, "raw", "--source", "raw", "-T", "2")
check(checks, "text", "--source", "text", "-T", "2", "--until-exit", "org.example.never")
checks.end()
