#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How often jankd wakes up, idle and at 2,000 events/s."""

import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import synthetic
import tracefs
from device import Device
from jankd import Checks
from live import Capture, session
from measure import switches

SECONDS = 6
IDLE_MOST, BUSY_MOST = 4, 10

# Each program that jankd runs once a second wakes it three times.
BUSY_MOST_ON_DEVICE = 12
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
    with session() as (mount, instance, here):
        device = Device(here / "device", instance) if on_device else None
        capture = Capture(mount, instance, here / "out", *arguments, device=device)
        checks.that(capture.wait_ready(), f"{what}: jankd does not start")
        time.sleep(2)
        idle = per_second(capture, lambda: time.sleep(SECONDS))
        rates = []
        busy = per_second(capture, lambda: rates.append(write_for(instance, SECONDS)))
        code, said, _ = capture.stop()
        print(f"{what}: {idle:.1f} wakeups/s idle, {busy:.1f} with {rates[0]:.0f} events/s")
        checks.equal(code, 0, f"{what}: exit code: {said[-300:]}")
        checks.that(idle <= IDLE_MOST, f"{what}: {idle:.1f} wakeups/s idle")
        most = BUSY_MOST_ON_DEVICE if on_device else BUSY_MOST
        checks.that(busy <= most, f"{what}: {busy:.1f} wakeups/s with {rates[0]:.0f} events/s")
        checks.that(rates[0] > RATE * 0.9, f"{what}: only {rates[0]:.0f} events/s")


tracefs.root()
checks = Checks()
measure(checks, "defaults")
measure(checks, "--snapshot", "--snapshot", "10", "--until-exit", "org.example.never")
measure(checks, "on a device", on_device=True)
checks.end()
