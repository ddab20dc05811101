#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The raw ring buffers give the same rows as the text, and cannot be forged.

Events that jank-phone has written stay in the ring buffers: the kernel prints them as text without
consuming them, then jankd reads the buffers. Both are the same stream: all rows are equal byte by byte.
"""

import collections
import ctypes
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import tracefs
from daemon import wait_until
from frames import per_layer
from jankd import JANKD, PHONE, Checks, analyze, differences, folder, outputs, rows
from live import Capture, compare, play, session

APP_UID = 10123
PR_SET_NAME = 15


def session_json(out):
    return json.loads((out / "session.json").read_text())


def without_events(out):
    """The files that depend on the stream only: events.csv also has the start of a live capture."""
    return {name: text for name, text in outputs(out).items() if name != "events.csv"}


def run_raw(mount, instance, out, *arguments):
    return subprocess.run(
        [JANKD, "run", "--tracefs", mount, *(["--instance", instance] if instance else []),
         "--no-atrace", "--frames-log", "--source", "raw", "--duration", "1", "-F", out, *arguments],
        stdin=subprocess.DEVNULL, capture_output=True, timeout=60)


# --- raw and text ---


def same_stream(checks, vocabulary, scenario, *arguments, subbuf_kb=None):
    """Text and raw of the same ring buffers."""
    what = f"{scenario} {vocabulary}, sub-buffers of {subbuf_kb or 4} KB"
    with session() as (mount, instance, here):
        (instance / "trace_clock").write_text("mono")
        if subbuf_kb:
            if not (instance / "buffer_subbuf_size_kb").exists():
                checks.cannot_judge(what, "this kernel has one size of sub-buffers")
                return
            (instance / "buffer_subbuf_size_kb").write_text(str(subbuf_kb))
        play(mount, instance, here / "truth.csv", "--scenario", scenario, "--vocabulary", vocabulary,
             "--seconds", 3)
        (here / "text.txt").write_bytes((instance / "trace").read_bytes())
        raw = run_raw(mount, instance.name, here / "raw", *arguments)
        checks.equal(raw.returncode, 0, f"{what}: {raw.stderr!r}")
        analyze(here / "text", "--frames-log", *arguments, here / "text.txt")
        one, other = without_events(here / "raw"), without_events(here / "text")
        checks.equal(differences(one, other), [], f"{what}: files that differ")
        checks.that(len(one) > 1 and max(text.count(b"\n") for text in one.values()) > 5,
                    f"{what}: too few rows")
        counters = [session_json(here / name)["counters"] for name in ("raw", "text")]
        for name in ("records", "markers", "malformed_markers", "ticks", "presents", "frames"):
            checks.equal(counters[0][name], counters[1][name], f"{what}: {name}")


def text_live(checks, clock):
    """With a clock that counts no time the kernel would print another time format: jankd sets the clock."""
    what = f"text, live, where the clock was {clock}"
    with session() as (mount, instance, here):
        (instance / "trace_clock").write_text(clock)
        capture = Capture(mount, instance, here / "out", "--source", "text")
        checks.that(capture.wait_ready(), f"{what}: jankd does not start")
        play(mount, instance, here / "truth.csv", "--scenario", "game-30", "--seconds", 2)
        time.sleep(0.6)
        code, said, _ = capture.stop()
        checks.equal(code, 0, f"{what}: {said[-500:]}")
        compare(checks, what, here / "truth.csv", here / "out")
        source = session_json(here / "out")["source"]
        checks.equal((source["kind"], source["why"]), ("trace_pipe", "set by --source text"), what)


# --- which process wrote ---


def name_of(pid):
    return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()


def fork(function, uid=0, name=None):
    """Runs @function in a child process, whose files are already open."""
    pid = os.fork()
    if pid:
        return pid
    try:
        if uid:
            os.setgid(uid)
            os.setuid(uid)
        if name:
            ctypes.CDLL(None).prctl(PR_SET_NAME, name.encode(), 0, 0, 0)
        function()
    finally:
        os._exit(0)


def find_surfaceflinger(phone):
    """The process 'surfaceflinger' of jank-phone; it is renamed a moment after its start."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        for path in pathlib.Path(f"/proc/{phone.pid}/task").glob("*/children"):
            for child in path.read_text().split():
                try:
                    if name_of(child).lower() == "surfaceflinger":
                        return int(child)
                except OSError:
                    pass
        time.sleep(0.01)
    return 0


def line(pid, marker, word="tracing_mark_write"):
    """A line as the kernel prints it; the newline in front of it forges a line of its own."""
    now = time.monotonic()
    return f"\n  surfaceflinger-{pid}   ( {pid}) [000] ..... {now:.6f}: {word}: {marker}"


