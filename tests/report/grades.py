# SPDX-License-Identifier: Apache-2.0
"""Time lost, freezes, grade, causes in seconds and sections of --json, --csv, --markdown and the text equal a computation of this test
from frames.csv, events.csv and summary.csv alone."""

import collections, csv, io, itertools, json, lzma, pathlib, re, subprocess, sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "lib"), str(TESTS / "golden")]
import synthetic
from csv_files import second, write, write_events
from jankd import PANELS, REPORT, TRACES, analyze, checks, folder, jankd, microseconds, rows, unpack
from report import by_culprit, marked, model, report, scenario, without
from verdict import WAIT_MS, Layer, render_steps

ENDLESS = re.compile(r"([\d.]+) ms on (.*?)(?: of [^ ;]+)?(; doFrame [\d.]+ ms \(not ended\))?; no frame ended it")
GAP = re.compile(r"([\d.]+) ms on (.*?)(?: of [^ :]+)?: an unexplained")
HOLE = re.compile(r"; ([\d.]+) s without events")
WHOLE = None  # in the place of a section
NAMES = {"app": "App too slow", "gpu": "App's GPU work", "unknown": "Unknown", "scheduling": "App woken too late", "stuffing": "Queue too full",
         "surfaceflinger-cpu": "System compositor (CPU)", "surfaceflinger-gpu": "System compositor (GPU)", "dropped": "Frame thrown away"}


class Facts:
    """What a grade is made of, in ms, by the contract."""

    def __init__(self):
        self.frames = self.unknown = self.late = self.freezes = 0
        self.time = self.late_ms = self.freeze_ms = self.longest = self.gap_ms = 0.0
        self.uncounted = []  # from, to in us: of all Surfaces
        self.causes, self.misses_rule = collections.defaultdict(lambda: [0, 0.0]), False

    def lose(self, cause, ms, is_freeze):
        self.causes[cause][0] += 1
        self.causes[cause][1] += ms
        if is_freeze:
            self.freezes, self.freeze_ms, self.longest = self.freezes + 1, self.freeze_ms + ms, max(self.longest, ms)
        else:
            self.late, self.late_ms = self.late + 1, self.late_ms + ms

    def drawing(self):
        return self.time + self.freeze_ms

    def rate(self):
        return 1000 * (self.late_ms + self.freeze_ms) / self.drawing() if self.drawing() else 0

    def without_numbers(self):
        """Their union."""
        covered, until = 0, -1
        for begin, end in sorted(self.uncounted):
            covered, until = covered + max(0, end - max(begin, until)), max(end, until)
        return covered / 1000

    def grade(self, missing, span):
        minutes, lost = self.drawing() / 60000, self.rate()
        often = self.freezes if self.freezes > 1 else 0
        if self.drawing() < 5000 or self.frames < 100:
            return "TOO SHORT"
        if lost > 30 or often > minutes:
            return "BAD"
        if lost > 10 or self.longest >= 1000 or often > minutes / 10:
            return "POOR"
        if lost > 5 or self.freezes or self.misses_rule:
            return "FAIR"
        if max(missing, self.without_numbers()) > 0.05 * span:
            return "INCOMPLETE"
        return "UNCLEAR" if self.gap_ms > 0.05 * (self.drawing() + self.gap_ms) or 2 * self.unknown > self.frames else "GOOD"


def expected(out):
    """{(app, WHOLE or the time of the mark): Facts}, and the holes."""
    events = rows(out, "events.csv")
    marks = [-1] + [microseconds(row["time(s)"]) for row in events if row["kind"] == "mark"]
    stalls = {(microseconds(row["time(s)"]), row["text"].split(" on ", 1)[1]) for row in events if row["kind"] == "stall"}
    steps = render_steps(events)
    found, layers, last, apps, waits = collections.defaultdict(Facts), collections.defaultdict(lambda: Layer(steps)), {}, {}, []

    def places(app, at):
        return [found[app, WHOLE]] + [found[app, max(mark for mark in marks if mark <= at)]]

    for row in rows(out, "frames.csv"):
        at, surface = microseconds(row["present(s)"]), row["Surface"]
        if not row["app"] or row["app"] not in surface:
            continue
        apps[surface] = row["app"]
        lost, _ = layers[row["layer"]].harm_and_gap(row)
        before, last[row["layer"]] = last.get(row["layer"]), at
        for facts in places(row["app"], at):
            if not row["interval(ms)"]:
                if before is not None:
                    facts.uncounted.append((max(before, at - 500000), at))
                continue
            interval, is_stall = float(row["interval(ms)"]), any((at, surface + rest) in stalls for rest in ("", f" of {row['app']}"))
            if interval < (WAIT_MS if row["vsyncs"] else 500):
                facts.frames, facts.time, facts.unknown = facts.frames + 1, facts.time + interval, facts.unknown + (not row["vsyncs"])
                if lost:
                    facts.lose(row["cause"] or "unknown", lost, False)
            elif is_stall:
                facts.lose(row["cause"] or "unknown", interval, True)
            else:  # perhaps a gap: its event comes later, in tenths of a millisecond
                waits.append((at, surface, row["interval(ms)"][:-5]))
    for row in events:
        endless, gap = (pattern.match(row["text"]) if row["kind"] == kind else None for kind, pattern in (("stall", ENDLESS), ("pause", GAP)))
        if endless or gap:
            at = microseconds(row["time(s)"])
            at = next((end for end, *wait in reversed(waits) if gap and end <= at and wait == [gap[2], gap[1]]), at)
            for facts in places(apps[(endless or gap)[2]], at) if (endless or gap)[2] in apps else ():
                if endless:
                    facts.lose("app" if endless[3] else "unknown", float(endless[1]), True)
                else:
                    facts.gap_ms += float(gap[1])
    for row in rows(out, "summary.csv"):
        if apps.get(row["Surface"]) and row["verdict"].startswith("fail"):
            for app, section in found:  # a section has the rule of the session
                found[app, section].misses_rule |= app == apps[row["Surface"]]
    holes = [(microseconds(row["time(s)"]) - float(seconds[1]) * 1e6, microseconds(row["time(s)"])) for row in events if row["kind"] == "lost" and (seconds := HOLE.search(row["text"]))]
    return found, holes


