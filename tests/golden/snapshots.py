#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A snapshot has the same frames as the trace that it is a part of, in a format that viewers open."""

import json
import os
import re
import subprocess
import sys

sys.path.insert(0, str(__import__("pathlib").Path(__file__).resolve().parents[1] / "lib"))
import frames
import synthetic
from jankd import (JANKD, Checks, analyze, folder, microseconds, outputs, rows, trace_names,
                   trace_text)

# How a viewer parses a line of ftrace.
LINE = re.compile(rb"-(\d+)\s+\(?\s*(\d+|-+)?\)?\s?\[(\d+)\]\s*([a-zA-Z0-9.]{1,5}\s+)?(\d+\.\d+):\s+(\S+):")
NAME = re.compile(r"(snapshot-\d{6}\.txt): (\d+\.\d{6}) ms, (.*)", re.S)

OPTIONS = ("--frames-log", "--snapshot", 100, "--snapshot-seconds", 2)

# The latest frames of two recorded traces: 4 and 8 vsyncs beyond a cadence of 1, 66 and 89 ms.
READS_OPTIONS = ("--frames-log", "--snapshot", 60, "--snapshot-seconds", 2)

# The first frames of a snapshot are not compared: earlier events are missing, as queued buffers and the focused app.
LEAD_US = 300000


def reported(out):
    """[(time of the frame in microseconds, file, ms, Surface)] from events.csv."""
    return [(microseconds(row["time(s)"]), *NAME.fullmatch(row["text"]).groups())
            for row in rows(out, "events.csv") if row["kind"] == "snapshot"]


def times_of(text):
    return [int(float(m.group(5)) * 1e6 + 0.5) for m in map(LINE.search, text.split(b"\n")) if m]


def check_form(checks, what, text):
    lines = text.split(b"\n")
    checks.that(text.startswith(b"# tracer: nop\n#\n"), f"{what}: begins with {text[:40]!r}")
    checks.equal(lines[-1], b"", f"{what}: the last line has no end")
    # The comments must reach beyond the place of the magic number of a tar file.
    comments = sum(len(line) + 1 for line in lines if line.startswith(b"#"))
    checks.that(comments > 265, f"{what}: a head of {comments} bytes")


def check_frames(checks, what, original, cut, begin, end):
    got = [f for f in frames.counted(cut) if begin <= f[0] <= end]
    expected = [f for f in frames.counted(original) if begin <= f[0] <= end]
    checks.that(expected, f"{what}: no frames in {begin} to {end}")
    missing, new = set(expected) - set(got), set(got) - set(expected)
    checks.that(not missing and not new, f"{what}: of {len(expected)} frames missing "
                f"{sorted(missing)[:3]}, new {sorted(new)[:3]}")


def check_trace(checks, what, path, here, ms, seconds):
    out = here / f"out-{ms}"
    analyze(out, "--frames-log", "--snapshot", ms, "--snapshot-seconds", seconds, path)
    files = sorted(file.name for file in out.glob("snapshot-*"))
    checks.equal([name for _, name, _, _ in reported(out)], files, f"{what}: events and files")
    for present, name, interval, surface in reported(out):
        text = (out / name).read_bytes()
        times = times_of(text)
        check_form(checks, f"{what} {name}", text)
        checks.that(times[0] <= present - float(interval) * 1000 and times[-1] >= present,
                    f"{what} {name}: {times[0]} to {times[-1]} is not around {present}")
        checks.that(times[-1] - times[0] < (seconds + 1) * 1e6,
                    f"{what} {name}: {(times[-1] - times[0]) / 1e6} s for {seconds}")
        analyze(here / "cut", "--frames-log", out / name)
        check_frames(checks, f"{what} {name}", out, here / "cut", times[0] + LEAD_US, times[-1])
        late = [(row["interval(ms)"], row["Surface"]) for row in rows(out, "frames.csv")
                if microseconds(row["present(s)"]) == present]
        checks.that((interval, surface) in late, f"{what} {name}: no frame {interval}, {surface}: {late}")
    return len(files)


def all_files(out):
    return outputs(out) | {file.name: file.read_bytes() for file in out.glob("snapshot-*")}


def feed(out, data, size):
    """Runs analyze on standard input, @size bytes a read."""
    reader, writer = os.pipe2(os.O_DIRECT)
    process = subprocess.Popen([JANKD, "analyze", "-F", out, *map(str, READS_OPTIONS), "-"],
                               stdin=reader, stdout=subprocess.DEVNULL)
    os.close(reader)
    for begin in range(0, len(data), size):
        os.write(writer, data[begin:begin + size])
    os.close(writer)
    return process.wait()


