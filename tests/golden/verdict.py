# SPDX-License-Identifier: Apache-2.0
"""The verdict as JSON and in summary.csv: harm and continuous drawing, computed again from frames.csv. As text: rows.py."""

import collections, itertools, json, math, re
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
import synthetic
from jankd import analyze, folder, microseconds, rows

WAIT_MS = 500 * 0.995
SCROLL = "com.example.scroll/com.example.scroll.MainActivity"


def render_steps(events):
    """[(time, vsyncs in a render period)], as events of kind refresh tell them: "120.60 Hz, rendered at 24.12 Hz"."""
    rates = [(microseconds(row["time(s)"]), *(float(word) for word in re.findall(r"([\d.]+) Hz", row["text"]))) for row in events if row["kind"] == "refresh"]
    return [(-1, 1), *((at, round(display / rate[-1]) if rate else 1) for at, display, *rate in rates)]


class Layer:
    """Cadence so far: the most frequent of the last 16 intervals; of several the shortest. A render period is no time lost."""

    def __init__(self, steps):
        self.last, self.steps, self.step = collections.deque(maxlen=16), steps, 1

    def turn(self, row):
        """The longer one of the render periods at the frame before and now."""
        before, self.step = self.step, next(step for at, step in reversed(self.steps) if at <= microseconds(row["present(s)"]))
        return max(before, self.step)

    def harm_and_gap(self, row):
        step = self.turn(row)
        if not row["interval(ms)"]:
            return 0, True
        interval, vsyncs = float(row["interval(ms)"]), row["vsyncs"]
        if interval >= (WAIT_MS if vsyncs else 500):
            self.last.clear()
            return 0, True
        # The most frequent one. A period becomes more precise: within 1 % they are the same.
        cadence = min(self.last, default=None, key=lambda one: (-sum(abs(one[0] - other[0]) <= max(one[0], other[0]) / 100 for other in self.last), one[0]))
        this = int(vsyncs) if vsyncs else None
        self.last.append((interval, this) if this else (10**6, 10**6))
        if cadence is None or this is None:
            return 0, False
        # At another refresh rate it is as long, up to the next vsync.
        least = max(math.ceil(0.99 * cadence[0] * this / interval), step)
        return max(0, this - least) * interval / this if this > cadence[1] else 0, this > 4 * least


def expected(path):
    """Harm and time of continuous drawing of each Surface whose vsyncs are all known, in ms, and late frames."""
    steps = render_steps(rows(path.parent, "events.csv"))
    layers, harm, drawing, unknown = collections.defaultdict(lambda: Layer(steps)), collections.Counter(), collections.Counter(), set()
    stretch, n = collections.Counter(), collections.Counter()
    for row in rows(path):
        surface = row["Surface"]
        if row["interval(ms)"] and not row["vsyncs"]:
            unknown.add(surface)
        late, gap = layers[row["layer"]].harm_and_gap(row)
        harm[surface] += late
        n[surface] += late > 0
        if gap:
            stretch[surface] = 0
            continue
        before = stretch[surface]
        stretch[surface] += float(row["interval(ms)"])
        if stretch[surface] >= 1000:
            drawing[surface] += stretch[surface] - (before if before >= 1000 else 0)
    return {name: (value, drawing[name], n[name]) for name, value in harm.items() if name not in unknown}


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


def two_games():
    """Two apps without view marks, one of which has the other's name and a digit, and one callback of a third."""
    text = [synthetic.line(99000000, "B|2500|Choreographer#doFrame", 2500, "com.c", 2500), synthetic.line(99000100, "E|2500", 2500, "com.c", 2500)]
    for n in range(200):
        pid, app = ((2300, "com.game2"), (2400, "com.game"))[n % 2]
        us = 100000000 + n * synthetic.PERIOD_US
        text += [synthetic.frame(us, n, f"SurfaceView - {app}/{app}.Main#{n % 2}")]
        text += [synthetic.line(us + 5000 + i, f"{'BE'[i]}|{pid}" + "|dequeueBuffer" * (1 - i), pid, app, pid) for i in (0, 1)]
    return "".join(text)


