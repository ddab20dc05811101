# SPDX-License-Identifier: Apache-2.0
"""A trace gives the same rows in any container, whatever the name of the file: HTML, JSON, gzip, xz, zstd, bzip2, zip. A damaged one gives
the frames before the damage; one that has no trace, or several, is refused."""

import bz2
import gzip
import io
import json
import lzma
import struct
import zipfile
import zlib
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
import packets
import synthetic
from jankd import analyze, checks, differences, folder, jankd, outputs, rows, trace_text, unpacks

OPTIONS = ("--frames-log", "-T", "2")
TRACE = synthetic.trace(1500)
PROSE = b"It was a dark and stormy night.\n" * 1000

# Lines in the viewer's code that look like a trace must not be counted.
LOOKALIKE = (b"          <...>-1     [000] ....     1.000001: tracing_mark_write: B|1|postFramebuffer\n"
             b"          <...>-1     [000] ....     1.000002: tracing_mark_write: C|1|Fake#0|1\n")
PAGE = b"<!DOCTYPE html>\n<html>\n<head>\n<title>Android System Trace</title>\n<script>\n/*\n" + LOOKALIKE + b"*/\n"


def html(text):
    """The format of systrace since Android 5; the title has bytes that are no UTF-8."""
    return (PAGE.replace(b"Trace<", b"Trace \xff\x01<") + b"var x = '<div>';\n</script>\n</head>\n<body>\n"
            b'<script class="trace-data" type="application/text">\nPROCESS DUMP\nUSER  PID\nroot  1\n</script>\n<!-- BEGIN TRACE -->\n'
            b'  <script class="trace-data" type="application/text">\n' + text + b"  </script>\n<!-- END TRACE -->\n</body>\n</html>\n")


def old_html(text):
    """The format of systrace of Android 4.x: a string of JavaScript."""
    return (PAGE + b'</script>\n<script>\n  var linuxPerfData = "\\\n' + (text.rstrip(b"\n") + b"\n").replace(b"\n", b"\\n\\\n") +
            b'\\n";\n</script>\n</body>\n</html>\n')


def chrome_json(text):
    """Chrome's format with ftrace text as a string. Bytes that are no UTF-8 cannot be in it."""
    return json.dumps({"traceEvents": [{"name": '"systemTraceEvents": "', "ph": "B"}] * 999, "systemTraceEvents": text.decode()}).encode()


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
    pieces = [text[at:at + size] for at in range(0, len(text), size)]
    blocks = [struct.pack("<I", len(piece) << 3 | (n == len(pieces) - 1))[:3] + piece for n, piece in enumerate(pieces)]
    return b"\x28\xb5\x2f\xfd" + bytes([0, 7 << 3]) + b"".join(blocks)


WRAPPINGS = {"html": html, "old html": old_html, "gzip of html": lambda text: gzip.compress(html(text)), "json": chrome_json,
    "gzip of json": lambda text: gzip.compress(chrome_json(text)),
    "html of json": lambda text: html(text).replace(text, b'{"systemTraceEvents": ' + json.dumps(text.decode()).replace("</", "<\\/").encode() + b"}"),
    "atrace -z": lambda text: b"capturing trace... done\nTRACE:\n" + zlib.compress(text, 6), "atrace -z without its first lines": zlib.compress,
    "two gzip files": lambda text: gzip.compress(text[:99999]) + gzip.compress(text[99999:]),
    **{f"gzip and {rest}": lambda text, rest=rest: gzip.compress(text) + rest for rest in (b"something else\n", b"\x1f", b"\x1f\x8c", b"\x1e\x8b")},
    "line ends of DOS": lambda text: text.replace(b"\n", b"\r\n")}
SEVERAL = {"zip of several": lambda text: zip_of(("README", PROSE), ("trace.txt", text), ("screen.png", b"\x89PNG\r\n")),
    "zip of html": lambda text: zip_of(("trace.html", html(text)), ("README", b"")),
    "zip of gzip": lambda text: zip_of(("README", PROSE), ("trace.gz", gzip.compress(text)))}
