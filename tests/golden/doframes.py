# SPDX-License-Identifier: Apache-2.0
"""doframe.csv has every callback of the Choreographers in the recorded traces, thread by thread."""

import collections

# Counted with grep: slices Choreographer#doFrame, without their parts '- resynced to'.
CALLBACKS = {"android-9-flutter": [248, 3], "android-9-launcher-scroll": [36], "android-9-list-jank": [247],
    "android-7-launcher": [76, 10, 4, 3], "android-11-launcher": [328, 328, 179, 53, 2]}

# The kernel keeps the last 15 bytes of their names; a layer has the whole name.
APPS = {"android-9-flutter": "com.thl.fluwanandroid", "android-9-list-jank": "sample.tencent.matrix",
    "android-7-launcher": "com.google.android.googlequicksearchbox"}


def judge(checks, trace):
    if trace.name in CALLBACKS:
        expected, table = CALLBACKS[trace.name], trace.rows("doframe.csv")
        threads = collections.Counter()
        for row in table:
            threads[row["process"], row["thread"]] += int(row["frames"])
        checks.equal(sorted(threads.values(), reverse=True), expected, f"{trace.name}: callbacks of each thread")
        if trace.name in APPS:
            checks.that(APPS[trace.name] in {row["app"] for row in table}, f"{trace.name}: name of the app")
