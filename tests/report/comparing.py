#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""--compare on folders with known lateness: what changed is found, what did not is not, and too little data is said so."""

import json
import pathlib
import random
import sys
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from jankd import Checks, folder
from report import report

FRAMES = "present(s),vsync(s),interval(ms),vsyncs,app,Surface,layer,frame number,queued(s),latched(s),gpu done(s),cause,lost events,vsync id\n"
FPS = ("start time,end time,FPS,frames,Time(S),max time(ms),waiting time(S),wait times,A,B,C,D,score,TX,app,Surface,"
       "refresh(Hz),p50(ms),p90(ms),p99(ms),missed vsyncs,jank,big jank,stutter(%),gpu avg(ms),gpu max(ms),lost events,stalls,"
       "stall time(S),cadence(vsyncs),off cadence\n")
PERIOD = 16666667


def run(path, noise, share, seconds, app="com.a", frames=True, rows=False, mark=None):
    """A run at 60 Hz in which a @share of the frames come in bursts of two and have 3 to 9 vsyncs."""
    path.mkdir(parents=True)
    now, late, lines, table, sums = 100 * 10**9, 0, [], [], [0, 0, 0, 0]
    name = f"{app}/{app}.Main"
    marks = f"{100 + mark}.0,,mark,second half\n" if mark else ""
    for n in range(int(seconds * 60)):
        if late == 0 and noise.random() < share / 2:
            late = 2
        vsyncs, late = (noise.randint(3, 9), late - 1) if late else (1, 0)
        now += vsyncs * PERIOD
        interval = f"{vsyncs * PERIOD / 1e6:.6f},{vsyncs}" if n else ","
        lines.append(f"{now / 1e9:.6f},,{interval},{app},{name},{name}#1,{n},,,,{'app' if vsyncs > 1 else ''},0,\n")
        sums = [a + b for a, b in zip(sums, (1, vsyncs * PERIOD, vsyncs - 1, vsyncs > 5))]
        if sums[0] == 60:
            table.append(f"{now / 1e9 - 1:.6f},{now / 1e9:.6f},60,60,{sums[1] / 1e9:.6f},150,0,0,0,0,0,0,90,0,{app},{name},60,,,,"
                         f"{sums[2]},{sums[3]},0,0,,,0,0,0,1,0\n")
            sums = [0, 0, 0, 0]
    if frames:
        (path / "frames.csv").write_text(FRAMES + "".join(lines))
    if rows:
        (path / "fps.csv").write_text(FPS + "".join(table))
    (path / "events.csv").write_text("time(s),wall time,kind,text\n" + marks)


def compare(base, new, *conditions, more=()):
    return report("--compare", base, "--new", new, *(word for condition in conditions for word in ("--fail-if", condition)), *more)


