#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A stand-in for perfetto streams FrameTimeline beside a capture: its frames are in frametimeline.csv; whatever happens to
it is an event, and costs no frame of the trace."""

import json
import pathlib
import signal
import sys
import time

LIB = pathlib.Path(__file__).resolve().parents[1] / "lib"
sys.path.insert(0, str(LIB))
import tracefs
from device import Device
from jankd import Checks, rows
from live import Capture, compare, play, session

SETTINGS = ("tracing_on", "buffer_size_kb", "trace_clock", "trace_options")


def seconds(ns):
    return f"{ns // 10**9}.{ns % 10**9 // 1000:06}"


def is_there(pid):
    """Even as a zombie."""
    return pathlib.Path(f"/proc/{pid}").exists()


def device_with(path, instance, sdk):
    device = Device(path, instance)
    device.set("ro.build.version.sdk", sdk)
    program = device.path / "bin" / "perfetto"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} {LIB / "perfetto.py"} "$@"\n')
    program.chmod(0o755)
    return device


def capture(checks, what, how, *arguments, sdk="34"):
    """Returns (rows of frametimeline.csv, texts of the events of tracing, what was sent, or None, the configuration)."""
    with session() as (mount, instance, here):
        device = device_with(here / "device", instance, sdk)
        before = {name: (instance / name).read_text() for name in SETTINGS}
        run = Capture(mount, instance, here / "out", *arguments, device=device, PERFETTO=how)
        if not checks.that(run.wait_ready(), f"{what}: jankd does not start"):
            print(run.process.stderr.read().decode(errors="replace"))
            return [], [], None, ""
        played = play(mount, instance, here / "truth.csv", "--scenario", "steady-60", "--seconds", 3)
        checks.equal(played.returncode, 0, f"{what}: jank-phone: {played.stderr[-300:]}")
        time.sleep(0.6)
        pid = device.path / "perfetto-pid"
        if how in ("die", "refuse"):
            checks.that(not is_there(int(pid.read_text())), f"{what}: perfetto is a zombie")
        begin = time.monotonic()
        code, said, _ = run.stop(signal.SIGTERM)
        took = time.monotonic() - begin
        checks.equal(code, 0, f"{what}: exit code: {said[-500:]}")
        checks.that(took < 8, f"{what}: the end took {took:.1f} s")
        if pid.exists():
            checks.that(not is_there(int(pid.read_text())), f"{what}: perfetto is still there")
        checks.equal({name: (instance / name).read_text() for name in SETTINGS}, before, f"{what}: settings")
        compare(checks, what, here / "truth.csv", here / "out")
        truth, config = device.path / "perfetto-truth", device.path / "perfetto-config"
        events = [row["text"] for row in rows(here / "out", "events.csv") if row["kind"] == "tracing"]
        checks.that(not any("another program" in text or "other programs" in text for text in events),
                    f"{what}: interference: {events}")
        summary = {row["Surface"]: row["jank types"] for row in rows(here / "out", "summary.csv")}
        jank_types = summary["com.example.scroll/com.example.scroll.MainActivity"]
        surfaces = [row for row in rows(here / "out", "frametimeline.csv") if row["kind"] == "surface"]
        checks.equal(jank_types, f"APP_DEADLINE_MISSED:{len(surfaces)}" if surfaces else "", f"{what}: jank types")
        print(f"{what}: {len(rows(here / 'out', 'frametimeline.csv'))} rows; events {events}; {jank_types}")
        return (rows(here / "out", "frametimeline.csv"), [text for text in events if "perfetto" in text or "Timeline" in text],
                json.loads(truth.read_text()) if truth.exists() else None, config.read_text() if config.exists() else None)


def compare_rows(checks, what, got, truth, last_may_miss=0):
    ours = [[row["kind"], row["start(s)"], row["end(s)"], row["token"], row["layer"]] for row in got]
    real = [[kind, seconds(start), seconds(end), str(token), layer] for kind, start, end, token, layer in truth]
    missing = [row for row in real if row not in ours]
    checks.that(len(missing) <= last_may_miss, f"{what}: {len(missing)} of {len(real)} frames are missing: {missing[:2]}")
    checks.equal([row for row in ours if row not in real], [], f"{what}: frames that were not sent")
    ends = [float(row["end(s)"]) for row in got]
    checks.that(ends == sorted(ends), f"{what}: rows are not in the order of ends")
    surfaces = [row for row in got if row["kind"] == "surface"]
    checks.equal({(row["app"], row["Surface"], row["jank type"], row["present type"], row["buffer"]) for row in surfaces},
                 {("com.example.scroll", "com.example.scroll/com.example.scroll.MainActivity", "APP_DEADLINE_MISSED", "LATE", "1")}, f"{what}: values")
    checks.that(all(row["expected start(s)"] and row["expected end(s)"] for row in surfaces), f"{what}: expected frames")


tracefs.root()
checks = Checks()
got, events, truth, config = capture(checks, "stream", "stream")
checks.that(truth and len(truth) > 60, f"stream: sent {truth}")
compare_rows(checks, "stream", got, truth)
checks.equal(events, [], "stream: events")
checks.that("android.surfaceflinger.frametimeline" in config and "ftrace" not in config, f"stream: configuration {config}")

got, events, truth, _ = capture(checks, "hangs", "hang")
compare_rows(checks, "hangs", got, truth, 4)
checks.that(len(events) == 1 and "killed" in events[0], f"hangs: events {events}")

got, events, truth, _ = capture(checks, "dies", "die")
compare_rows(checks, "dies", got, truth)
checks.that(len(events) == 1 and "signal 9" in events[0], f"dies: events {events}")

got, events, _, _ = capture(checks, "refuses", "refuse")
checks.equal(got, [], "refuses: rows")
checks.that(len(events) == 1 and "exit code 1: Permission denied: SurfaceFlinger" in events[0], f"refuses: events {events}")

got, events, truth, _ = capture(checks, "garbage", "garbage")
compare_rows(checks, "garbage", got, truth)
checks.that(len(events) == 1 and "cannot be read" in events[0], f"garbage: events {events}")

got, events, _, _ = capture(checks, "nothing", "nothing")
checks.equal((got, events), ([], ["perfetto sent no frame of FrameTimeline"]), "nothing: rows and events")

for what, arguments, sdk in (("Android 11", (), "30"), ("--no-frametimeline", ("--no-frametimeline",), "34")):
    got, events, _, config = capture(checks, what, "stream", *arguments, sdk=sdk)
    checks.equal((got, events, config), ([], [], None), f"{what}: rows, events, configuration")
checks.end()
