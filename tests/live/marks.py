#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""'jankd mark' gets the current time, on every clock that a trace can have, also before the first event."""

import os
import pathlib
import re
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import tracefs
from daemon import started
from jankd import Checks, rows
from live import session

# For starting a program on a busy machine.
SLACK_S = 0.3

CLOCKS = ("local", "global", "perf", "mono", "mono_raw", "boot", "tai")


def marks(out):
    return {row["text"]: row for row in rows(out, "events.csv") if row["kind"] == "mark"}


def written(instance, text):
    """Writes a mark into the trace: its time comes from the kernel."""
    (instance / "trace_marker").write_text(f"I|{os.getpid()}|jankd:{text}")


def at(found, text):
    return float(found[text]["time(s)"])


def check(checks, clock, source):
    what = f"{clock}, {source}"
    with session() as (mount, instance, here):
        (instance / "trace_clock").write_text(clock)
        with started(checks, mount, instance, here / "out", "--source", source) as daemon:
            daemon.ask("mark", "before any event")
            time.sleep(2)
            for n in range(6):
                with daemon.connect() as client:
                    client.sendall(f"mark quick {n}\n".encode())
                    client.recv(100)
            written(instance, "begin")
            daemon.ask("mark", "in between")
            written(instance, "end")
            daemon.stop()
        found = marks(here / "out")
        if not checks.equal(len(found), 10, f"{what}: marks {sorted(found)}"):
            return
        checks.that(all(row["time(s)"] for row in found.values()), f"{what}: marks without a time: {found}")
        quick = [at(found, f"quick {n}") for n in range(6)]
        checks.that(quick == sorted(set(quick)), f"{what}: marks one after another: {quick}")
        apart = quick[0] - at(found, "before any event")
        checks.that(2 <= apart < 2 + SLACK_S, f"{what}: marks 2 s apart are {apart:.3f} s")
        # jankd and the kernel may read the clock on different CPUs.
        checks.that(at(found, "begin") - 0.005 <= at(found, "in between") <= at(found, "end") + 0.005,
                    f"{what}: {at(found, 'begin')} to {at(found, 'end')}, the mark says {at(found, 'in between')}")
        walls = {row["wall time"] for row in found.values()}
        checks.that("" not in walls, f"{what}: marks without a wall time")
        events = [float(row["time(s)"]) for row in rows(here / "out", "events.csv")]
        checks.equal(events, sorted(events), f"{what}: order of events")


mount = tracefs.root()
checks = Checks()
known = re.findall(r"[\w-]+", (mount / "trace_clock").read_text())
for clock in CLOCKS:
    if clock in known:
        check(checks, clock, "raw" if clock in ("local", "boot") else "text")
    else:
        checks.cannot_judge(clock, "this kernel has no such trace clock")
checks.end()
