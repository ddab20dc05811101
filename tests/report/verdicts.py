# SPDX-License-Identifier: Apache-2.0
"""jank-report says of the files what jankd said at the end of the session: grades, sentences, time lost, causes and the
worst minute are the same, for scenarios and recorded traces."""

import json
import re
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from jankd import TRACES, analyze, checks, folder, jankd, rows, unpack
from report import model, report, scenario, surfaces

SCENARIOS = ("demo", "culprits", "culprits-120", "culprits-game", "drops-120", "switch-60-120", "idle-gaps", "app-switch",
             "late-switch", "hang-doframe", "hang-native", "hang-killed", "idle-beside", "surfaces-200")
# What no file has: who waited for buffers, who paces itself, the worst doFrame.
NOT_IN_FILES = re.compile(r"^  waited for a free buffer:.*\n|; paces itself|^Skipped \d+ frames!.*\n", re.M)
# An event has the length of a stall to 0.1 ms.
FINE = re.compile(r"(stalls that no frame ended \d+: \d+\.\d)\d|(pauses \d+: \d+\.\d)\d")


def comparable(text):
    return FINE.sub(lambda found: found[1] or found[2], NOT_IN_FILES.sub("", text))


def same_verdict(checks, name, here, trace):
    out = here / "out"
    said = analyze(out, "--frames-log", "-T", 2, trace).stdout.decode()
    # The lines between the totals and the folder.
    expected = comparable(said.split("\n", said.split("presents ")[0].count("\n") + 1)[-1].rsplit("CSV files in ", 1)[0])
    got = report("--text", out)
    checks.equal((got.returncode, got.stderr), (0, ""), f"{name}: exit code and errors")
    lines = got.stdout.split("\n", 1)[1]
    # analyze breaks lines at 100 columns, and cuts names.
    found = " ".join(comparable(lines).split())
    for line in expected.splitlines():
        head = line.split("..")[0] if ".." in line and len(line) >= 98 else line
        checks.that(" ".join(head.split()) in found, f"{name}: {line!r} is not in\n{lines}")
    unknown, markdown = re.findall(r"^ *(?:unknown: (?!frames)|unexplained gaps: )(.*)", got.stdout, re.M), report("--markdown", out).stdout
    checks.equal([line for line in unknown if line not in markdown], [], f"{name}: what Markdown has otherwise: {markdown}")


def same_numbers(checks, name, here, trace):
    """Harm is computed again from frames.csv; all other numbers are those of summary.csv."""
    truth = json.loads(jankd("analyze", "--json", "-F", here / "json", trace).stdout)
    session, = model(here / "out")
    found = surfaces(session)
    for app in [*truth["apps"], {"surfaces": truth["surfaces_of_no_app"]}]:
        for one in app["surfaces"]:
            got = found[one["surface"]]
            what = f"{name}: {one['surface']}"
            moment, minute = one["worst_moment"] or {}, one["worst_minute"] or {}
            for key, value, expected in (("worst", got["time lost"].get("worst moment(ms)"), moment.get("harm_ms")),
                                         ("minute", got["time lost"].get("worst minute(ms)"), minute.get("harm_ms"))):
                checks.that(value == expected or value and expected and abs(value - expected) < 0.0015, f"{what}: {key} {value}, expected {expected}")
            checks.equal(got["time lost"].get("worst minute(s)"), minute.get("from_s"), f"{what}: when the worst minute began")
            longest = 1e3 * one["facts"]["longest freeze(s)"]  # also one that no frame ended
            checks.that(min(moment.get("harm_ms", 0), minute.get("harm_ms", 0)) >= longest - 0.0015, f"{what}: {moment} and {minute}, but a freeze of {longest} ms")
            for key, value in one["facts"].items():
                checks.that(value == got["facts"][key] or key != "causes" and abs(value - got["facts"][key]) < 0.0015 or key in ("missing(s)", "captured(s)")
                            or key == "causes" and {cause: about["times"] for cause, about in value.items()} == {cause: about["times"] for cause, about in got["facts"][key].items()},
                            f"{what}: {key}: {got['facts'][key]}, expected {value}")
    if not truth["surfaces_left_out"]:  # analyze chooses among 40 Surfaces
        for key in ("app", "grade", "whose", "verdict"):
            got = [app[key] and app[key].partition(" Unknown: ")[0] for app in session["apps"]]  # the rows tell more of it
            checks.equal(got, [app[key] for app in truth["apps"]], f"{name}: {key} of the apps")
    for app in session["apps"]:
        judged = max((one["facts"]["drawing(s)"], one["verdict"]) for one in app["surfaces"])
        checks.equal([(one["facts"]["drawing(s)"], one["verdict"]) for one in app["surfaces"] if one["judged"]], [judged], f"{name}: the Surface of {app['app']}")
    for row in rows(here / "out", "summary.csv"):
        one = found[row["Surface"]]
        for column, value in one["numbers"].items():
            if column in row:
                expected = None if row[column] == "" else float(row[column])
                checks.equal((value, one["verdict"] or ""), (expected, row["verdict"]), f"{name}: {column} of {row['Surface']}; {name}: verdict of {row['Surface']}")


