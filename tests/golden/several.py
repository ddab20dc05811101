#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Several files are several sessions, each in a folder named after the file, with the same rows as alone."""

import gzip
import json
import subprocess
import sys

sys.path.insert(0, str(__import__("pathlib").Path(__file__).resolve().parents[1] / "lib"))
import synthetic
from jankd import JANKD, Checks, analyze, differences, folder, jankd, outputs

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
    out, paths = here / "out", [here / "a.txt", here / "b" / "a.html", here / "b" / "a.txt.gz", here / "a-2.log", "-"]
    done = analyze(out, *OPTIONS, *paths, input=EARLY)
    names = {"a": late, "a-2": early, "a-3": early, "a-2-2": late, "stdin": early}
    checks.equal(sorted(path.name for path in out.iterdir()), sorted(names), "folders")
    for (name, expected), path in zip(names.items(), paths):
        checks.equal(differences(outputs(out / name), expected), [], f"{name}: files that differ from those of it alone")
        checks.that(f"CSV files in {out / name}\n" in done.stdout.decode(), f"{name}: no table")
        source = json.loads((out / name / "session.json").read_text())["source"]
        checks.that(name == "stdin" or source["files"] == [str(path)], f"{name}: session.json: {source}")
    analyze(out, *OPTIONS, *paths[:2])
    checks.that((out / "a" / "fps-000001.csv").exists(), "files that were there are kept")
    checks.that(not (out / "stdin" / "fps-000001.csv").exists(), "the folder of another file is not changed")


def odd_names(checks, here):
    """No name of a file leads out of the folder; it may be no text."""
    raw = bytes(here) + b"/\xff.txt"
    for path in (here / "...txt", here / "x.txt", here / "y.TRACE.BZ2", here / "z.html.zst", raw):
        with open(path, "wb") as file:
            file.write(EARLY)
    done = subprocess.run([JANKD, "analyze", "-F", here / "out", here / "...txt", here / "x.txt", here / "y.TRACE.BZ2", here / "z.html.zst", raw],
                          capture_output=True)
    checks.equal((done.returncode, done.stderr), (0, b""), "odd names")
    checks.equal(sorted(path.name for path in (here / "out").iterdir()), ["_", "_.", "x", "y", "z"], "odd names: folders")


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
    """Pieces of one recording joined by cat give the rows of the whole. Those that overlap: clocks.py."""
    whole, half = alone(here / "whole", LATE), LATE.index(b"\n", len(LATE) // 2) + 1
    checks.equal(differences(whole, alone(here / "joined", b"# tracer: nop\n" + LATE[:half] + b"# tracer: nop\n" + LATE[half:])), [], "pieces")


checks = Checks()
for case in (sessions, odd_names, standard_output, pieces):
    with folder() as place:
        case(checks, place)
checks.end()
