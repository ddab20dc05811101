#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A snapshot has the same frames as the trace that it is a part of, in a format that viewers open."""

import json
import re
import sys

sys.path.insert(0, str(__import__("pathlib").Path(__file__).resolve().parents[1] / "lib"))
import frames
import synthetic
from jankd import Checks, analyze, folder, microseconds, rows, trace_names, unpack

# How a viewer parses a line of ftrace.
LINE = re.compile(rb"-(\d+)\s+\(?\s*(\d+|-+)?\)?\s?\[(\d+)\]\s*([a-zA-Z0-9.]{1,5}\s+)?(\d+\.\d+):\s+(\S+):")
NAME = re.compile(r"(snapshot-\d{6}\.txt): (\d+\.\d{6}) ms, (.*)", re.S)
SECONDS = 2
# The first frames of a snapshot are not compared: earlier events are missing, as queued buffers and the focused app.
LEAD_US = 300000


def snapped(out, ms, trace, *options):
    """[(time of the frame in microseconds, file, ms, Surface)] from events.csv."""
    analyze(out, "--frames-log", "--snapshot", ms, "--snapshot-seconds", SECONDS, *options, trace)
    return [(microseconds(row["time(s)"]), *NAME.fullmatch(row["text"]).groups()) for row in rows(out, "events.csv") if row["kind"] == "snapshot"]


def check_form(checks, what, text):
    checks.that(text.startswith(b"# tracer: nop\n#\n"), f"{what}: begins with {text[:40]!r}")
    checks.that(text.endswith(b"\n"), f"{what}: the last line has no end")
    # The comments must reach beyond the place of the magic number of a tar file.
    comments = sum(len(line) + 1 for line in text.split(b"\n") if line.startswith(b"#"))
    checks.that(comments > 265, f"{what}: a head of {comments} bytes")


def check_trace(checks, name, path, here, ms):
    out = here / f"out-{ms}"
    found = snapped(out, ms, path)
    checks.equal([file for _, file, _, _ in found], sorted(file.name for file in out.glob("snapshot-*")), f"{name}: events and files")
    late = [(row["present(s)"], row["interval(ms)"], row["Surface"]) for row in rows(out, "frames.csv")]
    late = {(microseconds(present), *rest) for present, *rest in late}
    for present, file, interval, surface in found:
        what, text = f"{name} {ms} ms {file}", (out / file).read_bytes()
        times = [int(float(m.group(5)) * 1e6 + 0.5) for m in map(LINE.search, text.split(b"\n")) if m]
        check_form(checks, what, text)
        checks.that(times[0] <= present - float(interval) * 1000 and times[-1] >= present, f"{what}: {times[0]} to {times[-1]} is not around {present}")
        checks.that(times[-1] - times[0] < (SECONDS + 1) * 1e6, f"{what}: {(times[-1] - times[0]) / 1e6} s")
        checks.that((present, interval, surface) in late, f"{what}: no frame {interval}, {surface}")
        analyze(here / "cut", "--frames-log", out / file)
        got, expected = ({f for f in frames.counted(folder) if times[0] + LEAD_US <= f[0] <= times[-1]} for folder in (here / "cut", out))
        checks.that(expected, f"{what}: no frames")
        checks.equal(got, expected, f"{what}: frames")
    return len(found)


def late_every(seconds, count):
    """A trace with 30 frames every @seconds, the last of them 200 ms late."""
    parts, us = [], 100000000
    for _ in range(count):
        for n in range(30):
            us += 200004 if n == 29 else synthetic.PERIOD_US
            parts.append(synthetic.frame(us, len(parts)))
        us += int(seconds * 1e6) - 29 * synthetic.PERIOD_US - 200004
    return "".join(parts)


def folders(checks, here):
    """64 files at most, whose numbers only grow; what a killed jankd left is removed, and similar names are kept. Without enough free
    space there is an event and no file."""
    trace, out = here / "trace.txt", here / "out"
    out.mkdir()
    for name in (".snapshot-000007.txt.tmp", "snapshot-1.txt", ".snapshot-mine.txt.tmp"):
        (out / name).write_text("x")
    for seconds, count in ((4, 16), (11, 70)):
        trace.write_text(late_every(seconds, count))
        snapped(out, 100, trace)
    names = sorted(file.name for file in out.iterdir() if "snapshot" in file.name)
    checks.equal(names, [".snapshot-mine.txt.tmp", *(f"snapshot-{n:06}.txt" for n in range(13, 77)), "snapshot-1.txt"], "files of two sessions")
    counters = json.loads((out / "session.json").read_text())["counters"]
    checks.equal((counters["snapshots"], counters["snapshots_suppressed"]), (70, 0), "counters")
    analyze(here / "full", "--snapshot", "100", "--min-free", "1000000G", trace)
    checks.equal([file.name for file in (here / "full").iterdir() if "snapshot" in file.name], [], "files without free space")
    texts = [row["text"] for row in rows(here / "full", "events.csv") if row["kind"] == "snapshot"]
    checks.that(len(texts) == 70 and all("not saved" in text for text in texts), f"events without free space: {texts[:3]}")


checks, count = Checks(), 0
with folder() as place:
    folders(checks, place)
for name in trace_names():
    with folder() as place:
        path = unpack(name, place)
        count += sum(check_trace(checks, name, path, place, ms) for ms in (20, 50, 100))
checks.that(count > 5, f"only {count} snapshots")
checks.end()