def words(pid):
    """Markers that only SurfaceFlinger writes, plain and as forged lines after another marker."""
    layer = "com.example.game/com.example.game.GameActivity#0"
    for word in (f"C|{pid}|VSYNC-sf|1", f"C|{pid}|VSYNC-app|1", f"C|{pid}|VSP-period|4000000",
                 f"B|{pid}|composite 1", f"B|{pid}|postFramebuffer", f"B|{pid}|acquireBuffer",
                 f"B|{pid}|presentFrameAndReleaseLayers for x", f"B|{pid}|latchBuffer",
                 f"C|{pid}|{layer}|0", f"C|{pid}|BufferTX - {layer}|0",
                 f"I|{pid}|latchBuffer {layer} - 1", f"E|{pid}", "E"):
        yield word.encode()
        yield b"C|1|a|1" + line(pid, word).encode()
        yield b"C|1|a|1\0" + line(pid, word).encode()
    yield b"C|1|a|1\nCPU:0 [LOST 5000 EVENTS]"


def breakages(pid):
    """Markers that confuse a reader of lines, and impossible names."""
    return (b"C|1|a\0b|1", b"C|1|a|1\0", b"\0", b"C|1|" + b"n" * 4085, b"B|1|" + b"n" * 5000,
            b"C|1|\xff\xfe\xc3\x28\x01\x7f\x1b[31m|1", b"C|1|a|1\n\nC|1|b|", b"\n\n\n", b"",
            f"C|{pid}|\u202e|1".encode())


def write_all(marker, texts, seconds):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        for text in texts:
            marker.write(text)
        time.sleep(0.003)