def computed_again(checks, name, out):
    """Without summary.csv the numbers come from frames.csv. jankd's own percentiles are exact to 0.1 ms."""
    before = surfaces(model(out)[0])
    (out / "summary.csv").rename(out.parent / "summary.csv")
    session, = model(out)
    (out.parent / "summary.csv").rename(out / "summary.csv")
    checks.that(any("summary.csv is missing" in notice for notice in session["notices"]), f"{name}: no notice of summary.csv")
    for surface, one in surfaces(session).items():
        checks.equal(one["source"], "frames.csv", f"{name}: source of {surface}")
        for column, value in one["numbers"].items():
            expected = before[surface]["numbers"][column]
            if value is None or "gpu" in column or column in ("lost events", "score"):
                continue
            near = 0.11 if "(ms)" in column else min(0.01 * (expected or 0), 0.006 + (expected or 0)**2 / 1e4) if "low" in column else 0.0051
            checks.that(expected is not None and abs(value - expected) <= near, f"{name}: {column} of {surface}: {value}, {expected}")
        if one["verdict"] and "?" in one["verdict"]:
            checks.equal(one["verdict"], before[surface]["verdict"], f"{name}: verdict of {surface}")


def given_class(checks, here):
    """The class that was given decides without summary.csv, too: from frames.csv, or from whole rows of fps.csv, unless none is of one burst."""
    for n, (name, app_class, verdict, grade) in enumerate((("game-30", "app", "fail app 30.0<55", "FAIR"), ("game-30", "game", "pass game 30.0>=25", "GOOD"),
                                                           ("hang-dequeue", "app", "pass app 60.0>=55", "BAD"), ("steady-60", "app", "pass app 60.0>=55", "GOOD"),
                                                           ("idle-gaps", "app", "pass app 60.0>=55", "UNCLEAR"))):
        for option in (("--frames-log",), ()):
            out = here / f"{n}{option}"
            analyze(out, "--class", app_class, *option, scenario(name, here / "given.txt", seconds=30))
            first = model(out)[0]["apps"][0]
            checks.that(f"Alliance: {'not ' * (verdict[0] == 'f')}met, {verdict.split()[2][:4]} fps between gaps" in (text := report(out).stdout)
                        and (name != "idle-gaps" or "draw in its gap of 5.5 s" in text and (", from 0:" in text) == bool(option)), f"{name}: the rule and the next step in the text: {text}")
            (out / "summary.csv").unlink()
            again = model(out)[0]["apps"][0]
            checks.equal([(one["verdict"], one["grade"]) for one in (first, again)], [(verdict, grade), (verdict if option or name != "idle-gaps" else None, grade)], f"{name}: --class {app_class} {option}")


def few_files(checks, here):
    """Without fps.csv the sentence has the rate of events.csv, if that is one; and a text that begins with lost events is not as long as its clock is old."""
    for name, option, lines in (("steady-60", ("-T", 3), ()), ("switch-60-120", ("-T", 3), ()), ("steady-60", (), [f"CPU:{cpu} [LOST 9 EVENTS]\n" for cpu in range(8)])):
        trace = scenario(name, here / "few.txt", seconds=20)
        trace.write_text("".join(lines) + "".join(line for line in trace.read_text().splitlines(keepends=True)[4000 if lines else 0:]))
        done = json.loads(jankd("analyze", "--json", "-F", here / f"{name} {option}", *option, trace).stdout)["apps"][0]
        app = model(here / f"{name} {option}")[0]["apps"][0]
        checks.that(app["sentence"] == done["sentence"] or name == "switch-60-120" and "drew for" in app["sentence"], f"{name} {option}: {app['sentence']}, not {done['sentence']}")
        checks.that(abs(app["facts"]["captured(s)"] - done["facts"]["captured(s)"]) < 0.1, f"{name} {option}: {app['facts']['captured(s)']} s captured, not {done['facts']['captured(s)']}")


with folder() as here:
    given_class(checks, here)
    few_files(checks, here)
if not TRACES.is_dir():
    checks.cannot_judge("recorded traces", "../shared/traces is missing")
for name in (*SCENARIOS, *sorted(path.parent.name for path in TRACES.glob("*/trace.txt.xz"))):
    with folder() as here:
        trace = scenario(name, here / "trace.txt") if name in SCENARIOS else unpack(name, here)
        same_verdict(checks, name, here, trace)
        same_numbers(checks, name, here, trace)
        computed_again(checks, name, here / "out")
checks.end()
