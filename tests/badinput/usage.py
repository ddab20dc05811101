# SPDX-License-Identifier: Apache-2.0
"""Wrong usage: exit code 2, one line that names the wrong argument, and no file is written. Help lists what is accepted."""

import re
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from jankd import checks, folder, jankd

MESSAGE = re.compile(r"jankd: [^:\n]+: .+; .+\n\Z")

# Arguments of each command, and words that the message must contain. All other options: tests/unit/options_test.c.
WRONG = (((), ""), (("analyze", "--vsync-ms", "1.999", "x"), "--vsync-ms 1.999: must be a period in milliseconds from 2 to 1000;"),
    (("analyze", "--dumpsys", "-", "-"), "--dumpsys"), (("run", "--dumpsys", "x"), "--dumpsys"),
    (("run", "--duration", "1e18"), "--duration 1e18: must be a number of seconds from 0.001 to 100000000;"),
    (("run", "--categories", "gfx --list"), "--categories"), (("run", "--categories", "gfx " * 33), "--categories"),
    (("analyze", "--rotate-size", "16KB", "x"), "K, M or G may follow"),
    (("analyze", "--min-free", "8589934592G", "x"), "to 9223372036854775807;"),
    (("run", "--trigger", "fps<30 for 3"), "column 13"),
    # Options that need, or exclude, another one.
    (("analyze", "--type", "4", "--stdout", "x"), "--stdout"), (("files", "--read", "fps.csv", "--from", "-1"), "--from"),
    (("doctor", "--json"), "--json"), (("top", "24"), "24"), (("dance",), "dance"), (("--dance",), "--dance"),
    (("mark", ""), "TEXT"), (("mark", 1025 * "x"), "1024"), (("rules",), "check"), (("rules", "check"), ""),
    (("rules", "dance"), "dance"), (("rules", "--dance"), "--dance"), (("rules", "show", "nonsense"), "nonsense"),
    (("rules", "show", "a", "b"), "show"))
COMMANDS = ("run", "start", "stop", "status", "top", "mark", "rotate", "files", "doctor", "analyze", "rules")


def wrong_usage(checks, here):
    for arguments, words in WRONG:
        what = f"jankd {' '.join(arguments)}"
        done = jankd(*arguments, cwd=here)
        said = done.stderr.decode(errors="replace")
        checks.equal((done.returncode, done.stdout), (2, b""), f"{what}: exit code, standard output ({said.strip()})")
        checks.that(MESSAGE.match(said), f"{what}: not one line 'jankd: what: why; what to do': {said!r}")
        checks.that(words in said, f"{what}: {words} is not in {said!r}")
    checks.equal(list(here.iterdir()), [], "files written by wrong usage")
    # The error is the missing trace, not the option.
    done = jankd("analyze", "--focus", "com.game", "-F", here / "out", here / "none.txt")
    checks.that(done.returncode == 1 and b"none.txt" in done.stderr, f"an app as focus: {done.stderr!r}")


# Parsed, so that the reason is better than 'unknown option'.
REFUSED = {("start", "--stdout")}


def help_lists_what_is_accepted(checks, here):
    """A command accepts exactly the options that its help lists."""
    texts = {name: jankd(name, "--help", cwd=here).stdout.decode() for name in COMMANDS}
    # Options at the beginning of lines.
    names = {command: {name for line in texts[command].splitlines() if re.match(r" {2}(-\w, | {4})--", line)
                       for name in re.findall(r"--[\w-]+", line[:24].split(" N")[0])} for command in ("run", "start", "analyze")}
    every, version = (jankd(option, cwd=here).stdout.decode() for option in ("-h", "--version"))
    checks.equal([name for name, text in texts.items() if f"jankd {name}" not in text or name not in every], [], "commands without help")
    checks.that(version.startswith("jankd ") and "begin a new segment every" in texts["run"], f"--version, words of help: {version} {texts['run']}")
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


def rule_sets(checks, here):
    """They are shown and checked; the message names the place of an error."""
    checks.equal(jankd("rules", "show").stdout.split(), [b"default", b"gfx2019"], "rules show")
    (here / "my").write_bytes(jankd("rules", "show", "default").stdout)
    (here / "two").write_text("present slice post\n \t# one\n\n latch counter {layer} inside b\n")
    (here / "bad").write_text("# a comment\nnonsense \"x\"\n")
    (here / "empty").write_text("")
    for name, code, said in (("my", 0, "my: ok"), ("two", 0, "two: ok, 2 rules\n"), ("bad", 1, "bad:2:1: "), ("none", 1, "none"), (".", 1, ""),
                             ("empty", 1, "empty")):
        done = jankd("rules", "check", name, cwd=here)
        checks.equal((done.returncode, done.stdout == b""), (code, code == 1), f"rules check {name}: {done}")
        checks.that(said in (done.stdout or done.stderr).decode(), f"rules check {name}: {done}")
        if code == 1:
            done = jankd("analyze", "--rules", name, "-F", here / "out", here / "my", cwd=here)
            checks.that(done.returncode == 1 and said in done.stderr.decode(), f"analyze --rules {name}: {done}")
    checks.that(not (here / "out").exists(), "analyze: a folder")


with checks, folder() as place:
    wrong_usage(checks, place)
    help_lists_what_is_accepted(checks, place)
    rule_sets(checks, place)
