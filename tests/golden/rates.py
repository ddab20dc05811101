# SPDX-License-Identifier: Apache-2.0
"""The refresh and render rates that SurfaceFlinger states (all names of them: unit refresh): a game at 40 fps on a panel of
120 Hz (../shared/cases)."""

import collections, json, lzma, re, shutil, subprocess
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from jankd import REPORT, SHARED, analyze, checks, folder, rows, skip

CASE = SHARED / "cases" / "ltpo40_names15.txt.xz"

if not CASE.exists():
    skip(f"no cases: {CASE.name} is missing")


def reported(*arguments):
    return json.loads(subprocess.run([REPORT, "--json", *arguments], check=True, capture_output=True).stdout)


with checks, folder() as here:
    (here / "trace").write_bytes(lzma.open(CASE).read())
    analyze(here / "out", "--frames-log", "-T", "2", here / "trace")
    (total,) = rows(here / "out", "summary.csv")
    frames, drops = rows(here / "out", "frames.csv"), rows(here / "out", "dropFrames.csv")
    checks.equal({round(float(row["refresh(Hz)"])) for row in rows(here / "out", "fps.csv")}, {120}, "refresh rate")
    checks.equal(collections.Counter(row["vsyncs"] for row in frames), {"": 1, "3": 467, "4": 9}, "vsyncs")
    checks.equal([total[name] for name in ("D", "missed vsyncs", "cadence(vsyncs)", "off cadence")], ["9", "9", "3", "9"], "counts")
    checks.equal(([row["missed vsyncs"] for row in drops], sum(row["cause"] != "" for row in frames)), (["1"] * 9, 9), "drops; late frames")
    checks.that(float(total["score"]) > 99, f"score {total['score']}")
    (event,) = [row["text"] for row in rows(here / "out", "events.csv") if row["kind"] == "refresh"]
    checks.that(re.fullmatch(r"120\.\d\d Hz, rendered at 40\.00 Hz", event) is not None, f"event {event}")
    # A report of frames alone has the step by events.csv.
    halves = [here / f"half {n}" for n in range(4)]
    for half in halves:
        half.mkdir()
        for name in ("frames.csv", "events.csv", "session.json"):
            shutil.copy(here / "out" / name, half)
    numbers = reported(halves[0])["sessions"][0]["apps"][0]["surfaces"][0]["numbers"]
    checks.equal((numbers["D"], numbers["missed vsyncs"]), (9, 9), "report of frames")
    changes = reported("--compare", *halves[:2], "--new", *halves[2:])["surfaces"][0]["changes"]
    (missed,) = [change["base"] for change in changes if change["metric"] == "missed vsyncs(/1000 frames)"]
    checks.equal(round(missed["value"], 2), 18.91, "compared")
