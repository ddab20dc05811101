#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A trace gives the same rows if it is packed: in xz, zstd, bzip2, zip."""

import bz2
import gzip
import io
import lzma
import os
import struct
import subprocess
import sys
import time
import zipfile
import zlib

sys.path.insert(0, str(__import__("pathlib").Path(__file__).resolve().parents[1] / "lib"))
import synthetic
from jankd import (JANKD, TRACES, Checks, analyze, differences, folder, is_sanitized, jankd, outputs, rows, skip,
                   trace_text, unpacks)
from measure import memory_kb

OPTIONS = ("--frames-log", "-T", "2")
TRACE = synthetic.trace(3000)
SMALL_KB = 24 * 1024
PROSE = b"It was a dark and stormy night.\n" * 1000


class Pipe(io.RawIOBase):
    """A file that cannot seek: a zip archive then has the sizes after the data."""

    def __init__(self):
        self.data = b""

    def writable(self):
        return True

    def write(self, data):
        self.data += bytes(data)
        return len(data)


def zip_of(*files, method=zipfile.ZIP_DEFLATED, to=None):
    """An archive of (name, content)."""
    to = to or io.BytesIO()
    with zipfile.ZipFile(to, "w", method) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return to.data if isinstance(to, Pipe) else to.getvalue()


def zstd(text):
    """A zstd frame of uncompressed blocks: Python has no zstd compressor."""
    size = 100_000
    pieces = [text[at:at + size] for at in range(0, len(text), size)] or [b""]
    blocks = [struct.pack("<I", len(piece) << 3 | (n == len(pieces) - 1))[:3] + piece for n, piece in enumerate(pieces)]
    return b"\x28\xb5\x2f\xfd" + bytes([0, 7 << 3]) + b"".join(blocks)


def page(text):
    return (b'<!DOCTYPE html>\n<html>\n<body>\n<script class="trace-data" type="application/text">\n' + text +
            b"</script>\n</body>\n</html>\n")


PACKINGS = {
    "xz": lzma.compress,
    "zstd": zstd,
    "bzip2": bz2.compress,
    "zip": lambda text: zip_of(("trace.txt", text)),
    "zip, stored": lambda text: zip_of(("trace.txt", text), method=zipfile.ZIP_STORED),
    "zip, written into a pipe": lambda text: zip_of(("trace.txt", text), to=Pipe()),
    "zip of a folder": lambda text: zip_of(("a/", b""), ("a/b/trace.txt", text)),
    "zip of several": lambda text: zip_of(("README", PROSE), ("trace.txt", text), ("screen.png", b"\x89PNG\r\n")),
    "two xz streams": lambda text: lzma.compress(text[:99999]) + lzma.compress(text[99999:]),
    "xz of xz": lambda text: lzma.compress(lzma.compress(text)),
    "xz of gzip": lambda text: lzma.compress(gzip.compress(text)),
    "zip of gzip": lambda text: zip_of(("README", PROSE), ("trace.gz", gzip.compress(text))),
    "bzip2 of html": lambda text: bz2.compress(page(text)),
    "zip of html": lambda text: zip_of(("trace.html", page(text)), ("README", b"")),
}


def check(checks, name, text):
    """From a file by its name, from a file on standard input and from a pipe."""
    with folder() as here:
        analyze(here / "plain", *OPTIONS, "-", input=text)
        plain = outputs(here / "plain")
        checks.that(plain.get("frames.csv", b"").count(b"\n") > 1, f"{name}: no frames")
        for packing, pack in PACKINGS.items():
            (here / "trace.txt").write_bytes(pack(text))
            with open(here / "trace.txt", "rb") as opened:
                for how, source, keywords in (("file", here / "trace.txt", {}), ("stdin", "-", {"stdin": opened}),
                                              ("pipe", "-", {"input": pack(text)})):
                    out = here / f"{packing} {how}"
                    done = analyze(out, *OPTIONS, source, **keywords)
                    checks.equal(differences(plain, outputs(out)), [], f"{name}: {out.name}")
                    several = "several" in packing or packing in ("zip of gzip", "zip of html")
                    checks.equal(b"the only one of its" in done.stderr, several, f"{name}: {out.name}: the file that is read is reported")


