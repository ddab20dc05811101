# SPDX-License-Identifier: Apache-2.0
"""Numbers of sections, from each mark to the next, equal a computation of this test from frames.csv; without that file they
are sums of whole rows of fps.csv."""

import collections
import math
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from jankd import analyze, checks, folder, microseconds, rows
from report import marked, model, report, scenario

MARK_S = (3, 0.4)  # a mark within a second of another does not end a row of fps.csv
MS = 1000000


class Section:
    """The numbers of a Surface in a section, by the definitions of jankd-metrics(7)."""

    def __init__(self):
        self.times, self.waits, self.stalls, self.vsyncs = [], [], [], []
        self.janks = collections.Counter()
        self.jank_ns = 0

    def add(self, ns, vsyncs, before, is_stall):
        least, more = (200 - 1, 200 + 1) if vsyncs is not None else (200, 200)  # 0.5 % of tolerance
        if ns * 200 >= 500 * MS * least:
            self.waits.append(ns)
            if is_stall:
                self.stalls.append(ns)
                self.janks.update(("jank", "big jank"))
                self.jank_ns += ns
            return
        self.times.append(ns)
        self.vsyncs.append(vsyncs)
        for name, bound in (("A", 100), ("B", 50), ("C", 42)):
            if ns * 200 >= bound * MS * least:
                self.janks[name] += 1
                break
        if len(before) == 3 and 3 * ns * 200 > 2 * sum(before) * more:
            if ns * 200 > 83333000 * more:
                self.janks["jank"] += 1
                self.jank_ns += ns
            elif ns * 200 > 41667000 * more:
                self.janks["small jank"] += 1
            self.janks["big jank"] += ns * 200 > 125 * MS * more

    def numbers(self):
        ordered, total = sorted(self.times), sum(self.times)
        n, drawn = len(ordered), total + sum(self.stalls)
        found = {"frames": n, "Time(S)": total // 1000 / 1e6, "wait times": len(self.waits),
                 "waiting time(S)": sum(self.waits) // 1000 / 1e6, "stalls": len(self.stalls), "stall time(S)": sum(self.stalls) // 1000 / 1e6}
        found |= {name: self.janks[name] for name in ("A", "B", "C", "small jank", "jank", "big jank")}
        if drawn:
            found |= {"jank(/10min)": round(self.janks["jank"] * 600e9 / drawn, 2), "stutter(%)": round(100 * self.jank_ns / drawn, 3)}
        if n:
            low = ordered[-math.ceil(n / 100):]
            found |= {"FPS": round(n * 1e9 / total, 2), "max time(ms)": ordered[-1] // 1000 / 1e3, "low 1% mean(fps)": round(1e9 * len(low) / sum(low), 2)}
            found |= {f"p{p}(ms)": ordered[math.ceil(n * p / 100 - 1e-9) - 1] // 1000 / 1e3 for p in (50, 90, 95, 99)}
        known = [v for v in self.vsyncs if v is not None]
        found["unknown vsyncs"] = n - len(known)
        if known:
            most = collections.Counter(known)
            cadence = min(most, key=lambda v: (-most[v], v))
            found |= {"missed vsyncs": sum(v - 1 for v in known), "D": sum(v > 1 for v in known), "cadence(vsyncs)": cadence, "off cadence": len(known) - most[cadence]}
        if drawn:
            found["longest(ms)"] = max(self.times + self.stalls) // 1000 / 1e3
        return found


def expected(out):
    """{(time of the mark, Surface): numbers} from frames.csv and events.csv."""
    events = rows(out, "events.csv")
    marks = [-1] + [microseconds(row["time(s)"]) for row in events if row["kind"] == "mark"]
    stalls = {(microseconds(row["time(s)"]), row["text"].split(" on ", 1)[1].rsplit(" of ", 1)[0]) for row in events if row["kind"] == "stall"}
    found, before = collections.defaultdict(Section), collections.defaultdict(list)
    for row in rows(out, "frames.csv"):
        present = microseconds(row["present(s)"])
        section = found[max(mark for mark in marks if mark <= present), row["Surface"]]
        if row["interval(ms)"] == "":
            continue
        ns, vsyncs = int(row["interval(ms)"].replace(".", "")), int(row["vsyncs"]) if row["vsyncs"] else None
        section.add(ns, vsyncs, before[row["layer"]], (present, row["Surface"]) in stalls)
        before[row["layer"]] = [] if ns * 200 >= 500 * MS * (199 if vsyncs is not None else 200) else (before[row["layer"]] + [ns])[-3:]
    return {key: section.numbers() for key, section in found.items()}


def from_frames(checks, name, out):
    session, = model(out)
    truth, seen = expected(out), 0
    checks.that(len(session["sections"]) >= 4, f"{name}: sections {[s['section'] for s in session['sections']]}")
    for n, section in enumerate(session["sections"]):
        start = -1 if n == 0 else round(section["from(s)"] * 1e6)
        for one in section["surfaces"]:
            checks.equal(one["source"], "frames.csv", f"{name}: source of {section['section']}")
            for column, value in truth[start, one["Surface"]].items():
                got = one["numbers"][column]
                near = {"FPS": 0.0051, "low 1% mean(fps)": 0.0051, "jank(/10min)": 0.0051, "stutter(%)": 0.00051}.get(column, 1e-9)
                checks.that(got is not None and abs(got - value) <= near, f"{name}: {section['section']}: {one['Surface']}: {column} is {got}, computed {value}")
            seen += 1
    checks.equal(seen, len(truth), f"{name}: Surfaces in sections")


def from_rows(checks, name, out):
    (out / "frames.csv").unlink()
    session, = model(out)
    starts = [-1] + [round(section["from(s)"] * 1e6) for section in session["sections"][1:]]
    sums = collections.defaultdict(collections.Counter)
    for row in rows(out, "fps.csv"):
        start = max(mark for mark in starts if mark <= microseconds(row["end time"]))
        for column in ("frames", "A", "B", "C", "jank", "big jank", "wait times", "stalls"):
            sums[start, row["Surface"]][column] += int(row[column] or 0)
    for start, section in zip(starts, session["sections"]):
        for one in section["surfaces"]:
            checks.equal((one["source"], one["numbers"]["p99(ms)"]), ("fps.csv", None), f"{name}: source of {section['section']}; {name}: p99 without frames.csv")
            frozen = None if sums[start, one["Surface"]]["stalls"] else 0
            checks.equal(one["numbers"]["frozen"], frozen, f"{name}: frozen without frames.csv: a stall may be one")
            for column, value in sums[start, one["Surface"]].items():
                checks.equal(one["numbers"][column], value, f"{name}: {section['section']}: {one['Surface']}: {column} of rows")
    checks.that(any("frames.csv is missing" in notice for notice in session["notices"]), f"{name}: notices {session['notices']}")


def part_of_frames(checks, out):
    """With a gap in frames.csv the sections that have all frames are computed from it, and no other."""
    truth, text = expected(out), (out / "frames.csv").read_text()
    lines, sources = text.splitlines(keepends=True), collections.Counter()
    for gap in range(1, len(lines) - 30, 30):
        (out / "frames.csv").write_text("".join(lines[:gap] + lines[gap + 30:]))
        for n, section in enumerate(model(out)[0]["sections"]):
            for one in section["surfaces"]:
                frames = truth[-1 if n == 0 else round(section["from(s)"] * 1e6), one["Surface"]]["frames"]
                sources[one["source"]] += 1
                checks.that(one["source"] == "fps.csv" or one["numbers"]["frames"] == frames,
                            f"without rows from {gap}: {section['section']}: {one['Surface']}: {one['numbers']['frames']} frames, {frames} in all")
    (out / "frames.csv").write_text(text)
    checks.that(sources["frames.csv"] > sources["fps.csv"] > 0, f"sources {sources}")


def selected(checks, out, trace):
    """--section and --surface select; all sections with the name are there."""
    session, = model("--section", "level 1", "--surface", "*MainActivity", out)
    checks.equal([section["section"] for section in session["sections"]], ["level 1"] * 3, "sections with the name")
    checks.equal({one["Surface"] for section in session["sections"] for one in section["surfaces"]}, {"com.example.mail/com.example.mail.MainActivity"}, "Surfaces that are selected")
    # A condition is judged of a section with enough data.
    analyze(out.parent / "long", "-", input=marked(trace.read_bytes(), [15], "end {}".format))
    for folder_, section, limit, code in ((out, "level 1", 1000, 4), (out, "no such", 1000, 4), (out.parent / "long", "(before *", 1000, 3),
                                          (out.parent / "long", "(before *", 1, 0)):
        done = report("--section", section, "--fail-if", f"FPS < {limit}", "--allow-freezes", "9", "--surface", "*MainActivity", "--strict", folder_)
        checks.equal(done.returncode, code, f"exit code for {section}, FPS < {limit}: {done.stderr}")


for name in ("demo", "culprits", "drops-120"):
    with folder() as here:
        trace = scenario(name, here / "trace.txt", seconds=20)
        # Two marks every 3.4 s; "level 1" comes again and again at last.
        text = marked(trace.read_bytes(), MARK_S, lambda n: f"level {n if n < 8 else 1}")
        analyze(here / "out", "--frames-log", "-T", 2, "-", input=text)
        from_frames(checks, name, here / "out")
        if name == "demo":
            selected(checks, here / "out", trace)
            part_of_frames(checks, here / "out")
        from_rows(checks, name, here / "out")
checks.end()
