#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""count_tests.py [--expected FILE] LOG...: counts the results in meson's testlog.json files.

Prints why tests were skipped, and at the end 'N passed, N failed, N skipped'. A test that is skipped
without a reason counts as failed, because it might be overlooked otherwise. With --expected also one
that FILE does not name: its lines are 'NAME: when it is skipped'.
"""

import json
import pathlib
import sys

PASSED = ("OK", "EXPECTEDFAIL")


def reason(result):
    """The last line that a skipped test printed, or an empty text."""
    lines = [line for stream in ("stdout", "stderr") for line in result.get(stream, "").splitlines()]
    lines = [line.strip() for line in lines if line.strip()]
    return lines[-1] if lines else ""


def expected(path):
    """The names in the file of expected skips. '#' begins a comment."""
    return {line.partition(":")[0] for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines() if not line.startswith("#")}


def main(arguments):
    may_skip = None
    if arguments[0] == "--expected":
        may_skip, arguments = expected(arguments[1]), arguments[2:]
    passed = failed = skipped = 0
    for path in arguments:
        for result in map(json.loads, pathlib.Path(path).read_text(encoding="utf-8").splitlines()):
            name, why = result["name"].rpartition(" / ")[2], reason(result)
            if result["result"] in PASSED:
                passed += 1
            elif result["result"] == "SKIP" and why and (may_skip is None or name in may_skip):
                skipped += 1
                print(f"skipped {name}: {why}")
            else:
                failed += 1
                print(f"failed {name}: {result['result']}{why and result['result'] == 'SKIP' and f': {why}' or ''}")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except OSError as error:
        print(f"check: {error.filename}: {error.strerror}; no test was run", file=sys.stderr)
        print("0 passed, 1 failed, 0 skipped")
        sys.exit(1)
