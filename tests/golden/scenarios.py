# SPDX-License-Identifier: Apache-2.0
"""Every scenario of jank-phone with the markers of every Android version gives the frames, vsyncs, stalls and causes that were played."""

import collections
import re

import fences
import verdict
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from frames import not_added_up
from jankd import analyze, checks, folder, microseconds, phones, rows, scenario, scenarios

SECONDS = 8  # of a scenario that is not listed here
OWN_LENGTH = ("hang-d", "hang-b", "hang-g", "hang-k", "culprits", "late-")
REPORTED = 0.99  # the least share of known vsyncs, and of right causes
SCROLL = "com.example.scroll/com.example.scroll.MainActivity"
NAMED = re.compile(r"doFrame (\S+) ms \(\w+ ")
# Every Surface of these has stalls of that cause, and no other frame with a cause.
HANGS = {"hang-doframe": "app", "hang-before": "app", "hang-gpu": "gpu", "hang-dequeue": "app"}
# In Hz, to a multiple of 12: panels are a little faster than their nominal rate.
RATES = {"late-ticks": [60], "late-switch": [60, 120, 60], "ltpo-film": [120, 24, 120, 120], "arr-240": [240], "fold": [60, 120, 60]}
STEPS = {"arr-240": "2", "ltpo-film": "5"}  # vsyncs in a render period, where it is more than one
JUDGED = ("hang-doframe", "hang-before", "hang-dequeue", "hang-native", "hang-killed", "demo")


def series(table):
    """layer: [(present, vsyncs)]"""
    found = collections.defaultdict(list)
    for row in table:
        found[row["layer"]].append((microseconds(row["present(s)"]), row["vsyncs"]))
    return found


def compare(checks, what, played, counted):
    checks.equal({layer: [us for us, _ in frames] for layer, frames in counted.items()},
                 {layer: [us for us, _ in frames] for layer, frames in played.items()}, f"{what}: frames")
    pairs = [(truth, reported) for layer in played for (_, truth), (_, reported) in zip(played[layer], counted[layer])]
    reported = [pair for pair in pairs if pair[0] != "" and pair[1] != ""]
    checks.equal([pair for pair in reported if pair[0] != pair[1]], [], f"{what}: vsyncs (played, reported)")
    checks.that(len(reported) >= REPORTED * sum(pair[0] != "" for pair in pairs), f"{what}: {len(reported)} vsyncs are known")


RIGHT, LATE = collections.Counter(), collections.Counter()


def compare_causes(checks, what, played, counted, drops):
    """Causes of all frames of one phone; those of each cause in all phones are judged at the end."""
    pairs = collections.Counter((a["cause"], b["cause"]) for a, b in zip(played, counted))
    wrong = {pair: n for pair, n in pairs.items() if pair[0] != pair[1]}
    for (cause, found), n in pairs.items():
        LATE[cause] += n
        RIGHT[cause] += n * (cause == found)
    checks.that(sum(wrong.values()) <= (1 - REPORTED) * pairs.total(), f"{what}: causes (played, found) {wrong}")
    checks.equal(collections.Counter(row["cause"] for row in drops),
                 collections.Counter(row["cause"] for row in counted if row["vsyncs"] not in ("", "1")), f"{what}: causes in dropFrames.csv")


def expected_stalls(scenario, app, waits):
    """How many of the @waits of a Surface are stalls."""
    hangs = {"hang-doframe": "scroll", "hang-before": "scroll", "hang-gpu": "scroll", "hang-dequeue": "game", "demo": "mail"}
    return waits if scenario in hangs and hangs[scenario] in app else 0


