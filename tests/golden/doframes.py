#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""doframe.csv has every callback of the Choreographers in the recorded traces, thread by thread."""

import collections
import sys

sys.path.insert(0, str(__import__("pathlib").Path(__file__).resolve().parents[1] / "lib"))
from jankd import Checks, analyze, folder, rows, trace_names, unpack

# Counted with grep: slices Choreographer#doFrame, without their parts '- resynced to'.
CALLBACKS = {
    "android-9-flutter": [248, 3],
    "android-9-launcher-scroll": [36],
    "android-9-list-jank": [247],
    "android-7-launcher": [76, 10, 4, 3],
    "android-11-launcher": [328, 328, 179, 53, 2],
}

checks = Checks()
names = set(trace_names())
for name, expected in CALLBACKS.items():
    if name not in names:
        continue
    with folder() as here:
        analyze(here / "out", unpack(name, here))
        threads = collections.Counter()
        for row in rows(here / "out", "doframe.csv"):
            threads[row["process"], row["thread"]] += int(row["frames"])
            levels = [row[f"matrix {level}"] for level in ("best", "normal", "middle", "high", "frozen")]
            checks.that(sum(map(int, filter(None, levels))) <= int(row["frames"]), f"{name}: levels of {row}")
        checks.equal(sorted(threads.values(), reverse=True), expected, f"{name}: callbacks of each thread")
        text = (here / "out" / "session.json").read_text(encoding="utf-8")
        checks.that(f'"doframes":{sum(expected)}' in text.replace('"doframes": ', '"doframes":'), f"{name}: session.json")
checks.end()
