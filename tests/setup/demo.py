# SPDX-License-Identifier: Apache-2.0
"""tools/demo and tools/check: what they print, in any path, for root and then for a user, two at once; the build folder that they choose."""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from jankd import BUILD, JANKD, SOURCE, checks, folder

TOOLS = SOURCE / "tools"
ROOT = os.geteuid() == 0
OTHER = {"user": 65534, "group": 65534, "extra_groups": ()}  # for a child process


def run(command, cwd, other=False, umask=-1, **environment):
    """(exit code, lines of standard output, standard error)"""
    done = subprocess.run([str(word) for word in command], cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          env={**os.environ, **environment}, timeout=300, umask=umask, **(OTHER if other else {}))
    return done.returncode, done.stdout.splitlines(), done.stderr


def build_folders(checks, here):
    """Each user gets a build folder that contains only files of that user."""
    tree = here / "tree"
    (tree / "tools").mkdir(parents=True)
    shutil.copy(TOOLS / "choose-build", tree / "tools")
    (here / "tmp").mkdir()
    for path, mode in ((here, 0o755), (tree, 0o755), (tree / "tools", 0o755), (here / "tmp", 0o777)):
        path.chmod(mode)
    places = {"HOME": str(here / "none"), "XDG_CACHE_HOME": "", "TMPDIR": str(here / "tmp"), "BUILD": ""}

    def check(what, expected, is_reported, other=False, **more):
        code, said, error = run([tree / "tools" / "choose-build"], here, other, **{**places, **more})
        checks.that(code == 0 and said and said[0].startswith(str(expected)) and bool(error) == is_reported, f"build folder: {what}: {said}, {error}")

    check("none yet", tree / "build", False)
    check("named", "mine", False, BUILD="mine")
    (tree / "build").mkdir()
    check("our own", tree / "build", False)
    if not ROOT:
        checks.cannot_judge("build folder: of another user", "needs root")
        return
    check("of root's tree", f"{here}/tmp/jankd-build-{OTHER['user']}-", True, True)
    tree.chmod(0o777)
    check("beside root's", tree / "build-nobody", True, True)
    os.chown(tree / "build", OTHER["user"], OTHER["group"])
    check("theirs", tree / "build", False, True)
    check("beside another user's", tree / "build-root", True)
    (tree / "build" / "of-root").write_text("")
    check("root was in it", tree / "build-nobody", True, True)
    (tree / "build-root").symlink_to(here / "tmp")
    check("a link", f"{here}/none/.cache/jankd-build-", True)


def check_counts(checks, here):
    """tools/check in a path with a blank and letters, with a meson that only leaves the results."""
    tree, programs = here / "a b" / "地方", here / "bin"
    (tree / "tools").mkdir(parents=True)
    programs.mkdir()
    for name in ("check", "choose-build", "count_tests.py"):
        shutil.copy(TOOLS / name, tree / "tools")
    log = """[ $1 = setup ] || { mkdir -p "$3/meson-logs"; echo '{"name": "x", "result": "OK"}' >"$3/meson-logs/check-quick.json"; }"""
    for path, text in ((tree / "tools" / "install-deps", ""), (programs / "ninja", ""), (programs / "meson", log)):
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
    for umask in (0o077, 0):
        code, said, error = run([tree / "tools" / "check"], here, False, umask, PATH=f"{programs}:{os.environ['PATH']}", BUILD="", LC_ALL="C")
        checks.equal((code, said[-1]), (0, "1 passed, 0 failed, 0 skipped"), f"check with umask {umask:o}: {error}")


def demo(checks, here):
    tree, place, locales = here / "a way", here / "地方 b", {0o077: "C", 0: "zh_CN.UTF-8", 0o022: "C.UTF-8"}
    tree.symlink_to(SOURCE)
    place.mkdir()
    (here / "tmp").mkdir()
    for path in (here, place, here / "tmp"):
        path.chmod(0o777)

    def shows(what, into, other=False, umask=0o022):
        code, said, error = run([tree / "tools" / "demo", "4"], place, other, umask, BUILD=str(BUILD), TMPDIR=str(here / "tmp"), LC_ALL=locales[umask])
        checks.equal(code, 0, f"{what}: exit code: {error[-1500:]}")
        checks.equal(sorted(re.findall(r"^(?:TOO SHORT|BAD|GOOD): (com\.example\.\w+)", "\n".join(said), re.M)),
                     ["com.example.game", "com.example.mail"], f"{what}: {said[-8:]}")
        page = pathlib.Path(said[-1].removeprefix("The page, for a browser: "))
        checks.that(page.match(into) and {"fps.csv", "summary.csv", "frames.csv", "report.html"} <= {path.name for path in page.parent.iterdir()},
                    f"{what}: page: {said[-1]}: {error[-500:]}")

    with concurrent.futures.ThreadPoolExecutor() as pool:
        list(pool.map(lambda umask: shows(f"two at once, umask {umask:o}", "地方 b/jank-demo*/*", umask=umask), (0o077, 0)))
    checks.equal(len(list(place.iterdir())), 2, "folders of two demos")
    checks.equal(run([TOOLS / "demo", "0"], place)[0], 2, "demo: no seconds")
    if not ROOT:
        checks.cannot_judge("another user's demo", "needs root")
        return
    if subprocess.run(["test", "-x", JANKD], **OTHER).returncode != 0:
        checks.cannot_judge("another user's demo", "another user cannot reach the program here")
        return
    for what in ("another user's demo", "another user's demo, again"):
        shows(what, "jank-demo-nobody/*", True)
    place.chmod(0o755)
    (place / "jank-demo-nobody").rename(here / "moved")
    shows("no folder to write to", "tmp/tmp.*/*", True)
    # tools/check refuses another user's folder with one line, after it has printed its steps.
    (place / "of-root").mkdir()
    code, said, error = run([TOOLS / "check", place / "of-root"], place, True)
    checks.equal((code, said[-1:]), (1, ["0 passed, 1 failed, 0 skipped"]), f"check in another's folder: {error}")
    checks.that("1 of 3" in "".join(said) and f"{place}/of-root" in error and "name another folder" in error, f"check: steps, the reason: {said}, {error}")


for case in (build_folders, check_counts, demo):
    with folder() as here:
        case(checks, here)
checks.end()
