# SPDX-License-Identifier: Apache-2.0
"""Every output has the same numbers; conditions, exit codes and wrong usage."""

import csv, io, json, math, os, re, shutil, subprocess
import xml.etree.ElementTree
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from jankd import REPORT, checks, folder, rows
from report import demo, model, report, surfaces

MAIL = "com.example.mail/com.example.mail.MainActivity"


def tables(out):
    """--csv and --openmetrics have the numbers of --json."""
    found = surfaces(model(out)[0])
    table = list(csv.DictReader(io.StringIO(report("--csv", out).stdout)))
    checks.equal({row["Surface"] for row in table}, set(found), "Surfaces of --csv")
    for row in table:
        for column, value in found[row["Surface"]]["numbers"].items():
            checks.equal(float(row[column]) if row[column] else None, value, f"--csv: {column} of {row['Surface']}")
        checks.equal((row["verdict"] or None, row["grade"] or None), (found[row["Surface"]]["verdict"], found[row["Surface"]]["grade"]), "of --csv")
        checks.equal({name: float(row[f"lost by {name}(s)"]) for name in found[row["Surface"]]["facts"]["causes"]},
                     {name: one["lost(s)"] for name, one in found[row["Surface"]]["facts"]["causes"].items()}, "lost by cause of --csv")
    text = report("--openmetrics", out).stdout
    for name, column, scale in (("fps", "FPS", 1), ("p99_seconds", "p99(ms)", 1e-3), ("janks", "jank", 1), ("stutter_ratio", "stutter(%)", 1e-2),
                                ("lost_seconds", "time lost(ms)", 1e-3)):
        values = {surface: float(value) for surface, value in re.findall(rf'^jank_{name}\{{.*surface="(.*)"\}} (\S+)$', text, re.M)}
        for surface, one in found.items():
            checks.that(math.isclose(values[surface], one["numbers"][column] * scale, rel_tol=1e-9), f"--openmetrics: {name} of {surface}")
    apps = {(name, *labels): float(value) for name, *labels, value in re.findall(r'^jank_(app_\w+)\{device="",model="",build="",app="(.*?)",section="(.*?)"(?:,grade="(.*)")?\} (\S+)$', text, re.M)}
    for app in model(out)[0]["apps"]:
        facts = app["facts"]
        for name, value in (("app_lost_ratio", facts["lost(ms/s)"] / 1000), ("app_freezes", facts["freezes"]), ("app_drawing_seconds", facts["drawing(s)"]),
                            ("app_lost_seconds", facts["late time(s)"] + facts["freeze time(s)"])):
            checks.that(abs(apps[name, app["app"], "", ""] - value) < 3e-6, f"--openmetrics: {name} of {app['app']}: {value}")
        checks.equal([key[3] for key, value in apps.items() if key[:2] == ("app_grade", app["app"]) and value == 1], [app["grade"]], "grade of --openmetrics")
    checks.that("folder" not in text and "session_id" not in text, "labels that are new with each run")
    twice = [line.rsplit(" ", 1)[0] for line in report("--openmetrics", out, out).stdout.split("\n") if line and line[0] != "#"]
    checks.equal(len(twice), len(set(twice)), "two sessions with the same labels are one sample")
    families = re.findall(r"^# TYPE (\S+) gauge$", text, re.M)
    checks.equal(len(families), len(set(families)), "a family is printed once")
    checks.that(all(f"# HELP {family} " in text for family in families), "each family has a help")


def events(out):
    """--json has the rows of events.csv."""
    session, = model(out)
    found = [(f"{event['time(s)']:.6f}", event["wall time"] or "", event["kind"], event["text"]) for event in session["events"]]
    checks.equal(found, [tuple(row.values()) for row in rows(out, "events.csv")], "events of --json")


