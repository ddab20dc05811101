# SPDX-License-Identifier: Apache-2.0
"""Which Surfaces are counted, and which rows are written. --include, --exclude and --trigger match whole names of Surfaces or apps,
whenever those appear; an excluded Surface is counted nowhere. --trigger gives the rows of a capture without it that fall into the
times at which it holds or into the five seconds before, each once and in the same order. Events are sorted by time."""

import json
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
import segments
import synthetic
from jankd import analyze, checks, folder, microseconds, rows
from report import marked

OPTIONS = ("--frames-log", "-T", "2")
# In the order of their first frames. StatusBar has no app in its name; it would get the focused app, and none is known here.
SURFACES = ("cod", "com.codex/com.codex.Main", "xcod", "com.game/com.game.Main", "SurfaceView[com.game/com.game.Main](BLAST)",
            "StatusBar", "com.gamer/com.gamer.Main")
COD, CODEX, XCOD, GAME, VIEW, BAR, GAMER = SURFACES
FRAMES = 100
CASES = (((), SURFACES), (("--exclude", "cod", "--exclude", "com.codex/*"), SURFACES[2:]),
    (("--include", "cod", "--include", "xcod"), (COD, XCOD)), (("--include", "com.game"), (GAME, VIEW)),
    (("--exclude", "com.game"), (COD, CODEX, XCOD, BAR, GAMER)), (("--include", "com.game*", "--exclude", "com.game/*"), (VIEW, GAMER)),
    (("--exclude", "SurfaceView*"), (COD, CODEX, XCOD, GAME, BAR, GAMER)))


def chosen(checks, here, trace, arguments, expected):
    what, out = " ".join(arguments) or "all", here / "out"
    said = analyze(out, *OPTIONS, *arguments, trace).stdout.decode()
    for name in ("frames.csv", "fps.csv", "summary.csv"):
        got = [row["Surface"] for row in rows(out, name)]
        checks.equal((list(dict.fromkeys(got)), {row["frames"] for row in rows(out, "summary.csv")}), (list(expected), {str(FRAMES - 1)}), f"{what}: surfaces in {name}; {what}: frames")
    frames, counters = len(expected) * FRAMES, json.loads((out / "session.json").read_text())["counters"]
    checks.equal((counters["frames"], counters["dropped_frames"]), (frames, 0), f"{what}: counters")
    checks.that(f"frames {frames}," in said, f"{what}: table: {said}")
    (stop,) = (row["text"] for row in rows(out, "events.csv") if row["kind"] == "stop")
    checks.that(stop.endswith(f" {frames} frames"), f"{what}: stop: {stop}")


def opened_by(checks, here, trace, glob, expected):
    """Which surfaces open the gate, and the warning if none can."""
    done = analyze(here / "out", "--trigger", f"fps>30 on {glob}", trace)
    said = [row["text"] for row in rows(here / "out", "events.csv") if row["kind"] == "trigger"]
    opened = [text.partition(" on ")[2] for text in said if text.startswith("begins")]
    checks.equal(opened, expected, f"trigger on {glob}: opened")
    none = [text for text in said if text.startswith("no surface") and glob in text]
    checks.equal((len(none), b"--trigger" in done.stderr), (not expected, not expected), f"trigger on {glob}: events {said}, {done.stderr}")


def every_row(out, name):
    return [row for path in segments.paths(out, name) for row in rows(path)]


def held(out):
    """The (begin, end) of the times at which the trigger held, in microseconds."""
    times = [microseconds(row["time(s)"]) for row in every_row(out, "events.csv") if row["kind"] == "trigger"]
    return list(zip(times[::2], times[1::2]))


def gated(checks, here, trace, what, *options):
    analyze(here / what, *OPTIONS, *options, trace)
    times = held(here / what)
    checks.that(times, f"{what}: the trigger never held")
    for name, begin, end in (("fps.csv", "start time", "end time"), ("frames.csv", "present(s)", "present(s)")):
        every = rows(here / "all", name)
        wanted = [row for row in every if any(microseconds(row[end]) >= opened - 5000000 and microseconds(row[begin]) <= closed for opened, closed in times)]
        checks.that(0 < len(wanted) < len(every), f"{what}: {name}: no test")
        checks.that(every_row(here / what, name) == wanted, f"{what}: {name}: other rows")
    checks.equal((here / what / "summary.csv").read_bytes(), (here / "all" / "summary.csv").read_bytes(), f"{what}: summary.csv")
    checks.that(0 < len(every_row(here / what, "dropFrames.csv")) < len(rows(here / "all", "dropFrames.csv")), f"{what}: drops")
    events = every_row(here / what, "events.csv")
    kinds = [row["kind"] for row in events]
    checks.that(kinds[0] == "start" and kinds[-1] == "stop" and {"mark", "surfaceflinger", "snapshot"} < {*kinds}, f"{what}: kinds {set(kinds)}")
    back = [(one, other) for one, other in zip(events, events[1:]) if float(other["time(s)"]) < float(one["time(s)"])]
    checks.equal(back, [], f"{what}: events that are not in order")


with checks, folder() as here:
    trace = here / "trace.txt"
    trace.write_text("".join("".join(synthetic.lines(FRAMES, 100000000 + n * FRAMES * synthetic.PERIOD_US, f"{surface}#0"))
                             for n, surface in enumerate(SURFACES)))
    for arguments, expected in CASES:
        chosen(checks, here, trace, arguments, expected)
    for glob, expected in (("cod", [COD]), ("com.absent*", []), ("SurfaceView[com.game]*", []), ("com.gam?", [GAME])):
        opened_by(checks, here, trace, glob, expected)
    done = analyze(here / "out", "--include", "com.absent", trace)
    checks.that(b"--include" in done.stderr, f"nothing included: {done.stderr}")
    done = analyze(here / "2019", "--rules", "gfx2019", "--frames-log", trace)
    checks.that(b"--frames-log" in done.stderr, f"gfx2019 --frames-log: {done.stderr}")
    # A steady 60 Hz with gaps; those of 4 frames are too short for the trigger.
    frames = synthetic.lines(4000)
    for at, length in ((300, 4), (1200, 10), (1290, 10), (2000, 4), (2900, 12)):
        frames[at:at + length] = [""] * length
    trace.write_bytes(marked("".join(frames).encode(), [0.07], "{}".format))
    analyze(here / "all", *OPTIONS, trace)
    trigger = ("--trigger", "interval>100ms", "--snapshot", "100", "--snapshot-seconds", "1")
    gated(checks, here, trace, "one file", *trigger)
    gated(checks, here, trace, "rotating", *trigger, "--rotate-size", "4096", "--rotate-time", "2")
