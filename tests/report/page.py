# SPDX-License-Identifier: Apache-2.0
"""The page in a real browser: its numbers are those of --json, charts zoom, tables filter, sections select; both languages,
dark and light, print and a phone; no error in the console; names are text; contrast and labels. With a big folder it is
small, its chart is there within 3 s and moves 50 times a second. Screenshots are in the build folder."""

import json
import random
import re
import shutil
import time

from big_folder import write_folder
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from browser import browser
from csv_files import COLUMNS_2019, second, write, write_events
from daemon import wait_until
from jankd import BUILD, SOURCE, analyze, checks, folder, microseconds, rows, skip
from report import marked, model, report, scenario
from ten_seconds import in_sections

SIZE_MOST = 12 * 10**6  # bytes
SHOTS = BUILD / "report-screenshots"
MAIL = "com.example.mail/com.example.mail.MainActivity"
# Contrast of all texts, as WCAG 2.1 defines it, below 4.5; and controls without a name.
AUDIT = """
const light = (color) => { const parts = color.match(/[\\d.]+/g).map(Number).slice(0, 3).map((c) => c / 255)
  .map((c) => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4); return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]; };
const back = (node) => { for (; node; node = node.parentElement) { const c = getComputedStyle(node).backgroundColor;
  if (!/, 0\\)$/.test(c)) return c; } return "rgb(255, 255, 255)"; };
const wrong = [];
for (const node of document.querySelectorAll("body *")) {
  if (![...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim()) || !node.checkVisibility()) continue;
  if (["SCRIPT", "NOSCRIPT", "OPTION"].includes(node.tagName)) continue;
  const one = light(getComputedStyle(node).color), other = light(back(node));
  const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
  if (ratio < 4.5) wrong.push(`${node.tagName} ${node.textContent.slice(0, 20)}: ${ratio.toFixed(2)}`);
}
for (const node of document.querySelectorAll("button, select, input, [role=img], [role=region]"))
  if (node.checkVisibility() && !(node.getAttribute("aria-label") || node.textContent.trim())) wrong.push(`${node.outerHTML.slice(0, 80)}: no name`);
return wrong;
"""
# 60 steps of zoom and pan; how many a second.
ZOOM = """
const done = arguments[arguments.length - 1], lanes = document.querySelector(".lanes").timeline, [from, to] = lanes.whole;
let n = 0, began = performance.now();
const step = () => { const width = (to - from) * (1 - n / 70), left = from + (to - from - width) * (n % 10) / 10;
  lanes.zoom([left, left + width]);
  if (++n < 60) requestAnimationFrame(step); else done(60000 / (performance.now() - began)); };
requestAnimationFrame(step);
"""


def marked_demo(here):
    """The demo with a mark every 5 s."""
    trace = scenario("demo", here / "demo.txt").read_bytes()
    analyze(here / "demo", "--frames-log", "-T", 2, "-", input=marked(trace, [5], "level {}".format))
    return here / "demo"


def show(page, path, fragment=""):
    """Opens a page, and waits until all of it is drawn."""
    page.open(path, fragment)
    drawn(page)


def drawn(page):
    if not wait_until(lambda: page.run("return document.readyState === 'complete' && !!document.body.dataset.ready"), 30):
        checks.that(False, f"the page was not drawn: {page.console()}")


def make(out, path, *options):
    done = report("-o", path, *options, *([out] if out else []))
    checks.equal((done.returncode, done.stdout), (3 if "--compare" in options else 0, f"{path}\n"), f"jank-report -o {path}")
    checks.that(not done.stderr or "--compare" in options, f"jank-report -o {path}: {done.stderr}")
    text = path.read_text(encoding="utf-8")
    checks.that("http://" not in text.split("</head>")[0].split("-->")[1], "the head names no other address")
    return path


def unfold(page):
    page.wait("for (const one of document.querySelectorAll('.folded')) one.open = true; setTimeout(arguments[0], 100)")


def numbers(page, out):
    """What the table of the page shows are the numbers of --json. Its data: outputs.py."""
    expected = model(out)
    unfold(page)
    table = page.run("return [...document.querySelector('.folded').querySelectorAll('table')].pop().innerText").split("\n")
    head = table[1].split("\t")
    cells = {row.split("\t")[0]: row.split("\t") for row in table[2:]}
    for app in expected[0]["apps"]:
        for surface in app["surfaces"]:
            for name, value in surface["numbers"].items():
                shown = cells[surface["Surface"]][head.index(name)]
                checks.that(shown == "–" if value is None else float(shown) == value, f"{name} of {surface['Surface']}: {shown}, {value}")
    return expected[0]


def table_of(path, surface):
    return [row for row in rows(path) if row["Surface"] == surface]


def section(page, number):
    """Selects a section; 0 is the whole session."""
    page.run("const s = document.querySelector('.of-section'); s.value = arguments[0]; s.onchange()", number)


def window(page):
    """From where to where the first chart shows."""
    return page.run("return document.querySelector('.chart').chart.xAxisRange()")


def alike(page):
    """The groups of moments that are shown."""
    return page.run("return [...document.querySelectorAll('.alike tbody tr[tabindex]')].filter((row) => !row.hidden).map((row) => [...row.cells].map((cell) => cell.innerText))")


def lanes(page):
    """Where the first chart is in the window: left, top, width, height."""
    return page.run("const r = document.querySelector('.chart'); r.scrollIntoView({block: 'center'}); const b = r.getBoundingClientRect(); return [b.left, b.top, b.width, b.height]")


def press(page, key):
    page.run("document.querySelector('.lanes').dispatchEvent(new KeyboardEvent('keydown', {key: arguments[0], bubbles: true}))", key)


def packed(page, out):
    """Rows and frames on the page are those of the files, each with all its numbers."""
    charts = page.wait("""const done = arguments[arguments.length - 1]; Promise.all(data.sessions[0].charts.map(read)).then(() =>
      done(data.sessions[0].charts.map((one) => [one.Surface, ...[one.read.rows, one.read.frames].map((all) =>
        Object.fromEntries(Object.entries(all).map(([name, values]) => [name, name === "n" ? values : [...values].map((v) => isNaN(v) ? null : v)])))])));""")
    for surface, seconds, frames in charts:
        for name, column, scale in (("start", "start time", 10**6), ("end", "end time", 10**6), ("frames", "frames", 1), ("time", "Time(S)", 10**6), ("max", "max time(ms)", 1000),
                                    ("waits", "wait times", 1), ("A", "A", 1), ("D", "D", 1), ("missed", "missed vsyncs", 1), ("bigJank", "big jank", 1), ("p99", "p99(ms)", 1000),
                                    ("gpuMax", "gpu max(ms)", 1000), ("lost", "lost events", 1), ("stallTime", "stall time(S)", 10**6), ("refresh", "refresh(Hz)", 100)):
            expected = [round(float(row[column]) * scale) if row.get(column) else None for row in table_of(out / "fps.csv", surface)]
            checks.equal(seconds[name], expected, f"{column} of {surface}")
        if not (out / "frames.csv").exists():
            continue
        table = table_of(out / "frames.csv", surface)
        checks.equal(frames["present"], [microseconds(row["present(s)"]) for row in table], f"present(s) of {surface}")
        checks.equal(frames["interval"], [microseconds(row["interval(ms)"] or "0.0") for row in table], f"interval(ms) of {surface}")
        checks.equal(frames["vsyncs"], [int(row["vsyncs"]) if row["vsyncs"] else None for row in table], f"vsyncs of {surface}")
        causes = page.run("return data.sessions[0].causes")
        checks.equal([causes[int(cause)] for cause in frames["cause"]], [row["cause"] for row in table], f"cause of {surface}")


