# SPDX-License-Identifier: Apache-2.0
"""All answers as one HTML file: no network, light and dark, names as text. The style is that of jank-report's page."""

import html
import pathlib

import queries

FOLDER = pathlib.Path(__file__).resolve().parent
STYLE = FOLDER.parent / "report" / "page" / "page.css"

HEAD = """<!DOCTYPE html>
<!-- SPDX-License-Identifier: Apache-2.0
Made by jank-fleet; needs no network. -->
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<title>jank-fleet</title>
<link rel="icon" href="data:,">
<style>
"""


def cell(value):
    kind = ' class="text"' if isinstance(value, str) else ""
    return f"<td{kind}>{html.escape(queries.shown(value))}</td>"


def column(name, rows, number):
    is_text = any(isinstance(row[number], str) for row in rows)
    kind = ' class="text"' if is_text else ""
    return f'<th scope="col" aria-sort="none"{kind}><button type="button">{html.escape(name)}</button></th>'


def table(name, title, names, rows):
    heading = html.escape(title)
    parts = [f'<section id="{name}">\n<h2>{heading}</h2>\n<p class="soft">{html.escape(queries.note(name))}</p>']
    if not rows:
        return "\n".join((*parts, "<p>None.</p>\n</section>"))
    parts.append(f'<div class="bar no-print"><label>Filter <input type="search" data-filter="{name}"></label>'
                 f'<button type="button" data-copy="{name}">Copy as CSV</button>'
                 f'<span class="soft" role="status">{len(rows)} rows</span></div>')
    parts.append(f'<div class="scroll" tabindex="0" role="region" aria-label="{heading}"><table>\n<thead><tr>'
                 + "".join(column(one, rows, number) for number, one in enumerate(names)) + "</tr></thead>\n<tbody>")
    parts += ["<tr>" + "".join(map(cell, row)) + "</tr>" for row in rows]
    return "\n".join((*parts, "</tbody></table></div>\n</section>"))


def page(answers, settings):
    since = "all days" if settings["since"].year == 1970 else f"days from {settings['since']} on"
    links = " ".join(f'<a href="#{name}">{html.escape(title)}</a>' for name, title, _, _ in answers)
    return "".join((
        HEAD, STYLE.read_text(encoding="utf-8"), "th button { border: 0; background: none; padding: 0; font-weight: inherit; text-align: inherit; }\n",
        "nav { display: flex; flex-wrap: wrap; gap: .3rem 1rem; }\na { color: var(--link); }\n</style>\n</head>\n<body>\n",
        '<header><h1>jank-fleet</h1><button id="theme" type="button">Light or dark</button></header>\n<main>\n',
        f'<p class="soft">{since}, as of {settings["today"]}; silent: {settings["silent_days"]} days or more. '
        "- is an unknown value.</p>\n",
        f'<nav aria-label="Tables" class="no-print">{links}</nav>\n',
        "\n".join(table(name, title, names, rows) for name, title, names, rows in answers),
        "\n</main>\n<script>\n", (FOLDER / "page.js").read_text(encoding="utf-8"), "</script>\n</body>\n</html>\n"))
