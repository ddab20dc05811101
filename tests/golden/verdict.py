# SPDX-License-Identifier: Apache-2.0
"""The verdict as JSON, as text and in summary.csv: harm and continuous drawing, computed again from frames.csv."""

import collections
import json
import re

import synthetic
from jankd import analyze, folder, rows

WAIT_MS = 500 * 0.995


def most_frequent(intervals):
    counts = collections.Counter(intervals)
    return min(value for value in counts if counts[value] == max(counts.values()))


class Layer:
    """Cadence so far: the most frequent of the last 16 intervals; of several the shortest."""

    def __init__(self):
        self.last = collections.deque(maxlen=16)

    def harm_and_gap(self, row):
        if not row["interval(ms)"]:
            return 0, True
        interval, vsyncs = float(row["interval(ms)"]), row["vsyncs"]
        if interval >= (WAIT_MS if vsyncs else 500):
            self.last.clear()
            return 0, True
        cadence = most_frequent(self.last) if self.last else None
        # A period becomes more precise: intervals are compared in vsyncs.
        this = int(vsyncs) if vsyncs else None
        self.last.append(this or 10**6)
        if cadence is None or this is None:
            return 0, False
        return max(0, this - cadence) * interval / this, this > 4 * cadence


def expected(path):
    """Harm and time of continuous drawing of each Surface whose vsyncs are all known, in ms."""
    layers, harm, drawing, unknown = collections.defaultdict(Layer), collections.Counter(), collections.Counter(), set()
    stretch = collections.Counter()
    for row in rows(path):
        surface = row["Surface"]
        if row["interval(ms)"] and not row["vsyncs"]:
            unknown.add(surface)
        late, gap = layers[row["layer"]].harm_and_gap(row)
        harm[surface] += late
        if gap:
            stretch[surface] = 0
            continue
        before = stretch[surface]
        stretch[surface] += float(row["interval(ms)"])
        if stretch[surface] >= 1000:
            drawing[surface] += stretch[surface] - (before if before >= 1000 else 0)
    return {name: (value, drawing[name]) for name, value in harm.items() if name not in unknown}


def close(got, truth):
    return abs(got - truth) <= 0.01 * truth + 0.1


# Keys of the JSON and columns of summary.csv that are the same number, and digits behind the point.
SAME = (("frames", "frames", 0), ("time_s", "Time(S)", 3), ("jank", "jank", 0), ("big_jank", "big jank", 0),
        ("missed_vsyncs", "missed vsyncs", 0), ("waits", "wait times", 0), ("waiting_s", "waiting time(S)", 3),
        ("stalls", "stalls", 0), ("stalled_s", "stall time(S)", 3), ("gpu_bound", "gpu bound", 0),
        ("gpu_p50_ms", "gpu p50(ms)", 3), ("gpu_p99_ms", "gpu p99(ms)", 3), ("lost_events", "lost events", 0))


def same(checks, what, surfaces, summary):
    """The JSON has the numbers of summary.csv."""
    for row in summary:
        one = surfaces[row["Surface"]]
        checks.equal(row["verdict"], one["verdict"], f"{what}: verdict in summary.csv")
        for key, column, digits in SAME:
            got = "" if one[key] is None else float(one[key])
            truth = float(row[column]) if row[column] else ""
            checks.that(got == truth or (truth != "" and abs(got - truth) < 10 ** -digits), f"{what}: {key} {got}, {column} {truth}")


def number(text, pattern):
    """The numbers of the only line of @text that fits."""
    found = re.findall(pattern, text, re.M)
    return found[0] if len(found) == 1 else None


def printed(checks, what, text, verdict):
    """The numbers of the lines on the terminal are those of the JSON: app by app, in the same order."""
    judged = [app for app in verdict["apps"] if any(one["late_frames"] or one["jank"] or one["endless_stalls"] for one in app["surfaces"])
              or not app["verdict"].startswith("n/a")]
    blocks = re.split(r"^(?=\S.*: (?:pass|fail|n/a) )", text, flags=re.M)[1:]
    checks.equal(len(blocks), min(3, len(judged)), f"{what}: apps that are printed")
    for app, block in zip(judged, blocks):
        one = app["surfaces"][0]
        checks.that(f": {app['verdict']}" in block.split("\n")[0], f"{what}: {app['verdict']} in {block}")
        stalls = f", stalls {one['stalls']}: {one['stalled_s']:.2f} s" if one["stalls"] else ""
        checks.that(f"  jank {one['jank']}, big jank {one['big_jank']} in " in block
                    and f"waits {one['waits']}" in block and stalls in block, f"{what}: janks of {one['surface']} in {block}")
        harm = number(block, r"^  late for (\S+) s in (\d+) frames?; worst moment at (\S+) s: (\d+) ms$")
        minute = number(block, r"^  worst minute from (\d+) s: late for (\S+) s$")
        if one["late_frames"] == 0:
            checks.equal((harm, minute), (None, None), f"{what}: harm of {one['surface']}")
            continue
        checks.that(abs(float(harm[0]) - one["harm_ms"] / 1e3) <= 0.006 and int(harm[1]) == one["late_frames"]
                    and abs(float(harm[2]) - one["worst_moment"]["time_s"]) <= 0.0001
                    and abs(int(harm[3]) - one["worst_moment"]["harm_ms"]) <= 0.51, f"{what}: harm {harm}, {one}")
        checks.that(abs(int(minute[0]) - one["worst_minute"]["from_s"]) <= 0.51
                    and abs(float(minute[1]) - one["worst_minute"]["harm_ms"] / 1e3) <= 0.006, f"{what}: worst minute {minute}")
        causes = number(block, r"^  cause: (.*)$")
        checks.equal({name: int(n) for name, n in re.findall(r"(\S+) (\d+)", causes or "")}, one["causes"], f"{what}: causes")
        checks.that("paces itself" in block or not one["paces_itself"], f"{what}: {one['surface']} paces itself")


