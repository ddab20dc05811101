#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The table of devices and builds: of several sessions, in --json and in the text, against the sessions themselves."""

import json
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from jankd import Checks, analyze, folder
from report import demo, model, report, scenario

HOSTILE = "</script>\t=1\x1b"


def table(*arguments):
    return json.loads(report("--json", *arguments).stdout)["devices"]


def describe(path, device, build, session="s1", name="Phone"):
    """Gives a folder of analyze the device of a capture."""
    value = json.loads((path / "session.json").read_text())
    value["device"] = {"id": device, "model": name, "build": build}
    value["session_id"] = session
    (path / "session.json").write_text(json.dumps(value))


def expected(sessions):
    """{(device, build, app): sums} of the judged Surfaces."""
    sums = {}
    for session in sessions:
        for app in session["apps"]:
            for surface in app["surfaces"]:
                if surface["judged"]:
                    numbers = surface["numbers"]
                    one = sums.setdefault((session["device"]["id"], session["device"]["build"], app["app"]), [0, 0, 0, 0, 0, 0, 0])
                    for at, value in enumerate((1, numbers["frames"], numbers["Time(S)"], numbers["jank"], numbers["stalls"],
                                                numbers["stall time(S)"], app["verdict"].startswith("pass"))):
                        one[at] += value
    return sums


def main():
    checks = Checks()
    with folder() as here:
        out, lab = demo(here, "--frames-log", "-T", 2), here / "lab"
        steady = here / "steady"
        analyze(steady, scenario("steady-60", here / "steady.txt"))
        for name, source, device, build in (("1", out, "b", "old"), ("2", out, "b", "old"), ("3", out, "b", "new"), ("4", steady, "a", "new"),
                                            ("5", out, HOSTILE, HOSTILE)):
            shutil.copytree(source, lab / name)
            describe(lab / name, device, build, f"s{name}")
        found = table(lab)
        sums = expected(model(lab))
        checks.equal(len(found), len(sums), "rows")
        checks.that(len({row["device"] for row in found}) == 3, f"devices: {found}")
        for row in found:
            own = sums.get((row["device"], row["build"], row["app"]))
            got = [row[name] for name in ("sessions", "frames", "Time(S)", "jank", "stalls", "stall time(S)", "pass")]
            checks.that(own and all(abs(one - other) < 2e-6 for one, other in zip(got, own)), f"{row}: expected {own}")
            checks.that(abs(row["FPS"] - own[1] / own[2]) < 0.006, f"FPS of {row}")
            checks.that(abs(row["jank(/10min)"] - 600 * own[3] / (own[2] + own[5])) < 0.006, f"jank(/10min) of {row}")
        rates = [row["jank(/10min)"] for row in found]
        checks.equal(rates, sorted(rates, reverse=True), "the worst first")
        said = report(lab).stdout
        checks.equal(said.split("\n\n")[0].count("\n"), len(found), "lines of the table in the text")
        checks.that("sessions 2, " in said.split("\n\n")[0] and "\x1b" not in said, f"the text: {said[:2000]}")
        checks.that("devices and builds" not in report(lab / "1").stdout, "one session has no table in the text")
        checks.equal(len(table(lab / "1")), len({app["app"] for app in model(lab / "1")[0]["apps"]}), "rows of one session")
        selected = table("--app", "com.example.mail", lab)
        checks.equal({row["app"] for row in selected}, {"com.example.mail"}, "--app")

        # Without an id: the name that jank-adb pull gives the folder.
        (here / "named").mkdir()
        shutil.copytree(out, here / "named" / "SERIAL-s7")
        describe(here / "named" / "SERIAL-s7", None, "old", "s7")
        shutil.copytree(out, here / "named" / "other")
        describe(here / "named" / "other", None, "old", "s7")
        checks.equal({row["device"] for row in table(f"{here}/named/SERIAL-s7//")}, {"SERIAL"}, "the device in the name of the folder")
        checks.equal({row["device"] for row in table(here / "named" / "other")}, {None}, "an unknown device")
        checks.equal({row["device"] for row in table(here / "named")}, {"SERIAL", None}, "both")
        (here / "named" / "other" / "session.json").unlink()
        checks.equal({(row["device"], row["model"]) for row in table(here / "named" / "other")}, {(None, None)}, "without session.json")
        # Without any number: a dash, not 0.
        bare = here / "bare" / "1"
        bare.mkdir(parents=True)
        (bare / "summary.csv").write_text("app,Surface,frames,FPS\ncom.x,com.x/x,,\n")
        shutil.copytree(bare, here / "bare" / "2")
        said = report(here / "bare").stdout
        checks.that("- FPS, jank(/10min) -, stalls - in - s, sessions 2" in said, f"numbers that are unknown: {said}")
        page = here / "page.html"
        done = report("-o", page, lab)
        checks.equal((done.returncode, done.stdout.strip()), (0, str(page)), f"a page of several devices: {done.stderr}")
        checks.equal(page.read_text().count('"session_id":'), 5, "sessions on the page")
    checks.end()


main()
