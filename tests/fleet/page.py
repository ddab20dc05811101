#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page of jank-fleet in a browser: names are text, tables sort and filter, light and dark, no message in the console."""

import datetime
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import fleet  # finds the modules of jank-fleet; pylint: disable=unused-import
from browser import browser
from jankd import Checks, folder

NAMES = ["</script><script>document.title = 'no'</script>", "<img src=x onerror=document.title='no'>", '"\'`&amp;', "=cmd|' /C calc'!A0", "汉字"]
COLUMN = "return [...document.querySelectorAll(`#builds tbody tr:not([hidden]) td:nth-child(${arguments[0]})`)].map(cell => cell.textContent)"
COLOR = "return getComputedStyle(document.body).backgroundColor"


def write(path):
    from page import page
    import queries
    rows = [[name, number, None if number == 3 else number * 9.5] for number, name in enumerate(NAMES)]
    answers = [(name, title, ["build", "devices", "jank(/10min)"], rows if name == "builds" else [])
               for name, title in queries.titles().items()]
    path.write_text(page(answers, {"since": datetime.date(1970, 1, 2), "today": datetime.date(2026, 1, 1), "silent_days": 2}), encoding="utf-8")


checks = Checks()
with folder() as here, browser() as page:
    write(here / "fleet.html")
    page.open(here / "fleet.html")
    checks.equal(page.run("return document.title"), "jank-fleet", "no name runs")
    checks.equal(page.run(COLUMN, 1), NAMES, "names on the page")
    checks.equal(page.run(COLUMN, 3), ["0.0", "9.5", "19.0", "-", "38.0"], "numbers, and an unknown one")
    page.click("#builds th:nth-child(3) button")
    checks.equal(page.run(COLUMN, 3), ["38.0", "19.0", "9.5", "0.0", "-"], "sorted, the largest first")
    page.click("#builds th:nth-child(3) button")
    checks.equal(page.run(COLUMN, 3), ["-", "0.0", "9.5", "19.0", "38.0"], "sorted, the smallest first")
    checks.equal(page.run("return document.querySelector('#builds th:nth-child(3)').ariaSort"), "ascending", "the order for a screen reader")
    page.write("#builds input", "CMD")
    checks.equal(page.run(COLUMN, 1), [NAMES[3]], "filtered")
    checks.equal(page.run("return document.querySelector('#builds [role=status]').textContent"), "1 rows", "rows that are shown")
    page.click("#builds [data-copy]")
    checks.equal(page.run("return document.querySelector('#builds [role=status]').textContent"), "Copied", "copied")
    light = page.run(COLOR)
    page.click("#theme")
    dark = page.run(COLOR)
    page.click("#theme")
    checks.that(light != dark and page.run(COLOR) == light, f"light and dark: {light}, {dark}")
    checks.equal(page.run("return document.querySelector('#silent').textContent.includes('None.')"), True, "an empty answer")
    checks.equal(page.run("return performance.getEntriesByType('resource').length"), 0, "files that the page loads")
    page.size(380, 800)
    checks.that(page.run("return document.documentElement.scrollWidth <= innerWidth"), "on a phone it scrolls sideways")
    checks.equal(page.console(), [], "messages in the console")
checks.end()
