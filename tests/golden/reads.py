#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The files, and snapshots among them, do not depend on how the input is split into reads; the same input twice gives the same files.

A pipe in packet mode keeps writes apart: each read returns the bytes of one write.
"""

import fcntl
import gzip
import os
import re
import subprocess
import sys

sys.path.insert(0, str(__import__("pathlib").Path(__file__).resolve().parents[1] / "lib"))
from jankd import JANKD, Checks, folder, trace_names, trace_text

ENOUGH = 400_000  # bytes of a trace, for frames of several layers; a write for each few bytes is slow
OPTIONS = ("--frames-log", "-T", "2", "-f", "2")
# The latest frames of two recorded traces are 4 and 8 vsyncs beyond a cadence of 1.
SNAPSHOTS = ("--frames-log", "--snapshot", "60", "--snapshot-seconds", "2")


def feed(out, options, data, size):
    """Runs analyze with @data on standard input, @size bytes a read; 0: as many as possible. Returns its files."""
    reader, writer = os.pipe2(os.O_DIRECT if size else 0)
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 1 << 20)
    with subprocess.Popen([JANKD, "analyze", "-F", out, *options, "-"], stdin=reader, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        os.close(reader)
        view, step = memoryview(data), size or 1 << 16
        for begin in range(0, len(view), step):
            os.write(writer, view[begin:begin + step])
        os.close(writer)
        error = process.stderr.read()
    checks.equal(process.returncode, 0, f"{out.name}: exit code: {error}")
    return {path.name: path.read_bytes() for path in out.iterdir() if path.suffix in (".csv", ".txt")}


def check(what, data, *sizes, options=OPTIONS, file="frames.csv"):
    with folder() as here:
        once = feed(here / "once", options, data, 0)
        checks.that(file in once, f"{what}: no {file}")
        for n, size in enumerate((0, *sizes)):
            split = feed(here / f"{n}", options, data, size)
            checks.equal(sorted(n for n in once | split if once.get(n) != split.get(n)), [], f"{what}: reads of {size} bytes: files that differ")


def around_presents(text):
    """A part of a trace with the first presents in its first half."""
    present = re.search(rb"\|(postFramebuffer|composite \d)", text).start()
    return text[max(0, present - ENOUGH // 3):][:ENOUGH]


checks = Checks()
for name in trace_names():
    check(name, around_presents(trace_text(name)), 7)
check("android-7-launcher.gz", gzip.compress(trace_text("android-7-launcher")), 1)
for name in ("android-7-launcher", "android-11-launcher"):
    check(f"{name}, snapshots", trace_text(name), 1000, 4096, options=SNAPSHOTS, file="snapshot-000001.txt")
checks.end()
