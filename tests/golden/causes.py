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


TABLE, FIRST = collections.Counter(), collections.Counter()


def judge(_, trace):
    if not trace.text or not trace.has("frametimeline.csv"):
        return
    truth, seen = janks(trace.source / "frametimeline.csv"), set()
    for row in trace.rows("frames.csv"):
        jank = truth.get((row["layer"], row["vsync id"]), 0)
        if jank & ~NONE:
            # The first frame of a layer has no interval.
            (TABLE if row["layer"] in seen else FIRST)[name_of(jank), row["cause"] or "none", bool(AGREES[row["cause"]] & jank)] += 1
        seen.add(row["layer"])


def end(checks):
    agree = sum(n for (_, _, agrees), n in TABLE.items() if agrees)
    checks.that(agree >= SHARE * TABLE.total() > 0, f"{agree} of {TABLE.total()} causes agree: {TABLE}")
    print(f"{agree} of {TABLE.total()} causes of recorded frames with a jank agree with FrameTimeline, and "
          f"{sum(n for (_, _, agrees), n in FIRST.items() if agrees)} of {FIRST.total()} of first frames")
