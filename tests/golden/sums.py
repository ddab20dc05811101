# SPDX-License-Identifier: Apache-2.0
"""Over a session, for each layer: frames + wait times + 1 = its rows in frames.csv.

fps.csv has Surfaces, so layers of the same Surface are compared by their sum. summary.csv has the
same sums. In each row the percentiles are in order, and rate and score follow from the other columns.
The frame times of a Surface in summary.csv follow from frames.csv.
"""

import collections

from jankd import rows


def per_surface(table):
    sums = collections.Counter()
    for row in table:
        sums[row["Surface"]] += int(row["frames"]) + int(row["wait times"])
    return sums


def in_order(checks, what, row):
    """The order of the numbers in a row of fps.csv or summary.csv."""
    if row["frames"] == "0":
        return
    columns = ["p50(ms)", "p90(ms)", "p95(ms)", "p99(ms)", "p99.9(ms)", "max time(ms)"]
    values = [float(row[column]) for column in columns if column in row]
    checks.equal(values, sorted(values), f"{what}: percentiles")
    count = {key: int(row[key]) for key in ("A", "B", "C", "frames", "jank", "big jank")}
    checks.that(count["A"] + count["B"] + count["C"] <= count["frames"], f"{what}: A, B, C: {row}")
    checks.that(count["big jank"] <= count["jank"] <= count["frames"], f"{what}: janks: {row}")


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


def cadence(times):
    """(The most frequent number of vsyncs, number of other intervals), as text; empty if one is unknown."""
    if not times or any(vsyncs == "" for _, vsyncs in times):
        return "", ""
    counts = collections.Counter(int(vsyncs) for _, vsyncs in times)
    most = min(counts, key=lambda number: (-counts[number], number))
    return str(most), str(len(times) - counts[most])


def slowest_time(times, share):
    """The slowest frames are added up until the sum reaches @share of all time. Returns the last one."""
    times = sorted((ms for ms, _ in times), reverse=True)
    wanted, added = share * sum(times), 0
    for ms in times:
        added += ms
        if added >= wanted:
            break
    return ms


def whole_session(checks, what, row, times):
    """@times: [(ms, vsyncs)] of the Surface's intervals that are no waits."""
    checks.equal((row["cadence(vsyncs)"], row["off cadence"]), cadence(times), f"{what}: cadence")
    if times:
        minutes = (sum(ms for ms, _ in times) / 1e3 + float(row["stall time(S)"] or 0)) / 600
        for column in ("jank", "big jank"):
            expected = int(row[column]) / minutes if minutes else 0
            checks.that(abs(float(row[f"{column}(/10min)"] or 0) - expected) <= 0.02 + expected / 1e4,
                        f"{what}: {row[column]} {column}: {row[f'{column}(/10min)']} in 10 minutes")
        for column, share in (("low 1% time(fps)", 0.01), ("low 0.1% time(fps)", 0.001)):
            ms = slowest_time(times, share)
            checks.that(abs(float(row[column]) - 1000 / ms) < 0.006 + 1000 / ms * 0.1 / ms,
                        f"{what}: {column}: {row[column]}, expected {1000 / ms}")
    if row["stalls"] == "0":
        checks.that(row["matrix frozen"] in ("0", "") and row["frozen"] == "0", f"{what}: frozen without a stall: {row}")
    checks.that(int(row["stalls"]) <= int(row["wait times"]), f"{what}: more stalls than waits")


def frame_times(out):
    """Surface: [(ms, vsyncs)] of intervals that are no waits; known vsyncs have a tolerance."""
    times = collections.defaultdict(list)
    for row in rows(out, "frames.csv"):
        ms = float(row["interval(ms)"] or 500)
        if ms < (500 if row["vsyncs"] == "" else 497.5):
            times[row["Surface"]].append((ms, row["vsyncs"]))
    return times


def check(checks, name, out, target):
    times = frame_times(out)
    for row in rows(out, "summary.csv"):
        whole_session(checks, f"{name}: {row['Surface']}", row, times[row["Surface"]])
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
            rate_and_score(checks, f"{name}: {file}: {row['Surface']}", row, target)


def judge(checks, trace):
    if not trace.text:
        return
    check(checks, trace.name, trace.out, None)
    for options in (("-f", "1", "-d", "0.2"), ("-f", "1000")):
        out, _ = trace.again(f"sums {len(options)}", "--frames-log", "-t", "60", *options, trace.text)
        check(checks, f"{trace.name} {' '.join(options)}", out, 60)
