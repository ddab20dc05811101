#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The scripts that count test results and compare frames, and how a test ends that fails, is skipped or cannot be judged."""

import contextlib
import io
import json
import subprocess
import unittest.mock
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from jankd import BUILD, SOURCE, Checks, checks, folder, skip


def run(script, *arguments):
    done = subprocess.run([sys.executable, SOURCE / "tools" / script, *arguments], capture_output=True, text=True)
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
         "1 passed, 3 failed, 0 skipped"), ([result("SKIP", "no root")], 1, "0 passed, 0 failed, 1 skipped"),
        ([], 1, "0 passed, 0 failed, 0 skipped"))
    for results, code, line in cases:
        log.write_text("".join(results))
        got, said = run("count_tests.py", log)
        checks.equal((got, said[-1]), (code, line), f"results {results}")
    log.write_text(result("OK") + result("SKIP", "no tracefs"))
    other, expected = here / "other.json", here / "expected"
    other.write_text(result("FAIL"))
    checks.equal(run("count_tests.py", log, other)[1][-1], "1 passed, 1 failed, 1 skipped", "two logs")
    for name, line in (("skip", "1 passed, 0 failed, 1 skipped"), ("other", "1 passed, 1 failed, 0 skipped")):
        expected.write_text(f"# a comment\n{name}: no tracefs\n")
        checks.equal(run("count_tests.py", "--expected", expected, log)[1][-1], line, f"{name} may be skipped")
    checks.equal(run("count_tests.py", here / "none"), (1, ["0 passed, 1 failed, 0 skipped"]), "no log")


def frames(checks, here):
    (here / "truth.csv").write_text("present(s),layer\n1.0,a\n2.0,a\n2.0,\"b,c\"\n")
    (here / "less.csv").write_text("present(s),layer\n1.0,a\n2.0,\"b,c\"\n")
    code, said = run("compare_frames.py", here / "truth.csv", here / "truth.csv")
    checks.equal((code, len(said)), (0, 1), "the same frames")
    checks.that(said[0].startswith("expected 3 frames, counted 3"), f"the same frames: {said}")
    code, said = run("compare_frames.py", here / "truth.csv", here / "less.csv")
    checks.equal((code, said[0]), (1, "a: expected 2 frames, counted 1"), "a frame is missing")


def ended(checks, what, do, code, last):
    """A test that calls do(its checks) ends with @code and @last as its last line."""
    said, got = io.StringIO(), None
    with contextlib.redirect_stdout(said), unittest.mock.patch("jankd.checks", Checks()) as theirs:
        try:
            with theirs:
                do(theirs)
        except SystemExit as end:
            got = end.code
    checks.equal((got, said.getvalue().splitlines()[-1]), (code, last), what)


def not_judged(checks):
    """A test that cannot judge all counts as skipped, with the reason, unless a check failed."""
    ended(checks, "all holds", lambda c: c.that(True, "a"), 0, "1 checks held, 0 did not")
    ended(checks, "one does not", lambda c: c.that(False, "a"), 1, "0 checks held, 1 did not")
    ended(checks, "nothing is checked", lambda c: None, 1, "FAILED: nothing was checked")
    ended(checks, "one cannot be judged", lambda c: (c.that(True, "a"), c.cannot_judge("b", "too busy")), 77, "skipped: b: too busy")
    ended(checks, "nothing can be judged", lambda c: c.cannot_judge("b", "too busy"), 77, "skipped: b: too busy")
    ended(checks, "another one fails", lambda c: (c.cannot_judge("b", "too busy"), c.that(False, "a")), 1, "0 checks held, 1 did not")
    ended(checks, "all is skipped", lambda c: skip("no root"), 77, "skipped: no root")
    ended(checks, "the rest is skipped", lambda c: (c.that(True, "a"), skip("no root")), 77, "skipped: no root")
    ended(checks, "the rest is skipped after a failure", lambda c: (c.that(False, "a"), skip("no root")), 1, "FAILED, and the rest was not run: no root")


def due_tests(checks):
    """tests/due.py has each test of suite 'all' that .ci/run may execute, and files that exist."""
    sys.path.insert(0, str(SOURCE / "tests"))
    import due
    tests = json.loads(subprocess.run(["meson", "introspect", "--tests", BUILD], capture_output=True, text=True, check=True).stdout)
    names = {test["name"] for test in tests if any(suite.endswith(":all") for suite in test["suite"])}
    checks.equal(sorted(due.TESTS), sorted(names - {"live faults --all"}), "tests that are due if a file has changed")
    checks.equal([path for paths in due.TESTS.values() for path in paths if not (SOURCE / path).exists()], [], "files that do not exist")
    checks.equal((due.due(["tests/soak/flat.py"]), due.due(None)), (["soak"], list(due.TESTS)), "due after a change; due without a history")


not_judged(checks)
due_tests(checks)
with checks, folder() as here:
    test_results(checks, here)
    frames(checks, here)
