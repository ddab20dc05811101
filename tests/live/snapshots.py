#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Snapshots of a live capture hold the frames that were counted, are written in time, and are never incomplete."""

import pathlib
import re
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import frames
import synthetic
import tracefs
from jankd import Checks, analyze, folder, jankd, microseconds, rows
from live import Capture, play, session
from mounts import tmpfs

TIMES = re.compile(rb" (\d+\.\d{6}): tracing_mark_write:")

# The first frames of a snapshot are not compared: events before it are missing.
LEAD_US = 500000


def reported(out):
    return [row for row in rows(out, "events.csv") if row["kind"] == "snapshot"]


def played(checks):
    """analyze counts the same frames in a snapshot as the live capture."""
    with session() as (mount, instance, here):
        out = here / "out"
        capture = Capture(mount, instance, out, "--snapshot", "12", "--snapshot-seconds", "4")
        checks.that(capture.wait_ready(), "played: jankd does not start")
        play(mount, instance, here / "truth.csv", "--scenario", "drops-120", "--seconds", 8)
        code, said, wakeups = capture.stop()
        checks.equal(code, 0, f"played: exit code: {said[-300:]}")
        files = sorted(file.name for file in out.glob("snapshot-*"))
        checks.equal(files, ["snapshot-000001.txt"], "played: files")
        checks.equal(len(reported(out)), len(files), "played: events")
        for name in files:
            times = [float(match) * 1e6 for match in TIMES.findall((out / name).read_bytes())]
            begin, end = times[0] + LEAD_US, times[-1]
            analyze(here / "cut", "--frames-log", out / name)
            got = {f for f in frames.counted(here / "cut") if begin <= f[0] <= end}
            expected = {f for f in frames.counted(out) if begin <= f[0] <= end}
            print(f"played: {name}: {len(expected)} frames in {(end - begin) / 1e6:.2f} s, "
                  f"{wakeups:.1f} wakeups/s")
            checks.that(len(expected) > 30, f"played: only {len(expected)} frames in {name}")
            checks.equal(sorted(got ^ expected)[:5], [], f"played: frames in {name}")


def falls_silent(checks):
    """A snapshot is written even if no event follows the late frame."""
    with session() as (mount, instance, here):
        out = here / "out"
        capture = Capture(mount, instance, out, "--snapshot", "100")
        checks.that(capture.wait_ready(), "silent: jankd does not start")
        with open(instance / "trace_marker", "wb", buffering=0) as marker:
            for n in range(110):
                time.sleep(0.3 if n == 60 else 0.0167)
                for line in synthetic.frame(0, n).splitlines():
                    marker.write(line.split("tracing_mark_write: ", 1)[1].encode())
        end = time.monotonic() + 10
        while time.monotonic() < end and not (out / "snapshot-000001.txt").exists():
            time.sleep(0.1)
        checks.that((out / "snapshot-000001.txt").exists(), "silent: no snapshot within 10 s")
        code, said, _ = capture.stop()
        checks.equal(code, 0, f"silent: exit code: {said[-300:]}")
        checks.equal(len(reported(out)), 1, "silent: events")


def disk_full(checks):
    """A snapshot that does not fit on the disk is reported and leaves no file; rows are still written."""
    with folder() as here:
        out, trace = here / "disk", here / "trace.txt"
        text, us = [], 100000000
        for n in range(1500):
            us += 200000 if n == 900 else synthetic.PERIOD_US
            text.append(synthetic.frame(us, n))
        trace.write_text("".join(text))
        out.mkdir()
        with tmpfs("512k", out) as mounted:
            if not mounted:
                checks.cannot_judge("a full disk", "no tmpfs can be mounted")
                return
            done = jankd("analyze", "-F", out, "--snapshot", "100", trace)
            checks.equal(done.returncode, 0, f"a full disk: {done.stderr.decode(errors='replace')}")
            checks.equal([file.name for file in out.iterdir() if "snapshot" in file.name], [],
                         "a full disk: files")
            checks.that(["not saved" in row["text"] for row in reported(out)] == [True],
                        f"a full disk: events {reported(out)}")
            checks.equal(int(rows(out, "summary.csv")[0]["frames"]), 1499, "a full disk: frames")


tracefs.root()
checks = Checks()
for case in (played, falls_silent, disk_full):
    case(checks)
checks.end()
