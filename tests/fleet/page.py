# SPDX-License-Identifier: Apache-2.0
"""The page of jank-fleet in a browser: what is worst is on top, the matrix and the dots say it not by colour alone, links lead to
folders, names are text, tables are folded, sort and filter, on a phone and in print; no message in the console."""

import datetime
import re
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
import fleet  # finds the modules of jank-fleet; pylint: disable=unused-import
from browser import browser
from jankd import checks, folder

NAMES = ["</script><script>document.title = 'no'</script>", "<img src=x onerror=document.title='no'>", '"\'`&amp;', "=cmd|' /C calc'!A0", "汉字"]
COLUMN = "return [...document.querySelectorAll(`#builds tbody tr:not([hidden]) td:nth-child(${arguments[0]})`)].map(cell => cell.textContent)"
COLOR = "return getComputedStyle(document.body).backgroundColor"
# Grades of builds 1 and 2 on two models, and ms lost per second; 18 sessions.
CELLS = {("Good phone", "1"): ("GOOD", 0.0), ("Good phone", "2"): ("FAIR", 7.5), ("Bad phone", "1"): ("POOR", 12.25), ("Bad phone", "2"): ("BAD", 290.0)}
WORST = "com.example.mail on Bad phone with build 2"


def one(app, model, build, grade, rate, rank=0):
    facts = {"drawing(s)": 100.0, "late time(s)": rate / 10, "freeze time(s)": 0.0, "freezes": 0, "longest freeze(s)": 0.0, "late frames": 9, "lost(ms/s)": rate}
    causes = [{"cause": "app", "name": "App too slow", "times": 9, "lost(s)": rate / 10}] if rate else []
    return {"app": app, "model": model, "build": build, "rank": rank, "devices": 1, "sessions": 4, "BAD sessions": 1, "first day": f"2025-12-0{build}",
            "last day": "2025-12-09", "grade": grade, "facts": facts, "causes": causes,
            "sentence": f"{app} on {model} with build {build} was late for {rate / 10} % of the 100 s it drew: 9 late frames, no freeze.",
            "whose": "All of the lost time is the app's own."}


def write(path):
    import grades
    import queries
    from page import page
    graded = [one("com.example.mail", *place, *cell) for place, cell in CELLS.items()]
    graded += [one(name, "M", "1", "GOOD", number * 0.5, rank=1) for number, name in enumerate(NAMES)]
    graded += [one("com.android.systemui", "M", "1", "BAD", 900.0, rank=2)]
    (path.parent / "lab" / "s5").mkdir(parents=True)
    found = {"builds": grades.builds(graded), "regressions": grades.regressions(graded), "causes": grades.causes(graded)}
    session = lambda n, app, model, build, grade, rate: [f"2025-12-0{build} 10:00:{n:02}", app, build, model, grade, rate, 0, "d1", f"s{n}", "2025-12-01",
                                                         1764600000.0 + 86400 * int(build) + n, str(path.parent / "lab" / f"s{n}")]
    names = ["began(UTC)", "app", "build", "model", "grade", "lost(ms/s)", "freezes", "device", "session", "day", "began", "folder"]
    rows = [session(n, "com.example.mail", model, build, *CELLS[model, build]) for n, (model, build) in enumerate([*CELLS] * 4 + [*CELLS][:2])]
    found["trend"] = names, rows
    found["sessions"] = names, sorted(rows, key=lambda row: -row[5])
    found["devices"] = ["device", "sessions", "BAD sessions"], [["d1", 18, 4]]
    answers = {name: queries.Answer(title, *found.get(name, (["device"], [])), grades.headline(graded) if name == "builds" else None)
               for name, title in queries.titles().items()}
    path.write_text(page(answers, {"since": datetime.date(1970, 1, 2), "today": datetime.date(2026, 1, 1), "silent_days": 2}, path), encoding="utf-8")