def same(checks, what, app, facts, grade):
    got = app["facts"]
    for key, value, near in (("drawing(s)", facts.drawing() / 1e3, 2e-4), ("lost(ms/s)", facts.rate(), 0.05), ("late time(s)", facts.late_ms / 1e3, 2e-3),
                             ("freeze time(s)", facts.freeze_ms / 1e3, 2e-4), ("longest freeze(s)", facts.longest / 1e3, 1e-4),
                             ("gap time(s)", facts.gap_ms / 1e3, 2e-4)):
        checks.that(abs(got[key] - value) <= near, f"{what}: {key} is {got[key]}, computed {value}")
    checks.that(abs(got["lost(ms/s)"] * got["drawing(s)"] - 1000 * (got["late time(s)"] + got["freeze time(s)"])) < 5e-3, f"{what}: lost(ms/s), which pages round again: {got}")
    checks.equal((got["frames"], got["late frames"], got["freezes"], got["unknown vsyncs"]),
                 (facts.frames, facts.late, facts.freezes, facts.unknown), f"{what}: frames, late frames, freezes, unknown vsyncs")
    checks.equal({cause: one["times"] for cause, one in got["causes"].items()}, {cause: n for cause, (n, _) in facts.causes.items()}, f"{what}: causes")
    for cause, one in got["causes"].items():
        checks.that(abs(one["lost(s)"] - facts.causes[cause][1] / 1e3) < 2e-3, f"{what}: {cause}: {one}, computed {facts.causes[cause]}")
    checks.equal(([*got["causes"]], app["grade"]), (by_culprit(got["causes"]), grade), f"{what}: the culprit that lost most is first; {what}: grade")


def given_back(checks, name, out, apps):
    """--grades has the apps of --json, and says the same of the facts that --json prints, but for frame rates and places, which are no facts, and for what
    microseconds round."""
    first = json.loads(report("--grades", out).stdout)
    checks.equal([{key: app[key] for key in app if key not in ("folder", "session_id")} for app in first], [{key: app[key] for key in app if key != "surfaces"} for app in apps], f"{name}: --grades")
    again = json.loads(subprocess.run([REPORT, "--grades", "-"], input=json.dumps(first), capture_output=True, text=True, check=True).stdout)
    for app, one in zip(apps, again, strict=True):
        checks.equal((one["facts"], one["grade"], [cause["cause"] for cause in one["causes"]]), (app["facts"], app["grade"], list(app["facts"]["causes"])), f"{name}: --grades -")
        checks.that(one["sentence"][:40] == app["sentence"][:40] or "even" in app["sentence"], f"{name}: --grades - says {one['sentence']}")
        whose, said = (re.sub(r"\d+ %", "", words["whose"] or "") for words in (one, app))
        checks.that(re.split(" No long | Unknown: ", said)[0].endswith(whose), f"{name}: --grades - says {one['whose']}")


def outputs(checks, name, out, session, truth):
    """The text and --markdown have the numbers of the app, and --csv adds up to them."""
    said, markdown = report(out).stdout, report("--markdown", out).stdout
    table = list(csv.DictReader(io.StringIO(report("--csv", out).stdout)))
    given_back(checks, name, out, session["apps"])
    for app in session["apps"][:3]:  # the others are not in the text
        facts, own = truth[app["app"], WHOLE], [row for row in table if row["app"] == app["app"] and row["app"] in row["Surface"]]
        for cause, (n, ms) in facts.causes.items():
            checks.that(f"{NAMES[cause]} {ms / 1e3:.2f} s ({n})" in said or f"| {NAMES[cause]} | {ms / 1e3:.2f} s | " in markdown, f"{name}: {cause} of {ms} ms is in\n{said}\n{markdown}")
        plain = markdown.replace("\\", "")
        checks.that(f"**{app['grade']}** {app['sentence']}" in plain and f"{app['grade']}: {app['sentence']}" in said, f"{name}: {app['sentence']}")
        checks.that(not app["whose"] or app["whose"] in plain and app["whose"] in " ".join(said.split()), f"{name}: {app['whose']}")
        for section in (True, False):  # a section is a part of the session
            rest = [row for row in own if bool(row["section"]) == section]
            if rest:
                lost = sum(float(row["late time(S)"] or 0) + float(row["stall time(S)"] or 0) for row in rest)
                ended = sum(ms for _, ms in facts.causes.values()) - sum(float(found[1]) for row in rows(out, "events.csv") if (found := ENDLESS.match(row["text"])) and app["app"] in row["text"])
                checks.that(abs(lost - ended / 1e3) < 3e-3, f"{name}: --csv lost {lost} s, computed {ended} ms")
    for section in session["sections"]:
        for app in section["apps"]:
            of, missing = app["facts"], app["facts"]["missing(s)"] > 0
            late, freezes = missing or 20 * of["unknown vsyncs"] > of["frames"], missing or of["more freezes"] or of["gaps"] > 0
            rate = (late or freezes) and not (missing and of["lost(ms/s)"] > 0)
            line = f"  {app['grade']} {app['app']}: {'≥ ' * rate}{of['lost(ms/s)']:.0f} ms lost per second, {'≥ ' * freezes}{of['freezes']} freeze"
            checks.that(line in said, f"{name}: {line} is not in\n{said}")


