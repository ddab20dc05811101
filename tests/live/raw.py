# SPDX-License-Identifier: Apache-2.0
"""--source raw and --source text give the same rows, and count the process that really wrote.

Markers that jank-phone has written stay in the ring buffers: the kernel prints them as text without consuming them, then jankd reads the buffers.
Both are the same stream: all rows are equal byte by byte."""

import json
import re
import subprocess
import time
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from jankd import JANKD, analyze, differences, outputs, rows
from live import each, run, session
from others import ended, fork

APP_UID = 10123


def without_events(out):
    """The files that depend on the stream only: events.csv also has the start of a live capture."""
    return {name: text for name, text in outputs(out).items() if name != "events.csv"}


# --- raw and text ---


def rare(s):
    """Markers of any length, and pauses that are too long for the time in an event's header."""
    with s.marker() as write:
        for n in range(40):
            write(f"C|7|{'x' * (n * 37 % 1000)}|{n}")
            time.sleep(0.15 * (n % 8 == 7))


def same_stream(vocabulary, scenario, subbuf_kb, *arguments):
    """Text and raw of the same ring buffers."""
    with session(f"{scenario} {vocabulary}, sub-buffers of {subbuf_kb} KB") as s:
        s.write("trace_clock", "mono")
        if (s.instance / "buffer_subbuf_size_kb").exists():  # else this kernel has one size
            s.write("buffer_subbuf_size_kb", subbuf_kb)
        rare(s)
        s.play("--vocabulary", vocabulary, scenario=scenario, seconds=3)
        (s.here / "text.txt").write_bytes((s.instance / "trace").read_bytes())
        raw = subprocess.run([JANKD, "run", "--tracefs", s.mount, "--instance", s.instance.name, "--no-atrace", "--frames-log",
                              "--source", "raw", "--duration", "1", "-F", s.out, *arguments],
                             stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
        s.equal(raw.returncode, 0, f"{raw.stderr!r}")
        analyze(s.here / "text", "--frames-log", *arguments, s.here / "text.txt")
        one, other = without_events(s.out), without_events(s.here / "text")
        # jank-phone has ended: the text may still have the name of a thread that had its number before.
        for files in (one, other):
            files["doframe.csv"] = re.sub(rb"(?m)^([^,]*,[^,]*),[^,]*", rb"\1", files.get("doframe.csv", b""))
        s.equal(differences(one, other), [], "files that differ")
        s.that(len(one) > 1 and max(text.count(b"\n") for text in one.values()) > 5, "too few rows")
        counters = [json.loads((out / "session.json").read_text())["counters"] for out in (s.out, s.here / "text")]
        for name in ("records", "markers", "malformed_markers", "ticks", "presents", "frames"):
            s.equal(counters[0][name], counters[1][name], name)


# --- which process wrote ---


def line(pid, marker):
    """A line as the kernel prints it; the newline in front of it forges a line of its own."""
    return f"\n  surfaceflinger-{pid}   ( {pid}) [000] ..... {time.monotonic():.6f}: tracing_mark_write: {marker}"


def words(pid):
    """Markers that only SurfaceFlinger writes, plain and as forged lines after another marker."""
    layer = "com.example.game/com.example.game.GameActivity#0"
    for word in (f"C|{pid}|VSYNC-sf|1", f"C|{pid}|VSYNC-app|1", f"C|{pid}|VSP-period|4000000",
                 f"B|{pid}|composite 1", f"B|{pid}|postFramebuffer", f"B|{pid}|acquireBuffer",
                 f"B|{pid}|presentFrameAndReleaseLayers for x", f"B|{pid}|latchBuffer",
                 f"C|{pid}|{layer}|0", f"C|{pid}|BufferTX - {layer}|0", f"I|{pid}|latchBuffer {layer} - 1", f"E|{pid}", "E"):
        yield word.encode()
        yield b"C|1|a|1" + line(pid, word).encode()
        yield b"C|1|a|1\0" + line(pid, word).encode()
    yield b"C|1|a|1\nCPU:0 [LOST 5000 EVENTS]"


def breakages(pid):
    """Markers that confuse a reader of lines, and impossible names."""
    return (b"C|1|a\0b|1", b"C|1|a|1\0", b"\0", b"C|1|" + b"n" * 4085, b"B|1|" + b"n" * 5000,
            b"C|1|\xff\xfe\xc3\x28\x01\x7f\x1b[31m|1", b"C|1|a|1\n\nC|1|b|", b"\n\n\n", b"", f"C|{pid}|\u202e|1".encode())


def write_all(write, texts, seconds):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        for text in texts:
            write(text)
        time.sleep(0.003)


def forged(vocabulary, uid, name):
    """Another process forges markers while jank-phone plays."""
    with session(f"forged, {vocabulary}, by user {uid}, {name}") as s:
        s.write("trace_clock", "mono")
        capture = s.run("--source", "raw")
        phone = s.phone("--vocabulary", vocabulary, scenario="game-30", seconds=4)
        # Of two processes of root with that name, jankd takes the first.
        s.reports("found: process")
        surfaceflinger = int(re.search(r"found: process (\d+)", " ".join(s.texts()))[1])
        with s.marker() as write:
            forger = fork(lambda: write_all(write, [*words(surfaceflinger), *breakages(surfaceflinger)], 1.5), uid, name)
            s.equal(ended(forger), 0, "the forger")
        s.played(phone)
        s.stop(capture)
        counters = s.counters()
        for word in ("presents", "ticks", "latches"):
            s.that(counters[f"foreign_{word}"] > 100, f"foreign_{word} of {counters}")
        times = sorted(float(row["present(s)"]) for row in rows(s.truth))
        silent_s, at_s = max((b - a, a) for a, b in zip(times, times[1:]))
        print(f"{s.what}: the phone was silent for {silent_s:.2f} s from {at_s:.3f}, restarts {counters['restarts']}, {s.texts()}")
        # Without a present for 1 s the phone's SurfaceFlinger is replaced by another process of root with that name.
        if uid or silent_s < 1:
            s.compare()
            s.equal(counters["restarts"], 0, "restarts")
        reported = [text for text in s.texts() if "writes SurfaceFlinger's markers" in text]
        s.that(len(reported) == 1 and str(forger) in reported[0], f"reported {reported}, not of {forger}")


def text_damaged():
    """A broken line of text affects no other line."""
    with session("text, damaged") as s:
        capture = s.run("--source", "text")
        with s.marker() as write:
            noise = fork(lambda: write_all(write, breakages(1), 3), name="com.evil")
            s.play(scenario="game-30", seconds=2)
            s.equal(ended(noise), 0, "the other program")
        s.stop(capture)
        s.compare()
        glued = s.counters()["glued_lines"]
        s.that(glued > 50, f"{glued} glued lines")


run(each(same_stream, ("android-14", "drops-120", 4, "-T", "2"), ("android-9", "game-30", 16, "-T", "1"),
         ("android-11", "app-switch", 64), ("android-11", "switch-60-120", 4, "--rules", "gfx2019", "-T", "1")),
    each(forged, ("android-14", APP_UID, "surfaceflinger"), ("android-9", APP_UID, "com.evil"), ("android-11", 0, "surfaceflinger")), text_damaged)
