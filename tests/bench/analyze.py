#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What analyze costs, beside wc, grep and awk, on a file of 500 MB made from recorded traces.

All run in turn, several times over, in one go: compare the ratios, not the seconds. awk reads a
part of the file only, it would take minutes.
"""

import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from jankd import BUILD, JANKD, folder, trace_names, trace_text
from measure import interleaved, machine, median, peak_kb, spread

SIZE = 500_000_000
AWK_SIZE = 60_000_000
ROUNDS = 7
STAMP = re.compile(rb"(?m)^(.{0,90}?\] (?:\S{4,5} )? *)(\d+)(\.\d{6}: )")


def later(text, begin):
    """@text with its whole seconds moved so that it begins at @begin, and the second after it."""
    first = int(STAMP.search(text).group(2))
    last = begin

    def move(found):
        nonlocal last
        now = max(begin, int(found.group(2)) - first + begin)
        last = max(last, now)
        return found.group(1) + b"%d" % now + found.group(3)

    return STAMP.sub(move, text), last + 1


def write_traces(path, texts, size):
    """One trace after another, over and over, with time that only goes forward."""
    written, second = 0, 1000
    with open(path, "wb") as file:
        while written < size:
            for text in texts:
                moved, second = later(text, second)
                written += file.write(moved.rstrip() + b"\n")
                if written >= size:
                    break


def inputs():
    """The big file and the part for awk, made once for each build folder."""
    big, part = BUILD / "bench-traces.txt", BUILD / "bench-part.txt"
    if not big.exists() or not part.exists():
        texts = [trace_text(name) for name in trace_names()]
        write_traces(big.with_suffix(".new"), texts, SIZE)
        write_traces(part, texts, AWK_SIZE)
        big.with_suffix(".new").rename(big)
    for path in (big, part):
        subprocess.run(["wc", "-l", path], stdout=subprocess.DEVNULL)  # into the page cache
    return big, part


def table(results, sizes):
    print(f"{'':34}{'MB':>6}{'wall s':>9}{'(min–max)':>15}{'CPU s':>8}{'MB/s':>8}")
    for name, result in results.items():
        wall = median(result)
        print(f"{name:34}{sizes[name] / 1e6:6.0f}{wall:9.3f}{spread(result):>15}"
              f"{median(result, 1):8.3f}{sizes[name] / 1e6 / wall:8.0f}")


def main():
    big, part = inputs()
    here = pathlib.Path(__file__).parent
    awks = {"busybox awk, presents by regex": here / "presents.awk",
            "busybox awk, presents by field": here / "presents_fields.awk"}
    with folder() as out:
        analyze = [JANKD, "analyze", "-F", out]
        commands = {
            "wc -l": ["wc", "-l", big],
            "grep -c tracing_mark_write": ["grep", "-c", "tracing_mark_write", big],
            "jankd analyze": [*analyze, big],
            "jankd analyze, awk's part": [*analyze, part],
        }
        if shutil.which("busybox"):
            commands.update({name: ["busybox", "awk", "-f", awk, part] for name, awk in awks.items()})
        else:
            print("not measured: busybox is missing")
        sizes = {name: (part if part in command else big).stat().st_size
                 for name, command in commands.items()}
        results = interleaved(commands, ROUNDS)
        peak = peak_kb(commands["jankd analyze"])
    print(f"{machine()}; medians of {ROUNDS}")
    table(results, sizes)
    ours = median(results["jankd analyze"]) / sizes["jankd analyze"]
    print(f"analyze / wc -l: {median(results['jankd analyze']) / median(results['wc -l']):.2f} times the time")
    print(f"analyze / grep -c: "
          f"{median(results['jankd analyze']) / median(results['grep -c tracing_mark_write']):.2f} times the time")
    for name, result in results.items():
        if name.startswith("busybox"):
            print(f"{name} / analyze, for each byte: {median(result) / sizes[name] / ours:.1f} times the time")
    print(f"peak memory of analyze: {peak} KB")


main()