def reads(checks, what, text):
    """Snapshots do not depend on how the input is split into reads."""
    with folder() as here:
        path = here / "trace.txt"
        path.write_bytes(text)
        analyze(here / "file", *READS_OPTIONS, path)
        once = all_files(here / "file")
        checks.that("snapshot-000001.txt" in once, f"{what}: no snapshot in {sorted(once)}")
        for size in (1000, 4096):
            checks.equal(feed(here / str(size), text, size), 0, f"{what}: reads of {size} bytes")
            split = all_files(here / str(size))
            checks.equal(sorted(n for n in once | split if once.get(n) != split.get(n)), [],
                         f"{what}: reads of {size} bytes: files that differ")


def late_every(seconds, count):
    """A trace with 30 frames every @seconds, the last of them 200 ms late."""
    parts, us, tick = [], 100000000, 0
    for _ in range(count):
        for n in range(30):
            us += 200004 if n == 29 else synthetic.PERIOD_US
            parts.append(synthetic.frame(us, tick))
            tick += 1
        us += int(seconds * 1e6) - 29 * synthetic.PERIOD_US - 200004
    return "".join(parts).encode()


def how_often(checks):
    """At most one snapshot in 10 s of trace time and 64 files; their numbers only grow."""
    with folder() as here:
        path, out = here / "trace.txt", here / "out"
        path.write_bytes(late_every(4, 16))
        analyze(out, *OPTIONS, path)
        times = [time for time, *_ in reported(out)]
        checks.equal([b - a for a, b in zip(times, times[1:])], [12000000] * 5, "late frames each 4 s")
        path.write_bytes(late_every(11, 70))
        analyze(out, *OPTIONS, path)
        numbers = sorted(int(file.name[9:15]) for file in out.glob("snapshot-*"))
        checks.equal(numbers, list(range(13, 77)), "files of two sessions")
        counters = json.loads((out / "session.json").read_text())["counters"]
        checks.equal((counters["snapshots"], counters["snapshots_suppressed"]), (70, 0), "counters")


def even_and_at_rest(checks):
    """Frames of a steady game at 30 fps or of a bar that draws four times a second are not late: only the one
    late frame of the game gives a snapshot."""
    with folder() as here:
        trace, out = here / "trace.txt", here / "out"
        times = [(n * 2 * synthetic.PERIOD_US + (200004 if n >= 150 else 0), synthetic.LAYER)
                 for n in range(300)]
        times += [((n * 16 + 1) * synthetic.PERIOD_US, "StatusBar#0") for n in range(40)]
        trace.write_text("".join(synthetic.frame(100000000 + us, n, layer)
                                 for n, (us, layer) in enumerate(sorted(times))))
        for ms, count in ((15, 1), (30, 1), (150, 1), (210, 0)):
            analyze(out, "--frames-log", "--snapshot", ms, "--snapshot-seconds", 2, trace)
            names = [surface for _, _, _, surface in reported(out)]
            checks.equal(names, count * ["com.example.app/com.example.app.MainActivity"],
                         f"--snapshot {ms}: late frames of an even game")


def leftovers(checks):
    """The incomplete file of a killed jankd is removed; files with similar names are kept."""
    with folder() as here:
        path, out = here / "trace.txt", here / "out"
        path.write_bytes(synthetic.trace())
        out.mkdir()
        others = ("snapshot-1.txt", "snapshot-000001.txt.old", ".snapshot-mine.txt.tmp")
        for name in (".snapshot-000007.txt.tmp", *others):
            (out / name).write_text("x")
        analyze(out, path)
        checks.equal(sorted(file.name for file in out.iterdir() if "snapshot" in file.name),
                     sorted(others), "files that are left")


def without_free_space(checks):
    """Without enough free space there is an event and no file, and the frames are counted."""
    with folder() as here:
        path, out = here / "trace.txt", here / "out"
        path.write_bytes(late_every(11, 3))
        analyze(out, *OPTIONS, "--min-free", "1000000G", path)
        checks.equal([file.name for file in out.iterdir() if "snapshot" in file.name], [], "files")
        texts = [row["text"] for row in rows(out, "events.csv") if row["kind"] == "snapshot"]
        checks.that(len(texts) == 3 and all("not saved" in text for text in texts), f"events {texts}")


checks = Checks()
how_often(checks)
even_and_at_rest(checks)
leftovers(checks)
without_free_space(checks)
for name in ("android-7-launcher", "android-11-launcher"):
    reads(checks, name, trace_text(name))
count = 0
for name in trace_names():
    with folder() as here:
        path = here / "trace.txt"
        path.write_bytes(trace_text(name))
        for ms in (20, 50, 100):
            count += check_trace(checks, f"{name} {ms} ms", path, here, ms, 2)
print(f"{count} snapshots")
checks.that(count > 5, f"only {count} snapshots")
checks.end()
