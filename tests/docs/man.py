# SPDX-License-Identifier: Apache-2.0
"""The man pages say what the programs do: all options, columns, files, kinds of events and rules are in them, and nothing else.
Their examples run."""

import os
import re
import shutil
import subprocess
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
import packets
from jankd import PHONE, SOURCE, analyze, checks, folder, jankd, rows
from pages import PAGES, PROGRAMS, examples, helps, items, options, page, run_blocks, section

# Columns that are no numbers to be defined.
NOT_COUNTED = {"start time", "end time", "app", "Surface", "first(s)", "last(s)"}


def same(checks, got, expected, what):
    """Two sets of names are equal."""
    checks.equal(set(got) ^ set(expected), set(), f"{what}: missing or too much")


def program_page(checks, name):
    """The options of the page of the program are those of its help."""
    text, known = page(f"{name}.1"), set().union(*map(options, helps(name).values()))
    listed = set()
    for names, _ in items(section(text, "OPTIONS") + "".join(re.findall(r"^\.Ss .*?(?=^\.S)", text, re.M | re.S)), "Fl"):
        listed.update("-" + re.sub("^Fl ", "", name).split()[0] for name in names)
    same(checks, listed, known, f"options of {name}(1)")
    for command in helps(name):
        checks.that(not command or re.search(rf"^\.It Cm {command}\b", text, re.M), f"{name}(1) does not list {command}")
    passed = options(helps("jankd")["start"]) if name == "jank-adb" else set()
    for option in set(re.findall(r"\bFl (\S+)", text)) - {option[1:] for option in passed}:
        checks.that("-" + option in known or f"-{option[0]}" in known, f"-{option} is in {name}(1) and in no --help")


def files(checks, out):
    """jankd-csv(5) has the files of a session, with their columns in order, and the keys of session.json."""
    text = page("jankd-csv.5")
    jankd("analyze", "-F", out / "timeline", "-", input=packets.timeline_frames(1))
    (out / "timeline" / "frametimeline.csv").rename(out / "frametimeline.csv")
    shutil.rmtree(out / "timeline")
    made = {path.name for path in out.glob("[!.]*")} | {"latency.csv"}  # of --source latency, see golden/latency.py
    same(checks, re.findall(r"^\.Ss (\S+\.\w+)$", text, re.M), made, "files of jankd-csv(5)")
    for path in sorted(out.glob("*.csv")):
        part = items(section(text, path.name), "Sy")
        header = path.read_text(encoding="utf-8").splitlines()[0].split(",")
        checks.equal([name for names, _ in part for name in names], header, f"columns of {path.name} in jankd-csv(5)")


def session(checks, out):
    """Keys of session.json and kinds of events."""
    text = page("jankd-csv.5")
    keys = {name for names, _ in items(section(text, "session.json"), "Cm") for name in names}
    code = (SOURCE / "daemon" / "show" / "status_json.c").read_text(encoding="utf-8")
    printed = set()
    for function in ("session_object", "status_json", "status_json_of_last"):
        body = re.search(rf"^[^\n]*\b{function}\([^;]*?\n\{{\n(.*?)^\}}", code, re.M | re.S)[1]
        printed.update(re.findall(r'add\w*\(\s*object,\s*"(\w+)"', body))
    same(checks, keys, printed, "keys of session.json in jankd-csv(5)")
    found = set(re.findall(r'^  "(\w+)"', (out / "session.json").read_text(), re.M))
    checks.that(found <= keys, f"keys of session.json that jankd-csv(5) does not have: {found - keys}")
    kinds = {name for names, _ in items(section(text, "events.csv"), "Cm") for name in names}
    sources = "".join(path.read_text(encoding="utf-8") for path in sorted((SOURCE / "daemon").rglob("*.c")))
    written = re.findall(r'event\w*\([^;"]*?,\s*"([a-z]+)",', sources) + re.findall(r'\[TRACE_EVENT_\w+\] = "(\w+)"', sources)
    same(checks, kinds, written, "kinds of events in jankd-csv(5)")
    checks.that({row["kind"] for row in rows(out, "events.csv")} <= kinds, "events.csv has a kind that jankd-csv(5) does not have")


def metrics(checks, out):
    """jankd-metrics(7) defines each number of fps.csv and summary.csv, and names the source."""
    text = page("jankd-metrics.7")
    columns = set().union(*((out / name).read_text().splitlines()[0].split(",") for name in ("fps.csv", "summary.csv")))
    formulas = items(text, "Sy")
    same(checks, [name for names, _ in formulas for name in names], columns - NOT_COUNTED, "columns of jankd-metrics(7)")
    for names, body in formulas:
        checks.that("Source:" in body, f"jankd-metrics(7): {names} have no source")