def both(here, trace):
    """(text, JSON)"""
    text = analyze(here / "text", trace).stdout.decode()
    return text, json.loads(analyze(here / "json", "--json", trace).stdout)


def two_games():
    """Two apps without view marks, one of which has the other's name and a digit, and one callback of a third."""
    text = [synthetic.line(99000000, "B|2500|Choreographer#doFrame", 2500, "com.c", 2500), synthetic.line(99000100, "E|2500", 2500, "com.c", 2500)]
    for n in range(200):
        pid, app = ((2300, "com.game2"), (2400, "com.game"))[n % 2]
        us = 100000000 + n * synthetic.PERIOD_US
        text += [synthetic.frame(us, n, f"SurfaceView - {app}/{app}.Main#{n % 2}")]
        text += [synthetic.line(us + 5000 + i, f"{'BE'[i]}|{pid}" + "|dequeueBuffer" * (1 - i), pid, app, pid) for i in (0, 1)]
    return "".join(text)


JUDGED = []


def judge(checks, trace):
    name, text = trace.name, trace.json.decode()
    if not trace.text or not trace.has("frames.csv"):
        return
    verdict = json.loads(text)
    checks.equal(text.count("\n"), 1, f"{name}: lines of JSON")
    surfaces = {one["surface"]: one for app in verdict["apps"] for one in app["surfaces"]}
    for surface, (harm, drawing) in expected(trace.out / "frames.csv").items():
        one = surfaces[surface]
        JUDGED.extend([surface] if harm > 0 else [])
        checks.that(close(one["harm_ms"], harm), f"{name}, {surface}: harm {one['harm_ms']} ms, expected {harm:.3f}")
        checks.that(close(one["drawing_s"] * 1000, drawing), f"{name}, {surface}: drawing {one['drawing_s']} s, expected {drawing:.3f} ms")
    same(checks, name, surfaces, trace.rows("summary.csv"))
    for app in verdict["apps"]:
        longest = max(one["drawing_s"] for one in app["surfaces"])
        checks.equal(app["surfaces"][0]["drawing_s"], longest, f"{name}, {app['app']}: judged by the Surface that draws longest")
    _, table = trace.again("table", trace.text)
    printed(checks, name, table, verdict)
    unknown = sum(one["causes"].get("unknown", 0) for one in surfaces.values())
    why = number(table, r"^unknown: whose fault (\d+) late frames? (?:was|were), as marks of buffers are missing or ambiguous$")
    checks.equal(why, str(unknown) if unknown else None, f"{name}: unknown causes")
    checks.that(verdict["doframes"] or "no doframe.csv: " in table, f"{name}: no view marks")


def end(checks):
    checks.that(len(JUDGED) >= 5, f"only {len(JUDGED)} surfaces with harm")
    with folder() as here:
        (here / "trace").write_text(two_games())
        text, _ = both(here, here / "trace")
        checks.that("com.game2, com.game: frames without view marks" in text, f"two games: {text}")
    with folder() as here:
        # Too short to learn the display's period: 267 ms without a frame are of an unknown number of vsyncs.
        (here / "trace").write_text("".join(synthetic.lines(3) + synthetic.lines(1, begin_us=100300000)))
        text, _ = both(here, here / "trace")
        checks.that("no frame is known to be late\n" in text and "unknown: vsyncs of some frames" in text, f"no period: {text}")


def judge_played(checks, scenario, here):
    """The same of the trace of jank-phone in the folder @here."""
    text, verdict = both(here, here / "trace")
    surfaces = {one["surface"]: one for app in verdict["apps"] for one in app["surfaces"]}
    same(checks, scenario, surfaces, rows(here / "json" / "summary.csv"))
    printed(checks, scenario, text, verdict)
    skipped = number(text, r"^Skipped (\d+) frames! (\S+), thread (\d+), at (\S+) s \(30 or more: (\d+) times?\)$")
    worst = verdict["skipped_30"]
    if scenario == "hang-before":
        checks.equal(skipped, (str(worst["most"]), worst["app"], str(worst["thread"]), f"{worst['time_s']:.3f}", str(worst["doframes"])),
                     f"{scenario}: Skipped N frames")
        checks.that(worst["app"] == "com.example.scroll" and worst["doframes"] == 4 and worst["most"] == 85, f"{scenario}: {worst}")
    else:
        checks.equal((skipped, worst), (None, None), f"{scenario}: Skipped N frames")
    endless = number(text, r"^  stalls that no frame ended (\d+): (\S+) s$")
    if scenario == "hang-killed":
        one = next(one for name, one in surfaces.items() if "scroll" in name)
        checks.equal(endless, ("1", f"{one['endless_s']:.2f}"), f"{scenario}: stall without an end")
        checks.that(text.index("example.scroll") < text.index("\ncom.android.launcher3"), f"{scenario}: who stalled is first")
    else:
        checks.equal(endless, None, f"{scenario}: stall without an end")
    marks = {"demo": "com.example.game: frames without view marks", "hang-native": "no doframe.csv: ", "hang-dequeue": "no doframe.csv: "}
    mark = marks.get(scenario)
    checks.equal([line for line in text.split("\n") if "view marks" in line and not (mark and line.startswith(mark))], [],
                 f"{scenario}: processes without view marks")
    checks.that(not mark or mark in text, f"{scenario}: processes without view marks")
    if scenario == "hang-native":
        one = next(iter(surfaces.values()))
        checks.that(one["pauses"] == 2 and f"unknown: pauses 2: {one['paused_s']:.2f} s" in text, f"{scenario}: pauses")
