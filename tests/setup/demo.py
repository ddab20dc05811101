#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/demo names the app that janks, and works for a user after root ran it; the build folder that it and
tools/check choose."""

import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from jankd import BUILD, JANKD, PHONE, SOURCE, Checks, analyze, folder

TOOLS = SOURCE / "tools"
ROOT = os.geteuid() == 0
OTHER_UID = 65534


def other_user():
    """For a child process: changes its user."""
    os.setgroups([])
    os.setgid(OTHER_UID)
    os.setuid(OTHER_UID)


def run(command, cwd, other=False, **environment):
    """(exit code, lines of standard output, standard error)"""
    done = subprocess.run([str(word) for word in command], cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, env={**os.environ, **environment}, preexec_fn=other_user if other else None,
                          timeout=300)
    return done.returncode, done.stdout.splitlines(), done.stderr


def culprits(checks, here):
    """culprit.py names the surface that janks and no other; it prints stalls if they are known."""
    for scenario, seconds in (("demo", "20"), ("steady-60", "4")):
        subprocess.run([PHONE, "--scenario", scenario, "--seconds", seconds, "--speed", "0", "--output", here / "trace",
                        "--truth", here / "truth.csv"], check=True, capture_output=True)
        analyze(here / scenario, here / "trace")
    _, said, _ = run([TOOLS / "culprit.py", here / "demo" / "summary.csv"], here)
    checks.equal(len(said), 3, f"culprit of the demo: {said}")
    checks.equal([line.partition(":")[0] for line in said],
                 ["SurfaceView[com.example.game/.GameActivity](BLAST)", "StatusBar",
                  "the culprit is com.example.mail/.MainActivity"], "culprit: surfaces")
    for line, words in zip(said, (("30.00 fps", "2 vsyncs", "no jank"), ("60.00 fps", "12 waits", "no jank"),
                                  ("23 janks (10 big)", "worst frame 166.7 ms", "5 stalls of 3.9 s"))):
        checks.that(all(word in line for word in words), f"culprit: {words}: {line!r}")
    _, said, _ = run([TOOLS / "culprit.py", here / "steady-60" / "summary.csv"], here)
    checks.equal(said[-1:], ["no surface janked"], "culprit: none")
    text = (here / "demo" / "summary.csv").read_text().splitlines()
    names = text[0].split(",")
    row = next(line for line in text if "MainActivity" in line).split(",")
    row[names.index("stalls")], row[names.index("stall time(S)")] = "2", "1.600000"
    (here / "stalls.csv").write_text(f"{text[0]}\n{','.join(row)}\n")
    _, said, _ = run([TOOLS / "culprit.py", here / "stalls.csv"], here)
    checks.that("2 stalls of 1.6 s" in said[-1] and "wait" not in said[-1], f"culprit: stalls: {said}")
    code, said, error = run([TOOLS / "culprit.py", here / "none.csv"], here)
    checks.that(code == 1 and "none.csv" in error and "Traceback" not in error, f"culprit: no file: {error}")


def build_folders(checks, here):
    """Each user gets a build folder that contains only files of that user."""
    tree = here / "tree"
    (tree / "tools").mkdir(parents=True)
    shutil.copy(TOOLS / "choose-build", tree / "tools")
    for path in (here, tree, tree / "tools"):
        path.chmod(0o755)
    (here / "tmp").mkdir()
    (here / "tmp").chmod(0o777)
    places = {"HOME": str(here / "none"), "XDG_CACHE_HOME": "", "TMPDIR": str(here / "tmp"), "BUILD": ""}

    def chosen(other=False, **more):
        code, said, error = run([tree / "tools" / "choose-build"], here, other, **{**places, **more})
        return (code, said[0] if said else "", bool(error))

    checks.equal(chosen(), (0, str(tree / "build"), False), "build folder: none yet")
    checks.equal(chosen(BUILD="mine"), (0, "mine", False), "build folder: named")
    (tree / "build").mkdir()
    checks.equal(chosen(), (0, str(tree / "build"), False), "build folder: our own")
    if not ROOT:
        checks.cannot_judge("build folder: of another user", "needs root")
        return
    code, said, reported = chosen(other=True)
    checks.that(code == 0 and said.startswith(f"{here}/tmp/jankd-build-{OTHER_UID}-") and reported,
                f"build folder: of root's tree: {said}")
    tree.chmod(0o777)
    checks.equal(chosen(other=True), (0, str(tree / "build-nobody"), True), "build folder: beside root's")
    os.chown(tree / "build", OTHER_UID, OTHER_UID)
    checks.equal(chosen(other=True), (0, str(tree / "build"), False), "build folder: theirs")
    checks.equal(chosen(), (0, str(tree / "build-root"), True), "build folder: beside another user's")
    (tree / "build" / "of-root").write_text("")
    checks.equal(chosen(other=True), (0, str(tree / "build-nobody"), True), "build folder: root was in it")
    (tree / "build-root").symlink_to(here / "tmp")
    checks.that(chosen()[1] not in (str(tree / "build"), str(tree / "build-root")), "build folder: a link")


def shows(checks, what, here, into, other=False, **environment):
    code, said, error = run([TOOLS / "demo", "4"], here, other, BUILD=str(BUILD), **environment)
    checks.equal(code, 0, f"{what}: exit code: {error[-1500:]}")
    checks.that(said and said[-1].startswith("the culprit is com.example.mail/.MainActivity: "),
                f"{what}: {said}")
    found = {path.name for path in into.iterdir()} if into.is_dir() else set()
    checks.that({"fps.csv", "summary.csv", "frames.csv"} <= found, f"{what}: {into} has {found}; {error[-500:]}")


def demo(checks, here):
    place = here / "place"
    place.mkdir()
    for path in (here, place):
        path.chmod(0o777)
    shows(checks, "demo", place, place / "jank-demo")
    checks.equal(run([TOOLS / "demo", "0"], place)[0], 2, "demo: no seconds")
    if not ROOT:
        checks.cannot_judge("another user's demo", "needs root")
        return
    try:
        subprocess.run([JANKD, "--version"], preexec_fn=other_user, cwd="/", capture_output=True)
    except PermissionError:
        checks.cannot_judge("another user's demo", "another user cannot reach the program here")
        return
    shows(checks, "another user's demo", place, place / "jank-demo-nobody", other=True)
    shows(checks, "another user's demo, again", place, place / "jank-demo-nobody", other=True)
    place.chmod(0o755)
    (here / "tmp").mkdir()
    (here / "tmp").chmod(0o777)
    (place / "jank-demo-nobody").rename(here / "moved")
    code, said, error = run([TOOLS / "demo", "4"], place, True, BUILD=str(BUILD), TMPDIR=str(here / "tmp"))
    checks.that(code == 0 and any(f"{here}/tmp/" in line for line in said), f"no folder to write to: {said} {error}")
    cannot_check(checks, place)


def cannot_check(checks, place):
    """tools/check refuses another user's folder with one line, after it has printed its steps."""
    (place / "of-root").mkdir()
    code, said, error = run([TOOLS / "check", place / "of-root"], place, True)
    checks.equal((code, said[-1:]), (1, ["0 passed, 1 failed, 0 skipped"]), f"check in another's folder: {error}")
    checks.that(any("minutes" in line for line in said) and any("1 of 3" in line for line in said),
                f"check: prints its steps:  {said}")
    checks.that(f"{place}/of-root" in error and "name another folder" in error, f"check: prints the reason:  {error}")


checks = Checks()
for case in (culprits, build_folders, demo):
    with folder() as here:
        case(checks, here)
checks.end()
