#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the cost of jankd with that of other programs that read traces, on files and live; prints tables and ratios.
The exit code is 1 if a ratio is beyond its bound in ratios.json.

    bench.py [--part offline|live] [--quick]

Rounds are interleaved and every number is a median: compare the ratios, not the seconds. --quick takes a minute.
"""

import argparse
import json
import pathlib
import statistics
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "lib"))
import offline
import online
from jankd import is_sanitized, skip
from measure import machine

PARTS = {"offline": offline.run, "live": online.run}
ROUNDS = 5  # with fewer rounds nothing is judged


class Report:
    """The results of the parts. @ratios: the cost of jankd divided by that of the other program, of each round."""

    def __init__(self):
        self.ratios, self.notes, self.failures = {}, [], []


def in_words(ratio):
    """0.02 is '50.0 × less'."""
    return f"{1 / ratio:.1f} × less" if ratio < 0.67 else f"{ratio:.2f} ×"


def judge(report):
    """A ratio fails if it is beyond its bound by more than the median deviation of its rounds: timings vary."""
    bounds = json.loads((HERE / "ratios.json").read_text(encoding="utf-8"))
    print(f"\n{'jankd / other program, CPU':66}{'median':>14}{'deviation':>11}{'bound':>14}")
    for name, rounds in report.ratios.items():
        if not rounds:
            continue
        middle, bound = statistics.median(rounds), bounds.get(name)
        deviation = statistics.median(abs(ratio - middle) for ratio in rounds)
        print(f"{name:66}{in_words(middle):>14}{deviation / middle:>10.0%} {in_words(bound) if bound else '':>14}")
        if bound and len(rounds) >= ROUNDS and middle - deviation > bound:
            report.failures.append(f"slower: {name}: {in_words(middle)}, the bound is {in_words(bound)}")


parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--part", choices=PARTS)
parser.add_argument("--quick", action="store_true")
arguments = parser.parse_args()
if is_sanitized():
    skip("a build with a sanitizer is not measured")
report, skipped = Report(), 0
parts = [arguments.part] if arguments.part else PARTS
print(machine())
for part in parts:
    try:
        PARTS[part](report, arguments.quick)
    except SystemExit:  # of skip(), which printed the reason
        skipped += 1
judge(report)
for note in dict.fromkeys(report.notes):
    print(note)
for failure in report.failures:
    print(failure if failure.startswith("slower: ") else f"failed: {failure}")
sys.exit(1 if report.failures else 77 if skipped == len(parts) else 0)
