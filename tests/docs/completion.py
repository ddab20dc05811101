# SPDX-License-Identifier: Apache-2.0
"""Shell completion offers all commands and options of the programs, and nothing else; in bash, and in zsh where it is installed."""

import contextlib
import os
import pty
import re
import select
import shutil
import subprocess
import time
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from jankd import checks, folder, skip
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
# Words, and what is offered after them; the folder has a file file.txt and a folder inner.
CASES = {"jankd run --source ": "auto text raw latency", "jankd run --source = r": "raw", "jankd run --source =": "auto text raw latency",
    "jankd run -T ": "0 1 2 3 4", "jankd run -F ": "inner", "jankd run -F inner --rules ": "default gfx2019 file.txt inner",
    "jankd run --keep ": "", "jankd run ": "", "jankd mark st": "", "jankd analyze --frames-log f": "file.txt",
    "jankd rules ": "check show", "jankd rules sh": "show", "jankd rules check ": "file.txt inner",
    "jankd rules show ": "default gfx2019", "jankd rules check fi": "file.txt", "jankd rules show gf": "gfx2019",
    "jankd sta": "start status", "jank-phone --vocabulary ": "android-9 android-11 android-14 android-15",
    "jank-phone --scenario game": "game-30", "jank-phone f": "file.txt", "jank-adb -s start st": "start status stop",
    "jank-adb pull in": "inner", "jank-adb record --source ": "auto text raw latency"}
# What is typed, and the line after a tab of zsh.
LINES = {"jankd run --sou": "jankd run --source=", "jankd run --source=r": "jankd run --source=raw ",
    "jankd run --rules gf": "jankd run --rules gfx2019 ", "jankd analyze fi": "jankd analyze file.txt ",
    "jankd stop -F in": "jankd stop -F inner/", "jankd rules sh": "jankd rules show ", "jankd rules fi": "jankd rules fi",
    "jankd rules check fi": "jankd rules check file.txt ", "jankd rules show gf": "jankd rules show gfx2019 ",
    "jank-phone --scenario dem": "jank-phone --scenario demo ", "jank-adb -s x pull in": "jank-adb -s x pull inner/",
    "jank-adb start --source=t": "jank-adb start --source=text "}


def completion(name):
    path = BUILT / name
    if not path.exists():
        skip(f"no completion in this build: {name} is missing")
    return path


def options_after(program, command, texts):
    """The options that can follow a command: 'jank-adb start' passes those of 'jankd start'."""
    passed = options(helps("jankd")["start"]) if (program, command) in (("jank-adb", "start"), ("jank-adb", "record")) else set()
    return options(texts[command]) | passed


def bash(checks, here):
    def offered(*words):
        done = subprocess.run(["bash", "--norc", "-c", ASK, "bash", here, completion(f"{words[0]}.bash"), *words],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)
        checks.that(done.returncode == 0 and f"complete -F _{words[0].replace('-', '_')} {words[0]}" in done.stderr, f"completion of {words}: {done.stderr}")
        return set(done.stdout.split())

    for program in PROGRAMS:
        texts = helps(program)
        for command in texts:
            checks.equal(offered(program, *filter(None, [command]), "-") ^ options_after(program, command, texts), set(), f"options of {program} {command}")
        if len(texts) > 1:
            checks.equal(offered(program, "") ^ set(texts) - {""}, set(), f"commands of {program}")
    for words, expected in CASES.items():
        checks.equal(offered(*words.split(" ")), set(expected.split()), f"after {words}")


@contextlib.contextmanager
def interactive(here, functions):
    """A zsh on a terminal of its own: tab(text) is (what is listed after a tab, the line then)."""
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(here)
        os.execvpe("zsh", ["zsh", "-f", "-i"], {**os.environ, "TERM": "dumb", "LC_ALL": "C", "COLUMNS": "500", "HOME": str(here)})

    def ask(keys, until):
        """Types @keys; returns what is printed until @until, or ends the test."""
        os.write(fd, keys.encode())
        said, end = "", time.monotonic() + 60
        while until not in said:
            if time.monotonic() > end or not select.select([fd], [], [], 60)[0]:
                raise AssertionError(f"zsh printed {said!r}, not {until!r}")
            said += os.read(fd, 65536).decode(errors="replace")
        return said

    def tab(text):
        listed, _, line = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r", "", ask(f"{text}\t\x18", ">>")).partition("<<")
        return listed, line.split(">>")[0]

    ask(f"stty cols 500 -echo; fpath=({functions} $fpath); autoload -U compinit; compinit -u -D; PS1=; LISTMAX=9999\r"
        "unset zle_bracketed_paste; unsetopt beep auto_menu list_ambiguous; show() { print -r -- \"<<$BUFFER>>\"; BUFFER= }; zle -N show; bindkey '^X' show\r"
        "print re''ady\r", "ready")
    yield tab
    os.close(fd)
    os.waitpid(pid, 0)


def zsh(checks, here):
    functions = here / "functions"
    functions.mkdir()
    for program in PROGRAMS:
        shutil.copy(completion(f"_{program}"), functions)
    with interactive(here, functions) as tab:
        for program in PROGRAMS:
            texts = helps(program)
            for command in texts:
                line = f"{program} {command} ".replace("  ", " ")
                listed = set(re.findall(r"(?<!\S)--?[A-Za-z][\w-]*", tab(line + "-")[0].replace(line + "-", "")))
                checks.equal(listed ^ options_after(program, command, texts), set(), f"options of {line}in zsh")
            listed = tab(f"{program} ")[0] if len(texts) > 1 else ""
            for command in set(texts) - {""}:
                checks.that(re.search(rf"(?<!\S){command} ", listed), f"zsh does not offer {program} {command}: {listed!r}")
        for typed, line in LINES.items():
            checks.equal(tab(typed)[1], line, f"zsh, a tab after {typed!r}")


if not shutil.which("bash"):
    skip("bash is not installed")
with checks, folder() as here:
    place = here / "place"
    (place / "inner").mkdir(parents=True)
    (place / "file.txt").touch()
    bash(checks, place)
    if shutil.which("zsh"):
        try:
            zsh(checks, place)
        except OSError as error:
            checks.cannot_judge("zsh", f"no terminal: {error}")
