# SPDX-License-Identifier: Apache-2.0
"""A perfetto trace gives the rows of the text that was made from it. frametimeline.csv has every finished frame of the
recorded ones, once, with the values of the truth."""

import collections
import gzip
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
import frames
import packets
from jankd import jankd, rows, seconds, unpacks

PRESENT = ("UNSPECIFIED", "ON_TIME", "LATE", "EARLY", "DROPPED", "UNKNOWN")
JANK = ("NONE", "SF_SCHEDULING", "PREDICTION_ERROR", "DISPLAY_HAL", "SF_CPU_DEADLINE_MISSED", "SF_GPU_DEADLINE_MISSED",
        "APP_DEADLINE_MISSED", "BUFFER_STUFFING", "UNKNOWN", "SF_STUFFING", "DROPPED", "NON_ANIMATING",
        "APP_RESYNCED_JITTER", "DISPLAY_NOT_ON", "DISPLAY_MODE_CHANGE_IN_PROGRESS", "DISPLAY_POWER_MODE_CHANGE_IN_PROGRESS")


def converted(row):
    """A row of the truth with our columns."""
    return {"kind": row["kind"], "start(s)": seconds(row["start_ns"]), "end(s)": seconds(row["end_ns"]),
            "token": row["token"], "display token": row["display_token"], "pid": row["pid"], "layer": row["layer"],
            "present type": PRESENT[int(row["present_type"])], "on time finish": row["on_time_finish"],
            "gpu composition": row["gpu_composition"], "buffer": row["is_buffer"],
            "jank type": "+".join(name for bit, name in enumerate(JANK) if int(row["jank_type"]) >> bit & 1) or "UNSPECIFIED"}


def packed(checks, trace):
    """As a file, compressed, through a pipe, and without its FrameTimeline, on which no other row depends."""
    data = trace.perfetto.read_bytes()
    (trace.here / "no-timeline").write_bytes(packets.without(data, 76))
    (trace.here / "gz").write_bytes(gzip.compress(data, 1))
    inputs = {"perfetto": trace.perfetto, "no FrameTimeline": trace.here / "no-timeline", "gzip": trace.here / "gz", "pipe": "-"}
    if unpacks():
        inputs["xz"] = trace.source / "trace.perfetto-trace.xz"
    for what, source in inputs.items():
        out = trace.again(f"from {what}", "--frames-log", "-T", "2", source, input=data)
        for file in ("frames.csv", "fps.csv", "dropFrames.csv"):
            checks.that((out / file).read_bytes() == (trace.out / file).read_bytes(), f"{trace.name}, {what}: {file} is not that of the text")


def renamed(checks, trace, source):
    """A rule gives the frames of FrameTimeline the name of the layer's other rows."""
    path = trace.here / "renamed.rules"
    path.write_bytes(jankd("rules", "show", "default").stdout + b"rename layer NavigationBar* NAV\n")
    out = trace.again("renamed", "--rules", path, source)
    for file in ("frametimeline.csv", "summary.csv"):
        expected = (trace.here / "from perfetto" / file).read_text().replace(",NavigationBar0,", ",NAV,")
        checks.equal((out / file).read_text(), expected, f"{trace.name}: {file} with a renamed layer")


def judge(checks, trace):
    if trace.text and trace.perfetto:
        packed(checks, trace)
    if not trace.has("frametimeline.csv"):
        return
    out = trace.here / "from perfetto" if trace.text else trace.out
    if trace.name == "android-15-startup":
        renamed(checks, trace, trace.perfetto)
    got, truth = rows(out, "frametimeline.csv"), [converted(row) for row in rows(trace.source, "frametimeline.csv")]
    frames.same(checks, f"{trace.name}: frames of FrameTimeline", [tuple(row[column] for column in truth[0]) for row in got],
                [tuple(row.values()) for row in truth])
    ends = [float(row["end(s)"]) for row in got]
    checks.equal(ends, sorted(ends), f"{trace.name}: ends of FrameTimeline in order")
    for row in rows(out, "summary.csv"):
        counts = collections.Counter(bit for frame in got if frame["kind"] == "surface" and frame["Surface"] == row["Surface"]
                                     for bit in frame["jank type"].split("+"))
        ours = dict(item.split(":") for item in row["jank types"].split())
        checks.equal({word: int(n) for word, n in ours.items()}, counts, f"{trace.name}: jank types of {row['Surface']}")
