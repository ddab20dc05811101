#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The files do not depend on how the input is split into reads; the same input twice gives the same files.

A pipe in packet mode keeps writes apart: each read returns the bytes of one write.
"""

import fcntl
import gzip
import os
import re
import subprocess
import sys

sys.path.insert(0, str(__import__("pathlib").Path(__file__).resolve().parents[1] / "lib"))
from jankd import JANKD, Checks, differences, folder, outputs, trace_names, trace_text

# Enough of a trace for frames of several layers; a write for each byte is slow.
ENOUGH = {1: 600000, 7: 3000000}
OPTIONS = ("--frames-log", "-T", "2", "-f", "2")


def feed(out, data, size):
    """Runs analyze with @data on standard input, @size bytes a read; 0: as many as possible."""
    reader, writer = os.pipe2(os.O_DIRECT if size else 0)
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 1 << 20)
    process = subprocess.Popen([JANKD, "analyze", "-F", out, *OPTIONS, "-"], stdin=reader,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    os.close(reader)
    view = memoryview(data)
    step = size or 1 << 16
    try:
        for begin in range(0, len(view), step):
            os.write(writer, view[begin:begin + step])
    except BrokenPipeError:
        pass
    os.close(writer)
    error = process.communicate()[1]
    if process.returncode != 0:
        print(f"exit {process.returncode}: {error.decode(errors='replace')}")
    return process.returncode


def check(checks, what, data, size):
    with folder() as here:
        once, again, split = here / "once", here / "again", here / "split"
        codes = [feed(once, data, 0), feed(again, data, 0), feed(split, data, size)]
        checks.that(codes == [0, 0, 0], f"{what}: exit codes {codes}")
        checks.that("frames.csv" in outputs(once), f"{what}: no frames.csv")
        checks.equal(differences(outputs(once), outputs(again)), [], f"{what}: twice the same input")
        checks.equal(differences(outputs(once), outputs(split)), [], f"{what}: reads of {size} bytes")


def around_presents(text, enough):
    """A part of a trace with the first presents in its first half."""
    present = re.search(rb"\|(postFramebuffer|composite \d)", text).start()
    return text[max(0, present - enough // 3):][:enough]


checks = Checks()
for name in trace_names():
    text = trace_text(name)
    for size, enough in ENOUGH.items():
        check(checks, name, around_presents(text, enough), size)
check(checks, "android-7-launcher.gz", gzip.compress(trace_text("android-7-launcher")), 1)
checks.end()