def gates(checks, name, out, session, truth):
    """A condition judges the numbers of the app: all its Surfaces, with stalls that no frame ended."""
    table, metrics = rows(out, "summary.csv"), ("freezes(/10min)", "freezes", "lost(ms/s)", "longest(ms)", "missed vsyncs(/1000 frames)")
    said = report(*(word for metric in metrics for word in ("--fail-if", f"{metric} >= 0")), out).stderr
    for app in session["apps"]:
        facts, own = truth[app["app"], WHOLE], [row for row in table if row["app"] == app["app"] and row["app"] in row["Surface"]]
        known = sum(int(row["frames"]) - int(row["unknown vsyncs"]) for row in own)
        longest = max([facts.longest, *(float(row["longest(ms)"] or 0) for row in own)])
        for metric, value in zip(metrics, (600e3 * facts.freezes / facts.drawing(), facts.freezes, facts.rate(), longest,
                                           1000 * sum(int(row["missed vsyncs"] or 0) for row in own) / known if known else None), strict=True):
            found = re.search(rf": {re.escape(app['app'])}: {re.escape(metric)} is ([\d.]+)$", said, re.M)
            checks.that(not found or value is not None and abs(float(found[1]) - value) < 0.051, f"{name}: {app['app']}: {metric}: {found}, computed {value}")
    return said


def judge(checks, name, out, least=1):
    session, = model(out)
    truth, holes = expected(out)
    begin, end = session["from(s)"] * 1e6, session["to(s)"] * 1e6
    started, stopped = (microseconds(row["time(s)"]) for row in rows(out, "events.csv") if row["kind"] in ("start", "stop"))
    span = (max(end, stopped) - min(begin, started)) / 1e3
    checks.equal({app["app"] for app in session["apps"]}, {app for app, section in truth if section is WHOLE and truth[app, section].frames}, f"{name}: apps")
    checks.that(len(session["apps"]) >= least, f"{name}: {len(session['apps'])} apps")
    for app in session["apps"]:
        facts = truth[app["app"], WHOLE]
        same(checks, f"{name}: {app['app']}", app, facts, facts.grade(app["facts"]["missing(s)"] * 1e3, span))
        checks.that(abs(app["facts"]["captured(s)"] * 1e3 - span) < 0.002, f"{name}: captured {app['facts']['captured(s)']} s, from start to stop {span} ms")
        missing = max(json.loads((out / "session.json").read_text())["counters"]["lost"]["seconds_without_events"], facts.without_numbers() / 1e3)
        checks.that(app["facts"]["more freezes"] or abs(app["facts"]["missing(s)"] - missing) < 0.002, f"{name}: missing {app['facts']['missing(s)']} s, computed {missing}")
    for n, section in enumerate(session["sections"]):
        start, since = (-1, begin) if n == 0 else [round(section["from(s)"] * 1e6)] * 2
        to = round(section["to(s)"] * 1e6)
        missing = sum(max(0, min(to, b) - max(since, a)) for a, b in holes) / 1e3
        for app in section["apps"]:
            facts = truth[app["app"], start]
            if facts.frames + facts.freezes:
                same(checks, f"{name}: {section['section']}: {app['app']}", app, facts, facts.grade(missing, (to - since) / 1e3))
    outputs(checks, name, out, session, truth)
    return gates(checks, name, out, session, truth)


def in_one_hole(checks, here):
    """What three Surfaces of an app miss in one hole is missing once: for jankd, for jank-report, and without each file."""
    name, lines = "com.example.scroll/com.example.scroll.MainActivity#75", []
    for line in scenario("steady-60", here / "trace.txt", seconds=20).read_text().splitlines(keepends=True):
        lines += [line, *(line.replace(name, f"com.example.scroll/com.example.scroll.Panel{n}#{80 + n}") for n in (1, 2) if name in line and ": B|" not in line)]
    (here / "three.txt").write_text(without("".join(lines), 9, 9.6))
    first = json.loads(jankd("analyze", "--json", "-F", here / "three", "--frames-log", here / "three.txt").stdout)["apps"][0]
    checks.equal((first["grade"], round(first["facts"]["missing(s)"], 1), len(first["surfaces"])), ("GOOD", 0.6, 3), "one hole of three Surfaces: jankd")
    judge(checks, "one hole of three Surfaces", here / "three")
    for out, _, (app, *_), _ in left(here, here / "three.txt", (), ("summary.csv",), ("events.csv",), ("summary.csv", "events.csv", "session.json")):
        checks.that(app[0] == "GOOD" and 0.6 <= app[1]["missing(s)"] < 0.66, f"one hole of three Surfaces: {out}: {app}")


