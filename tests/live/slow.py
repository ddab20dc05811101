#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""On a CPU so slow that a read of two seconds takes more than one, rows are written while jankd reads: a kill at any moment
loses no more than on a fast one."""

import time
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
import segments
from live import each, preload, run, session

# Two seconds, and 0.6 s for the vsyncs around a frame; see killed.py. The slack is for a busy machine.
MOST_S = 2.6
SLACK_S = 0.25
SECONDS = 18
# The first frames wait for the period to be certain, and the times between two reads grow.
BEGIN_S = 8
PAGE_BYTES = 4096
SLOW = 0.5  # a read takes this part of the time in which its events came


def bytes_per_second(s):
    """Of the scenario."""
    s.play(scenario="game-30", seconds=2)
    written = s.kernel("bytes")
    s.write("trace", "")
    return written / 2


def unwritten(out, seconds):
    """What a kill would lose, at moments of so many seconds, in seconds."""
    ages, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        ages.append(time.clock_gettime(time.CLOCK_BOOTTIME) - segments.last_frame(out))
        time.sleep(0.02)
    return sorted(ages)


def slow(source, text_per_raw):
    """@text_per_raw: bytes that are read, for a byte in the buffers."""
    with session(source) as s:
        s.write("trace_clock", "boot")
        reads = bytes_per_second(s) * text_per_raw / PAGE_BYTES
        capture = s.run("--source", source, "-T", "2", **preload("slow_reads", SLOW_READS_US=str(int(1e6 * SLOW / reads))))
        phone = s.phone(scenario="game-30", seconds=SECONDS + 2)
        time.sleep(BEGIN_S)
        ages = unwritten(s.out, SECONDS - BEGIN_S)
        phone.terminate()
        phone.communicate()
        capture.stop()
        share = sum(age > MOST_S + SLACK_S for age in ages) / len(ages)
        print(f"{source}: {reads:.0f} reads a second; not yet written: usually {ages[len(ages) // 2]:.2f} s, at most {ages[-1]:.2f} s, "
              f"in {share:.1%} of {len(ages)} moments more than {MOST_S + SLACK_S} s")
        s.that(share < 0.1, "rows wait too long")


run(each(slow, ("raw", 1), ("text", 2)))