PACKINGS = {"zstd": zstd, "zip, written into a pipe": lambda text: zip_of(("trace.txt", text), to=Pipe()),
    "zip of a folder": lambda text: zip_of(("a/", b""), ("a/b/trace.txt", text)),
    "two xz streams": lambda text: lzma.compress(text[:99999]) + lzma.compress(text[99999:]),
    "xz of xz": lambda text: lzma.compress(lzma.compress(text)), "xz of gzip": lambda text: lzma.compress(gzip.compress(text)),
    "bzip2 of html": lambda text: bz2.compress(html(text)), "xz": lzma.compress, **SEVERAL}


def check(checks, text, wrappings):
    """From a file with a misleading name, from a file on standard input and from a pipe."""
    with folder() as here:
        (here / "trace.html").write_bytes(text)
        analyze(here / "plain", *OPTIONS, here / "trace.html")
        plain = outputs(here / "plain")
        checks.that(plain["frames.csv"].count(b"\n") > 50, "frames of the plain trace")
        for wrapping, wrap in wrappings.items():
            data, path = wrap(text), here / "trace.txt"
            path.write_bytes(data)
            with open(path, "rb") as opened:
                for how, source, keywords in (("file", path, {}), ("stdin", "-", {"stdin": opened}), ("pipe", "-", {"input": data})):
                    done = analyze(here / f"{wrapping} {how}", *OPTIONS, source, **keywords)
                    checks.equal(differences(plain, outputs(here / f"{wrapping} {how}")), [], f"{wrapping} {how}")
                    checks.equal(b"the only one of its" in done.stderr, wrapping in SEVERAL, f"{wrapping} {how}: the file that is read is reported")


def events_of(text):
    return [(round(float(line.split(b": ")[0].split()[-1]) * 1e9), 600, line.split(b": ", 2)[2]) for line in text.splitlines()]


def bundles(events):
    return [packets.prints(0, *events[at:at + 500]) for at in range(0, len(events), 500)]


def left_out(checks):
    """Events that there is no memory for are a loss, and no pause: they come too late, or have no space in their packet."""
    events = events_of(TRACE)
    begin, n = events[0][0], len(events) // 25  # of a second

    def filled(some):  # each packet has an early event
        early = (begin + 1000, 9, b"C|9|filler, 40 bytes of a counter's name|1\n")
        return packets.prints(2, *sorted([early, *some, *((begin + 14 * 10**9 + i, *early[1:]) for i in range(1100))]))

    large = [(begin + 2 * 10**9 + i, 9, b"C|9|" + b"x" * 1000 + b"|1\n") for i in range(4200)]
    late = b"".join((*bundles(events[:n]), filled([]) * 5, filled(events[13 * n:14 * n]), filled([]) * 324, *bundles(events[n:13 * n])))
    packed = packets.packet((50, zlib.compress(b"".join(bundles(sorted(events[:12 * n] + large)))))) + b"".join(bundles(events[12 * n:]))
    cases = {"late": (late + b"".join(bundles(events[14 * n:])), b"INCOMPLETE: "), "late, at the end": (late, b"TOO SHORT: "), "large": (packed, b"INCOMPLETE: ")}
    with folder() as here:
        for what, (trace, grade) in cases.items():
            (here / "trace").write_bytes(trace)
            said = analyze(here / what, here / "trace").stdout
            kinds = {row["kind"] for row in rows(here / what, "events.csv")}
            checks.equal((grade in said, "lost" in kinds, "pause" in kinds), (True, True, False), f"{what}: {said.decode()}")


