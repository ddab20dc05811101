# SPDX-License-Identifier: Apache-2.0
"""--compare on folders with known lateness: what changed is found, what did not is not, and too little data is said so."""

import itertools, json, os, random, re, xml.etree.ElementTree
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from csv_files import COLUMNS_2019, second, write, write_events
from jankd import analyze, checks, folder, rows, scenario
from report import report, without

PERIOD = 16666667


def run(path, noise, share, seconds, app="com.a", files=("frames.csv",), mark=None):
    """A run at 60 Hz in which a @share of the frames come in bursts of two and have 3 to 9 vsyncs."""
    now, late, frames, seconds_, sums = 100 * 10**9, 0, [], [], [0, 0, 0]
    of = {"app": app, "Surface": f"{app}/{app}.Main"}
    for n in range(int(seconds * 60)):
        if late == 0 and noise.random() < share / 2:
            late = 2
        vsyncs, late = (noise.randint(3, 9), late - 1) if late else (1, 0)
        now += vsyncs * PERIOD
        interval = {"interval(ms)": f"{vsyncs * PERIOD / 1e6:.6f}", "vsyncs": vsyncs} if n else {}
        frames.append({**of, **interval, "present(s)": f"{now / 1e9:.6f}", "layer": f"{app}#1", "frame number": n,
                       "cause": "app" if vsyncs > 1 else "", "lost events": 0})
        sums = [a + b for a, b in zip(sums, (vsyncs * PERIOD, vsyncs - 1, vsyncs > 5))]
        if len(frames) % 60 == 0:
            seconds_.append(second(now / 1e9 - 1, **of, **{"Time(S)": f"{sums[0] / 1e9:.6f}", "max time(ms)": 150, "missed vsyncs": sums[1], "jank": sums[2]}))
            sums = [0, 0, 0]
    for name in files:
        write(path, name, frames if name == "frames.csv" else seconds_)
    write_events(path, *([(f"{100 + mark}.0", "mark", "second half")] if mark else []))


def in_five(path, freezes, *events, frames=60):
    """5 minutes in five sections, without frames.csv: @freezes(second) of 1.2 s, else @frames in a second."""
    write(path, "fps.csv", [second(100 + n, **({"Time(S)": "0.800000", "FPS": "60.00", "frames": 48, "waiting time(S)": "1.200000", "wait times": 1,
                                               "stalls": 1, "stall time(S)": "1.200000"} if n in freezes else {"frames": frames})) for n in range(300)])
    write_events(path, *((f"{100 + 60 * n}.0", "mark", name) for n, name in enumerate(("login", "list", "checkout", "map", "mail"))), *events)


