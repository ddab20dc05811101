# SPDX-License-Identifier: Apache-2.0
"""What a row of each file costs: the CPU time of analyze with the row and without, on a generated trace. It
includes the work for the row in rules/ and the write to the file. In a live capture a thread writes the file,
and each row is also copied to it."""

import subprocess

import measure
from jankd import BUILD, JANKD, PHONE, folder, rows

# file: (options, scenario, seconds). Rows of fps.csv are few without these options.
ADDED = {
    "frames.csv": (["--frames-log"], "surfaces-200", 40),
    "dropFrames.csv": (["-T", "2"], "demo", 60),
    "fps.csv": (["-d", "0", "-f", "0"], "surfaces-200", 40),
}


def trace_of(scenario, seconds):
    """A generated trace, made once for each build folder, and read here into the page cache."""
    path = BUILD / f"bench-{scenario}-{seconds}.txt"
    if not path.exists():
        unfinished = path.with_suffix(".new")
        subprocess.run([PHONE, "--scenario", scenario, "--seconds", str(seconds), "--speed", "0", "--output",
                        unfinished, "--truth", "/dev/null"], check=True, stderr=subprocess.DEVNULL)
        unfinished.rename(path)
    subprocess.run(["wc", "-l", path], stdout=subprocess.DEVNULL, check=True)
    return path


def analyze(name, options, trace):
    """(CPU seconds, rows of the file @name), in a new folder: files that are there cost time."""
    with folder() as out:
        _, cpu = measure.run([JANKD, "analyze", "-F", out, *options, trace])
        return cpu, len(rows(out, name))


def cost(name, options, trace, rounds):
    """(ns for each row more, number of these rows)."""
    analyze(name, options, trace)
    seen = [(analyze(name, options, trace), analyze(name, [], trace)) for _ in range(rounds)]
    (_, many), (_, few) = seen[0]
    # Not medians: the difference is small, and other programs only add to either.
    with_rows, without = (min(pair[i][0] for pair in seen) for i in range(2))
    return (with_rows - without) / (many - few) * 1e9, many - few


def run(report, quick):
    print(f"\n{'a row of':34}{'rows':>10}{'CPU µs':>9}")
    for name, (options, scenario, seconds) in ADDED.items():
        ns_row, n = cost(name, options, trace_of(scenario, seconds), 7 if quick else 25)
        print(f"{name:34}{n:>10,}{ns_row / 1000:>9.2f}")
