#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A capture takes what it needs at the begin: 200 surfaces later it has neither more memory nor
more descriptors."""

import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from jankd import Checks
from live import Capture, play, session
from measure import resident_kb

GROWTH_KB = 64


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


checks = Checks()
with session() as (mount, instance, here):
    capture = Capture(mount, instance, here / "out", "-T", "2")
    pid = capture.process.pid
    if checks.that(capture.wait_ready(), "the capture did not begin"):
        play(mount, instance, here / "first.csv", "--scenario", "steady-60", "--seconds", "2")
        time.sleep(1)
        before = resident_kb(pid), descriptors(pid)
        played = play(mount, instance, here / "truth.csv", "--scenario", "surfaces-200", "--seconds",
                      "10")
        checks.equal(played.returncode, 0, f"jank-phone: {played.stderr.decode()}")
        time.sleep(1)
        after = resident_kb(pid), descriptors(pid)
        print(f"{before[0]} KB before, {after[0]} KB after")
        checks.that(after[0] - before[0] <= GROWTH_KB, f"memory grew from {before[0]} to {after[0]} KB")
        checks.equal(after[1], before[1], "descriptors")
    code, said, _ = capture.stop()
    checks.equal(code, 0, f"exit code; it said {said!r}")
checks.end()
