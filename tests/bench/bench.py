#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the cost of jankd with that of other programs that read traces, on files and live, and measures what a
row costs; prints tables and ratios.

    bench.py [--part offline|rows|live|limits] [--before PROGRAM] [--quick] [--keep] [--readme]

Rounds are interleaved and every number is a median: compare the ratios, not the seconds.
--before: also measures another jankd, live, with all files. --quick takes a minute and prints only the ratios that are worse than those in
ratios.json by more than a tenth. --keep writes the ratios there. A full run writes bench.json into
the build folder; --readme writes its numbers into README.md beside this script.
"""

import argparse
import json
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "lib"))
import offline
import online
import per_row
import readers
import readme
from jankd import BUILD, skip
from measure import machine

PARTS = {"offline": offline.run, "rows": per_row.run, "live": online.run, "limits": online.run_limits}
RATIOS = HERE / "ratios.json"
WORSE = 1.1


class Report:
    """The results of the parts."""

    def __init__(self):
        self.tables = {}
        self.ratios = {}
        self.notes = []

    def add_table(self, title, rows):
        self.tables[title] = rows

    def add_ratio(self, name, ratio):
        """@ratio: the cost of jankd divided by that of the other program; None if it is unknown."""
        if ratio is not None:
            self.ratios[name] = ratio


def committed(kind):
    return json.loads(RATIOS.read_text(encoding="utf-8")).get(kind, {}) if RATIOS.exists() else {}


def in_words(ratio):
    """0.02 is '50.0 × less'."""
    return f"{1 / ratio:.1f} × less" if ratio < 0.67 else f"{ratio:.2f} ×"


def print_ratios(ratios, before):
    print(f"\n{'jankd / other program, CPU or time':66}{'now':>14}{'committed':>14}")
    for name, ratio in ratios.items():
        old = in_words(before[name]) if name in before else ""
        print(f"{name:66}{in_words(ratio):>14}{old:>14}")


def print_worse(ratios, before):
    """Prints a line for each ratio that became worse. This is not a failure: timings vary."""
    for name, ratio in ratios.items():
        if name in before and ratio > before[name] * WORSE:
            print(f"slower: {name}: {in_words(ratio)}, committed {in_words(before[name])}")


def keep(kind, ratios):
    """Writes the ratios; those that were not measured this time are kept."""
    kinds = {known: committed(known) for known in ("full", "quick")}
    kinds[kind].update((name, round(ratio, 5)) for name, ratio in ratios.items())
    RATIOS.write_text(json.dumps(kinds, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def is_sanitized():
    """True if the build has a sanitizer, which has costs of its own."""
    options = BUILD / "meson-info" / "intro-buildoptions.json"
    if not options.exists():
        return False
    return any(option["name"] == "b_sanitize" and option["value"] not in ("none", [])
               for option in json.loads(options.read_text()))


def save(report):
    """Adds the results to those of an earlier run of the other part."""
    path = BUILD / "bench.json"
    kept = json.loads(path.read_text()) if path.exists() else {}
    for what, new in (("tables", report.tables), ("ratios", report.ratios)):
        kept[what] = {**kept.get(what, {}), **new}
    kept["machine"], kept["day"] = machine(), time.strftime("%Y-%m-%d")
    path.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n")


def measure(parts, report, quick):
    """Runs the parts; exits with 77 if all of them were skipped."""
    skipped = 0
    for part in parts:
        try:
            PARTS[part](report, quick)
        except SystemExit:
            skipped += 1
    if skipped == len(parts):
        sys.exit(77)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--part", choices=PARTS)
    parser.add_argument("--before", metavar="PROGRAM")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--readme", action="store_true")
    arguments = parser.parse_args()
    if is_sanitized():
        skip("a build with a sanitizer is not measured")
    if arguments.before:
        readers.add_another(arguments.before)
    report, kind = Report(), "quick" if arguments.quick else "full"
    print(f"{machine()}")
    measure([arguments.part] if arguments.part else PARTS, report, arguments.quick)
    print_ratios(report.ratios, committed(kind))
    for note in dict.fromkeys(report.notes):
        print(note)
    print_worse(report.ratios, committed(kind))
    if arguments.keep:
        keep(kind, report.ratios)
    if not arguments.quick:
        save(report)
    if arguments.readme:
        readme.write_section()


main()
