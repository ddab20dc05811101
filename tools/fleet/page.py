# SPDX-License-Identifier: Apache-2.0
"""All answers as one HTML file: no network, light and dark, names as text. Style, words and colours are those of jank-report's page.

On top what is worst; then a card for each app (models by builds, a dot for each session, time lost by cause), the worst ten
sessions, and the tables, folded."""

import collections
import html
import math
import os
import pathlib
import re
import urllib.parse

import grades
import queries

FOLDER = pathlib.Path(__file__).resolve().parent
REPORT = FOLDER.parent / "report" / "page"
STYLE = REPORT / "page.css"
APPS_MAX, BUILDS_MAX, MODELS_MAX, WORST = 20, 12, 50, 10
MANY = 300  # dots, without letters
# As on the page of jank-report.
LETTERS = {"app": "A", "gpu": "G", "surfaceflinger-cpu": "C", "surfaceflinger-gpu": "S", "scheduling": "W", "display": "D", "stuffing": "Q",
           "prediction": "V", "dropped": "T", "unknown": "?"}

# That of jank-report's page, without its title and what is said of its charts.
HEAD = ("<!DOCTYPE html>\n<!-- SPDX-License-Identifier: Apache-2.0\nMade by jank-fleet; needs no network. -->\n"
        + (REPORT / "head.html").read_text(encoding="utf-8").partition("-->\n")[2].replace("<title>jank-report</title>\n", ""))


def text(value):
    return html.escape(queries.shown(value))


def chip(grade):
    return f'<span class="grade {grade.replace(" ", "-")}">{text(grade)}</span>'


def dictionaries(answer):
    return [dict(zip(answer.names, row)) for row in answer.rows]


def number(value):
    """'0.05', '9.5', '274'"""
    return f"{value:.{2 if value < 1 else 1 if value < 9.95 else 0}f}" if value else "0"


def count(n, name):
    return f"{n:,} {name}{'s' * (n != 1)}"


# --- what is worst ---

def verdict(answers):
    headline = answers["builds"].headline
    if headline is None:
        return '<section class="card"><p class="sentence">No session has a grade yet.</p><p class="whose">Run jank-fleet load with jank-report in PATH to add grades.</p></section>'
    grade, sentence, whose = headline
    devices, worse = dictionaries(answers["devices"]), dictionaries(answers["regressions"])
    tiles = (("devices", len(devices), "devices"), ("sessions", sum(one["sessions"] for one in devices), "sessions"),
             ("sessions", sum(one["BAD sessions"] for one in devices), "BAD sessions"),
             ("regressions", sum(grades.WORST_FIRST.index(one["grade"]) < grades.WORST_FIRST.index(one["grade before"]) for one in worse),
              "builds with a worse grade than the one before"),
             ("silent", len(answers["silent"].rows), "silent devices"))
    return (f'<section class="card" id="verdict">{chip(grade)}<p class="sentence">{text(sentence)}</p><p class="whose">{text(whose)}</p>\n<div class="tiles">'
            + "".join(f'<a class="tile" href="#{name}"><b>{n:,}</b> {what}</a>' for name, n, what in tiles) + "</div></section>")


# --- an app ---

def cell(one):
    if one is None:
        return '<td class="cell">–</td>'
    said = f'{count(one["sessions"], "session")}, {one["BAD sessions"]} of them BAD, {count(one["devices"], "device")}, {count(one["freezes"], "freeze")}'
    return (f'<td class="cell" data-label="{text(one["build"]) or "unknown"}" title="{text(said)}"><span class="grade {one["grade"].replace(" ", "-")}">'
            f'<b>{text(one["grade"])}</b> {number(one["lost(ms/s)"])}&nbsp;ms/s<br>{count(one["sessions"], "session")}</span></td>')


def matrix(app, groups, builds):
    """Models by builds, the worst model first."""
    by_model = collections.defaultdict(dict)
    for one in groups:
        by_model[one["model"]][one["build"]] = one
    rows = list(by_model.items())[:MODELS_MAX]
    left_out = ([count(len(by_model) - MODELS_MAX, "more model")] if len(by_model) > MODELS_MAX else []) + (
        [f"only the last {BUILDS_MAX} of {len(builds)} builds"] if len(builds) > BUILDS_MAX else [])
    shown = builds[-BUILDS_MAX:]
    return ("<div><h3>models and builds</h3>"
            f'<div class="scroll" tabindex="0" role="region" aria-label="models and builds of {text(app)}"><table class="fleet">\n<thead><tr><th scope="col" class="text">model</th>'
            + "".join(f'<th scope="col">{text(build) or "unknown"}</th>' for build in shown) + "</tr></thead>\n<tbody>"
            + "\n".join(f'<tr><th scope="row" class="text">{text(model) or "unknown model"}</th>' + "".join(cell(cells.get(build)) for build in shown) + "</tr>"
                        for model, cells in rows)
            + f'</tbody></table></div><p class="soft">ms lost per second of drawing, all sessions added up; the worst model first, builds by first day{"".join("; " + one for one in left_out)}</p></div>')


