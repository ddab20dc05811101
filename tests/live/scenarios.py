#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scenarios.py VOCABULARY: every scenario of jank-phone, played live with the markers of one Android version.

jankd counts the frames that were played.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from live import check_played, each, run

SECONDS = 4
SCENARIOS = ("steady-60", "drops-120", "game-30", "switch-60-120", "idle-gaps", "app-switch",
             "surfaces-200", "late-ticks", "demo")

vocabulary = sys.argv.pop()
run(each(check_played, *((f"{scenario} {vocabulary}", "--scenario", scenario, "--vocabulary", vocabulary, "--seconds", SECONDS,
                          "--seed", 1) for scenario in SCENARIOS)), processes=False)
