#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A trace gives the same rows in any container, whatever the name of the file."""

import gzip
import sys
import zlib

sys.path.insert(0, str(__import__("pathlib").Path(__file__).resolve().parents[1] / "lib"))
from jankd import Checks, analyze, differences, folder, jankd, outputs, trace_names, trace_text

OPTIONS = ("--frames-log", "-T", "2")

# Lines in the viewer's code that look like a trace must not be counted.
LOOKALIKE = (b"          <...>-1     [000] ....     1.000001: tracing_mark_write: B|1|postFramebuffer\n"
             b"          <...>-1     [000] ....     1.000002: tracing_mark_write: C|1|Fake#0|1\n")

PAGE = b"<!DOCTYPE html>\n<html>\n<head>\n<title>Android System Trace</title>\n<script>\n"


def html(text):
    """The format of systrace since Android 5."""
    return (PAGE + b"/*\n" + LOOKALIKE + b"*/\nvar x = '<div>';\n</script>\n</head>\n<body>\n"
            b'<script class="trace-data" type="application/text">\nPROCESS DUMP\nUSER  PID\n'
            b"root  1\n</script>\n<!-- BEGIN TRACE -->\n"
            b'  <script class="trace-data" type="application/text">\n' + text +
            b"  </script>\n<!-- END TRACE -->\n</body>\n</html>\n")


def old_html(text):
    """The format of systrace of Android 4.x: a string of JavaScript."""
    lines = text if text.endswith(b"\n") else text + b"\n"
    return (PAGE + b"/*\n" + LOOKALIKE + b'*/\n</script>\n<script>\n  var linuxPerfData = "\\\n' +
            lines.replace(b"\n", b"\\n\\\n") + b'\\n";\n</script>\n</body>\n</html>\n')


def atrace(text):
    return b"capturing trace... done\nTRACE:\n" + zlib.compress(text, 6)


WRAPPINGS = {
    "html": html,
    "old html": old_html,
    "gzip": gzip.compress,
    "gzip of html": lambda text: gzip.compress(html(text)),
    "gzip of old html": lambda text: gzip.compress(old_html(text)),
    "two gzip members": lambda text: gzip.compress(text[:99999]) + gzip.compress(text[99999:]),
    "atrace -z": atrace,
    "bare zlib": zlib.compress,
    "line ends of DOS": lambda text: text.replace(b"\n", b"\r\n"),
}


def check(checks, name, text):
    with folder() as here:
        (here / "trace.html").write_bytes(text)
        analyze(here / "plain", *OPTIONS, here / "trace.html")
        plain = outputs(here / "plain")
        checks.that(plain.get("frames.csv", b"").count(b"\n") > 1, f"{name}: no frames")
        for wrapping, wrap in WRAPPINGS.items():
            (here / "trace.txt").write_bytes(wrap(text))
            for source, keywords in ((here / "trace.txt", {}), ("-", {"input": wrap(text)})):
                out = here / f"{wrapping} {'stdin' if keywords else 'file'}"
                analyze(out, *OPTIONS, source, **keywords)
                checks.equal(differences(plain, outputs(out)), [], f"{name}: {out.name}")


def truncated(checks, text):
    """The frames of a truncated file are counted, and the truncation is reported."""
    whole = gzip.compress(text)
    with folder() as here:
        (here / "cut.gz").write_bytes(whole[:len(whole) * 3 // 4])
        done = jankd("analyze", "-F", here / "out", *OPTIONS, here / "cut.gz")
        found = outputs(here / "out")
        checks.equal(done.returncode, 0, f"truncated gzip: exit code; {done.stderr!r}")
        checks.that(found.get("frames.csv", b"").count(b"\n") > 1, "truncated gzip: no frames")
        checks.that(b",tracing," in found.get("events.csv", b""), "truncated gzip: no event")
        checks.that(done.stderr, "truncated gzip: no warning")


checks, there = Checks(), trace_names()
for name in ("android-4.1-launcher", "android-7-launcher", "android-13-startup", "android-9-launcher-scroll"):
    if name in there:
        check(checks, name, trace_text(name))
    else:
        checks.cannot_judge(name, "there is no such recorded trace")
truncated(checks, trace_text("android-7-launcher"))
checks.end()
