# SPDX-License-Identifier: Apache-2.0
"""A stand-in for perfetto streams FrameTimeline beside a capture: its frames are in frametimeline.csv; whatever happens to
it is an event, and costs no frame of the trace."""

import json
import pathlib
import time
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from device import Device
from jankd import SOURCE, rows, seconds
from live import each, run, session

LIB = SOURCE / "tests" / "lib"
SETTINGS = ("tracing_on", "buffer_size_kb", "trace_clock", "trace_options")


def perfetto_runs(device):
    """Even as a zombie."""
    pid = device.path / "perfetto-pid"
    return pid.exists() and pathlib.Path(f"/proc/{pid.read_text().strip()}").exists()


def device_with_perfetto(s, sdk):
    device = Device(s.here / "device", s.instance)
    device.set("ro.build.version.sdk", sdk)
    program = device.path / "bin" / "perfetto"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} {LIB / "perfetto.py"} "$@"\n')
    program.chmod(0o755)
    return device


def streamed(what, how, expected, may_miss=None, *arguments, sdk="34"):
    """@expected: words of the only event about perfetto; None: there is none. @may_miss: how many of the frames that were
    sent; None: there are no rows."""
    with session(what) as s:
        device = device_with_perfetto(s, sdk)
        before = s.read(*SETTINGS)
        capture = s.run(*arguments, device=device, PERFETTO=how)
        s.play(seconds=3)
        if how in ("die", "refuse"):
            s.until(lambda: not perfetto_runs(device), "perfetto is no zombie", 3)
        begin = time.monotonic()
        s.stop(capture)
        took = time.monotonic() - begin
        s.that(took < 8, f"the end took {took:.1f} s")
        s.that(not perfetto_runs(device), "perfetto is still there")
        s.equal(s.read(*SETTINGS), before, "settings")
        s.compare()
        events = s.texts("tracing")
        s.that(not any("another program" in text or "other programs" in text for text in events), f"interference: {events}")
        events = [text for text in events if "perfetto" in text or "Timeline" in text]
        s.that(len(events) == (expected is not None) and all(expected in text for text in events), f"events {events}")
        got, config = rows(s.out, "frametimeline.csv"), device.path / "perfetto-config"
        surfaces = [row for row in got if row["kind"] == "surface"]
        summary = {row["Surface"]: row["jank types"] for row in rows(s.out, "summary.csv")}
        s.equal(summary["com.example.scroll/com.example.scroll.MainActivity"], f"APP_DEADLINE_MISSED:{len(surfaces)}" if surfaces else "", "jank types")
        if may_miss is None:
            s.equal(got, [], "rows")
            s.that(expected or not config.exists(), "perfetto was started")
        else:
            config = config.read_text()
            s.that("android.surfaceflinger.frametimeline" in config and "ftrace" not in config, f"configuration {config}")
            compare_rows(s, got, surfaces, json.loads((device.path / "perfetto-truth").read_text()), may_miss)


def compare_rows(s, got, surfaces, truth, may_miss):
    s.that(len(truth) > (10 if s.what == "stream" else 0), f"sent {len(truth)}")
    ours = [[row["kind"], row["start(s)"], row["end(s)"], row["token"], row["layer"]] for row in got]
    real = [[kind, seconds(start), seconds(end), str(token), layer] for kind, start, end, token, layer in truth]
    missing = [row for row in real if row not in ours]
    s.that(len(missing) <= may_miss, f"{len(missing)} of {len(real)} frames are missing: {missing[:2]}")
    s.equal([row for row in ours if row not in real], [], "frames that were not sent")
    ends = [float(row["end(s)"]) for row in got]
    s.that(ends == sorted(ends), "rows are not in the order of ends")
    s.equal({(row["app"], row["Surface"], row["jank type"], row["present type"], row["buffer"]) for row in surfaces},
            {("com.example.scroll", "com.example.scroll/com.example.scroll.MainActivity", "APP_DEADLINE_MISSED", "LATE", "1")}, "values")
    s.that(all(row["expected start(s)"] and row["expected end(s)"] for row in surfaces), "expected frames")


run(each(streamed, ("stream", "stream", None, 0), ("hangs", "hang", "killed", 4), ("dies", "die", "signal 9", 0),
         ("refuses", "refuse", "exit code 1: Permission denied: SurfaceFlinger"), ("garbage", "garbage", "cannot be read", 0),
         ("nothing", "nothing", "perfetto sent no frame of FrameTimeline"),
         ("--no-frametimeline", "stream", None, None, "--no-frametimeline")),
    lambda: streamed("Android 11", "stream", None, sdk="30"))
