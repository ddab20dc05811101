#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts meson's test results: prints why tests were skipped, and 'N passed, N failed, N skipped'.

A test that skips without a reason counts as failed: nobody would miss it.
"""

import json
import sys

PASSED = ("OK", "EXPECTEDFAIL")


def reason(result):
    """The last line that a skipped test wrote, or an empty text."""
    said = [line for stream in ("stdout", "stderr") for line in result.get(stream, "").splitlines()]
    said = [line.strip() for line in said if line.strip()]
    return said[-1] if said else ""


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
        print(f"check: {error.filename}: {error.strerror}; no test ran", file=sys.stderr)
        print("0 passed, 1 failed, 0 skipped")
        sys.exit(1)
