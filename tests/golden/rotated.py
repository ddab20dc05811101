# SPDX-License-Identifier: Apache-2.0
"""Joined segments are byte by byte the files of a run without rotation; none is empty, or longer than it may be."""
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
import segments
from jankd import microseconds, rows

CASES = (("--rotate-size", 4096), ("--rotate-size", 65536), ("--rotate-time", 0.05), ("--rotate-size", 16384, "--rotate-time", 3))


def judge(checks, trace):
    if not trace.text:
        return
    for options in CASES:
        out = trace.again("rotated " + " ".join(map(str, options)), "--frames-log", "-T", "2", *options, trace.text)
        what, limits = f"{trace.name}, {out.name}", dict(zip(options[::2], options[1::2]))
        for name in segments.GROWING:
            # doframe.csv appears with its first row.
            whole = (trace.out / name).read_bytes() if (trace.out / name).exists() else b""
            checks.that((segments.joined(out, name) or b"") == whole, f"{what}: {name} is another")
            paths = segments.paths(out, name)
            empty = [path.name for path in paths[:-1] if path.read_bytes().count(b"\n") < 2]
            checks.equal(empty, [], f"{what}: segments without a row")
            # A row that is longer gets a segment of its own.
            long = [path.name for path in paths if path.stat().st_size > limits.get("--rotate-size", 1e9) and len(rows(path)) > 1]
            checks.equal(long, [], f"{what}: segments that are too long")
        checks.equal((out / "summary.csv").read_bytes(), (trace.out / "summary.csv").read_bytes(), f"{what}: summary.csv")
        least = limits.get("--rotate-size", 0)
        checks.that(segments.numbers(out) or (trace.out / "frames.csv").stat().st_size <= least, f"{what}: no segment was closed")
        for path in segments.paths(out, "frames.csv"):
            times = [microseconds(row["present(s)"]) for row in rows(path)]
            # Frames wait until the display's vsyncs are known, and the last ones until the end.
            checks.that(not times or max(times) - min(times) <= (limits.get("--rotate-time", 1e9) + 6) * 1e6, f"{what}: {path.name} spans more")
