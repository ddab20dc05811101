#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""All names of Android are in the rules: a phone with other names, and a rule file with these names, gives the same rows. Each
name has as many bytes as before, so the records are those of before, too."""

import subprocess
import sys

sys.path.insert(0, str(__import__("pathlib").Path(__file__).resolve().parents[1] / "lib"))
from jankd import JANKD, Checks, analyze, differences, folder, outputs, scenario

# Names, or their common begin: each is another one on a phone of its own.
NAMES = ("VSYNC-", "hasClientComposition", "FrameMissed", "VsyncWorkDuration-")


def main():
    checks = Checks()
    rules = subprocess.run([JANKD, "rules", "show", "default"], capture_output=True, check=True).stdout
    with folder() as here:
        for vocabulary in ("android-9", "android-11", "android-14"):
            text = scenario("culprits", here / "trace", vocabulary=vocabulary).read_bytes()
            analyze(here / "before", "--frames-log", "-T", "2", here / "trace")
            for name in NAMES:
                old, new = name.encode(), name.swapcase().encode()
                if old not in text:
                    continue
                (here / "renamed").write_bytes(text.replace(old, new))
                (here / "rules").write_bytes(rules.replace(old, new))
                analyze(here / "after", "--frames-log", "-T", "2", "--rules", here / "rules", here / "renamed")
                after = {file: rows.replace(new, old) for file, rows in outputs(here / "after").items()}
                checks.equal(differences(outputs(here / "before"), after), [], f"{vocabulary}: {name}: files that differ")
    checks.end()


main()