def short_holes(checks, here):
    """Without frames.csv, too, what lies between the frames of many holes is missing: as in jankd, to the jitter of presents and half a frame of a slower Surface."""
    fast, slow = (f"com.example.app/com.example.app.{name}" for name in ("Fast#1", "Slow#2"))
    for what, every, holes, options, grade, near in (("one Surface", 9999, [(at, 0.05) for at in range(1, 59)], (), "INCOMPLETE", 0.02), ("fast and slow", 6, [(5 + 9.13 * n, 0.45) for n in range(5)], (), "GOOD", 0.3),
                                                     ("rows of many holes", 6, [(5 + 2 * n, 0.07) for n in range(25)], ("-d", 10), "INCOMPLETE", 0.6)):
        lines, lost = [], False
        for n in range(3600):
            if any(at <= n / 60 < at + long for at, long in holes):
                lost = True
                continue
            lines, lost = lines + ["CPU:0 [LOST 50 EVENTS]\n"] * lost, False
            for line in synthetic.frame(100000000 + n * 16667, n, fast).splitlines(keepends=True):
                lines += [line, line.replace(fast, slow)][:1 + (fast in line and n % every == 0)]
        first = json.loads(jankd("analyze", "--json", "-F", out := here / what, *options, "-", input="".join(lines).encode()).stdout)["apps"][0]
        checks.that(first["grade"] == grade and first["facts"]["missing(s)"] > 2.3, f"{what}: {first}")
        for gone in ((), ("summary.csv",)):
            for file in gone:
                (out / file).unlink()
            checks.that((app := model(out)[0]["apps"][0])["grade"] == grade and abs(app["facts"]["missing(s)"] - first["facts"]["missing(s)"]) < near, f"{what} without {gone}: {app['grade']} {app['facts']} {first['facts']}")


def timeline(checks, here):
    """Without markers of SurfaceFlinger there is no grade; what FrameTimeline says of each app is told, by jankd, too."""
    (here / "trace").write_bytes(lzma.decompress((TRACES / "android-13-frametimeline" / "trace.perfetto-trace.xz").read_bytes()))
    done = jankd("analyze", "-F", here / "timeline", here / "trace").stdout.decode().replace("\n  ", " ")
    counts = collections.Counter((row["app"], row["on time finish"]) for row in rows(here / "timeline", "frametimeline.csv") if row["kind"] == "surface")
    for output in (done, report(here / "timeline").stdout, report("--markdown", here / "timeline").stdout):
        for app in {app for app, _ in counts if app}:
            line = f"{counts[app, '0']} of {counts[app, '0'] + counts[app, '1']} frames missed the app's deadline"
            checks.that(any(app in one and "no grade: the trace has no markers of the system compositor" in one and line in one for one in output.split("\n")), f"{app}: {line} is not in\n{output}")
        checks.that("17 of 821 frames" in output, output)
    header, *table = (path := here / "timeline/frametimeline.csv").read_text().splitlines(True)
    path.write_text(header + "".join(next(row for row in table if "nowinandroid" in row).replace("com.google.samples.apps.nowinandroid.demo", f"com.small.a{n}") for n in range(11)) + "".join(table))
    checks.that("a0" in (said := report(here / "timeline").stdout) and "17 of 821 frames" in said, f"the one with most frames is not the first: {said}")
    (here / "trace").write_bytes(lzma.decompress((TRACES / "android-15-startup" / "trace.perfetto-trace.xz").read_bytes()))
    analyze(here / "left out", "--include", "StatusBar", here / "trace")
    checks.that("no markers" not in (said := report(here / "left out").stdout), f"the markers are there: {said}")


def clocks(checks, here):
    """The clock begins anew: no time from the begin of the session is told, and the length is that of both parts."""
    even, hangs = (scenario(name, here / name, seconds=20).read_text() for name in ("steady-60", "hang-doframe"))
    trace = even + re.sub(r"(?<= )1(0\d\d\.\d{6}: )", r"\1", hangs).partition("\n")[2]
    for text in (jankd("analyze", "-F", here / "clocks", "--frames-log", "-", input=trace.encode()).stdout.decode(), report(here / "clocks").stdout, report("--markdown", here / "clocks").stdout):
        checks.that(not re.search(r"\d:\d\d\b", text) and re.search(r" at 0?\d+\.\d{3} s", text), f"times of two clocks: {text}")
    for gone in ("none", ",stop,", ",start,"):  # the last ones of a capture that was killed
        (events := here / "clocks/events.csv").write_text("".join(line for line in events.read_text().splitlines(True) if gone not in line))
        checks.that(", 39 s, complete" in (text := report(here / "clocks").stdout) and "39 s it drew" in text and "note: the trace's clock stepped back" in text, f"the length of two clocks without {gone}: {text}")
    analyze(here / "begin", "--frames-log", here / "hang-doframe")
    (events := here / "begin/events.csv").write_text(f"{events.read_text()}1002.000000,,mark,list\n")  # in the first freeze
    checks.that("freeze, list (began in (before the first mark)), App too slow, 1 time, 0.60 s" in (text := report(here / "begin").stdout), f"the section where it began: {text}")
    header, *frames = (path := here / "begin/frames.csv").read_text().splitlines(True)
    path.write_text(header + "".join(row.replace(",600.0", ",9600.0") if row.startswith("1002.08") else row for row in frames if float(row.split(",")[0]) > 1002.05))
    [(here / "begin" / name).unlink() for name in ("fps.csv", "summary.csv")]
    checks.that(" 6 times, 0.60 to 9.60 s, 14.58 s lost, first at 0:00: " in (text := report(here / "begin").stdout), f"no moment is before what is recorded: {text}")


