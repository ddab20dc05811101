#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""SIGKILL at random moments of a live capture: the next start repairs the files, and at most one
interval of rows is lost."""

import concurrent.futures
import pathlib
import random
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import segments
import tracefs
from jankd import PHONE, Checks, rows
from live import Capture, session

FOLDERS = 4  # at a time
KILLS = 50  # in each
LONG = 6  # of them late: by then frames are written every second
SECONDS = 120

# Rows are written after every read of the trace, but frames wait for the vsyncs around them. The slack
# is for a busy machine.
INTERVAL_S = 0.8
SLACK_S = 0.5

SEED = int(time.time())


def kill_one(mount, instance, out, seconds):
    """Kills a capture after @seconds. Returns (time on the trace clock, exit code, standard error)."""
    capture = Capture(mount, instance, out, "--rotate-size", "4096", "-T", "2", "-f", "2")
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


def last_frame(out):
    """The time of the last frame in a file, 0 if there is none. The last row may be incomplete."""
    for path in reversed(segments.paths(out, "frames.csv")):
        whole = path.read_bytes().split(b"\n")[1:-1]
        if whole:
            return float(whole[-1].split(b",")[0])
    return 0.0


def moments(chance):
    after = [chance.uniform(0.0, 0.9) for _ in range(KILLS - LONG - 1)]
    # The first frames wait up to two seconds for the vsyncs.
    after += [chance.uniform(3.5, 5.0) for _ in range(LONG)]
    chance.shuffle(after)
    # The first is a short one: jank-phone needs a moment to start.
    return [chance.uniform(0.5, 0.9), *after]


def kill_all(checks, mount, instance, out, phone, seed):
    """Returns the times of the kills, and the seconds of rows that the late ones lost."""
    kills, lost = [], []
    for seconds in moments(random.Random(seed)):
        if phone.poll() is not None:
            break
        killed, code, error = kill_one(mount, instance, out, seconds)
        checks.equal(code, -9, f"killed after {seconds:.3f} s: {error}")
        if seconds > 2:
            lost.append(killed - last_frame(out))
        kills.append(killed)
    return kills, lost


def check_rows(checks, out):
    """The files hold whole rows, and no row twice."""
    for name in segments.GROWING:
        for path in segments.paths(out, name):
            checks.that(segments.is_whole(path.read_bytes()), f"{path.name} is not whole")
        data = segments.joined(out, name)
        lines = data.split(b"\n")[1:-1] if name != "events.csv" else []
        checks.equal(len(lines), len(set(lines)), f"{name}: rows twice")
    counted = [row for path in segments.paths(out, "frames.csv") for row in rows(path)]
    frames = [(row["layer"], row["present(s)"]) for row in counted]
    checks.that(len(frames) > 10 * KILLS, f"{len(frames)} frames only")
    checks.equal(len(frames), len(set(frames)), "frames twice")
    checks.equal([p.name for p in out.glob(".*.tmp")], [], "temporary files")
    print(f"{len(frames)} frames in {len(segments.numbers(out))} segments")


def one_folder(checks, number):
    """KILLS kills in one instance and one folder."""
    with session() as (mount, instance, here):
        (instance / "trace_clock").write_text("boot")
        out = here / "out"
        phone = subprocess.Popen([PHONE, "--tracefs", mount, "--instance", instance.name, "--truth",
                                  "/dev/null", "--scenario", "steady-60", "--seconds", str(SECONDS)],
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
        kills, lost = kill_all(checks, mount, instance, out, phone, SEED + number)
        phone.terminate()
        phone.wait()
        print(f"{len(kills)} kills; lost at most {max(lost):.2f} s of rows: {sorted(lost)[-5:]}")
        checks.equal(len(kills), KILLS, "kills before jank-phone ended")
        checks.that(max(lost) <= INTERVAL_S + SLACK_S, f"{max(lost):.2f} s of rows lost")
        last = Capture(mount, instance, out)
        checks.that(last.wait_ready(), "the last one does not start")
        time.sleep(1)
        last.stop()
        check_rows(checks, out)


tracefs.root()
checks = Checks()
print(f"seed {SEED}")
with concurrent.futures.ThreadPoolExecutor(FOLDERS) as pool:
    for done in [pool.submit(one_folder, checks, n) for n in range(FOLDERS)]:
        done.result()
checks.end()
