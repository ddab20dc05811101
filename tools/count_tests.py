#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""count_tests.py LOG: counts the results in meson's testlog.json.

Prints why tests were skipped, and at the end 'N passed, N failed, N skipped'. A test that is skipped
without a reason counts as failed, because it might be overlooked otherwise.
"""

import json
import sys

PASSED = ("OK", "EXPECTEDFAIL")


def reason(result):
    """The last line that a skipped test printed, or an empty text."""
    lines = [line for stream in ("stdout", "stderr") for line in result.get(stream, "").splitlines()]
    lines = [line.strip() for line in lines if line.strip()]
    return lines[-1] if lines else ""


def main(path):
    passed = failed = skipped = 0
    with open(path, encoding="utf-8") as log:
        for result in map(json.loads, log):
            if result["result"] in PASSED:
                passed += 1
            elif result["result"] == "SKIP" and reason(result):
                skipped += 1
                print(f"skipped {result['name']}: {reason(result)}")
            else:
                failed += 1
                print(f"failed {result['name']}: {result['result']}")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1]))
    except OSError as error:
        print(f"check: {error.filename}: {error.strerror}; no test was run", file=sys.stderr)
        print("0 passed, 1 failed, 0 skipped")
        sys.exit(1)