def left(here, trace, *gone):
    """(folder, which files of it are gone, its session, grade of the app, of the app in sections, with facts), with frames.csv and without."""
    for options, files in itertools.product((("--frames-log",), ()), gone):
        analyze(out := here / f"{options} without {files}", *options, trace)
        for file in files:
            (out / file).unlink()
        session, = model(out)
        yield out, files, *([(app["grade"], app["facts"]) for app in apps] for apps in (session["apps"], [app for section in session["sections"] for app in section["apps"]]))


def unknown_waits(checks, here):
    """A hole in a freeze, whose row has no number of freezes: the others count, whatever files are left, and all say that there may be more."""
    (here / "trace.txt").write_text(without(marked(scenario("hang-doframe", here / "trace.txt", seconds=40).read_bytes(), (15, 14), "screen {}".format).decode(), 4.9, 5.1))
    first = json.loads(jankd("analyze", "--json", "-F", here / "json", here / "trace.txt").stdout)["apps"][0]
    keys, before = ("freezes", "more freezes", "longest freeze(s)", "lost(ms/s)", "missing(s)"), None
    for out, gone, *apps in left(here, here / "trace.txt", (), ("summary.csv",), ("events.csv",), ("summary.csv", "events.csv")):
        whole, sections = ([(grade, *(round(facts[key], 3) for key in keys)) for grade, facts in one] for one in apps)
        before = before or sections
        checks.equal((whole, sections), ([(first["grade"], *(round(first["facts"][key], 3) for key in keys))], [] if "events.csv" in gone else before), f"{out.name}: as jankd says")
        said, markdown, metrics = (report(*option, out).stdout for option in ((), ("--markdown",), ("--openmetrics",)))
        checks.that(all("12 freezes or more (longest 1.45 s)" in text and "2019" not in text for text in (said, markdown)) and ("events.csv" in gone or re.search("- freeze, screen 0,.* 4 times, 0[.]", markdown)), f"{out.name}: {said} {markdown}")
        checks.that('app="com.example.scroll",section=""} 12\n' in metrics and 'more_freezes{device="",model="",build="",app="com.example.scroll",section=""} 1\n' in metrics, metrics)
        checks.equal([report("--fail-if", condition, out).returncode for condition in ("freezes > 0", "lost > 30", "FPS < 5", "grade < FAIR", "freezes > 12")], [3, 3, 3, 3, 0], out.name)
    # A text tells the length of a hole with the next one: each is in its section; without events.csv it is not forgotten.
    (here / "trace.txt").write_text(without(without(marked(scenario("steady-60", here / "trace.txt", seconds=40).read_bytes(), (10, 10), "screen {}".format).decode(), 5, 7), 24, 27))
    for out, gone, *apps in left(here / "holes", here / "trace.txt", (), ("session.json",), ("summary.csv",), ("summary.csv", "session.json"), ("summary.csv", "session.json", "events.csv")):
        checks.equal([[(grade, round(facts["missing(s)"], 1)) for grade, facts in one] for one in apps],
                     [[("INCOMPLETE", 5.0)], [("INCOMPLETE", 2.0), ("GOOD", 0.0), ("INCOMPLETE", 3.0), ("GOOD", 0.0)] if "events.csv" not in gone else []], f"holes: {out.name}")
    # Idle beside a loss is not told as a hole: where jankd said GOOD, where holes would be longer than what is missing, and where the length that is told is short.
    losses = ("105.000000", "lost", "CPU 0: 5 events lost"), ("110.000000", "mark", "two"), ("115.000000", "lost", "CPU 0: 5 events lost; 0.002 s without events")
    for name, missing, said, holes in (("idle", None, "GOOD", []), ("both", 3.002, None, [("TOO SHORT", 3.0), ("INCOMPLETE", 3.0)]), ("none", 0, None, [("TOO SHORT", 0.0), ("GOOD", 0.0)]),
                                       ("no length", None, None, [("TOO SHORT", 3.0), ("INCOMPLETE", 3.0)])):
        write(here / name, "fps.csv", [second(at) for at in (*range(100, 103), *range(108, 115), *range(118, 125))])
        write_events(here / name, ("100.000000", "start", "x"), *losses)
        if missing is not None:
            (here / name / "session.json").write_text(json.dumps({"schema": 1, "counters": {"lost_events": 5, "lost_unknown": 0, "lost": {"seconds_without_events": missing}}}))
        if said:
            write(here / name, "summary.csv", [{**SURFACE, "grade": said}])
        session, = model(here / name)
        found = [(app["grade"], round(app["facts"]["missing(s)"], 1)) for section in session["sections"] for app in section["apps"]]
        checks.equal((found, session["apps"][0]["grade"]), (holes or [("TOO SHORT", 0.0), ("GOOD", 0.0)], "INCOMPLETE" if holes and missing != 0 else "GOOD"), f"idle and a hole: {name}")