def packed_packets(checks):
    """perfetto's compressed packets, by zlib and by zstd. Without libarchive, or damaged, zstd's are never left out without a sign."""
    parts = bundles(events_of(synthetic.trace(300)))
    with folder() as here:
        (here / "none").mkdir()
        (here / "none" / "libarchive.so.13").write_bytes(b"none")
        analyze(here / "plain", *OPTIONS, "-", input=b"".join(parts))
        plain = outputs(here / "plain")
        checks.that(plain["frames.csv"].count(b"\n") > 290, "packets: frames")
        for name, number, pack in (("zlib", 50, zlib.compress), ("zstd", 133, zstd)):
            if name == "zstd" and not unpacks():
                continue
            packed = [packets.packet((number, pack(part * (at != 1) + parts[1][:99] * (at == 1)))) for at, part in enumerate(parts)]
            whole = b"".join(packets.packet((number, pack(part))) for part in parts)
            analyze(here / name, *OPTIONS, "-", input=whole)
            checks.equal(differences(plain, outputs(here / name)), [], f"packets compressed by {name}")
            for what, data in (("a cut packet inside", b"".join(packed)), ("a cut one", packets.packet((number, pack(parts[0])[:-9])) + whole),
                               ("packed twice", parts[0] + packets.packet((50, zlib.compress(packets.packet((number, pack(parts[1])))))))):
                said = analyze(here / "damaged", *OPTIONS, "-", input=data).stderr
                checks.that(any("1 corrupt" in row["text"] for row in rows(here / "damaged", "events.csv")), f"{name}, {what}: no sign")
                checks.that(b"warning: " in said and b"1 corrupt" in said, f"{name}, {what}: {said!r}")
                checks.equal(json.loads((here / "damaged" / "session.json").read_text())["counters"]["malformed"], 1, f"{name}, {what}: session.json")
            done = jankd("analyze", "-F", here / "none of it", "-", input=packets.packet((number, pack(parts[0])[:40])) * 2)
            checks.that(done.returncode == 1 and b"no markers found" in done.stderr and b"2 corrupt" in done.stderr, f"{name}, all: {done.stderr!r}")
        # A packet has one of them. Of two, perfetto's own reader takes zlib's, and the last of a kind.
        one, other = (50, zlib.compress(parts[0])), zlib.compress(parts[1])
        for what, fields in (("zstd last", (one, (133, zstd(parts[1])))), ("zlib last", ((133, zstd(parts[1])), one)), ("zlib twice", ((50, other), one))):
            analyze(here / "two", *OPTIONS, "-", input=packets.packet(*fields) + b"".join(parts[1:]))
            checks.equal(outputs(here / "two")["frames.csv"], plain["frames.csv"], f"two fields, {what}")
            checks.that(any("1 corrupt" in row["text"] for row in rows(here / "two", "events.csv")), f"two fields, {what}: no sign")
        said = analyze(here / "damaged", *OPTIONS, "-", input=parts[0][:-39] + b"\x13" + parts[0][-38:]).stderr
        checks.that(b"warning: " in said and b"1 corrupt" in said, f"the only packet is damaged: {said!r}")
        early = zlib.compressobj()
        for what, data in (("ends early", early.compress(parts[0]) + early.flush(zlib.Z_SYNC_FLUSH)), ("two streams", zlib.compress(parts[0]) * 2)):
            analyze(here / "damaged", *OPTIONS, "-", input=packets.packet((50, data)))
            checks.that(any("1 corrupt" in row["text"] for row in rows(here / "damaged", "events.csv")), f"zlib, {what}: no sign")
        done = jankd("analyze", "-F", here / "out", "-", input=parts[0] + packets.packet((133, zstd(parts[1]))), env={"LD_LIBRARY_PATH": str(here / "none")})
        said = done.stderr.decode()
        checks.equal((done.returncode, said.count("\n"), "compressed by zstd" in said, "traceconv" in said), (1, 1, True, True), f"zstd without libarchive: {said!r}")
        checks.that(not (here / "out").exists(), "zstd without libarchive: a folder")


