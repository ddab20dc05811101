# SPDX-License-Identifier: Apache-2.0
"""Over a session, for each layer: frames + wait times + 1 = its rows in frames.csv.

fps.csv has Surfaces, so layers of the same Surface are compared by their sum. summary.csv has the
same sums. In each row rate and score follow from the other columns.
"""

import collections

from jankd import rows


def per_surface(table):
    sums = collections.Counter()
    for row in table:
        sums[row["Surface"]] += int(row["frames"]) + int(row["wait times"])
    return sums


def rate_and_score(checks, what, row, target):
    """FPS = frames / Time, and the score for @target. None: for the display's rate, which is known if all
    vsyncs are known."""
    frames = int(row["frames"])
    if frames == 0:
        checks.equal((row["FPS"], row["score"]), ("", ""), f"{what}: rate and score of no frames")
        return
    fps = frames / float(row["Time(S)"])
    a, b, c = (1 - int(row[key]) / frames for key in "ABC")
    # If vsyncs are known the kpi has the tolerance of all thresholds.
    worst = float(row["max time(ms)"])
    # A row with unknown vsyncs does not say whether those of the longest interval are known.
    kpis = (100.5,) if row["D"] != "" else (100, 100.5)
    if target is None and row["D"] == "":
        return
    rate = fps / target if target else frames / (frames + int(row["missed vsyncs"]))
    scores = [60 * min(1, rate) + 20 * (1 if worst <= kpi else 100 / worst) + 10 * a + 7 * b
              + 3 * c for kpi in kpis]
    checks.that(abs(float(row["FPS"]) - fps) < 0.02, f"{what}: FPS {row['FPS']}, expected {fps}")
    checks.that(any(abs(float(row["score"]) - score) < 0.02 for score in scores),
                f"{what}: score {row['score']}, expected {scores}")


def check(checks, name, out, target):
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
            rate_and_score(checks, f"{name}: {file}: {row['Surface']}", row, target)


def judge(checks, trace):
    if not trace.text:
        return
    check(checks, trace.name, trace.out, None)
    for options in (("-f", "1", "-d", "0.2"), ("-f", "1000")):
        out, _ = trace.again(f"sums {len(options)}", "--frames-log", "-t", "60", *options, trace.text)
        check(checks, f"{trace.name} {' '.join(options)}", out, 60)