SURFACE = {"app": "com.a", "Surface": "com.a/com.a.Main", "first(s)": "100.0", "last(s)": "125.0", "FPS": "57", "frames": 1200, "Time(S)": "19.000000", "waiting time(S)": "0.000000", "wait times": 0, "stalls": 0,
           "stall time(S)": "0.000000", "late frames": 0, "late time(S)": "0.000000", "lost(ms/s)": "0", "longest(ms)": "16.667", "unknown vsyncs": 0, "verdict": "pass app", "missed vsyncs": 0}


def small_surfaces(checks, here):
    """What jankd said of a small Surface, a wait of which may be a freeze, is not said of its app: but one that froze did."""
    main = {**SURFACE, "last(s)": "400.0", "frames": 17000, "Time(S)": "295.000000", "grade": "GOOD"}
    menu = {**main, "Surface": "com.a/com.a.Menu", "frames": 600, "Time(S)": "10.000000", "waiting time(S)": "0.600000", "wait times": 1, "stalls": "", "stall time(S)": "", "lost(ms/s)": "", "longest(ms)": ""}
    for said, verdict, *grades in (("TOO SHORT", "", "GOOD", "GOOD"), ("BAD", "", "FAIR", "BAD"), ("FAIR", "fail app 48.2<55", "GOOD", "FAIR"), ("UNCLEAR", "", "GOOD", "UNCLEAR"), ("INCOMPLETE", "", "INCOMPLETE", "INCOMPLETE")):
        write(here / said, "summary.csv", [main, {**menu, "grade": said, "verdict": verdict}])
        write_events(here / said, ("100.000000", "start", "x"), ("160.000000", "lost", "CPU 0: 5 events lost"))
        told = [model(*option, here / said)[0]["apps"][0] for option in ((), ("--surface", "com.a/com.a.Menu"))]
        checks.equal([app["grade"] for app in told], grades, f"an app of two Surfaces, of which one is said to be {said}")
        checks.that("freezes not known" in told[0]["sentence"] and not any("events.csv" in app["sentence"] + app["sentence zh"] for app in told), f"{said}: {told}")
        checks.equal([report("--strict", "--fail-if", f"{what} > 1000", here / said).returncode for what in ("freezes", "longest", "lost")], [4] * 3, f"gates on {said}")
    # What is known to be lost is lost, whatever else may be; 2 s late in 120 frames, 3 s in 5 freezes.
    late = {**menu, "Surface": main["Surface"], "stalls": 5, "stall time(S)": "3.000000", "late frames": 120, "late time(S)": "2.000000", "longest(ms)": "900.000", "lost(ms/s)": "384.6", "grade": "BAD"}
    write(here / "late", "summary.csv", [late])
    limits = {"time lost(ms)": 4999, "stall time(S)": 2.9, "late frames": 119, "late time(S)": 1.9, "longest": 899, "lost": 384, "freezes": 4, "stalls": 4, "jank": 4, "freezes(/10min)": 9}
    checks.equal({what: report("--allow-freezes", "99", "--fail-if", f"{what} > {limit}", here / "late").returncode for what, limit in limits.items()}, dict.fromkeys(limits, 3), "known time that is lost")
    write(here / "plain", "fps.csv", [second(at, **{"late frames": 5, "late time(S)": "0.2"}) for at in range(100, 160)])
    for option in ((), ("--markdown",), ("--openmetrics",), ("--json",)):
        checks.that(not re.search(r"\bnan\b", said := report(*option, here / "plain").stdout, re.I) and (option or "late for 12.00 s in 300 frames" in said), f"{option}: {said}")


def removed(checks, here):
    """Segments of events.csv that are gone may have freezes that no frame ended: no grade is better than jankd's, and no gate passes. A later session in
    the folder of one whose segments --keep removed has its own start."""
    start, later = ("100.000000", "start", "x"), ("120.000000", "mark", "two")
    for name, files, gone, is_whole in (("keep", {"events.csv": later}, 3, False), ("numbers", {"events-000004.csv": later}, None, False), ("gap", {"events-000001.csv": start, "events-000003.csv": later}, 0, False),
                                        ("later", {"events-000004.csv": start, "events.csv": later}, 3, True)):
        for said in ("BAD", "UNCLEAR", "GOOD"):
            write(out := here / f"{name} {said}", "summary.csv", [{**SURFACE, "grade": said}])
            for file, event in files.items():
                write_events(out, event)
                (out / "events.csv").rename(out / file)
            if gone is not None:
                (out / "session.json").write_text(json.dumps({"schema": 1, "counters": {"segments_removed": gone}}))
            session, = model(out)
            app, best = session["apps"][0], "GOOD" if is_whole else said
            checks.equal((app["grade"], app["facts"]["more freezes"], app["facts"].get("at most")), (best, best != "GOOD", best if best != "GOOD" else None), out.name)
            checks.equal(report("--fail-if", "freezes > 0", "--strict", out).returncode, 0 if best == "GOOD" else 4, f"a gate on {out.name}")
            checks.equal(any("removed by --keep" in notice and "events.csv" in notice for notice in session["notices"]), not is_whole, f"{out.name}: {session['notices']}")
            given_back(checks, out.name, out, session["apps"])