def judged(checks, what, scenario, out, played):
    """Every stall is found, no idle time is one. A stall without an end and a pause that nothing explains are events."""
    for row in rows(out, "summary.csv"):
        waits = int(row["wait times"])
        stalls = expected_stalls(scenario, row["Surface"], waits)
        checks.equal((row["stalls"], row["stall time(S)"]), (str(stalls), row["waiting time(S)"] if stalls else "0.000000"), f"{what}: stalls of {row['Surface']}; {what}: stall time")
        if scenario.startswith("hang"):
            checks.equal(int(row["matrix high"]) + int(row["matrix frozen"]), stalls, f"{what}: matrix of {row['Surface']}")
        checks.that(int(row["big jank"]) >= stalls, f"{what}: big janks of {row['Surface']}")
    kinds = collections.Counter(row["kind"] for row in rows(out, "events.csv"))
    waits = [b - a for frames in played.values() for (a, _), (b, _) in zip(frames, frames[1:]) if b - a >= 497500]
    if scenario.startswith("hang") or scenario in ("idle-beside", "background"):
        checks.that(scenario == "hang-killed" or len(waits) >= 2, f"{what}: {len(waits)} waits were played")
    if scenario == "hang-native":
        checks.equal((kinds["stall"], kinds["pause"]), (0, len(waits)), f"{what}: events")
    elif scenario == "hang-killed":
        (event,) = [row["text"] for row in rows(out, "events.csv") if row["kind"] == "stall"]
        checks.that("no frame ended it" in event and 1400 < float(event.split()[0]) < 1700, f"{what}: event {event}")
    elif scenario.startswith("hang"):
        checks.equal((kinds["stall"], kinds["pause"]), (len(waits), 0), f"{what}: events")
    elif scenario in ("background", "switch-60-120", "steady-60", "app-switch"):
        checks.equal((kinds["stall"], kinds["pause"]), (0, 0), f"{what}: events")


names, vocabularies = scenarios()
checks.that("demo" in names and len(vocabularies) == 4, f"listed: {names}, {vocabularies}")
for name, vocabulary in phones():
    length = {} if name.startswith(OWN_LENGTH) else {"seconds": SECONDS}
    what = f"{name} {vocabulary}"
    with folder() as here:
        trace, out = scenario(name, here / "trace", vocabulary=vocabulary, **length), here / "out"
        analyze(out, "--frames-log", "-T", "2", trace)
        truth, frames = rows(here / "trace.truth"), rows(out, "frames.csv")
        played = series(truth)
        compare(checks, what, played, series(frames))
        checks.equal(not_added_up(frames), [], f"{what}: intervals that do not add up")
        judged(checks, what, name, out, played)
        if name.startswith("culprits"):
            compare_causes(checks, what, truth, frames, rows(out, "dropFrames.csv"))
        if name.startswith("late-"):
            found = [(row["present(s)"], row["cause"]) for row in frames if row["vsyncs"] == "1" and row["cause"]]
            checks.equal(found, [], f"{what}: frames in time with a cause")
        if name in HANGS:
            found = {row["cause"] for row in frames if row["cause"] and "StatusBar" not in row["layer"]}
            checks.equal(found, {HANGS[name]}, f"{what}: causes of stalls")
        if name in RATES:
            found = [float(row["text"].split()[0]) for row in rows(out, "events.csv") if row["kind"] == "refresh"]
            checks.equal([12 * round(rate / 12) for rate in found], RATES[name], f"{what}: rates")
        if name in STEPS:
            late = [row["present(s)"] for row in frames if row["vsyncs"] not in ("", "1", STEPS[name])]
            checks.equal(len(rows(out, "dropFrames.csv")), len(late), f"{what}: frames later than the render rate")
            checks.that(any("rendered at" in row["text"] for row in rows(out, "events.csv")), f"{what}: no event has the render rate")
        if name in ("demo", "drops-120", "switch-60-120") and vocabulary != "android-9":
            fences.judge_played(checks, what, trace, out)
        if name == "hang-doframe":
            named = [took for row in rows(out, "dropFrames.csv") if row["Surface"] == SCROLL for took in NAMED.findall(row["info"])]
            checks.that(len(named) == 4 and all(float(took) > 500 for took in named), f"{what}: hangs that are named: {named}")
        if name in JUDGED and vocabulary == "android-14":
            verdict.judge_played(checks, name, here)
del LATE[""]
for cause, late in sorted(LATE.items()):
    checks.that(RIGHT[cause] >= REPORTED * late > 0, f"{cause}: {RIGHT[cause]} of {late} late frames")
checks.equal(len(LATE), 9, "every cause but 'unknown' was played")
checks.end()
