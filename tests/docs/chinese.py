#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""README.zh-CN.md says what README.md says: the same code blocks, tables, commands, links and numbers in the same sections."""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from jankd import SOURCE, Checks

BLOCK = re.compile(r"^```.*?^```$", re.M | re.S)
CODE = re.compile(r"`[^`]+`")
LINK = re.compile(r"\]\(([^)#]+)\)")
NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*")


def sections(text):
    """[(level of the heading, text below it)] outside of code blocks."""
    parts = re.split(r"^(#+) [^\n]*\n", BLOCK.sub("", text), flags=re.M)
    return list(zip(parts[1::2], parts[2::2]))


def table(text):
    """For each row of the tables: number of cells, and the code in it."""
    return [(line.replace(r"\|", "").count("|"), sorted(CODE.findall(line))) for line in text.splitlines() if line.startswith("|")]


def plain(text):
    """@text without what differs: links of one language to the other, and code."""
    return re.sub(r"\[[^\]]*\]\(README\S*\)", "", CODE.sub("", text))


checks = Checks()
english, chinese = ((SOURCE / name).read_text(encoding="utf-8") for name in ("README.md", "README.zh-CN.md"))
checks.equal(BLOCK.findall(chinese), BLOCK.findall(english), "code blocks")
checks.equal([level for level, _ in sections(chinese)], [level for level, _ in sections(english)], "headings")
for (_, one), (_, other) in zip(sections(english), sections(chinese)):
    begin = one.strip().splitlines()[0] if one.strip() else ""
    checks.equal(table(other), table(one), f"tables of the section that begins with {begin!r}")
    checks.equal(sorted(CODE.findall(other)), sorted(CODE.findall(one)), f"code in the section that begins with {begin!r}")
    checks.equal(sorted(set(NUMBER.findall(plain(other)))), sorted(set(NUMBER.findall(plain(one)))),
                 f"numbers in the section that begins with {begin!r}")
    checks.equal(sorted(set(LINK.findall(other)) - {"README.md"}), sorted(set(LINK.findall(one)) - {"README.zh-CN.md"}),
                 f"links in the section that begins with {begin!r}")
    checks.equal(other.count("\n\n"), one.count("\n\n"), f"paragraphs of the section that begins with {begin!r}")
    checks.equal(len(re.findall(r"^\*\*|^- \*\*", other, re.M)), len(re.findall(r"^\*\*|^- \*\*", one, re.M)),
                 f"paragraphs with a name in the section that begins with {begin!r}")
anchors = {heading.lower().replace(" ", "-") for heading in re.findall(r"^#+ (.*)$", BLOCK.sub("", chinese), re.M)}
for anchor in re.findall(r"\]\(#([^)]+)\)", chinese):
    checks.that(anchor in anchors, f"README.zh-CN.md: no heading for the link #{anchor}")
checks.end()
