#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Full tables: a small table gives the same summary as a large one, row by row, and frames that do not
fit are reported."""

import json
import resource
import subprocess
import sys
import pathlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from jankd import JANKD, PHONE, Checks, analyze, folder, rows
from mounts import tmpfs

APPS = 640
SF = 600
PERIOD_US = 16667

# The largest size of a file: some of the evicted surfaces fit.
SMALL_FILE = 1_000_000


def line(us, tid, comm, text):
    return (f"{comm:>16}-{tid:<6}({SF:5}) [000] .... {us // 1000000:6}.{us % 1000000:06}: "
            f"tracing_mark_write: {text}\n")


def vsync(us, tick, layer):
    """One vsync of Android 9, with a frame of @layer if there is one."""
    text = line(us, 603, "VSYNC-sf", f"C|{SF}|VSYNC-sf|{tick % 2}")
    if not layer:
        return text
    marks = ("B|600|handleMessageInvalidate", "B|600|latchBuffer", "B|600|acquireBuffer",
             f"C|{SF}|{layer}|0", "E|600", "E|600", "E|600", "B|600|handleMessageRefresh",
             "B|600|postFramebuffer", "E|600", "E|600")
    text += line(us + 200, 609, "Binder:600_3", f"C|{SF}|{layer}|1")
    return text + "".join(line(us + 1000 + 10 * i, SF, "surfaceflinger", mark)
                          for i, mark in enumerate(marks))


def apps_in_turn(starts_anew):
    """Frames of one app after the other, and all again."""
    us, tick, parts = 1000000000, 0, []
    for start in range(2 * APPS):
        app = start % APPS
        layer = f"com.vendor{app}/com.vendor{app}.Main#{start if starts_anew else app}"
        for i in range(30):
            late = (i * 7 + app) % 11 == 0
            parts.append(vsync(us, tick, None if late or i > 20 else layer))
            us += PERIOD_US
            tick += 1
    return "".join(parts).encode()


def summary(out, text, surfaces):
    analyze(out, "--max-surfaces", surfaces, "--frames-log", "-", input=text)
    return (out / "summary.csv").read_bytes()


def counters(out):
    return json.loads((out / "session.json").read_text())["counters"]


def same_rows(checks, here, text, what):
    large = summary(here / f"{what}-1000", text, 1000)
    found = rows(here / f"{what}-1000", "summary.csv")
    checks.equal(len(found), APPS, f"{what}: rows of a large table")
    for surfaces in (256, 16):
        out = here / f"{what}-{surfaces}"
        checks.that(summary(out, text, surfaces) == large, f"{what}: another summary.csv of {surfaces}")
        seen = counters(out)
        checks.that(seen["surfaces_evicted"] > APPS, f"{what}: {surfaces}: {seen}")
        checks.equal(seen["layers_forgotten"], 0, f"{what}: {surfaces}: layers")
        checks.that((out / "frames.csv").read_bytes() == (here / f"{what}-1000" / "frames.csv").read_bytes(),
                    f"{what}: another frames.csv of {surfaces}")
        checks.equal(seen["surfaces_others"], 0, f"{what}: {surfaces}: others")
        checks.equal([row for row in rows(out, "events.csv") if row["kind"] == "lost"], [],
                     f"{what}: {surfaces}: events")


def disk_is_full(checks, here, text):
    """If files cannot grow there is a row '(others)', no frame is missing in the sums, and it is reported."""
    out = here / "full"
    done = subprocess.run([JANKD, "analyze", "-F", out, "--max-surfaces", "16", "--rotate-size", "500000",
                           "-"], input=text, capture_output=True, timeout=600, restore_signals=False,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE,
                                                                (SMALL_FILE, SMALL_FILE)))
    checks.equal(done.returncode, 0, f"full: exit code: {done.stderr[-500:]}")
    found, seen = rows(out, "summary.csv"), counters(out)
    checks.equal(found[-1]["Surface"], "(others)", "full: the last row")
    checks.equal(found[-1]["app"], "", "full: its app")
    checks.that(17 < len(found) < 60, f"full: {len(found)} rows")
    checks.equal(len({row["Surface"] for row in found}), len(found), "full: Surfaces")
    checks.equal(seen["surfaces_others"], APPS - (len(found) - 1), "full: others")
    whole = rows(here / "anew-1000", "summary.csv")
    for column in ("frames", "wait times", "A", "B", "missed vsyncs", "jank"):
        checks.equal(sum(int(row[column]) for row in found), sum(int(row[column]) for row in whole),
                     f"full: {column}")
    expected = {row["Surface"]: row for row in whole}
    for row in found[:-1]:
        checks.equal(row, expected[row["Surface"]], f"full: {row['Surface']}")
    reported = [row["text"] for row in rows(out, "events.csv") if row["kind"] == "lost"]
    checks.that(any("cannot be written to the disk" in text for text in reported), f"full: {reported}")
    checks.that(any(f" {seen['surfaces_others']} surfaces" in text for text in reported), f"full: {reported}")


def disk_is_small(checks, here, text):
    """Evicted surfaces on a small disk leave space for the CSV files."""
    disk = here / "disk"
    disk.mkdir()
    for size, kept in (("1M", 16), ("3M", 100), ("6M", 300)):
        with tmpfs(size, disk) as mounted:
            if not mounted:
                checks.cannot_judge("a small disk", "no tmpfs can be mounted")
                return
            done = analyze(disk / "out", "--max-surfaces", "16", "-", input=text)
            found = rows(disk / "out", "summary.csv")
            checks.equal(done.returncode, 0, f"{size}: exit code: {done.stderr[-500:]}")
            checks.equal(found[-1]["Surface"], "(others)", f"{size}: the last row")
            checks.that(kept < len(found) < APPS, f"{size}: {len(found)} rows")
            checks.equal(sum(int(row["frames"]) for row in found),
                         sum(int(row["frames"]) for row in rows(disk / "out", "fps.csv")), f"{size}: frames")


def waiting_layers(checks, here, vocabulary):
    """200 surfaces, up to 64 in one present: each frame has a row or is counted as missing."""
    trace, truth = here / "surfaces.txt", here / "truth.csv"
    subprocess.run([PHONE, "--scenario", "surfaces-200", "--vocabulary", vocabulary, "--speed", "0",
                    "--output", trace, "--truth", truth], check=True, capture_output=True, timeout=600)
    played = {(row["present(s)"], row["layer"]): row["vsyncs"] for row in rows(truth)}
    for surfaces in (16, 64, 128, 256):
        what, out = f"{vocabulary}: {surfaces}", here / f"{vocabulary}-{surfaces}"
        done = analyze(out, "--max-surfaces", surfaces, "--frames-log", trace)
        found, seen = rows(out, "frames.csv"), counters(out)
        reported = [row["text"] for row in rows(out, "events.csv") if row["kind"] == "lost"]
        checks.that({(row["present(s)"], row["layer"]) for row in found} <= played.keys(),
                    f"{what}: frames that were not played")
        wrong = [row for row in found if row["vsyncs"] not in ("", played[row["present(s)"], row["layer"]])]
        checks.equal(wrong[:3], [], f"{what}: {len(wrong)} intervals that a missing frame made longer")
        checks.equal(len(found) + seen["frames_refused"], len(played), f"{what}: frames")
        checks.equal(seen["lost"]["refused_frames"], seen["frames_refused"], f"{what}: session.json")
        if seen["frames_refused"] > 0:
            checks.that(f", refused {seen['frames_refused']}," in done.stdout.decode(),
                        f"{what}: not in the printed table")
            checks.that(any(f" {seen['frames_refused']} frames missing" in text for text in reported),
                        f"{what}: {reported}")
        checks.equal(seen["frames_refused"] == 0, surfaces >= 128, f"{what}: refused")
        checks.equal(reported == [], surfaces == 256, f"{what}: events {reported}")


def hidden_layers(checks, here):
    """Layers that are not counted do not take space in the table, and are not reported as missing."""
    game, parts = "com.game/com.game.Main#7", []
    for tick in range(200):
        us = 1000000000 + tick * PERIOD_US
        parts.append(line(us, SF + 3, "VSYNC-sf", f"C|{SF}|VSYNC-sf|{tick % 2}"))
        marks = [f"B|{SF}|handleMessageInvalidate"]
        for layer in [f"com.vendor{n}/com.vendor{n}.Main#{n}" for n in range(40)] + [game]:
            marks += [f"B|{SF}|acquireBuffer", f"C|{SF}|{layer}|0", f"E|{SF}"]
        marks += [f"E|{SF}", f"B|{SF}|handleMessageRefresh", f"B|{SF}|postFramebuffer", f"E|{SF}", f"E|{SF}"]
        parts += [line(us + 1000 + 10 * i, SF, "surfaceflinger", mark) for i, mark in enumerate(marks)]
    for what, *options in (("include", "--include", "com.game"), ("exclude", "--exclude", "com.vendor*")):
        out = here / what
        analyze(out, "--max-surfaces", "16", "--frames-log", *options, "-", input="".join(parts).encode())
        checks.equal(len(rows(out, "frames.csv")), 200, f"{what}: frames")
        checks.equal([counters(out)[name] for name in ("layers_refused", "frames_refused")], [0, 0], f"{what}: refused")
        checks.equal([row["text"] for row in rows(out, "events.csv") if row["kind"] == "lost"], [], f"{what}: reported")


def first_present(checks, here):
    """Instant and counter of one latch are one frame, even before SurfaceFlinger is known."""
    text = line(1000000000, SF + 3, "TimerDispatch", f"C|{SF}|VSYNC-sf|1")
    marks = [f"B|{SF}|commit 1 vsyncIn 5ms"]
    for layer in range(40):
        name = f"com.vendor{layer}/com.vendor{layer}.Main#{layer}"
        marks += [f"I|{SF}|latchBuffer {name} - 1", f"C|{SF}|BufferTX - {name}|0"]
    marks += [f"E|{SF}", f"B|{SF}|composite 1", f"B|{SF}|presentFrameAndReleaseLayers for 1", f"E|{SF}", f"E|{SF}"]
    text += "".join(line(1000001000 + 10 * i, SF, "surfaceflinger", mark) for i, mark in enumerate(marks))
    analyze(here / "first", "--max-surfaces", "16", "--frames-log", "-", input=text.encode())
    checks.equal(len(rows(here / "first", "frames.csv")), 16, "first present: frames")
    checks.equal(counters(here / "first")["frames_refused"], 24, "first present: refused")


checks = Checks()
with folder() as here:
    for name in ("android-9", "android-11", "android-14"):
        waiting_layers(checks, here, name)
    first_present(checks, here)
    hidden_layers(checks, here)
    anew = apps_in_turn(True)
    same_rows(checks, here, anew, "anew")
    same_rows(checks, here, apps_in_turn(False), "again")
    disk_is_full(checks, here, anew)
    disk_is_small(checks, here, anew)
checks.end()
