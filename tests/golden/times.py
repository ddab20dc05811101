# SPDX-License-Identifier: Apache-2.0
"""Traces whose times are forged, joined or large give the rows of the same trace without that."""

import json, re, resource, subprocess
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
import synthetic
from jankd import SHARED, analyze, checks, differences, folder, outputs, rows, scenario, skip, trace_text, unpack
from lines import lines, text

# A place on the lattice is exact to 1/65536 period, so it may be one microsecond more.
TIMES = ("present(s)", "vsync(s)", "queued(s)", "latched(s)", "gpu done(s)", "start time", "end time", "start VSYNC", "end VSYNC", "first(s)", "last(s)")


def analyzed(path):
    """The CSV files of that trace, and the counters of session.json."""
    out = path.with_suffix("")
    analyze(out, "--frames-log", "-T", "2", path)
    return outputs(out), json.loads((out / "session.json").read_text())["counters"]


def ahead(checks, here):
    """Two lines with a time an hour ahead, each between others."""
    files, counters = analyzed(here / "ahead.txt")
    checks.equal(differences(files, analyzed(here / "ahead_not.txt")[0]), ["events.csv"], "ahead.txt: files that differ")
    checks.equal((counters["ahead"], counters["clock_steps"]), (2, 0), "ahead.txt: lines ahead, clock steps")
    checks.equal([row["vsyncs"] for row in rows(here / "ahead_not", "frames.csv")].count(""), 1, "ahead_not.txt: unknown vsyncs")
    checks.equal(len([e for e in rows(here / "ahead", "events.csv") if "in the future" in e["text"]]), 2, "ahead.txt: events")


def written_by_an_app(checks, here):
    """Markers of an app change no frame: long ones after a silence, and some with lines of a later time, one behind the other."""
    later = synthetic.lines(200, 113000000)
    marker = lambda us, text: synthetic.line(us, text, synthetic.APP, "app", synthetic.APP)
    long = "".join(marker(112900000 + n, f"B|{synthetic.APP}|{'x' * 3900}") for n in range(20))
    forged = "".join(marker(100000000 + 200 * synthetic.PERIOD_US + n, "I|2000|y") + 23 * marker(3700000000 + n, "I|2000|y") for n in range(3))
    # What one marker holds since Linux 6.8: 4,096 bytes.
    page, past = (marker(100000000 + 200 * synthetic.PERIOD_US, "I|2000|y") + 4090 // len(line) * line
                  for line in ("a-1 [001] 3700.000000: tracing_mark_write: E\n", "a-1 [001] 90.000000: tracing_mark_write: E\n"))
    frames, ignored = {}, {"forged": 69, "page": 90, "past": 95}
    for name, between in ("plain", ""), ("long", long), ("forged", forged), ("page", page), ("past", past):
        (here / f"{name}.txt").write_text("".join([*synthetic.lines(200), between, *later]))
        files, counters = analyzed(here / f"{name}.txt")
        frames[name] = [line.split(b",", 2)[0::2] for line in files["frames.csv"].splitlines()]
        said = (frames[name] == frames["plain"], counters["ahead"] + counters["late"], counters["clock_steps"])
        checks.equal(said, (True, ignored.get(name, 0), 0), f"markers of an app: {name}: frames, lines ignored, steps")


def joined(checks, here):
    """Recordings of two and three boots: where the clock goes back, each has the rows that it has alone."""
    names = ("android-9-flutter", "android-11-launcher", "android-9-list-jank")
    alone = {name: analyzed(unpack(name, here))[0] for name in names}
    for order in ((0, 1), (1, 0), (0, 2), (2, 1, 0), (0, 1, 2)):
        path = here / f"joined {order}.txt"
        path.write_bytes(b"".join(trace_text(names[n]) for n in order))
        files = analyzed(path)[0]
        for csv in ("frames.csv", "fps.csv", "dropFrames.csv"):
            got, expected = files[csv].splitlines()[1:], [line for n in order for line in alone[names[n]][csv].splitlines()[1:]]
            same = (lambda found: found) if order in ((0, 1), (0, 2)) else len
            checks.equal(same(got), same(expected), f"{path.name}: {csv}")


