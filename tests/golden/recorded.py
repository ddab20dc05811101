# SPDX-License-Identifier: Apache-2.0
"""Each recorded trace is analysed once, and each judge compares the files with what it knows of that trace."""

import functools
import lzma

import causes
import doframes
import fences
import frametimeline
import gfx2019
import presents
import verdict
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from jankd import TRACES, analyze, checks, folder, rows, skip, unpack

JUDGES = (presents, verdict, doframes, fences, gfx2019, frametimeline, causes)


class Recorded:
    """A recorded trace. @text: its path as text, or None; @perfetto: its path as a perfetto trace, or None; @out: the
    files that analyze makes of it; @json: what it printed."""

    def __init__(self, source, here):
        self.name, self.source, self.here = source.name, source, here
        self.text = unpack(self.name, here) if (source / "trace.txt.xz").exists() else None
        self.perfetto = None
        if (source / "trace.perfetto-trace.xz").exists():
            self.perfetto = here / "perfetto"
            self.perfetto.write_bytes(lzma.open(source / "trace.perfetto-trace.xz").read())
        self.out = here / "out"
        self.json = analyze(self.out, "--frames-log", "-T", "2", "--json", self.text or self.perfetto).stdout

    def has(self, name):
        """True if the truth has a file of that name."""
        return (self.source / name).exists()

    def again(self, name, *options, **keywords):
        """The folder of another analysis."""
        analyze(self.here / name, *options, **keywords)
        return self.here / name

    @functools.cache
    def rows(self, name):
        return rows(self.out, name)


sources = sorted(path for path in TRACES.glob("android-*")) + sorted(TRACES.glob("late-ticks*"))
if not sources:
    skip("there are no recorded traces")
checks.that(len(sources) >= 11, f"only {len(sources)} recorded traces")
for source in sources:
    with folder() as place:
        trace = Recorded(source, place)
        for judge in JUDGES:
            judge.judge(checks, trace)
for judge in JUDGES:
    if hasattr(judge, "end"):
        judge.end(checks)
checks.end()
