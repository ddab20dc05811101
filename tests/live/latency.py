#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""--latency beside a trace that jank-phone plays: the frames by the fences of a stand-in for dumpsys are those of the trace.
Where the stand-in leaves frames out, an event says so. Its fences are of CLOCK_MONOTONIC, the trace has several clocks."""

import collections
import csv
import json
import pathlib
import re
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from device import Device
from jankd import PHONE, jankd, rows
from live import each, run, session

DELAY_NS = 27_000_000  # from a present to its fence
LATE_MS = 2.0  # a jank-phone that was later played other vsyncs than it planned

# One file for each layer: its name, then the times of its fences. The file "begin" has the time of the first event.
DUMPSYS = f'''#!{sys.executable} -IS
import os, sys, time
folder = os.environ["DEVICE"] + "/fences/"
args = sys.argv[1:]
if args[:2] == ["SurfaceFlinger", "--list"]:
    for i, file in enumerate(sorted(os.listdir(folder))):
        name = open(folder + file).readline().rstrip()
        print(f"RequestedLayerState{{{{{{name}} parentId=1 z=-{{i}}}}}}" if "#" in name else name)
    print("RequestedLayerState{{Task=3#12 parentId=1}}")
elif args[:2] == ["SurfaceFlinger", "--latency"]:
    print(open(os.environ["DEVICE"] + "/period").read())
    for file in os.listdir(folder) if len(args) > 2 else []:
        lines = open(folder + file).read().splitlines()
        if lines[0] != args[2]:
            continue
        now = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        print(now, args[2], file=open(os.environ["DEVICE"] + "/polls", "a"))
        try:
            begin = int(open(os.environ["DEVICE"] + "/begin").read())
        except OSError:
            begin = now
        rows = [(0, 0, 0)] * 127
        for line in lines[1:]:
            actual = begin + int(line)
            if actual - {DELAY_NS} <= now:
                rows.append((actual, actual if actual <= now else 2**63 - 1, actual - 9000000))
        print("".join("%d\\t%d\\t%d\\n" % row for row in rows[-127:]))
else:
    print("Can't find service")
'''


def oldest_event(instance):
    """The time in ns of the first event in the buffers; None: there is none."""
    found = []
    for stats in instance.glob("per_cpu/cpu*/stats"):
        values = dict(line.split(": ", 1) for line in stats.read_text().splitlines() if ": " in line)
        if values["entries"] != "0":
            found.append(float(values["oldest event ts"]))
    return min(found) * 1e9 if found else None


def kernel_offset(instance):
    """Nanoseconds that CLOCK_MONOTONIC is behind the trace clock, to a tenth of a millisecond."""
    best = None
    for _ in range(1000):
        before = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        stats = (instance / "per_cpu/cpu0/stats").read_text()
        width = time.clock_gettime_ns(time.CLOCK_MONOTONIC) - before
        now = float(stats.partition("now ts: ")[2].split()[0]) * 1e9
        if best is None or width < best[0]:
            best = width, now - before - width / 2
        if best[0] < 200000:
            break
    return round(best[1])


def plan(here, scenario, seconds):
    """(the time of the first line, {layer: times of presents}) in ns, as jank-phone plans them."""
    text, truth = here / "plan.txt", here / "plan.csv"
    subprocess.run([PHONE, "--scenario", scenario, "--seconds", str(seconds), "--speed", "0", "--output", text,
                    "--truth", truth], check=True, capture_output=True)
    first = next(line for line in text.read_text().splitlines() if line and not line.startswith("#"))
    begin = float(first.partition("] ")[2].split(": ")[0].split()[-1])
    layers = collections.defaultdict(list)
    for row in csv.DictReader(truth.open()):
        layers[row["layer"]].append(round((float(row["present(s)"]) - begin) * 1e9))
    return layers


def longest_pause_s(device, name, begin_ns):
    """Between two polls of a layer, or before the first one."""
    times = [begin_ns] + [int(line.split()[0]) for line in (device.path / "polls").read_text().splitlines() if line.endswith(name)]
    return max(b - a for a, b in zip(times, times[1:])) / 1e9


def compare(s, name, first_s, fences):
    """The fences are those of the stand-in from the first poll on."""
    times = [float(row["actual present(s)"]) for row in rows(s.out, "latency.csv") if row["layer"] == name]
    if not s.that(times and times[0] < first_s + 2, f"no first fences of {name}"):
        return
    worst = max(abs(time_s - first_s - t / 1e9) for time_s, t in zip(times, fences[len(fences) - len(times):]))
    s.that(worst < 0.001, f"a time of {name} is wrong by {worst} s")


def check(what, scenario, trace_clock, period, leave_out=None, seconds=8):
    """@leave_out: (layer's number, first and last second of the plan): a third of its fences are left out there."""
    with session(what) as s:
        s.write("trace_clock", trace_clock)
        device = Device(s.here / "device", s.instance)
        (device.path / "bin" / "dumpsys").write_text(DUMPSYS)
        (device.path / "period").write_text(str(period))
        (device.path / "fences").mkdir()
        layers = plan(s.here, scenario, seconds)
        fences = {}
        for number, (name, times) in enumerate(sorted(layers.items())):
            kept = [t for i, t in enumerate(times)
                    if not leave_out or number != leave_out[0] or i % 3 or not leave_out[1] <= t / 1e9 < leave_out[2]]
            fences[name] = [t + DELAY_NS for t in kept]
            (device.path / "fences" / str(number)).write_text("\n".join([name, *map(str, fences[name])]))
        # It draws already: of a layer that begins between two scans the ring is overwritten until the next one.
        phone = s.phone(scenario=scenario, seconds=seconds)
        first = None
        while first is None:
            first = oldest_event(s.instance)
        first = oldest_event(s.instance)  # of another CPU, whose statistics were read before it
        offset = kernel_offset(s.instance)
        (device.path / "begin.new").write_text(str(round(first) - offset))
        (device.path / "begin.new").rename(device.path / "begin")
        time.sleep(0.3)
        capture = s.run("--latency", "--no-atrace", device=device)
        late = float(re.search(rb"late by ([0-9.]+) ms at most", phone.communicate(timeout=120)[1])[1])
        late_rows = sum(row["vsyncs"] == "" for row in rows(s.truth)) if late > LATE_MS else 0
        time.sleep(1)  # fences come after their presents
        status = jankd("status", "-F", s.out).stdout.decode()
        s.stop(capture)
        s.equal([text for text in s.texts("lost") if "overwritten" not in text], [], "events lost")
        pause_s = max(longest_pause_s(device, name, first - offset) for name in layers)
        if any("overwritten" in text for text in s.texts()):
            # The ring has 127 frames. Without one they are polled in time.
            s.that(pause_s > 100 * period / 1e9, f"overwritten, though the longest pause between polls is {pause_s:.2f} s: {s.texts()}")
            return
        for name in layers:
            compare(s, name, first / 1e9, fences[name])
        counts = json.loads((s.out / "session.json").read_text())["latency"]
        print(f"{what}: {counts}; late by {late} ms at most")
        s.that(counts["polls"] >= seconds and counts["scans"] > 0 and counts["wall_ms"] > 0, f"costs: {counts}")
        s.that("\nfences   " in status and " polls" in status, f"status has no polls: {status}")
        s.that(counts["seconds_compared"] >= seconds - 3, f"seconds compared: {counts}")
        disagreements = [text for text in s.texts() if "disagree" in text]
        if leave_out:
            name = sorted(layers)[leave_out[0]]
            s.that(disagreements and all(text.endswith(name) for text in disagreements), f"events: {disagreements}")
            s.that(2 <= counts["seconds_disagreed"] <= 4, f"seconds that disagree: {counts}")
        else:
            s.that(len(disagreements) <= late_rows, f"events: {disagreements}, {late_rows} intervals were late")
        # The trace alone gives these files.
        s.equal(s.frames(), sum(len(times) for times in layers.values()), "frames of the trace")
        s.equal({row["layer"] for row in rows(s.out, "frames.csv")}, set(layers), "layers of the trace")


run(each(check, ("boot clock", "game-30", "boot", 16666667), ("monotonic clock, 120 Hz", "drops-120", "mono", 8333333),
         ("the kernel's own clock", "steady-60", "local", 16666667), ("fences left out", "game-30", "boot", 16666667, (0, 3, 6))),
    number=2)