def ranges(page, truth, source):
    """The numbers of a range that is dragged are those of the section with the same bounds."""
    compared = 0
    for section in truth["sections"]:
        for one in section["surfaces"]:
            got = page.wait("""const done = arguments[arguments.length - 1], [name, from, to] = arguments, session = data.sessions[0];
              const chart = session.charts.find((one) => one.Surface === name);
              read(chart).then(() => done(numbersOfRange(session, chart, Math.round(from * 1e6), Math.round(to * 1e6))));""",
                            one["Surface"], section["from(s)"], section["to(s)"])
            checks.equal((got["source"], got["why"] == ""), (source, source == "frames.csv"), f"source of {one['Surface']} in {section['section']}")
            for name, value in got["numbers"].items():
                expected = one["numbers"][name]
                compared += 1
                checks.that(abs(value - expected) <= 0.00051 * 10 ** (name in ("FPS", "jank(/10min)", "big jank(/10min)") or "fps" in name or "/1" in name)
                            if None not in (value, expected) else value == expected, f"{name} of {one['Surface']} in {section['section']}: {value}, {expected}")
            gpu = [each for each in truth["captured"] if (each["kind"], each["section"], each["name"]) == ("GPU", section["section"], one["Surface"])]
            got = page.run("return gpuOfRange(data.sessions[0].charts.find((one) => one.Surface === arguments[0]).read, arguments[1] * 1e6, arguments[2] * 1e6)",
                           one["Surface"], section["from(s)"], section["to(s)"])
            expected = [["gpu avg(ms)", gpu[0]["mean(ms)"]], ["gpu max(ms)", gpu[0]["max(ms)"]]] if gpu else []
            checks.that(len(got) == len(expected) and all(a[0] == b[0] and abs(a[1] - b[1]) <= 0.00051 for a, b in zip(got, expected)),
                        f"GPU of {one['Surface']} in {section['section']}: {got}, {expected}")
    checks.that(compared > 50, f"{compared} numbers of sections")


def random_ranges(page, out, surface):
    """[source, frames] of ranges of the page, and the frames in @out/frames.csv; the last one is beyond both ends."""
    noise = random.Random(3)
    times = [microseconds(row["present(s)"]) for row in table_of(out / "frames.csv", surface) if row["interval(ms)"]]
    bounds = [sorted(noise.randrange(times[0], times[-1]) for _ in range(2)) for _ in range(40)] + [[times[0] - 3000000, times[-1] + 3000000]]
    got = page.wait("""const done = arguments[arguments.length - 1], [name, bounds] = arguments, session = data.sessions[0];
      const chart = session.charts.find((one) => one.Surface === name);
      read(chart).then(() => done(bounds.map(([from, to]) => numbersOfRange(session, chart, from, to)).map((one) =>
        [one.source, one.numbers.frames + one.numbers["wait times"]])));""", surface, bounds)
    return got, [sum(begin <= time < end for time in times) for begin, end in bounds]


