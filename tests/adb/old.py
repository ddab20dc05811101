#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Old devices: no exit codes, line ends of a terminal, no exec-out, no list of ABIs, messages of adb and of the device's
shell between the answers; a reboot."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from daemon import wait_until
from phones import FOLDER, one_line, pieces, run_cases, same_frames, succeeded, trace

NOISE = "* daemon not running. starting it now on port 5037 *\n* daemon started successfully *"
OLD = {"exec_out": False, "exit_codes": False, "crlf": True, "noise": NOISE}


def old(checks, place, cable):
    phone = place.phone("old", properties={"ro.product.cpu.abi": "x86_64", "ro.build.version.sdk": "19"}, cable=cable, **OLD)
    text, truth = trace(place.here, seconds=6)
    what = "old device" + (" with cuts" if cable else "")

    def run(*words):
        wait_until(phone.is_attached)
        return place.jank_adb("--reconnect", "20", *words)

    def ok(words, *expected):
        done = succeeded(checks, f"{what}: {words}", run(*words.split()), *expected)
        checks.that(not any("\r" in line or "daemon" in line for line in done[1]), f"{what}: {words}: {done}")
        return done

    one_line(checks, f"{what}: not installed", run("status"), *([1, "not on the device"] if not cable else [1]))
    succeeded(checks, f"{what}: install", run("install", "--from", place.programs), "is installed")
    if not cable:
        one_line(checks, f"{what}: status", run("status"), 1, "no jankd is running")
        one_line(checks, f"{what}: start with a wrong option", run("start", "--fly"), 2, "--fly")
    ok("start", *([f"capturing to {FOLDER}"] if not cable else []))
    first, second = pieces(text, 2)
    phone.play(first)
    if not cable:
        one_line(checks, f"{what}: start again", run("start"), 1, FOLDER)
    ok("mark x")
    ok("pull", "exec-out", "adb pull")
    phone.play(second)
    ok("status", "com.example.mail")
    ok("stop")
    same_frames(checks, what, truth, place.into(ok("pull")))
    ok("uninstall", "is removed")


def rebooted(checks, place):
    """The next command says that the capture ended with the boot; its files can be pulled, and a start goes on."""
    phone = place.phone()
    text, _ = trace(place.here, seconds=6)
    place.capture(checks)
    phone.play(text)
    phone.reboot()
    one_line(checks, "status after a reboot", place.jank_adb("status"), 1, FOLDER, "boot")
    done = succeeded(checks, "pull after a reboot", place.jank_adb("pull"))
    checks.that((place.into(done) / "fps.csv").exists(), "pull after a reboot: fps.csv")
    succeeded(checks, "start --resume", place.jank_adb("start", "--resume"))
    checks.that("--resume" in phone.log()[-1][1] and "--frames-log" not in phone.log()[-1][1], f"start --resume: {phone.log()[-1]}")
    succeeded(checks, "stop", place.jank_adb("stop"))


def plain(checks, place):
    old(checks, place, None)


def with_cuts(checks, place):
    old(checks, place, {"seed": 5, "share": 0.3, "cuts": 40})


run_cases(plain, with_cuts, rebooted)
