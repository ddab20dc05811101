#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Several files are several sessions, each in a folder named after the file, with the same rows as alone."""

import bz2
import gzip
import json
import lzma
import subprocess
import sys

sys.path.insert(0, str(__import__("pathlib").Path(__file__).resolve().parents[1] / "lib"))
import synthetic
from jankd import JANKD, Checks, analyze, differences, folder, jankd, outputs, rows, unpacks
from lines import at_time, lines, text

OPTIONS = ("--frames-log", "-T", "2")
EARLY = synthetic.trace(90, begin_us=5_000_000)
LATE = synthetic.trace(150, begin_us=900_000_000)


def alone(here, data):
    analyze(here, *OPTIONS, "-", input=data)
    return outputs(here)


def sessions(checks, here):
    """Files with an earlier clock than the previous one, and files of the same name."""
    (here / "b").mkdir()
    (here / "a.txt").write_bytes(LATE)
    (here / "b" / "a.html").write_bytes(EARLY)
    (here / "b" / "a.txt.gz").write_bytes(gzip.compress(EARLY))
    (here / "a-2.log").write_bytes(LATE)
    late, early = alone(here / "late", LATE), alone(here / "early", EARLY)
    out = here / "out"
    done = analyze(out, *OPTIONS, here / "a.txt", here / "b" / "a.html", here / "b" / "a.txt.gz", here / "a-2.log", "-",
                   input=EARLY)
    names = {"a": late, "a-2": early, "a-3": early, "a-2-2": late, "stdin": early}
    checks.equal(sorted(path.name for path in out.iterdir()), sorted(names), "folders")
    for name, expected in names.items():
        checks.equal(differences(outputs(out / name), expected), [], f"{name}: files that differ from those of it alone")
        checks.that(f"CSV files in {out / name}\n" in done.stdout.decode(), f"{name}: no table")
    checks.that(f"{here / 'b' / 'a.html'}:\n" in done.stdout.decode(), "no name above a table")
    source = json.loads((out / "a-3" / "session.json").read_text())["source"]
    checks.equal(source["files"], [str(here / "b" / "a.txt.gz")], "session.json: files")
    analyze(out, *OPTIONS, here / "a.txt", here / "b" / "a.html")
    checks.that((out / "a" / "fps-000001.csv").exists(), "files that were there are kept")
    checks.that(not (out / "stdin" / "fps-000001.csv").exists(), "the folder of another file is not changed")


def suffixes(checks, here):
    """Suffixes of packed files are not part of the folder's name."""
    if not unpacks():
        checks.cannot_judge("suffixes", "this build has no libarchive")
        return
    (here / "a.txt.xz").write_bytes(lzma.compress(EARLY))
    (here / "b.trace.BZ2").write_bytes(bz2.compress(EARLY))
    for name in ("c.html.zst", "d.zip"):
        (here / name).write_bytes(EARLY)
    analyze(here / "out", *(here / name for name in ("a.txt.xz", "b.trace.BZ2", "c.html.zst", "d.zip")))
    checks.equal(sorted(path.name for path in (here / "out").iterdir()), ["a", "b", "c", "d"], "suffixes: folders")


def safe_names(checks, here):
    """No name of a file leads out of the folder, gives a hidden folder, or sends control bytes to a terminal."""
    names = {"...txt": "_.", ".gz": "_gz", ".x.txt": "_x", "\x1b[31m\n.html": "_[31m_", "a b.TXT": "a b",
             "caf\u00e9.trace": "caf\u00e9", "back\\slash": "back_slash", "n" * 250: "n" * 228}
    for name in names:
        (here / name).write_bytes(EARLY)
    (here / "x.txt").write_bytes(EARLY)
    raw = bytes(here) + b"/\xff.txt"
    with open(raw, "wb") as file:
        file.write(EARLY)
    out = here / "out"
    done = jankd("analyze", "-F", out, *(here / name for name in names), here / "x.txt")
    checks.equal((done.returncode, done.stderr), (0, b""), "odd names")
    checks.equal(sorted(path.name for path in out.iterdir()), sorted([*names.values(), "x"]), "odd names: folders")
    checks.that(b"\x1b" not in done.stdout, "odd names: control bytes on the terminal")
    done = subprocess.run([JANKD, "analyze", "-F", here / "other", raw, here / "x.txt"], capture_output=True)
    checks.equal(sorted(path.name for path in (here / "other").iterdir()), ["_", "x"], "a name that is no text")


def standard_output(checks, here):
    """--stdout: the rows of all files below one header."""
    (here / "a").write_bytes(LATE)
    (here / "b").write_bytes(EARLY)
    done = jankd("analyze", "--stdout", "-F", here / "out", here / "none", here / "a", here / "b")
    checks.equal(done.returncode, 1, "--stdout with a file that is missing: exit code")
    expected = (here / "out" / "a" / "fps.csv").read_bytes()
    expected += (here / "out" / "b" / "fps.csv").read_bytes().split(b"\n", 1)[1]
    checks.equal(done.stdout, expected, "--stdout")


def pieces(checks, here):
    """Pieces of one recording joined by cat give the rows of the whole, even if they overlap."""
    parts = lines(LATE)
    whole = alone(here / "whole", LATE)
    cut = at_time(parts, 901_000_000)
    joined = alone(here / "joined", text(parts[:cut]) + text(parts[cut:]))
    checks.equal(differences(whole, joined), [], "pieces that were joined")
    alone(here / "overlap", text(parts[:cut]) + text(parts[cut - 200:]))
    checks.equal(rows(here / "overlap", "frames.csv"), rows(here / "whole", "frames.csv"), "pieces that overlap")


checks = Checks()
for case in (sessions, suffixes, safe_names, standard_output, pieces):
    with folder() as place:
        case(checks, place)
checks.end()
