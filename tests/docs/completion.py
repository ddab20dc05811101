#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shell completion offers all commands and options of the programs, and nothing else; in bash, and in zsh where it is installed."""

import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from jankd import Checks, folder, skip
from pages import BUILT, PROGRAMS, helps, options

ASK = """
cd "$1"
. "$2"
shift 2
complete -p "$1" >&2 || exit 1
function=$(complete -p "$1" | sed 's/.*-F \\([^ ]*\\) .*/\\1/')
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
"$function"
printf '%s\\n' "${COMPREPLY[@]}"
"""
# (words, what is offered); the folder has a file file.txt and a folder inner.
CASES = [
    (("jankd", "run", "--source", ""), {"auto", "text", "raw", "latency"}),
    (("jankd", "run", "--source", "=", "r"), {"raw"}),
    (("jankd", "run", "--source", "="), {"auto", "text", "raw", "latency"}),
    (("jankd", "run", "-T", ""), {"0", "1", "2", "3", "4"}),
    (("jankd", "run", "-F", ""), {"inner"}),
    (("jankd", "run", "-F", "inner", "--rules", ""), {"default", "gfx2019", "file.txt", "inner"}),
    (("jankd", "run", "--keep", ""), set()),
    (("jankd", "run", ""), set()),
    (("jankd", "mark", "st"), set()),
    (("jankd", "analyze", "--frames-log", "f"), {"file.txt"}),
    (("jankd", "rules", ""), {"check", "show"}),
    (("jankd", "rules", "sh"), {"show"}),
    (("jankd", "rules", "check", ""), {"file.txt", "inner"}),
    (("jankd", "rules", "show", ""), {"default", "gfx2019"}),
    (("jankd", "rules", "check", "fi"), {"file.txt"}),
    (("jankd", "rules", "show", "gf"), {"gfx2019"}),
    (("jankd", "sta"), {"start", "status"}),
    (("jank-phone", "--vocabulary", ""), {"android-9", "android-11", "android-14"}),
    (("jank-phone", "--scenario", "game"), {"game-30"}),
    (("jank-phone", "f"), {"file.txt"}),
    (("jank-adb", "-s", "start", "st"), {"start", "status", "stop"}),
    (("jank-adb", "pull", "in"), {"inner"}),
    (("jank-adb", "record", "--source", ""), {"auto", "text", "raw", "latency"}),
]


def same(checks, got, expected, what):
    checks.that(got == expected, f"{what}: missing {sorted(expected - got)}, too much {sorted(got - expected)}")


def completion(name):
    path = BUILT / name
    if not path.exists():
        skip(f"no completion in this build: {name} is missing")
    return path


def in_bash(checks, here, *words):
    path = completion(f"{words[0]}.bash")
    done = subprocess.run(["bash", "--norc", "-c", ASK, "bash", here, path, *words], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True)
    checks.equal(done.returncode, 0, f"exit code of the completion of {words}: {done.stderr}")
    checks.that(f"complete -F _{words[0].replace('-', '_')} {words[0]}" in done.stderr, f"complete -p {words[0]}: {done.stderr!r}")
    return set(done.stdout.split())


def options_after(program, command, texts):
    """The options that can follow a command: 'jank-adb start' passes those of 'jankd start'."""
    passed = options(helps("jankd")["start"]) if (program, command) in (("jank-adb", "start"), ("jank-adb", "record")) else set()
    return options(texts[command]) | passed


def bash(checks, here):
    for program in PROGRAMS:
        texts = helps(program)
        same(checks, in_bash(checks, here, program, "-"), options(texts[""]), f"options of {program}")
        if len(texts) > 1:
            same(checks, in_bash(checks, here, program, ""), set(texts) - {""}, f"commands of {program}")
        for command in set(texts) - {""}:
            same(checks, in_bash(checks, here, program, command, "-"), options_after(program, command, texts),
                 f"options of {program} {command}")
    for words, expected in CASES:
        same(checks, in_bash(checks, here, *words), expected, f"after {words}")


class Zsh:
    """An interactive zsh on a terminal of its own."""

    def __init__(self, here, functions):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(here)
            os.execvpe("zsh", ["zsh", "-f", "-i"], {**os.environ, "TERM": "dumb", "LC_ALL": "C", "COLUMNS": "500", "HOME": str(here)})
        self.ask(f"stty cols 500 -echo; fpath=({functions} $fpath); autoload -U compinit; compinit -u -D; PS1=; LISTMAX=9999\r"
                 "unset zle_bracketed_paste; unsetopt beep auto_menu list_ambiguous; show() { print -r -- \"<<$BUFFER>>\"; BUFFER= }; zle -N show; bindkey '^X' show\r"
                 "print re''ady\r", "ready")

    def ask(self, keys, until):
        """Types @keys; returns what is printed until @until, or ends the test."""
        os.write(self.fd, keys.encode())
        said, end = "", time.monotonic() + 60
        while until not in said:
            if time.monotonic() > end or not select.select([self.fd], [], [], 60)[0]:
                raise AssertionError(f"zsh printed {said!r}, not {until!r}")
            said += os.read(self.fd, 65536).decode(errors="replace")
        return said

    def tab(self, text):
        """(what is listed after a tab, the line then)."""
        said = self.ask(f"{text}\t\x18", ">>")
        said = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r", "", said)
        listed, _, line = said.partition("<<")
        return listed, line.split(">>")[0]

    def end(self):
        os.close(self.fd)
        os.waitpid(self.pid, 0)


def zsh(checks, here):
    functions = here / "functions"
    functions.mkdir()
    for program in PROGRAMS:
        shutil.copy(completion(f"_{program}"), functions)
    shell = Zsh(here, functions)
    for program in PROGRAMS:
        texts = helps(program)
        for command in texts:
            line = f"{program} {command} ".replace("  ", " ")
            listed = set(re.findall(r"(?<!\S)--?[A-Za-z][\w-]*", shell.tab(line + "-")[0].replace(line + "-", "")))
            same(checks, listed, options_after(program, command, texts), f"options of {line}in zsh")
        if len(texts) > 1:
            listed, _ = shell.tab(f"{program} ")
            for command in set(texts) - {""}:
                checks.that(re.search(rf"(?<!\S){command} ", listed), f"zsh does not offer {program} {command}: {listed!r}")
    for typed, line in (("jankd run --sou", "jankd run --source="), ("jankd run --source=r", "jankd run --source=raw "),
                        ("jankd run --rules gf", "jankd run --rules gfx2019 "), ("jankd analyze fi", "jankd analyze file.txt "),
                        ("jankd stop -F in", "jankd stop -F inner/"), ("jankd rules sh", "jankd rules show "),
                        ("jankd rules fi", "jankd rules fi"), ("jankd rules check fi", "jankd rules check file.txt "),
                        ("jankd rules show gf", "jankd rules show gfx2019 "),
                        ("jank-phone --scenario dem", "jank-phone --scenario demo "),
                        ("jank-adb -s x pull in", "jank-adb -s x pull inner/"),
                        ("jank-adb start --source=t", "jank-adb start --source=text ")):
        checks.equal(shell.tab(typed)[1], line, f"zsh, a tab after {typed!r}")
    shell.end()


checks = Checks()
if not shutil.which("bash"):
    skip("bash is not installed")
with folder() as here:
    place = here / "place"
    (place / "inner").mkdir(parents=True)
    (place / "file.txt").touch()
    bash(checks, place)
    if shutil.which("zsh"):
        try:
            zsh(checks, place)
        except OSError as error:
            checks.cannot_judge("zsh", f"no terminal: {error}")
checks.end()
