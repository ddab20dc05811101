#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How often jankd wakes up: idle, at 2,000 events/s, and at 10,000 events/s with 1 MB for each CPU."""

import functools
import pathlib
import re
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import synthetic
import tracefs
from device import Device
from jankd import BUILD, Checks
from live import Capture, session
from measure import switches

SECONDS = 6
WARM_S = 3
IDLE_MOST, BUSY_MOST = 1, 2
TRIES = 3

# A snapshot waits for late frames, so the trace is read four times a second.
BUSY_MOST_FRESH = 8

# Each program that jankd runs with a tick wakes it three times. This device does not count the changes of its
# properties, so getprop is run.
MOST_ON_DEVICE = 4
RATE = 2000


def payloads():
    """The markers of frames, without end."""
    n = 0
    while True:
        for line in synthetic.frame(0, n).splitlines():
            yield line.split("tracing_mark_write: ", 1)[1].encode()
        n += 1


def write_for(instance, seconds):
    """Writes at RATE. Returns the events/s."""
    source, count = payloads(), 0
    begin = time.monotonic()
    with open(instance / "trace_marker", "wb", buffering=0) as marker:
        while (passed := time.monotonic() - begin) < seconds:
            while count < passed * RATE:
                marker.write(next(source))
                count += 1
            time.sleep(0.005)
    return count / (time.monotonic() - begin)


def per_second(capture, during):
    before, begin = switches(capture.process.pid), time.monotonic()
    during()
    return (switches(capture.process.pid) - before) / (time.monotonic() - begin)


def measure(checks, what, *arguments, on_device=False):
    """Returns the wakeups/s when idle, and at RATE."""
    with session() as (mount, instance, here):
        device = Device(here / "device", instance) if on_device else None
        capture = Capture(mount, instance, here / "out", *arguments, device=device)
        checks.that(capture.wait_ready(), f"{what}: jankd does not start")
        time.sleep(2)
        idle = per_second(capture, lambda: time.sleep(SECONDS))
        # The first drains come sooner.
        write_for(instance, WARM_S)
        rates = []
        busy = per_second(capture, lambda: rates.append(write_for(instance, SECONDS)))
        code, said, _ = capture.stop()
        print(f"{what}: {idle:.1f} wakeups/s idle, {busy:.1f} with {rates[0]:.0f} events/s")
        checks.equal(code, 0, f"{what}: exit code: {said[-300:]}")
        checks.that(rates[0] > RATE * 0.9, f"{what}: only {rates[0]:.0f} events/s")
        return idle, busy


def measure_load(checks, what):
    """10,000 events/s fill 1 MB of the fullest CPU in some seconds. Returns the wakeups/s."""
    with session() as (mount, instance, here):
        (instance / "buffer_size_kb").write_text("1024")
        capture = Capture(mount, instance, here / "out", "-T", "2")
        checks.that(capture.wait_ready(), f"{what}: jankd does not start")
        load = [BUILD / "tests" / "bench" / "load", instance / "trace_marker", "10000"]
        subprocess.run([*load, "3", "20", "4"], check=True, stdout=subprocess.DEVNULL)
        busy = per_second(capture, lambda: subprocess.run([*load, "12", "20", "4"], check=True,
                                                          stdout=subprocess.DEVNULL))
        lost = sum(int(n) for path in instance.glob("per_cpu/cpu*/stats")
                   for n in re.findall(r"(?m)^overrun: (\d+)", path.read_text()))
        capture.stop()
        print(f"{what}: {busy:.1f} wakeups/s")
        checks.equal(lost, 0, f"{what}: lost events")
        return (busy,)


def at_most(checks, what, limits, measured):
    """Measures again while the numbers are too large: other programs can only add to them."""
    for _ in range(TRIES):
        numbers = measured()
        if all(number <= most for number, most in zip(numbers, limits)):
            return
    checks.that(False, f"{what}: {numbers} wakeups/s, at most {limits}")


tracefs.root()
checks = Checks()
for what, limits, measured in (
        ("defaults", (IDLE_MOST, BUSY_MOST), functools.partial(measure, checks, "defaults")),
        ("10,000 events/s", (BUSY_MOST,), functools.partial(measure_load, checks, "10,000 events/s")),
        ("--snapshot", (IDLE_MOST, BUSY_MOST_FRESH), functools.partial(
            measure, checks, "--snapshot", "--snapshot", "10", "--until-exit", "org.example.never")),
        ("on a device", (MOST_ON_DEVICE, MOST_ON_DEVICE), functools.partial(measure, checks, "on a device", on_device=True))):
    at_most(checks, what, limits, measured)
checks.end()
