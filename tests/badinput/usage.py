#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Wrong usage: exit code 2, one line that names what is wrong, and nothing written."""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from jankd import Checks, folder, jankd

MESSAGE = re.compile(r"jankd: [^:\n]+: .+; .+\n\Z")

# arguments; a word that the message has to hold
WRONG = (
    ((), ""),
    (("frobnicate",), "frobnicate"),
    (("--frobnicate",), "--frobnicate"),
    (("analyze",), ""),
    (("analyze", "--frobnicate", "x"), "--frobnicate"),
    (("analyze", "-Z", "x"), "Z"),
    (("analyze", "--target"), "--target"),
    (("analyze", "-t", "sixty", "x"), "-t"),
    (("analyze", "--target", "-60", "x"), "--target"),
    (("analyze", "--target=60fps", "x"), "--target"),
    (("analyze", "--target", "", "x"), "--target"),
    (("analyze", "--target", "nan", "x"), "--target"),
    (("analyze", "--target", "inf", "x"), "--target"),
    (("analyze", "-k", "-1", "x"), "-k"),
    (("analyze", "--KPI", "1e99", "x"), "--KPI"),
    (("analyze", "-T", "5", "x"), "-T"),
    (("analyze", "-T", "-1", "x"), "-T"),
    (("analyze", "--type", "1.5", "x"), "--type"),
    (("analyze", "-d", "soon", "x"), "-d"),
    (("analyze", "--delay", "-1", "x"), "--delay"),
    (("analyze", "-f", "99999999999999999999999", "x"), "-f"),
    (("analyze", "--frames", "many", "x"), "--frames"),
    (("analyze", "--vsync-ms", "0", "x"), "--vsync-ms"),
    (("analyze", "--vsync-ms", "-16.7", "x"), "--vsync-ms"),
    (("analyze", "--vsync-ms", "16,7", "x"), "--vsync-ms"),
    (("analyze", "--focus", "", "x"), "--focus"),
    (("analyze", "--duration", "1", "x"), "--duration"),
    (("analyze", "--wait", "5", "x"), "--wait"),
    (("run", "--duration", "later"), "--duration"),
    (("run", "--duration", "-1"), "--duration"),
    (("run", "--buffer-kb", "0"), "--buffer-kb"),
    (("run", "--buffer-kb", "1k"), "--buffer-kb"),
    (("run", "--source", "tea-leaves"), "--source"),
    (("run", "--source", "raw", "--snapshot", "50"), "--snapshot"),
    (("run", "--categories", ""), "--categories"),
    (("run", "--categories", " ,"), "--categories"),
    (("run", "--categories", "gfx --list"), "--categories"),
    (("run", "--categories", "gfx " * 33), "--categories"),
    (("run", "stray"), "stray"),
    (("analyze", "--include", "", "x"), "--include"),
    (("analyze", "--exclude=", "x"), "--exclude"),
    (("analyze", "--rotate-size", "1.5M", "x"), "--rotate-size"),
    (("analyze", "--min-free", "8589934592G", "x"), "--min-free"),
    (("run", "--trigger", ""), "--trigger"),
    (("run", "--trigger", "fps"), "column 4"),
    (("run", "--trigger", "fps<30 for 3"), "column 13"),
    (("analyze", "--trigger", "interval>100", "x"), "--trigger"),
    (("start", "--stdout"), "--stdout"),
    (("start", "stray"), "stray"),
    (("start", "--frobnicate"), "--frobnicate"),
    (("stop", "now"), "now"),
    (("stop", "--json"), "--json"),
    (("stop", "-F"), "-F"),
    (("stop", "-F", ""), "-F"),
    (("status", "--xml"), "--xml"),
    (("status", "--json=1"), "--json"),
    (("status", "-j"), "-j"),
    (("top", "24"), "24"),
    (("top", "-x"), "-x"),
    (("mark",), "TEXT"),
    (("mark", ""), "TEXT"),
    (("mark", "x" * 1025), "TEXT"),
    (("mark", "two", "words"), "words"),
    (("rotate", "fps.csv"), "fps.csv"),
    (("rules",), ""),
    (("rules", "frobnicate"), "frobnicate"),
    (("rules", "check"), ""),
)

HELP = (("--help",), ("--version",), ("run", "--help"), ("analyze", "--help"), ("analyze", "-h"),
        ("rules", "--help"), ("start", "--help"), ("stop", "--help"), ("status", "-h"), ("top", "--help"),
        ("mark", "--help"), ("rotate", "--help"))


def wrong_usage(checks, here):
    for arguments, word in WRONG:
        what = f"jankd {' '.join(arguments)}"
        done = jankd(*arguments, cwd=here)
        said = done.stderr.decode(errors="replace")
        checks.equal(done.returncode, 2, f"{what}: exit code ({said.strip()})")
        checks.that(MESSAGE.match(said), f"{what}: not one line 'jankd: what: why; what to do': {said!r}")
        checks.that(word in said, f"{what}: {word} is not named: {said!r}")
        checks.equal(done.stdout, b"", f"{what}: standard output")
    checks.equal(sorted(p.name for p in here.iterdir()), [], "files written by wrong usage")


def help_texts(checks, here):
    for arguments in HELP:
        what = f"jankd {' '.join(arguments)}"
        done = jankd(*arguments, cwd=here)
        checks.equal((done.returncode, done.stderr), (0, b""), what)
        checks.that(done.stdout, f"{what}: says nothing")


checks = Checks()
with folder() as here:
    wrong_usage(checks, here)
    help_texts(checks, here)
checks.end()
