#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""events.csv is sorted by time, except where the clock went back."""

import sys

sys.path.insert(0, str(__import__("pathlib").Path(__file__).resolve().parents[1] / "lib"))
import segments
import synthetic
from jankd import TRACES, Checks, analyze, folder, rows, scenario, skip, trace_text
from lines import lines, markers, text

OPTIONS = ("--trigger", "fps<45", "--snapshot", "25", "--snapshot-seconds", "1", "--rotate-size", "4K", "-T", "2")
SCENARIOS = ("switch-60-120", "idle-gaps", "app-switch", "drops-120", "surfaces-200")
SEEN = set()


def marked(data):
    """The markers of a trace, with a mark of an app every 70 ms."""
    parts, next_us = [], 0
    for line in lines(markers(data)):
        parts.append(line)
        if line.us is not None and line.us >= next_us:
            mark = synthetic.line(line.us, "I|77|jankd:here", 77, "app", 77).replace("[000]", f"[{line.cpu:03}]")
            parts += lines(mark.encode())
            next_us = line.us + 70_000
    return parts


def check(checks, what, parts, steps=0):
    with folder() as out:
        analyze(out, *OPTIONS, "-", input=text(parts))
        found = [row for path in segments.paths(out, "events.csv") for row in rows(path)]
    times = [float(row["time(s)"]) for row in found]
    back = [n for n in range(1, len(times)) if times[n] < times[n - 1]]
    checks.equal(len(back), steps, f"{what}: not in order: {[(found[n - 1], found[n]) for n in back[:3]]}")
    checks.equal((found[0]["kind"], found[-1]["kind"]), ("start", "stop"), f"{what}: first and last")
    kinds = {row["kind"] for row in found}
    checks.that({"mark", "surfaceflinger"} <= kinds, f"{what}: kinds {kinds}")
    SEEN.update(kinds)


checks = Checks()
for name in SCENARIOS:
    with folder() as place:
        trace = marked(scenario(name, place / "trace", seconds=8).read_bytes())
    check(checks, name, trace)
    half = len(trace) // 2
    check(checks, f"{name}, a clock that goes back", trace[:half] + [line.moved(-3_000_000) for line in trace[half:]], 1)
checks.that({"refresh", "focus", "trigger", "snapshot"} <= SEEN, f"kinds of events that were never seen; seen: {SEEN}")
if not TRACES.is_dir():
    skip("there are no recorded traces")
for path in sorted(TRACES.glob("*/trace.txt.xz")):
    trace = trace_text(path.parent.name)
    if b"tracing_mark_write" in trace:
        check(checks, path.parent.name, marked(trace))
checks.end()
