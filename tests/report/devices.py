# SPDX-License-Identifier: Apache-2.0
"""The table of devices and builds: of several sessions, in --json and in the text, against the sessions themselves."""

import collections
import json
import shutil
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from csv_files import write
from jankd import analyze, checks, folder
from report import demo, model, report, scenario

GRADES = ("BAD", "POOR", "FAIR", "INCOMPLETE", "UNCLEAR", "GOOD")
HOSTILE = "</script>\t=1\x1b"


def table(*arguments):
    return json.loads(report("--json", *arguments).stdout)["devices"]


def copied(source, path, device, build, session="s1"):
    """A folder of analyze with the device of a capture."""
    shutil.copytree(source, path)
    value = json.loads((path / "session.json").read_text())
    value["device"] = {"id": device, "model": "Phone", "build": build}
    value["session_id"] = session
    (path / "session.json").write_text(json.dumps(value))
    return path


def expected(sessions):
    """{(device, build, app): sums} of the judged Surfaces."""
    sums = {}
    for session in sessions:
        for app in session["apps"]:
            for numbers in (surface["numbers"] for surface in app["surfaces"] if surface["judged"]):
                values = (1, *(numbers[name] for name in ("frames", "Time(S)", "jank", "stalls", "stall time(S)")), app["verdict"].startswith("pass"))
                key = session["device"]["id"], session["device"]["build"], app["app"]
                sums[key] = [a + b for a, b in zip(sums.get(key, [0] * 7), values)]
    return sums


with checks, folder() as here:
    out, lab, steady = demo(here, "--frames-log", "-T", 2), here / "lab", here / "steady"
    analyze(steady, scenario("steady-60", here / "steady.txt"))
    for name, source, device, build in (("1", out, "b", "old"), ("2", out, "b", "old"), ("3", out, "b", "new"), ("4", steady, "a", "new"),
                                        ("5", out, HOSTILE, HOSTILE)):
        copied(source, lab / name, device, build, f"s{name}")
    found, sums = table(lab), expected(model(lab))
    checks.equal((len(found), len({row["device"] for row in found})), (len(sums), 3), "rows and devices")
    for row in found:
        own = sums.get((row["device"], row["build"], row["app"]))
        got = [row[name] for name in ("sessions", "frames", "Time(S)", "jank", "stalls", "stall time(S)", "pass")]
        checks.that(own and all(abs(one - other) < 2e-6 for one, other in zip(got, own)), f"{row}: expected {own}")
        checks.that(abs(row["FPS"] - own[1] / own[2]) < 0.006, f"FPS of {row}")
        checks.that(abs(row["jank(/10min)"] - 600 * own[3] / (own[2] + own[5])) < 0.006, f"jank(/10min) of {row}")
        grades = collections.Counter(app["grade"] for session in model(lab) for app in session["apps"]
                                     if (session["device"]["id"], session["device"]["build"], app["app"]) == (row["device"], row["build"], row["app"]))
        checks.equal((row["grades"], row["grade"]), (grades, *grades), f"grades of {row}")
    order = [(GRADES.index(row["grade"]), -sum(one["lost(s)"] for one in row["facts"]["causes"].values())) for row in found]
    checks.equal(order, sorted(order), "the worst first")
    for row in found:
        own, = {app["sentence"] for session in model(lab) for app in session["apps"] if app["app"] == row["app"]
                and (session["device"]["id"], session["device"]["build"]) == (row["device"], row["build"])} if row["sessions"] == 1 else {None}
        name = f"{row['app']} on Phone with build {HOSTILE if row['build'] == HOSTILE else row['build']}"
        checks.that(row["sentence"].startswith(f"{name} ") and (not own or own == row["sentence"].replace(name, row["app"])), f"the sentence of {row}")
    top, said = report(lab).stdout.split("\n\n")[:2]
    checks.that(top.startswith(f"BAD: {found[0]['sentence']}") and found[0]["whose"] in " ".join(top.split()), f"the text begins with what is worst: {top}")
    checks.that(said.count("\n") == len(found) and "32.0 s, sessions 2: BAD 2: b, Phone, old\n" in said and "\x1b" not in said, f"the text: {said[:2000]}")
    checks.that("devices and builds" not in report(lab / "1").stdout, "one session has no table in the text")
    checks.equal(len(table(lab / "1")), len(model(lab / "1")[0]["apps"]), "rows of one session")
    checks.equal({row["app"] for row in table("--app", "com.example.mail", lab)}, {"com.example.mail"}, "--app")

    # Without an id: the name that jank-adb pull gives the folder.
    named = here / "named"
    copied(out, named / "SERIAL-s7", None, "old", "s7")
    other = copied(out, named / "other", None, "old", "s7")
    for path, devices in ((f"{named}/SERIAL-s7//", {"SERIAL"}), (other, {None}), (named, {"SERIAL", None})):
        checks.equal({row["device"] for row in table(path)}, devices, f"devices of {path}")
    (other / "session.json").unlink()
    checks.equal({(row["device"], row["model"]) for row in table(other)}, {(None, None)}, "without session.json")
    # Without any number: a dash or nothing, not 0.
    for name in ("1", "2"):
        write(here / "bare" / name, "summary.csv", [{"app": "com.x", "Surface": "com.x/x"}, {"Surface": "StatusBar", "frames": 90, "FPS": "60.00"}], ["app", "Surface", "frames", "FPS"])
    said = report(here / "bare").stdout
    checks.equal([row["app"] for row in table(here / "bare")], ["com.x"], "a Surface of no app is no row")
    checks.that("  no grade: com.x: - FPS in - s, sessions 2: device not known\n" in said, f"numbers that are unknown: {said}")
    page = here / "page.html"
    checks.equal(((done := report("-o", page, lab)).returncode, done.stdout.strip()), (0, str(page)), f"a page of several devices: {done.stderr}")
    checks.equal(page.read_text().count('"session_id":'), 5, "sessions on the page")