def back_with_holes(checks, here):
    """5 of 12 s are missing, twice; before the second time the clock steps back by 50 s: 24 s are captured."""
    once = "".join(line for n, line in enumerate(synthetic.lines(720)) if not 180 <= n < 480)
    once = once.replace(synthetic.frame(100000000 + 480 * synthetic.PERIOD_US, 480), "CPU:0 [LOST 50 EVENTS]\n")
    again = re.sub(r" (\d+)(\.\d{6}: )", lambda found: f" {int(found[1]) - 50}{found[2]}", once)
    for name, trace, captured in (("once", once, 12), ("again", once + again, 24)):
        app, = json.loads(analyze(here / name, "--json", "-", input=trace.encode()).stdout)["apps"]
        checks.equal((app["grade"], round(app["facts"]["captured(s)"]), round(app["facts"]["missing(s)"])), ("INCOMPLETE", captured, 5 * captured // 12), f"a hole and a clock that steps back: {name}")
        span = re.search(r" span ([\d.]+) s,", analyze(here / f"{name} files", "--frames-log", "-", input=trace.encode()).stdout.decode())[1]
        checks.equal(round(float(span)), captured, f"the span of {name}")


def lost_lines(checks, here):
    """20,000 lines that report lost events, which any app can write: together, and each behind another line."""
    lines = synthetic.trace(1111).decode().splitlines()
    (here / "between_not.txt").write_text("\n".join(lines) + "\n")
    (here / "between.txt").write_text("\n".join(f"{line}\nCPU:{n % 64} [LOST 3 EVENTS]" for n, line in enumerate(lines)) + "\n")
    for name in ("lost_lines", "between"):
        files, times = {}, {}
        for path in (here / f"{name}.txt", here / f"{name}_not.txt"):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            files[path.stem] = analyzed(path)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            times[path.stem] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        honest = times[f"{name}_not"] / len((here / f"{name}_not.txt").read_bytes().splitlines())
        ratio = (times[name] - times[f"{name}_not"]) / 20000 / honest
        checks.that(ratio <= 30, f"{name}: {ratio:.1f} times the CPU of another line")
        checks.equal(files[name][1]["lost_events"], 3 * (20000 if name == "lost_lines" else len(lines)), f"{name}: lost events")


def large(checks, here):
    """Times of more than 60 bits, as of the clock tai, and of all 64 give the same numbers; times themselves are as much later."""
    def numbers(path, name):
        return [{key: value for key, value in row.items() if key not in TIMES} for row in rows(path, name)]

    data = (here / "tai_not.txt").read_bytes()
    for name, seconds in (("63 bits", 9_000_000_000), ("64 bits", 18_000_000_000)):
        moved = re.sub(rb" (\d+)(\.\d{6}: tracing_mark)", lambda found: b" %d%b" % (int(found[1]) + seconds, found[2]), data)
        (here / f"{name}.txt").write_bytes(moved)
    analyzed(here / "tai_not.txt")
    for name, seconds in (("tai", 1_762_000_000), ("63 bits", 9_000_000_000), ("64 bits", 18_000_000_000)):
        counters = analyzed(here / f"{name}.txt")[1]
        for csv in ("frames.csv", "fps.csv", "dropFrames.csv", "summary.csv"):
            checks.equal(numbers(here / name, csv), numbers(here / "tai_not", csv), f"{name}: {csv}")
        for csv, column in (("frames.csv", "present(s)"), ("fps.csv", "end time"), ("events.csv", "time(s)")):
            got, expected = ([row[column] for row in rows(here / path, csv)] for path in (name, "tai_not"))
            later = [f"{int(second) + seconds}.{rest}" for second, rest in (time.split(".") for time in expected)]
            checks.equal((got, counters["last_ns"] // 10**9 - seconds), (later, 1646954), f"{name}: {column} of {csv}; {name}: last_ns of session.json")


def restarted(checks, here):
    """SurfaceFlinger ends and begins again, 200 ms later, with numbers of vsyncs from 100 on: no app is late by that, and every frame
    has the vsyncs and the cause that it has alone, or an unknown cause."""
    scenario("culprits", here / "first.txt", vocabulary="android-14")
    first = [line for line in lines((here / "first.txt").read_bytes()) if line.us is not None]
    second = text(line.moved(first[-1].us - first[0].us + 200_000) for line in first)
    for before, after in ((rb"-(\d+) +\( +612\)", lambda found: b"-%d (6612)" % (6000 + int(found[1]))), (rb"(?m)\|612(?=\||$)", b"|6612"),
                          (rb"\b125\d{4}\b", lambda found: b"%d" % (int(found[0]) - 1252900))):
        second = re.sub(before, after, second)
    (here / "second.txt").write_bytes(second)
    (here / "both.txt").write_bytes((here / "first.txt").read_bytes() + (here / "second.txt").read_bytes())
    columns, names = ("layer", "vsyncs", "cause"), ("first", "second", "both")
    frames = {name: [tuple(map(row.get, columns)) for row in analyzed(here / f"{name}.txt") and rows(here / name, "frames.csv")] for name in names}
    expected = frames["first"] + frames["second"]
    checks.equal([frame[:2] for frame in frames["both"]], [frame[:2] for frame in expected], "restarted: layers and vsyncs")
    others = [(got, before) for got, before in zip(frames["both"], expected) if got != before]
    checks.that(len(others) <= 2 and all(got[2] == "unknown" for got, before in others), f"restarted: causes: {others}")
    skipped = {name: sum(int(row["skipped"] or 0) for row in rows(here / name, "doframe.csv")) for name in frames}
    # Until the new one is found, the ticks that callbacks answer are unknown.
    most = skipped["first"] + skipped["second"]
    checks.that(most - 5 <= skipped["both"] <= most, f"restarted: skipped periods: {skipped}")


def resumed(checks, here):
    """Nothing was recorded for 1.2 s, in which the display went from 120 to 60 Hz: what it was does not decide about what follows."""
    scenario("switch-60-120", here / "half.txt", vocabulary="android-14")
    half = [line for line in lines((here / "half.txt").read_bytes()) if line.us is not None]
    second = text(line.moved(half[-1].us - half[0].us + 1_200_000) for line in half)
    second = re.sub(rb"\b12[56]\d{4}\b", lambda found: b"%d" % (int(found[0]) + 20000), second)
    (here / "whole.txt").write_bytes((here / "half.txt").read_bytes() + second)
    alone, whole = (analyzed(here / f"{name}.txt") and rows(here / name, "frames.csv") for name in ("half", "whole"))
    false = [got for got, true in zip(whole, 2 * alone, strict=True)
             if got["vsyncs"] not in ("", true["vsyncs"]) or got["cause"] not in ("", "unknown", true["cause"])]
    checks.that(len(false) <= 2, f"resumed: {len(false)} of {len(whole)} frames have other vsyncs or causes: {false[:3]}")


make = SHARED / "cases" / "make.py"
if not make.exists():
    skip("there are no generated cases")
with checks, folder() as place:
    subprocess.run([sys.executable, make, place], check=True, capture_output=True)
    for case in (ahead, written_by_an_app, joined, back_with_holes, lost_lines, large, restarted, resumed):
        case(checks, place)