def trend(app, sessions, builds, link):
    """A column for each build, in it a dot for each session: from left to right by time, upwards by time lost."""
    by_build = collections.defaultdict(list)
    for one in sessions:
        by_build[one["build"]].append(one)
    shown = [build for build in builds[-BUILDS_MAX:] if by_build[build]]
    if not shown:
        return ""
    top = max(30, *(one["lost(ms/s)"] for build in shown for one in by_build[build]))
    height = lambda value: f"{100 * math.sqrt(value / top):.1f}%"
    lines = [value for value in (0, 10, 30, 100, 300, 1000) if value <= top and (value == 0 or value / top > .02)]
    columns = []
    for build in shown:
        begin, end = (function(one["began"] for one in by_build[build]) for function in (min, max))
        dots = [f'<a class="fleet-dot grade {one["grade"].replace(" ", "-")}" style="left:{100 * (one["began"] - begin) / (end - begin) if end > begin else 50:.1f}%;bottom:{height(one["lost(ms/s)"])}" '
                f'title="{text(said_of(one))}"{link(one["folder"])}>{one["grade"][:1]}</a>' for one in by_build[build]]
        columns.append(f'<div class="build"><div class="fleet-dots">{"".join(dots)}</div><div class="soft">{text(build) or "unknown build"}<br><small>{by_build[build][0]["day"]}</small></div></div>')
    many = sum(len(by_build[build]) for build in shown) > MANY
    return (f'<div><h3>sessions over time, by build</h3><div class="trend{" many" * many}" role="group" aria-label="sessions of {text(app)} over time">'
            '<div class="axis">' + "".join(f'<span style="bottom:{height(value)}">{value}</span>' for value in lines) + "</div>"
            + "".join(columns) + '</div><p class="soft">ms lost per second of drawing; a dot is a session, with its grade\'s first letter</p></div>')


def said_of(one):
    return f'{one["grade"]} {one["lost(ms/s)"]:.1f} ms/s, {count(one["freezes"], "freeze")}, {one["device"]} {one["model"]}, {one["began(UTC)"]}'


def causes_of(rows, builds):
    """A bar for each build, parts by cause."""
    lost = collections.Counter()
    for one in rows:
        lost[one["build"]] += one["lost(s)"]
    shown = [build for build in builds[-BUILDS_MAX:] if lost[build]]
    if not shown:
        return ""
    top = max(lost.values())
    bars = []
    for build in shown:
        parts = "".join(f'<span class="stacked cause-{one["in files"]}" style="width:{100 * one["lost(s)"] / top:.2f}%" title="{text(one["cause"])} {one["lost(s)"]:.2f} s">'
                        f'{LETTERS.get(one["in files"], "?") if one["lost(s)"] > top / 40 else ""}</span>' for one in rows if one["build"] == build and one["lost(s)"] > 0)
        bars.append(f'<div class="lost-row"><span class="name">{text(build)}</span><span class="lost-bar">{parts}</span><b>{number(lost[build])} s</b></div>')
    total, names = collections.Counter(), {}
    for one in rows:
        total[one["in files"]] += one["lost(s)"]
        names[one["in files"]] = one["cause"]
    legend = "".join(f'<span><span class="swatch cause-{cause}" aria-hidden="true">{LETTERS.get(cause, "?")}</span>{text(names[cause])} <b>{number(seconds)} s</b></span>'
                     for cause, seconds in total.most_common())
    return f'<div><h3>time lost by cause</h3>{"".join(bars)}<div class="legend">{legend}</div></div>'


def apps(answers, link):
    """A card for each app, the worst one first and open."""
    by_app = collections.defaultdict(list)
    for one in dictionaries(answers["builds"]):
        by_app[one["app"]].append(one)
    sessions, causes = (collections.defaultdict(list) for _ in range(2))
    for found, name in ((sessions, "trend"), (causes, "causes")):
        for one in dictionaries(answers[name]):
            found[one["app"]].append(one)
    cards = []
    for n, (app, groups) in enumerate(list(by_app.items())[:APPS_MAX]):
        first = {}
        for one in groups:
            first[one["build"]] = min(one["first day"], first.get(one["build"], one["first day"]))
        builds, worst = sorted(first, key=lambda build: (first[build], build)), groups[0]
        cards.append(f'<details class="card app"{" open" * (n == 0)}><summary>{chip(worst["grade"])} {text(app)}: {lost_by(worst)}</summary>\n<div class="both">{matrix(app, groups, builds)}\n{trend(app, sessions[app], builds, link)}</div>\n'
                     f"{causes_of(causes[app], builds)}</details>")
    if len(by_app) > APPS_MAX:
        cards.append(f'<p class="soft">{count(len(by_app) - APPS_MAX, "more app")}: in the table of builds</p>')
    return "\n".join(cards)


