# SPDX-License-Identifier: Apache-2.0
"""jankd runs dumpsys for the focused app and the vsync period. When another app's window begins to draw it runs dumpsys again. One
that hangs: unit device_capture."""

import time
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from device import Device
from jankd import rows
from live import run, session

NOISE = "  x\n" * 100000
LATENCY, INPUT, OTHER = "dumpsys SurfaceFlinger --latency", "dumpsys input", "dumpsys window"
# The durations of frames; --scheduler only if --vsync does not state them.
SCHEDULER, VSYNC = "dumpsys SurfaceFlinger --scheduler", "dumpsys SurfaceFlinger --vsync"


def play(s, seconds, *layers):
    """Frames of @layers, in every third vsync of 120 Hz, without VSYNC ticks."""
    with s.marker() as write:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            write("B|1|handleMessageInvalidate",
                  *(text for name in layers for text in (f"C|1|{name}#0|1", "B|1|latchBuffer", "B|1|acquireBuffer", f"C|1|{name}#0|0",
                                                         "E", "E")),
                  "E", "B|1|handleMessageRefresh", "B|1|postFramebuffer", "E", "E")
            time.sleep(0.025 - time.monotonic() % 0.025)


def answer(app):
    return f"Input Dispatcher State:\n  FocusedWindow: name='Window{{c9 u0 {app}/{app}.Main}}'\n"


def moves_on(what, second, expect):
    """After 2 s another app has the focus; it draws nothing but a SurfaceView. Without an answer it is unknown."""
    with session(what) as s:
        device = Device(s.here / "device", s.instance)
        device.answers("input", NOISE + answer("com.a"))
        device.answers("SurfaceFlinger", "8333333\n0\t0\t0\n")
        capture = s.run("-f", "1", device=device)
        # Programs start slowly on a busy machine: rows from before the first answer have no refresh rate.
        s.until(lambda: VSYNC in device.log(), "the answer to the first query")
        play(s, 2.5, "StatusBar", "SurfaceView[com.a/com.a.Main]")
        device.answers("input", second)
        if not second:
            (device.path / "bin" / "dumpsys").write_text('#!/bin/sh\necho "dumpsys $*" >> "$DEVICE/log"\nexit 1\n')
        begin = time.clock_gettime(time.CLOCK_BOOTTIME)
        play(s, 3.5, "StatusBar", "SurfaceView[com.b/com.b.Main]")
        s.stop(capture)
        frames = [row for row in rows(s.out, "frames.csv") if row["Surface"] == "StatusBar"]
        s.that(len(frames) > 100, f"{len(frames)} frames of StatusBar")
        wrong = [row for row in frames if row["app"] != ("com.a" if float(row["present(s)"]) < begin else expect)]
        # The first frames may come before the first answer, and the change is detected at the next read.
        s.that(len(wrong) <= 15, f"{len(wrong)} of {len(frames)} frames have the wrong app: {wrong[:1]}, {wrong[-1:]}")
        queries = [call for call in device.log() if call in (INPUT, OTHER)]
        s.that(2 <= len(queries) <= 5, f"queries {queries}")
        s.equal(sorted(call for call in device.log() if "SurfaceFlinger" in call), [LATENCY, SCHEDULER, VSYNC], "queries at the start")
        s.equal({row["refresh(Hz)"] for row in rows(s.out, "fps.csv")}, {"120.00"}, "refresh rate")


def limits_calls():
    """New windows of other apps all the time: dumpsys runs every 2 s at most."""
    with session("many apps") as s:
        device = Device(s.here / "device", s.instance)
        device.answers("input", answer("com.a"))
        begin = time.monotonic()
        capture = s.run(device=device)
        for n in range(30):
            play(s, 0.15, "StatusBar", f"SurfaceView[com.n{n}/com.n{n}.Main]")
        most = (time.monotonic() - begin) / 2 + 1
        s.stop(capture)
        queries = [call for call in device.log() if call == INPUT]
        s.that(2 <= len(queries) <= most, f"{len(queries)} queries in {2 * most} s")


run(lambda: moves_on("another app comes", answer("com.b"), "com.b"), lambda: moves_on("another app comes, and no answer", "", ""), limits_calls)