def forged(checks, vocabulary, uid, name):
    """Another process forges markers while jank-phone plays."""
    what = f"forged, {vocabulary}, by user {uid}, {name}"
    with session() as (mount, instance, here):
        (instance / "trace_clock").write_text("mono")
        capture = Capture(mount, instance, here / "out", "--source", "raw")
        if not checks.that(capture.wait_ready(), f"{what}: jankd does not start"):
            return
        phone = subprocess.Popen(
            [PHONE, "--tracefs", mount, "--instance", instance.name, "--truth", here / "truth.csv",
             "--vocabulary", vocabulary, "--scenario", "game-30", "--seconds", "5"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        surfaceflinger = find_surfaceflinger(phone)
        checks.that(surfaceflinger, f"{what}: the phone has no SurfaceFlinger")
        # Of two processes of root with that name, jankd takes the first.
        checks.that(wait_until(lambda: "found: process" in (here / "out" / "events.csv").read_text()),
                    f"{what}: the phone's SurfaceFlinger is not found")
        with open(instance / "trace_marker", "wb", buffering=0) as marker:
            forger = fork(lambda: write_all(marker, [*words(surfaceflinger), *breakages(surfaceflinger)], 2),
                          uid, name)
            os.waitpid(forger, 0)
        phone.wait(timeout=60)
        time.sleep(0.6)
        code, said, _ = capture.stop()
        checks.equal(code, 0, f"{what}: {said[-500:]}")
        compare(checks, what, here / "truth.csv", here / "out")
        counters = session_json(here / "out")["counters"]
        print(f"{what}: {[counters[f'foreign_{word}'] for word in ('presents', 'ticks', 'latches')]}")
        for word in ("presents", "ticks", "latches"):
            checks.that(counters[f"foreign_{word}"] > 100, f"{what}: foreign_{word} of {counters}")
        checks.equal(counters["restarts"], 0, f"{what}: restarts")
        reported = [row["text"] for row in rows(here / "out", "events.csv")
                if "writes SurfaceFlinger's markers" in row["text"]]
        checks.equal(len(reported), 1, f"{what}: reported {reported}")
        checks.that(str(forger) in " ".join(reported), f"{what}: reported {reported}, not of {forger}")


def text_damaged(checks):
    """A broken line of text affects no other line."""
    what = "text, damaged"
    with session() as (mount, instance, here):
        capture = Capture(mount, instance, here / "out", "--source", "text")
        checks.that(capture.wait_ready(), f"{what}: jankd does not start")
        with open(instance / "trace_marker", "wb", buffering=0) as marker:
            noise = fork(lambda: write_all(marker, breakages(1), 3), name="com.evil")
            play(mount, instance, here / "truth.csv", "--scenario", "game-30", "--seconds", 3)
            os.waitpid(noise, 0)
        time.sleep(0.6)
        code, said, _ = capture.stop()
        checks.equal(code, 0, f"{what}: {said[-500:]}")
        compare(checks, what, here / "truth.csv", here / "out")
        counters = session_json(here / "out")["counters"]
        checks.that(counters["glued_lines"] > 50, f"{what}: {counters['glued_lines']} glued lines")


def restarted(checks, source):
    """Another SurfaceFlinger starts within a second of the end of the previous one."""
    what = f"started again, {source}"
    with session() as (mount, instance, here):
        capture = Capture(mount, instance, here / "out", "--source", source)
        checks.that(capture.wait_ready(), f"{what}: jankd does not start")
        truth = collections.Counter()
        for seed in (1, 2, 3):
            play(mount, instance, here / "truth.csv", "--scenario", "drops-120", "--seconds", 2,
                 "--seed", seed)
            truth += per_layer(here / "truth.csv")
        time.sleep(0.6)
        code, said, _ = capture.stop()
        checks.equal(code, 0, f"{what}: {said[-500:]}")
        checks.equal(per_layer(here / "out" / "frames.csv"), truth, f"{what}: frames")
        checks.equal(session_json(here / "out")["counters"]["restarts"], 2, f"{what}: restarts")


def nothing_is_left(checks):
    """Events written just before the end are read, even if their writer has ended."""
    what = "ended at once"
    with session() as (mount, instance, here):
        capture = Capture(mount, instance, here / "out", "--source", "raw")
        checks.that(capture.wait_ready(), f"{what}: jankd does not start")
        written = 0
        for cpu in sorted(os.sched_getaffinity(0)):
            def write(cpu=cpu):
                os.sched_setaffinity(0, {cpu})
                with open(instance / "trace_marker", "wb", buffering=0) as marker:
                    for n in range(3000):
                        marker.write(f"C|{os.getpid()}|a|{n}".encode())
            os.waitpid(fork(write), 0)
            written += 3000
        capture.stop(signal.SIGTERM)
        counters = session_json(here / "out")["counters"]
        checks.equal((counters["records"], counters["lost_events"]), (written, 0), f"{what}: records")


# --- which source ---


def other_kernels(checks):
    """A folder that imitates tracefs with some files missing."""
    what = "a directory"
    with session() as (mount, instance, here):
        play(mount, instance, here / "truth.csv", "--scenario", "steady-60", "--seconds", 2)
        (here / "text.txt").write_bytes((instance / "trace").read_bytes())
        analyze(here / "text", "--frames-log", here / "text.txt")
        fake = here / "tracing"
        (fake / "events" / "ftrace" / "print").mkdir(parents=True)
        for name in ("events/ftrace/print/format", "events/header_page", "tracing_on", "trace_clock",
                     "buffer_size_kb", "trace_options", "current_tracer"):
            (fake / name).write_bytes((mount / name).read_bytes())
        (fake / "trace_clock").write_text("local global [boot] mono\n")
        (fake / "tracing_on").write_text("1\n")
        os.mkfifo(fake / "trace_pipe")
        keep = os.open(fake / "trace_pipe", os.O_RDWR)

        refused = run_raw(fake, None, here / "refused")
        checks.equal(refused.returncode, 1, f"{what} without rings: {refused.stderr!r}")
        checks.that(b"--source raw" in refused.stderr and refused.stderr.count(b"\n") == 1,
                    f"{what} without rings: {refused.stderr!r}")

        os.write(keep, (here / "text.txt").read_bytes()[:60000].rpartition(b"\n")[0] + b"\n")
        auto = subprocess.run([JANKD, "run", "--tracefs", fake, "--no-atrace", "--duration", "1", "-F",
                               here / "auto"], stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
        source = session_json(here / "auto")["source"]
        checks.equal((auto.returncode, source["kind"]), (0, "trace_pipe"), f"{what}: auto: {auto.stderr!r}")
        checks.that("No such file" in source["why"], f"{what}: auto: {source}")

        # Regular files with pages: no buffer_percent, no poll(), and a read of 0 bytes is not the end.
        for cpu in instance.glob("per_cpu/cpu*"):
            there = fake / "per_cpu" / cpu.name
            there.mkdir(parents=True)
            with open(there / "trace_pipe_raw", "wb") as pages:
                fd = os.open(cpu / "trace_pipe_raw", os.O_RDONLY | os.O_NONBLOCK)
                try:
                    while True:
                        pages.write(os.read(fd, 4096))
                except BlockingIOError:
                    os.close(fd)
        raw = run_raw(fake, None, here / "raw")
        checks.equal(raw.returncode, 0, f"{what}: {raw.stderr!r}")
        checks.equal(session_json(here / "raw")["source"]["kind"], "trace_pipe_raw", what)
        checks.equal(differences(without_events(here / "raw"), without_events(here / "text")), [],
                     f"{what}: files that differ")
        os.close(keep)


tracefs.root()
checks = Checks()
same_stream(checks, "android-14", "drops-120", "-T", "2")
same_stream(checks, "android-9", "game-30", "-T", "1", subbuf_kb=16)
same_stream(checks, "android-11", "app-switch", subbuf_kb=64)
same_stream(checks, "android-11", "switch-60-120", "--rules", "gfx2019", "-T", "1")
for clock in ("boot", "counter"):
    text_live(checks, clock)
forged(checks, "android-14", APP_UID, "surfaceflinger")
forged(checks, "android-9", APP_UID, "com.evil")
forged(checks, "android-11", 0, "surfaceflinger")
text_damaged(checks)
for source in ("raw", "text"):
    restarted(checks, source)
nothing_is_left(checks)
other_kernels(checks)
checks.end()
