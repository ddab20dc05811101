#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lines 'LOST ... EVENTS' in the live text: those of the kernel are counted exactly, those written by an app are
reported and not counted."""

import os
import pathlib
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from live import each, run, session
from others import ended, fork

APP_UID = 10123

# In each event about forged lines.
FORGED = ": the kernel's statistics show none"


def forge(write, seconds):
    """Writes lines as the kernel would, for CPUs that exist and some that do not."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        for cpu in (0, 1, 63, 64, 4095, 2147483647):
            for events in ("99999 ", "1 ", "", "999999999999999999 "):
                write(f"C|1|a|1\nCPU:{cpu} [LOST {events}EVENTS]", f"C|1|a|1\0CPU:{cpu} [LOST {events}EVENTS]")
        time.sleep(0.02)


def lose(write, markers):
    """Writes more than the buffers hold, while nothing reads them."""
    home = os.sched_getaffinity(0)
    for cpu in sorted(home):
        os.sched_setaffinity(0, {cpu})
        write(*(f"C|1|flood|{n}" for n in range(markers)))
    os.sched_setaffinity(0, home)


def lost(forges):
    """Events that the kernel lost are counted, even if there are forged lines, too."""
    with session(f"lost{', forged' if forges else ''}") as s:
        s.write("buffer_size_kb", 64)
        capture = s.run("--source", "text", "--buffer-kb", "64")
        with s.marker() as write:
            forger = fork(lambda: forge(write, 5), APP_UID) if forges else None
            for n in range(4):
                capture.process.send_signal(signal.SIGSTOP)
                lose(write, 3000 + 500 * n)
                capture.process.send_signal(signal.SIGCONT)
                time.sleep(0.6)
            if forger:
                s.equal(ended(forger), 0, "the forger")
        time.sleep(0.6)
        expected = s.kernel("overrun")
        capture.stop(signal.SIGTERM)
        s.that(expected > 1000, f"the kernel lost {expected}")
        s.equal(s.counters()["lost_events"], expected, "lost")
        s.equal(any(FORGED in text for text in s.texts("tracing")), forges, "forged lines are reported")


run(each(lost, True, False))