def text(out):
    """What was measured comes first; moments are grouped, and say what the app did and no counters, as --json does unless asked."""
    session, = model(out)
    said = report(out).stdout
    checks.that(said.startswith(f"com.example.mail, device not known (recorded trace), 20 s, complete\n{out}: "), f"the head: {said}")
    groups = {}
    for one in session["late"]:
        groups.setdefault((one["kind"], one["cause"]), []).append(one)
    lines = [line for line in said.split("moments, most time lost first:\n")[1].splitlines() if " s lost, " in line]
    for group, line in zip(sorted(groups.values(), key=lambda group: -sum(one["time lost(ms)"] for one in group)), lines, strict=True):
        begin = min(one["time(s)"] - one["interval(ms)"] / 1e3 for one in group) - session["from(s)"]
        queued = ", up to 0.70 s in the queue" * (group[0]["cause"] == "unknown")
        told = f", {sum(one['time lost(ms)'] for one in group) / 1e3:.2f} s lost{queued}, {'first ' * (len(group) > 1)}at 0:{int(begin + 0.1):02}: "
        checks.that(f", {len(group)} time" in line and told in line, f"moments{told}told: {line}")
    checks.that("(traversal " in said and "BufferTX" not in said, f"work of the app: {said}")
    whole, = model("--info", out)
    for one, other in zip(session["late"], whole["late"], strict=True):
        work = [part for part in (other["info"] or "").split("; ") if part.startswith("doFrame ")]
        checks.equal(one["info"], "; ".join(work) or None, f"info of {one['time(s)']}")
    checks.that(any("BufferTX" in one["info"] for one in whole["late"] if one["info"]), "--info has the counters")


def conditions(here, out):
    junit = here / "junit.xml"
    for arguments, code in ((["FPS < 55"], 3), (["FPS < 20", "--allow-freezes", "5"], 0), (["FPS < 55", "--app", "com.example.game"], 3),
                            (["FPS < 29", "--app", "com.example.game"], 0), (["jank(/10min) > 600"], 3), (["jank > 23"], 0), (["jank >= 23"], 3),
                            (["fps <= 20", "--fail-if", "stalls > 4"], 3), (["time lost > 5700"], 3), (["FPS < 61", "--surface", "StatusBar"], 0),
                            (["FPS < 61", "--surface", "StatusBar", "--strict"], 4), (["FPS < 1", "--app", "none", "--strict"], 4),
                            # An app that hangs passes no gate, whatever that asks for.
                            (["FPS < 20"], 3), (["max time(ms) > 500"], 3), (["p99.9(ms) > 200"], 3), (["low 1% mean(fps) < 1"], 3),
                            (["FPS < 20", "--allow-freezes", "4"], 3), (["freezes > 5"], 0), (["freezes(/10min) > 100"], 3), (["lost(ms/s) > 280"], 3),
                            (["longest > 910"], 3), (["grade < FAIR"], 3), (["grade < FAIR", "--app", "com.example.game"], 0),
                            # A status bar is no app.
                            (["grade < GOOD", "--app", "StatusBar", "--strict"], 4)):
        done = report("--fail-if", *arguments, "--junit", junit, out)
        checks.equal(done.returncode, code, f"exit code of {arguments}: {done.stderr}")
        suite = xml.etree.ElementTree.parse(junit).getroot()
        checks.equal((suite.get("failures") != "0", len(suite) > 0), (code == 3, True), f"JUnit of {arguments}")
    # A number is judged as it is printed.
    numbers = [(column, value) for column, value in surfaces(model(out)[0])[MAIL]["numbers"].items() if value is not None]
    for half in (numbers[::2], numbers[1::2]):  # more conditions than 32 are refused
        for relation, code in ((">=", 3), ("<=", 3), (">", 0), ("<", 0)):
            words = [word for column, value in half for word in ("--fail-if", f"{column} {relation} {value}")]
            checks.equal(((done := report(*words, "--app", "com.example.mail", out)).returncode, done.stderr.count(": FAILED: ")), (code, len(half) if code else 0), f"{relation}: {done.stderr}")
    done = report("--fail-if", "FPS < 55", out)
    checks.equal(done.stdout, report(out).stdout, "conditions do not change the output, which is the same twice")
    checks.that(f"jank-report: --fail-if 'FPS < 55': FAILED: {out}: com.example.mail: FPS is 53.13" in done.stderr, f"what failed: {done.stderr}")


