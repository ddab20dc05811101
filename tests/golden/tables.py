#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Full tables: a small table gives the same rows as a large one, and frames that do not fit are reported."""

import json
import pathlib
import resource
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import synthetic
from jankd import JANKD, Checks, analyze, folder, rows, scenario
from mounts import tmpfs

APPS = 640
SMALL_FILE = 1_000_000  # bytes: some of the evicted surfaces fit


def apps_in_turn():
    """Frames of one app after the other, and all again with new layers."""
    parts, us = [], 1000000000
    for start in range(2 * APPS):
        app = start % APPS
        for i in range(30):
            if (i * 7 + app) % 11 and i <= 20:
                parts.append(synthetic.frame(us, len(parts), f"com.vendor{app}/com.vendor{app}.Main#{start}"))
            us += synthetic.PERIOD_US
    return "".join(parts).encode()


def counters(out):
    return json.loads((out / "session.json").read_text())["counters"]


def lost(out):
    return [row["text"] for row in rows(out, "events.csv") if row["kind"] == "lost"]


def same_rows(checks, large, text):
    """The evicted surfaces fit."""
    analyze(large, "--max-surfaces", 1000, "--frames-log", "-", input=text)
    checks.equal(len(rows(large, "summary.csv")), APPS, "rows of a large table")
    small = large.parent / "small"
    analyze(small, "--max-surfaces", 16, "--frames-log", "-", input=text)
    for name in ("summary.csv", "frames.csv"):
        checks.that((small / name).read_bytes() == (large / name).read_bytes(), f"another {name} of a small table")
    seen = counters(small)
    checks.that(seen["surfaces_evicted"] > APPS and seen["layers_forgotten"] == seen["surfaces_others"] == 0, f"a small table: {seen}")
    checks.equal(lost(small), [], "a small table: events")


def disk_is_full(checks, large, text):
    """If files cannot grow there is a row '(others)', no frame is missing in the sums, and it is reported."""
    out = large.parent / "full"
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (SMALL_FILE, SMALL_FILE))
    done = subprocess.run([JANKD, "analyze", "-F", out, "--max-surfaces", "16", "--rotate-size", "500000", "-"], input=text,
                          capture_output=True, restore_signals=False, preexec_fn=limit)
    checks.equal(done.returncode, 0, f"full: exit code: {done.stderr[-500:]}")
    found, whole, others = rows(out, "summary.csv"), rows(large, "summary.csv"), counters(out)["surfaces_others"]
    expected = {row["Surface"]: row for row in whole}
    checks.equal((found[-1]["Surface"], found[-1]["app"], others), ("(others)", "", APPS - len(found) + 1), "full: the last row")
    checks.that(17 < len(found) < 60, f"full: {len(found)} rows")
    checks.equal([row for row in found[:-1] if expected.pop(row["Surface"], None) != row], [], "full: rows that differ, or that are twice")
    for column in ("frames", "wait times", "A", "B", "missed vsyncs", "jank"):
        checks.equal(*(sum(int(row[column]) for row in table) for table in (found, whole)), f"full: {column}")
    reported = lost(out)
    checks.that(any("cannot be written to the disk" in text for text in reported), f"full: {reported}")
    checks.that(any(f" {others} surfaces" in text for text in reported), f"full: {reported}")


def disk_is_small(checks, large, text):
    """Evicted surfaces on a small disk leave space for the CSV files."""
    disk = large.parent / "disk"
    disk.mkdir()
    for size, kept in (("1M", 16), ("6M", 300)):
        with tmpfs(size, disk) as mounted:
            if not mounted:
                checks.cannot_judge("a small disk", "no tmpfs can be mounted")
                return
            analyze(disk / "out", "--max-surfaces", "16", "-", input=text)
            found = rows(disk / "out", "summary.csv")
            checks.equal(found[-1]["Surface"], "(others)", f"{size}: the last row")
            checks.that(kept < len(found) < APPS, f"{size}: {len(found)} rows")
            checks.equal(*(sum(int(row["frames"]) for row in table) for table in (found, rows(disk / "out", "fps.csv"))), f"{size}: frames")


