# SPDX-License-Identifier: Apache-2.0
"""After start-up jankd allocates nothing: not when idle, not under full load, not for new surfaces and threads."""

import time
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from faults import START, Faults, names
from jankd import rows
from live import each, run, session

# Functions of the libc that allocate, such as strdup(), call one of these.
ALLOCATING = ("calloc", "malloc", "mmap", "realloc")

# Events/s, seconds, surfaces, threads. The second load has more names than the first.
LOADS = ((20000, 2.5, 20, 50), (20000, 2, 200, 200))

# jankd has a timer tick every second, the first at once, and reads the trace every quarter of a second.
# With --source text it accepts another SurfaceFlinger when the previous one has been silent for a second.
SETTLE_S, IDLE_S, DRAIN_S = 0.7, 1.2, 1.2

# Enough for both loads: nothing is lost even on a busy machine.
BUFFER_KB = 16384


def allocations(faults, phase):
    """{where: how many in this phase}"""
    sites = [site for site in faults.sites(by_libraries=True) if site.function in ALLOCATING and site.calls[phase]]
    name = names(sites)
    return {name[site.key]: site.calls[phase] for site in sites}


def play(s, faults):
    """Checks the allocations when idle and under each load. Returns how many markers were written."""
    written = 0
    for phase, part in enumerate((None, *LOADS), START + 1):
        faults.set_phase(phase)
        if part:
            written += s.loaded(s.load(*part))[0]
        time.sleep(DRAIN_S if part else IDLE_S)
        name = "{} events/s for {} s, {} surfaces, {} threads".format(*part) if part else "idle"
        s.equal(allocations(faults, phase), {}, f"{name}: allocations")
    faults.set_phase(START)
    return written


def check(source, *arguments):
    with session(source) as s:
        faults = Faults(s.here / "faults", None)
        s.write("buffer_size_kb", BUFFER_KB)
        capture = s.run("--source", source, "-T", "2", *arguments, **faults.preload(), FAULTS=str(faults.path))
        time.sleep(SETTLE_S)
        started = allocations(faults, START)
        print(f"{s.what}: {sum(started.values())} allocations at the start")
        s.that(sum(started.values()) > 100, f"allocations at the start: {started}")
        written = play(s, faults)
        s.stop(capture)
        # A jankd that reads nothing would pass the other checks.
        s.equal(s.counters()["records"], written, "records")
        surfaces = len(rows(s.out, "summary.csv"))
        s.that(surfaces >= 200, f"{surfaces} surfaces; {s.texts()}")


run(each(check, ("raw",), ("text", "--until-exit", "org.example.never")))
