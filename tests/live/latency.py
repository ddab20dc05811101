#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""--latency beside a trace that jank-phone plays: the frames by the fences of a stand-in for dumpsys are those of the trace.
Where the stand-in leaves frames out, an event says so. Its fences are of CLOCK_MONOTONIC, the trace has several clocks."""

import collections
import csv
import json
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from device import Device
from jankd import JANKD, PHONE, Checks, rows
from live import Capture, session

DELAY_NS = 27_000_000  # from a present to its fence

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


def clock(name):
    """Nanoseconds that CLOCK_MONOTONIC is behind the trace clock."""
    if name == "mono":
        return 0
    if name == "boot":
        return time.clock_gettime_ns(time.CLOCK_BOOTTIME) - time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    return None


def kernel_offset(instance):
    """The same for a clock that only the kernel reads, to some microseconds."""
    best = None
    for _ in range(20):
        before = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        stats = (instance / "per_cpu/cpu0/stats").read_text()
        width = time.clock_gettime_ns(time.CLOCK_MONOTONIC) - before
        now = float(stats.partition("now ts: ")[2].split()[0]) * 1e9
        if best is None or width < best[0]:
            best = width, now - before - width / 2
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


def by_second(times):
    return collections.Counter(int(t) for t in times)


def check(checks, what, scenario, trace_clock, period, seconds=9, leave_out=None):
    """@leave_out: (layer's number, first and last second of the plan): a third of its fences are left out there."""
    with session() as (mount, instance, here):
        (instance / "trace_clock").write_text(trace_clock)
        device = Device(here / "device", instance)
        script = device.path / "bin" / "dumpsys"
        script.write_text(DUMPSYS)
        (device.path / "period").write_text(str(period))
        (device.path / "fences").mkdir()
        layers = plan(here, scenario, seconds)
        fences = {}
        for number, (name, times) in enumerate(sorted(layers.items())):
            kept = [t for i, t in enumerate(times)
                    if not leave_out or number != leave_out[0] or i % 3 or not leave_out[1] <= t / 1e9 < leave_out[2]]
            fences[name] = [t + DELAY_NS for t in kept]
            (device.path / "fences" / str(number)).write_text("\n".join([name, *map(str, fences[name])]))
        # It draws already: of a layer that begins between two scans the ring is overwritten until the next one.
        phone = subprocess.Popen([PHONE, "--tracefs", mount, "--instance", instance.name, "--scenario", scenario,
                                  "--seconds", str(seconds), "--truth", here / "truth.csv"],
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        first = None
        while first is None:
            first = oldest_event(instance)
        offset = clock(trace_clock)
        offset = kernel_offset(instance) if offset is None else offset
        (device.path / "begin.new").write_text(str(round(first) - offset))
        (device.path / "begin.new").rename(device.path / "begin")
        time.sleep(0.3)
        capture = Capture(mount, instance, here / "out", "--latency", "--no-atrace", device=device)
        if not checks.that(capture.wait_ready(), f"{what}: jankd does not start"):
            print(capture.process.stderr.read().decode(errors="replace"))
            phone.kill()
            return
        account = phone.communicate(timeout=120)[1].decode(errors="replace")
        time.sleep(1)
        status = subprocess.run([JANKD, "status", "-F", here / "out"], capture_output=True, text=True).stdout
        code, said, _ = capture.stop()
        checks.equal(code, 0, f"{what}: exit code: {said[-500:]}")
        print(f"{what}: {account.splitlines()[-1:]}")
        events = [row for row in rows(here / "out", "events.csv")]
        disagreements = [row["text"] for row in events if "disagree" in row["text"]]
        if any("overwritten" in row["text"] or row["kind"] == "lost" for row in events):
            print([row["text"] for row in events])
            checks.cannot_judge(what, "the machine is too busy to poll rings before they are overwritten")
            return
        latency, frames = rows(here / "out", "latency.csv"), rows(here / "out", "frames.csv")
        late = float(account.partition("late by ")[2].split()[0]) if "late by " in account else 0
        for name in layers:
            seen = [row for row in latency if row["layer"] == name]
            base = first / 1e9
            expected = [base + t / 1e9 for t in fences[name]]
            # All from the first poll on.
            expected = expected[len(expected) - len(seen):] if seen else expected
            checks.that(seen and float(seen[0]["actual present(s)"]) < base + 2, f"{what}: no first fences of {name}")
            worst = max((abs(float(row["actual present(s)"]) - t) for row, t in zip(seen, expected)), default=0)
            checks.that(worst < 0.001, f"{what}: a time of {name} is wrong by {worst} s")
            if leave_out:
                continue
            since = float(seen[0]["actual present(s)"]) - DELAY_NS / 1e9 if seen else 0
            presents = [float(row["present(s)"]) for row in frames if row["layer"] == name]
            # Less than a vsync, as jank-phone may be late.
            presented = sum(t > since - 0.004 for t in presents)
            if len(seen) != presented and late > 4:
                checks.cannot_judge(f"{what}: frames", f"jank-phone was late by {late} ms")
            else:
                checks.equal(len(seen), presented, f"{what}: frames of {name} since {since}")
            fps = by_second(float(row["actual present(s)"]) - DELAY_NS / 1e9 for row in seen)
            trace = by_second(presents)
            wrong = {s: (fps[s], trace[s]) for s in {*fps, *trace} if s > since and abs(fps[s] - trace[s]) > 1}
            if wrong and late > 5:
                checks.cannot_judge(f"{what}: frames of each second", f"jank-phone was late by {late} ms")
            else:
                checks.equal(wrong, {}, f"{what}: frames of each second of {name}")
        session_json = json.loads((here / "out" / "session.json").read_text())
        counts = session_json["latency"]
        print(f"{what}: {counts}")
        checks.that(counts["polls"] > 10 and counts["scans"] > 0 and counts["wall_ms"] > 0, f"{what}: costs: {counts}")
        checks.that("\nfences   " in status and " polls" in status, f"{what}: status has no polls: {status}")
        checks.that(counts["seconds_compared"] >= seconds - 3, f"{what}: seconds compared: {counts}")
        if leave_out:
            name = sorted(layers)[leave_out[0]]
            checks.that(disagreements and all(text.endswith(name) for text in disagreements), f"{what}: events: {disagreements}")
            checks.that(2 <= counts["seconds_disagreed"] <= 4, f"{what}: seconds that disagree: {counts}")
        elif late <= 5:
            checks.equal(disagreements, [], f"{what}: events")
        # The trace alone gives these files.
        checks.equal(sum(len(times) for times in layers.values()), len(frames), f"{what}: frames of the trace")
        checks.equal({row["layer"] for row in frames}, set(layers), f"{what}: layers of the trace")


def main():
    checks = Checks()
    check(checks, "boot clock", "game-30", "boot", 16666667)
    check(checks, "monotonic clock, 120 Hz", "drops-120", "mono", 8333333)
    check(checks, "the kernel's own clock", "steady-60", "local", 16666667)
    check(checks, "fences left out", "game-30", "boot", 16666667, leave_out=(0, 3, 6))
    checks.end()


main()
