# SPDX-License-Identifier: Apache-2.0
"""Hostile traces: no crash, and well-formed files. Damaged ones: golden rows."""

import csv, io, re
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
import synthetic
from jankd import checks, folder, jankd, outputs

# Columns with names from the trace, and the first characters of a spreadsheet formula.
NAMES = ("app", "Surface", "layer", "info", "text", "VSYNC type")
FORMULA = tuple("=+-@\t")
CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f]")


def well_formed(checks, what, out):
    """Every file is CSV with a header and rows of the same width, without control bytes."""
    for name, data in outputs(out).items():
        text = data.decode("utf-8", errors="strict")
        table = list(csv.reader(io.StringIO(text, newline=""), strict=True))
        checks.that(table and text.endswith("\n"), f"{what}: {name}: cut off")
        checks.that(all(len(row) == len(table[0]) for row in table), f"{what}: {name}: row widths")
        checks.that(not CONTROL.search(text), f"{what}: {name}: control bytes")
        named = [place for place, column in enumerate(table[0]) if column in NAMES]
        risky = [row[place] for row in table[1:] for place in named if row[place][:1] in FORMULA]
        checks.that(not risky, f"{what}: {name}: a spreadsheet would run {risky[:1]}")


def survive(checks, what, data, codes=(0,)):
    """jankd reads @data and ends with one of @codes."""
    with folder() as out:
        done = jankd("analyze", "--frames-log", "-T", "2", "-f", "2", "--snapshot", "1", "-F", out, "-", input=data)
        said = done.stderr.decode(errors="replace")
        checks.that(done.returncode in codes, f"{what}: exit {done.returncode}, {said[-600:]!r}")
        checks.that(not CONTROL.search(done.stdout.decode(errors="replace")), f"{what}: control bytes on the terminal")
        if done.returncode == 0 or outputs(out):
            well_formed(checks, what, out)


HOSTILE_NAMES = ("=cmd()", "+1", "@x", "-2+3", "\ttab", 'a"b,c', "\x1b[2J\x1b]0;x\x07", "\x7f",
                 "é", "100%s%n", "a\\b", " ", "n" * 4000, "../../etc/passwd", "#0", "|||")


def names(checks):
    for name in HOSTILE_NAMES:
        survive(checks, f"a layer named {name[:20]!r}", synthetic.trace(60, layer=name))
    bad = synthetic.trace(60, layer="XYZ").replace(b"XYZ", b"\xff\xfe\xc3(")
    survive(checks, "a layer that is not UTF-8", bad)


def floods(checks):
    begin, end = synthetic.trace(60), synthetic.trace(60, begin_us=103_000_000)
    times = [(n, 102_000_000 + n) for n in range(20000)]
    for what, middle in (
            ("20000 open slices", "".join(synthetic.line(us, f"B|600|deep{n}") for n, us in times).encode()),
            ("20000 ends too many", "".join(synthetic.line(us, "E|600") for _, us in times).encode()),
            ("20000 threads", "".join(synthetic.line(us, "B|600|x", 10000 + n, f"t{n}") for n, us in times).encode()),
            ("a line of 5 MB", b"x" * 5_000_000 + b"\n"), ("5 MB of NUL", bytes(5_000_000))):
        survive(checks, what, begin + middle + end)
    many = "".join("".join(synthetic.lines(1, 100_000_000 + n * 16667, f"com.app{n}/.Main#{n}")) for n in range(3000))
    survive(checks, "3000 layers", many.encode())
    survive(checks, "values that no integer holds", begin.replace(b"|1\n", b"|99999999999999999999999999\n"), codes=(0, 1))


for case in (names, floods):
    case(checks)
checks.end()
