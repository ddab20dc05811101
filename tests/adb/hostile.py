#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Odd names, messages of others between the answers, programs that do not run, a machine with full disks: each
command does what it must, or says in one line why not."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from jankd import Checks
from phones import FOLDER, desk, one_line, same_frames, succeeded, trace

NOISE = "* daemon not running. starting it now on port 5037 *\n* daemon started successfully *"


def noise(checks, place):
    """Old versions of adb print their own messages to standard output; a device's shell may print, too."""
    phone = place.phone(noise=NOISE, exit_codes=False, crlf=True)
    text, truth = trace(place.here, seconds=3)
    lines = succeeded(checks, "noise: install", place.installed())[1]
    lines += succeeded(checks, "noise: start", place.jank_adb("start"), "capturing to")[1]
    one_line(checks, "noise: start again", place.jank_adb("start"), 1, FOLDER)
    phone.play(text)
    lines += succeeded(checks, "noise: mark", place.jank_adb("mark", "x"))[1]
    lines += succeeded(checks, "noise: stop", place.jank_adb("stop"), "ended after")[1]
    done = succeeded(checks, "noise: pull", place.jank_adb("pull"))
    same_frames(checks, "noise", truth, place.here / done[1][-1].split(": ", 1)[1])
    lines += succeeded(checks, "noise: uninstall", place.jank_adb("uninstall"), "is removed")[1]
    checks.equal([line for line in lines if "daemon" in line], [], "noise: in the answers")


checks = Checks()
for case in (noise,):
    with desk() as place:
        print(case.__name__, flush=True)
        case(checks, place)
checks.end()