def usage(here, out):
    """Wrong usage: exit code 2, and one line that names the option."""
    for arguments, name in (((), "DIR"), (("--no-such", out), "--no-such"), (("--fail-if", "x < 1", out), "--fail-if"),
                            (("--fail-if", "FPS < +1%", out), "--fail-if"), (("--json", "--csv", out), "--json"), (("--new", out), "--new"),
                            (("--compare", out), "--compare"), (("--compare", "--new", out), "--compare"), (("--junit", here / "x", out), "--junit"),
                            (("--strict", out), "--strict"), (("--compare", "--csv", out, "--new", out), "--compare"), (("--surface",), "--surface"),
                            (("--compare", out, "--new", out, "--fail-if", "p99 > 20"), "--fail-if"),
                            (("--compare", out, "--new", out, "--fail-if", "frozen > +10%"), "--fail-if"),
                            (("--json", "-o", here / "x", out), "--output"), (("--info", out), "--info"), (("",), "DIR"), (("-o", "", out), "--output"), (("--junit", "", "--fail-if", "FPS < 1", out), "--junit"),
                            (("--from", "2", out), "--from"), (("--from", "x", "-o", here / "x", out), "--from"),
                            (("--from", "3", "--to", "2", "-o", here / "x", out), "--from"),
                            (("--compare", out, "--new", out, "--to", "2", "-o", here / "x"), "--from"), (("--fail-if", "FPS < 1") * 33 + (out,), "--fail-if")):
        done = report(*arguments)
        checks.equal((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), f"{arguments}: {done.stderr}")
        checks.that(done.stderr.startswith("jank-report: ") and name in done.stderr and "--help" in done.stderr, f"{arguments}: {done.stderr}")
    checks.that((done := report("--fail-if", "FPS < 1", "--junit", here / "no" / "file", out)).returncode == 1 and "no/file" in done.stderr, f"a JUnit file that cannot be written: {done.stderr}")
    with open("/dev/full", "w") as full:
        checks.that((done := subprocess.run([REPORT, "--json", out], stdout=full, stderr=subprocess.PIPE, text=True)).returncode == 1 and done.stderr.count("\n") == 1, f"a full disk: {done}")


def page(here, out):
    """The data of the page is that of --json, and no text of it can end its element."""
    path = here / "page.html"
    path.write_text("an earlier page")
    checks.equal(((done := report("-o", path, "--fail-if", "FPS < 55", out)).returncode, done.stdout), (3, f"{path}\n"), "exit code and output of -o")
    text = path.read_text(encoding="utf-8")
    data, = re.findall(r'<script type="application/json" id="data">\n(.*?)</script>', text, re.S)
    for one, truth in zip(json.loads(data)["sessions"], model(out), strict=True):
        checks.equal({key: one[key] for key in truth}, truth, "data of the page")
    checks.equal((text.count("<script"), text.count("</html>"), "<" in data), (3, 1, False), "elements of the page")
    checks.equal(sorted(found.name for found in here.glob("page*")), ["page.html"], "files of the page")
    checks.that((done := report("-o", path, "--compare", "--surface", "none", out, "--new", out)).stdout == f"{path}\n" and path.read_text(encoding="utf-8") != text, f"no page of groups without a Surface: {done}")


def places(here, out):
    """A page takes the place of no folder and no device, and leaves nothing beside it."""
    (here / "folder").mkdir()
    os.mkfifo(here / "pipe")
    for path, why in ((here / "folder", "Is a directory"), (here / "pipe", "a device")):
        done = report("-o", path, out)
        checks.equal((done.returncode, done.stdout, done.stderr.count("\n")), (1, "", 1), f"-o {path}: {done.stderr}")
        checks.that(why in done.stderr and "name a file" in done.stderr, f"-o {path}: {done.stderr}")
    checks.that((here / "pipe").is_fifo() and not list(here.glob("*.part")), "a pipe is no page")
    # A pipe in the folder would be waited for.
    shutil.copytree(out, here / "with pipe")
    (here / "with pipe" / "events.csv").unlink()
    os.mkfifo(here / "with pipe" / "events.csv")
    checks.that((done := report(here / "with pipe", timeout=60)).returncode == 0 and "events.csv is missing" in done.stdout, f"a pipe in the folder: {done}")


def nothing_fits(here, out):
    """A typo in a selection is said, and is no session without frames."""
    for arguments in (("--surface", "none"), ("--app", "none", "--csv"), ("--section", "none", "--json"), ("--from", "5000", "-o", here / "range.html"),
                      ("--to", "500", "-o", here / "range.html")):
        done = report(*arguments, out)
        checks.equal((done.returncode, done.stderr.count("\n")), (0, 1), f"{arguments}: {done.stderr}")
        checks.that(arguments[0] in done.stderr and "no frames" not in done.stdout, f"{arguments}: {done.stderr}{done.stdout[:200]}")
    for arguments in (("--surface", "*Main*"), ("--from", "1000", "--to", "1001", "-o", here / "range.html"), ("--surface", "none", "--fail-if", "FPS < 1")):
        checks.that(not re.search("no (Surface|section|session) ", report(*arguments, out).stderr), f"{arguments}")


with checks, folder() as here:
    out = demo(here, "--frames-log", "-T", 2)
    tables(out)
    events(out)
    text(out)
    conditions(here, out)
    usage(here, out)
    page(here, out)
    places(here, out)
    nothing_fits(here, out)
