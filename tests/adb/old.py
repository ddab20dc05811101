#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Old devices: no exit codes, line ends of a terminal, no exec-out, no list of ABIs; a slow link; a reboot."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from daemon import wait_until
from jankd import Checks
from phones import FOLDER, desk, one_line, pieces, same_frames, succeeded, trace

OLD = {"exec_out": False, "exit_codes": False, "crlf": True}


def old(checks, place, cable):
    phone = place.phone("old", properties={"ro.product.cpu.abi": "x86_64", "ro.build.version.sdk": "19"}, cable=cable, **OLD)
    text, truth = trace(place.here, seconds=6)
    what = "old device" + (" with cuts" if cable else "")

    def run(*words):
        wait_until(phone.is_attached)
        return place.jank_adb("--reconnect", "20", *words)

    one_line(checks, f"{what}: not installed", run("status"), *([1, "not on the device"] if not cable else [1]))
    succeeded(checks, f"{what}: install", run("install", "--from", place.programs))
    if not cable:
        one_line(checks, f"{what}: status", run("status"), 1, "no jankd is running")
        one_line(checks, f"{what}: start with a wrong option", run("start", "--fly"), 2, "--fly")
    succeeded(checks, f"{what}: start", run("start"))
    first, second = pieces(text, 2)
    phone.play(first)
    done = succeeded(checks, f"{what}: pull", run("pull"), "exec-out", "adb pull")
    phone.play(second)
    done = succeeded(checks, f"{what}: status", run("status"), "com.example.mail")
    checks.that(not any("\r" in line for line in done[1]), f"{what}: line ends: {done}")
    succeeded(checks, f"{what}: stop", run("stop"))
    done = succeeded(checks, f"{what}: pull", run("pull"))
    same_frames(checks, what, truth, place.here / done[1][-1].split(": ", 1)[1])
    succeeded(checks, f"{what}: uninstall", run("uninstall"))


def slow(checks, place):
    phone = place.phone("slow", kb_per_s=300)
    text, truth = trace(place.here, seconds=6)
    succeeded(checks, "slow: install", place.installed())
    succeeded(checks, "slow: start", place.jank_adb("start"))
    phone.play(text)
    succeeded(checks, "slow: stop", place.jank_adb("stop"))
    done = succeeded(checks, "slow: pull", place.jank_adb("pull"))
    same_frames(checks, "slow", truth, place.here / done[1][-1].split(": ", 1)[1])


def rebooted(checks, place):
    """The next command says that the capture ended with the boot; its files can be pulled, and a start goes on."""
    phone = place.phone()
    text, _ = trace(place.here, seconds=6)
    succeeded(checks, "install", place.installed())
    succeeded(checks, "start", place.jank_adb("start"))
    phone.play(text)
    phone.reboot()
    one_line(checks, "status after a reboot", place.jank_adb("status"), 1, FOLDER, "boot")
    done = succeeded(checks, "pull after a reboot", place.jank_adb("pull"))
    checks.that((place.here / done[1][-1].split(": ", 1)[1] / "fps.csv").exists(), "pull after a reboot: fps.csv")
    succeeded(checks, "start --resume", place.jank_adb("start", "--resume"))
    checks.that("--resume" in phone.log()[-1][1] and "--frames-log" not in phone.log()[-1][1], f"start --resume: {phone.log()[-1]}")
    succeeded(checks, "stop", place.jank_adb("stop"))


checks = Checks()
for case, *more in ((old, None), (old, {"seed": 5, "share": 0.3, "cuts": 40}), (slow,), (rebooted,)):
    with desk() as place:
        print(case.__name__, *more, flush=True)
        case(checks, place, *more)
checks.end()
