# SPDX-License-Identifier: Apache-2.0
"""--source latency with a stand-in for dumpsys that serves rings as SurfaceFlinger prints them: each frame that it has served is in
latency.csv once, with its time. The layers draw by the real clock, so the stand-in needs no state. All phones run at the same time; their
layers need 2 s to overwrite a ring. Where the machine runs dumpsys later than that, frames are served by none: then nothing
but the served ones, and the report of an overrun, can be expected."""

import collections
import contextlib
import json
import os
import signal
import subprocess
import time
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from jankd import BUILD, JANKD, checks, folder, is_sanitized, rows

HZ_30, HZ_60, HZ_120 = 33_333_333, 16_666_667, 8_333_333
PENDING = 2**63 - 1
SLEEP_S, SWITCH_S = 100, 4.5

# "lives": when a layer of that name exists; another instance has an empty ring. "draws": when it has frames. In s since
# the begin. "slow": a call in that time ends with it. "each": how long every call takes.
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
    time.sleep(plan["each"])
    at = now()
    period = [ns for since, ns in plan["period"] if since <= at / 1e9][-1]
    print(period)
    for layer in plan["layers"]:
        if len(args) < 3 or layer["name"] != args[2] or not lives(layer):
            continue
        born = lives(layer)[0][0] * 1e9
        times, served = [], []
        for begin, end in layer["draws"]:
            step, first = layer["step"], round(begin * 1e9)
            n = (min(at, round(end * 1e9) - 1) - first) // step
            times += [first + k * step for k in range(max(0, n - 127), n + 1) if first + k * step >= born]
        rows = [(0, 0, 0)] * 127
        for t in times[-127:]:
            # The last frame of two vsyncs is not shown yet, nor is its buffer sure to be complete.
            shown, ready = at - t > period, at - t > period // 2
            served += [t] if shown else []
            t += plan["begin"]
            rows.append((t - 1000, t if shown else PENDING, t - 5000000 + layer["step"] % 4999 if ready else PENDING))
        with open(sys.argv[0] + ".log", "a") as log:
            print(json.dumps([layer["name"], layer["step"], served]), file=log)
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
    """A folder with a stand-in, and a capture of it for @seconds."""

    def __init__(self, place, name, seconds, period, layers, slow=(), each=0, options=(), **environment):
        self.name, self.path, self.layers, self.seconds = name, place / name, layers, seconds
        self.path.mkdir()
        program = self.path / "dumpsys"
        program.write_text(DUMPSYS)
        program.chmod(0o755)
        self.begin = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        self.offset = boot_minus_monotonic_ns()
        (self.path / "dumpsys.plan").write_text(json.dumps({
            "begin": self.begin, "period": period if isinstance(period, list) else [(-1000, period)], "layers": layers, "slow": slow, "each": each}))
        environment = {key: value(self.begin) if callable(value) else value for key, value in environment.items()}
        self.process = subprocess.Popen([JANKD, "run", "--source", "latency", "-F", self.path / "out", *options],
                                        env={**os.environ, "PATH": f"{self.path}:{os.environ['PATH']}", **environment},
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def end(self, checks):
        time.sleep(max(0, self.seconds - (time.clock_gettime_ns(time.CLOCK_MONOTONIC) - self.begin) / 1e9))
        self.process.send_signal(signal.SIGINT)
        said = self.process.communicate(timeout=60)[0].decode(errors="replace")
        checks.equal(self.process.returncode, int(self.name == "two"), f"{self.name}: exit code: {said}")
        out = self.path / "out"
        self.rows, self.fps = rows(out, "latency.csv"), rows(out, "fps.csv")
        self.events = (out / "events.csv").read_text()
        session = json.loads((out / "session.json").read_text())
        self.counts, self.presents = session["latency"], session["counters"]["presents"]

    def served(self, drawn, first, last):
        """The frames of a layer that the stand-in has served, from @first to @last, in s."""
        answers = map(json.loads, (self.path / "dumpsys.log").read_text().splitlines())
        every = {t / 1e9 for name, step, times in answers if (name, step) == (drawn["name"], drawn["step"]) for t in times}
        return sorted(t for t in every if first - 1e-4 < t < last + 1e-4)

    def overwritten(self):
        """How often a full ring had no frame of the one that was served before it."""
        last, count = {}, 0
        for line in (self.path / "dumpsys.log").read_text().splitlines():
            name, step, times = json.loads(line)
            count += len(times) > 120 and times[0] > last.get((name, step), times[0])
            last[name, step] = times[-1] if times else 0
        return count

    def of(self, name):
        return [row for row in self.rows if row["layer"] == name]

    def times(self, name, slept_at_s=None):
        """Times of its rows in s since the begin, without the suspend."""
        times = ((round(float(row["actual present(s)"]) * 1e9) - self.offset - self.begin) / 1e9 for row in self.of(name))
        return [t - SLEEP_S if slept_at_s and t > slept_at_s else t for t in times]


def check_exact(checks, phone, drawn, least_s, slept_at_s=None):
    """Each frame once, from the first row to the last, and as many in each second."""
    what = f"{phone.name}: {drawn['name']}"
    times = phone.times(drawn["name"], slept_at_s)
    if not checks.that(times, f"{what}: no rows"):
        return
    expected = phone.served(drawn, times[0], times[-1])
    worst = max((abs(a - b) for a, b in zip(times, expected)), default=0)
    checks.that(len(times) == len(expected) and worst < 1e-5, f"{what}: {len(times)} frames of {len(expected)}, off by {worst} s")
    seconds, right = collections.Counter(map(int, times)), collections.Counter(map(int, expected))
    checks.that(all(abs(seconds[s] - right[s]) <= 1 for s in {*seconds, *right}), f"{what}: frames of a second")
    checks.that(BUSY or times[-1] - times[0] > least_s, f"{what}: only from {times[0]} to {times[-1]} s")
    unknown = sum(row["interval(ms)"] == "" for row in phone.of(drawn["name"]))
    counted = sum(int(row["frames"]) + int(row["wait times"]) for row in phone.fps if row["Surface"] == drawn["name"].partition("#")[0])
    checks.equal(counted, len(times) - unknown, f"{what}: frames in fps.csv")


def check_20_layers(checks, phone):
    for number, drawn in enumerate(phone.layers):
        check_exact(checks, phone, drawn, 9)
        # Those of a frame that came too late to be in order are unknown, and so are those of the next one.
        said = {row["vsyncs"] for row in phone.of(drawn["name"])[1:]}
        checks.that(said - {""} == {str(1 + number % 4)} and ("" not in said or phone.counts["out_of_order"] > 0), f"layer {number}: vsyncs: {said}")
    # Layers that are polled one after the other share presents: within some microseconds, if a reading of the clocks changed.
    times = sorted({float(row["actual present(s)"]) for row in phone.rows})
    presents = 1 + sum(b - a > 0.001 for a, b in zip(times, times[1:]))
    checks.that(presents <= phone.presents <= presents * 1.1, f"20 layers: {phone.presents} presents are counted, {presents} are shown")
    checks.that(phone.counts["polls"] > 50 and phone.counts["scans"] >= 2 and phone.counts["failed"] == 0
                and phone.counts["frames"] == len(phone.rows), f"counts: {phone.counts} of {len(phone.rows)} rows")


def check_no_such_layer(checks, phone):
    near = "--include com.b: no such layer; the nearest names are: com.a b/com.a.Main#0, SurfaceView[com.dead/com.dead.Main]#0"
    checks.that(near in phone.events, f"{phone.name}: {phone.events}")
    checks.that(not (phone.path / "dumpsys.log").exists(), f"{phone.name}: layers that are not included are polled")
    # A line of --list that is too long to be read is counted.
    checks.that(phone.counts["refused"] == phone.counts["scans"] > 0, f"{phone.name}: {phone.counts}")


def check_lost(checks, phone):
    """A ring that is overwritten while dumpsys does not answer."""
    name, step = phone.layers[0]["name"], phone.layers[0]["step"]
    times = phone.times(name)
    jumps = [(a, b) for a, b in zip(times, times[1:]) if b - a > 1.5 * step / 1e9]
    checks.that(len(jumps) == 1 and 5.5 < jumps[0][0] < 7.1 and 8 < jumps[0][1] < 11, f"overrun: jumps {jumps}")
    checks.equal([row["interval(ms)"] for row in phone.of(name)].count(""), 2, "overrun: intervals that are not known")
    checks.that("overwritten" in phone.events, f"overrun: {phone.events}")
    log = (phone.path / "dumpsys.log").read_text()
    checks.that("com.out" not in log, "overrun: a layer that is excluded is polled")
    checks.that("com.idle" in log and "com.idle" not in log.splitlines()[-1], "overrun: the last poll is of a layer without frames")
    checks.that(any(row["lost events"] == "" for row in phone.fps), "overrun: the number of lost events is known")


def check_twins(checks, phone):
    """Two layers with one name, of which dumpsys prints both rings. They share presents."""
    names = sorted((phone.layers[0]["name"] + number for number in ("", "#2")), key=lambda name: -len(phone.of(name)))
    for drawn, name, vsyncs in zip(phone.layers, names, ("2", "3")):
        times = phone.times(name)
        if checks.that(times, f"twins: no rows of {drawn}"):
            checks.equal(len(times), len(phone.served(drawn, times[0], times[-1])), f"twins: frames of {name}")
            checks.equal({row["vsyncs"] for row in phone.of(name)[1:]}, {vsyncs}, f"twins: vsyncs of {name}")
    checks.equal((phone.counts["overruns"], phone.counts["restarts"]), (0, 0), "twins: overruns and restarts")


def check_restart(checks, phone):
    """Another instance of a layer, whose ring has none of the frames before."""
    check_exact(checks, phone, phone.layers[0], 5)
    checks.equal([phone.counts[name] for name in ("restarts", "overruns", "out_of_order", "refused", "failed")], [1, 0, 0, 0, 0], "restart: counts")
    checks.that([row["interval(ms)"] for row in phone.rows].count("") == 2 and "lost" not in phone.events, f"restart: {phone.events}")


def check_starved(checks, phone):
    """More layers draw than dumpsys can serve in time: that is said, and layers that begin to draw are still found."""
    checks.that("too slow" in phone.events and " layers in time" in phone.events, f"starved: {phone.events}")
    checks.that(phone.of(phone.layers[-1]["name"]), "starved: a layer that begins later is not found")


def check_suspend(checks, phone):
    check_exact(checks, phone, phone.layers[0], 11, slept_at_s=50)
    checks.equal([row["interval(ms)"] for row in phone.of(phone.layers[0]["name"])].count(""), 2, "suspend: intervals that are not known")
    checks.that(not any(int(row["wait times"]) for row in phone.fps), "suspend: it is counted as a wait")


def check_switch(checks, phone):
    """Each frame fits both periods, so only the polls around the switch tell where it was."""
    name, right = phone.layers[0]["name"], lambda t: ("1", "") if t < SWITCH_S - 0.1 else ("1", "2", "") if t < SWITCH_S + 0.1 else ("2", "")
    found = [(t, row["vsyncs"]) for t, row in zip(phone.times(name), phone.of(name))][1:]
    checks.equal([(t, vsyncs) for t, vsyncs in found if vsyncs not in right(t)], [], "switch: vsyncs")
    checks.that(0 < [vsyncs for _, vsyncs in found].count("") < 200 and {"1", "2"} < {vsyncs for _, vsyncs in found}, "switch: unknown vsyncs")


def check_refused(checks, place):
    """What dumpsys says instead of rows is in the message."""
    (place / "dumpsys").write_text("#!/bin/sh\necho \"Permission Denial: can't dump SurfaceFlinger from pid=1, uid=10123\"\n")
    (place / "dumpsys").chmod(0o755)
    done = subprocess.run([JANKD, "run", "--source", "latency", "-F", place / "refused", "--duration", "1"], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, env={**os.environ, "PATH": f"{place}:{os.environ['PATH']}"})
    checks.that(done.returncode == 1 and "prints 'Permission Denial: can't dump SurfaceFlinger" in done.stderr, f"refused: {done}")


def phones(place):
    """{phone: what checks it}"""
    steady = layer("com.fast/com.fast.Main#1", 2 * HZ_120)
    idle = layer("com.idle/com.idle.Main#1", HZ_120, draws=((-2, 1),))
    found = {
        Phone(place, "two", 7, HZ_60, [layer("com.long/" + "y" * 4000 + "#1", HZ_60), layer("com.a b/com.a.Main#0", HZ_60)],
              options=["--include", "com.b"]): check_no_such_layer,
        Phone(place, "overrun", 14, HZ_120, [steady, layer("com.out/com.out.Main#1", HZ_120), idle], slow=((7, 11),), options=["--exclude", "com.out"]):
            check_lost,
        Phone(place, "20 layers", 14, HZ_30, [layer(f"com.a{i}/com.a{i}.Main#{i}", HZ_30 * (1 + i % 4)) for i in range(20)]): check_20_layers,
    }
    found[Phone(place, "restart", 9, HZ_60, [layer("com.back/com.back.Main#0", HZ_60, lives=((-1000, 4), (4.5, 1000)))])] = check_restart
    found[Phone(place, "switch", 9, [(-1000, HZ_60), (SWITCH_S, HZ_120)], [layer("com.game/com.game.Main#0", 2 * HZ_120)])] = check_switch
    found[Phone(place, "twins", 9, HZ_120, [layer("com.twin/com.twin.Main", HZ_120 * n) for n in (2, 3)])] = check_twins
    found[Phone(place, "starved", 15, HZ_120, [*(layer(f"com.s{i}/com.s{i}.Main#{i}", HZ_120) for i in range(14)),
                                               layer("com.late/com.late.Main#0", HZ_120, draws=((4, 1000),))], each=0.15)] = check_starved
    if not is_sanitized():  # a sanitizer must be the first library that is loaded
        asleep = layer("com.sleep/com.sleep.Main#1", 2 * HZ_120, draws=((-2, 6), (7, 1000)))
        found[Phone(place, "suspend", 13, HZ_120, [asleep], LD_PRELOAD=str(BUILD / "tests" / "golden" / "libsuspend.so"), SUSPEND_S=str(SLEEP_S),
                    SUSPEND_AT_NS=lambda begin: str(begin + 6_700_000_000))] = check_suspend
    return found


OTHERS = (check_no_such_layer, check_starved, check_twins)  # their rings are not polled, too late, or of two layers

# On a device dumpsys is answered in time, whatever else runs.
with contextlib.suppress(OSError):
    os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
with checks, folder() as place:
    check_refused(checks, place)
    running = phones(place)
    for phone in running:
        phone.end(checks)
    longest_ms = max(phone.counts["longest_ms"] for phone in running if phone.name not in ("overrun", "starved", "suspend"))
    BUSY = longest_ms > 500
    print(f"the longest run of dumpsys: {longest_ms} ms")
    for phone, check in running.items():
        if phone.counts["failed"] == 0 and check not in OTHERS:
            checks.that(phone.counts["overruns"] - phone.overwritten() in range(BUSY * 99 + 1), f"{phone.name}: overruns {phone.counts}, of full rings {phone.overwritten()}")
        if BUSY:  # and twins cannot be told apart by their names
            for drawn in phone.layers if phone.counts["failed"] == 0 and check != check_twins else ():
                if phone.of(drawn["name"]):
                    check_exact(checks, phone, drawn, 0, slept_at_s=50 if phone.name == "suspend" else None)
        else:
            checks.that(check in OTHERS or phone.overwritten() == (phone.name == "overrun"), f"{phone.name}: a ring was polled late")
            check(checks, phone)