def any_ranges(page, out, here):
    """A range with other bounds than rows is computed from its frames, too, if frames.csv has all of them."""
    surfaces = {row["Surface"] for row in rows(out, "frames.csv")}
    for surface in surfaces:
        got, expected = random_ranges(page, out, surface)
        checks.equal(got, [["frames.csv", frames] for frames in expected], f"ranges of {surface}")
    part = here / "with a gap"
    shutil.copytree(out, part)
    lines = (out / "frames.csv").read_text().splitlines(keepends=True)
    (part / "frames.csv").write_text("".join(lines[:len(lines) // 2] + lines[len(lines) // 2 + 60:]))
    show(page, make(part, here / "gap.html"))
    for surface in surfaces:
        got, expected = random_ranges(page, out, surface)
        wrong = [one for one in zip(got, expected) if one[0][0] == "frames.csv" and one[0][1] != one[1]]
        checks.equal(wrong, [], f"ranges of {surface} with a gap in frames.csv")
        checks.that({source for source, _ in got} == {"frames.csv", "fps.csv"}, f"sources of {surface} with a gap in frames.csv: {got}")
    show(page, make(out, here / "demo.html"))


def clicks(page):
    whole, groups = window(page), alike(page)
    # A moment opens in place, marked, with its evidence; nothing moves.
    page.run("document.querySelector('.alike').scrollIntoView({block: 'center'})")
    top = page.run("return scrollY")
    page.click(".alike tr[tabindex]")
    late = page.run("const lanes = document.querySelector('.lanes').timeline; return lanes.marked")
    checks.equal((page.run("return scrollY"), window(page)), (top, whole), "a click on a moment is no jump")
    text = page.run("return document.querySelector('.alike .evidence').innerText")
    line = page.run("return document.querySelector('.time-line').getAttribute('aria-label')")
    for name in ("queued", "GPU done", "latched", "presented"):
        checks.that(name in line, f"{name} on the time line: {line}")
    checks.that("not captured" in text and "--snapshot" in text and late["Surface"] in text and "jank type" in text, f"the evidence: {text}")
    checks.that("doFrame" in text and "VSP-mode" not in text, f"what helps of the info: {text}")
    checks.that(page.run("return document.querySelectorAll('.close-up .marked').length") == 1, "the moment is marked among its frames")
    page.click(".evidence .zoom")
    left, right = window(page)
    checks.that(abs(right - left - 10 - late["interval(ms)"] / 1000) < 0.01, f"5 s around a moment: {left} to {right}")
    every = page.run("return [...document.querySelectorAll('.chart')].map((box) => box.chart.xAxisRange())")
    checks.that(len(every) >= 2 and all(one == every[0] for one in every), "all lanes show the same time")
    page.click(".evidence .close")
    checks.that(page.run("return !document.querySelector('.evidence') && !document.querySelector('.lanes').timeline.marked"), "the evidence is closed")
    # Tables sort by a click on a heading, numbers as numbers.
    page.click(".alike th:nth-child(4) button")
    times = [int(row[3].replace(",", "")) for row in alike(page)]
    checks.equal((times, len(times) > 1), (sorted(times, reverse=True), True), "sorted by times")
    page.click(".alike th:nth-child(4) button")
    checks.equal([int(row[3].replace(",", "")) for row in alike(page)], sorted(times), "sorted the other way round")
    page.click(".alike th:nth-child(6) button")
    checks.equal(len(alike(page)), len(groups), "no row is lost")
    section(page, 1)
    left, right = window(page)
    checks.that(4.9 < right - left < 5.1, f"a section: {left} to {right}")
    checks.that("computed from every frame" in page.run("return document.querySelector('.range').innerText"), "a section has its numbers")
    page.click(".reset")
    checks.equal((window(page), page.run("return document.querySelector('.range')")), (whole, None), "reset zoom")
    # Dragged with a pointer; a double click shows all.
    left, top, width, height = lanes(page)
    page.drag(left + width * 0.4, top + height / 2, left + width * 0.6, top + height / 2)
    begin, end = window(page)
    range_ = json.loads(page.run("return document.querySelector('.range').dataset.numbers"))
    checks.that(3 < end - begin < 6 and range_["frames"] > 50, f"a range is dragged: {begin} to {end}: {range_}")
    press(page, "+")
    checks.that(abs((window(page)[1] - window(page)[0]) * 2 - (end - begin)) < 0.01, "the key +")
    left, top, width, height = lanes(page)
    page.double_click(left + width / 2, top + height / 2)
    checks.equal(window(page), whole, "a double click shows all")
    # One line in all lanes, and five facts at most.
    page.move(left + width * 0.55, top + 20)
    tip = page.run("const tip = document.querySelector('.tip'); return [tip.hidden, tip.childElementCount, tip.innerText, document.querySelector('.cross').hidden]")
    checks.that(tip[0] is False and tip[3] is False and 2 <= tip[1] <= 5 and "fps" in tip[2], f"what is at the pointer: {tip}")
    # A freeze in the chart opens its evidence below the chart.
    freeze = page.run("""const lanes = document.querySelector('.lanes').timeline, row = lanes.freezes[0], box = lanes.box.getBoundingClientRect();
      return [box.left + lanes.area.x + (row["time(s)"] - row["interval(ms)"] / 2000 - lanes.window[0]) / (lanes.window[1] - lanes.window[0]) * lanes.area.w, row["time(s)"]]""")
    page.drag(freeze[0], top + 60, freeze[0], top + 60)
    checks.equal(page.run("const lanes = document.querySelector('.lanes').timeline; return [document.querySelectorAll('.of-chart .evidence').length, lanes.marked && lanes.marked['time(s)']]"),
                 [1, freeze[1]], "a click on a freeze in the chart")
    press(page, "End")
    checks.that("ms" in page.run("return document.querySelector('.tip').textContent") or " s:" in page.run("return document.querySelector('.tip').textContent"), "a moment by the keyboard is read")
    press(page, "Enter")
    checks.equal(page.run("return document.querySelectorAll('.of-chart .evidence').length"), 1, "a moment by the keyboard is opened")
    press(page, "+")
    press(page, "0")
    checks.equal(window(page), whole, "the key 0")
    checks.that(re.search(r"^0:00$", (axis := page.run("return document.querySelector('.chart').innerText")), re.M), f"the axis begins at 0:00: {axis}")
    page.wait("const s = document.querySelector('.surface'); s.value = [...s.options].findIndex((one) => one.text === 'StatusBar'); s.onchange().then(arguments[0])")
    checks.that(0 < (stems := page.run("return document.querySelector('.lanes').timeline.stems.length")) < 200, f"another Surface: the status bar: {stems} frame times")
    page.run("document.querySelector('.alike tr[tabindex]:not([hidden])').focus()")
    page.run("document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}))")
    checks.equal(page.run("return document.querySelectorAll('.alike .evidence').length"), 1, "a row by the keyboard")
    checks.that("copied" in page.run("const b = document.querySelector('table').closest('div').nextElementSibling.querySelector('button');"
                                     " b.click(); return b.textContent"), "a table is copied")
    unfold(page)
    times = re.findall(r"10[012]\d\.\d{3,}", re.sub(r"0:00 is 1\d{3}\.\d{3} s on the trace clock|--(from|to) \S+", "", page.run("return document.body.innerText")))
    checks.equal(times, [], "times of the trace on the page")
    checks.that(re.search("median run", page.run("return document.querySelector('.pacing').innerText")), "how even the frames are")


def touches(page):
    """A finger that moves up scrolls the page, also on the lanes; two of them zoom."""
    page.size(390, 844)
    page.run("document.querySelector('.surface').value = 0; return document.querySelector('.surface').onchange()")
    left, top, width, height = lanes(page)
    whole, before = window(page), page.run("return scrollY")
    page.fingers([(left + width / 2, top + height, left + width / 2, top - 120)])
    checks.that(wait_until(lambda: page.run("return scrollY") > before + 50, 5) and window(page) == whole, "a finger on the lanes scrolls the page")
    left, top, width, height = lanes(page)
    middle = left + width / 2
    page.fingers([(middle - 20, top + 50, middle - 100, top + 50), (middle + 20, top + 50, middle + 100, top + 50)])
    checks.that(wait_until(lambda: window(page)[1] - window(page)[0] < 0.7 * (whole[1] - whole[0]), 5), f"two fingers zoom: {window(page)}")
    page.size(1200, 1000)
    page.click(".reset")


def state(page, here):
    """Zoom, section, filter, language and theme stay when the page loads again; a page of --watch does so itself."""
    section(page, 2)
    page.click(".lost-row[data-cause=app]")
    for button in ("#language", "#theme"):
        page.click(button)
        drawn(page)
    chosen = """return [document.querySelector('.of-section').value, document.querySelector('.lost-row[aria-pressed=true]')?.dataset.cause,
                        document.documentElement.lang, document.documentElement.dataset.theme, !!document.querySelector('.range')]"""
    before, zoom = page.run(chosen), window(page)
    time.sleep(0.5)
    checks.equal(before[:3], ["2", "app", "zh"], "what was chosen")
    page.run("location.reload()")
    time.sleep(0.3)
    drawn(page)
    checks.equal((page.run(chosen), window(page)), (before, zoom), "after loading the page again")
    text = (here / "demo.html").read_text(encoding="utf-8")
    text = text.replace("<style>", '<meta name="jank-report-watch" content="2">\n<style>', 1)
    (here / "ended.html").write_text(text, encoding="utf-8")
    show(page, here / "ended.html")
    page.run("window.old = true")
    time.sleep(3)
    checks.equal(page.run("return [window.old, document.getElementById('live').textContent]"), [True, "ended"], "a page of a capture that has ended stays")
    (here / "watched.html").write_text(text.replace('"began":null', '"began":"2026-01-02T03:04:05Z"', 1), encoding="utf-8")
    show(page, here / "watched.html")
    checks.equal(page.run("return document.getElementById('live').textContent"), "● live", "a capture that runs")
    page.run("window.old = true")
    section(page, 2)
    zoom = window(page)
    wait_until(lambda: not page.run("return window.old"))
    drawn(page)
    checks.equal((page.run("return window.old"), window(page)), (None, zoom), "a watched page loads again and keeps its zoom")
    for wrong in ("#x", "#%7B", "#" + '{"sessions":[1],"language":"__proto__","theme":7,"top":"x"}', '#{"sessions":{"x":1}}'):
        show(page, here / "demo.html", wrong)
        checks.equal(page.run("return document.documentElement.lang"), "en", f"the page with {wrong}")
    show(page, here / "demo.html")


def several(page, out, here):
    """Of several sessions: the worst is on top, devices by builds, a dot for each; a session is folded until it is opened."""
    steady, lab = here / "steady", here / "lab"
    analyze(steady, scenario("steady-60", here / "steady.txt"))
    for n in range(18):
        phone, build = n % 3, 1 + (n >= 9)
        shutil.copytree(out if (phone, build) == (1, 2) else steady, lab / str(n))
        value = json.loads((lab / str(n) / "session.json").read_text())
        value.update(session_id=f"s{n}", began=f"2026-01-{1 + n:02}T00:00:00.000Z", device={"id": f"d{phone}", "model": "Phone", "build": str(build)})
        (lab / str(n) / "session.json").write_text(json.dumps(value))
    devices, page_of = json.loads(report("--json", lab).stdout)["devices"], make(lab, here / "lab.html")
    show(page, page_of)
    checks.equal(page.run("return data.devices"), devices, "devices of the page")
    worst = devices[0]
    top = page.run("return [document.querySelector('.grade').textContent, document.querySelector('.sentence').textContent, document.querySelector('.whose').textContent, document.title]")
    checks.equal((top[:2], [worst[key] for key in ("grade", "app", "build", "sessions")]), ([worst["grade"], worst["sentence"]], ["BAD", "com.example.mail", "2", 3]), "what is worst")
    checks.that(worst["sentence"].startswith("com.example.mail on Phone with build 2 was frozen or late for ") and worst["whose"] in top[2] and "since 2026-01-11" in top[2]
                and top[3] == "BAD · com.example.mail · Phone d1 · 2 · 18 sessions", f"the sentence and the title: {top}")
    cells = page.run("return [...document.querySelectorAll('.app .fleet')].flatMap((table) => [...table.tBodies[0].rows].flatMap((row) => [...row.cells].slice(1).map((cell, n) => [row.cells[0].textContent, table.tHead.rows[0].cells[n + 1].textContent, cell.textContent])))")
    checks.equal(sorted(cell for cell in cells if cell[2] != "–"), sorted([f"{one['model']} {one['device']}", one["build"], "{} {:.{}f}\u00a0ms/s{} sessions".format(
        one["grade"], one["facts"]["lost(ms/s)"], 0, one["sessions"])] for one in devices if one["grade"]), "the cells")
    rates = {app["app"]: app["facts"]["lost(ms/s)"] for app in model(out)[0]["apps"]}
    dots = page.run("return [...document.querySelectorAll('.app[open] .fleet-dot')].map((dot) => [dot.textContent, parseFloat(dot.style.bottom), dot.closest('.build').lastElementChild.textContent])")
    checks.equal(dots, [["B", 100, "22026-01-11"]] * 3, f"a dot for each session of the worst app, of {rates['com.example.mail']} ms/s")
    listed = page.run("return [...document.querySelectorAll('.moments tbody tr')].map((row) => [row.cells[0].textContent, row.cells[1].textContent])")
    checks.that(listed[:3] == [["BAD", "com.example.mail"]] * 3 and len(listed) == sum(len(session["apps"]) for session in model(lab)), f"sessions, the worst first: {listed}")
    checks.that((height := page.run("return document.documentElement.scrollHeight")) < 3600 and not page.run("return document.querySelectorAll('.lanes').length"), f"18 sessions are folded, {height} px high")
    page.click(".moments tbody tr")
    checks.that(wait_until(lambda: page.run("return document.querySelectorAll('.fold[open] .lanes').length"), 30), "a click on a session opens it")
    checks.equal(page.run("return document.querySelector('.fold[open] .sentence').textContent"), model(lab / "10")[0]["apps"][0]["sentence"], "the session that opens")
    looks(page, "devices", chinese="会话，最差的在前")
    page.run("state.sessions.clear()")
    checks.equal(page.console(), [], "the console of several sessions")


def part_of(page, out, here):
    """--from and --to: the frames of that range; what is not there is named as a command. Without frames.csv: why."""
    show(page, make(out, here / "part.html", "--from", "1005", "--to", "1007.5"))
    frames = page.run("return data.sessions[0].charts.map((one) => one.frames.n)")
    expected = [sum(1005 <= float(row["present(s)"]) < 1007.5 for row in table_of(out / "frames.csv", name))
                for name in page.run("return data.sessions[0].charts.map((one) => one.Surface)")]
    checks.equal((frames, window(page)), (expected, [1005, 1007.5]), "frames from 1005 s to 1007.5 s; the page shows that range")
    page.click(".reset")
    checks.that(f"jank-report --from 1000.036 --to 1019.986 -o range.html {out}" in page.run("return document.querySelector('.single').textContent"), "the command for more frames")
    part = here / "rows"
    shutil.copytree(out, part)
    for name in ("frames.csv", "dropFrames.csv"):
        (part / name).unlink()
    show(page, make(part, here / "rows.html"))
    packed(page, part)
    ranges(page, model(part)[0], "fps.csv")
    section(page, 1)
    text = page.run("return document.body.innerText")
    moments = page.run("return document.querySelector('.moments').innerText")
    checks.that("frames.csv was not captured" in text and "not captured: needs frames.csv" in moments, f"what is not captured is said so: {moments}")
    checks.equal(page.console(), [], "the console without frames")


def builds(here):
    """Three builds with two runs each: base; one whose feed is late twice as long; one that freezes in checkout and is late nowhere."""
    parts = {"1.0": (("feed", "culprits", 20), ("checkout", "steady-60", 12)), "1.1": (("feed", "culprits", 40), ("checkout", "steady-60", 12)),
             "2.0": (("feed", "steady-60", 20), ("checkout", "hang-doframe", 12))}
    for name, sections in parts.items():
        for run in (1, 2):
            (here / "run.txt").write_text(in_sections(here, ("login", "steady-60", 5 + run), *sections))
            analyze(here / name / str(run), "--frames-log", here / "run.txt")
    (here / "2.0/1/summary.csv").unlink()
    return ("--compare", here / "1.0", "--new", here / "1.1", "--new", here / "2.0", "--fail-if", "lost > +10%", "--fail-if", "FPS < -50%")


def compared(page, here):
    """The page of three builds shows what --json and --text have, in one view; builds can be left out, a section has its own causes."""
    options, app, names = builds(here), "com.example.scroll", ["1.0", "1.1", "2.0"]
    done, text_of_report = json.loads(report("--json", *options).stdout), " ".join(report(*options).stdout.split())
    show(page, make(None, here / "compare.html", *options))
    checks.equal(page.run("return data.comparisons"), done, "data of the comparison")
    late, frozen = ([one for one in each["surfaces"] if one["Surface"] == app][0] for each in done)
    of = [late["base"], late["new"], frozen["new"]]
    seen = page.run("return [document.querySelector('.grade').textContent, document.querySelector('.sentence').textContent, document.title, document.querySelector('.card').innerText]")
    checks.equal((seen[:2], frozen["verdict"], len(re.findall("2\\.0 has .* freezes .*; 1\\.0 has none\\.", seen[1]))), (["WORSE", frozen["lines"][0]], "WORSE", 1), "the sentence")
    for line in late["lines"] + frozen["lines"]:
        checks.that(line in seen[3] and line in text_of_report, f"the same in text and page: {line}")
    checks.that("Most in checkout: " in seen[3] and f"2.0 {frozen['verdict']}" in seen[2] and app in seen[2], f"where, and the title: {seen}")
    cells = lambda table: page.run("return [...document.querySelectorAll(arguments[0] + ' tbody tr')].map((row) => [...row.cells].map((cell) => cell.innerText))", table)
    gates = [(row[2], row[1], row[0][2:]) for row in cells(".gates")]
    checks.equal(gates, sorted(((name, one["condition"], one["outcome"]) for name, each in zip(names[1:], done) for one in each["conditions"]), key=lambda one: ("FAILED", "not judged", "passed").index(one[2])), "conditions, those that failed first")
    checks.that(("2.0", "more freezes than BASE", "FAILED") in gates and ("1.1", "FPS < -50%", "passed") in gates, f"conditions: {gates}")
    bars = page.run("""return [...document.querySelectorAll('.bars')].map((box) => [...box.querySelectorAll('.lost-row')].map((row) => [row.querySelector('.name').lastChild.textContent, row.querySelector('b').firstChild.textContent,
      [...row.querySelectorAll('.stacked')].reduce((sum, one) => sum + parseFloat(one.style.width), 0), [...row.querySelectorAll('.dot')].map((one) => parseFloat(one.style.left))]))""")
    for key, unit, rows_ in zip(("lost(ms/s)", "freezes(/10min)", "FPS with freezes"), (" ms/s", "", ""), bars):
        most = max(100 * one[key] / row[2] for one, row in zip(of, rows_) if row[2] > 1)
        for name, one, row in zip(names, of, rows_):
            checks.equal(row[:2], [name, f"{one[key]:.1f}{unit}"], f"{key} of {name}")
            checks.that(all(abs(at - 100 * value[key] / most) < 0.2 for at, value in zip([row[2], *row[3]], [one, *one["runs"]])) and len(row[3]) == 2, f"{key} of {name}: bar and dots {row}, {one}")
    for width in (390, 1200):  # bars are of one scale: all begin and end at the same places
        page.size(width, 1000)
        places = page.run("return [...document.querySelectorAll('.bars, .causes')].map((box) => [...box.querySelectorAll('.lost-bar')].map((bar) => bar.getBoundingClientRect()).map((place) => `${place.left.toFixed(0)} ${place.width.toFixed(0)}`))")
        checks.that(len(places) == 4 and all(len(set(each)) == 1 and int(each[0].split()[1]) > 60 for each in places), f"bars at {width} px: {places}")
    matrix = cells(".matrix")
    sections = [[one["section"] for one in each["sections"]] for each in (late, frozen)]
    checks.equal(([row[0] for row in matrix], sections[0]), (["all", *sections[1]], sections[1]), "sections")
    for n, row in enumerate(matrix):
        every = of if n == 0 else [late["sections"][n - 1]["base"], late["sections"][n - 1]["new"], frozen["sections"][n - 1]["new"]]
        for one, cell in zip(every, row[1:]):
            change = abs(one["lost(ms/s)"] - every[0]["lost(ms/s)"])
            checks.that(cell.startswith(f"{one['lost(ms/s)']:.1f} {one['grade']}") and (one is every[0] or f"{change:.1f}" in cell) and (not one["freezes"] or cell.endswith(f"freezes: {one['freezes']}")), f"{row[0]}: {cell}, {one}")
    grades = {row[0]: row[1:] for row in matrix}
    checks.that("BAD" in grades["checkout"][2] and "▲" in grades["checkout"][2] and "GOOD" in grades["feed"][2] and "▼" in grades["feed"][2], f"grades: {grades}")
    lost = lambda each, side: {one["cause"]: one[f"{side} lost(s)"] for one in each["causes"]}
    shown_causes = lambda: {row[0]: row[1:] for row in cells(".causes")}
    said = page.run("return Object.fromEntries(Object.entries(data['cause names']).map(([cause, [english]]) => [cause, (LETTERS[cause] || '?') + english]))")
    causes = lambda late, frozen: {said[cause]: [f"{one.get(cause, 0):.2f}" for one in (lost(late, "base"), lost(late, "new"), lost(frozen, "new"))]
                                   for cause in {**lost(late, "base"), **lost(frozen, "base")} if any(one.get(cause, 0) for one in (lost(late, "base"), lost(late, "new"), lost(frozen, "new")))}
    checks.equal(shown_causes(), causes(late, frozen), "seconds by cause")
    # A click on a section shows its causes, by mouse and by keyboard; again: all.
    page.click(".matrix tr[data-section=checkout]")
    part = [[one for one in each["sections"] if one["section"] == "checkout"][0] for each in (late, frozen)]
    checks.equal((shown_causes(), page.run("return document.querySelectorAll('.matrix tr[aria-selected=true]').length")), (causes(*part), 1), "causes of checkout")
    page.run("document.querySelector('.matrix tr[data-section=feed]').focus(); document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}))")
    checks.that("only: feed" in page.run("return document.querySelector('.causes').innerText").lower(), "a section by the keyboard")
    page.click(".matrix tr[data-section=feed]")
    checks.equal(shown_causes(), causes(late, frozen), "all causes again")
    # A heading sorts; a build can be left out, and comes back.
    page.click(".matrix th:nth-child(4) button")
    order = [float(row[3].split()[0]) for row in cells(".matrix")]
    checks.equal((order, len(order)), (sorted(order, reverse=True), len(matrix)), "the sections that lose most in 2.0 first")
    paths = "return [...document.querySelectorAll('.curve path')].map((one) => [one.style.stroke, one.style.strokeDasharray])"
    three = page.run(paths)
    checks.equal((len(three), len({one[0] for one in three}), len({one[1] for one in three})), (3, 3, 3), "a colour and dashes of each build")
    points = page.run("return document.querySelectorAll('.curve path')[2].getAttribute('d').match(/[\\d.]+ [\\d.]+/g).map((one) => one.split(' ').map(Number))")
    checks.that(len(points) == len(frozen["new"]["curve"]) and all(a[1] >= b[1] for a, b in zip(points, points[1:])), f"the curve of 2.0 rises to its freezes: {points}")
    page.click(".toggles button:nth-of-type(1)")
    checks.equal((len(page.run(paths)), len(cells(".matrix")[0]), page.run("return document.activeElement.getAttribute('aria-pressed')")), (2, 3, "false"), "1.1 is left out")
    page.click(".toggles button:nth-of-type(1)")
    checks.equal(page.run(paths), three, "1.1 is back")
    unfold(page)
    text = page.run("return document.body.innerText")
    for each in (late, frozen):
        for change in each["changes"]:
            for side in ("base", "new"):
                value = change.get(side, {}).get("value")
                checks.that(value is None or f"{value:.2f}" in text or f"{value:.3f}" in text, f"{change['metric']} of {side}: {value}")
            checks.that(change.get("unknown", change.get("verdict")) in text, f"verdict on {change['metric']}")
        for share in each["distribution"]:
            checks.that(f"{share['base(%)']:.4f} %" in text and f"{share['new(%)']:.4f} %" in text, f"{share}")
    checks.that(any("summary.csv" in one["text"] for one in done[1]["notices"]) and all(one["text"] in page.run("return document.body.textContent") for one in done[1]["notices"]), "the notes are on the page")
    looks(page, "compare", "区段与版本", pages=2)
    # Eight builds and 24 sections print two pages, too.
    many = page.run("""for (const each of data.comparisons) for (const one of each.surfaces) one.sections = Array.from({ length: 24 }, (_, n) => ({ ...one.sections[n % one.sections.length], section: `section ${n}` }));
      const kept = data.comparisons; data.comparisons = [...kept, ...kept, ...kept, kept[0]]; draw(); return document.querySelectorAll('.matrix tbody tr').length""")
    checks.equal((many, len(re.findall(rb"/Type\s*/Page\b", page.printed()))), (25, 2), "rows on the screen, pages of many builds")
    show(page, here / "compare.html")
    page.run("state.language = 'zh'; return draw()")
    drawn(page)
    checks.equal(page.run("return document.querySelector('.sentence').textContent"), frozen["lines zh"][0], "the sentence in Chinese")
    checks.that(all("噪声" in row[3] or "卡死" in row[3] for row in cells(".gates")) and "noise" not in str(cells(".gates")), f"conditions in Chinese: {cells('.gates')}")
    # Why a change is unknown is in both languages.
    reasons = {text for text in re.findall(r'why = "([^"]*)"|missing\[\] = "([^"]*)"|"(not in \w+)"',
                                           (SOURCE / "tools/report/compare.c").read_text()) for text in text if text}
    known = dict(re.findall(r'\{ "([^"]*)",\s+"([^"]*[\u4e00-\u9fff][^"]*)"', (SOURCE / "tools/report/compare_text.c").read_text())) | {"0 -> 1, but 6.0 of 40 s are missing": "0 -> 1，但缺少 6.0 / 40 秒", "108 s of 30 minutes": "108 秒 / 30 分钟", "NEW froze (not in BASE)": "新组有卡死（基准组中没有）"}
    checks.equal((reasons - known.keys(), len(reasons) >= 4, dict(zip(known, page.run("return arguments[0].map((text) => note(text))", list(known))))), (set(), True, known), "reasons in Chinese")
    checks.equal(page.console(), [], "the console of a comparison")


def notes_in_chinese(page):
    """Each note that the sources write has a text in Chinese."""
    sources = sorted((SOURCE / "tools/report").glob("*.c"))
    written = [text for path in sources for text in re.findall(
        r"session_notice\((?:[^\"();]|\([^()]*\))*,(.*?)\);\n|static const char \*why_no_rows\((.*?)\n}", path.read_text(), re.S)]
    written.append(re.findall(r'", but .*?;', (SOURCE / "tools/report/judge.c").read_text(), re.S))
    literals = ["".join(re.findall(r'"([^"]*)"', text)) for parts in written for text in re.findall(r'"[^"]*"(?:\s*"[^"]*")*', "".join(parts))]
    fragments = {text.strip() for literal in literals for text in re.split(r"%[.0-9]*(?:llu|[sdfu])|[:;]|^\w+\.csv(?: has)?(?= )", literal)}
    entries = page.run("return NOTES.zh")
    unknown = [text for text in fragments if len(text) > 5 and not any(text in english for english in entries)]
    checks.equal((unknown, len(fragments) > 40), ([], True), f"notes without Chinese, of {len(fragments)} parts")


def looks(page, name, chinese="时间线", pages=None):
    """Themes, languages, a phone, print."""
    for theme in ("light", "dark"):
        page.run("state.theme = arguments[0]; return draw()", theme)
        drawn(page)
        for language in ("zh", "en"):
            page.click("#language")
            drawn(page)
            checks.equal(page.run("return document.documentElement.lang"), language, "the language")
            checks.that((chinese in page.run("return document.body.innerText")) == (language == "zh"), f"texts in {language}")
            checks.equal(page.run(AUDIT), [], f"contrast and labels, {theme}, {language}")
        page.screenshot(SHOTS / f"{name}-{theme}.png")
    page.click("#theme")
    checks.equal(page.run("return document.documentElement.dataset.theme"), "light", "the button changes the theme")
    page.size(390, 844)
    time.sleep(0.4)
    wide = page.run("return [...document.querySelectorAll('body *')].filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && one.checkVisibility()).map((one) => one.outerHTML.slice(0, 80))")
    checks.equal((wide, page.run("return document.documentElement.scrollWidth <= innerWidth")), ([], True), f"{name}: nothing is right of a phone's screen")
    page.screenshot(SHOTS / f"{name}-phone.png")
    page.size(1200, 1000)
    pdf = page.printed()
    (SHOTS / f"{name}.pdf").write_bytes(pdf)
    printed = len(re.findall(rb"/Type\s*/Page\b", pdf))
    checks.that(pdf.startswith(b"%PDF") and len(pdf) > 10000 and pages in (None, printed), f"{name} prints: {printed} pages")


def evidence(page, here):
    """Of a late frame, from all files: info from dropFrames.csv, jank type by vsync id, snapshot; and what else was captured by section."""
    out, name = here / "evidence", "com.a/com.a.Main"
    of = {"app": "com.a", "Surface": name, "layer": f"{name}#1"}
    now, frames = 100.0, []
    for n in range(300):
        vsyncs = 6 if n == 200 else 1
        now += vsyncs * 0.016667
        frames.append({**of, "present(s)": f"{now:.6f}", "vsync(s)": f"{now:.6f}", "frame number": n, "queued(s)": f"{now - 0.03:.6f}",
                       "latched(s)": f"{now - 0.002:.6f}", "lost events": 0, "vsync id": 5000 + n})
        if n:
            frames[n].update({"interval(ms)": f"{vsyncs * 16.666667:.6f}", "vsyncs": vsyncs, "gpu done(s)": f"{now - 0.02:.6f}"})
        if n == 200:
            late = now
            frames[n].update({"gpu done(s)": "", "cause": "app"})
    write(out, "frames.csv", frames)
    write(out, "dropFrames.csv", [{**of, "start VSYNC": late - 0.1, "end VSYNC": f"{late:.6f}", "used time(ms)": 100, "VSYNC type": "VSYNC-sf",
                                   "TX": 0, "info": "doFrame 90.0 ms (<b>looper</b>)", "missed vsyncs": 5, "cause": "app", "frame number": 200}])
    timeline = {**of, "kind": "surface", "pid": 9, "layer": f"TX - {name}#1", "gpu composition": 0, "prediction": "VALID", "buffer": 1}
    write(out, "frametimeline.csv", [
        {**timeline, "start(s)": f"{late - 0.09:.6f}", "end(s)": f"{late - 0.01:.6f}", "expected start(s)": f"{late - 0.09:.6f}",
         "expected end(s)": f"{late - 0.07:.6f}", "token": 1, "display token": 5200, "present type": "LATE", "on time finish": 0,
         "jank type": "APP_DEADLINE_MISSED", "severity": "FULL"},
        {**timeline, "start(s)": 101.0, "end(s)": 101.004, "expected start(s)": 101.0, "expected end(s)": 101.01, "token": 2,
         "display token": 5060, "present type": "ON_TIME", "on time finish": 1, "jank type": "NONE"}])
    write(out, "doframe.csv", [{"start time": start, "end time": start + 1, "app": "com.a", "process": 9, "thread": 9, "frames": frames,
                                "Time(S)": 1.0, "FPS": 60, "doFrame avg(ms)": mean, "doFrame p99(ms)": 9, "doFrame max(ms)": longest,
                                "draw avg(ms)": 1, "draw max(ms)": 1, "skipped": skipped}
                               for start, frames, mean, longest, skipped in ((100.0, 50, 4, 10, 2), (101.0, 150, 8, 12, 1), (103.0, 60, 5, 11, 0))])
    write(out, "latency.csv", [{**of, "desired present(s)": at, "actual present(s)": at + 0.01, "frame ready(s)": at + ready, "interval(ms)": 16.667,
                                "vsyncs": 1} for at, ready in ((101.0, 0.002), (101.1, 0.006))])
    write(out, "events.csv", [{"time(s)": f"{time:.6f}", "wall time": wall, "kind": kind, "text": text} for time, wall, kind, text in (
        (100, "2026-01-02T03:04:05.000Z", "start", "jankd"), (100.5, "", "device", "battery 80 %, 31.5 C"), (102.5, "", "mark", "second"),
        (late, "", "snapshot", f"snapshot-000001.txt: 100.0 ms, {name}"), (late + 1, "", "refresh", "120 Hz"))])
    session, = model(out)
    found = [(one["jank type"], one["present type"], one["info"], one["frame number"], one["gpu done(s)"]) for one in session["late"]]
    checks.equal(found, [("APP_DEADLINE_MISSED", "LATE", "doFrame 90.0 ms (<b>looper</b>)", 200, None)], "the late frame, joined")
    captured = {(one["section"], one["kind"], one["detail"]): (one["frames"], one["mean(ms)"], one["max(ms)"], one["bad"]) for one in session["captured"]}
    first, second = "(before the first mark)", "second"
    checks.equal(captured, {(first, "doFrame", "9/9"): (200, 7.0, 12.0, 3), (second, "doFrame", "9/9"): (60, 5.0, 11.0, 0), (first, "latency", None): (2, 6.0, 8.0, None),
                            (first, "FrameTimeline", "NONE"): (1, 4.0, 4.0, 0), (second, "FrameTimeline", "APP_DEADLINE_MISSED"): (1, 80.0, 80.0, 1)}, "what else was captured")
    show(page, make(out, here / "evidence.html"))
    page.click(".alike tr[tabindex]")
    text = page.run("return document.querySelector('.evidence').innerText")
    for part in ("APP_DEADLINE_MISSED", "doFrame 90.0 ms (<b>looper</b>)", "GPU done: not captured", f"{out}/snapshot-000001.txt", "ui.perfetto.dev"):
        checks.that(part in text, f"{part!r} in the evidence: {text}")
    checks.that(re.search(r"^0:0\d", (axis := page.run("return document.querySelector('.chart').innerText")), re.M), f"times of the session on the axis: {axis}")
    press(page, "End")
    checks.that("03:04:0" in page.run("return document.querySelector('.tip').textContent"), "wall time of a moment")
    checks.that("GPU: not captured" in page.run("return document.querySelector('.sure').innerText"), "GPU times that are not there")
    checks.equal(page.console(), [], "the console with evidence")


def without_frames(page, here):
    """FrameTimeline alone: what Android says. A freeze that no frame ended is a moment, in the chart, too."""
    out, timeline = here / "timeline", {"app": "com.a", "Surface": "com.a/com.a.Main", "kind": "surface", "pid": 9, "layer": "TX - com.a/com.a.Main#1", "gpu composition": 0,
                                        "prediction": "VALID", "buffer": 1, "severity": "FULL"}
    write(out, "frametimeline.csv", [{**timeline, "start(s)": 100 + n / 60, "end(s)": 100.01 + n / 60, "expected start(s)": 100 + n / 60, "expected end(s)": 100.016 + n / 60, "token": n,
                                      "display token": 500 + n, "present type": "LATE" if n < 3 else "ON_TIME", "on time finish": int(n >= 3),
                                      "jank type": "APP_DEADLINE_MISSED" if n < 3 else "NONE"} for n in range(40)])
    write_events(out, (100.0, "start", "jankd"), (101.0, "stop", "0 presents"))
    show(page, make(out, here / "timeline.html"))
    checks.that("com.a: Android itself says: 3 of 40 frames missed the app's deadline" in page.run("return document.querySelector('.card').innerText"), "what Android says")
    checks.that(page.run("return document.title").startswith("com.a"), "the title without a grade")
    analyze(here / "killed", "--frames-log", "-T", 2, scenario("hang-killed", here / "killed.txt"))
    show(page, make(here / "killed", here / "killed.html"))
    facts = model(here / "killed")[0]["apps"][0]["facts"]
    freezes = page.run("return document.querySelector('.lanes').timeline.freezes.map((row) => row['interval(ms)'] / 1000)")
    checks.that(facts["freezes without end"] == 1 and len(freezes) == 1 and abs(freezes[0] - facts["freeze time(s)"]) < 0.002, f"a freeze without end: {freezes}, {facts}")
    checks.equal([row[0] for row in alike(page)], ["freeze"], "its moment")
    checks.that(abs((rate := page.run("const lanes = document.querySelector('.lanes').timeline; return numbersOfRange(lanes.session, lanes.chart, 0, 1e13).numbers['freezes(/10min)']")) - 600 / facts["drawing(s)"]) < 0.02, f"freezes of a range: {rate}, {facts}")
    page.click(".alike tr[tabindex]")
    checks.equal((page.run("return document.querySelectorAll('.alike .evidence').length"), page.console()), (1, []), "its evidence")
    # A gap that nothing explains stands where no frame is.
    analyze(here / "native", "--frames-log", "-T", 2, scenario("hang-native", here / "native.txt"))
    show(page, make(here / "native", here / "native.html"))
    gaps, presents = page.run("const lanes = document.querySelector('.lanes').timeline; return [lanes.gaps, [...lanes.chart.read.frames.present].map((us) => us / 1e6)]")
    checks.that(len(gaps) >= 3 and not any(begin + 0.002 < time < end - 0.002 for begin, end, _ in gaps for time in presents), f"gaps: {gaps}")


def old_files(page, here):
    """fps.csv of the 2019 program: its numbers are there, and those that it does not have are empty, not 0."""
    out, name = here / "2019", "com.a/com.a.Main"
    rows = [(n, 60 - n % 7, 1 + n % 3, n % 2) for n in range(1, 40)]
    write(out, "fps.csv", [second(n, **{"frames": frames, "FPS": frames, "max time(ms)": 50.5 + n, "waiting time(S)": 0.6, "wait times": waits, "A": a,
                                        "Surface": name}) for n, frames, waits, a in rows], COLUMNS_2019)
    # awk removed the header that the shell had written.
    (out / "dropFrames.csv").write_text(f'10.5,10.62,120.0,VSYNC-app,0,com.a,"{name}","doFrame 90.0 ms (two\nlines)"\n20.5,20.55,50,VSYNC-sf,0,com.a,"{name}",""\n')
    show(page, make(out, here / "2019.html"))
    numbers(page, out)
    checks.equal([row[:5] for row in alike(page)], [["late frames", "?Unknown", "2", "50–120 ms", "not captured"]], "drops of 2019")
    page.click(".alike tr[tabindex]")
    page.run("const all = [...document.querySelectorAll('.others button')]; if (!document.querySelector('.evidence').innerText.includes('two')) all[1].click()")
    checks.that("two" in page.run("return document.querySelector('.evidence').innerText"), "the evidence of a drop of 2019")
    got = page.wait("""const done = arguments[0], session = data.sessions[0];
      read(session.charts[0]).then(() => done(numbersOfRange(session, session.charts[0], 10e6, 20e6).numbers));""")
    part = [row for row in rows if 10 <= row[0] + 1 < 20]
    expected = {"frames": sum(row[1] for row in part), "wait times": sum(row[2] for row in part), "A": sum(row[3] for row in part), "Time(S)": len(part),
                "max time(ms)": 50.5 + part[-1][0], "jank": None, "missed vsyncs": None, "stutter(%)": None}
    checks.equal(({key: got[key] for key in expected}, page.console()), (expected, []), "a range of a file of 2019; the console with files of 2019")


def answer(page, out, here):
    """Grade and sentence come first; a cause filters, a section zooms, a group of moments opens its evidence in place."""
    show(page, here / "demo.html")
    checks.that("other apps: com.example.mail BAD" in (hidden := page.run("data.sessions[0].apps.reverse(); draw(); return document.querySelector('.card').innerText")), f"beside a good app: {hidden}")
    show(page, here / "demo.html")
    checks.that("freezes, the longest" in (stepped := page.run("data.sessions[0]['clock stepped back'] = true; return draw().then(() => ['.tiles', '.timeline', '.moments'].map((one) => document.querySelector(one).innerText))"))[0] and "the trace's clock stepped back" in stepped[1] and re.search(r"\t10\d\d[.]\d{3} s", stepped[2]), f"times of two clocks: {stepped}")
    show(page, here / "demo.html")
    app = model(out)[0]["apps"][0]
    top = page.run("return [document.querySelector('.grade').textContent, document.querySelector('.sentence').textContent, document.title]")
    checks.equal(top[:2], [app["grade"], app["sentence"]], "grade and sentence on the page")
    checks.that(app["app"] in top[2] and app["grade"] in top[2], f"the title: {top[2]}")
    widths = page.run("return Object.fromEntries([...document.querySelectorAll('.card')[0].querySelectorAll('.times span')].map((one) => [one.className, parseFloat(one.style.width)]))")
    facts, all_s = app["facts"], app["facts"]["drawing(s)"] + app["facts"]["idle(s)"] + app["facts"]["gap time(s)"] + app["facts"]["missing(s)"]
    checks.that(abs(widths["t-frozen"] - 100 * facts["freeze time(s)"] / all_s) < 0.01 and abs(widths["t-late"] - 100 * facts["late time(s)"] / all_s) < 0.01, f"the bar: {widths}, {facts}")
    bars = page.run("return [...document.querySelectorAll('.half')[0].querySelectorAll('.lost-row b')].map((one) => parseFloat(one.textContent))")
    checks.that(len(bars) == len(facts["causes"]) and all(abs(shown - one["lost(s)"]) <= 0.051 for shown, one in zip(bars, facts["causes"].values())) and sum(one["share(%)"] for one in facts["causes"].values()) == 100, f"causes {bars}, {facts['causes']}")
    cause, one = next(iter(facts["causes"].items()))
    page.click(".half .lost-row")
    times = sum(int(row[3].replace(",", "")) for row in alike(page))
    checks.equal(times, one["times"], "moments of the first cause")
    everything = page.run("return data.sessions[0].charts.filter((c) => c.Surface.includes(data.sessions[0].app)).flatMap((c) => c.moments)")
    checks.that(abs(sum(group[4] for group in everything) - facts["late time(s)"] - facts["freeze time(s)"]) < 1e-3, f"moments add up to the lost time: {cause}")
    begins = {round(1e6 * float(row["present(s)"]) - 1e3 * float(row["interval(ms)"])) for row in rows(out, "frames.csv") if row["interval(ms)"]}
    checks.that(len(hung := sorted(one["time(s)"] - one["interval(ms)"] / 1e3 for one in model(out)[0]["late"] if one["kind"] == "stall" and one["Surface"].startswith(app["app"]))) == facts["freezes"] > 1 and f"freezes, the first at 0:{hung[0] - model(out)[0]['from(s)']:02.0f}, the longest {facts['longest freeze(s)']:.2f} s" in page.run("return document.querySelector('.tiles').innerText"), f"since when it freezes: {hung}")
    checks.equal([group for group in everything if not begins & {round(1e6 * group[7]) + n for n in (-1, 0, 1)}], [], "moments that begin at the frame before")
    page.click(".half .lost-row")
    checks.equal(page.console(), [], "the console of the answer")


def picture(page, here):
    """That of the README, see CONTRIBUTING.md."""
    report("-o", here / "picture.html", "demo", cwd=here)
    page.size(1200, 1150)
    show(page, here / "picture.html")
    page.screenshot(SHOTS / "page.png")
    page.size(1200, 1000)


def hostile(page, here):
    out = here / "hostile"
    names = ["</script><script>window.bad=1</script>", "<img src=x onerror=window.bad=1>", "\u202eevil", "x" * 4096, "__proto__"]
    write(out, "fps.csv", [second(n, app=name, Surface=name) for name in names for n in range(1, 30)])
    write_events(out, *((n + 5.0, "mark", name) for n, name in enumerate(names)))
    show(page, make(out, here / "hostile.html"))
    checks.equal(page.run("return [window.bad, document.querySelectorAll('img').length]"), [None, 0], "no name is markup")
    text = page.run("return document.body.textContent")
    for name in names:
        checks.that(name in text, f"{name[:40]!r} is text")
    checks.that(page.run("return document.documentElement.scrollWidth <= innerWidth"), "4 KB of a name do not widen the page")
    cells = ["=cmd|' /C calc'!A1", "-1.5", "–", "a\"b,c", "<b>|`*_[x](y)\\"]
    checks.equal(page.run("return csvOf([arguments[0]])", cells), "'=cmd|' /C calc'!A1,-1.5,,\"a\"\"b,c\",<b>|`*_[x](y)\\\n", "a copy as CSV")
    checks.equal(page.run("return markdownOf([arguments[0]]).split('\\n')[0]", cells),
                 "| =cmd\\|' /C calc'!A1 | -1.5 | – | a\"b,c | \\<b\\>\\|\\`\\*\\_\\[x\\](y)\\\\ |", "a copy as Markdown")
    checks.equal(page.console(), [], "the console with hostile names")


def many_surfaces(page, here):
    """Not every one of many Surfaces has a chart: the page says so."""
    out = here / "many"
    write(out, "fps.csv", [second(1, app=f"com.a{n}", Surface=f"com.a{n}/main") for n in range(130)])
    show(page, make(out, here / "many.html"))
    checks.that("Surfaces with a chart: 100 / 130" in page.run("return document.body.innerText"), "charts that are left out")


def big(page, here):
    out = here / "big"
    write_folder(out)
    path = make(out, here / "big.html")
    size = path.stat().st_size
    ready, rate = 10**9, 0
    for _ in range(3):  # other programs may use the CPUs
        show(page, path)
        ready, rate = min(ready, int(page.run("return document.body.dataset.charts"))), max(rate, page.wait(ZOOM))
        if ready <= 3000 and rate >= 50:
            break
    print(f"72 hours: {size / 1e6:.1f} MB, charts after {ready} ms, zoom and pan {rate:.0f} a second")
    # The machine may have other work; on one without, the bounds are 3 s and 50 a second.
    checks.that(size <= SIZE_MOST and ready <= 9000 and rate >= 12, "the page of 72 hours")
    page.screenshot(SHOTS / "72-hours.png")


SHOTS.mkdir(exist_ok=True)
with folder() as here, browser() as page:
    out = marked_demo(here)
    show(page, make(out, here / "demo.html"))
    page.size(1200, 1000)
    checks.equal(page.run("return document.documentElement.lang"), "en", "the language of the browser")
    if page.run("return typeof Dygraph") != "function":
        skip("libjs-dygraphs was not installed when this was built, so the page has no charts")
    truth = numbers(page, out)
    packed(page, out)
    ranges(page, truth, "frames.csv")
    any_ranges(page, out, here)
    clicks(page)
    touches(page)
    state(page, here)
    looks(page, "demo", pages=2)
    checks.equal(page.console(), [], "the console")
    answer(page, out, here)
    picture(page, here)
    several(page, out, here)
    part_of(page, out, here)
    evidence(page, here)
    old_files(page, here)
    without_frames(page, here)
    compared(page, here)
    hostile(page, here)
    many_surfaces(page, here)
    big(page, here)
    # A file that cannot be written, and no session: nothing is left behind.
    for arguments in (("-o", here / "no" / "page.html", out), ("-o", here / "none.html", here / "nowhere")):
        checks.that((done := report(*arguments)).returncode == 1 and done.stderr.count("\n") == 1 and not list(here.glob("none*")), f"{arguments}: {done}")
with checks, folder() as here, browser("zh-CN") as page:
    out = marked_demo(here)
    show(page, make(out, here / "demo.html"))
    checks.equal(page.run("return document.documentElement.lang"), "zh", "the language of a Chinese browser")
    # Two things have two names, and what is not a name is Chinese.
    unfold(page)
    heads = page.run("return [...document.querySelectorAll('table')].map((table) => [...table.tHead.rows[0].cells].map((cell) => [cell.innerText, cell.title]))")
    checks.that(all(len({name for name, _ in head}) == len(head) for head in heads) and len(heads) > 5, f"headings: {heads}")
    checks.equal({text for head in heads for name, title in head for text in (name, title) if re.search("[a-z]{5}", text.replace("vsync", ""))} - {"Surface"}, set(), "headings in English")
    checks.that("before the first" not in page.run("return document.body.innerText + [...document.querySelectorAll('option')].map((one) => one.text)"), "the first section in Chinese")
    (out / "summary.csv").unlink()
    show(page, make(out, here / "without.html"))
    checks.that("summary.csv 缺失：整个会话的数值由 frames.csv 计算" in page.run("return document.body.innerText"), "a note in Chinese")
    notes_in_chinese(page)
