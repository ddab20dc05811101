#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Over a session, for each layer: frames + wait times + 1 = its rows in frames.csv.

fps.csv names Surfaces, so layers that share one are compared by their sum. summary.csv joins
them and must say the same. In each row the order of its numbers must be right, and its rate and
score follow from the others.
"""

import collections
import sys

sys.path.insert(0, str(__import__("pathlib").Path(__file__).resolve().parents[1] / "lib"))
from jankd import Checks, analyze, folder, rows, trace_names, unpack


def per_surface(table):
    sums = collections.Counter()
    for row in table:
        sums[row["Surface"]] += int(row["frames"]) + int(row["wait times"])
    return sums


def in_order(checks, what, row):
    """What must not be greater than what in a row of fps.csv or summary.csv."""
    if row["frames"] == "0":
        return
    columns = ["p50(ms)", "p90(ms)", "p95(ms)", "p99(ms)", "p99.9(ms)", "max time(ms)"]
    values = [float(row[column]) for column in columns if column in row]
    checks.equal(values, sorted(values), f"{what}: percentiles")
    count = {key: int(row[key]) for key in ("A", "B", "C", "frames", "jank", "big jank")}
    checks.that(count["A"] + count["B"] + count["C"] <= count["frames"], f"{what}: A, B, C: {row}")
    checks.that(count["big jank"] <= count["jank"] <= count["frames"], f"{what}: janks: {row}")


def rate_and_score(checks, what, row):
    """FPS = frames / Time, and the score for the target of 60 that this script asks for."""
    frames = int(row["frames"])
    if frames == 0:
        checks.equal((row["FPS"], row["score"]), ("", ""), f"{what}: rate and score of no frames")
        return
    fps = frames / float(row["Time(S)"])
    a, b, c = (1 - int(row[key]) / frames for key in "ABC")
    # Where vsyncs are known the kpi has the tolerance of all thresholds.
    worst = float(row["max time(ms)"])
    kpi = 100.5 if row["D"] != "" else 100
    score = (60 * min(1, fps / 60) + 20 * (1 if worst <= kpi else 100 / worst) + 10 * a + 7 * b
             + 3 * c)
    checks.that(abs(float(row["FPS"]) - fps) < 0.02, f"{what}: FPS {row['FPS']}, expected {fps}")
    checks.that(abs(float(row["score"]) - score) < 0.02,
                f"{what}: score {row['score']}, expected {score}")


def check(checks, name, out):
    layers = collections.defaultdict(set)
    frames = collections.Counter()
    for row in rows(out, "frames.csv"):
        layers[row["Surface"]].add(row["layer"])
        frames[row["Surface"]] += 1
    for file in ("fps.csv", "summary.csv"):
        sums = per_surface(rows(out, file))
        checks.that(sums.keys() <= frames.keys(), f"{name}: {file}: a Surface without frames")
        for surface, count in frames.items():
            checks.equal(sums[surface] + len(layers[surface]), count,
                         f"{name}: {file}: {surface}: frames + wait times + layers")
        for row in rows(out, file):
            in_order(checks, f"{name}: {file}: {row['Surface']}", row)
            rate_and_score(checks, f"{name}: {file}: {row['Surface']}", row)


checks = Checks()
for name in trace_names():
    with folder() as here:
        trace = unpack(name, here)
        for options in ((), ("-f", "1", "-d", "0.2"), ("-f", "1000")):
            out = here / "-".join(("out", *options))
            analyze(out, "--frames-log", "-t", "60", *options, trace)
            check(checks, f"{name} {' '.join(options)}".strip(), out)
checks.end()
