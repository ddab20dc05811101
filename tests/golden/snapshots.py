# SPDX-License-Identifier: Apache-2.0
"""A snapshot has the same frames as the trace that it is a part of, in a format that viewers open. Without enough free space there is
an event and no file."""

import json
import re
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
import frames
from jankd import analyze, checks, folder, microseconds, rows, trace_names, unpack

# How a viewer parses a line of ftrace.
LINE = re.compile(rb"-(\d+)\s+\(?\s*(\d+|-+)?\)?\s?\[(\d+)\]\s*([a-zA-Z0-9.]{1,5}\s+)?(\d+\.\d+):\s+(\S+):")
NAME = re.compile(r"(snapshot-\d{6}\.txt): (\d+\.\d{6}) ms, (.*)", re.S)
SECONDS = 2
# The first frames of a snapshot are not compared: earlier events are missing, as queued buffers and the focused app.
LEAD_US = 300000


def snapped(out, ms, trace):
    """[(time of the frame in microseconds, file, ms, Surface)] from events.csv."""
    analyze(out, "--frames-log", "--snapshot", ms, "--snapshot-seconds", SECONDS, trace)
    return [(microseconds(row["time(s)"]), *NAME.fullmatch(row["text"]).groups()) for row in rows(out, "events.csv") if row["kind"] == "snapshot"]


def check_form(checks, what, text):
    checks.that(text.startswith(b"# tracer: nop\n#\n"), f"{what}: begins with {text[:40]!r}")
    checks.that(text.endswith(b"\n"), f"{what}: the last line has no end")
    # The comments must reach beyond the place of the magic number of a tar file.
    comments = sum(len(line) + 1 for line in text.split(b"\n") if line.startswith(b"#"))
    checks.that(comments > 265, f"{what}: a head of {comments} bytes")


def check_trace(checks, name, path, here, ms):
    out, full = here / f"out-{ms}", here / f"full-{ms}"
    out.mkdir()
    for left in (".snapshot-000007.txt.tmp", *(f"snapshot-{n:06}.txt" for n in range(1, 65))):
        (out / left).write_text("x")
    found = snapped(out, ms, path)
    # Numbers only grow, 64 files are kept, and what a killed jankd left is removed.
    files = [f"snapshot-{n:06}.txt" for n in range(1, 65 + len(found))][-64:]
    checks.equal(sorted(file.name for file in out.iterdir() if "snapshot" in file.name), files, f"{name}: files")
    checks.equal([file for _, file, _, _ in found], files[64 - len(found):], f"{name}: events and files")
    checks.equal(json.loads((out / "session.json").read_text())["counters"]["snapshots"], len(found), f"{name}: counters")
    analyze(full, "--snapshot", ms, "--min-free", "1000000G", path)
    texts = [row["text"] for row in rows(full, "events.csv") if row["kind"] == "snapshot"]
    checks.equal(([*full.glob("*snapshot-*")], len(texts), [text for text in texts if "not saved" not in text]), ([], len(found), []),
                 f"{name}: without free space")
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


def lose(checks, here):
    """After a loss frames wait for a CPU that is silent: not with a snapshot, which would be of the time after its frame."""
    path = unpack("android-9-list-jank", here)
    lines = path.read_bytes().splitlines(keepends=True)
    at = next(i for i, line in enumerate(lines) if LINE.search(line))
    other = [b"x-7 ( 7) [009] .... %s: tracing_mark_write: C|7|x|1\n" % LINE.search(line)[5] for line in lines[at:at + 2]]
    path.write_bytes(b"".join([*lines[:at + 1], other[0], lines[at + 1], b"CPU:9 [LOST 1 EVENTS]\n", other[1], *lines[at + 2:]]))
    checks.that(check_trace(checks, "after a loss", path, here, 50) > 0, "no snapshot after a loss")


count = 0
with folder() as place:
    lose(checks, place)
for name in trace_names():
    with folder() as place:
        path = unpack(name, place)
        count += sum(check_trace(checks, name, path, place, ms) for ms in (20, 50, 100))
checks.that(count > 5, f"only {count} snapshots")
checks.end()
