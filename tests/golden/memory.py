# SPDX-License-Identifier: Apache-2.0
"""The memory of analyze does not depend on the length of the input: of text, of a perfetto trace, of a decompression bomb.

A build with a sanitizer does not have this test: the sanitizer itself needs more memory."""

import bz2
import io
import itertools
import lzma
import os
import resource
import struct
import subprocess
import time
import zipfile
import zlib
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
import packets
import synthetic
from jankd import JANKD, checks, folder, rows, skip, trace_names, trace_text, unpacks
from measure import memory_kb

MB = 1024  # KB
LIMITS_KB = {(): 6 * MB, ("--frames-log", "-T", "2"): 8 * MB}
PERFETTO_MB, PERFETTO_CPUS, PERFETTO_LIMIT_KB = 500, 8, 32 * MB
BUNDLES, BUNDLE_NS, FRAMES = 25, 8_000_004, 12  # between two reads, of each CPU; a frame is 16,666,675 ns
PIPE_MB = 64  # of a perfetto trace that is not a plain file
BOMB_LIMIT_KB = 24 * MB


def peak_of(checks, what, limit_kb, out, *arguments, pieces=(), code=0, **keywords):
    """Runs analyze, with @pieces on standard input, and checks exit code and peak memory. Returns standard error."""
    process = subprocess.Popen([JANKD, "analyze", "-F", out, *arguments], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **keywords)
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


def frame(time_ns, number):
    """SurfaceFlinger's marks."""
    layer = b"C|500|com.a/com.a.Main#7|"
    marks = (b"C|500|VSYNC-sf|%d" % (number % 2), layer + b"1", b"B|500|commit", b"B|500|latchBuffer", b"B|500|acquireBuffer", layer + b"0", b"E|500",
             b"E|500", b"E|500", b"B|500|composite", b"B|500|postFramebuffer", b"E|500", b"E|500")
    return [(2, packets.message((1, time_ns + 2000 * n), (2, 500), (3, packets.message((2, mark + b"\n"))))) for n, mark in enumerate(marks)]


def recorded(megabytes):
    """Pieces of a trace with the shape of a recorded one: bundles of events of each CPU, read every 200 ms, one CPU after the other; most
    are switches of threads; frames at 60 Hz, in FrameTimeline, too."""
    begin = 1 << 41  # all times have six bytes
    switch = packets.message((1, b"RenderThread"), (2, 1010), (3, 120), (4, 1), (5, b"kworker/u16:3"), (6, 1020), (7, 120))
    switches = packets.message(*((2, packets.message((1, begin), (2, 1000 + n % 50), (4, switch))) for n in range(200)))
    step, size = BUNDLES * BUNDLE_NS // FRAMES, 0
    for read in itertools.count(1):
        frames = {number * step // BUNDLE_NS: number for number in range(read * FRAMES, (read + 1) * FRAMES)}
        for cpu, bundle in itertools.product(range(PERFETTO_CPUS), range(read * BUNDLES, (read + 1) * BUNDLES)):
            at, number = begin + bundle * BUNDLE_NS, frames.get(bundle, -1)
            marks = packets.message(*frame(begin + number * step, number)) if number % PERFETTO_CPUS == cpu and number >= 0 else b""
            yield packets.packet((1, packets.message((1, cpu)) + marks + switches.replace(packets.varint(begin), packets.varint(at))), (10, 2 + cpu))
        piece = packets.timeline_frames(FRAMES, begin // step + read * FRAMES, step)
        yield piece
        size += len(piece) + PERFETTO_CPUS * BUNDLES * len(switches)
        if size > megabytes * 1_000_000:
            return


def perfetto(checks, here):
    """A file is read twice, so its length, the space for addresses and the order of its packets do not matter. In a pipe it is kept in memory."""
    addresses = (PERFETTO_MB << 19, PERFETTO_MB << 19)
    with open(here / "trace", "wb") as file:
        file.writelines(recorded(PERFETTO_MB))
    peak_of(checks, f"perfetto file of {PERFETTO_MB} MB", PERFETTO_LIMIT_KB, here / "out", "--frames-log", here / "trace",
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, addresses))
    frames, timeline = (len(rows(here / "out", name)) for name in ("frames.csv", "frametimeline.csv"))
    checks.that(frames > 2000 and timeline == 2 * frames, f"perfetto file: {frames} frames, {timeline} of FrameTimeline")
    peak_of(checks, "perfetto in a pipe", (PIPE_MB + 32) * MB, here / "pipe", "-", pieces=recorded(PIPE_MB - 4))


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

texts = [trace_text(name) for name in trace_names()]
for options, limit in LIMITS_KB.items():
    with folder() as place:
        peak_of(checks, " ".join(("analyze", *options)), limit, place, *options, "-", pieces=texts * 2)
with checks, folder() as place:
    perfetto(checks, place)
    if unpacks():
        bombs(checks, place)
