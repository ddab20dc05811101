# SPDX-License-Identifier: Apache-2.0
"""Tables: many layers and surfaces have space for all of their state. What does not fit is reported: unit bounded."""

import json, subprocess
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
import synthetic
from jankd import SHARED, analyze, checks, folder, rows

APPS = 640


def apps_in_turn():
    """Frames of one app after the other, and all again with new layers."""
    parts, us = [], 1000000000
    for start in range(2 * APPS):
        app = start % APPS
        for i in range(30):
            if (i * 7 + app) % 11 and i <= 20:
                parts.append(synthetic.frame(us, len(parts), f"com.vendor{app}/com.vendor{app}.Main#{start}"))
            us += synthetic.PERIOD_US
    return "".join(parts).encode()


def same_rows(checks, here, what, trace, surfaces):
    """The option for gfx2019 changes nothing, and no layer left the table."""
    outs = [here / f"{what} {n}" for n in (16, 256)]
    for out in outs:
        analyze(out, "--max-surfaces", out.name.split()[-1], "--frames-log", "-T", "2", "-", input=trace)
    checks.equal(len(rows(outs[0], "summary.csv")), surfaces, f"{what}: surfaces")
    for name in ("summary.csv", "fps.csv", "dropFrames.csv", "frames.csv"):
        checks.that((outs[0] / name).read_bytes() == (outs[1] / name).read_bytes(), f"{what}: another {name}")
    counters = json.loads((outs[0] / "session.json").read_text())["counters"]
    lost = [row["text"] for row in rows(outs[0], "events.csv") if row["kind"] == "lost"]
    checks.equal((counters["layers_evicted"], lost), (0, []), f"{what}: evicted, events")
    return rows(outs[0], "frames.csv")


with checks, folder() as place:
    same_rows(checks, place, "apps", apps_in_turn(), APPS)
    if (SHARED / "cases" / "make.py").exists():
        subprocess.run([sys.executable, SHARED / "cases" / "make.py", place / "cases"], check=True, capture_output=True)
        causes = [row["cause"] for row in same_rows(checks, place, "many", (place / "cases" / "many_layers.txt").read_bytes(), 24)]
        checks.equal(sum(map(bool, causes)), 88, "many layers: frames with a cause")
    else:
        checks.cannot_judge("many_layers.txt", "there is no ../shared/cases")
