# SPDX-License-Identifier: Apache-2.0
"""Causes of frames, computed from marks alone, against the jank types of FrameTimeline in the same trace: the class of
the cause is one of the bits of the jank type for at least 90 % of the buffer frames with a jank."""

import collections

from jankd import rows
from timeline import AGREES, NONE, name_of

SHARE = 0.90


def janks(path):
    """(layer, token of the display frame): jank type, of the buffer frames that were presented once."""
    found = collections.defaultdict(list)
    for row in rows(path):
        if row["kind"] == "surface" and row["is_buffer"] == "1" and row["display_token"]:
            found[row["layer"].removeprefix("TX - "), row["display_token"]].append(int(row["jank_type"]))
    return {key: types[0] for key, types in found.items() if len(types) == 1}


TABLES = {"frames with a jank": collections.Counter(), "first frames of a layer": collections.Counter()}


def judge(_, trace):
    if not trace.text or not trace.has("frametimeline.csv"):
        return
    truth, seen = janks(trace.source / "frametimeline.csv"), set()
    for row in trace.rows("frames.csv"):
        jank = truth.get((row["layer"], row["vsync id"]), 0)
        if jank & ~NONE:
            table = TABLES["frames with a jank" if row["layer"] in seen else "first frames of a layer"]
            table[name_of(jank), row["cause"] or "none", bool(AGREES[row["cause"]] & jank)] += 1
        seen.add(row["layer"])


def end(checks):
    for title, counts in TABLES.items():
        print(f"{title}: {counts.total()}")
        for (jank, cause, agrees), n in sorted(counts.items()):
            print(f"  {n:4} {jank:32} {cause:20} {'' if agrees else '<- differs'}")
    table = TABLES["frames with a jank"]
    agree = sum(n for (_, _, agrees), n in table.items() if agrees)
    checks.that(agree >= SHARE * table.total() > 0, f"{agree} of {table.total()} causes agree")