def damage(checks):
    """The frames before the damage of an archive are counted, and the damage is reported."""
    bad = bytearray(TRACE)
    bad[len(bad) * 3 // 4] ^= 1
    cases = [(packing, "truncated", pack(TRACE)) for packing, pack in PACKINGS.items()
             if packing in ("xz", "zstd", "bzip2", "zip", "xz of gzip")]
    cases = [(packing, word, data[:len(data) * 3 // 4]) for packing, word, data in cases]
    # Both have a checksum of the original content.
    xz, archive = lzma.compress(TRACE), zip_of(("trace.txt", TRACE), method=zipfile.ZIP_STORED)
    cases += [("zip, a byte", "corrupt", archive.replace(TRACE, bytes(bad))),
              ("xz, a byte", "corrupt", xz[:len(xz) // 2] + bytes([xz[len(xz) // 2] ^ 1]) + xz[len(xz) // 2 + 1:])]
    for packing, word, data in cases:
        with folder() as here:
            what = f"{packing}, {word}"
            analyze(here / "whole", *OPTIONS, "-", input=TRACE)
            (here / "bad").write_bytes(data)
            done = jankd("analyze", "-F", here / "out", *OPTIONS, here / "bad")
            checks.equal(done.returncode, 0, f"{what}: exit code: {done.stderr!r}")
            checks.that(b"jankd: warning: " in done.stderr and word.encode() in done.stderr, f"{what}: {done.stderr!r}")
            reported = [row["text"] for row in rows(here / "out", "events.csv") if row["kind"] == "tracing"]
            checks.that(len(reported) == 1 and word in reported[0], f"{what}: events {reported}")
            got, whole = (rows(here / name, "frames.csv") for name in ("out", "whole"))
            got = got[:-60]  # the vsyncs of the last second depend on later events
            checks.that(len(got) > 100 or packing == "bzip2", f"{what}: {len(got)} frames")
            checks.equal(got, whole[:len(got)], f"{what}: frames")


def fails(checks, what, done, *words):
    said = done.stderr.decode()
    checks.equal((done.returncode, said.count("\n")), (1, 1), f"{what}: exit code and lines of {said!r}")
    for word in words:
        checks.that(word in said, f"{what}: '{word}' is not in {said!r}")


def encrypted(archive):
    """Sets the encryption flag in the header of the file and in the central directory."""
    archive = bytearray(archive)
    archive[6] |= 1
    archive[archive.rindex(b"PK\x01\x02") + 8] |= 1
    return bytes(archive)


def refused(checks):
    """An archive without a trace, or with several, is refused with the names of its files; earlier results stay."""
    many = [(f"folder/file-{n:05}.txt", b"") for n in range(10000)]
    cases = {
        "two traces": (zip_of(("a.txt", TRACE), ("b", PROSE), ("c.txt", TRACE)), "2 traces", "a.txt, c.txt"),
        "no trace": (zip_of(("a.txt", PROSE), ("b.txt", b"")), "none of the 2 files", "a.txt, b.txt"),
        "one file that is none": (zip_of(("a.png", b"\x89PNG\r\n\x1a\n" + bytes(99))), "PNG"),
        "many files": (zip_of(*many), "none of the 10000 files", "file-00000.txt", "..."),
        "no file": (zip_of(("a/", b"")), "empty zip archive"),
        "hostile names": (zip_of(("\x1b[31m\n", b""), ("b", b"")), "\\x1B[31m\\x0A, b"),
        "encrypted": (encrypted(zip_of(("a.txt", TRACE))), "jankd cannot unpack it", "unzip"),
        "xz of nothing": (lzma.compress(b""), "empty"),
        "xz of zstd": (lzma.compress(zstd(TRACE)), "compressed by zstd", "zstd -d"),
        "xz of zip": (lzma.compress(zip_of(("a", TRACE))), "zip"),
        "xz of a perfetto trace": (lzma.compress(b"\x0a\x02\x08\x01\x0a\x03\x08\x80\x01" * 100), "no markers"),
        "the start of an xz": (lzma.compress(TRACE)[:100], "is truncated", "undamaged"),
        "zstd, damaged": (b"\x28\xb5\x2f\xfd" + bytes(range(100)), "is corrupt", "undamaged"),
    }
    with folder() as here:
        analyze(here / "out", "-", input=TRACE)
        before = outputs(here / "out")
        for what, (data, *words) in cases.items():
            (here / "file").write_bytes(data)
            fails(checks, what, jankd("analyze", "-F", here / "out", here / "file"), *words)
            fails(checks, f"{what}, from a pipe", jankd("analyze", "-F", here / "out", "-", input=data), *words)
            checks.equal(differences(before, outputs(here / "out")), [], f"{what}: earlier files")


def with_dictionary(data, code):
    """The xz file with another dictionary size in its header; code 40: 4 GB."""
    data = bytearray(data)
    end = 12 + (data[12] + 1) * 4
    data[data.index(b"\x21\x01", 12, end) + 2] = code
    data[end - 4:end] = struct.pack("<I", zlib.crc32(data[12:end - 4]))
    return bytes(data)


def peak_kb(out, path):
    """(exit code, standard error, peak memory in KB or 0 if it is unknown) of one analyze."""
    # meson sets MALLOC_PERTURB_, which writes to memory that a table only reserves.
    environment = {name: value for name, value in os.environ.items() if name != "MALLOC_PERTURB_"}
    environment["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":allocator_may_return_null=1"
    process = subprocess.Popen([JANKD, "analyze", "-F", out, path], stdout=subprocess.DEVNULL, env=environment,
                               stderr=subprocess.PIPE)
    peak = 0
    while process.poll() is None:
        peak = max(peak, memory_kb(process.pid))
        time.sleep(0.002)
    return process.returncode, process.communicate()[1], peak


def stays_small(checks, what, peak):
    print(f"{what}: peak memory {peak} KB")
    if is_sanitized():
        checks.cannot_judge(f"{what}: peak memory", "a sanitizer alone needs more than that")
    elif peak == 0:
        checks.cannot_judge(f"{what}: peak memory", "no /proc is mounted")
    else:
        checks.that(peak < SMALL_KB, f"{what}: peak memory {peak} KB")


def memory(checks):
    """A decompression bomb needs no more memory than a long trace; a huge dictionary is refused."""
    bomb = TRACE + b"\n" * 100_000_000
    with folder() as here:
        for name, data in (("zip", zip_of(("a", bomb), ("b", bomb[len(TRACE):]))), ("bzip2", bz2.compress(bomb, 1))):
            (here / "bomb").write_bytes(data)
            code, said, peak = peak_kb(here / name, here / "bomb")
            checks.equal(code, 0, f"a bomb in {name}: exit code: {said!r}")
            stays_small(checks, f"a bomb in {name} of {len(data) / 1e6:.1f} MB", peak)
        (here / "xz").write_bytes(with_dictionary(lzma.compress(bomb, preset=0), 40))
        code, said, peak = peak_kb(here / "xz-out", here / "xz")
        checks.that(code == 1 and b"too much memory" in said, f"xz with 4 GB of dictionary: {code}, {said!r}")
        stays_small(checks, "xz with 4 GB of dictionary", peak)


if not unpacks():
    skip("this build has no libarchive: it refuses xz, zstd, bzip2 and zip")

checks = Checks()
check(checks, "synthetic", TRACE)
if (TRACES / "android-7-launcher").is_dir():
    check(checks, "android-7-launcher", trace_text("android-7-launcher"))
else:
    checks.cannot_judge("android-7-launcher", "there is no such recorded trace")
damage(checks)
refused(checks)
memory(checks)
checks.end()
