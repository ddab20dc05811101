#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The memory of analyze does not depend on the length of the input: of text, of a perfetto trace, of a decompression bomb.

A build with a sanitizer does not have this test: the sanitizer itself needs more memory.
"""

import bz2
import io
import lzma
import os
import pathlib
import struct
import subprocess
import sys
import time
import zipfile
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import synthetic
from jankd import BUILD, JANKD, Checks, folder, rows, skip, trace_names, trace_text, unpacks
from measure import memory_kb

MB = 1024  # KB
LIMITS_KB = {(): 6 * MB, ("--frames-log", "-T", "2"): 8 * MB}
PERFETTO = BUILD / "tests" / "bench" / "perfetto-trace"
PERFETTO_MB, PERFETTO_CPUS, PERFETTO_LIMIT_KB = 500, 8, 32 * MB
PIPE_MB = 64  # of a perfetto trace that is not a plain file
BOMB_LIMIT_KB = 24 * MB


def peak_of(checks, what, limit_kb, out, *arguments, pieces=(), code=0):
    """Runs analyze, with @pieces on standard input, and checks exit code and peak memory. Returns standard error."""
    process = subprocess.Popen([JANKD, "analyze", "-F", out, *arguments], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE)
    peak = 0
    for piece in pieces:
        process.stdin.write(piece)
        peak = max(peak, memory_kb(process.pid))
    process.stdin.close()
    while process.poll() is None:
        peak = max(peak, memory_kb(process.pid))
        time.sleep(0.002)
    said = process.stderr.read().decode()
    print(f"{what}: peak memory {peak} KB")
    checks.equal(process.returncode, code, f"{what}: exit code: {said}")
    checks.that(0 < peak < limit_kb, f"{what}: peak memory {peak} KB is not below {limit_kb} KB")
    return said


def perfetto(checks, here):
    """A file is read twice, so its length does not matter; nor does the order of its packets. In a pipe it is kept in memory."""
    def make(megabytes, **keywords):
        return subprocess.run([PERFETTO, str(megabytes), str(PERFETTO_CPUS)], check=True, **keywords).stdout

    with open(here / "trace", "wb") as file:
        make(PERFETTO_MB, stdout=file)
    peak_of(checks, f"perfetto file of {PERFETTO_MB} MB", PERFETTO_LIMIT_KB, here / "out", "--frames-log", here / "trace")
    frames, timeline = (len(rows(here / "out", name)) for name in ("frames.csv", "frametimeline.csv"))
    checks.that(frames > 2000 and timeline == 2 * frames, f"perfetto file: {frames} frames, {timeline} of FrameTimeline")
    peak_of(checks, "perfetto in a pipe", (PIPE_MB + 32) * MB, here / "pipe", "-", pieces=[make(PIPE_MB - 2, stdout=subprocess.PIPE)])


def with_dictionary(data, code):
    """The xz file with another dictionary size in its header; code 40: 4 GB."""
    data = bytearray(data)
    end = 12 + (data[12] + 1) * 4
    data[data.index(b"\x21\x01", 12, end) + 2] = code
    data[end - 4:end] = struct.pack("<I", zlib.crc32(data[12:end - 4]))
    return bytes(data)


def bombs(checks, here):
    text, archive = synthetic.trace(1000) + b"\n" * 60_000_000, io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        file.writestr("a", text)
        file.writestr("b", text[-50_000_000:])
    for name, data in (("zip", archive.getvalue()), ("bzip2", bz2.compress(text, 1))):
        (here / name).write_bytes(data)
        peak_of(checks, f"a bomb in {name} of {len(data) / 1e6:.1f} MB", BOMB_LIMIT_KB, here / f"{name}-out", here / name)
    (here / "xz").write_bytes(with_dictionary(lzma.compress(text[:1_000_000], preset=0), 40))
    said = peak_of(checks, "xz with 4 GB of dictionary", BOMB_LIMIT_KB, here / "xz-out", here / "xz", code=1)
    checks.that("too much memory" in said, f"xz with 4 GB of dictionary: {said}")


# meson sets MALLOC_PERTURB_, which writes to memory that a table only reserves.
os.environ.pop("MALLOC_PERTURB_", None)
if memory_kb(os.getpid()) == 0:
    skip("no /proc is mounted here: it has the peak memory of a program")

checks = Checks()
texts = [trace_text(name) for name in trace_names()]
for options, limit in LIMITS_KB.items():
    with folder() as place:
        peak_of(checks, " ".join(("analyze", *options)), limit, place, *options, "-", pieces=texts * 2)
with folder() as place:
    perfetto(checks, place)
    if unpacks():
        bombs(checks, place)
checks.end()
