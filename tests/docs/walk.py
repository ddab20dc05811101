# SPDX-License-Identifier: Apache-2.0
"""The way of a README from a clone to the CSV files of a phone: each command as it is printed, in a copy of the tree, with a stand-in for adb and the
phone. Only tools/build-device does not run: its programs are those that all tests share (cross/builds runs it in a clone)."""

import os
import re
import shutil
import subprocess
import time
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
import cross
from daemon import wait_until
from jankd import SOURCE, Checks, copy_tree
from phones import desk, same_frames, trace

SECONDS = 3
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)
BUILD = "tools/build-device"


def commands(readme):
    """The commands of the section about phones: blocks marked console with jank-adb. Other blocks marked console, as those
    of jank-fleet, leave a server running; tests/fleet/readme.py runs such commands and stops it."""
    return [line.removeprefix("$ ") for block in BLOCK.findall(readme) if "jank-adb" in block for line in block.splitlines() if line.startswith("$ ")]


def run(checks, place, tree, phone, command, text):
    """Runs a command; plays the trace when it has started a capture."""
    before = {path.stat().st_mtime_ns for path in phone.folder().glob("session.json")}
    process = subprocess.Popen(["sh", "-c", command], cwd=tree, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, env=place.environment())
    if re.search(r"jank-adb (record|start)\b", command):
        wait_until(lambda: process.poll() is not None or {path.stat().st_mtime_ns for path in phone.folder().glob("session.json")} - before, 60)
        time.sleep(0.5)
        phone.play(text)
    out, error = process.communicate(timeout=300)
    print(f"$ {command}\n{out[-300:]}{error}", flush=True)
    checks.equal(process.returncode, 0, f"exit code of {command}: {error}")
    return out


def walk(checks, commands):
    with desk() as place:
        tree = copy_tree(place.here / "jankd")
        phone = place.phone()
        text, truth = trace(place.here, seconds=SECONDS)
        said = {}
        for command in commands:
            if command == BUILD:
                (tree / "build-device").mkdir()
                shutil.copy(cross.OUT / "jankd-x86_64", tree / "build-device")
            else:
                said[command] = run(checks, place, tree, phone, command, text)
        shown = next((out for command, out in said.items() if command.startswith("cat ")), "")
        checks.that(shown.startswith("app,Surface,") and "com.example.mail" in shown, f"the CSV file that is shown: {shown}")
        sessions = [path for path in (tree / "fps").iterdir() if path.name[0] != "." and path.is_dir()]
        checks.equal(len(sessions), 2, "sessions: one of record, one of start")
        for session in sessions:
            same_frames(checks, session.name, truth, session)
        checks.that("level 2" in "".join(path.read_text() for path in (tree / "fps").glob("*/events*.csv")), "the mark")
        checks.equal([str(path) for path in phone.data.iterdir()], [], "what is left on the phone")


found = commands((SOURCE / "README.md").read_text(encoding="utf-8"))
os.nice(10)  # compilers run beside tests that depend on time
checks = Checks()
if checks.that(found[:1] == [BUILD] and len(found) > 2, f"README.md: commands for a phone: {found}"):
    cross.build("x86_64")
    walk(checks, found)
checks.end()