def lost_by(worst):
    if not worst["lost(ms/s)"]:
        return "nothing lost"
    return f'{number(worst["lost(ms/s)"])} ms lost per second{text(grades.place(worst))}'


# --- tables ---

def links(output):
    """A function: the attribute with a link to the folder, or its page, of a session; none if it is not there any more."""
    base = os.path.dirname(os.path.abspath(output))

    def link(folder):
        for path in (os.path.join(folder, "report.html"), f"{folder}.html", folder):
            if os.path.exists(path):
                return f' href="{html.escape(urllib.parse.quote(os.path.relpath(path, base)))}"'
        return ""

    return link


def table_cell(name, value, link):
    kind = ' class="text"' if isinstance(value, str) else ""
    label = f' data-label="{text(name)}"'
    if name in ("grade", "grade before"):
        return f'<td{kind}{label} data-sort="{grades.WORST_FIRST.index(value)}">{chip(value)}</td>'
    if name == "folder":
        return f'<td{kind}{label}><a{link(value)} title="{text(value)}">{text(os.path.basename(value))}</a></td>'
    return f"<td{kind}{label}>{text(value)}</td>"


def column(name, rows, n):
    is_text = any(isinstance(row[n], str) for row in rows)
    kind = ' class="text"' if is_text else ""
    return f'<th scope="col" aria-sort="none"{kind}><button type="button" class="sort">{html.escape(name)}</button></th>'


def plain_table(title, names, rows, link):
    return (f'<div class="scroll" tabindex="0" role="region" aria-label="{html.escape(title)}"><table>\n<thead><tr>'
            + "".join(column(one, rows, n) for n, one in enumerate(names)) + "</tr></thead>\n<tbody>"
            + "\n".join("<tr>" + "".join(table_cell(name, value, link) for name, value in zip(names, row)) + "</tr>" for row in rows)
            + "</tbody></table></div>")


def table(name, answer, link):
    heading = html.escape(answer.title)
    parts = [f'<details class="card" id="{name}">\n<summary>{heading} <span class="soft">({count(len(answer.rows), "row")})</span></summary>\n<p class="soft">{html.escape(queries.note(name))}</p>']
    if not answer.rows:
        return "\n".join((*parts, "<p>None.</p>\n</details>"))
    parts.append(f'<div class="bar no-print"><label>Filter <input type="search" data-filter="{name}"></label>'
                 f'<button type="button" data-copy="{name}">Copy as CSV</button>'
                 f'<span class="soft" role="status">{count(len(answer.rows), "row")}</span></div>')
    return "\n".join((*parts, plain_table(answer.title, answer.names, answer.rows, link), "</details>"))


def worst_sessions(answer, link):
    """Its names, and so its links, are short."""
    wanted = [name for name in ("grade", "app", "lost(ms/s)", "lost(s)", "freezes", "longest(s)", "model", "build", "began(UTC)", "folder")
              if name in answer.names]
    rows = [[value for _, value in sorted((wanted.index(name), value) for name, value in zip(answer.names, row) if name in wanted)]
            for row in answer.rows[:WORST]]
    return f'<section class="card" id="worst"><h3>worst sessions</h3>{plain_table("Worst sessions", wanted, rows, link)}</section>' if rows else ""


def page(answers, settings, output):
    since = "all days" if settings["since"].year == 1970 else f"days from {settings['since']} on"
    link, headline = links(output), answers["builds"].headline
    title = f"{headline[0]} {re.split(' was | drew | held ', headline[1])[0]}" if headline else "no grades"
    return "".join((
        HEAD, f"<title>{text(title)} – jank-fleet</title>\n<style>\n", STYLE.read_text(encoding="utf-8"), (FOLDER / "page.css").read_text(encoding="utf-8"),
        "</style>\n</head>\n<body>\n",
        f'<header class="top"><h1>{text(title)}</h1><span class="soft">jank-fleet, {since}, as of {settings["today"]}</span><button id="theme" type="button">Light or dark</button></header>\n<main>\n',
        verdict(answers), "\n", apps(answers, link), "\n", worst_sessions(answers["sessions"], link), "\n",
        "\n".join(table(name, answer, link) for name, answer in answers.items() if name != "trend"),
        f'\n<p class="soft">silent: {settings["silent_days"]} days or more; - is an unknown value</p>'
        "\n</main>\n<script>\n", (FOLDER / "page.js").read_text(encoding="utf-8"), "</script>\n</body>\n</html>\n"))
