#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""--include, --exclude and --trigger match whole names of Surfaces or apps, whenever those appear. An
excluded Surface is counted nowhere."""

import json
import sys

sys.path.insert(0, str(__import__("pathlib").Path(__file__).resolve().parents[1] / "lib"))
import synthetic
from jankd import Checks, analyze, folder, jankd, rows

# In the order of their first frames, 100 frames each.
SURFACES = ("cod", "codex", "com.cod/com.cod.Main", "com.codex/com.codex.Main", "xcod", "COD")
GAME = ("com.game/com.game.Main", "SurfaceView[com.game/com.game.Main](BLAST)", "StatusBar", "com.gamer/com.gamer.Main")
FRAMES = 100

CASES = (
    ((), SURFACES),
    (("--exclude", "cod"), SURFACES[1:]),
    (("--exclude", "cod*"), SURFACES[2:]),
    (("--exclude", "*cod"), ("codex", SURFACES[3], "COD")),
    (("--exclude", "com.cod/*"), (*SURFACES[:2], *SURFACES[3:])),
    (("--include", "cod"), ("cod",)),
    (("--include", "com.codex/*"), ("com.codex/com.codex.Main",)),
    (("--include", "COD"), ("COD",)),
    (("--include", "com.cod*", "--exclude", "com.cod/*"), ("com.codex/com.codex.Main",)),
    (("--include", "cod", "--include", "xcod"), ("cod", "xcod")),
    (("--include", "c?d"), ("cod",)),
)

# StatusBar has no app in its name; it would get the focused app, and none is known here.
GAME_CASES = (
    (("--include", "com.game"), GAME[:2]),
    (("--include", "com.game*"), (*GAME[:2], GAME[3])),
    (("--exclude", "com.game"), GAME[2:]),
    (("--include", "com.game*", "--exclude", "com.game/*"), (GAME[1], GAME[3])),
    (("--exclude", "SurfaceView*"), (GAME[0], *GAME[2:])),
)


def counted_nowhere(checks, what, out, said, expected):
    """session.json, the stop event and the table have the number of the other frames only."""
    frames = len(expected) * FRAMES
    counters = json.loads((out / "session.json").read_text())["counters"]
    checks.equal((counters["frames"], counters["dropped_frames"]), (frames, 0), f"{what}: counters")
    checks.that(f"frames {frames}," in said, f"{what}: table: {said}")
    stop = [r["text"] for r in rows(out, "events.csv") if r["kind"] == "stop"]
    checks.that(stop and stop[0].endswith(f" {frames} frames"), f"{what}: stop: {stop}")


def check(checks, here, trace, arguments, expected):
    what = " ".join(arguments) or "all"
    said = analyze(here / "out", "--frames-log", "-T", "2", *arguments, trace).stdout.decode()
    for name in ("frames.csv", "fps.csv", "summary.csv"):
        got = [row["Surface"] for row in rows(here / "out", name)]
        checks.equal(list(dict.fromkeys(got)), list(expected), f"{what}: surfaces in {name}")
    counts = {row["Surface"]: int(row["frames"]) for row in rows(here / "out", "summary.csv")}
    checks.equal(set(counts.values()), {FRAMES - 1}, f"{what}: frames")
    counted_nowhere(checks, what, here / "out", said, expected)


def triggered(checks, here, trace, glob, expected):
    """Which surfaces open the gate, and the warning if none can."""
    done = analyze(here / "out", "--trigger", f"fps>30 on {glob}", trace)
    said = [r["text"] for r in rows(here / "out", "events.csv") if r["kind"] == "trigger"]
    opened = [text.partition(" on ")[2] for text in said if text.startswith("begins")]
    checks.equal(opened, list(expected), f"trigger on {glob}: opened")
    none = [text for text in said if text.startswith("no surface")]
    checks.equal(len(none), 0 if expected else 1, f"trigger on {glob}: events {said}")
    checks.equal(b"--trigger" in done.stderr, not expected, f"trigger on {glob}: said {done.stderr}")
    checks.that(all(glob in text for text in none), f"trigger on {glob}: {none}")


def write_trace(path, surfaces):
    text, us = [], 100000000
    for surface in surfaces:
        text += synthetic.lines(FRAMES, us, f"{surface}#0")
        us += FRAMES * synthetic.PERIOD_US
    path.write_text("".join(text))


def program_of_2019(checks, here, trace):
    """The rule set gfx2019 has no layers to choose from: such options are refused, or there is a warning."""
    for option in ("--include", "--exclude"):
        done = jankd("analyze", "--rules", "gfx2019", option, "c*", "-F", here / "2019", trace)
        checks.that(done.returncode == 2 and option.encode() in done.stderr, f"gfx2019 {option}: {done.stderr}")
    done = analyze(here / "2019", "--rules", "gfx2019", "--frames-log", trace)
    checks.that(b"--frames-log" in done.stderr, f"gfx2019 --frames-log: {done.stderr}")


checks = Checks()
with folder() as here:
    trace = here / "trace.txt"
    write_trace(trace, SURFACES)
    for arguments, expected in CASES:
        check(checks, here, trace, arguments, expected)
    triggered(checks, here, trace, "cod", ["cod"])
    triggered(checks, here, trace, "com.absent*", [])
    write_trace(trace, GAME)
    for arguments, expected in GAME_CASES:
        check(checks, here, trace, arguments, expected)
    triggered(checks, here, trace, "SurfaceView[com.game]*", [])
    triggered(checks, here, trace, "com.gam?", [GAME[0]])
    done = analyze(here / "out", "--include", "com.absent", trace)
    checks.that(b"--include" in done.stderr, f"nothing included: {done.stderr}")
    program_of_2019(checks, here, trace)
checks.end()
