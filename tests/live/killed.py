# SPDX-License-Identifier: Apache-2.0
"""SIGKILL at random moments of a live capture: the next start repairs the files and takes what the trace buffers hold. Before it the rows of two
seconds are missing, after it only frames that were in memory. faults.py kills before each call that changes a file."""

import contextlib
import json
import random
import re
import statistics
import subprocess
import time
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
import segments
from jankd import JANKD, jankd, rows
from live import Capture, each, run, session

FOLDERS = 4  # at a time
KILLS = 10  # in each
AGAIN = 8  # kills that are followed by kills of the next stop
LONG = 4  # of them late: by then frames are written every second
SECONDS = 90

# Rows are written after a read of the trace, but frames wait for the vsyncs around them. The slack is for a busy machine.
INTERVAL_S = 2.0
WAIT_S = 0.6
UNSURE_S = 1.5  # the longest wait: the period is uncertain, as jank-phone was late
SLACK_S = 0.5
LONG_S = 3.0  # more than a frame and what is learnt from it wait

SEED = int(time.time())


def kill_one(s, seconds, *arguments, instance=None):
    """Kills a capture after @seconds. Returns the time on the trace clock."""
    capture = Capture(s.mount, instance or s.instance, s.out, *(arguments or ("--rotate-size", "4096")), "-T", "2", "-f", "2")
    with contextlib.suppress(subprocess.TimeoutExpired):
        capture.process.wait(seconds)
    killed = time.clock_gettime(time.CLOCK_BOOTTIME)
    capture.process.kill()
    code, said = capture.ended()
    s.equal(code, -9, f"killed after {seconds:.3f} s: {said}")
    return killed


def taken_events(s):
    """The events about what was taken from the buffers."""
    return [row["text"] for row in segments.rows(s.out, "events.csv") if "from the trace buffers after a kill" in row["text"]]


def check_taken(s, killed, how):
    """After the next start or stop only frames that waited in memory are missing before @killed: those that wait for the
    vsyncs, and all of one read if the kill came between that and the write. Returns how many seconds."""
    times = sorted(time for row in segments.rows(s.out, "frames.csv") if (time := float(row["present(s)"])) > killed - INTERVAL_S - UNSURE_S - SLACK_S)
    gaps = [b - a for a, b in zip(times, times[1:]) if a < killed]
    s.that(times and times[-1] > killed - SLACK_S, f"{how}: nothing was taken: {times[-1:]}, killed at {killed}")
    s.that(max(gaps, default=0) <= INTERVAL_S + UNSURE_S + SLACK_S, f"{how}: {max(gaps, default=0):.2f} s of frames missing")
    text = taken_events(s)
    s.that(text and text[-1].startswith("taken"), f"{how}: events {text[-2:]}")
    return max(gaps, default=0)


def take(s, killed, by_stop):
    """The next 'stop' or 'run' takes what the buffers hold. Returns the seconds that are missing then."""
    if by_stop:
        done = jankd("stop", "-F", s.out)
        s.equal(done.returncode, 0, f"stop after a kill: {done.stderr}")
        return check_taken(s, killed, "stop")
    before = len(taken_events(s))
    capture = Capture(s.mount, s.instance, s.out)
    s.until(lambda: len(taken_events(s)) > before, "an event")
    time.sleep(0.5)  # its own files
    missing = check_taken(s, killed, "run")
    capture.stop()
    return missing


def moments(chance):
    after = [chance.uniform(0.0, 0.9) for _ in range(KILLS - LONG - 1)]
    # The first frames wait up to two seconds for the vsyncs, and then for the next write.
    after += [chance.uniform(5.5, 7.5) for _ in range(LONG)]
    chance.shuffle(after)
    return [chance.uniform(0.5, 0.9), *after]


def kill_all(s, phone, seed):
    """Returns the times of the kills, and of the late ones the seconds of rows that were missing then, and, by the time of the
    kill, after the next start."""
    kills, lost, missing = [], [], {}
    for seconds in moments(random.Random(seed)):
        if phone.poll() is not None:
            break
        killed = kill_one(s, seconds)
        if seconds > 2:
            lost.append(killed - segments.last_frame(s.out))
            missing[killed] = take(s, killed, len(missing) % 2 == 0)
        kills.append(killed)
    return kills, lost, missing


def check_files(s):
    """The files hold whole rows, and no row twice. Returns the frames."""
    s.equal(segments.damage(s.out), [], "files")
    frames = [(row["layer"], row["present(s)"]) for row in segments.rows(s.out, "frames.csv")]
    s.equal(len(frames), len(set(frames)), "frames twice")
    return frames