def waiting_layers(checks, here, vocabulary):
    """200 surfaces, up to 64 in one present: each frame has a row or is counted as missing."""
    trace = scenario("surfaces-200", here / "surfaces", vocabulary=vocabulary)
    played = {(row["present(s)"], row["layer"]): row["vsyncs"] for row in rows(here / "surfaces.truth")}
    for surfaces in (16, 64, 128, 256):
        what, out = f"{vocabulary}: {surfaces}", here / f"{vocabulary}-{surfaces}"
        done = analyze(out, "--max-surfaces", surfaces, "--frames-log", trace)
        found, seen, reported = rows(out, "frames.csv"), counters(out), lost(out)
        refused = seen["frames_refused"]
        wrong = [row for row in found if row["vsyncs"] not in ("", played.get((row["present(s)"], row["layer"])))]
        checks.equal(wrong[:3], [], f"{what}: {len(wrong)} frames that were not played, or intervals that a missing frame made longer")
        checks.that({(row["present(s)"], row["layer"]) for row in found} <= played.keys(), f"{what}: frames that were not played")
        checks.equal((len(found) + refused, seen["lost"]["refused_frames"]), (len(played), refused), f"{what}: frames, session.json")
        if refused > 0:
            checks.that(f", refused {refused}," in done.stdout.decode(), f"{what}: not in the printed table")
            checks.that(any(f" {refused} frames missing" in text for text in reported), f"{what}: {reported}")
        checks.equal((refused == 0, reported == []), (surfaces >= 128, surfaces == 256), f"{what}: refused, events {reported}")


def hidden_layers(checks, here):
    """Layers that are not counted do not take space in the table, and are not reported as missing."""
    layers, parts = [f"com.vendor{n}/com.vendor{n}.Main#{n}" for n in range(40)] + ["com.game/com.game.Main#7"], []
    for tick in range(200):
        us = 1000000000 + tick * synthetic.PERIOD_US
        parts.append(synthetic.line(us, f"C|600|VSYNC-sf|{tick % 2}", 603, "sf"))
        latches = [mark for layer in layers for mark in ("B|600|acquireBuffer", f"C|600|{layer}|0", "E|600")]
        marks = ["B|600|handleMessageInvalidate", *latches, "E|600", "B|600|handleMessageRefresh", "B|600|postFramebuffer", "E|600", "E|600"]
        parts += [synthetic.line(us + 1000 + 10 * i, mark) for i, mark in enumerate(marks)]
    for options in (("--include", "com.game"), ("--exclude", "com.vendor*")):
        out = here / options[0]
        analyze(out, "--max-surfaces", "16", "--frames-log", *options, "-", input="".join(parts).encode())
        seen = counters(out)
        checks.equal((len(rows(out, "frames.csv")), seen["layers_refused"], seen["frames_refused"], lost(out)), (200, 0, 0, []), f"{options}")


def first_present(checks, out):
    """Instant and counter of one latch are one frame, even before SurfaceFlinger is known."""
    names = [f"com.vendor{layer}/com.vendor{layer}.Main#{layer}" for layer in range(40)]
    latches = [mark for name in names for mark in (f"I|600|latchBuffer {name} - 1", f"C|600|BufferTX - {name}|0")]
    marks = ["B|600|commit 1 vsyncIn 5ms", *latches, "E|600", "B|600|composite 1", "B|600|presentFrameAndReleaseLayers for 1", "E|600", "E|600"]
    text = synthetic.line(1000000000, "C|600|VSYNC-sf|1", 603, "TimerDispatch")
    text += "".join(synthetic.line(1000001000 + 10 * i, mark) for i, mark in enumerate(marks))
    analyze(out, "--max-surfaces", "16", "--frames-log", "-", input=text.encode())
    checks.equal((len(rows(out, "frames.csv")), counters(out)["frames_refused"]), (16, 24), "first present: frames, refused")


checks = Checks()
with folder() as place:
    first_present(checks, place / "first")
    for name in ("android-9", "android-11", "android-14"):
        waiting_layers(checks, place, name)
    hidden_layers(checks, place)
    apps = apps_in_turn()
    for case in (same_rows, disk_is_full, disk_is_small):
        case(checks, place / "large", apps)
checks.end()