def film(fps, hz, ticks=True):
    """20 s of it on a display of @hz, each frame at the first vsync that is not before its time. @ticks: of vsyncs without a frame, too."""
    shown = {-int(-n * hz // fps) for n in range(int(20 * fps))}
    return "".join(synthetic.frame(100000000 + round(n * 1e6 / hz), n, "SurfaceView - a.player/a.player.Main#1") if n in shown else
                   synthetic.line(100000100 + round(n * 1e6 / hz), f"C|600|VSYNC-sf|{n % 2}", 603, "sf") for n in range(20 * hz) if ticks or n in shown)


JUDGED = []


def surfaces_of(verdict):
    return {one["surface"]: one for one in itertools.chain(verdict["surfaces_of_no_app"], *(app["surfaces"] for app in verdict["apps"]))}


def judge(checks, trace):
    name, text = trace.name, trace.json.decode()
    if not trace.text or not trace.has("frames.csv"):
        return
    verdict = json.loads(text)
    checks.equal(text.count("\n"), 1, f"{name}: lines of JSON")
    surfaces = surfaces_of(verdict)
    table = {row["Surface"]: row for row in trace.rows("summary.csv")}
    for surface, (harm, drawing, late) in expected(trace.out / "frames.csv").items():
        one = surfaces[surface]
        JUDGED.extend([surface] if harm > 0 else [])
        got = table[surface]["late frames"], table[surface]["unknown vsyncs"]
        checks.that(surface == "(others)" or got == (str(late) if one["frames"] else got[0], "0"), f"{name}, {surface}: late frames, unknown vsyncs {got}, expected {late}")
        lost = 1000 * sum(cause["lost(s)"] for cause in one["facts"]["causes"].values()) - sum(
            float(row["text"].split(" ms on ")[0]) for row in trace.rows("events.csv")
            if row["kind"] == "stall" and f" ms on {surface}" in row["text"] and "no frame ended it" in row["text"])
        checks.that(close(lost, harm), f"{name}, {surface}: lost {lost} ms, expected {harm:.3f}")
        checks.that(close(one["drawing_s"] * 1000, drawing), f"{name}, {surface}: drawing {one['drawing_s']} s, expected {drawing:.3f} ms")
    same(checks, name, surfaces, trace.rows("summary.csv"))
    for app, key in itertools.product(verdict["apps"], ("frames", "freezes", "late time(s)")):
        total = sum(one["facts"][key] for one in app["surfaces"])
        checks.that(abs(app["facts"][key] - total) < 0.01, f"{name}, {app['app']}: {key} {app['facts'][key]}, of its Surfaces {total}")


def end(checks):
    checks.that(len(JUDGED) >= 5, f"only {len(JUDGED)} surfaces with harm")
    # The second one is too short to learn the display's period: 267 ms without a frame are of an unknown number of vsyncs.
    for what, trace, lines in (
            ("two games", two_games(), ["com.game2, com.game: the app's own frame times are not recorded: add category view"]),
            ("no period", "".join(synthetic.lines(3) + synthetic.lines(1, begin_us=100300000)),
             ["TOO SHORT: com.example.app drew for", "unknown: vsyncs of"]),
            *((f"film of {fps:.3f} on {hz} Hz", film(fps, hz), [said, f" held an even {fps:.0f} fps on a {hz} Hz screen"][:1 + (fps > 22)]) for fps, said in (
                (25, ",pass video? 25.0>=25,"), (24, ",n/a video?,"), (24000 / 1001, ",n/a video?,"),
                (22, ",fail game? 22.0<25,")) for hz in (50, 60, 90, 120)),
            # 4 and 5 vsyncs in turn: half of the longer one is a guess that the shorter one does not fit.
            ("film without other ticks", film(25, 120, False), [",pass video? 25.0>=25,"])):
        with folder() as out:
            text = analyze(out, "-", input=trace.encode()).stdout.decode() + (out / "summary.csv").read_text()
        checks.equal([line for line in lines if line not in text], [], f"{what}: lines that are not in {text}")


def grades(checks, what, verdict, summary):
    """Each app of the JSON is the sum of its Surfaces in summary.csv, and has the grade of that by the contract's bounds."""
    def total(mine, *columns):
        return sum(float(row[column] or 0) for row in mine for column in columns)

    for app in verdict["apps"]:
        mine = [row for row in summary if row["app"] == app["app"] and app["app"] in row["Surface"]]
        # A freeze that no frame ended is none of those in the columns.
        facts = app["facts"]
        endless = facts["freezes without end"], facts["freeze time(s)"] - total(mine, "stall time(S)")
        freezes, drawing = total(mine, "stalls") + endless[0], total(mine, "Time(S)", "stall time(S)") + endless[1]
        lost = 1000 * (total(mine, "late time(S)", "stall time(S)") + endless[1]) / drawing if drawing else 0
        checks.equal((facts["frames"], facts["freezes"], facts["late frames"]),
                     (total(mine, "frames"), freezes, total(mine, "late frames")), f"{what}: {app['app']}: sums")
        checks.that(abs(facts["lost(ms/s)"] - lost) < 0.01, f"{what}: {app['app']}: {facts['lost(ms/s)']} ms/s, not {lost}")
        often = freezes if freezes > 1 else 0
        grade = ("TOO SHORT" if drawing < 5 or facts["frames"] < 100 else "BAD" if lost > 30 or often * 60 > drawing
                 else "POOR" if lost > 10 or often * 600 > drawing or facts["longest freeze(s)"] >= 1
                 else "FAIR" if lost > 5 or freezes or app["verdict"].startswith("fail") else None)
        if grade or facts["gaps"] + facts["unknown vsyncs"] + facts["missing(s)"] == 0:
            checks.equal(app["grade"], grade or "GOOD", f"{what}: {app['app']}: grade")
        checks.that(app["sentence"].startswith(app["app"]), f"{what}: {app['sentence']}")
    named = {row["app"] for row in summary if row["app"] and row["app"] in row["Surface"] and (row["frames"] != "0" or row["stalls"] not in ("", "0"))}
    checks.equal({app["app"] for app in verdict["apps"]}, named, f"{what}: apps")


def judge_played(checks, scenario, here):
    """The same of the trace of jank-phone in the folder @here."""
    verdict = json.loads(analyze(here / "json", "--json", here / "trace").stdout)
    surfaces = surfaces_of(verdict)
    same(checks, scenario, surfaces, rows(here / "json" / "summary.csv"))
    grades(checks, scenario, verdict, rows(here / "json" / "summary.csv"))
    worst = verdict["skipped_30"]
    checks.equal(worst and (worst["app"], worst["doframes"], worst["most"]),
                 ("com.example.scroll", 4, 85) if scenario == "hang-before" else None, f"{scenario}: Skipped N frames")
    checks.equal({name: n for name, one in surfaces.items() if (n := one["facts"]["freezes without end"])},
                 {SCROLL: 1} if scenario == "hang-killed" else {}, f"{scenario}: stalls without an end")
    if scenario == "hang-killed":
        checks.equal(verdict["apps"][0]["app"], "com.example.scroll", f"{scenario}: who stalled is first")
    if scenario == "hang-native":
        checks.equal(max(one["facts"]["gaps"] for one in surfaces.values()), 2, f"{scenario}: pauses")