def checked(here, rule):
    """What 'jankd rules check' says of a file with this rule."""
    path = here / "try.rules"
    path.write_text(f"present slice p\nlatch counter {{layer}}\n{rule}\n")
    return jankd("rules", "check", path).stderr.decode()


def rules(checks, here):
    """jankd-rules(5) has the roles of the language, and the events that each role takes."""
    text = page("jankd-rules.5")
    roles = {}
    for names, _ in items(section(text, "Roles"), "Sy"):
        role, _, events = names[0].partition(" Pq ")
        roles[role] = events.split()
    said = re.search(r"a rule begins with (.*?), not", checked(here, "no-role"))[1]
    same(checks, roles, re.split(r", | or ", said), "roles of jankd-rules(5)")
    events = {name.split()[0] for names, _ in items(section(text, "Events"), "Sy") for name in names}
    for role, taken in roles.items():
        said = re.search(rf"'{role}' takes (.*?), not", checked(here, f"{role} no-event x"))
        same(checks, taken, re.split(r", | or ", said[1]) if said else (), f"events of {role} in jankd-rules(5)")
        checks.that(set(taken) <= events, f"{role} takes an event that jankd-rules(5) does not explain")
    code = (SOURCE / "rules" / "language" / "ruleset.c").read_text(encoding="utf-8")
    limits = re.search(r"more than (\d+) rules", code)[1], re.search(r"more than (\d+) 'inside'", code)[1]
    checks.that("at most {} rules and {} different".format(*limits) in text.replace("\n", " "), f"jankd-rules(5): limits {limits}")
    head = (SOURCE / "rules" / "language" / "default.rules").read_text(encoding="utf-8").split("\n\n")[0]
    for variable in re.findall(r"\{\w+\}", head):
        checks.that(variable in section(text, "Patterns"), f"{variable} is not in jankd-rules(5)")
    for role, listed in re.findall(r"^# (\w+) +((?:(?:counter|rise|fall|instant|slice|layer) )+) ", head, re.M):
        checks.that(set(listed.split()) <= set(roles[role]), f"default.rules: events of {role} differ from jankd-rules(5)")


def run_examples(checks, name, here):
    """Runs the examples of a page in one folder; returns what they print."""
    here.mkdir()
    programs = here / "bin"
    programs.mkdir()
    for program, path in PROGRAMS.items():
        (programs / program).symlink_to(path)
    environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
    checks.that(examples(name) or name == "jank-adb.1", f"{name} has no example that can run")
    return run_blocks(checks, name, examples(name), cwd=here, env=environment)


def examples_of_metrics(checks, said, out):
    """The formulas, written in awk, give the numbers of summary.csv."""
    row = next(row for row in rows(out, "summary.csv") if row["Surface"].startswith("com.example.mail/"))
    janks = str(int(row["jank"]) - int(row["stalls"]))
    checks.equal([text.strip().split("\n")[-1] for text in said], [row["FPS"], janks, row["p99(ms)"]], "what the examples of jankd-metrics(7) print")


names = sorted(path.name for path in PAGES.iterdir())
for name in names:
    checks.that(page(name).startswith('.\\" SPDX-License-Identifier: Apache-2.0\n'), f"{name}: no SPDX line")
with checks, folder() as here:
    trace = here / "trace.txt"
    subprocess.run([PHONE, "--scenario", "demo", "--speed", "0", "--output", trace], check=True, capture_output=True)
    out = here / "out"
    analyze(out, "-T", 2, "--frames-log", "--snapshot", 100, trace)
    for snapshot in sorted(out.glob("snapshot-*"))[1:]:
        snapshot.unlink()
    for program in PROGRAMS:
        program_page(checks, program)
    files(checks, out)
    session(checks, out)
    metrics(checks, out)
    rules(checks, here)
    said = {name: run_examples(checks, name, here / f"examples of {name}") for name in names}
    examples_of_metrics(checks, said["jankd-metrics.7"], out)
    printed = re.search(r'^\.\\" printed\n\.Bd [^\n]*\n(.*?)^\.Ed$', page("jankd-csv.5"), re.M | re.S)[1]
    checks.equal(printed.replace("\n", ""), said["jankd-csv.5"][1].strip(), "the row that jankd-csv(5) explains")
