# SPDX-License-Identifier: Apache-2.0
"""A daemon does not grow: the second time that 200 surfaces draw, and after 300 more requests, it has neither more memory nor more descriptors."""

import os
import pathlib
import time
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from live import run, session
from measure import resident_kb

GROWTH_KB = 64
REQUESTS = 100


def taken(pid):
    """(memory in KB, descriptors) of an idle process. doframe.csv is open while its segment has a row."""
    time.sleep(2)  # until the last rows are written
    files = [os.readlink(descriptor) for descriptor in pathlib.Path(f"/proc/{pid}/fd").iterdir()]
    return resident_kb(pid), sum(not file.endswith("/doframe.csv") for file in files)


def again():
    with session("again") as s, s.started("-T", "2") as daemon:
        # Memory of tables counts from its first use on.
        for number in (REQUESTS // 10, REQUESTS):
            before = taken(daemon.pid)
            s.play(scenario="surfaces-200", seconds=6)
            for i in range(number):
                daemon.ask("mark", f"{i} " + 500 * "x")
                daemon.ask("rotate")
                daemon.ask("status", "--json")
        after = taken(daemon.pid)
        print(f"{before[0]} KB before, {after[0]} KB after", flush=True)
        s.that(after[0] - before[0] <= GROWTH_KB, f"from {before[0]} to {after[0]} KB")
        s.equal(after[1], before[1], "descriptors")
        s.equal(daemon.stop().returncode, 0, "stop")


run(again)
