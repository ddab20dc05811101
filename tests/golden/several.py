# SPDX-License-Identifier: Apache-2.0
"""Several files are several sessions, each in a folder named after the file, with the same rows as alone."""

import gzip
import json
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
import synthetic
from jankd import analyze, checks, differences, folder, jankd, outputs

OPTIONS = ("--frames-log", "-T", "2")
EARLY = synthetic.trace(90, begin_us=5_000_000)
LATE = synthetic.trace(150, begin_us=900_000_000)


def alone(here, data):
    analyze(here, *OPTIONS, "-", input=data)
    return outputs(here)


def sessions(checks, here):
    """Files with an earlier clock than the previous one, files of the same name, and a name that could lead out of the folder."""
    (here / "b").mkdir()
    (here / "a.txt").write_bytes(LATE)
    (here / "b" / "a.html").write_bytes(EARLY)
    (here / "b" / "a.txt.gz").write_bytes(gzip.compress(EARLY))
    (here / "a-2.TRACE.BZ2").write_bytes(LATE)
    (here / "...txt").write_bytes(LATE)
    (here / "c\x1b[2J").write_bytes(EARLY)
    late, early = alone(here / "late", LATE), alone(here / "early", EARLY)
    out, paths = here / "out", [here / "a.txt", here / "b" / "a.html", here / "b" / "a.txt.gz", here / "a-2.TRACE.BZ2", here / "...txt", here / "c\x1b[2J", "-"]
    done = analyze(out, *OPTIONS, *paths, input=EARLY)
    names = {"a": late, "a-2": early, "a-3": early, "a-2-2": late, "_.": late, "c_[2J": early, "stdin": early}
    checks.equal(sorted(path.name for path in out.iterdir()), sorted(names), "folders")
    checks.that(b"\x1b" not in done.stdout + done.stderr, "a control character of a name is printed")
    for (name, expected), path in zip(names.items(), paths):
        checks.equal(differences(outputs(out / name), expected), [], f"{name}: files that differ from those of it alone")
        checks.that(f"CSV files in {out / name}\n" in done.stdout.decode(), f"{name}: no table")
        source = json.loads((out / name / "session.json").read_text())["source"]
        checks.that(name == "stdin" or source["files"] == [str(path).replace("\x1b", "\\x1B")], f"{name}: session.json: {source}")
    analyze(out, *OPTIONS, *paths[:2])
    checks.that((out / "a" / "fps-000001.csv").exists(), "files that were there are kept")
    checks.that(not (out / "stdin" / "fps-000001.csv").exists(), "the folder of another file is not changed")


def standard_output(checks, here):
    """--stdout: the rows of all files below one header."""
    (here / "a").write_bytes(LATE)
    (here / "b").write_bytes(EARLY)
    done = jankd("analyze", "--stdout", "-F", here / "out", here / "none", here / "a", here / "b")
    checks.equal((done.returncode, b"none" in done.stderr, b"/a" in done.stderr), (1, True, False), f"--stdout with a file that is missing: {done.stderr}")
    first, second = ((here / "out" / name / "fps.csv").read_bytes() for name in "ab")
    checks.equal(done.stdout, first + second.split(b"\n", 1)[1], "--stdout")


for case in (sessions, standard_output):
    with folder() as place:
        case(checks, place)
checks.end()
