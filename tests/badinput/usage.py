#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Wrong usage: exit code 2, one line that names the wrong argument, and no file is written."""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from jankd import Checks, folder, jankd

MESSAGE = re.compile(r"jankd: [^:\n]+: .+; .+\n\Z")

# arguments; a word that the message must contain
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
    (("analyze", "--vsync-ms", "1.999", "x"), "--vsync-ms 1.999: must be a period in milliseconds from 2 to 1000;"),
    (("analyze", "--vsync-ms", "1000.001", "x"), "from 2 to 1000;"),
    (("analyze", "--focus", "", "x"), "--focus"),
    (("analyze", "--focus", "nope", "x"), "--focus nope"),
    (("analyze", "--focus", "com.game/", "x"), "--focus com.game/"),
    (("analyze", "--focus", "/.Main", "x"), "--focus"),
    (("analyze", "--focus", "com.game/.Main/x", "x"), "--focus"),
    (("analyze", "--focus", "com.game .Main", "x"), "--focus"),
    (("analyze", "--duration", "1", "x"), "--duration"),
    (("analyze", "--dumpsys"), "--dumpsys"),
    (("analyze", "--dumpsys", "-", "-"), "--dumpsys"),
    (("run", "--dumpsys", "x"), "--dumpsys"),
    (("start", "--dumpsys", "x"), "--dumpsys"),
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
    # a value that is too large is refused with the range
    (("analyze", "-t", "1e5", "x"), "from 0.001 to 10000;"),
    (("analyze", "-k", "1e7", "x"), "from 0.001 to 1000000;"),
    (("analyze", "-T", "9", "x"), "from 0 to 4;"),
    (("analyze", "-d", "1e18", "x"), "from 0 to 1000000;"),
    (("analyze", "-f", "-1", "x"), "-f -1: must be a number of frames from 0 to 4294967295;"),
    (("analyze", "-f", "4294967296", "x"), "from 0 to 4294967295;"),
    (("run", "--duration", "1e18"), "--duration 1e18: must be a number of seconds from 0.001 to 100000000;"),
    (("run", "--duration", "0"), "from 0.001"),
    (("start", "--wait", "1e400"), "from 0.001 to 100000000;"),
    (("run", "--buffer-kb", "4194305"), "from 4 to 4194304;"),
    (("analyze", "--keep", "0", "x"), "from 1 to 4294967295;"),
    (("analyze", "--keep", "1K", "x"), "from 1 to 4294967295;"),
    (("analyze", "--rotate-size", "4095", "x"), "from 4096 to"),
    (("analyze", "--rotate-size", "3K", "x"), "from 4096 to"),
    (("analyze", "--rotate-size", "16KB", "x"), "K, M or G may follow"),
    (("analyze", "--min-free", "99999999999999999999", "x"), "to 9223372036854775807;"),
    (("analyze", "--max-surfaces", "4097", "x"), "from 16 to 4096;"),
    (("analyze", "--sync", "2e8", "x"), "from 0.001 to 100000000;"),
    (("analyze", "--snapshot", "1e7", "x"), "from 0.001 to 1000000;"),
    (("analyze", "--snapshot", "50", "--snapshot-seconds", "601", "x"), "from 0.1 to 600;"),
    # options that need, or exclude, another one
    (("analyze", "--snapshot-seconds", "5", "x"), "--snapshot-seconds"),
    (("analyze", "--latency", "x"), "--latency: polls this device"),
    (("run", "--latency", "--source", "latency"), "--latency: is for a trace"),
    (("start", "--no-atrace", "--categories", "gfx"), "--categories"),
    (("run", "--stdout", "-T", "3"), "--stdout"),
    (("analyze", "--type", "4", "--stdout", "x"), "--stdout"),
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
    (("files", "fps.csv"), "fps.csv"),
    (("files", "--from", "5"), "--from"),
    (("files", "--read", "fps.csv", "--from", "-1"), "--from"),
    (("doctor", "now"), "now"),
    (("doctor", "--json"), "--json"),
    (("rules",), ""),
    (("rules", "frobnicate"), "frobnicate"),
    (("rules", "check"), ""),
)

HELP = (("--help",), ("--version",), ("run", "--help"), ("analyze", "--help"), ("analyze", "-h"),
        ("rules", "--help"), ("start", "--help"), ("stop", "--help"), ("status", "-h"), ("top", "--help"),
        ("mark", "--help"), ("rotate", "--help"), ("files", "--help"), ("doctor", "--help"))


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


# Parsed, so that the reason is better than 'unknown option'.
REFUSED = {("start", "--stdout"), ("analyze", "--latency")}


def listed(text):
    """The options at the beginning of lines of a help text."""
    return {name for line in text.splitlines() if re.match(r" {2}(-\w, | {4})--", line)
            for name in re.findall(r"--[\w-]+", line[:24].split(" N")[0])}


def help_lists_what_is_accepted(checks, here):
    """A command accepts exactly the options that its help lists."""
    texts = {name: jankd(name, "--help", cwd=here).stdout.decode() for name in ("run", "start", "analyze")}
    names = {name: listed(text) for name, text in texts.items()}
    checks.equal(names["run"] - names["start"], {"--stdout"}, "options of run that start has not")
    checks.equal(names["start"] - names["run"], {"--resume"}, "options of start that run has not")
    checks.that(len(names["analyze"]) > 20, f"options of analyze: {names['analyze']}")
    for command, own in names.items():
        checks.that("--stdout" not in texts["start"], "start --help: --stdout")
        for option in set.union(*names.values()):
            # no option accepts an empty value, so no capture starts
            said = jankd(command, option if option == "--resume" else f"{option}=", "x", cwd=here).stderr.decode()
            known = "unknown option" not in said and (command, option) not in REFUSED
            checks.equal(known, option in own, f"{command} {option}: {said!r}")


def good_values(checks, here):
    """Values at the ends of their range are accepted: the error is the missing trace."""
    for arguments in (("--vsync-ms", "2"), ("--vsync-ms", "1000"), ("--vsync-ms", "41.667"), ("--focus", "com.game/.Main"),
                      ("--focus", "launcher/launcher.Activity"), ("--focus", "com.game"), ("-d", "0"), ("-f", "0"),
                      ("-T", "4"), ("--rotate-size", "4K"), ("--min-free", "0"), ("--keep", "1"),
                      ("--snapshot", "50", "--snapshot-seconds", "0.1"), ("--snapshot-seconds", "600", "--snapshot", "5")):
        done = jankd("analyze", *arguments, "-F", here / "out", here / "none.txt", cwd=here)
        checks.that(done.returncode == 1 and b"none.txt" in done.stderr, f"{arguments}: {done.stderr!r}")


checks = Checks()
with folder() as here:
    wrong_usage(checks, here)
    help_texts(checks, here)
    help_lists_what_is_accepted(checks, here)
    good_values(checks, here)
checks.end()
