# SPDX-License-Identifier: Apache-2.0
"""Rule set gfx2019 gives the rows of the 2019 program, with and without the tgid column.

Rows of one flush have no defined order, so the files are compared as sorted rows: names and times must be equal, other numbers within 1e-5 of each
other (the golden ones have 6 digits)."""

import csv
import re

TOLERANCE = 1e-5
FOCUS = "launcher/launcher.Activity"
PERIOD_MS = {"android-11-launcher": "11.1284"}

# Columns with text or times, which must be equal; all others are numbers.
EXACT = {"fps.csv": (0, 1, 13, 14, 15), "dropFrames.csv": (0, 1, 3, 4, 5, 6, 7)}
COLUMNS = {"fps.csv": 16, "dropFrames.csv": 8}


def table(path):
    if not path.exists():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        found = list(csv.reader(file, strict=True))
    return found[1:] if found and found[0][0].startswith("start ") else found


def close(a, b):
    if a == "" or b == "":
        return a == b
    return abs(float(a) - float(b)) <= TOLERANCE * max(abs(float(a)), abs(float(b)))


def same(file, ours, golden):
    return all(a == b if place in EXACT[file] else close(a, b) for place, (a, b) in enumerate(zip(ours, golden)))


def compare(checks, what, file, ours, golden):
    def key(row):
        return [row[place] for place in EXACT[file]] + [row[2]]

    width = COLUMNS[file]
    checks.that(not any(any(row[width:]) for row in ours), f"{what}: {file}: values after column {width}")
    ours = sorted((row[:width] for row in ours), key=key)
    golden = sorted(golden, key=key)
    if not checks.equal(len(ours), len(golden), f"{what}: {file}: rows"):
        extra = [r for r in ours if not any(same(file, r, g) for g in golden)]
        missing = [g for g in golden if not any(same(file, r, g) for r in ours)]
        print(f"  not golden: {extra[:3]}\n  missing: {missing[:3]}")
        return
    for row, expected in zip(ours, golden):
        checks.that(same(file, row, expected), f"{what}: {file}: got {row}, expected {expected}")


# "comm-tid (tgid) [cpu]" and the same without the bracketed process.
TGID = re.compile(rb"(?m)^(.{16,}?-\d+ +)\([- 0-9]+\) (?=\[\d+\])")
NO_TGID = re.compile(rb"(?m)^(.{16,}?-\d+ +)(?=\[\d+\])")


def judge(checks, trace):
    if not trace.has("gfx2019"):
        return
    text = trace.text.read_bytes()
    variants = {"as recorded": text, "with tgid": text if TGID.search(text) else NO_TGID.sub(rb"\1(-----) ", text), "without tgid": TGID.sub(rb"\1", text)}
    for variant, data in variants.items():
        if variant != "as recorded" and data == text:
            continue
        for drops in ("0", "1", "2") if variant == "as recorded" else ("2",):
            out = trace.again(f"{variant} {drops}", "--rules", "gfx2019", "--focus", FOCUS, "--vsync-ms",
                                 PERIOD_MS.get(trace.name, "16.666667"), "-t", "60", "-k", "100", "-d", "1", "-f", "20", "-T", drops, "-",
                                 input=data)
            for file in EXACT:
                compare(checks, f"{trace.name} ({variant}) -T {drops}", file, table(out / file), table(trace.source / "gfx2019" / f"type{drops}" / file))
