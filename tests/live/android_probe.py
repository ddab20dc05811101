#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""jankd runs dumpsys for the focused app and the vsync period; a missing answer delays nothing. When
another app's window begins to draw it runs dumpsys again."""

import pathlib
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import tracefs
from device import Device
from jankd import Checks, rows
from live import Capture, session

APP = "com.game/com.game.Main"
INPUT_9 = f"Input Dispatcher State:\n  FocusedWindow: name='Window{{c9 u0 {APP}}}'\n"
INPUT_12 = ("Input Dispatcher State:\n  FocusedDisplayId: 0\n  FocusedApplications:\n"
            "    displayId=0, name='ActivityRecord{d u0 com.b/.L t1}', dispatchingTimeout=5000ms\n"
            f"  FocusedWindows:\n    displayId=0, name='8f3a7c2 {APP}'\n")
WINDOW = f"  mCurrentFocus=Window{{5c4591 u0 {APP}}}\n  mFocusedApp=ActivityRecord{{b3 u0 com.b/.X t82}}\n"
NOISE = "  x\n" * 100000


def play(instance, seconds):
    """Frames of a surface whose name contains no app, every 20 ms, without VSYNC ticks."""
    with open(instance / "trace_marker", "wb", buffering=0) as marker:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for text in ("C|1|SurfaceView#0|1", "B|1|handleMessageRefresh", "B|1|latchBuffer", "B|1|acquireBuffer",
                         "C|1|SurfaceView#0|0", "E", "E", "B|1|postFramebuffer", "E", "E"):
                marker.write(text.encode())
            time.sleep(0.02)


def probe(checks, what, answers, *arguments, expect=APP, calls=None, **environment):
    with session() as (mount, instance, here):
        device = Device(here / "device", instance)
        for service, text in answers.items():
            device.answers(service, text)
        begin = time.monotonic()
        capture = Capture(mount, instance, here / "out", *arguments, device=device, **environment)
        checks.that(capture.wait_ready(), f"{what}: jankd does not start")
        took = time.monotonic() - begin
        checks.that(took < 3, f"{what}: the start took {took:.1f} s")
        play(instance, 4)
        capture.stop(signal.SIGTERM)
        got = [r["text"] for r in rows(here / "out", "events.csv") if r["kind"] == "focus"]
        checks.equal(got, [expect] if expect else [], f"{what}: focus")
        queries = sorted(call for call in device.log() if call.startswith("dumpsys"))
        if calls is not None:
            checks.equal(queries, calls, f"{what}: queries")
        return rows(here / "out", "frames.csv"), rows(here / "out", "fps.csv")


def play_beside(instance, layer, seconds):
    """Frames of the status bar and of @layer, every 20 ms."""
    with open(instance / "trace_marker", "wb", buffering=0) as marker:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for text in ("B|1|handleMessageInvalidate",
                         *(text for name in ("StatusBar", layer)
                           for text in (f"C|1|{name}#0|1", "B|1|latchBuffer", "B|1|acquireBuffer",
                                        f"C|1|{name}#0|0", "E", "E")),
                         "E", "B|1|handleMessageRefresh", "B|1|postFramebuffer", "E", "E"):
                marker.write(text.encode())
            time.sleep(0.02)


def answer(app):
    return f"Input Dispatcher State:\n  FocusedWindow: name='Window{{c9 u0 {app}/{app}.Main}}'\n"


def moves_on(checks, what, second, expect, **environment):
    """After 2 s another app has the focus; it draws nothing but a SurfaceView."""
    with session() as (mount, instance, here):
        device = Device(here / "device", instance)
        device.answers("input", answer("com.a"))
        capture = Capture(mount, instance, here / "out", "-f", "1", device=device, **environment)
        checks.that(capture.wait_ready(), f"{what}: jankd does not start")
        play_beside(instance, "SurfaceView[com.a/com.a.Main]", 2.5)
        device.answers("input", second)
        if environment or not second:
            (device.path / "bin" / "dumpsys").write_text('#!/bin/sh\necho "dumpsys $*" >> "$DEVICE/log"\nexit 1\n')
        begin = time.clock_gettime(time.CLOCK_BOOTTIME)
        play_beside(instance, "SurfaceView[com.b/com.b.Main]", 6)
        capture.stop(signal.SIGTERM)
        frames = [r for r in rows(here / "out", "frames.csv") if r["Surface"] == "StatusBar"]
        checks.that(len(frames) > 250, f"{what}: {len(frames)} frames of StatusBar")
        wrong = [r for r in frames
                 if r["app"] != ("com.a" if float(r["present(s)"]) < begin else expect)]
        print(f"{what}: {len(wrong)} of {len(frames)} frames of StatusBar have the wrong app")
        # The first frames may come before the first answer, and the change is detected at the next read.
        checks.that(len(wrong) <= 15, f"{what}: {len(wrong)} frames have the wrong app: {wrong[:1]}, {wrong[-1:]}")
        queries = [call for call in device.log() if call in (INPUT, OTHER)]
        checks.that(2 <= len(queries) <= 5, f"{what}: queries {queries}")
        return rows(here / "out", "fps.csv")


def limits_calls(checks):
    """New windows of other apps all the time: dumpsys runs every 2 s at most."""
    with session() as (mount, instance, here):
        device = Device(here / "device", instance)
        device.answers("input", answer("com.a"))
        capture = Capture(mount, instance, here / "out", device=device)
        checks.that(capture.wait_ready(), "many apps: jankd does not start")
        begin = time.monotonic()
        for n in range(40):
            play_beside(instance, f"SurfaceView[com.n{n}/com.n{n}.Main]", 0.15)
        most = (time.monotonic() - begin) / 2 + 2
        capture.stop(signal.SIGTERM)
        queries = [call for call in device.log() if call == INPUT]
        checks.that(2 <= len(queries) <= most, f"many apps: {len(queries)} queries in {2 * most} s")


tracefs.root()
checks = Checks()
LATENCY, INPUT, OTHER = "dumpsys SurfaceFlinger --latency", "dumpsys input", "dumpsys window"
# The durations of frames; --scheduler only if --vsync does not state them.
SCHEDULER, VSYNC = "dumpsys SurfaceFlinger --scheduler", "dumpsys SurfaceFlinger --vsync"
frames, fps = probe(checks, "Android 12", {"input": NOISE + INPUT_12, "SurfaceFlinger": "8333333\n0\t0\t0\n"},
                    calls=[LATENCY, SCHEDULER, VSYNC, INPUT])
print(f"{len(frames)} frames")
checks.equal({r["app"] for r in frames[5:]}, {"com.game"}, "Android 12: app of the frames")
checks.equal({r["refresh(Hz)"] for r in fps}, {"120.00"}, "Android 12: refresh rate")
probe(checks, "Android 9", {"input": INPUT_9, "SurfaceFlinger": "garbage\n16666666\n"})
probe(checks, "dumpsys window", {"input": "Can't find service: input\n", "window": WINDOW},
      calls=[LATENCY, SCHEDULER, VSYNC, INPUT, OTHER])
probe(checks, "nothing known", {}, expect=None)
probe(checks, "--focus", {"input": INPUT_12}, "--focus", "com.x/.Y", "--vsync-ms", "16.6", expect=None,
      calls=[SCHEDULER, VSYNC])
probe(checks, "dumpsys hangs", {}, expect=None, HANG="dumpsys")
moves_on(checks, "another app comes", answer("com.b"), "com.b")
moves_on(checks, "another app comes, and no answer", "", "")
limits_calls(checks)
checks.end()
