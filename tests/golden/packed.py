# SPDX-License-Identifier: Apache-2.0
"""A perfetto trace gives the rows of the text that was made from it: as a file, compressed, through a pipe, and without
its FrameTimeline, on which no other row depends."""

import gzip

import packets
from jankd import unpacks


def judge(checks, trace):
    if not trace.text or not trace.perfetto:
        return
    data = trace.perfetto.read_bytes()
    (trace.here / "no-timeline").write_bytes(packets.without(data, 76))
    (trace.here / "gz").write_bytes(gzip.compress(data, 1))
    inputs = {"perfetto": trace.perfetto, "no FrameTimeline": trace.here / "no-timeline", "gzip": trace.here / "gz", "pipe": "-"}
    if unpacks():
        inputs["xz"] = trace.source / "trace.perfetto-trace.xz"
    for what, source in inputs.items():
        out, _ = trace.again(f"from {what}", "--frames-log", "-T", "2", source, input=data)
        for file in ("frames.csv", "fps.csv", "dropFrames.csv"):
            checks.that((out / file).read_bytes() == (trace.out / file).read_bytes(), f"{trace.name}, {what}: {file} is not that of the text")
