#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Twelve sessions that a lead looks at for ten seconds each: which app, how bad, since when, whose fault? Grade and sentence are right,
and the same in the text of jankd and of jank-report, JSON, Markdown, summary.csv, and on the first screen of the page."""

import json, math, re
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from browser import browser
from jankd import checks, folder, jankd, rows, scenario
from report import by_culprit, marked, model, report, without

TIME = re.compile(r"(?<= )(\d+)\.(\d{6}): (?=tracing_mark_write)", re.M)
SCREEN = 1280, 800
MOMENTS = "return [...document.querySelectorAll('.moments tbody tr')].map(row => [...row.cells].slice(0, 4).map(cell => cell.textContent))"


def play(here, name, seconds, **options):
    return scenario(name, here / "part.txt", seconds=seconds, **options).read_text()


def in_sections(here, *sections):
    """(mark, scenario, seconds), one after the other."""
    text, begin = "", 0
    for mark, name, seconds in sections:
        line = f"  example.tester-4711  ( 4711) [000] ....  {1000 + begin}.000001: tracing_mark_write: I|4711|jankd:{mark}\n"
        played = TIME.sub(lambda found: f"{int(found[1]) + begin}.{found[2]}: ", play(here, name, seconds))
        text += played.partition("\n")[0] + "\n" + line + played.partition("\n")[2] if not text else line + played
        begin += seconds
    return text


# name: (how its trace is made, options of analyze, app, grade, what the sentence says)
SESSIONS = {"mail": (lambda here: play(here, "demo", 60), (), "com.example.mail", "BAD",
             r"was frozen or late for 29 % of the 60 s it drew: 15 freezes \(longest 0.92 s\) and 53 late frames"),
    "freezes": (lambda here: play(here, "hang-doframe", 40), (), "com.example.scroll", "BAD",
                r"was frozen for 3\d % of the 40 s it drew: 13 freezes \(longest 1.45 s\), no late frame\. All of the lost time is the app's own"),
    "status bar": (lambda here: play(here, "drops-120", 20), (), "com.example.scroll", "BAD", r"was late for \d.\d % of the 20 s it drew \(109.9 of 120 fps\): \d+ late frames, no freeze"),
    "hole": (lambda here: without(play(here, "steady-60", 60), 18, 26), (), "com.example.scroll", "INCOMPLETE",
             r"No frame of com.example.scroll was late in the 52 s captured, but 8.0 s \(13 %\) are missing \(0:18 to 0:26\): record with a larger buffer"),
    "small hole": (lambda here: without(play(here, "steady-60", 6), 3, 3.32), (), "com.example.scroll", "INCOMPLETE", r"but 0.3\d s \(6.\d %\) are missing \(0:03\)"),
    "gaps": (lambda here: play(here, "hang-native", 12), (), "com.example.game", "UNCLEAR",
             r"drew nothing for 4.1 of 12 s \(4 gaps of 0.60 to 1.45? s\), and the trace does not say whether it hung"),
    "game": (lambda here: play(here, "game-30", 10), (), "com.example.game", "GOOD",
             r"held an even 30 fps on a 60 Hz screen for 10 s: no late frame, no freeze"),
    "slow": (lambda here: play(here, "game-30", 10), ("--class", "app"), "com.example.game", "FAIR",
             r"was even, but slow: 30 of 60 fps from start to end\. No frame was late, so it is not known whether the app or the system held it there\."),
    "one frame": (lambda here: play(here, "steady-60", 1), (), "com.example.scroll", "TOO SHORT", r"drew for only 0.9\d s \(\d+ frames\), too short to judge"),
    "killed": (lambda here: play(here, "hang-killed", 9), (), "com.example.scroll", "TOO SHORT", r"drew for only 1.45 s \(87 frames\) and was frozen for 1.52 s, too short to judge: "
               r"1 freeze \(1.52 s, no frame ended it\), no late frame\. All of the lost time is the app's own"),
    "checkout": (lambda here: in_sections(here, ("login", "steady-60", 20), ("checkout", "hang-doframe", 20), ("home", "steady-60", 20)), (),
                 "com.example.scroll", "BAD", r"was frozen or late for 1\d % of the 60 s it drew: 7 freezes \(longest 1.45 s\) and 1 late frame"),
    "culprits": (lambda here: play(here, "culprits", 30), (), "com.example.scroll", "BAD", r"was late for 4.\d % of the 30 s it drew: .* 47 % of the lost time is the app's "
                 r"\(27 % its GPU work, 20 % its own work\), 44 % the system's \(35 % its compositor, 9 % late wake-ups\), 9 % frames that were thrown away\."),
    "compositor": (lambda here: play(here, "culprits-cpu", 30), (), "com.example.scroll", "BAD",
                   r"54 % of the lost time is the system's \(36 % its compositor, 18 % late wake-ups\), 37 % the app's own, 9 % frames that were thrown away\."), }
# What the rows tell beside the causes: jankd itself does not have it.
EVIDENCE = {"mail": "Unknown: frames waited up to 0.70 s in the queue."}
# What to do next: where, and what to look at.
LATE, FROZE = (rf"look at (\d:\d\d), the worst {what}{{}}: {{}}\." for what in ("late frame", "freeze"))
SLOW = " due to App too slow"
NEXT = {"mail": FROZE.format(SLOW, r"doFrame 900.0 ms .* on the app's main thread").replace(r"\d:\d\d", "0:05"), "status bar": LATE.format("", "no long doFrame is recorded, see what the app's threads did before this frame"),
        "freezes": FROZE.format("", r"doFrame 14\d\d.\d ms \(traversal 14\d\d.\d\) on the app's main thread"), "culprits": LATE.format(" due to App's GPU work", "see what the app lets the GPU draw"),
        "compositor": LATE.format(r" due to System compositor \(CPU\)", "see what the system compositor put together"),
        "killed": FROZE.format("", r"doFrame 1516.\d ms \(not ended\) on the app's main thread \(a grade needs 5 s of drawing and 100 frames\)"),
        "checkout": FROZE.format(", in checkout", "doFrame .* on the app's main thread"), "slow": "if 30 fps are meant, analyze again .*; else see what holds .*",
        "gaps": "see whether the app had anything to draw in its gap of 1.45 s, from 0:10 on.", "one frame": "record for longer, .* 5 s of drawing and 100 frames."}


def worst_moment(session):
    """When the frame or freeze began that lost most by the first cause."""
    lost, time = max((row["time lost(ms)"], -row["time(s)"]) for row in session["late"] if (row["cause"] or "unknown") == by_culprit(session["apps"][0]["facts"]["causes"])[0])
    begin = -time - lost / 1000
    s = int(begin - session["from(s)"] + 0.1)
    return f"{begin:.3f} s" if session["clock stepped back"] else f"{s // 60}:{s % 60:02}"


def words(text):
    """In one line: the text of jankd is cut into lines."""
    return re.sub(r"\s+", " ", text)


def check(name, here, page):
    made, options, app, grade, said = SESSIONS[name]
    trace, out = here / f"{name}.txt", here / name
    trace.write_text(made(here))
    done = jankd("analyze", "-F", out, "--frames-log", "-T", 2, *options, trace)
    if not checks.equal(done.returncode, 0, f"{name}: {done.stderr.decode()}"):
        return
    first = json.loads(jankd("analyze", "--json", "-F", here / f"{name} again", *options, trace).stdout)["apps"][0]
    checks.equal((first["app"], first["grade"]), (app, grade), f"{name}: app and grade")
    sentence = words(first["sentence"])
    checks.that(re.search(said, words(f"{sentence} {first['whose']}")), f"{name}: '{sentence}' has no '{said}'")
    one = [row for row in rows(out, "summary.csv") if app in row["Surface"] and row["grade"] not in ("TOO SHORT", "")] or rows(out, "summary.csv")
    checks.that(grade in {row["grade"] for row in one}, f"{name}: summary.csv: {[row['grade'] for row in one]}")
    checks.that(f"{grade}: {sentence} {first['whose'] or ''}" in words(done.stdout.decode()), f"{name}: text of jankd: {done.stdout.decode()}")
    row = done.stdout.decode().splitlines()[1]
    checks.equal(bool(re.search(r"≥\d+\.\d +≥\d+ ", row)), grade in ("INCOMPLETE", "UNCLEAR"), f"{name}: a lost time that is known in part has its sign: {row}")
    # jank-report knows the sections: its sentence can say more. What to do next is the same in all of its outputs, and only of what is not good.
    begin, told = sentence.removesuffix("."), (session := model(out)[0])["apps"][0]
    step = f"Next: {told['next']}" if name in NEXT else ""
    checks.that(re.fullmatch(NEXT[name], told["next"] or "") and told["next zh"].endswith("。") if name in NEXT else told["next"] is None, f"{name}: next step: {told['next']}")
    whose = told["whose"] or ""
    checks.equal(re.findall(r"\d+ %", told["whose zh"] or ""), re.findall(r"\d+ %", whose), f"{name}: whose fault, in both languages")
    if found := re.match(r"look at (\S+),", told["next"] or ""):
        checks.equal(found[1], worst_moment(session), f"{name}: the worst moment of the culprit that lost most: {step}")
    for output, arguments in (("text", ()), ("Markdown", ("--markdown",))):
        head = words(report(*arguments, out).stdout.replace("**", "").replace("\\", ""))[:1200]
        checks.that(grade in head and begin in head and whose in head and step in head and head.count("larger buffer") <= 1 and EVIDENCE.get(name, "") in whose and (name in EVIDENCE or "Unknown: " not in whose), f"{name}: {output} of jank-report: {head[:600]}")
        checks.that(not (raw := re.findall(r".{20} 1\d\d\d(?:\.\d+)? s(?! on the trace clock)", head + words(done.stdout.decode()))), f"{name}: {output}: times of the trace: {raw}")
    checks.equal((told["app"], told["grade"], begin in told["sentence"]), (app, grade, True), f"{name}: JSON of jank-report: {told['sentence']}")
    report("-o", here / "page.html", out)
    seen = first_screen(page, here / "page.html")
    checks.that(grade in seen and begin in seen and whose in seen and step in seen and ("部分：" in (told["whose zh"] or "")) == (name in EVIDENCE), f"{name}: first screen of the page: {seen[:600]}")
    told_once, since = page.run("return !document.querySelector('h1').textContent.includes(arguments[0])", grade), re.findall(r"(?:late|unexplained gap) \d+\.\d+ s, the first at (0:\d\d)", seen)
    checks.equal((told_once, len(since), name != "mail" or since == ["0:00"]), (True, (told["facts"]["late time(s)"] > 0) + (told["facts"]["gaps"] > 0), True), f"{name}: the grade in the title, and since when frames are late, or gaps")
    left_out = " and ".join(f"the {n} {what}{'s' * (n != 1)}" for what, n in (("freeze", first["facts"]["freezes"]), ("unexplained gap", first["facts"]["gaps"])) if n)
    for text in (done.stdout.decode(), report(out).stdout, seen) if left_out and grade != "TOO SHORT" else ():
        checks.that(f"fps between gaps; it leaves out {left_out}, so it is no pass" in words(text), f"{name}: the rule says what it leaves out: {text[:900]}")
    if grade in ("INCOMPLETE", "UNCLEAR"):
        checks.that("nothing was lost" not in (whole := page.run("return document.body.innerText")) and "longest known" in whole, f"{name}: no pass: {whole}")
    # What counts in a section is told in it, also what began before its mark.
    lines = page.run(MOMENTS)
    for section in model(out)[0]["sections"]:
        counted = [sum(app["facts"]["freezes"] for app in section["apps"])] * 3
        found = [re.findall(rf"freeze, {re.escape(section['section'])}[, ].*?(\d+) time", report(*arguments, out).stdout.replace("\\", "")) for arguments in ((), ("--markdown",))]
        found.append([times for what, of, _, times in lines if what == "freeze" and of.partition(" (began")[0] == section["section"]])
        checks.equal([sum(map(int, times)) for times in found], counted, f"{name}: freezes of {section['section']}: {lines}")
        # The page of a section has its own moments, with the names of others in which they began.
        report("-o", here / "page.html", "--section", section["section"], out)
        page.open(here / "page.html")
        checks.equal((page.run(MOMENTS), page.console()), ([line for line in lines if line[1].partition(" (began")[0] == section["section"]], []), f"{name}: page of {section['section']}")


def first_screen(page, html):
    page.open(html)
    return words(page.run("return [...document.querySelectorAll('body *')].filter(e => e.children.length === 0 || e.tagName.match(/^(H1|H2|P)$/))"
                          ".filter(e => { const box = e.getBoundingClientRect(); return box.width > 0 && box.bottom <= innerHeight; })"
                          ".map(e => e.textContent).join('\\n')"))


def colors(here, page):
    """Each cause is beside the timeline on the first screen, with its letter; each color means one thing, in both themes."""
    report("-o", here / "page.html", here / "culprits")
    for theme in ("light", "dark"):
        page.open(here / "page.html", f'#{{"language":"en","theme":"{theme}"}}')
        letters, is_seen, names = page.run("""const one = document.querySelector('.causes-legend'), style = getComputedStyle(document.documentElement), names = Object.keys(LETTERS).filter((name) => name !== 'none');
          return [[...one.querySelectorAll('.swatch')].map((swatch) => swatch.textContent).join(''), one.getBoundingClientRect().bottom <= innerHeight, [...names.map((name) => `cause-${name}`), 'smooth', 'late', 'frozen'].map((name) => [name, style.getPropertyValue(`--${name}`)])]""")
        checks.equal((letters, is_seen), ("GACSWT", True), f"{theme}: legend of the causes")
        of = [(name, bytes.fromhex(color.strip("# "))) for name, color in names]
        near = [(a, b) for n, (a, one) in enumerate(of) for b, other in of[:n] if math.dist(one, other) < 60]
        checks.equal(near, [], f"{theme}: names of the same color")
    since = "lateSince({'from(s)': 10, late: []}, {facts: {'late frames': 5, freezes: %d}, surfaces: [{judged: true, 'time lost': {'worst minute(s)': 70}}]})"
    rule, long = "rule({verdict: 'n/a app? 1.4s<5s', facts: {freezes: 1, gaps: 0}}).textContent", "17 ms; unexplained gaps: 1, up to 1:06:30"
    page.size(390, 844)
    checks.equal(page.run(f"document.querySelector('.eight dd').textContent = '{long}'; return [{since % 0}, {since % 1}, {rule}, document.documentElement.scrollWidth]"), [", most in the minute from 1:00",
                 "", "55 fps rule of the Software Green Alliance: not applicable: never even for 5 s", 390], "late frames that are not kept, a rule without a number, and a narrow page")
    page.size(*SCREEN)


def steps(here):
    """What to do next is true: of the very worst moment and its own cause, of what is not recorded yet; no name turns the line."""
    hang, app = play(here, "hang-doframe", 12), "doFrame 14.* on the app's main thread"
    marks = marked(hang.encode(), [1, 9.9, 40], "m{}\u202e".format).decode()
    view, live, unknown = ('"options":{', '"options":{"categories":"gfx view",'), ('"kind":"file"', '"kind":"trace_pipe"'), (",app,", ",unknown,")
    for n, (trace, options, changes, said) in enumerate((
            (play(here, "hang-gpu", 9) + TIME.sub(lambda found: f"{int(found[1]) + 9}.{found[2]}: ", play(here, "hang-doframe", 12)), ("-T", 2), (), FROZE.format(SLOW, app)),
            (hang + TIME.sub(lambda found: f"{int(found[1]) - 5}.{found[2]}: ", hang), ("-T", 2), (), r"look at (\d+\.\d+ s), .*" + app + r"\."), (marks, ("-T", 2), (), FROZE.format(r", in m1\\xE2\\x80\\xAE \(began in m0\\xE2\\x80\\xAE\)", app)),
            (without(hang, 3, 6), ("-T", 2), (), FROZE.format("", app + r"; \d+ % of the time is missing, record with a larger buffer")),
            (hang, (), (), FROZE.format("", "analyze again with -T 2, .*")), (hang, (), (live,), FROZE.format("", "record with -T 2, .*")), (hang, (), ("events.csv", "doframe.csv", "frames.csv"), "make the report of the whole folder, .*"),
            (hang, (), (unknown,), FROZE.format("", "its cause is unknown, see the trace there")), (hang, (), (live, unknown), FROZE.format("", "its cause is unknown, record with --snapshot 100 .*")),
            (play(here, "drops-120", 9), (), (live, unknown), LATE.format("", "its cause is unknown")), (play(here, "steady-60", 3), (), (), r"record for longer, a grade needs 5 s of drawing\."),
            (silent := "".join(line for line in hang.splitlines(True) if "Choreographer" not in line and "traversal" not in line), (), (), "record with category view, .*"), (silent, (), (view,), "see whether the app had anything .*"))):
        out = here / f"step {n}"
        (here / "step.txt").write_text(trace)
        checks.equal(jankd("analyze", "-F", out, "--frames-log", *options, here / "step.txt").returncode, 0, f"step {n}")
        for change in changes:
            for path in (out / change,) if isinstance(change, str) else (out / "session.json", out / "frames.csv"):
                path.unlink() if isinstance(change, str) else path.write_text(path.read_text().replace(*change))
        told = (session := model(out)[0])["apps"][0]
        found = re.fullmatch(said, told["next"] or "")
        checks.that(found and (not found.groups() or found[1] == worst_moment(session)), f"step {n}: {said}: {told['next']}")
        checks.that("\u202e" not in f"{told['whose']}{told['next zh']}{report('--markdown', out).stdout}", f"step {n}: a name that turns the line")


def gates_and_comparison(here, page):
    """A gate fails exactly the bad ones, and a build whose checkout freezes is worse than one whose checkout does not."""
    for name, (_, _, _, grade, _) in SESSIONS.items():
        done = report("--fail-if", "grade < FAIR", "--strict", here / name)
        code = {"BAD": 3, "FAIR": 0, "GOOD": 0, "TOO SHORT": 3 if name == "killed" else 4}.get(grade, 4)
        checks.equal(done.returncode, code, f"{name}: gate: {done.stderr}")
    # What is missing, or not explained, may be a freeze; a session without an app does not pass beside another.
    system = (here / "freezes.txt").read_text().replace("com.example.scroll", "com.android.systemui")
    (here / "system.txt").write_text(system)
    checks.equal(jankd("analyze", "-F", here / "system", here / "system.txt").returncode, 0, "system")
    for name, said in (("hole", "freezes is 0, but 8.0 of 60 s are missing"), ("system", "only the system's own Surfaces, or a wallpaper, drew"),
                       ("gaps", "freezes is 0, but it drew nothing for 4.1 s, and the trace does not say whether it hung")):
        checks.that((done := report("--fail-if", "FPS < 25", "--strict", here / "game", here / name)).returncode == 4 and said in done.stderr, f"{name}: a gate that is not judged: {done.stderr}")
    base = here / "base"
    (here / "base.txt").write_text(in_sections(here, ("login", "steady-60", 20), ("checkout", "steady-60", 20), ("home", "steady-60", 20)))
    checks.equal(jankd("analyze", "-F", base, "--frames-log", here / "base.txt").returncode, 0, "base")
    done = report("--compare", base, "--new", here / "checkout", "--new", base)
    first, _, second = done.stdout.partition("\n\n")
    checks.equal(done.returncode, 3, f"comparison: {done.stdout}")
    checks.that(first.startswith("WORSE: com.example.scroll: checkout has 7.0 freezes a minute, up to 1.45 s; base has none.") and "Most in checkout: 1.7 -> 288.0 ms/s, freezes 0 -> 6" in first
                and " better" not in first, f"comparison: {first}")
    report("-o", here / "compare.html", "--compare", base, "--new", base, "--new", here / "checkout")
    seen, (head, *more) = first_screen(page, here / "compare.html"), map(str.strip, first.splitlines()[:3])
    checks.that("WORSE" in seen and head.partition("scroll: ")[2] in seen and all(line in seen for line in more), f"first screen of a comparison: {seen[:600]}")
    checks.that("NO DIFFERENCE" in second, f"comparison with itself: {second}")


def completeness(here, page):
    """Text, Markdown and page say the same of what is missing: a part, an unknown part, and whether anything is."""
    about = here / "game" / "session.json"
    whole = about.read_text()
    small = re.search(r"but (.*\)) are", model(here / "small hole")[0]["apps"][0]["sentence"])[1]
    for name, change, said in (("hole", None, "8.0 s (13 %) missing"), ("small hole", None, f"{small} missing"), ("game", None, "complete"), ("game", ('"lost_unknown":0', '"lost_unknown":3'), "events are missing"),
                               ("game", (whole, ""), "not known whether complete")):
        if change:
            about.write_text(whole.replace(*change))
        report("-o", here / "complete.html", here / name)
        for seen in (report(here / name).stdout, report("--markdown", here / name).stdout, first_screen(page, here / "complete.html")):
            checks.that(said in seen and ("complete" in seen) == ("complete" in said), f"{name}: {said}: {seen[:600]}")
    about.write_text(whole)
    # One frame, which has no frame time.
    (here / "one.txt").write_text(without((here / "one frame.txt").read_text(), 0.045, 9))
    told = words(jankd("analyze", "-F", here / "one", here / "one.txt").stdout.decode())
    report("-o", here / "one.html", here / "one")
    for seen in (told, report(here / "one").stdout, report("--markdown", here / "one").stdout, first_screen(page, here / "one.html")):
        checks.that("drew two frames" in seen and "no grade" in seen and not re.search("no frames, so|belong to no app", seen), f"one frame: {seen[:600]}")


def main():
    with checks, folder() as here, browser() as page:
        page.size(*SCREEN)
        for name in SESSIONS:
            check(name, here, page)
        colors(here, page)
        steps(here)
        gates_and_comparison(here, page)
        completeness(here, page)


if __name__ == "__main__":
    main()
