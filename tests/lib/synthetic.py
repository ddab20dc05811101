# SPDX-License-Identifier: Apache-2.0
"""Generates small traces with the markers of Android 9, for tests that need no recorded one."""

SF, APP = 600, 2000
LAYER = "com.example.app/com.example.app.MainActivity#0"
PERIOD_US = 16667


def line(us, payload, tid=SF, comm="surfaceflinger", tgid=SF):
    return f"{comm:>16}-{tid:<6}({tgid:5}) [000] .... {us // 1000000:6}.{us % 1000000:06}: tracing_mark_write: {payload}\n"


def frame(us, tick, layer=LAYER):
    """One vsync with one frame of @layer: tick, queue, latch, composite."""
    return "".join((
        line(us, f"C|{SF}|VSYNC-app|{tick % 2}", SF + 4, "app"), line(us + 100, f"C|{SF}|VSYNC-sf|{tick % 2}", SF + 3, "sf"),
        line(us + 900, f"C|{SF}|{layer}|1", SF + 9, f"Binder:{SF}_3"), line(us + 1000, f"B|{SF}|onMessageReceived"),
        line(us + 1010, f"B|{SF}|handleMessageInvalidate"), line(us + 1020, f"B|{SF}|latchBuffer"),
        line(us + 1030, f"B|{SF}|acquireBuffer"), line(us + 1040, f"C|{SF}|{layer}|0"), line(us + 1050, f"E|{SF}"),
        line(us + 1060, f"E|{SF}"), line(us + 1070, f"E|{SF}"), line(us + 1100, f"B|{SF}|handleMessageRefresh"),
        line(us + 1200, f"B|{SF}|doComposition"), line(us + 1300, f"B|{SF}|postFramebuffer"), line(us + 1500, f"E|{SF}"),
        line(us + 1510, f"E|{SF}"), line(us + 1520, f"E|{SF}"), line(us + 1530, f"E|{SF}")))


def markers(us, tick, layer=LAYER):
    """The same as it is written into trace_marker."""
    return [text.split("tracing_mark_write: ", 1)[1] for text in frame(us, tick, layer).splitlines()]


def lines(frames=200, begin_us=100000000, layer=LAYER):
    """@frames frames at 60 Hz, as a list with one text for each frame."""
    return [frame(begin_us + n * PERIOD_US, n, layer) for n in range(frames)]


def trace(frames=200, **keywords):
    return "".join(lines(frames, **keywords)).encode()


def without_presents():
    """Markers of an app, no SurfaceFlinger."""
    return "".join(line(1000000 + n * 1000, f"{'BE'[n % 2]}|{APP}|doFrame", APP, "example.app", APP) for n in range(500)).encode()
