#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""On a CPU so slow that a read of two seconds takes more than one, rows are written while jankd reads: a kill at any moment
loses no more than on a fast one."""

import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import segments
from jankd import BUILD, PHONE, Checks
from live import Capture, session

# Two seconds, and 0.6 s for the vsyncs around a frame; see killed.py. The slack is for a busy machine.
MOST_S = 2.6
SLACK_S = 0.25
SECONDS = 20
# The first frames wait for the period to be certain, and the times between two reads grow.
BEGIN_S = 8
PAGE_BYTES = 4096
SLOW = 0.5  # a read takes this part of the time in which its events came


def bytes_per_second(mount, instance):
    """Of the scenario."""
    subprocess.run([PHONE, "--tracefs", mount, "--instance", instance.name, "--truth", "/dev/null", "--scenario", "game-30",
                    "--seconds", "2"], stdin=subprocess.DEVNULL, capture_output=True)
    stats = [path.read_text() for path in instance.glob("per_cpu/cpu*/stats")]
    (instance / "trace").write_text("")
    return sum(int(line.split()[1]) for text in stats for line in text.splitlines() if line.startswith("bytes:")) / 2


def unwritten(out, seconds):
    """What a kill would lose, at moments of so many seconds, in seconds."""
    ages, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        ages.append(time.clock_gettime(time.CLOCK_BOOTTIME) - segments.last_frame(out))
        time.sleep(0.02)
    return sorted(ages)


def slow(checks, source, text_per_raw):
    """@text_per_raw: bytes that are read, for a byte in the buffers."""
    with session() as (mount, instance, here):
        (instance / "trace_clock").write_text("boot")
        reads = bytes_per_second(mount, instance) * text_per_raw / PAGE_BYTES
        capture = Capture(mount, instance, here / "out", "--source", source, "-T", "2",
                          LD_PRELOAD=str(BUILD / "tests" / "libslow_reads.so"), SLOW_READS_US=str(int(1e6 * SLOW / reads)))
        checks.that(capture.wait_ready(), f"{source}: does not start")
        phone = subprocess.Popen([PHONE, "--tracefs", mount, "--instance", instance.name, "--truth", "/dev/null",
                                  "--scenario", "game-30", "--seconds", str(SECONDS + 2)],
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(BEGIN_S)
        ages = unwritten(here / "out", SECONDS - BEGIN_S)
        phone.terminate()
        phone.wait()
        capture.stop()
    share = sum(age > MOST_S + SLACK_S for age in ages) / len(ages)
    print(f"{source}: {reads:.0f} reads a second; not yet written: usually {ages[len(ages) // 2]:.2f} s, at most {ages[-1]:.2f} s, "
          f"in {share:.1%} of {len(ages)} moments more than {MOST_S + SLACK_S} s")
    checks.that(share < 0.1, f"{source}: rows wait too long")


checks = Checks()
slow(checks, "raw", 1)
slow(checks, "text", 2)
checks.end()
