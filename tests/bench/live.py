#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a live capture costs: jankd run beside 'cat trace_pipe | busybox awk', in turn.

jank-phone plays the same load for each into an instance of its own. Needs root and tracefs.
"""

import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import tracefs
from jankd import JANKD, PHONE, folder, skip
from measure import cpu_seconds, machine, memory_kb, switches

ROUNDS = 5
SECONDS = 5
SCENARIO = "surfaces-200"


def start_jankd(mount, instance, out):
    return [subprocess.Popen([JANKD, "run", "--tracefs", mount, "--instance", instance.name,
                              "--no-atrace", "-F", out], stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)]


def start_awk(mount, instance, out):
    cat = subprocess.Popen(["cat", instance / "trace_pipe"], stdout=subprocess.PIPE)
    awk = subprocess.Popen(["busybox", "awk", "-f", pathlib.Path(__file__).with_name("presents.awk")],
                           stdin=cat.stdout, stdout=subprocess.DEVNULL)
    cat.stdout.close()
    return [cat, awk]


def measure(mount, start):
    """(CPU share in %, wakeups per second, memory in KB) of a reader under load."""
    with tracefs.instance(mount) as instance, folder() as here:
        readers = start(mount, instance, here)
        time.sleep(0.5)
        cpu = [cpu_seconds(reader.pid) for reader in readers]
        slept = [switches(reader.pid) for reader in readers]
        begin = time.monotonic()
        subprocess.run([PHONE, "--tracefs", mount, "--instance", instance.name, "--scenario",
                        SCENARIO, "--seconds", str(SECONDS), "--truth", here / "truth.csv"],
                       check=True, stdin=subprocess.DEVNULL, capture_output=True)
        time.sleep(0.3)
        elapsed = time.monotonic() - begin
        cpu = sum(cpu_seconds(r.pid) for r in readers) - sum(cpu)
        slept = sum(switches(r.pid) for r in readers) - sum(slept)
        memory = sum(memory_kb(r.pid) for r in readers)
        for reader in readers:
            reader.send_signal(signal.SIGINT)
        for reader in readers:
            reader.wait(timeout=30)
    return cpu / elapsed * 100, slept / elapsed, memory


mount = tracefs.root()
if not shutil.which("busybox"):
    skip("busybox is missing")
readers = {"cat trace_pipe | busybox awk": start_awk, "jankd run": start_jankd}
results = {name: [] for name in readers}
for _ in range(ROUNDS):
    for name, start in readers.items():
        results[name].append(measure(mount, start))
print(f"{machine()}; jank-phone plays {SCENARIO} for {SECONDS} s; medians of {ROUNDS}")
print(f"{'':30}{'CPU %':>8}{'wakeups/s':>11}{'memory KB':>11}")
for name, result in results.items():
    cpu, wakeups, memory = (statistics.median(column) for column in zip(*result))
    print(f"{name:30}{cpu:8.2f}{wakeups:11.1f}{memory:11.0f}")
