#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""README.zh-CN.md has the sections of README.md, each with the same blocks, commands, names of files and links."""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from jankd import SOURCE, Checks

TOKEN = re.compile(r"^```.*?^```$|^#+ |`[^`]+`|\]\((?!README)[^)#]+\)", re.M | re.S)


def sections(name):
    found = [[]]
    for token in TOKEN.findall((SOURCE / name).read_text(encoding="utf-8")):
        found += [[]] * token.startswith("#")
        found[-1] = sorted([*found[-1], token])
    return found


checks = Checks()
english, chinese = sections("README.md"), sections("README.zh-CN.md")
checks.equal(len(chinese), len(english), "number of sections")
for number, (one, other) in enumerate(zip(english, chinese)):
    checks.equal(other, one, f"what section {number} contains")
checks.end()
