#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""SIGKILL at random moments of a live capture: the next start repairs the files and takes what the trace
buffers hold. Before it the rows of two seconds are missing, after it only frames that were in memory. faults.py kills before
each call that changes a file."""

import functools
import pathlib
import random
import re
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import segments
import tracefs
from daemon import wait_until
from jankd import BUILD, JANKD, PHONE, Checks, rows
from live import Capture, at_once, play, session

LOAD = BUILD / "tests" / "bench" / "load"
FOLDERS = 4  # at a time
KILLS = 10  # in each
AGAIN = 8  # kills that are followed by kills of the next stop
LONG = 4  # of them late: by then frames are written every second
SECONDS = 90

# Rows are written after a read of the trace, but frames wait for the vsyncs around them. The slack
# is for a busy machine.
INTERVAL_S = 2.0
WAIT_S = 0.6
UNSURE_S = 1.5  # the longest wait: the period is uncertain, as jank-phone was late
SLACK_S = 0.5

SEED = int(time.time())


def kill_one(mount, instance, out, seconds, *arguments):
    """Kills a capture after @seconds. Returns (time on the trace clock, exit code, standard error)."""
    capture = Capture(mount, instance, out, *(arguments or ("--rotate-size", "4096")), "-T", "2", "-f", "2")
    try:
        capture.process.wait(seconds)
    except subprocess.TimeoutExpired:
        pass
    killed = time.clock_gettime(time.CLOCK_BOOTTIME)
    capture.process.kill()
    code = capture.process.wait()
    error = capture.process.stderr.read().decode(errors="replace")
    capture.process.stdout.close()
    capture.process.stderr.close()
    return killed, code, error


def taken_events(out):
    """The events about what was taken from the buffers."""
    return [row["text"] for path in segments.paths(out, "events.csv") for row in rows(path)
            if "from the trace buffers after a kill" in row["text"]]


def check_taken(checks, out, killed, how):
    """After the next start or stop only frames that waited in memory are missing before @killed: those that wait for the
    vsyncs, and all of one read if the kill came between that and the write. Returns how many seconds."""
    times = sorted(float(row["present(s)"]) for path in segments.paths(out, "frames.csv")[-40:] for row in rows(path))
    times = [time for time in times if killed - INTERVAL_S - UNSURE_S - SLACK_S < time]
    gaps = [b - a for a, b in zip(times, times[1:]) if a < killed]
    checks.that(times and times[-1] > killed - SLACK_S, f"{how}: nothing was taken: {times[-1:]}, killed at {killed}")
    checks.that(max(gaps, default=0) <= INTERVAL_S + UNSURE_S + SLACK_S, f"{how}: {max(gaps, default=0):.2f} s of frames missing")
    text = taken_events(out)
    checks.that(text and text[-1].startswith("taken"), f"{how}: events {text[-2:]}")
    return max(gaps, default=0)


def take(checks, mount, instance, out, killed, by_stop):
    """The next 'stop' or 'run' takes what the buffers hold. Returns the seconds that are missing then."""
    if by_stop:
        done = subprocess.run([JANKD, "stop", "-F", out], capture_output=True, stdin=subprocess.DEVNULL)
        checks.equal(done.returncode, 0, f"stop after a kill: {done.stderr}")
        return check_taken(checks, out, killed, "stop")
    before, end = len(taken_events(out)), time.monotonic() + 10
    capture = Capture(mount, instance, out)
    while len(taken_events(out)) == before and time.monotonic() < end:
        time.sleep(0.02)
    time.sleep(0.5)  # its own files
    missing = check_taken(checks, out, killed, "run")
    capture.stop()
    return missing


def moments(chance):
    after = [chance.uniform(0.0, 0.9) for _ in range(KILLS - LONG - 1)]
    # The first frames wait up to two seconds for the vsyncs, and then for the next write.
    after += [chance.uniform(5.5, 7.5) for _ in range(LONG)]
    chance.shuffle(after)
    return [chance.uniform(0.5, 0.9), *after]


def kill_all(checks, mount, instance, out, phone, seed):
    """Returns the times of the kills, and of the late ones the seconds of rows that were missing then, and after the
    next start."""
    kills, lost, missing = [], [], []
    for seconds in moments(random.Random(seed)):
        if phone.poll() is not None:
            break
        killed, code, error = kill_one(mount, instance, out, seconds)
        checks.equal(code, -9, f"killed after {seconds:.3f} s: {error}")
        if seconds > 2:
            lost.append(killed - segments.last_frame(out))
            missing.append(take(checks, mount, instance, out, killed, len(missing) % 2 == 0))
        kills.append(killed)
    return kills, lost, missing


def check_files(checks, out):
    """The files hold whole rows, and no row twice. Returns the frames."""
    checks.equal(segments.damage(out), [], "files")
    frames = [(row["layer"], row["present(s)"])
              for path in segments.paths(out, "frames.csv") for row in rows(path)]
    checks.equal(len(frames), len(set(frames)), "frames twice")
    return frames


def check_rows(checks, out):
    frames = check_files(checks, out)
    checks.that(len(frames) > 10 * KILLS, f"{len(frames)} frames only")
    checks.equal([p.name for p in out.glob(".*.tmp")], [], "temporary files")
    print(f"{len(frames)} frames in {len(segments.numbers(out))} segments")


def has_events(instance):
    return any(re.search(r"(?m)^entries: [1-9]", path.read_text()) for path in instance.glob("per_cpu/cpu*/stats"))


def one_folder(checks, number):
    """KILLS kills in one instance and one folder."""
    with session() as (mount, instance, here):
        (instance / "trace_clock").write_text("boot")
        out = here / "out"
        phone = subprocess.Popen([PHONE, "--tracefs", mount, "--instance", instance.name, "--truth",
                                  "/dev/null", "--scenario", "steady-60", "--seconds", str(SECONDS)],
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
        checks.that(wait_until(lambda: has_events(instance), 30), "jank-phone does not start")
        kills, lost, missing = kill_all(checks, mount, instance, out, phone, SEED + number)
        phone.terminate()
        phone.wait()
        print(f"{len(kills)} kills; at most {max(lost):.2f} s of rows missing: {sorted(lost)[-5:]}, "
              f"after the next start {max(missing):.2f} s")
        checks.equal(len(kills), KILLS, "kills before jank-phone ended")
        checks.that(max(lost) <= INTERVAL_S + UNSURE_S + SLACK_S, f"{max(lost):.2f} s of rows missing")
        checks.that(statistics.median(lost) <= INTERVAL_S + WAIT_S, f"usually {statistics.median(lost):.2f} s of rows")
        checks.that(sorted(missing)[-2] <= UNSURE_S + SLACK_S, f"more than one kill during a read: {sorted(missing)}")
        checks.that(statistics.median(missing) <= WAIT_S + SLACK_S / 2,
                    f"usually {statistics.median(missing):.2f} s of frames after the next start")
        last = Capture(mount, instance, out)
        checks.that(last.wait_ready(), "the last one does not start")
        time.sleep(1)
        last.stop()
        check_rows(checks, out)


def killed_again(checks):
    """A kill while the buffers are taken repeats no row."""
    chance = random.Random(SEED)
    with session() as (mount, instance, here):
        (instance / "trace_clock").write_text("boot")
        out = here / "out"
        phone = subprocess.Popen([PHONE, "--tracefs", mount, "--instance", instance.name, "--truth",
                                  "/dev/null", "--scenario", "steady-60", "--seconds", "60"],
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(AGAIN):
            kill_one(mount, instance, out, 1.5, "--keep", "1000")
            for _ in range(3):
                stop = subprocess.Popen([JANKD, "stop", "-F", out], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                time.sleep(chance.uniform(0.003, 0.03))
                stop.kill()
                stop.wait()
        phone.terminate()
        phone.wait()
        subprocess.run([JANKD, "stop", "-F", out], capture_output=True, stdin=subprocess.DEVNULL)
        print(f"killed again: taken {len(taken_events(out))} times")
        check_files(checks, out)


def overwritten(checks, source, said):
    """What the kernel overwrote after the kill is lost, and the event says so."""
    with session() as (mount, instance, here):
        (instance / "buffer_size_kb").write_text("64")
        out = here / "out"
        kill_one(mount, instance, out, 1.5, "--source", source, "--buffer-kb", "64")
        play(mount, instance, here / "truth.csv", "--scenario", "steady-60", "--seconds", 6)
        subprocess.run([JANKD, "stop", "-F", out], capture_output=True, stdin=subprocess.DEVNULL)
        taken = taken_events(out)
        checks.that(len(taken) == 1 and re.search(said, taken[0]), f"overwritten, {source}: {taken}")


def gone(checks):
    """Without the instance nothing can be taken: an event says why."""
    with session() as (mount, instance, here):
        out, other = here / "out", mount / "instances" / f"{instance.name}-b"
        other.mkdir()
        kill_one(mount, other, out, 1.5)
        other.rmdir()
        subprocess.run([JANKD, "stop", "-F", out], capture_output=True, stdin=subprocess.DEVNULL)
        checks.that(any("no longer exists" in text for text in taken_events(out)), f"gone: {taken_events(out)}")


def read_by_another(checks):
    """While another program reads the trace nothing can be taken: an event says why."""
    with session() as (mount, instance, here):
        out = here / "out"
        kill_one(mount, instance, out, 1.5)
        with open(instance / "trace_pipe", "rb"):
            subprocess.run([JANKD, "stop", "-F", out], capture_output=True, stdin=subprocess.DEVNULL)
        taken = taken_events(out)
        checks.that(len(taken) == 1 and "another program reads" in taken[0], f"read by another program: {taken}")


def overwritten_in_a_flood(checks):
    """More is lost while the buffers are opened. That number is not the whole loss."""
    with session() as (mount, instance, here):
        (instance / "buffer_size_kb").write_text("64")
        out = here / "out"
        kill_one(mount, instance, out, 1.5, "--source", "raw", "--buffer-kb", "64")
        load = subprocess.Popen([LOAD, instance / "trace_marker", "0", "4", "20", "4"],
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        time.sleep(1)
        subprocess.run([JANKD, "stop", "-F", out], capture_output=True, stdin=subprocess.DEVNULL)
        load.kill()
        load.wait()
        taken = taken_events(out)
        checks.that(len(taken) == 1 and "an unknown number of events lost" in taken[0], f"overwritten in a flood: {taken}")


def only_counted_time(checks, source):
    """Frames of --wait are not counted after a kill, either, nor those after the end of --duration."""
    what = f"killed during --wait, {source}"
    with session() as (mount, instance, here):
        out = here / "out"
        phone = subprocess.Popen([PHONE, "--tracefs", mount, "--instance", instance.name, "--truth", "/dev/null",
                                  "--scenario", "steady-60", "--seconds", "9"],
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        kill_one(mount, instance, out, 2, "--source", source, "--wait", "3", "--duration", "2")
        phone.wait()
        subprocess.run([JANKD, "stop", "-F", out], capture_output=True, stdin=subprocess.DEVNULL)
        began = next(float(row["time(s)"]) for row in rows(out / "events.csv") if row["kind"] == "start")
        times = [float(row["present(s)"]) - began for row in rows(out / "frames.csv")]
        checks.that(len(times) > 50, f"{what}: {len(times)} frames, {taken_events(out)}")
        checks.that(min(times, default=3) > 2.9, f"{what}: a frame {min(times, default=3):.3f} s after the start")
        checks.that(max(times, default=5) < 5.1, f"{what}: a frame {max(times, default=5):.3f} s after the start")


tracefs.root()
checks = Checks()
only_counted_time(checks, "raw")
only_counted_time(checks, "text")
killed_again(checks)
overwritten_in_a_flood(checks)
read_by_another(checks)
overwritten(checks, "raw", "an unknown number of events lost")
overwritten(checks, "text", "[1-9][0-9]* events lost")
gone(checks)
print(f"seed {SEED}")
at_once(FOLDERS, [functools.partial(one_folder, checks, n) for n in range(FOLDERS)])
checks.end()
