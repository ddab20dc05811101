# SPDX-License-Identifier: Apache-2.0
"""The commands of README.md that need a phone, and those after them, as they are printed, in a copy of the tree, with a stand-in for adb and the
phone. Nothing is built: tools/demo has the build that all tests share (readme.py --all runs it in a clone), and tools/build-device does not run, as
its programs are those that all tests share (cross/builds.py --again runs it in a clone)."""

import json
import os
import re
import shlex
import shutil
import subprocess
import time
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
import cross
from daemon import wait_until
from jankd import BUILD, SOURCE, checks, copy_tree
from pages import readme_commands
from phones import JANK_ADB, desk, same_frames, trace

SECONDS = 3
DEVICE = "tools/build-device"
# What readme_commands finds and neither this test nor tests/docs/readme.py runs, and why.
NOT_RUN = {"adb root": "the stand-in has no adbd to restart", "jankd analyze": "named, not a whole command"}


def run(checks, place, cwd, phone, command, text):
    """Runs a command; plays the trace when it has started a capture. Returns what it printed."""
    before = {path.stat().st_mtime_ns for path in phone.folder().glob("session.json")}
    process = subprocess.Popen(["sh", "-c", command], cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, env={**place.environment(), "BUILD": str(BUILD)})
    if re.search(r"jank-adb (record|start)\b", command):
        wait_until(lambda: process.poll() is not None or {path.stat().st_mtime_ns for path in phone.folder().glob("session.json")} - before, 60)
        time.sleep(0.5)
        phone.play(text)
    out, error = process.communicate(timeout=300)
    print(f"$ {command}\n{out[-300:]}{error}", flush=True)
    # This process holds the pipe of the trace open, which doctor reports.
    problems = re.findall(r"^problem  (?!trace_pipe: being read by python3 ).*", out, re.M)
    checks.that(process.returncode == 0 or "doctor" in command and not problems, f"{command}: exit code {process.returncode}: {error}{problems}")
    return out


def prepared(place, text):
    """(tree, release, phone): the tree with programs where tools/demo and tools/build-device put them; the folder of an unpacked release
    (tests/setup/release.py has what is in one); a phone whose atrace prints the text."""
    tree, release, phone = copy_tree(place.here / "jankd"), place.here / "jankd-0", place.phone()
    (tree / "build").symlink_to(BUILD)
    for path in (release, tree / "build-device"):
        path.mkdir()
        shutil.copy(cross.OUT / "jankd-x86_64", path)
    shutil.copy(JANK_ADB, release)
    (phone.root / "trace").write_bytes(text)
    return tree, release, phone


def walk(checks, commands):
    with desk() as place:
        text, truth = trace(place.here, seconds=SECONDS)
        tree, release, phone = prepared(place, text)
        atrace, exported, said = phone.root / "system/bin/atrace", "", {}
        for number, (kind, command) in enumerate(commands):
            if kind == "sh":
                exported += "".join(re.findall(r"^export .*\n", command, re.M))
            elif command not in (DEVICE, *NOT_RUN) and not command.startswith("meson test ") and (kind, command) not in commands[number + 1:]:
                if "atrace" in command:
                    atrace.write_text("#!/bin/sh\ncat /trace\n")
                    atrace.chmod(0o755)
                said[command] = run(checks, place, release if command.startswith("./") else tree, phone, exported + command, text)
                atrace.unlink(missing_ok=True)
        for command in ("jank-adb stop", "jank-adb pull"):  # of the last capture, as the tasks before
            run(checks, place, tree, phone, exported + command, text)
        for command in [command for command in said if " record " in command or command.endswith(" report")]:
            checks.that("/report.html" in said[command], f"{command} does not name the page: {said[command]}")
        # The second pull copies the first session, too.
        sessions = {path.name: path for where in (release, tree) for path in (where / "fps").iterdir() if path.name[0] != "." and path.is_dir()}
        checks.equal(len(sessions), sum(bool(re.search(r"jank-adb (record|start)\b", command)) for command in said), "sessions")
        for session in [*sessions.values(), tree / "recorded"]:
            same_frames(checks, session.name, truth, session)
        checks.that("level 2" in "".join(path.read_text() for path in (tree / "fps").glob("*/events*.csv")), "the mark")


commands = readme_commands((SOURCE / "README.md").read_text(encoding="utf-8"))
os.nice(10)  # compilers run beside tests that depend on time
checks.equal({kind for kind, _ in commands}, {"sh", "console", "inline"}, "kinds of commands in README.md; a block without a kind is not run")
tests = json.loads((BUILD / "meson-info" / "intro-tests.json").read_text())
suites = {suite.split(":")[-1] for test in tests for suite in test["suite"]}
for _, command in commands:
    if command.startswith("meson test -C build "):
        words = shlex.split(command)[4:]
        checks.that(words[0] == "--suite" and words[1] in suites or set(words) <= {test["name"] for test in tests}, f"{command}: no such test")
cross.build("x86_64")
walk(checks, commands)
checks.end()