def known_waits(checks, here):
    """Lost events beside a wait are no doubt where summary.csv knows the freezes: with frames.csv and without it there is one grade."""
    frames = [{"present(s)": f"{100 + n / 60 + (n > 600) * 1.5:.6f}", "interval(ms)": "1516.667" if n == 601 else "16.667" if n else "", "vsyncs": 91 if n == 601 else 1, "app": "com.a", "Surface": SURFACE["Surface"],
               "layer": "com.a/com.a.Main#1", "lost events": 5 * (n == 601)} for n in range(1200)]
    for stalls, grades in (("0", ("GOOD", False)), ("", ("INCOMPLETE", True))):
        write(out := here / f"stalls {stalls}", "frames.csv", frames)
        write_events(out, ("100.000000", "start", "x"))
        write(out, "summary.csv", [{**SURFACE, "last(s)": "121.5", "frames": 1198, "waiting time(S)": "1.516667", "wait times": 1, "stalls": stalls, "stall time(S)": stalls, "grade": grades[0]}])
        checks.equal(((app := model(out)[0]["apps"][0])["grade"], app["facts"]["more freezes"]), grades, f"a wait beside lost events, {out.name}")


if __name__ == "__main__":
    for name, seconds in (("demo", 60), ("hang-doframe", 40), ("hang-native", 12), ("hang-killed", 12), ("hang-gpu", 12), ("drops-120", 20),
                          ("culprits", 30), ("culprits-game", 30), ("ltpo-film", 40)):
        with folder() as here:
            trace = scenario(name, here / "trace.txt", seconds=seconds, vocabulary="android-15" if name in PANELS else "android-14")
            judge(checks, name, analyze(here / "out", "--frames-log", "-T", 2, trace) and here / "out")
            if name == "hang-doframe":  # without summary.csv it is unknown how many are longer than 700 ms, but of the last one
                for file in ("frames.csv", "dropFrames.csv", "summary.csv"):
                    (here / "out" / file).unlink()
                (events := here / "out/events.csv").write_text(f"{events.read_text()}1041.500000,,stall,1500.0 ms on com.example.scroll/com.example.scroll.MainActivity of com.example.scroll; no frame ended it\n")
                checks.equal([report("--fail-if", f"frozen > {n}", "--strict", here / "out").returncode for n in (0, 2)], [3, 4], "frozen frames of freezes of unknown length")
            if name == "hang-native":  # marks between the gaps and their events
                (here / "marked.txt").write_bytes(marked(trace.read_bytes(), (2.3, 3.283, 3.283, 3.283), lambda n: f"screen {n}"))
                for options in (("--frames-log",), ()):
                    analyze(here / f"marked{options}", *options, here / "marked.txt")
                    gaps = [[app["facts"]["gaps"] for app in section["apps"]] for section in model(here / f"marked{options}")[0]["sections"]]
                    checks.equal(gaps, [[1], [1], [1], [1]], f"gaps before the marks {options}")
                judge(checks, "gaps before marks", here / "marked('--frames-log',)")
            if name == "demo":
                (here / "marked.txt").write_bytes(marked(trace.read_bytes(), (7, 9), lambda n: f"screen {n % 3}"))
                analyze(here / "marked", "--frames-log", "-T", 2, here / "marked.txt")
                judge(checks, "sections", here / "marked")
                (here / "hole.txt").write_text(without(trace.read_text(), 18, 26))
                analyze(here / "hole", "--frames-log", "-T", 2, here / "hole.txt")
                judge(checks, "hole", here / "hole")
                # A text says that events were lost where the hole begins.
                (here / "even.txt").write_text(without(scenario("steady-60", here / "steady.txt", seconds=60).read_text(), 18, 26))
                analyze(here / "even", "--frames-log", "-T", 2, here / "even.txt")
                judge(checks, "even", here / "even")
                said, app = report(here / "even").stdout, model(here / "even")[0]["apps"][0]
                checks.that("No frame of com.example.scroll was late in the 52 s captured, but 8.0 s (13 %) are missing (0:18 to 0:26): record" in said and "（0:18 到 0:26）" in app["sentence zh"], f"when it is missing: {app}")
    with folder() as here:
        clocks(checks, here)
        unknown_waits(checks, here)
        small_surfaces(checks, here)
        removed(checks, here)
        known_waits(checks, here)
    with folder() as here:
        in_one_hole(checks, here)
        short_holes(checks, here)
    with folder() as here:  # apps of two Surfaces, of which one hangs at the end
        analyze(here / "out", "--frames-log", scenario("app-switch", here / "trace.txt", seconds=60))
        (events := here / "out/events.csv").write_text(f"{events.read_text()}1059.000000,,stall,2500.0 ms on com.example.mail/com.example.mail.MainActivity of com.example.mail; no frame ended it\n")
        said = judge(checks, "two Surfaces", here / "out")
        checks.that("com.example.mail: freezes is 1\n" in said, f"the hang at the end: {said}")
        for option in ("--text", "--markdown"):
            checks.that(", 1 time, 2.50 s, 2.50 s lost, no frame ended it, at 0:56" in report(option, here / "out").stdout, f"the moment of the hang: {option}")
        said, markdown = (report(*option, "--surface", "*MainActivity", here / "out").stdout for option in ((), ("--markdown",)))
        for app in model("--surface", "*MainActivity", here / "out")[0]["apps"][:3]:
            checks.equal([(one["grade"], one["facts"]) for one in app["surfaces"]], [(app["grade"], app["facts"])], f"one Surface of {app['app']}")
            checks.that(f"**{app['grade']}** {app['sentence']}" in markdown and f"{app['grade']}: {app['sentence']}" in said
                        and app["sentence"].startswith(f"{app['app']}/"), f"what is told of one Surface: {app['sentence']} {said}")
    with folder() as here:  # a game that is slow in all sections, and hangs in the last one, which has no frame
        (here / "trace.txt").write_bytes(marked(scenario("game-30", here / "trace.txt", seconds=20).read_bytes(), (7, 9), lambda n: f"level {n}"))
        analyze(here / "out", "--frames-log", "--class", "app", here / "trace.txt")
        (events := here / "out/events.csv").write_text(f"{events.read_text()}1020.100000,,mark,stuck\n1022.600000,,stall,2500.0 ms on SurfaceView[com.example.game/com.example.game.GameActivity](BLAST) of com.example.game; no frame ended it\n")
        judge(checks, "slow", here / "out")
        grades = [[one["grade"] for one in (*section["apps"], section["surfaces"][0])] for section in model(here / "out")[0]["sections"]]
        checks.equal(grades, [["FAIR", "FAIR"]] * 2 + [["TOO SHORT", "TOO SHORT"]] * 2, "an app and its Surface in sections")
        checks.that(" freezes 1 in 0.0 s: SurfaceView" in report(here / "out").stdout, "the hang of its Surface")
    with folder() as here:  # a Surface whose name is what events say of a hang without an end
        trace = scenario("hang-doframe", here / "trace.txt")
        trace.write_bytes(trace.read_bytes().replace(b"com.example.scroll.MainActivity", b"x; no frame ended it"))
        analyze(here / "out", trace)
        checks.equal(((facts := model(here / "out")[0]["apps"][0]["facts"])["freezes without end"], facts["freezes"]), (0, int(rows(here / "out", "summary.csv")[0]["stalls"])), "a name like an event")
        longer, summary = f"{(row := rows(here / 'out', 'summary.csv')[0])['Surface']} of {row['app']}; doFrame 9.0 ms (not ended)", (here / "out/summary.csv").read_text()
        (here / "out/summary.csv").write_text(f"{summary}{summary.splitlines()[1].replace(row['Surface'], longer)}\n")
        (events := here / "out/events.csv").write_text(f"{events.read_text()}1004.000000,,stall,2500.0 ms on {longer} of {row['app']}; no frame ended it (2 similar events suppressed)\n1004.000000,,stall,1500.0 ms on {longer}; no frame ended it (happened at 1003.900000 s)\n")
        checks.equal({one["Surface"]: (one["facts"]["freezes without end"], "unknown" in one["facts"]["causes"]) for one in model(here / "out")[0]["apps"][0]["surfaces"]}, {row["Surface"]: (0, False), longer: (2, True)}, "a name like another's event")
    with folder() as here:  # 4 s of frames and a hang are enough for a grade, so they are for a condition; a shorter one fails where it is not allowed
        analyze(here / "out", scenario("steady-60", here / "trace.txt", seconds=4))
        events = (here / "out" / "events.csv").read_text()
        for ms, conditions in ((2500, {"grade < FAIR": 3, "lost(ms/s) > 30": 3} | {f"{condition} > {limit}": 3 * (limit == below) for condition, below, above in (
                                   ("freezes", 0, 1), ("stalls", 0, 1), ("frozen", 0, 1), ("jank", 0, 1), ("big jank", 0, 1), ("stall time", 2, 3), ("longest", 2400, 2600), ("stutter", 38, 39),
                                   ("jank(/10min)", 90, 95), ("big jank(/10min)", 90, 95), ("freezes(/10min)", 90, 95), ("time lost", 2400, 2600)) for limit in (below, above)}),
                               (700, {"grade < FAIR": 3, "freezes > 0": 3, "lost > 30": 3, "FPS < 1": 3, "longest > 600": 3, "longest > 900": 0, "freezes > 1": 0, "stall time > 0.6": 3, "frozen > 0": 0})):
            (here / "out" / "events.csv").write_text(f"{events}1004.000000,,stall,{ms}.0 ms on com.example.scroll/com.example.scroll.MainActivity of com.example.scroll; no frame ended it\n")
            for condition, code in conditions.items():
                checks.equal(((done := report("--fail-if", condition, here / "out")).returncode, "nothing was judged, so nothing passed" in done.stderr), (code, code == 0 and ms < 1000), f"a hang of {ms} ms after 4 s: {condition}")
    if TRACES.is_dir():
        with folder() as here:
            analyze(here / "out", "--frames-log", "-T", 2, unpack("android-9-list-jank", here))
            judge(checks, "android-9-list-jank", here / "out", 0)
            timeline(checks, here)
    else:
        checks.cannot_judge("a recorded trace", "../shared/traces is missing")
    checks.end()
