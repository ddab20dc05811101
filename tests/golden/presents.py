# SPDX-License-Identifier: Apache-2.0
"""frames.csv has every (present, layer) of the recorded traces, and no other, in the order of presents."""

import collections

from jankd import microseconds
from jankd import rows as rows_of


def judge(checks, trace):
    if not trace.text or not trace.has("frames.csv"):
        return
    got = [(microseconds(row["present(s)"]), row["layer"]) for row in trace.rows("frames.csv")]
    truth = [(int(row["present_us"]), row["layer"]) for row in rows_of(trace.source, "frames.csv")]
    missing, extra = collections.Counter(truth) - collections.Counter(got), collections.Counter(got) - collections.Counter(truth)
    checks.that(not missing, f"{trace.name}: {missing.total()} frames are missing: {list(missing)[:5]}")
    checks.that(not extra, f"{trace.name}: {extra.total()} frames are not real: {list(extra)[:5]}")
    presents = [present for present, _ in got]
    checks.equal(presents, sorted(presents), f"{trace.name}: presents in order")
    print(f"{trace.name}: {len(truth)} frames in truth, {len(got)} counted")
    if trace.has("frametimeline.csv"):
        vsync_ids(checks, trace)


def vsync_ids(checks, trace):
    """FrameTimeline names the composition that presented a buffer of a layer."""
    known = {(row["layer"].removeprefix("TX - "), row["display_token"]) for row in rows_of(trace.source, "frametimeline.csv")
             if row["kind"] == "surface" and row["is_buffer"] == "1"}
    last = max(int(token) for _, token in known)
    found = {(row["layer"], row["vsync id"]) for row in trace.rows("frames.csv") if int(row["vsync id"] or 0) <= last}
    checks.that(all(vsync_id for _, vsync_id in found), f"{trace.name}: a frame has no vsync id")
    joined = known & found
    checks.that(len(joined) * 10 >= len(found) * 9, f"{trace.name}: {len(joined)} of {len(found)} frames join FrameTimeline's")
