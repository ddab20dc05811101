# SPDX-License-Identifier: Apache-2.0
"""A trace of a virtual phone that was recorded on a slow machine, so that ticks are late: what it played is known."""

from jankd import rows


def judge(checks, trace):
    if not trace.has("truth.csv"):
        return
    rates = [row["text"].split()[0] for row in trace.rows("events.csv") if row["kind"] == "refresh"]
    checks.equal([float(rate) for rate in rates], [60.0], f"{trace.name}: rates")
    truth = rows(trace.source, "truth.csv")
    for layer in sorted({row["layer"] for row in truth}):
        played, found = ([row["vsyncs"] for row in table if row["layer"] == layer] for table in (truth, trace.rows("frames.csv")))
        known = [pair for pair in zip(played, found) if pair[0]]
        checks.that(known and all(a == b for a, b in known), f"{trace.name}: {layer}: (played, vsyncs) {known}")
