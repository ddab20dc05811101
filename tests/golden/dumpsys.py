#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""analyze --dumpsys FILE: the durations of each recorded output of dumpsys SurfaceFlinger, other files, and the period of a trace without
vsyncs."""

import gzip
import json
import lzma
import os
import sys

sys.path.insert(0, str(__import__("pathlib").Path(__file__).resolve().parents[1] / "lib"))
from jankd import TRACES, Checks, analyze, folder, jankd, outputs, rows, skip

# From the lines of each file, by hand: phases of 1 ms and a period of 16.666666 ms up to Android 11, so that SurfaceFlinger has
# 16666666 - 1000000 and the app 16666666 + 1000000 - 1000000; from Android 12 on the durations are printed.
EXPECTED = {name: (16666666, 15666666, 16666666) for name in ("9", "10", "11", "12", "12L", "13", "14")}

# A text of a phone at 120 Hz: nothing in the trace tells its period.
TEXT = ("app duration: 12000000 ns\tSF duration: 7000000 ns\n"
        "present offset: 0 ns\tVSYNC period: 8333333 ns\n")
HEAD = "# tracer: nop\n#\n"


def trace():
    """300 frames, 8.333 ms apart, without a vsync."""
    lines = [HEAD]
    for n in range(300):
        at = 100 + n / 120
        for k, text in enumerate(("C|500|SurfaceView#0|1", "B|500|handleMessageInvalidate", "B|500|latchBuffer", "B|500|acquireBuffer",
                                  "C|500|SurfaceView#0|0", "E", "E", "E", "B|500|handleMessageRefresh", "B|500|postFramebuffer", "E", "E")):
            lines.append(f"  surfaceflinger-500   (  500) [001] ...1 {at + k / 1e5:.6f}: tracing_mark_write: {text}\n")
    return "".join(lines)


def durations(out):
    found = json.loads((out / "session.json").read_text())["work_durations"]
    return found["source"], found["app_ns"], found["surfaceflinger_ns"], found["period_ns"]


def refuses(checks, here, what, file, word):
    done = jankd("analyze", "-F", here / "refused", "--dumpsys", file, here / "trace.txt")
    lines = done.stderr.decode().splitlines()
    checks.equal(done.returncode, 1, f"{what}: exit code")
    checks.that(len(lines) == 1 and "--dumpsys" in lines[0] and word in lines[0], f"{what}: {lines}")
    checks.that(not (here / "refused").exists(), f"{what}: a folder was created")


def synthetic(checks, here):
    (here / "trace.txt").write_text(trace())
    (here / "dump.txt").write_text(TEXT)
    analyze(here / "plain", "--frames-log", here / "trace.txt")
    checks.equal(durations(here / "plain"), ("unknown", None, None, None), "without --dumpsys")
    analyze(here / "out", "--frames-log", "--dumpsys", here / "dump.txt", here / "trace.txt")
    checks.equal(durations(here / "out"), ("dumpsys", 12000000, 7000000, 8333333), "plain text")
    checks.equal({row["refresh(Hz)"] for row in rows(here / "out", "fps.csv")}, {"120.00"}, "refresh rate")
    (here / "dump.gz").write_bytes(gzip.compress(TEXT.encode()))
    analyze(here / "gz", "--frames-log", "--dumpsys", here / "dump.gz", here / "trace.txt")
    checks.equal(outputs(here / "gz"), outputs(here / "out"), "gzip")
    analyze(here / "stdin", "--frames-log", "--dumpsys", "-", here / "trace.txt", input=TEXT.encode())
    checks.equal(outputs(here / "stdin"), outputs(here / "out"), "standard input")
    # The option is stronger, as in a capture.
    analyze(here / "ms", "--vsync-ms", "16.666667", "--dumpsys", here / "dump.txt", here / "trace.txt")
    checks.equal({row["refresh(Hz)"] for row in rows(here / "ms", "fps.csv")}, {"60.00"}, "--vsync-ms")
    # The same text for each file.
    (here / "other.txt").write_text(trace())
    analyze(here / "several", "--dumpsys", here / "dump.txt", here / "trace.txt", here / "other.txt")
    for name in ("trace", "other"):
        checks.equal(durations(here / "several" / name), ("dumpsys", 12000000, 7000000, 8333333), f"several files: {name}")
    # Before the lines: more than the largest dump of a phone, one line, and a line that is cut.
    (here / "long.txt").write_bytes(b"x" * 20_000_000 + b"\n" + os.urandom(1_000_000) + b"\n" + TEXT.encode())
    analyze(here / "long", "--dumpsys", here / "long.txt", here / "trace.txt")
    checks.equal(durations(here / "long"), ("dumpsys", 12000000, 7000000, 8333333), "a long file")
    # A value that is not possible: the period counts, and a line says what is missing.
    (here / "odd.txt").write_text(TEXT.replace("7000000 ns", "7000000000 ns"))
    done = analyze(here / "odd", "--dumpsys", here / "odd.txt", here / "trace.txt")
    checks.that(b"warning" in done.stderr and b"--dumpsys" in done.stderr, f"impossible duration: {done.stderr}")
    checks.equal(durations(here / "odd"), ("unknown", 12000000, None, 8333333), "impossible duration")


def bad(checks, here):
    refuses(checks, here, "no file", here / "nothing.txt", "nothing.txt")
    refuses(checks, here, "a folder", here, "directory")
    refuses(checks, here, "a trace", here / "trace.txt", "durations")
    (here / "empty").write_bytes(b"")
    refuses(checks, here, "an empty file", here / "empty", "empty")
    refuses(checks, here, "session.json", here / "out" / "session.json", "session.json")
    (here / "noise").write_bytes(os.urandom(300_000))
    refuses(checks, here, "noise", here / "noise", "durations")
    refuses(checks, here, "an endless file", "/dev/zero", "durations")
    (here / "cut.gz").write_bytes(gzip.compress(os.urandom(100_000))[:50_000])
    refuses(checks, here, "half a gzip file", here / "cut.gz", "durations")


def recorded(checks, here):
    for name, expected in EXPECTED.items():
        path = TRACES / "dumpsys" / f"android-{name}-surfaceflinger.txt.xz"
        checks.that(path.exists(), f"{path} is missing")
        (here / "dump.txt").write_bytes(lzma.open(path).read())
        analyze(here / name, "--dumpsys", here / "dump.txt", here / "trace.txt")
        checks.equal(durations(here / name), ("dumpsys", *expected), f"Android {name}")


checks = Checks()
with folder() as here:
    synthetic(checks, here)
    bad(checks, here)
    if (TRACES / "dumpsys").is_dir():
        recorded(checks, here)
    elif checks.failed == 0:
        skip("no recorded outputs of dumpsys")
checks.end()
