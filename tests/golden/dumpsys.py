# SPDX-License-Identifier: Apache-2.0
"""analyze --dumpsys FILE: the durations of each recorded output of dumpsys SurfaceFlinger, other files, and the period of a trace without vsyncs."""

import gzip
import json
import lzma
import random
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from jankd import TRACES, analyze, checks, folder, jankd, outputs, rows, skip

# From the lines of each file, by hand: phases of 1 ms and a period of 16.666666 ms up to Android 11, so that SurfaceFlinger has
# 16666666 - 1000000 and the app 16666666 + 1000000 - 1000000; from Android 12 on the durations are printed.
RECORDED, EXPECTED = ("9", "10", "11", "12", "12L", "13", "14"), ("dumpsys", 16666666, 15666666, 16666666)

# A text of a phone at 120 Hz: nothing in the trace tells its period.
TEXT = ("app duration: 12000000 ns\tSF duration: 7000000 ns\npresent offset: 0 ns\tVSYNC period: 8333333 ns\n")
OF_TEXT = ("dumpsys", 12000000, 7000000, 8333333)
MARKS = ("C|500|SurfaceView#0|1", "B|500|handleMessageInvalidate", "B|500|latchBuffer", "B|500|acquireBuffer",
         "C|500|SurfaceView#0|0", "E", "E", "E", "B|500|handleMessageRefresh", "B|500|postFramebuffer", "E", "E")
# 300 frames, 8.333 ms apart, without a vsync.
TRACE = "".join(f"  surfaceflinger-500   (  500) [001] ...1 {100 + n / 120 + k / 1e5:.6f}: tracing_mark_write: {mark}\n"
                for n in range(300) for k, mark in enumerate(MARKS))


def durations(out):
    found = json.loads((out / "session.json").read_text())["work_durations"]
    return found["source"], found["app_ns"], found["surfaceflinger_ns"], found["period_ns"]


def accepted(checks, here):
    trace = here / "trace.txt"
    analyze(here / "plain", "--frames-log", trace)
    checks.equal(durations(here / "plain"), ("unknown", None, None, None), "without --dumpsys")
    # Before the lines: more than the largest dump of a phone, one line, and a line that is cut. The next one is in two reads of 16,384 bytes.
    (here / "long").write_bytes(b"x" * 20_000_000 + b"\n" + random.Random(1).randbytes(1_004_246) + b"\n" + TEXT.encode())
    (here / "gz").write_bytes(gzip.compress(TEXT.encode()))
    for source in (here / "dump", here / "gz", here / "long", "-"):
        out = here / f"of {source}".replace("/", "_")
        analyze(out, "--frames-log", "--dumpsys", source, trace, input=TEXT.encode())
        checks.equal((durations(out), {row["refresh(Hz)"] for row in rows(out, "fps.csv")}), (OF_TEXT, {"120.00"}), f"{source}; {source}: refresh rate")
    # The option is stronger, as in a capture, unless presents do not fit it.
    for period, rate in (("4.1666667", "240.00"), ("16.666667", "120.00")):
        analyze(here / "ms", "--vsync-ms", period, "--dumpsys", here / "dump", trace)
        checks.equal({row["refresh(Hz)"] for row in rows(here / "ms", "fps.csv")}, {rate}, f"--vsync-ms {period}")
    (here / "other.txt").write_text(TRACE)
    analyze(here / "several", "--dumpsys", here / "dump", trace, here / "other.txt")
    checks.equal([durations(here / "several" / name) for name in ("trace", "other")], [OF_TEXT] * 2, "several files")
    checks.that(outputs(here / "several" / "other"), "several files: no rows")
    # A value that is not possible: the period counts, and a line says what is missing.
    (here / "odd").write_text(TEXT.replace("7000000 ns", "7000000000 ns"))
    done = analyze(here / "impossible", "--dumpsys", here / "odd", trace)
    checks.that(b"warning" in done.stderr and b"--dumpsys" in done.stderr, f"impossible duration: {done.stderr}")
    checks.equal(durations(here / "impossible"), ("unknown", 12000000, None, 8333333), "impossible duration")


def refused(checks, here):
    # The noise is the same in each run: what begins with a bracket is called JSON, and one in a hundred would.
    noise = random.Random(1).randbytes(300_000)
    files = {"empty": (b"", "empty"), "noise": (noise, "durations"), "noise after a bracket": (b"[" + noise, "JSON"),
             "half a gzip file": (gzip.compress(noise)[:50_000], "durations")}
    for name, (data, _) in files.items():
        (here / name).write_bytes(data)
    cases = {here / "nothing": "nothing", here: "directory", here / "trace.txt": "durations", "/dev/zero": "durations",
             here / "plain" / "session.json": "session.json", **{here / name: word for name, (_, word) in files.items()}}
    for file, word in cases.items():
        done = jankd("analyze", "-F", here / "refused", "--dumpsys", file, here / "trace.txt")
        said = done.stderr.decode().splitlines()
        checks.that(done.returncode == 1 and len(said) == 1 and "--dumpsys" in said[0] and word in said[0], f"{file}: {done.returncode}, {said}")
        checks.that(not (here / "refused").exists(), f"{file}: a folder was created")


with checks, folder() as place:
    (place / "trace.txt").write_text("# tracer: nop\n#\n" + TRACE)
    (place / "dump").write_text(TEXT)
    accepted(checks, place)
    refused(checks, place)
    if not (TRACES / "dumpsys").is_dir():
        skip("no recorded outputs of dumpsys")
    for name in RECORDED:
        (place / "dump").write_bytes(lzma.open(TRACES / "dumpsys" / f"android-{name}-surfaceflinger.txt.xz").read())
        analyze(place / name, "--dumpsys", place / "dump", place / "trace.txt")
        checks.equal(durations(place / name), EXPECTED, f"Android {name}")
