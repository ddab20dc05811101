#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""events.csv is sorted by time, except where the clock went back."""

import subprocess
import sys

sys.path.insert(0, str(__import__("pathlib").Path(__file__).resolve().parents[1] / "lib"))
import synthetic
from jankd import PHONE, TRACES, Checks, analyze, folder, rows, trace_text
from lines import lines, text

OPTIONS = ("--trigger", "fps<45", "--snapshot", "25", "--snapshot-seconds", "1", "--rotate-size", "4K", "-T", "2")
SCENARIOS = ("switch-60-120", "idle-gaps", "app-switch", "drops-120", "surfaces-200")


def events(out):
    """The events of all segments in order, those of the current file last."""
    paths = sorted(out.glob("events-*.csv")) + [out / "events.csv"]
    return [row for path in paths for row in rows(path)]


def marked(data):
    """The trace with a mark of an app every 70 ms."""
    parts, next_us = [], 0
    for line in lines(data):
        parts.append(line.text)
        if line.us is not None and line.us >= next_us and b"tracing_mark_write" in line.text:
            parts.append(synthetic.line(line.us, "I|77|jankd:here", 77, "app", 77).replace("[000]", f"[{line.cpu:03}]")
                         .encode())
            next_us = line.us + 70_000
    return b"".join(parts)


def check(checks, what, data, steps=0):
    with folder() as here:
        analyze(here / "out", *OPTIONS, "-", input=data)
        found = events(here / "out")
    times = [float(row["time(s)"]) for row in found]
    back = [n for n in range(1, len(times)) if times[n] < times[n - 1]]
    checks.equal(len(back), steps, f"{what}: not in order: {[(found[n - 1], found[n]) for n in back[:3]]}")
    checks.equal((found[0]["kind"], found[-1]["kind"]), ("start", "stop"), f"{what}: first and last")
    kinds = {row["kind"] for row in found}
    checks.that({"mark", "surfaceflinger"} <= kinds, f"{what}: kinds {kinds}")
    return kinds


checks, seen = Checks(), set()
for name in SCENARIOS:
    with folder() as place:
        subprocess.run([PHONE, "--scenario", name, "--seconds", "8", "--speed", "0", "--output", place / "trace", "--truth",
                        place / "truth"], check=True, capture_output=True)
        trace = marked((place / "trace").read_bytes())
    seen |= check(checks, name, trace)
    cut = trace.rfind(b"\n", 0, len(trace) // 2) + 1
    back = trace[:cut] + text(line.moved(-3_000_000) for line in lines(trace[cut:]))
    check(checks, f"{name}, a clock that goes back", back, 1)
if not TRACES.is_dir():
    checks.cannot_judge("recorded traces", "there are none")
for path in sorted(TRACES.glob("*/trace.txt.xz")):
    trace = trace_text(path.parent.name)
    if b"tracing_mark_write" in trace:
        seen |= check(checks, path.parent.name, marked(trace))
checks.that({"refresh", "focus", "trigger", "snapshot"} <= seen, f"kinds of events that were never seen; seen: {seen}")
checks.end()