def hangs(path, each, *runs):
    """A run without sections for each of @runs: seconds of drawing, and how often it hangs for @each seconds."""
    for n, (seconds, times) in enumerate(runs):
        at, now = {(k + 1) * seconds // (times + 1) for k in range(times)}, 100
        out = []
        for k in range(seconds):
            hung = {"waiting time(S)": each, "wait times": 1, "stalls": 1, "stall time(S)": each} if k in at else {}
            out.append(second(now, **hung, **({"end time": now + 1 + each} if hung else {})))
            now += 1 + (each if hung else 0)
        write(path / str(n), "fps.csv", out)
        write_events(path / str(n), ("100.0", "start", "x"))
    return path


def obvious_hangs(here):
    """Runs that all freeze often or for most of their time, beside runs without, are no chance; one hang is, and what hides in longer runs."""
    calm = [(60, 0)] * 3
    for name, each, base, new, text in (
            ("often", 4, calm, [(18, 3), (12, 12), (40, 25)], "WORSE: com.a: often has"), ("long", 48, calm, [(12, 1)] * 3, "WORSE: com.a: long has"), ("work", 240, calm, [(60, 1)] * 3, "WORSE: com.a: work has"),
            ("once", 48, calm, [(60, 0), (12, 1), (60, 0)], r"UNCLEAR: com.a: once has 1 freeze [(]in 1 of 3 runs, 48 s of 3 minutes[)], base none in 3: too few to rule out chance; record more runs of both[.]"),
            ("half", 60, [(150, 0)] * 5, [(240, 1)] * 5, "UNCLEAR: com.a: half has 5 freezes [(]in 5 of 5 runs, 5 of 25 minutes[)]"),
            ("more", 1.2, [(60, 1), *calm[1:]], [(60, 7)] * 3, r"WORSE: com.a: more has 6.1 freezes[\s\S]* [+]1754.4 %: worse, as the number of freezes is beyond chance"), ("pair", 4, calm[:1], [(12, 12)], "WORSE: com.a: pair has"), ("pairs", 1.2, calm[:2], [(60, 4), (60, 4)], "WORSE: com.a: pairs has"), ("nine and two", 1.2, calm[:2], [(60, 9), (60, 2)], r"UNCLEAR: com.a: nine and two has 11 freezes [(]in 2 of 2 runs, "), ("short", 1.2, [(3600, 0)], [(60, 2)], r"UNCLEAR: com.a: short has 2 freezes [(]in 1 of 1 run, "), ("one of two", 1.2, calm[:2], [(60, 11), (60, 0)], "UNCLEAR: com.a: one of two has 11 freezes [(]in 1 of 2 runs, "), ("six and two", 1.2, calm[:2], [(60, 6), (60, 2)], "UNCLEAR: com.a: six and two has 8 freezes [(]in 2 of 2 runs, "),
            ("one", 1.2, calm[:1], [(60, 7)], "WORSE: com.a: one has"), ("beside one", 1.2, calm[:1], [(60, 7), (60, 7)], "WORSE: com.a: beside one has"), ("beside two", 1.2, calm[:2], [(60, 7)], "WORSE: com.a: beside two has"),
            ("single", 48, calm[:1], [(12, 1)], "UNCLEAR: com.a: single has 1 freeze [(]in 1 of 1 run, 48 of 60 s[)], base none in 1")):
        checks.that(re.match(text, (done := compare(hangs(here / name / "base", each, *base), hangs(here / name / name, each, *new))).stdout) and done.returncode == 3 * text.startswith("WORSE"), f"hangs, {name}: {done}")
    # Runs without events may have more freezes, but those that are known are no equality.
    for events in here.glob("once/*/*/events.csv"):
        events.unlink()
    checks.that(re.match("UNCLEAR: com.a: once has 1 freeze .in 1 of 3 runs, 48 s of 3 minutes., base none that is known in 3: too few", (done := compare(here / "once/base", here / "once/once")).stdout), f"a hang without events: {done.stdout}")
    for run in (here / "once/once").iterdir():
        write_events(run, ("100.0", "start", "x"))
    checks.that("+1754.4 %: worse, as the number of freezes is beyond chance, but by how much is not known" in (said := compare(here / "more/base", here / "more/more", "lost > +10%").stderr), f"in gates as in the table: {said}")
    gates(here / "once/base", here / "once/once", {"freezes > +0": 4}, "but NEW has 1 freeze, BASE none that is known: too few to rule out chance")


def compare(base, new, *conditions, more=()):
    done = report("--compare", base, "--new", new, *(word for condition in conditions for word in ("--fail-if", condition)), *more)
    checks.equal(re.findall(r".*(?:\(-.* to \+|any change).*: (?:worse|better)|.*allows any change, but NEW freezes.*", done.stdout + done.stderr), [], "noise that allows no change, beside a change")
    return done


def hidden_freezes(here):
    """Freezes that lost events hid are neither none nor fewer; those that are known are more than none."""
    for kind, run in itertools.product(("hidden", "frozen", "calm"), range(3)):
        at = {"wait times": 1, "waiting time(S)": "0.6", **({"stalls": 1, "stall time(S)": "0.6"} if kind == "frozen" else {"stalls": "", "stall time(S)": "", "lost events": 5})}
        write(here / kind / str(run), "fps.csv", [second(100 + n, **(at if n % 20 == 3 and kind != "calm" else {})) for n in range(300)])
        write_events(here / kind / str(run), ("100.0", "start", "x"), ("102.0", "lost", "CPU 0: 5 events lost"))
    for base, new, word, code in (("frozen", "hidden", "UNCLEAR", 4), ("hidden", "frozen", "UNCLEAR", 4), ("calm", "hidden", "UNCLEAR", 4), ("hidden", "calm", "UNCLEAR", 0), ("hidden", "hidden", "NO DIFFERENCE", 4),
                                  ("frozen", "calm", "BETTER", 0), ("calm", "frozen", "WORSE", 3)):
        done = report("--strict", "--fail-if", "freezes > -50%", "--compare", *(here / base / str(run) for run in range(3)), "--new", *(here / new / str(run) for run in range(3)))
        checks.equal((done.stdout.split(":")[0], done.returncode), (word, code), f"{base} and {new}: {done}")


def gates(base, new, codes, text):
    """What cannot be judged is said, also of freezes that no condition asks for, and once."""
    for condition, code in codes.items():
        checks.that((done := compare(base, new, condition, more=("--strict",))).returncode == code and {3: f"'{condition}': FAILED: " * condition.startswith("freezes"), 4: text}.get(code, "") in done.stderr and not ("freezes" in condition and done.stderr.count("to rule out chance") > 1), f"{condition} of {base} and {new}: {done.returncode}, {done.stderr}")


def in_json(base, new):
    return json.loads(compare(base, new, more=("--json",)).stdout)


def junit_of(path):
    """[what of its condition: failure, skipped or None]"""
    return [next((child.tag for child in case if child.tag != "system-out"), None) for case in xml.etree.ElementTree.parse(path).getroot()]


noise = random.Random(7)
with checks, folder() as here:
    for n in range(4):
        for name, share, how in (("base", 0.02, {"mark": 30}), ("same", 0.02, {"mark": 30}), ("worse", 0.04, {"mark": 30}), ("rows", 0.02, {"files": ("fps.csv",)}), ("rows worse", 0.06, {"files": ("fps.csv",)})):
            run(here / name / str(n), noise, share, 60, **how)
    run(here / "short", noise, 0.04, 10)
    run(here / "other", noise, 0.02, 60, app="com.b")
    base, worse, junit = here / "base", here / "worse", here / "junit.xml"
    done = compare(base, here / "same", "jank > +10%", "p99 > +10%", "FPS < -1%", more=("--junit", junit, "--strict"))
    checks.equal((done.returncode, done.stderr, junit_of(junit), "no difference beyond the noise" in done.stdout, "worse" in done.stdout), (0, "", [None] * 3, True, False), f"equal groups: {done.stdout}")
    for condition in ("jank(/10min) > +10%", "p99(ms) > +10%", "missed vsyncs(/1000 frames) > +5", "stutter(%) > +10%", "FPS < -1%"):
        checks.equal((compare(base, worse, condition).returncode, compare(worse, base, condition).returncode), (3, 0), f"{condition}; {condition}, the other way")
    done = compare(base, worse, "jank > +10%", "p99 > +10%", more=("--junit", junit))
    checks.equal((done.returncode, done.stderr.count(": FAILED: "), junit_of(junit), [word in done.stdout for word in ("worse", "better", "4 runs")]), (3, 2, ["failure"] * 2, [True, False, True]), f"worse: {done.stderr}{done.stdout}")
    # What a run lacks is a note, once for all runs that lack the same.
    run(here / "torn/1", noise, 0.02, 60)
    (here / "torn/1/fps.csv").write_text(",".join(COLUMNS_2019) + "\n100.0,101.0,60")
    text, cut = compare(base, here / "torn").stdout, "fps.csv: its last row is cut off; left out"
    checks.equal((f"note: {here}/torn/1: {cut}\n" in text, text.count(" and 4 more: session.json is missing")), (True, 1), f"a torn file, and what all runs lack: {text}")
    listed = in_json(base, here / "torn")["notices"]
    checks.that({"text": cut, "folder": f"{here}/torn/1", "runs": 1} in listed and [one["runs"] for one in listed if one["text"].startswith("session.json")] == [5], f"in JSON: {listed}")
    answer = in_json(base, worse)
    surface, = answer["surfaces"]
    changes = {change["metric"]: change for change in surface["changes"]}
    run(here / "even", random.Random(0), 0, 60)
    checks.equal((answer["base runs"], answer["new runs"], surface["Surface"], {one["by freezes"] for one in in_json(here / "even", worse)["surfaces"][0]["changes"]}), (4, 4, "com.a", {False}), "what was compared, and without freezes")
    # What groups, runs and sections lost, by the definitions from frames.csv: the cadence is 1 vsync.
    for side, group in (("base", base), ("new", worse)):
        lost = [[sum(int(row["vsyncs"] or 1) - 1 for row in each), sum(float(row["interval(ms)"] or 0) for row in each), len(each) - 1]
                for each in (rows(path, "frames.csv") for path in sorted(group.glob("*")))]
        for (missed, ms, frames), one in [*zip(lost, surface[side]["runs"]), ([sum(column) for column in zip(*lost)], surface[side])]:
            checks.that(abs(one["lost(ms/s)"] - 1e3 * missed * PERIOD / 1e6 / ms) < 0.002 and abs(one["FPS with freezes"] - 1e3 * frames / ms) < 0.002
                        and one["freezes"] == 0 and one["grade"] == "BAD", f"{side}: {missed} vsyncs in {ms} ms: {one}")
        # A share of the time is in frames of at least that length.
        times, all_ms = sorted((float(row["interval(ms)"] or 0) for path in group.glob("*") for row in rows(path, "frames.csv")), reverse=True), sum(one[1] for one in lost)
        for n, point in enumerate(surface[side]["curve"]):
            share, ms, longer = 10 ** (-n / 10), point["from(ms)"], [time for time in times if time > point["from(ms)"] + 0.002]
            least = sum(time for time in times if time >= ms - 0.002)
            checks.that(abs(point["time(%)"] - 100 * share) < 0.001 and sum(longer) < share * all_ms * (1 + 1e-6) <= least * (1 + 1e-5), f"{side}: {point}, {sum(longer)} to {least} of {all_ms} ms")
    sections = surface["sections"]
    checks.equal(([one["section"] for one in sections], {one["new"]["grade"] for one in sections}), (["(before the first mark)", "second half"], {"BAD"}), "sections")
    checks.that(abs(sum(one["new"]["drawing(s)"] for one in sections) - surface["new"]["drawing(s)"]) < 0.01, "sections add up")
    markdown = compare(base, worse, more=("--markdown",)).stdout.replace("\\", "")
    checks.that(markdown.startswith(f"**WORSE** com.a: {surface['lines'][0]}") and all(line in markdown for line in surface["lines"]), f"--markdown: {markdown}")
    for one in sections:
        cells = " | ".join(f"{one[side]['lost(ms/s)']:.1f} {one[side]['grade']}" for side in ("base", "new"))
        checks.that(f"| {one['section']} | {cells} | 0 -> 0 |" in markdown, f"--markdown: {one['section']}: {cells}")
    jank = changes["jank(/10min)"]
    checks.that(jank["from(%)"] < jank["change(%)"] < jank["to(%)"] and jank["noise"] > 1 and surface["effect"] > 0.005 and 0.7 < changes["p99(ms)"]["base"]["value"] < 1.4,
                f"jank: {jank}, effect: {surface['effect']}, share beyond p99: {changes['p99(ms)']}")
    checks.equal(in_json(base, worse), answer, "twice")
    # Groups are called by the folders that differ, in both languages; each comparison has its own conditions.
    done = report("--json", "--compare", *sorted(base.glob("*")), "--new", *sorted(worse.glob("*")), "--new", base, "--fail-if", "jank > +10%")
    one, two = json.loads(done.stdout)
    checks.equal([[each[side]["name"] for side in ("base", "new")] for each in (one, two)], [["base", "worse"], ["BASE", "NEW"]], "names of the groups")
    checks.that(not re.search("BASE|NEW", str(two["surfaces"][0]["lines zh"])) and "基准组" in str(two["surfaces"][0]["lines zh"]), f"groups without a name in Chinese: {two['surfaces'][0]['lines zh']}")
    told = report("--markdown", "--compare", "base/0", "--new", "same/1", "worse/1", "--new", "worse/0", "worse/2", cwd=here).stdout.replace("\\", "")
    checks.equal(re.findall(r"\| time lost \| (.*) \|\n|^(BASE: .*)", told, re.M), [("0 | 1 (+1)", ""), ("", "BASE: base/0; NEW: same/1 and 1 more"), ("0 | worse", ""), ("", "BASE: base/0; NEW: worse/0 and 1 more")], "names of relative folders")
    for letters, end in (("版本" * 30, "二"), ("ก" * 70, "1")):
        (long := here / f"{letters}{end}").symlink_to(base)
        checks.that(re.search(f"{letters[0]}[.][.][{letters}]+{end}", said := str(in_json(long, worse)["surfaces"][0]["lines zh"])), f"a long name has its end, and a sign that it is shortened: {said}")
    checks.equal([[(gate["condition"], gate["outcome"]) for gate in each["conditions"]] for each in (one, two)], [[("jank > +10%", "FAILED")], [("jank > +10%", "passed")]], "conditions")
    numbers = [re.findall(r"\d+\.\d|base|worse", line) for line in one["surfaces"][0]["lines"]]
    checks.equal(([re.findall(r"\d+\.\d|base|worse", line) for line in one["surfaces"][0]["lines zh"]], "worse loses" in one["surfaces"][0]["lines"][0]), (numbers, True), "lines in Chinese")
    # Too little, and nothing to compare: said, exit code 0, and 4 with --strict.
    for new, text in (("short", "not enough data"), ("other", "other has no frame of it: there is nothing to compare"), ("other", "not in NEW")):
        checks.that((done := compare(base, here / new, "jank > +10%", more=("--junit", junit))).returncode == 0 and text in done.stdout + done.stderr and set(junit_of(junit)) == {"skipped"}, f"{new}, {junit_of(junit)} in JUnit: {done.stdout}{done.stderr}")
        checks.equal(compare(base, here / new, "jank > +10%", more=("--strict",)).returncode, 4, f"{new} with --strict")
    # Rows of fps.csv alone: rates, no percentiles.
    checks.that((done := compare(here / "rows", here / "rows worse", "jank > +10%")).returncode == 3 and "needs frames.csv" in done.stdout, f"rows: {done.stdout}{done.stderr}")
    checks.equal(compare(here / "rows", here / "rows", "p99 > +10%", more=("--strict",)).returncode, 4, "percentiles of rows")
    checks.equal(compare(here / "rows", base, "jank > +10%").returncode, 0, "rows and frames of equal runs")
    # Rows of 2019 have no janks and stalls, and no vsyncs: they are not none.
    for path in list(here.glob("rows*/*/fps.csv")):
        write(here / "2019" / path.parent.relative_to(here), "fps.csv", rows(path), COLUMNS_2019)
    old = [here / "2019" / name for name in ("rows", "rows worse")]
    changes = (surface := in_json(*old)["surfaces"][0])["changes"]
    checks.equal([(surface[side]["grade"], surface[side]["lost(ms/s)"]) for side in ("base", "new")], [("", None)] * 2, "no grade, and nothing is known to be lost")
    checks.that("frames per second" in surface["lines"][0] and surface["lines"][-1].startswith("Compared by FPS alone: "), f"lines: {surface['lines']}")
    checks.equal(({change["metric"] for change in changes if "unknown" not in change}, any("20 s" in change.get("unknown", "") for change in changes)), ({"FPS"}, False), f"what files of 2019 have, and why the others are unknown: {changes}")
    checks.equal(compare(*old, "FPS < -1%").returncode, 3, "files of 2019")
    # A freeze in one section of each run and none in BASE: three runs are enough. Freezes that no frame ended count.
    for n in range(3):
        for name, freezes, *events in (("calm", ()), ("frozen", (130 + 20 * n,)), ("here and there", (10 + 120 * n,)), ("often", range(5 + n, 300, 23)), ("slow", range(3 + n, 300, 33)),
                                       ("hung", (), ("235.0", "stall", "1500.0 ms on com.a/com.a.Main of com.a; no frame ended it"))):
            in_five(here / name / str(n), freezes, *events, frames=57 if name == "slow" else 60)
    # Each of four runs hangs for a minute, and takes longer for it; none of four others does.
    for n in range(8):
        in_five(here / f"work/{n}", (), *[("235.0", "stall", "60000.0 ms on com.a/com.a.Main of com.a; no frame ended it")][:n // 4])
    checks.that((text := report("--compare", *(here / f"work/{n}" for n in range(4)), "--new", *(here / f"work/{n}" for n in range(4, 8))).stdout).startswith("WORSE: com.a: "), f"hangs in each run: {text}")
    # More frames between more freezes are not better, even if the freezes are within the noise.
    checks.that(re.match("UNCLEAR: com.a: often draws 60.0 frames per second, slow 57.1, freezes 27 -> 39[.]\n *Lost time: [.0-9]* -> ", text := compare(here / "slow", here / "often").stdout), f"more frames, but more freezes: {text}")
    gates(here / "often", here / "often", {"freezes > 0": 3, "lost > +10%": 0} | dict.fromkeys(("freezes > 3", "lost > 10"), 4), "but the noise is too large to tell")
    for name, word, code, text in (
            ("frozen", "WORSE", 3, "frozen has 2.0 freezes in 10 minutes, up to 1.20 s; calm has none.\n.*\n *Most in checkout: 0.0 -> 19.7 ms/s, freezes 0 -> 3"),
            ("hung", "WORSE", 3, "hung has 2.0 freezes in 10 minutes, up to 1.50 s; calm has none.\n.*\n *Most in checkout: 0.0 -> 24.4 ms/s, freezes 0 -> 3"),
            ("here and there", "UNCLEAR", 0, "here and there has 3 freezes .in 3 of 3 runs, 3.6 s of 15 minutes., calm none in 3: too few to rule out chance; record more runs of both")):
        done = compare(here / "calm", here / name)
        checks.that(done.returncode == code and re.match(f"{word}: com.a: {text}", done.stdout), f"{name}: {done.stdout}")
        gates(here / "calm", here / name, {"freezes > 0": 3} | dict.fromkeys(("freezes > +0", "lost > +10%", "FPS < -1%"), code or 4), "" if code else "but NEW has 3 freezes, BASE none: too few to rule out chance")
        # The rows say what the verdict says, and the groups the other way round the opposite.
        says, mirror = {"WORSE": ("worse", "BETTER"), "UNCLEAR": ("too few to rule out chance", "UNCLEAR")}[word], compare(here / name, here / "calm").stdout
        checks.equal(set(re.findall(r"\n  (?:lost|freezes)\(.*: (.*)", done.stdout)), {says[0]}, f"{name}: rows of lost time and freezes")
        checks.that(mirror.startswith(f"{says[1]}: com.a: {name} "), f"{name}, then calm: {mirror}")
    checks.that("do not differ beyond the noise: 4.0 and 4.0 ms lost in each second of drawing, freezes 3 -> 3." in (text := compare(here / "frozen", here / "frozen").stdout), f"freezes beside every rate: {text}")
    checks.that("UNCLEAR: com.a: other has no frame of it" in (text := compare(here / "other", here / "frozen").stdout), f"an app that other has not: {text}")
    # Even runs, with and without freezes, differ by the digits of the learnt period alone: that is no difference.
    for name, seeds in (("steady-60", (11, 12)), ("hang-doframe", (1, 7))):
        even = [here / f"{name} {seed}" for seed in seeds]
        for seed, out in zip(seeds, even, strict=True):
            analyze(out, "--frames-log", scenario(name, here / "trace.txt", seconds=40, seed=seed))
        for new, other in (even, even[::-1]):
            checks.that((text := compare(other, new).stdout).startswith("NO DIFFERENCE: ") and " worse" not in text and " better" not in text, f"{new}: {text}")
    analyze(here / "gfx2019", "--rules", "gfx2019", scenario("steady-60", here / "trace.txt", vocabulary="android-9", seconds=40))
    checks.that(re.match("UNCLEAR: .*gfx2019 none in 1: too few", text := compare(here / "gfx2019", here / "hang-doframe 1").stdout), f"freezes, beside a group without any: {text}")
    # Two runs that are far worse than two others are too few to be sure, but they are not the same.
    for n, name, group in ((0, "steady-60", "well"), (1, "steady-60", "well"), (0, "culprits", "late"), (1, "culprits", "late")):
        analyze(here / group / str(n), "--frames-log", scenario(name, here / "trace.txt", seconds=40, seed=21 + n))
    for base_of, new_of, text in (("well", "late", "(WORSE|UNCLEAR: .*: Each run of late loses more time than any run of well)"), ("late", "well", "(BETTER|UNCLEAR: .*: Each run of late loses more time than any run of well)"), ("well", "well", "NO DIFFERENCE"), ("late", "late", "NO DIFFERENCE")):
        checks.that(re.match(text, done := compare(here / base_of, here / new_of).stdout), f"{base_of} and {new_of}: {done}")
    # A game that drew nothing, and nobody knows whether it hung, is neither the same as one that draws nor better than one that hung.
    for name in ("hang-native", "idle-beside", "hang-dequeue"):
        analyze(here / name, "--frames-log", scenario(name, here / "trace.txt", seconds=40))
    for name in ("idle-beside", "hang-dequeue", "hang-native"):
        checks.that((text := compare(here / name, here / "hang-native").stdout).startswith("UNCLEAR: com.example.game: hang-native drew nothing for 13 of 40 s, ") != (name == "hang-native"), f"{name}: {text}")
        gates(here / name, here / "hang-native", {"lost > +10%": 4, "FPS < -50%": 4}, "but it drew nothing for 13 s, and")
    (here / "hang-native/events.csv").unlink()
    checks.equal(report("--fail-if", "FPS < 1", "--strict", here / "hang-native").returncode, 4, "gaps that are not known, as events.csv is missing")
    gates(here / "idle-beside", here / "hang-native", {"FPS < -50%": 4}, "but there may be more freezes: events, or events.csv, are missing")

    hidden_freezes(here / "waits")
    obvious_hangs(here / "hangs")
    # What is missing of one group alone may be worse than the rest of it.
    (here / "trace.txt").write_text(without(scenario("steady-60", here / "trace.txt", seconds=40).read_text(), 10, 16))
    analyze(here / "hole", "--frames-log", here / "trace.txt")
    for base_of, new_of in (("well", "hole"), ("hole", "well"), ("hole", "hole")):
        checks.that(("UNCLEAR: com.example.scroll: hole lacks 6.0 of 40 s, well 0 of " in (text := compare(here / base_of, here / new_of).stdout)) == (base_of != new_of), f"{base_of} and {new_of}: {text}")
        gates(here / base_of, here / new_of, {"jank > +10%": 4 * (new_of == "hole"), "FPS < -50%": 4 * (new_of == "hole")}, "but 6.0 of 40 s are missing" * (new_of == "hole"))
    # Freezes are drawing, and a build that hangs from early on is not one of which too little is known.
    analyze(here / "stuck", "--frames-log", scenario("steady-60", here / "trace.txt", seconds=3))
    (events := here / "stuck/events.csv").write_text(f"{events.read_text()}1043.000000,,stall,40000.0 ms on com.example.scroll/com.example.scroll.MainActivity of com.example.scroll; no frame ended it\n")
    done, surface = compare(here / "well", here / "stuck").stdout, in_json(here / "well", here / "stuck")["surfaces"][0]
    checks.that(done.startswith("UNCLEAR: com.example.scroll: stuck has 1 freeze (in 1 of 1 run, 40 of 43 s), well none in 2: too few to rule out chance") and "NEW 43.0 s in 1\n" in done, f"stuck: {done}")
    checks.that(abs(surface["new drawing(S)"] - surface["new"]["drawing(s)"]) < 0.01, f"drawing of stuck: {surface['new drawing(S)']} s")
    # Counts of a damaged file are compared at once, too.
    for name, stalls in (("damaged", 10**8), ("worse damaged", 10**9)):
        write(here / name, "fps.csv", [second(100 + n, stalls=stalls) for n in range(30)])
    checks.that((done := report("--compare", here / "damaged", "--new", here / "worse damaged", timeout=20)).stdout.startswith("WORSE: "), f"counts of a damaged file: {done}")
    # Frames without a length, as of a damaged file, have none in the curve, whatever was in memory.
    write(here / "no length", "frames.csv", [{"present(s)": f"{100 + n / 60:.6f}", "interval(ms)": "0.000" if n else "", "app": "com.a", "Surface": "com.a/com.a.Main", "layer": "com.a/com.a.Main#0"} for n in range(300)])
    done = report("--json", "--compare", here / "no length", "--new", here / "no length", env={**os.environ, "MALLOC_PERTURB_": "85"})
    checks.that(all(part["from(ms)"] == 0 for part in json.loads(done.stdout)["surfaces"][0]["base"]["curve"]), f"curve of frames without a length: {done}")
    # Freezes are janks: where one group has none, these are worse, too.
    for n in range(3):
        analyze(here / "hang" / str(n), "--frames-log", scenario("hang-doframe", here / "trace.txt", seconds=30, seed=n))
    checks.equal(re.findall(r"^  (big jank|jank|stutter).*: worse$", done := compare(here / "well", here / "hang").stdout, re.M), ["jank", "big jank", "stutter"], f"janks and freezes: {done}")
    # Sections, apps and Surfaces.
    checks.that("BASE 1" in (text := compare(base, worse, more=("--section", "second half")).stdout), f"half of the drawing: {text}")
    for options, code in ((("--app", "com.x*", "--strict"), 4), (("--surface", "*Main"), 3)):
        checks.equal(compare(base, worse, "jank > +10%", more=options).returncode, code, f"{options}")
