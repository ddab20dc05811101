# SPDX-License-Identifier: Apache-2.0
"""The questions of a lab: one file in queries/ each. Its first line is the title, the other comments say what is counted."""

import collections
import datetime
import pathlib
import unicodedata

import grades
import schema

FOLDER = pathlib.Path(__file__).resolve().parent / "queries"
# In the order of the page.
NAMES = ("builds", "sessions", "causes", "regressions", "percentiles", "devices", "silent", "losses", "trend")


def text(name):
    return (FOLDER / f"{name}.sql").read_text(encoding="utf-8")


def title(name):
    return text(name).splitlines()[1].removeprefix("-- ")


def titles():
    return {name: title(name) for name in NAMES}


def note(name):
    """The comments behind the title."""
    lines = [line[3:] for line in text(name).splitlines()[2:] if line.startswith("-- ")]
    return " ".join(lines)


def settings(arguments):
    """What a query can depend on, by its name in braces."""
    return {
        "since": arguments.since or datetime.date(1970, 1, 2),
        "today": arguments.today or datetime.datetime.now(datetime.timezone.utc).date(),
        "silent_days": arguments.silent_days,
    }


def rows_of(server, name, values):
    """(names of columns, rows) of the SQL"""
    sql = "\n".join(line for line in text(name).splitlines() if not line.startswith("--"))
    for key, value in values.items():
        sql = sql.replace("{" + key + "}", f"toDate('{value}')" if isinstance(value, datetime.date) else str(value))
    return server.rows(sql.replace("{db}", schema.DATABASE).replace("{facts}", schema.sum_of_facts()).strip())


Answer = collections.namedtuple("Answer", "title names rows headline")


def run(server, name, values):
    """The answer to a question. headline: (grade, sentence, whose) of what is worst, of builds only."""
    names, rows = rows_of(server, name, values)
    if name not in grades.ANSWERS:
        return Answer(title(name), names, rows, None)
    graded = grades.sums(names, rows)
    return Answer(title(name), *grades.ANSWERS[name](graded), grades.headline(graded) if name == "builds" else None)


def printable(value):
    """Names are data: no control or direction characters of theirs reach a terminal."""
    return "".join(character if unicodedata.category(character)[0] != "C" else f"\\u{ord(character):04X}" for character in value)


def width(value):
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 0 if unicodedata.combining(character) else 1
               for character in value)


def shown(value):
    return "-" if value is None else printable(str(value))


def print_table(names, rows):
    """Numbers on the right, '-' for an unknown value."""
    cells = [names, *([shown(value) for value in row] for row in rows)]
    widths = [max(width(row[column]) for row in cells) for column in range(len(names))]
    is_text = [any(isinstance(row[column], str) for row in rows) for column in range(len(names))]
    for row in cells:
        print("  ".join(cell + " " * (size - width(cell)) if left else " " * (size - width(cell)) + cell
                        for cell, size, left in zip(row, widths, is_text)).rstrip())
