#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The scripts that count: test results into one line, frames played against frames counted."""

import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from jankd import SOURCE, Checks, folder


def run(script, *arguments):
    done = subprocess.run([sys.executable, SOURCE / "tools" / script, *arguments],
                          capture_output=True, text=True)
    return done.returncode, done.stdout.splitlines()


def result(kind, stdout=""):
    return json.dumps({"name": kind.lower(), "result": kind, "stdout": stdout}) + "\n"


def test_results(checks, here):
    log = here / "testlog.json"
    cases = (
        ([result("OK"), result("OK")], 0, "2 passed, 0 failed, 0 skipped"),
        ([result("OK"), result("SKIP", "no tracefs\n")], 0, "1 passed, 0 failed, 1 skipped"),
        ([result("OK"), result("SKIP")], 1, "1 passed, 1 failed, 0 skipped"),
        ([result("OK"), result("FAIL"), result("TIMEOUT"), result("ERROR")], 1,
         "1 passed, 3 failed, 0 skipped"),
        ([result("SKIP", "no root")], 1, "0 passed, 0 failed, 1 skipped"),
        ([], 1, "0 passed, 0 failed, 0 skipped"),
    )
    for results, code, line in cases:
        log.write_text("".join(results))
        got, said = run("count_tests.py", log)
        checks.equal((got, said[-1]), (code, line), f"results {results}")
    checks.equal(run("count_tests.py", here / "none"), (1, ["0 passed, 1 failed, 0 skipped"]), "no log")


def frames(checks, here):
    (here / "truth.csv").write_text("present(s),layer\n1.0,a\n2.0,a\n2.0,\"b,c\"\n")
    (here / "less.csv").write_text("present(s),layer\n1.0,a\n2.0,\"b,c\"\n")
    code, said = run("compare_frames.py", here / "truth.csv", here / "truth.csv")
    checks.equal((code, len(said)), (0, 1), "the same frames")
    checks.that(said[0].startswith("truth 3 frames, counted 3"), f"the same frames: {said}")
    code, said = run("compare_frames.py", here / "truth.csv", here / "less.csv")
    checks.equal((code, said[0]), (1, "a: truth 2 frames, counted 1"), "a frame is missing")


checks = Checks()
with folder() as here:
    test_results(checks, here)
    frames(checks, here)
checks.end()
