#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The memory of analyze does not depend on the length of the input.

A build with a sanitizer does not have this test: the sanitizer itself needs more memory.
"""

import os
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from jankd import JANKD, Checks, folder, skip, trace_names, trace_text
from measure import memory_kb

LIMITS_KB = {(): 6 * 1024, ("--frames-log", "-T", "2"): 8 * 1024}
ROUNDS = 3


def measure(out, texts, options):
    """(exit code, bytes, peak in KB) of one analyze with @options over @texts, ROUNDS times."""
    process = subprocess.Popen([JANKD, "analyze", "-F", out, *options, "-"],
                               stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    total = peak = 0
    for _ in range(ROUNDS):
        for text in texts:
            process.stdin.write(text)
            total += len(text)
            peak = max(peak, memory_kb(process.pid))
    process.stdin.close()
    while process.poll() is None:
        peak = max(peak, memory_kb(process.pid))
        time.sleep(0.002)
    return process.returncode, total, peak


# meson sets MALLOC_PERTURB_, which writes to memory that a table only reserves.
os.environ.pop("MALLOC_PERTURB_", None)
if memory_kb(os.getpid()) == 0:
    skip("no /proc is mounted here: it has the peak memory of a program")

checks = Checks()
texts = [trace_text(name) for name in trace_names()]
for options, limit in LIMITS_KB.items():
    name = " ".join(("analyze", *options))
    with folder() as out:
        code, total, peak = measure(out, texts, options)
    print(f"{name}: {total / 1e6:.0f} MB, peak memory {peak} KB")
    checks.equal(code, 0, f"{name}: exit code")
    checks.that(0 < peak < limit, f"{name}: peak memory {peak} KB is not below {limit} KB")
checks.end()
