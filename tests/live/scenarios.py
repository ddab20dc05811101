# SPDX-License-Identifier: Apache-2.0
"""scenarios.py VOCABULARY | recorded: every scenario of jank-phone, played live with the markers of one Android version, or a
recorded trace at its own speed. jankd counts the frames that were played."""

import shutil
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from jankd import OF_15, TRACES, folder, skip, unpack
from live import each, run, session

SCENARIOS = ("steady-60", "drops-120", "game-30", "switch-60-120", "idle-gaps", "app-switch", "surfaces-200", "late-ticks", "demo")
RECORDED = "android-9-list-jank"


def played(what, scenario, *arguments):
    with session(what) as s:
        capture = s.run()
        s.play(*arguments, scenario=scenario, seconds=4)
        s.stop(capture)
        s.compare()


def recorded():
    if not (TRACES / RECORDED).is_dir():
        skip(f"no recorded trace {RECORDED}")
    with folder() as here:
        trace = unpack(RECORDED, here)
        shutil.copy(TRACES / RECORDED / "frames.csv", here / "frames.csv")
        played(RECORDED, None, trace)


vocabulary = sys.argv.pop()
names = OF_15 if vocabulary == "android-15" else SCENARIOS
run([recorded] if vocabulary == "recorded" else
    each(played, *((f"{scenario} {vocabulary}", scenario, "--vocabulary", vocabulary, "--seed", "1") for scenario in names)),
    processes=False)