def track_events(checks):
    """Markers that were written with perfetto's SDK: the rows of the same text. What they refer to and what was lost has its sign."""
    with folder() as here:
        analyze(here / "text", *OPTIONS, "-", input=TRACE)
        for how in ({}, {"batch": 9999}, {"batch": 3, "clear": 50, "unit": 1000}, {"again": (b"b", b"c")}):
            (here / "trace").write_bytes(packets.track_events(TRACE, **how))
            analyze(here / "events", *OPTIONS, here / "trace")
            checks.equal(differences(outputs(here / "text"), outputs(here / "events")), [], f"track events {how}")
        done = jankd("analyze", "-F", here / "none", "-", input=packets.track_events(TRACE, category=b"toplevel"))
        checks.that(done.returncode == 1 and b"no markers" in done.stderr, f"track events of another program: {done.stderr}")
        parts = [whole for _, _, whole in packets.fields(packets.track_events(TRACE))]
        begin, lost = parts[len(parts) // 3:], parts[:len(parts) // 2] + [packets.packet((42, 1), (10, 607), (8, 0), (11, b""))] + parts[len(parts) // 2:]
        unnamed = [part for part in parts if b"latchBuffer" not in part]
        lines = [part.replace(b"VSYNC-app", b"VSYNC\napp") for part in parts]
        for what, some, kind, word in (("without the begin", begin, "tracing", "without a time"), ("lost", lost, "lost", ""), ("names", unnamed, "tracing", "malformed"),
                                       ("a counter's name of two lines", lines, "tracing", "malformed")):
            analyze(here / "damaged", *OPTIONS, "-", input=b"".join(some))
            found = [row["text"] for row in rows(here / "damaged", "events.csv") if row["kind"] == kind]
            checks.that(any(word in text and f" 0 {word}" not in text for text in found), f"track events, {what}: events {found}")


def cut(checks):
    """A text may begin anywhere, and so with the first letters of any format: the frames of its whole lines."""
    text = b"# tracer: nop\n#\n" + synthetic.trace(30).replace(b"com.example", "com.\u4f8b".encode())
    first = text.index(b"\n", 200) + 1
    begins = [text[at:first] for at in range(200)]
    begins += [begin + b"#1|0\n" for begin in (b"80", b"8O", b"hC", b"x^", b"(S", b"BZh91AY&SY", b"PK", b"PERFILE2h", b"OHOSPROF", b"buffers", b"SLOW", b"\n",
                                              b"version https://git-lfs.github.com/", b'{"a": "b"}', b'[{"a": 1}]', b"[\xff", b"<idle>", b"a" * 257 + b"ustar")]
    with folder() as here:
        analyze(here / "whole", *OPTIONS, "-", input=text[first:])
        whole = (here / "whole" / "frames.csv").read_bytes()
        checks.that(whole.count(b"\n") > 28, "a text that is cut: frames")
        for begin in begins:
            jankd("analyze", "-F", here / "out", "--frames-log", "-", input=begin + text[first:])
            checks.equal((here / "out" / "frames.csv").read_bytes(), whole, f"a text that begins with {begin[:20]!r}")


def damage(checks):
    """The frames before the damage are counted, and the damage is reported."""
    packed, at, begin = gzip.compress(TRACE), len(TRACE) * 3 // 4, zlib.compressobj(wbits=31)
    cases = [("gzip, a block of no type", "corrupt", begin.compress(TRACE[:at]) + begin.flush(zlib.Z_FULL_FLUSH) + b"\x07")]
    cases += [("gzip", "truncated", packed[:len(packed) * 3 // 4]), ("gzip, a checksum", "corrupt", packed[:-8] + bytes(4) + packed[-4:])]
    for name in ("html", "old html", "html of json"):
        data = WRAPPINGS[name](TRACE)
        cases += [(name, "is truncated", data[:data.index(b"|", len(data) * 3 // 4)] + b"\\")]
    if unpacks():  # with a checksum of the original content
        archive = zip_of(("trace.txt", TRACE), method=zipfile.ZIP_STORED)
        cases += [("zip, a byte", "corrupt", archive.replace(TRACE, TRACE[:at] + bytes([TRACE[at] ^ 1]) + TRACE[at + 1:]))]
        for name, data in (("xz", lzma.compress(TRACE)), ("zstd", zstd(TRACE)), ("bzip2", bz2.compress(TRACE, 1)), ("zip", zip_of(("trace.txt", TRACE)))):
            cases += [(name, "truncated", data[:len(data) * 3 // 4])]
    with folder() as here:
        analyze(here / "whole", *OPTIONS, "-", input=TRACE)
        whole = rows(here / "whole", "frames.csv")
        for name, word, data in cases:
            what, out = f"{name}, {word}", here / name
            (here / "bad").write_bytes(data)
            done = analyze(out, *OPTIONS, here / "bad")
            checks.that(b"jankd: warning: " in done.stderr and word.encode() in done.stderr, f"{what}: {done.stderr!r}")
            reported = [row["text"] for row in rows(out, "events.csv") if row["kind"] == "tracing"]
            checks.that(len(reported) == 1 and word in reported[0], f"{what}: events {reported}")
            got = rows(out, "frames.csv")[:-60]  # the vsyncs of the last second depend on later events
            checks.that(len(got) > 100, f"{what}: {len(got)} frames")
            checks.equal(got, whole[:len(got)], f"{what}: frames")
        # The bytes before corrupt ones do not tell that it is another file.
        begin = zlib.compressobj(wbits=31)
        data = begin.compress(b"BZh\1\n" + synthetic.trace(30)) + begin.flush(zlib.Z_FULL_FLUSH) + b"\x07"
        done = jankd("analyze", "-F", here / "begin", "-", input=data)
        checks.that(done.returncode == 0 and b"corrupt" in done.stderr, f"a binary begin, corrupt: {done.returncode}, {done.stderr!r}")


def encrypted(archive):
    """Sets the encryption flag in the header of the file and in the central directory."""
    archive = bytearray(archive)
    archive[6] |= 1
    archive[archive.rindex(b"PK\x01\x02") + 8] |= 1
    return bytes(archive)


REFUSED = {
    "a bugreport": (zip_of(("version.txt", b"2.0"), ("main_entry.txt", b"bugreport.txt"), ("bugreport.txt", PROSE)), "a bugreport without"),
    "no file": (zip_of(("a/", b"")), "empty zip archive"), "an empty xz": (lzma.compress(b""), "empty"),
    "two traces": (zip_of(("one.txt", TRACE), ("two.txt", TRACE)), "one.txt, two.txt"),
    "many files": (zip_of(("first", PROSE), *((f"a/folder/with/a/long/name.{n}", PROSE) for n in range(40))), "first, a/folder", "..."),
    "hostile names": (zip_of(("\x1b[31m\n", b""), ("b", b"")), "\\x1B[31m\\x0A, b"),
    "encrypted": (encrypted(zip_of(("a.txt", TRACE))), "jankd cannot unpack it", "unzip"),
    "xz of zstd": (lzma.compress(zstd(TRACE)), "compressed by zstd", "zstd -d"),
    "the start of an xz": (lzma.compress(TRACE)[:100], "is truncated", "undamaged")}


def refused(checks):
    """One line says why, and earlier results stay."""
    with folder() as here:
        analyze(here / "out", "-", input=TRACE)
        before = outputs(here / "out")
        for what, (data, *words) in REFUSED.items():
            (here / "file").write_bytes(data)
            for source in (here / "file", "-"):
                done = jankd("analyze", "-F", here / "out", source, input=data)
                said = done.stderr.decode()
                checks.equal((done.returncode, said.count("\n"), len(said) < 600), (1, 1, True), f"{what}: exit code, lines and length of {said!r}")
                checks.equal([word for word in words if word not in said], [], f"{what}: missing in {said!r}")
                checks.equal(differences(before, outputs(here / "out")), [], f"{what}: earlier files")


check(checks, trace_text("android-7-launcher"), {**WRAPPINGS, **(PACKINGS if unpacks() else {})})
# The oldest format has no process, and another function name.
check(checks, trace_text("android-4.1-launcher"), {"old html": old_html, "gzip of html": WRAPPINGS["gzip of html"]})
left_out(checks)
packed_packets(checks)
track_events(checks)
cut(checks)
damage(checks)
if unpacks():
    refused(checks)
checks.end()
