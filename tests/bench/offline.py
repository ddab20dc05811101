# SPDX-License-Identifier: Apache-2.0
"""Costs of analyze compared with wc, grep and awk, on 1 GB of recorded traces one after another. awk reads only a part;
the whole would take minutes."""

import re
import shutil
import subprocess
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from jankd import BUILD, JANKD, folder, trace_names, trace_text
from online import AWK_2019
from measure import interleaved, median, spread

MB = 1_000_000
SIZES = {"mixed": 1000 * MB, "part": 60 * MB}
QUICK_SIZES = {"mixed": 200 * MB, "part": 60 * MB}
STAMP = re.compile(rb"(?m)^(.{0,90}?\] (?:\S{4,5} )? *)(\d+)(\.\d{6}: )")


def later(text, begin):
    """(@text with its times moved by whole seconds to begin at @begin, the first second after it)."""
    first = int(STAMP.search(text).group(2))
    last = begin

    def move(found):
        nonlocal last
        now = max(begin, int(found.group(2)) - first + begin)
        last = max(last, now)
        return found.group(1) + b"%d" % now + found.group(3)

    return STAMP.sub(move, text), last + 1


def write_traces(path, texts, size):
    """Writes one trace after another, repeatedly, with times that only increase."""
    written, second = 0, 1000
    with open(path, "wb") as file:
        while written < size:
            for text in texts:
                moved, second = later(text, second)
                written += file.write(moved.rstrip() + b"\n")
                if written >= size:
                    break


def inputs(sizes):
    """The input files. They are made once for each build folder, and read here into the page cache."""
    paths = {what: BUILD / f"bench-{what}-{size // MB}.txt" for what, size in sizes.items()}
    missing = [what for what, path in paths.items() if not path.exists()]
    if missing:
        texts = [trace_text(name) for name in trace_names()]
        for what in missing:
            unfinished = paths[what].with_suffix(".new")
            write_traces(unfinished, texts, sizes[what])
            unfinished.rename(paths[what])
    for path in paths.values():
        subprocess.run(["wc", "-l", path], stdout=subprocess.DEVNULL, check=True)
    return paths


def commands(paths, out, notes):
    """name: (command with its file, file)."""
    analyze = [JANKD, "analyze", "-F", out]
    found = {
        "wc -l": (["wc", "-l"], "mixed"), "grep -c tracing_mark_write": (["grep", "-c", "tracing_mark_write"], "mixed"),
        "jankd analyze": (analyze, "mixed"), "jankd analyze, awk's part": (analyze, "part"),
        "busybox awk": (["busybox", "awk", "-f", AWK_2019], "part")}
    if not shutil.which("busybox"):
        notes.append("busybox awk: not measured, busybox is missing")
        del found["busybox awk"]
    return {name: ([*command, paths[what]], paths[what]) for name, (command, what) in found.items()}


def run(report, quick):
    paths = inputs(QUICK_SIZES if quick else SIZES)
    with folder() as out:
        planned = commands(paths, out, report.notes)
        results = interleaved({name: command for name, (command, _) in planned.items()}, 5 if quick else 7)
    print(f"\n{'offline':34}{'MB':>6}{'wall s':>9}{'(min–max)':>15}{'CPU s':>8}{'MB/s':>8}")
    for name, result in results.items():
        wall, size = median(result), planned[name][1].stat().st_size / MB
        print(f"{name:34}{size:6.0f}{wall:9.3f}{spread(result):>15}{median(result, 1):8.3f}{size / wall:8.0f}")
    for ours, theirs in (("jankd analyze", "wc -l"), ("jankd analyze", "grep -c tracing_mark_write"), ("jankd analyze, awk's part", "busybox awk")):
        report.ratios[f"offline: {ours} / {theirs}"] = [a[1] / b[1] for a, b in zip(results.get(ours, ()), results.get(theirs, ())) if b[1]]