def first_screen(checks, page):
    """Which app, how bad, since when: without a click."""
    checks.equal(page.run("return document.title"), f"BAD {WORST} – jank-fleet", "title, and no name runs")
    top = page.run("return document.querySelector('#verdict').innerText")
    for words in (f"{WORST} was late for 29.0 % of the 100 s", "since 2025-12-02", "The build before, 1, was POOR: 12.2 ms lost per second", "18\nsessions", "4\nBAD sessions",
                  "2\nbuilds with a worse grade than the one before", "0\nsilent devices"):
        checks.that(words in top, f"'{words}' is not in {top!r}")
    cells = page.run("return [...document.querySelectorAll('.app[open] .fleet tbody tr')].map(row => [...row.cells].map(cell => cell.innerText))")
    said = lambda place: "{} {}\u00a0ms/s\n4 sessions".format(CELLS[place][0], {0.0: "0", 7.5: "7.5", 12.25: "12", 290.0: "290"}[CELLS[place][1]])
    checks.equal(cells, [[model, said((model, "1")), said((model, "2"))] for model in ("Bad phone", "Good phone")], "the matrix")
    colors = page.run("return [...new Set([...document.querySelectorAll('.app[open] .fleet .grade')].map(one => getComputedStyle(one).backgroundColor))].length")
    checks.equal(colors, 4, "colours of four grades")
    dots = page.run("return [...document.querySelectorAll('.app[open] .fleet-dot')].map(dot => [dot.textContent, parseFloat(dot.style.bottom), dot.closest('.build').lastElementChild.innerText.slice(0, 1)])")
    checks.equal(len(dots), 18, "dots")
    heights = {letter: height for letter, height, _ in dots}
    checks.that(heights["G"] == 0 < heights["F"] < heights["P"] < heights["B"] == 100 and abs((heights["F"] / 100) ** 2 - 7.5 / 290) < 0.001, f"heights of dots: {heights}")
    checks.equal({(letter, build) for letter, _, build in dots}, {(grade[:1], build) for (_, build), (grade, _) in CELLS.items()}, "dots by build")
    causes = page.run("return document.querySelector('.app[open] .legend').innerText + [...document.querySelectorAll('.app[open] .lost-row')].at(-1).innerText")
    checks.that("App too slow" in causes and "31 s" in causes and "30 s" in causes, f"causes: {causes!r}")
    checks.equal(page.run("return [...document.querySelectorAll('.app')].map(one => one.open)"), [True] + [False] * (len(NAMES) + 1), "the worst app is open")
    checks.that(page.run("return [...document.querySelectorAll('.app')].at(-1).innerText.includes('systemui')"), "the system is last")
    worst = page.run("return [...document.querySelectorAll('#worst tbody tr')].map(row => [row.cells[0].textContent, row.querySelector('[href]')?.getAttribute('href')])")
    checks.equal([grade for grade, _ in worst], ["BAD"] * 4 + ["POOR"] * 4 + ["FAIR"] * 2, "the worst ten sessions")
    checks.equal([link for _, link in worst if link], ["lab/s5"], "the link to the one folder that is there")
    checks.that(page.run("return document.documentElement.scrollHeight") < 3000, "the page is at most three screens high")


with checks, folder() as here, browser() as page:
    write(here / "fleet.html")
    page.open(here / "fleet.html")
    page.size(1280, 900)
    first_screen(checks, page)
    page.click("#builds summary")
    checks.equal(set(page.run(COLUMN, 1)), {"com.example.mail", "com.android.systemui", *NAMES}, "names on the page")
    for n, ordered in ((5, sorted([rate for _, rate in CELLS.values()] + [0, 0.5, 1, 1.5, 2, 900], reverse=True)), (4, ["BAD"] * 2 + ["POOR", "FAIR"] + ["GOOD"] * 6)):
        values = lambda: [float(value) if n == 5 else value for value in page.run(COLUMN, n)]
        page.click(f"#builds th:nth-child({n}) button")
        first = values()
        page.click(f"#builds th:nth-child({n}) button")
        checks.equal(sorted([first, values()], key=lambda found: found == ordered), [ordered[::-1], ordered], f"column {n} is sorted, both ways")
    checks.equal(page.run("return document.querySelector('#builds th:nth-child(4)').ariaSort"), "ascending", "the order for a screen reader")
    page.write("#builds input", "CMD")
    checks.equal(page.run(COLUMN, 1), [NAMES[3]], "filtered")
    checks.equal(page.run("return document.querySelector('#builds [role=status]').textContent"), "1 row", "rows that are shown")
    page.click("#builds [data-copy]")
    checks.equal(page.run("return document.querySelector('#builds [role=status]').textContent"), "Copied", "copied")
    light = page.run(COLOR)
    page.click("#theme")
    dark = page.run(COLOR)
    page.click("#theme")
    checks.that(light != dark and page.run(COLOR) == light, f"light and dark: {light}, {dark}")
    checks.equal(page.run("return document.querySelector('#silent').textContent.includes('None.')"), True, "an empty answer")
    checks.equal(page.run("return performance.getEntriesByType('resource').length"), 0, "files that the page loads")
    page.open(here / "fleet.html", "#silent")
    checks.that(page.run("return document.querySelector('#silent').open"), "a link opens its table")
    page.open(here / "fleet.html")
    checks.that(len(re.findall(rb"/Type\s*/Page\b", page.printed())) <= 3, "at most three pages of paper")
    page.size(390, 844)
    checks.that(page.run("return Math.max(...[...document.querySelectorAll('main *')].map(one => one.getBoundingClientRect().right)) <= innerWidth"), "nothing is to the right of a phone's screen")
    checks.equal(page.console(), [], "messages in the console")
