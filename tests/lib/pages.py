# SPDX-License-Identifier: Apache-2.0
"""The man pages: as they are in the tree, and as the build makes them."""

import re
import subprocess

from jankd import BUILD, JANKD, PHONE, REPORT, SOURCE, skip

PAGES = SOURCE / "tools" / "dist" / "man"
BUILT = BUILD / "tools" / "dist"
PROGRAMS = {"jankd": JANKD, "jank-phone": PHONE, "jank-report": REPORT, "jank-adb": SOURCE / "tools" / "adb" / "jank-adb"}
ESCAPES = {r"\-": "-", r"\(aq": "'", r"\(dq": '"', r"\(ga": "`", r"\(ha": "^", r"\(ti": "~", r"\&": "", r"\e": "\\"}
ESCAPE = re.compile(r"\\(?:\(..|.)")
# A line of a --help that begins the text of an option.
OPTION = re.compile(r"^ {2,}((?:(?:-\w, )?--[a-z]|-\w ).*)$", re.M)
# A block, or a program with its words in a sentence or table.
README_COMMAND = re.compile(r"^```(\w*)\n(.*?)^```$|`((?:\S*/)?(?:jank[\w-]*|meson|adb) [^`]+)`", re.M | re.S)
NAME = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*")


def page(name):
    """A page as the build makes it, without escapes of roff."""
    path = BUILT / name
    if not path.exists():
        skip(f"no man pages in this build: {name} is missing")
    return ESCAPE.sub(lambda found: ESCAPES.get(found[0], found[0]), path.read_text(encoding="utf-8"))


def section(text, heading):
    """The part of a page below the heading .Sh or .Ss."""
    found = re.search(rf"^\.S[hs] {re.escape(heading)}\n(.*?)(?=^\.S[hs] |\Z)", text, re.M | re.S)
    return found[1] if found else ""


def items(text, macro):
    """[(names, text)] of the list items that begin with @macro; names are separated by ' , '."""
    parts = re.split(r"^\.It ", text, flags=re.M)[1:]
    heads = [part.partition("\n") for part in parts]
    return [(head[len(macro) + 1:].split(" , "), body.split("\n.El")[0]) for head, _, body in heads if head.startswith(macro + " ")]


def examples(name):
    """Commands of a page that need neither a phone nor root: the displays after '.\\" tested'."""
    text = (PAGES / name).read_text(encoding="utf-8")
    return re.findall(r'^\.\\" tested\n\.Bd [^\n]*\n(.*?)^\.Ed$', text, re.M | re.S)


def helps(program):
    """{command, or "" for the program: what --help prints}."""
    def ask(*arguments):
        return subprocess.run([PROGRAMS[program], *arguments, "--help"], check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout
    first = ask()
    part = re.search(r"^commands:\n((?: .*\n)*)", first, re.M)
    heads = re.findall(r"^  ([a-z]+(?:, [a-z]+)*)(?= |$)", part[1], re.M) if part else ()
    commands = sorted({name for head in heads for name in head.split(", ")})
    own = "COMMAND --help" in first
    return {"": first, **{command: ask(command) if own else first for command in commands}}


def options(text):
    """The names of the options that a --help explains."""
    names = set()
    for line in OPTION.findall(text):
        names.update(NAME.findall(re.split(r"  +|(?<=[\w-]) (?=[A-Z0-9\"]|[a-z]+\|)", line)[0]))
    return names


def run_blocks(checks, document, blocks, **keywords):
    """Runs the commands of a document, a block at a time. Returns what each block printed."""
    said = []
    for block in blocks:
        done = subprocess.run(["sh", "-eu", "-c", block], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace", timeout=500, **keywords)
        checks.equal(done.returncode, 0, f"exit code of a block of {document}:\n{block}\n{done.stdout[-3000:]}\n")
        said.append(done.stdout)
    return said


def readme_commands(text):
    """[(kind, command)] of a README, in order. Kinds: sh, a block that is run as one; console, a line of a block after "$ "; inline."""
    found = []
    for kind, block, inline in README_COMMAND.findall(text):
        if kind == "console":
            found += [(kind, line.removeprefix("$ ")) for line in block.splitlines()]
        else:
            found.append(("inline", inline) if inline else (kind, block))
    return found
