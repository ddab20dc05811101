#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""culprit.py SUMMARY: prints a line for each surface of a summary.csv; the last line names the one that janks most.

A surface is judged by its janks (a stall is one), not by its frame rate or its waits: a game that
runs at a constant 30 fps does not jank, nor does an idle status bar.
"""

import csv
import sys

EVEN = 0.02  # this share of the intervals may be off cadence


def number(row, column):
    """The value of a column; 0 if it is empty, which means unknown."""
    return float(row[column] or 0)


def name(row):
    """The surface's name; shortened as in Android if the activity is in the app's own package."""
    return row["Surface"].replace(f"{row['app']}/{row['app']}.", f"{row['app']}/.")


def times(count, what):
    return f"{count:.0f} {what}" if count == 1 else f"{count:.0f} {what}s"


def pauses(row):
    """Stalls if they are known, else waits, which can be stalls or idle time."""
    for column, seconds, what in (("stalls", "stall time(S)", "stall"), ("wait times", "waiting time(S)", "wait")):
        if number(row, column) > 0:
            return f"{times(number(row, column), what)} of {number(row, seconds):.1f} s in all"
    return ""


def smooth(row):
    if not row["FPS"]:
        return f"{name(row)}: {pauses(row) or 'one frame'}; no jank"
    even = number(row, "off cadence") <= EVEN * number(row, "frames") and number(row, "cadence(vsyncs)") > 1
    every = f", a frame every {row['cadence(vsyncs)']} vsyncs" if even else ""
    return f"{name(row)}: {row['FPS']} fps{every}{', ' if pauses(row) else ''}{pauses(row)}; no jank"


def culprit(row):
    beside = f", and {pauses(row)}" if pauses(row) else ""
    return (f"the culprit is {name(row)}: {times(number(row, 'jank'), 'jank')} "
            f"({number(row, 'big jank'):.0f} big) in {number(row, 'Time(S)'):.1f} s of drawing, "
            f"worst frame {number(row, 'max time(ms)'):.1f} ms{beside}")


def main(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    rows.sort(key=lambda row: (number(row, "jank"), number(row, "stalls"), number(row, "stutter(%)")))
    for row in rows:
        if number(row, "jank") == 0:
            print(smooth(row))
    if rows and number(rows[-1], "jank") > 0:
        print(culprit(rows[-1]))
    else:
        print("no surface janked")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except OSError as error:
        sys.exit(f"culprit: {error.filename}: {error.strerror}; pass jankd's summary.csv")
