# SPDX-License-Identifier: Apache-2.0
"""Reads a list of meson's tests. Prints the names of those that .ci/run executes: of suite 'all' those of which a file has changed in the last 50 commits."""

import pathlib
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[1]
COMMITS = 50
LOADER = ("tools/fleet/clickhouse.py", "tools/fleet/folders.py", "tools/fleet/load.py", "tools/fleet/schema.py")

# The test, and files and folders of the tree.
TESTS = {
    "adb cables": ("tools/adb/jank-adb", "tests/adb/cable.py"),
    "boot 6.1": ("tests/cross/boot.py", "tests/cross/guest"), "boot 6.12 pages of 16 KB": ("tests/cross/boot.py", "tests/cross/guest"),
    "fleet hostile": (*LOADER, "tests/fleet/hostile.py"),
    "fleet lab all": (*LOADER, "tools/fleet/queries", "tools/fleet/queries.py", "tests/fleet/lab.py"),
    "fleet page": ("tools/fleet/page.css", "tools/fleet/page.js", "tools/fleet/page.py", "tests/fleet/page.py"),
    "fleet readme": ("tools/fleet/README.md", "tools/fleet/jank-fleet", "tests/fleet/readme.py"),
    "readme all": ("tools/demo", "tools/bench", "tools/choose-build", "meson.build", "tests/docs/readme.py"),
    "release": ("tools/release", "debian", "tests/setup/release.py"), "report large all": ("tests/report/large.py",),
    "report levels all": ("tools/report/compare.c", "tests/report/levels_test.c"),
    "report windows": ("tools/build-windows", "tools/report/os.h", "tests/report/windows.py"),
    "soak": ("tests/soak",), "units arm": ("tests/cross/units.py", "parser"),
    "units arm64": ("tests/cross/units.py",)}


def changed():
    """The files that are other ones than before these commits; None: the history is not here."""
    diff = subprocess.run(["git", "-C", SOURCE, "diff", "--name-only", f"HEAD~{COMMITS}", "HEAD"], capture_output=True, text=True)
    return diff.stdout.split("\n") if diff.returncode == 0 else None


def due(files):
    return [test for test, paths in TESTS.items() if files is None or any(file == path or file.startswith(path + "/") for file in files for path in paths)]


if __name__ == "__main__":
    tests = due(changed())
    for suites, _, name in (line.strip().partition(" / ") for line in sys.stdin):
        if name in tests or "all" not in suites.partition(":")[2].split("+"):
            print(name)
