#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How often jankd wakes up: idle, at 2,000 events/s, and at 10,000 events/s with 1 MB for each CPU."""

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
IDLE_MOST, BUSY_MOST = 2, 4

# A snapshot waits for late frames, so the trace is read four times a second.
BUSY_MOST_FRESH = 8

# Each program that jankd runs with a tick wakes it three times.
MOST_ON_DEVICE = 6
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


def measure(checks, what, *arguments, on_device=False, idle_most=IDLE_MOST, busy_most=BUSY_MOST):
    with session() as (mount, instance, here):
        device = Device(here / "device", instance) if on_device else None
        capture = Capture(mount, instance, here / "out", *arguments, device=device)
        checks.that(capture.wait_ready(), f"{what}: jankd does not start")
        time.sleep(2)
        idle = per_second(capture, lambda: time.sleep(SECONDS))
        # The first summary.csv is synced.
        write_for(instance, WARM_S)
        rates = []
        busy = per_second(capture, lambda: rates.append(write_for(instance, SECONDS)))
        code, said, _ = capture.stop()
        print(f"{what}: {idle:.1f} wakeups/s idle, {busy:.1f} with {rates[0]:.0f} events/s")
        checks.equal(code, 0, f"{what}: exit code: {said[-300:]}")
        checks.that(idle <= idle_most, f"{what}: {idle:.1f} wakeups/s idle")
        checks.that(busy <= busy_most, f"{what}: {busy:.1f} wakeups/s with {rates[0]:.0f} events/s")
        checks.that(rates[0] > RATE * 0.9, f"{what}: only {rates[0]:.0f} events/s")


def measure_load(checks):
    """10,000 events/s fill 1 MB of the fullest CPU in some seconds."""
    what = "10,000 events/s"
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
        checks.that(busy <= BUSY_MOST, f"{what}: {busy:.1f} wakeups/s")


tracefs.root()
checks = Checks()
measure(checks, "defaults")
measure_load(checks)
measure(checks, "--snapshot", "--snapshot", "10", "--until-exit", "org.example.never", busy_most=BUSY_MOST_FRESH)
measure(checks, "on a device", on_device=True, idle_most=MOST_ON_DEVICE, busy_most=MOST_ON_DEVICE)
checks.end()
