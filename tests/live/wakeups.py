# SPDX-License-Identifier: Apache-2.0
"""How often jankd wakes up: idle, at 2,000 events/s, and at 10,000 events/s with 1 MB for each CPU. On a CPU so slow that a read of two
seconds takes more than one, rows are written while jankd reads: a kill at any moment loses no more than on a fast one, and the end of a capture nothing."""

import signal
import threading
import time
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
import segments
import tracefs
from device import Device
from live import at_once, each, preload, run, session
from measure import switches, waited_s

SECONDS = 8
WARM_S = 3
IDLE_MOST, BUSY_MOST = 1, 2
WAITS_S = 0.02

# A snapshot waits for late frames, so the trace is read four times a second.
BUSY_MOST_FRESH = 8

# Each program that jankd runs with a tick wakes it three times. This device does not count the changes of its properties, so getprop is run.
MOST_ON_DEVICE = 4
RATE = 2000

# Two seconds, and 0.6 s for the vsyncs around a frame; see killed.py. The slack is for a busy machine.
MOST_S, SLACK_S = 2.6, 0.25
# The first frames wait for the period to be certain, and the times between two reads grow.
SLOW_S, BEGIN_S = 18, 8
PAGE_BYTES = 4096
SLOW = 0.5  # a read takes this part of the time in which its events came


def wakeups(s, capture, what, most, during):
    """At most so many a second, and the one with which a time begins. If jankd had to wait for a CPU, it wakes up more
    often: then at most half as many more, in the quietest half of the time."""
    pid, samples, ended = capture.process.pid, [], threading.Event()

    def sample():
        while not ended.wait(0.25):
            samples.append((time.monotonic(), switches(pid)))

    sampling = threading.Thread(target=sample)
    waited = waited_s(pid)
    sampling.start()
    result = during()
    ended.set()
    sampling.join()
    waited = waited_s(pid) - waited
    passed, half = samples[-1][0] - samples[0][0], len(samples) // 2
    number = samples[-1][1] - samples[0][1]
    print(f"{s.what}: {number} wakeups in {passed:.1f} s {what}; jankd waited for a CPU for {waited:.3f} s", flush=True)
    if waited > WAITS_S:
        number, passed = min((b[1] - a[1], b[0] - a[0]) for a, b in zip(samples, samples[half:]))
        most *= 1.5
    s.that(number <= most * passed + 1, f"{number} wakeups in {passed:.1f} s {what}, at most {most} a second")
    return result


def measure(what, idle_most, busy_most, *arguments, on_device=False):
    """When idle, and at RATE."""
    with session(what) as s:
        capture = s.run(*arguments, device=Device(s.here / "device", s.instance) if on_device else None)
        time.sleep(2)
        wakeups(s, capture, "idle", idle_most, lambda: time.sleep(SECONDS))
        # The first drains come sooner.
        s.loaded(s.load(RATE, WARM_S))
        markers, _ = wakeups(s, capture, f"at {RATE} events/s", busy_most, lambda: s.loaded(s.load(RATE, SECONDS)))
        s.stop(capture)
        s.that(markers > RATE * SECONDS * 0.9, f"only {markers} events in {SECONDS} s")


def fast():
    """10,000 events/s fill 1 MB of the fullest CPU in some seconds."""
    with session("10,000 events/s") as s:
        s.write("buffer_size_kb", 1024)
        capture = s.run("-T", "2")
        s.loaded(s.load(10000, WARM_S))
        wakeups(s, capture, "busy", BUSY_MOST, lambda: s.loaded(s.load(10000, SECONDS)))
        lost = s.kernel("overrun")
        capture.stop()
        s.equal(lost, 0, "lost events")


def bytes_per_second(s):
    """Of the scenario."""
    s.play(scenario="game-30", seconds=2)
    written = s.kernel("bytes")
    s.write("trace", "")
    return written / 2


def unwritten(out, seconds):
    """What a kill would lose, at moments of so many seconds, in seconds."""
    ages, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        ages.append(time.clock_gettime(time.CLOCK_BOOTTIME) - segments.last_frame(out))
        time.sleep(0.02)
    return sorted(ages)


def slow(source, text_per_raw):
    """@text_per_raw: bytes that are read, for a byte in the buffers."""
    with session(source) as s:
        s.write("trace_clock", "boot")
        reads = bytes_per_second(s) * text_per_raw / PAGE_BYTES
        capture = s.run("--source", source, "-T", "2", **preload("slow_reads", SLOW_READS_US=str(int(1e6 * SLOW / reads))))
        phone = s.phone(scenario="game-30", seconds=SLOW_S + 2)
        time.sleep(BEGIN_S)
        ages = unwritten(s.out, SLOW_S - BEGIN_S)
        phone.terminate()
        phone.communicate()
        capture.stop()
        share = sum(age > MOST_S + SLACK_S for age in ages) / len(ages)
        print(f"{source}: {reads:.0f} reads a second; not yet written: usually {ages[len(ages) // 2]:.2f} s, at most {ages[-1]:.2f} s, "
              f"in {share:.1%} of {len(ages)} moments more than {MOST_S + SLACK_S} s")
        s.that(share < 0.1, "rows wait too long")


def slow_end(source, text_per_raw):
    """What has been played while jankd was stopped is read at the end, which takes some seconds."""
    with session(f"{source}, its end") as s:
        s.write("trace_clock", "boot")
        reads = bytes_per_second(s) * text_per_raw / PAGE_BYTES
        capture = s.run("--source", source, "--frames-log", **preload("slow_reads", SLOW_READS_US=str(int(1e6 / reads))))
        capture.process.send_signal(signal.SIGSTOP)
        s.play(scenario="game-30", seconds=4)
        capture.process.send_signal(signal.SIGTERM)
        capture.process.send_signal(signal.SIGCONT)
        s.equal(capture.ended()[0], 0, "exit code")
        s.compare()


tracefs.root(True)
if not sys.argv[1:] or "fast" in sys.argv[1:]:
    # Alone: beside others the events are not spread evenly over the CPUs, and the fullest one decides how often jankd reads.
    at_once(1, [fast])
run(each(slow, ("raw", 1), ("text", 2)), each(slow_end, ("raw", 1), ("text", 2)), lambda: measure("defaults", IDLE_MOST, BUSY_MOST),
    lambda: measure("--snapshot", IDLE_MOST, BUSY_MOST_FRESH, "--snapshot", "10", "--until-exit", "org.example.never"),
    lambda: measure("on a device", MOST_ON_DEVICE, MOST_ON_DEVICE, on_device=True), number=6)
