# SPDX-License-Identifier: Apache-2.0
"""Costs of analyze compared with wc, grep and awk, on 1 GB of recorded traces one after another (awk reads only a part, as the whole would take
minutes), and of lines that an app can forge by a line end in trace_marker, in instructions."""

import re
import shutil
import subprocess
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from jankd import BUILD, JANKD, folder, scenario, trace_names, trace_text
from online import AWK_2019
from measure import interleaved, median, spread

MB = 1_000_000
SIZES, QUICK_SIZES = ({"mixed": mixed * MB, "part": 60 * MB} for mixed in (1000, 200))
OF = "  forger-{0} ({0}) [00{{cpu}}] ....  {{t}}: tracing_mark_write: "  # of a thread, at the time of the line before
FORGED = {"": "", "loss": "CPU:{cpu} [LOST 12 EVENTS]", "loss of a still CPU": "CPU:40 [LOST 12 EVENTS]", "loss of CPU 99": "CPU:99 [LOST 12 EVENTS]",
          "doFrame": OF.format(9000) + "B|9000|Choreographer#doFrame {n}", "process": OF.format("1{n}") + "B|1{n}|Choreographer#doFrame {n}",
          "layer": OF.format(612) + "C|612|BufferTX - com.a{n}/com.a.M#{n}|1",
          "activity": OF.format(612) + "I|612|latchBuffer com.a{n}/com.a.M#{n} - 1", "name": OF.format(9000) + "C|9000|name{n}|{n}"}
CALLGRIND = "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"
STAMP = re.compile(rb"(?m)^(.{0,90}?\] (?:\S{4,5} )? *)(\d+)(\.\d{6}: )")


def forge(report, here):
    text, counts = scenario("demo", here / "demo").read_text(encoding="utf-8"), {}
    for name, line in FORGED.items():
        forged = (f"{one}\n{line.format(n=n, cpu=n % 8, t=one.split(': ')[0].split()[-1])}" for n, one in enumerate(text.splitlines()[:12000]))
        (here / "trace").write_text("\n".join(forged), encoding="utf-8")
        said = subprocess.check_output([*CALLGRIND, JANKD, "analyze", "trace"], cwd=here, stderr=subprocess.STDOUT)
        counts[name] = int(re.search(rb"Collected : (\d+)", said)[1])
    report.ratios |= {f"instructions: forged {name} / honest line": [count / counts[""] - 1] for name, count in counts.items() if name}


def later(text, begin):
    """(@text with its times moved by whole seconds to begin at @begin, the first second after it)."""
    first, last = int(STAMP.search(text).group(2)), begin

    def move(found):
        nonlocal last
        last = max(last, now := max(begin, int(found.group(2)) - first + begin))
        return found.group(1) + b"%d" % now + found.group(3)

    return STAMP.sub(move, text), last + 1


def write_traces(path, texts, size):
    """Writes one trace after another, repeatedly, with times that only increase."""
    second = 1000
    with open(path, "wb") as file:
        while file.tell() < size:
            moved, second = later(texts[0], second)
            file.write(moved.rstrip() + b"\n")
            texts = [*texts[1:], texts[0]]


def inputs(sizes):
    """The input files. They are made once for each build folder, and read here into the page cache."""
    paths = {what: BUILD / f"bench-{what}-{size // MB}.txt" for what, size in sizes.items()}
    missing = [what for what, path in paths.items() if not path.exists()]
    texts = [trace_text(name) for name in trace_names() if missing]
    for what in missing:
        unfinished = paths[what].with_suffix(".new")
        write_traces(unfinished, texts, sizes[what])
        unfinished.rename(paths[what])
    subprocess.run(["wc", "-l", *paths.values()], stdout=subprocess.DEVNULL, check=True)
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
    if quick or not shutil.which("valgrind"):
        report.notes.append("forged lines: not measured with --quick, or without valgrind")
    else:
        with folder() as here:
            forge(report, here)
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
