# SPDX-License-Identifier: Apache-2.0
"""Every fence is joined to its frame, or it is known why not; GPU times are right to 10 microseconds."""

import bisect
import collections
import json
import re
import statistics
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from jankd import microseconds, rows

LINE = re.compile(r"-(\d+) +\( *\d+\) \[\d+\] \S+ +(\d+)\.(\d{6}): tracing_mark_write: ([BE].*)")
CLASSES = ("fences_joined", "fences_surfaceflinger", "fences_without_frame", "fences_ambiguous")
# What became of the fences: in the order of CLASSES.
RECORDED = {"android-11-launcher": (127, 0, 3, 0), "android-13-startup": (7, 1, 0, 0), "android-15-startup": (53, 15, 0, 0)}


def fences(path):
    """pid: [(mark, end, frame number)] of the GPU's fences, in their order; times in microseconds."""
    found, number, waits, open_slices = collections.defaultdict(list), {}, {}, collections.defaultdict(list)
    for tid, seconds, micros, payload in LINE.findall(path.read_text(errors="replace")):
        us = int(seconds) * 1000000 + int(micros)
        if payload.startswith("E"):
            if open_slices[tid]:
                waits[open_slices[tid].pop()] = us
            continue
        kind, _, rest = payload.partition("|")
        pid, _, name = rest.partition("|")
        if kind != "B":
            continue
        open_slices[tid].append((pid, name))
        acquired = re.match(r"acquireNextBufferLocked - .*\)frame=(\d+)", name)
        fence = re.fullmatch(r"(?:Trace )?GPU completion fence (\d+)( has signaled)?", name)
        if acquired:
            number[tid] = acquired[1]
        elif fence:
            found[pid].append((us, us if fence[2] else (pid, f"waiting for GPU completion {fence[1]}"), number.pop(tid, "")))
    return {pid: [(mark, end if isinstance(end, int) else waits.get(end), n) for mark, end, n in marks] for pid, marks in found.items()}


def nearest(marks, queued):
    at = bisect.bisect(marks, (queued,))
    return min(marks[max(0, at - 1):at + 1], key=lambda mark: abs(mark[0] - queued))


def compare(checks, what, played, frames):
    """Each frame's GPU time against the fence whose mark is nearest to the time at which its buffer was queued, in the
    process that has it most often."""
    layers = collections.defaultdict(list)
    for row in frames:
        if row["queued(s)"]:
            layers[row["layer"]].append((microseconds(row["queued(s)"]), row))
    errors, ends = [], collections.Counter()
    for layer, queued in layers.items():
        distances = {pid: statistics.median(abs(nearest(marks, us)[0] - us) for us, _ in queued) for pid, marks in played.items()}
        pid = min(distances, key=distances.get)
        for us, row in queued:
            mark, end, number = nearest(played[pid], us)
            if row["gpu done(s)"] == "":
                continue
            ends[pid, mark] += 1
            errors.append(abs(microseconds(row["gpu done(s)"]) - end) if end else None)
            if number and row["frame number"]:
                checks.equal(row["frame number"], number, f"{what}: number of the buffer in the frame at {row['present(s)']}")
    checks.that(errors and None not in errors and max(errors) <= 10, f"{what}: {len(errors)} GPU times, errors up to "
                f"{max(error or 0 for error in errors) if errors else None} us")
    checks.that(not ends or max(ends.values()) == 1, f"{what}: no fence has two frames")
    return len(errors)


def counts(out):
    counters = json.loads((out / "session.json").read_text())["counters"]
    return counters["fences"], tuple(counters[name] for name in CLASSES)


def judge(checks, trace):
    if trace.name not in RECORDED:
        return
    expected, played = RECORDED[trace.name], fences(trace.text)
    total, classes = counts(trace.out)
    checks.equal((total, classes), (sum(map(len, played.values())), expected), f"{trace.name}: fences; {trace.name}: {', '.join(CLASSES)}")
    checks.equal(compare(checks, trace.name, played, trace.rows("frames.csv")), expected[0], f"{trace.name}: frames with a time")


def judge_played(checks, what, text, out):
    """The same of a trace of jank-phone, in which every frame has a fence."""
    total, classes = counts(out)
    checks.equal(sum(classes), total, f"{what}: sum of {', '.join(CLASSES)}")
    frames = rows(out, "frames.csv")
    timed = compare(checks, what, fences(text), frames)
    checks.that(timed >= 0.99 * len(frames), f"{what}: {timed} of {len(frames)} frames have a GPU time")
