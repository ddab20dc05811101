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
from jankd import BUILD, JANKD, Checks, folder, rows, skip, trace_names, trace_text
from measure import memory_kb

LIMITS_KB = {(): 6 * 1024, ("--frames-log", "-T", "2"): 8 * 1024}
ROUNDS = 3

PERFETTO = BUILD / "tests" / "bench" / "perfetto-trace"
PERFETTO_MB, PERFETTO_CPUS = 500, 8
PERFETTO_LIMIT_KB = 32 * 1024
PIPE_MB = 64  # of a perfetto trace that is not a plain file
PIPE_LIMIT_KB = (PIPE_MB + 32) * 1024


def measure(out, texts, options, rounds=ROUNDS):
    """(exit code, bytes, peak in KB) of one analyze with @options over @texts, @rounds times."""
    process = subprocess.Popen([JANKD, "analyze", "-F", out, *options, "-"],
                               stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    total = peak = 0
    for _ in range(rounds):
        for text in texts:
            process.stdin.write(text)
            total += len(text)
            peak = max(peak, memory_kb(process.pid))
    process.stdin.close()
    while process.poll() is None:
        peak = max(peak, memory_kb(process.pid))
        time.sleep(0.002)
    return process.returncode, total, peak


def perfetto_file(checks, here):
    """A perfetto trace is read twice, so its length does not matter; nor does the order of its packets."""
    trace = here / "trace"
    with open(trace, "wb") as file:
        subprocess.run([PERFETTO, str(PERFETTO_MB), str(PERFETTO_CPUS)], stdout=file, check=True)
    process = subprocess.Popen([JANKD, "analyze", "-F", here / "out", "--frames-log", trace], stdout=subprocess.DEVNULL)
    peak = 0
    while process.poll() is None:
        peak = max(peak, memory_kb(process.pid))
        time.sleep(0.002)
    frames, timeline = rows(here / "out", "frames.csv"), rows(here / "out", "frametimeline.csv")
    print(f"perfetto file of {trace.stat().st_size / 1e6:.0f} MB: {len(frames)} frames, {len(timeline)} of FrameTimeline, "
          f"peak memory {peak} KB")
    checks.equal(process.returncode, 0, "perfetto file: exit code")
    checks.that(len(frames) > 2000 and len(timeline) == 2 * len(frames), "perfetto file: frames")
    checks.that(0 < peak < PERFETTO_LIMIT_KB, f"perfetto file: peak memory {peak} KB")


def perfetto_pipe(checks, here):
    """In a pipe it is kept in memory."""
    trace = subprocess.run([PERFETTO, str(PIPE_MB - 2), str(PERFETTO_CPUS)], stdout=subprocess.PIPE, check=True).stdout
    code, total, peak = measure(here / "pipe", [trace], (), rounds=1)
    print(f"perfetto in a pipe, {total / 1e6:.0f} MB: peak memory {peak} KB")
    checks.equal(code, 0, "perfetto in a pipe: exit code")
    checks.that(0 < peak < PIPE_LIMIT_KB, f"perfetto in a pipe: peak memory {peak} KB")


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
with folder() as here:
    perfetto_file(checks, here)
    perfetto_pipe(checks, here)
checks.end()
