#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A perfetto trace gives the rows of the text that was made from it: as a file, compressed, through a pipe, and without
its FrameTimeline, on which no other row depends."""

import gzip
import lzma
import sys

sys.path.insert(0, str(__import__("pathlib").Path(__file__).resolve().parents[1] / "lib"))
import packets
from frames import counted, recorded_truth
from jankd import Checks, TRACES, analyze, folder, skip, trace_names, unpack, unpacks

checks = Checks()
names = [name for name in trace_names() if (TRACES / name / "trace.perfetto-trace.xz").exists()]
if not names:
    skip("no recorded text has a perfetto trace")
for name in names:
    with folder() as here:
        packed = TRACES / name / "trace.perfetto-trace.xz"
        plain = here / "trace"
        plain.write_bytes(lzma.open(packed).read())
        (here / "no-timeline").write_bytes(packets.without(plain.read_bytes(), 76))
        (here / "trace.gz").write_bytes(gzip.compress(plain.read_bytes(), 1))
        analyze(here / "text", "--frames-log", "-T", "2", unpack(name, here))
        inputs = {"file": plain, "no FrameTimeline": here / "no-timeline", "gzip": here / "trace.gz"}
        if unpacks():
            inputs["xz"] = packed
        for what, path in inputs.items():
            analyze(here / what, "--frames-log", "-T", "2", path)
        analyze(here / "pipe", "--frames-log", "-T", "2", "-", input=plain.read_bytes())
        for what in (*inputs, "pipe"):
            checks.equal(sorted(counted(here / what)), sorted(recorded_truth(name)), f"{name}, {what}: frames")
            for file in ("frames.csv", "fps.csv", "dropFrames.csv"):
                checks.that((here / what / file).read_bytes() == (here / "text" / file).read_bytes(),
                            f"{name}, {what}: {file} is not that of the text")
        print(f"{name}: {len(counted(here / 'file'))} frames from each of {', '.join(inputs)}, pipe")
checks.end()
