#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""--source latency with a stand-in for dumpsys that serves rings as SurfaceFlinger prints them: each frame of each layer
is in latency.csv once, with its time. The layers draw by the real clock, so the stand-in needs no state.

usage: latency.py JANKD [SUSPEND_LIBRARY]"""
import collections
import csv
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

SECOND = 1_000_000_000
HZ_60, HZ_120 = 16_666_667, 8_333_333
PENDING = 2**63 - 1
SLEEP_S = 100

# "lives": when a layer of that name exists; another instance has an empty ring. "draws": when it has frames. In s since
# the begin. "slow": a call in that time ends with it.
DUMPSYS = '''#!PYTHON -IS
import json, sys, time
plan = json.load(open(sys.argv[0] + ".plan"))
args = sys.argv[1:]

def now():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC) - plan["begin"]

def lives(layer):
    return [span for span in layer["lives"] if span[0] <= now() / 1e9 < span[1]]

if args[:2] == ["SurfaceFlinger", "--list"]:
    print("Display 0 name=\\"Built-in\\"#3")
    print("RequestedLayerState{Task=329#28965 parentId=4 z=2}")
    for i, layer in enumerate(plan["layers"]):
        if lives(layer):
            print(layer["name"] if i % 2 else "RequestedLayerState{%s parentId=7 z=-1}" % layer["name"])
    print("SurfaceView[com.dead/com.dead.Main]#0")
elif args[:2] == ["SurfaceFlinger", "--latency"]:
    for begin, end in plan["slow"]:
        if begin <= now() / 1e9 < end:
            time.sleep(end - now() / 1e9)
    at = now()
    period = [period for since, period in plan["periods"] if since <= at / 1e9][-1]
    print(period)
    for layer in plan["layers"]:
        if len(args) < 3 or layer["name"] != args[2] or not lives(layer):
            continue
        born = lives(layer)[0][0] * 1e9
        times = []
        for begin, end, *other in layer["draws"]:
            step, first = (other or [layer["step"]])[0], round(begin * 1e9)
            n = (min(at, round(end * 1e9) - 1) - first) // step
            times += [first + k * step for k in range(max(0, n - 127), n + 1) if first + k * step >= born]
        rows = [(0, 0, 0)] * 127
        for t in times:
            # The last frame of two vsyncs is not shown yet, nor is its buffer sure to be complete.
            shown, ready = at - t > period, at - t > period // 2
            t += plan["begin"]
            rows.append((t - 1000, t if shown else PENDING, t - 5000000 if ready else PENDING))
        print("".join("%d\\t%d\\t%d\\n" % row for row in rows[-127:]))
    if args[2:] and args[2].startswith("SurfaceView["):
        print("0\\t0\\t0\\n" * 127)
'''.replace("PYTHON", sys.executable).replace("PENDING", str(PENDING))


def layer(name, step, draws=((-2, 1000),), lives=((-1000, 1000),)):
    return {"name": name, "step": step, "draws": draws, "lives": lives}


def boot_minus_monotonic_ns():
    """The narrowest of some readings counts: in others, something ran between the two clocks."""
    readings = []
    for _ in range(20):
        before = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        boot = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
        width = time.clock_gettime_ns(time.CLOCK_MONOTONIC) - before
        readings.append((width, boot - before - width // 2))
    return min(readings)[1]


class Phone:
    """A folder with a stand-in, and a capture of it."""

    def __init__(self, jankd, folder, period, layers, slow=(), options=(), **environment):
        self.folder, self.layers = folder, layers
        folder.mkdir()
        program = folder / "dumpsys"
        program.write_text(DUMPSYS)
        program.chmod(0o755)
        self.begin = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        self.offset = boot_minus_monotonic_ns()
        (folder / "dumpsys.plan").write_text(json.dumps(
            {"begin": self.begin, "periods": period if isinstance(period, list) else [(0, period)], "layers": layers, "slow": slow}))
        environment = {name: value(self.begin) if callable(value) else value for name, value in environment.items()}
        self.process = subprocess.Popen([jankd, "run", "--source", "latency", "-F", folder / "out", *options],
                                        env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", **environment},
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def end(self, after_s):
        time.sleep(max(0, after_s - (time.clock_gettime_ns(time.CLOCK_MONOTONIC) - self.begin) / 1e9))
        self.process.send_signal(signal.SIGINT)
        said = self.process.communicate(timeout=60)[0].decode(errors="replace")
        if self.process.returncode:
            sys.exit(f"{self.folder.name}: exit {self.process.returncode}: {said}")
        self.rows = list(csv.DictReader((self.folder / "out/latency.csv").open()))
        self.fps = list(csv.DictReader((self.folder / "out/fps.csv").open()))
        self.events = (self.folder / "out/events.csv").read_text()
        session = json.loads((self.folder / "out/session.json").read_text())
        self.counts, self.presents = session["latency"], session["counters"]["presents"]

    def of(self, name):
        return [row for row in self.rows if row["layer"] == name]

    def times(self, name, slept_at_s=None):
        """Times of its rows in s since the begin, without the suspend."""
        times = []
        for row in self.of(name):
            t = (round(float(row["actual present(s)"]) * 1e9) - self.offset - self.begin) / 1e9
            times.append(t - SLEEP_S if slept_at_s and t > slept_at_s else t)
        return times


FAILED = []


def that(holds, what):
    if not holds:
        print(what)
        FAILED.append(what)


def planned(drawn, first, last):
    """The frames of a layer from @first to @last, in s."""
    times = []
    for begin, end in drawn["draws"]:
        k = 0
        while round(begin * 1e9) + k * drawn["step"] < min(end, last + 1e-4) * 1e9:
            t = (round(begin * 1e9) + k * drawn["step"]) / 1e9
            times += [t] if t > first - 1e-4 else []
            k += 1
    return times


def check_exact(phone, drawn, least_s, slept_at_s=None):
    """Each frame once, from the first row to the last, and as many in each second."""
    what = f"{phone.folder.name}: {drawn['name']}"
    times = phone.times(drawn["name"], slept_at_s)
    if not times:
        that(False, f"{what}: no rows")
        return
    expected = planned(drawn, times[0], times[-1])
    worst = max((abs(a - b) for a, b in zip(times, expected)), default=0)
    that(len(times) == len(expected) and worst < 1e-5, f"{what}: {len(times)} frames of {len(expected)}, off by {worst} s")
    seconds, right = collections.Counter(map(int, times)), collections.Counter(map(int, expected))
    that(all(abs(seconds[s] - right[s]) <= 1 for s in {*seconds, *right}), f"{what}: frames of a second")
    that(times[-1] - times[0] > least_s, f"{what}: only from {times[0]} to {times[-1]} s")
    frames = [row for row in phone.fps if row["Surface"] == drawn["name"].partition("#")[0]]
    unknown = sum(row["interval(ms)"] == "" for row in phone.of(drawn["name"]))
    counted = sum(int(row["frames"]) + int(row["wait times"]) for row in frames)
    that(counted == len(times) - unknown, f"{what}: {counted} frames in fps.csv, {len(times)} in latency.csv, {unknown} unknown")


NOT_JUDGED = []


def busy(phone, overruns=0):
    """True: more rings were overwritten than the stand-in caused, so nothing can be judged."""
    if phone.counts["overruns"] > overruns:
        NOT_JUDGED.append(phone.folder.name)
    return phone.counts["overruns"] > overruns


def check_20_layers(jankd, folder):
    layers = [layer(f"com.a{i}/com.a{i}.Main#{i}", HZ_60 * (1 + i % 4)) for i in range(20)]
    phone = Phone(jankd, folder / "20 layers", HZ_60, layers)
    phone.end(14)
    if busy(phone):
        return
    for number, drawn in enumerate(layers):
        check_exact(phone, drawn, 9)
        vsyncs = {row["vsyncs"] for row in phone.of(drawn["name"])[1:]}
        that(vsyncs == {str(1 + number % 4)}, f"layer {number}: vsyncs {vsyncs}")
    # Layers that are polled one after the other share presents: within some microseconds, if a reading of the clocks changed.
    times = sorted({float(row["actual present(s)"]) for row in phone.rows})
    presents = 1 + sum(b - a > 0.001 for a, b in zip(times, times[1:]))
    that(presents <= phone.presents <= presents * 1.1, f"20 layers: {phone.presents} presents are counted, {presents} are shown")
    that(phone.counts["polls"] > 100 and phone.counts["scans"] >= 2 and phone.counts["failed"] == 0
         and phone.counts["frames"] == len(phone.rows), f"counts: {phone.counts} of {len(phone.rows)} rows")


def check_switch(jankd, folder):
    """The display switches while one layer draws in each vsync, one in each second one, and one is idle. With these
    periods, each interval at 60 Hz is a whole number of vsyncs at 120 Hz."""
    slow, fast, at = 16_666_666, 8_333_333, 4.2
    end = -2 + 372 * slow / 1e9
    layers = [layer("com.half/com.half.Main#1", 0, draws=((-2, end, 2 * slow), (end, 1000, 2 * fast))),
              layer("com.full/com.full.Main#2", 0, draws=((-2, end, slow), (end, 1000, fast))),
              layer("com.idle/com.idle.Main#3", 0, draws=((-2, end - 30 * slow / 1e9, slow), (end + 40 * fast / 1e9, 1000, fast)))]
    phone = Phone(jankd, folder / "switch", [(0, slow), (at, fast)], layers)
    phone.end(9)
    if busy(phone):
        return
    vsyncs = [collections.Counter(row["vsyncs"] for row in phone.of(one["name"])[1:]) for one in layers]
    that(set(vsyncs[0]) == {"2"} and set(vsyncs[1]) == {"1"} and set(vsyncs[2]) <= {"1", "70", "71"}, f"switch: vsyncs {vsyncs}")
    worst = max(float(row["interval(ms)"] or 0) for row in phone.of(layers[2]["name"]))
    true = (30 * slow + 40 * fast + slow) / 1e6
    that(abs(worst - true) < 17, f"switch: the idle time is {worst} ms, not {true}")
    that(phone.events.count(",refresh,") == 2, f"switch: {phone.events}")


def check_refused(jankd, folder):
    """What dumpsys says instead of rows is in the message."""
    (folder / "dumpsys").write_text("#!/bin/sh\necho \"Permission Denial: can't dump SurfaceFlinger from pid=1, uid=10123\"\n")
    (folder / "dumpsys").chmod(0o755)
    result = subprocess.run([jankd, "run", "--source", "latency", "-F", folder / "refused", "--duration", "1"], capture_output=True,
                            text=True, stdin=subprocess.DEVNULL, env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"})
    that(result.returncode == 1 and "says 'Permission Denial: can't dump SurfaceFlinger" in result.stderr, f"refused: {result}")


def check_one_name(jankd, folder):
    """Up to Android 7 layers have no number, so several have one name, and all their rings are printed."""
    fast, slow = layer("SurfaceView", HZ_60), layer("SurfaceView", 2 * HZ_60)
    phone = Phone(jankd, folder / "one name", HZ_60, [slow, fast])
    phone.end(9)
    if busy(phone):
        return
    check_exact(phone, fast, 4)
    that(phone.counts["restarts"] == 0, f"one name: {phone.counts}")


def check_no_such_layer(jankd, folder):
    # A line of --list that is too long to be read is counted.
    phone = Phone(jankd, folder / "two", HZ_60, [layer("com.long/" + "y" * 4000 + "#1", HZ_60), layer("com.a b/com.a.Main#0", HZ_60)],
                  options=["--include", "com.b"])
    phone.end(2)
    that(phone.counts["refused"] == phone.counts["scans"] > 0, f"two: {phone.counts}")
    that("the nearest names are: com.a b/com.a.Main#0, SurfaceView[com.dead/com.dead.Main]#0" in phone.events, f"two: {phone.events}")
    phone = Phone(jankd, folder / "none", HZ_60, [layer(f"com.a{i}/com.a{i}.Main#{i}", HZ_60) for i in range(9)],
                  options=["--include", "com.a7/com.a7.Mian"])
    phone.end(3)
    that("--include com.a7/com.a7.Mian: no such layer; the nearest names are: com.a7/com.a7.Main#7" in phone.events,
         f"no such layer: {phone.events}")


def check_rings(jankd, suspend, folder):
    """A layer that is gone and back, one whose ring is overwritten, and a suspend: three phones at the same time."""
    steady = layer("com.fast/com.fast.Main#1", HZ_120)
    # The new instance of that name draws when a scan has found it.
    back = layer("com.back/com.back.Main#0", 2 * HZ_120, draws=((-1, 3), (6.5, 7.5), (11, 14)), lives=((-9, 4.5), (5.5, 1000)))
    gone = Phone(jankd, folder / "gone and back", HZ_120, [steady, back])
    # The rings are overwritten in 1.06 s.
    lost = Phone(jankd, folder / "overrun", HZ_120, [steady], slow=((7, 9.5),))
    asleep, slept = layer("com.sleep/com.sleep.Main#1", HZ_120, draws=((-2, 6), (7, 1000))), None
    if suspend:
        slept = Phone(jankd, folder / "suspend", HZ_120, [asleep], LD_PRELOAD=suspend, SUSPEND_S=str(SLEEP_S),
                      SUSPEND_AT_NS=lambda begin: str(begin + 6_700_000_000))
    gone.end(13)
    lost.end(13)
    if slept:
        slept.end(13)

    check_gone(gone, steady, back)
    check_lost(lost, steady)
    if slept:
        check_suspend(slept, asleep)


def check_gone(gone, steady, back):
    if busy(gone):
        return
    check_exact(gone, steady, 11)
    check_exact(gone, back, 11)
    that(gone.counts["restarts"] == 1 and gone.counts["overruns"] == 0, f"gone and back: {gone.counts}")
    intervals = [float(row["interval(ms)"] or 0) for row in gone.of(back["name"])[1:]]
    # One interval spans the change, and is not known; the other one is of the same instance.
    that(intervals.count(0) == 1 and sum(3000 < ms < 4000 for ms in intervals) == 1, f"gone and back: {sorted(intervals)[-2:]}")


def check_lost(lost, steady):
    if busy(lost, 1):
        return
    times = lost.times(steady["name"])
    jumps = [(a, b) for a, b in zip(times, times[1:]) if b - a > 1.5 * HZ_120 / 1e9]
    that(len(jumps) == 1 and 6 < jumps[0][0] < 7.1 and 8 < jumps[0][1] < 9.5, f"overrun: jumps {jumps}")
    rows = lost.of(steady["name"])
    that([row["interval(ms)"] for row in rows].count("") == 2, "overrun: an interval spans the lost frames")
    that("overwritten" in lost.events and lost.counts["overruns"] == 1, f"overrun: {lost.counts}: {lost.events}")
    that(any(row["lost events"] == "" for row in lost.fps), "overrun: the number of lost events is known")


def check_suspend(phone, drawn):
    if busy(phone):
        return
    check_exact(phone, drawn, 11, slept_at_s=50)
    that([row["interval(ms)"] for row in phone.of(drawn["name"])].count("") == 2, "suspend: an interval spans it")
    that(not any(int(row["wait times"]) for row in phone.fps), "suspend: it is counted as a wait")


def main():
    jankd, *suspend = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:])
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        check_refused(jankd, folder)
        check_switch(jankd, folder)
        check_one_name(jankd, folder)
        check_no_such_layer(jankd, folder)
        check_20_layers(jankd, folder)
        check_rings(jankd, suspend[0] if suspend else None, folder)
    if NOT_JUDGED and not FAILED:
        print(f"the machine was too busy to poll rings before they were overwritten: {', '.join(NOT_JUDGED)}")
    sys.exit(1 if FAILED else 77 if NOT_JUDGED else 0)


main()
