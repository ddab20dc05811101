# SPDX-License-Identifier: Apache-2.0
"""All names of Android are in the rules: a phone with other names, and a rule file with these names, gives the same rows. Each
name has as many bytes as before, so the records are those of before, too."""

import re
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from jankd import analyze, checks, differences, folder, jankd, outputs, scenario

# Names, or parts of some.
NAMES = (b"VSYNC-", b"hasClientComposition", b"FrameMissed", b"Choreographer#doFrame", b"DrawFrame", b"traversal", b"draw", b"queueBuffer",
         b"acquireNextBufferLocked", b"setFrameTimelineInfo", b"QueuedBuffer", b"completion", b"has signaled", b"HWC release", b"vsyncIn",
         b"beginFrame")


def renamed(text):
    """@text with other names; those of roles, at the begin of a line, stay."""
    return re.sub(b"(?<!\n)(" + b"|".join(NAMES) + b")", lambda name: name[0].swapcase(), text)


with checks, folder() as here:
    (here / "rules").write_bytes(renamed(jankd("rules", "show", "default").stdout))
    for vocabulary in ("android-9", "android-11", "android-14"):
        text = scenario("culprits", here / "trace", vocabulary=vocabulary).read_bytes()
        (here / "renamed").write_bytes(renamed(text))
        analyze(here / "before", "--frames-log", "-T", "2", here / "trace")
        analyze(here / "after", "--frames-log", "-T", "2", "--rules", here / "rules", here / "renamed")
        after = {file: re.sub(b"|".join(name.swapcase() for name in NAMES), lambda name: name[0].swapcase(), rows) for file, rows in outputs(here / "after").items()}
        checks.equal(differences(outputs(here / "before"), after), [], f"{vocabulary}: files that differ")