def one_folder(number):
    """KILLS kills in one instance and one folder."""
    with session(f"folder {number}") as s:
        s.write("trace_clock", "boot")
        phone = s.phone(seconds=SECONDS)
        s.until(lambda: s.kernel("entries") > 0, "events of jank-phone", 30)
        kills, lost, by_kill = kill_all(s, phone, SEED + number)
        phone.terminate()
        phone.communicate()
        missing = by_kill.values()
        # Where jank-phone has played a frame late, the period may have been uncertain.
        late = [float(row["present(s)"]) for row in rows(s.truth) if row["vsyncs"] not in ("", "1")]
        sure = [seconds for killed, seconds in by_kill.items() if not any(killed - LONG_S < time < killed for time in late)]
        print(f"{len(kills)} kills; at most {max(lost):.2f} s of rows missing: {sorted(lost)[-5:]}, after the next start {max(missing):.2f} s, of {len(sure)} {max(sure, default=0):.2f} s")
        s.equal(len(kills), KILLS, "kills before jank-phone ended")
        s.that(max(lost) <= INTERVAL_S + UNSURE_S + SLACK_S, f"{max(lost):.2f} s of rows missing")
        s.that(statistics.median(lost) <= INTERVAL_S + WAIT_S, f"usually {statistics.median(lost):.2f} s of rows")
        s.that(sorted(missing)[-2] <= UNSURE_S + SLACK_S, f"more than one kill during a read: {sorted(missing)}")
        s.that(statistics.median(sure or [0]) <= WAIT_S + SLACK_S / 2, f"usually {statistics.median(sure or [0]):.2f} s of frames after the next start")
        last = Capture(s.mount, s.instance, s.out)
        s.that(last.wait_ready(), "the last one does not start")
        time.sleep(1)
        last.stop()
        frames = check_files(s)
        s.that(len(frames) > 10 * KILLS, f"{len(frames)} frames only")
        s.equal([p.name for p in s.out.glob(".*.tmp")], [], "temporary files")
        print(f"{len(frames)} frames in {len(segments.numbers(s.out))} segments")


def killed_again():
    """A kill while the buffers are taken repeats no row."""
    chance = random.Random(SEED)
    with session("killed again") as s:
        s.write("trace_clock", "boot")
        phone = s.phone(seconds=60, truth="/dev/null")
        for _ in range(AGAIN):
            kill_one(s, 1.5, "--keep", "1000")
            for _ in range(3):
                stop = subprocess.Popen([JANKD, "stop", "-F", s.out], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                time.sleep(chance.uniform(0.003, 0.03))
                stop.kill()
                stop.wait()
        phone.terminate()
        phone.communicate()
        jankd("stop", "-F", s.out)
        print(f"killed again: taken {len(taken_events(s))} times")
        check_files(s)


def takes(s, said):
    """'stop' reports once what it has taken, or why nothing."""
    jankd("stop", "-F", s.out)
    taken = taken_events(s)
    s.that(len(taken) == 1 and re.search(said, taken[0]), f"{taken}")


def overwritten(source, said):
    """What the kernel overwrote after the kill is lost, and the event says so."""
    with session(f"overwritten, {source}") as s:
        s.write("buffer_size_kb", 64)
        kill_one(s, 1.5, "--source", source, "--buffer-kb", "64")
        s.play(seconds=6)
        takes(s, said)


def overwritten_in_a_flood():
    """More is lost while the buffers are opened. That number is not the whole loss."""
    with session("overwritten in a flood") as s:
        s.write("buffer_size_kb", 64)
        kill_one(s, 1.5, "--source", "raw", "--buffer-kb", "64")
        load = s.load(0, 4)
        time.sleep(1)
        takes(s, "an unknown number of events lost")
        load.kill()
        load.communicate()


def gone():
    """Without the instance nothing can be taken: an event says why."""
    with session("gone") as s:
        other = s.mount / "instances" / f"{s.instance.name}-b"
        other.mkdir()
        kill_one(s, 1.5, instance=other)
        other.rmdir()
        takes(s, "no longer exists")


def read_by_another():
    """While another program reads the trace nothing can be taken: an event says why."""
    with session("read by another program") as s:
        kill_one(s, 1.5)
        with open(s.instance / "trace_pipe", "rb"):
            takes(s, "another program reads")


def only_counted_time(source):
    """Frames of --wait are not counted after a kill, either, nor those after the end of --duration."""
    with session(f"killed during --wait, {source}") as s:
        phone = s.phone(seconds=9, truth="/dev/null")
        kill_one(s, 2, "--source", source, "--wait", "3", "--duration", "2")
        phone.communicate()
        jankd("stop", "-F", s.out)
        began = json.loads((s.out / "session.json").read_text())["clock"]["began_ns"] / 1e9
        times = [float(row["present(s)"]) - began for row in rows(s.out, "frames.csv")]
        s.that(len(times) > 50, f"{len(times)} frames, {taken_events(s)}")
        s.that(min(times, default=3) > 2.9, f"a frame {min(times, default=3):.3f} s after the start")
        s.that(max(times, default=5) < 5.1, f"a frame {max(times, default=5):.3f} s after the start")


print(f"seed {SEED}")
run(each(only_counted_time, "raw", "text"), killed_again, overwritten_in_a_flood, read_by_another,
    each(overwritten, ("raw", "an unknown number of events lost"), ("text", "[1-9][0-9]* events lost")), gone,
    each(one_folder, *range(FOLDERS)), number=FOLDERS)