checks = Checks()
noise = random.Random(7)
with folder() as here:
    for n in range(4):
        run(here / "base" / str(n), noise, 0.02, 60, mark=30)
        run(here / "same" / str(n), noise, 0.02, 60, mark=30)
        run(here / "worse" / str(n), noise, 0.04, 60, mark=30)
        run(here / "rows" / str(n), noise, 0.02, 60, frames=False, rows=True)
        run(here / "rows worse" / str(n), noise, 0.06, 60, frames=False, rows=True)
    run(here / "short", noise, 0.04, 10)
    run(here / "other", noise, 0.02, 60, app="com.b")
    base, junit = here / "base", here / "junit.xml"
    all_worse = ("jank(/10min) > +10%", "p99(ms) > +10%", "missed vsyncs(/1000 frames) > +5", "low 1% mean < -0%", "stutter(%) > +10%", "FPS < -1%")

    done = compare(base, here / "same", "jank > +10%", "p99 > +10%", "FPS < -1%", more=("--junit", junit, "--strict"))
    checks.equal((done.returncode, done.stderr), (0, ""), f"equal groups: {done.stdout}")
    checks.equal(xml.etree.ElementTree.parse(junit).getroot().get("failures"), "0", "JUnit of equal groups")
    checks.that("no difference beyond the noise" in done.stdout and "worse" not in done.stdout, done.stdout)
    for condition in all_worse:
        done = compare(base, here / "worse", condition)
        expected = 0 if condition.startswith("low") else 3
        checks.that(done.returncode in (expected, 3), f"{condition}: {done.stdout}{done.stderr}")
        checks.equal(compare(here / "worse", base, condition).returncode, 0, f"{condition}, the other way")
    done = compare(base, here / "worse", *all_worse[:2], more=("--junit", junit))
    checks.equal((done.returncode, done.stderr.count(": holds: ")), (3, 2), f"worse: {done.stderr}")
    checks.that("worse" in done.stdout and "better" not in done.stdout and "4 runs" in done.stdout, done.stdout)
    suite = xml.etree.ElementTree.parse(junit).getroot()
    checks.equal([case.find("failure") is not None for case in suite], [True, True], "failures in JUnit")

    # What a run lacks is a note, once for all runs that lack the same.
    run(here / "torn" / "1", noise, 0.02, 60)
    (here / "torn" / "1" / "fps.csv").write_text(FPS + "100.0,101.0,60")
    done = compare(base, here / "torn")
    notes = [line for line in done.stdout.splitlines() if line.startswith("note: ")]
    checks.that(f"note: {here}/torn/1: fps.csv: cut off in its last row, which is left out" in notes, f"a torn file: {notes}")
    checks.equal(len([line for line in notes if " and 4 more: session.json is missing" in line]), 1, f"what all runs lack: {notes}")
    listed = json.loads(compare(base, here / "torn", more=("--json",)).stdout)["notices"]
    checks.that({"text": "fps.csv: cut off in its last row, which is left out", "folder": f"{here}/torn/1", "runs": 1} in listed, f"in JSON: {listed}")
    checks.equal([one["runs"] for one in listed if one["text"].startswith("session.json")], [5], f"in JSON: {listed}")

    answer = json.loads(compare(base, here / "worse", more=("--json",)).stdout)
    surface, = answer["surfaces"]
    changes = {change["metric"]: change for change in surface["changes"]}
    checks.equal((answer["base runs"], answer["new runs"], surface["Surface"]), (4, 4, "com.a/com.a.Main"), "what was compared")
    jank = changes["jank(/10min)"]
    checks.that(jank["from(%)"] < jank["change(%)"] < jank["to(%)"] and jank["noise"] > 1, f"jank: {jank}")
    checks.that(surface["effect"] > 0.005, f"effect: {surface['effect']}")
    checks.that(0.7 < changes["p99(ms)"]["base"]["value"] < 1.4, f"share beyond p99: {changes['p99(ms)']}")
    checks.equal(compare(base, here / "worse", more=("--json",)).stdout, compare(base, here / "worse", more=("--json",)).stdout, "twice")

    # Too little, and nothing to compare: said, exit code 0, and 4 with --strict.
    for new, text in (("short", "not enough data"), ("other", "not in NEW")):
        done = compare(base, here / new, "jank > +10%", more=("--junit", junit))
        checks.that(done.returncode == 0 and text in done.stdout + done.stderr, f"{new}: {done.stdout}{done.stderr}")
        suite = xml.etree.ElementTree.parse(junit).getroot()
        checks.equal((suite.get("skipped"), suite.get("failures")), (suite.get("tests"), "0"), f"JUnit of {new}")
        checks.equal(compare(base, here / new, "jank > +10%", more=("--strict",)).returncode, 4, f"{new} with --strict")

    # Rows of fps.csv alone: rates, no percentiles.
    done = compare(here / "rows", here / "rows worse", "jank > +10%")
    checks.equal(done.returncode, 3, f"rows: {done.stdout}{done.stderr}")
    checks.that("needs frames.csv" in done.stdout, done.stdout)
    checks.equal(compare(here / "rows", here / "rows", "p99 > +10%", more=("--strict",)).returncode, 4, "percentiles of rows")
    checks.equal(compare(here / "rows", base, "jank > +10%").returncode, 0, "rows and frames of equal runs")

    # Rows of 2019 have no janks and stalls, and no vsyncs: they are not none.
    header = ",".join(FPS.split(",")[:16]) + "\n"
    for name in ("rows", "rows worse"):
        for path in list((here / name).glob("*/fps.csv")):
            (here / "2019" / name / path.parent.name).mkdir(parents=True)
            rows = [line.split(",")[:16] for line in path.read_text().splitlines()[1:]]
            (here / "2019" / name / path.parent.name / "fps.csv").write_text(header + "".join(",".join(row) + "\n" for row in rows))
    old = json.loads(compare(here / "2019" / "rows", here / "2019" / "rows worse", more=("--json",)).stdout)["surfaces"][0]["changes"]
    checks.equal({change["metric"] for change in old if "unknown" not in change}, {"FPS"}, "what files of 2019 have")
    checks.that(not any("20 s" in change.get("unknown", "") for change in old), f"why the others are unknown: {old}")
    checks.equal(compare(here / "2019" / "rows", here / "2019" / "rows worse", "FPS < -1%").returncode, 3, "files of 2019")

    # Sections, apps and Surfaces.
    done = report("--compare", base, "--new", here / "worse", "--section", "second half")
    checks.that("BASE 1" in done.stdout, f"half of the drawing: {done.stdout}")
    done = report("--compare", base, "--new", here / "worse", "--app", "com.x*", "--fail-if", "FPS < -1%", "--strict")
    checks.equal(done.returncode, 4, f"no such app: {done.stdout}")
    done = report("--compare", base, "--new", here / "worse", "--surface", "*Main", "--fail-if", "jank > +10%")
    checks.equal(done.returncode, 3, f"a Surface: {done.stdout}")
checks.end()
