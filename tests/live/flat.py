#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A daemon does not grow: the second time that 200 surfaces draw, and after 300 more requests, it has
neither more memory nor more descriptors."""

import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import tracefs
from daemon import started
from jankd import Checks
from live import play, session
from measure import resident_kb

GROWTH_KB = 64
REQUESTS = 100


def taken(pid):
    """(memory in KB, descriptors) of an idle process. doframe.csv is open while its segment has a row."""
    time.sleep(2)  # until the last rows are written
    files = [os.readlink(descriptor) for descriptor in pathlib.Path(f"/proc/{pid}/fd").iterdir()]
    return resident_kb(pid), sum(not file.endswith("/doframe.csv") for file in files)


def compare(checks, what, before, after):
    print(f"{what}: {before[0]} KB before, {after[0]} KB after", flush=True)
    checks.that(after[0] - before[0] <= GROWTH_KB, f"{what}: from {before[0]} to {after[0]} KB")
    checks.equal(after[1], before[1], f"{what}: descriptors")


def check(checks, daemon, mount, instance, here):
    # Memory of tables counts from its first use on.
    for name in ("first.csv", "truth.csv"):
        before = taken(daemon.pid)
        played = play(mount, instance, here / name, "--scenario", "surfaces-200", "--seconds", "10")
        checks.equal(played.returncode, 0, f"jank-phone: {played.stderr.decode()}")
    compare(checks, "200 surfaces", before, taken(daemon.pid))
    for number in (REQUESTS // 10, REQUESTS):
        before = taken(daemon.pid)
        for i in range(number):
            daemon.ask("mark", f"{i} " + 500 * "x")
            daemon.ask("rotate")
            daemon.ask("status", "--json")
    compare(checks, "requests", before, taken(daemon.pid))


tracefs.root()
checks = Checks()
with session() as (mount, instance, here):
    with started(checks, mount, instance, here / "out", "-T", "2") as daemon:
        if daemon.pid:
            check(checks, daemon, mount, instance, here)
            checks.equal(daemon.stop().returncode, 0, "exit code of stop")
checks.end()
