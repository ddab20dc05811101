#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""fill_page.py PAGE OUTPUT PROGRAM...

Writes a man page (mdoc). Parts of it come from the --help of the program that the page is named after:

    .\\" @usage       the synopsis
    .\\" @commands    a list of the commands
    .\\" @options     lists of the options, one for each group of commands that have the same ones

The rest of PAGE is written by hand and stays as it is, but the text of a literal display (.Bd to .Ed) is plain text:
what roff would change in it is escaped, so that it can be copied from the page.
"""

import pathlib
import re
import sys
import textwrap

from help_text import Program

SENTENCE = re.compile(r"(?<=[.?!]) (?=[A-Z'\"(])")
WIDTH = 60  # before escapes
WHOLE_WORDS = {"break_long_words": False, "break_on_hyphens": False}
WORD = re.compile(r"\[(?:[^\[\]]|\[[^\]]*\])*\]|\S+")  # a word, or what is in [] with one more [] in it


def escape(text):
    """@text as it is printed: no roff escape and no typographic dash or quote."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace('"', "\\(dq")
    return text.replace("`", "\\(ga").replace("^", "\\(ha").replace("~", "\\(ti")


def verbatim(line):
    """@line as a line of its own."""
    return ("\\&" if line[:1] in (".", "'") else "") + escape(line)


def paragraph(text):
    """Lines of roff; a sentence begins a new one."""
    return [verbatim(line) for sentence in SENTENCE.split(text) for line in textwrap.wrap(sentence, WIDTH, **WHOLE_WORDS)]


def argument(word):
    """A word of a usage in mdoc."""
    if word.startswith("["):
        return f"Oo {arguments(word[1:-1])} Oc"
    if word.startswith("-"):
        return "Fl " + escape(word[1:]) if word[1:] else "Fl"
    if word == "...":
        return "Ar ..."
    name = re.sub(r"\.\.\.$", "", word)
    kind = "Cm" if word.islower() and word not in ("options",) else "Ar"
    return f"{kind} {escape(name)}" + (" ..." if name != word else "")


def arguments(words):
    return " ".join(map(argument, WORD.findall(words)))


def usage(program):
    lines = [line for command in program.commands.values() for line in command.usage]
    for line in lines if program.explains_commands else program.usage:
        if line.startswith(program.name):
            yield ".Nm"
            yield "." + arguments(line[len(program.name):])


def commands(program):
    yield ".Bl -tag -width Ds"
    for command in program.commands.values():
        lines = [line[len(program.name):] for line in command.usage if line.startswith(program.name)]
        for line in lines:
            yield f".It {arguments(line)}"
        yield from paragraph(sentence(command.text))
    yield ".El"


def sentence(text):
    return text[:1].upper() + text[1:] + "." * (text[-1:] not in ".)")


def one_option(option):
    heads = [f"Fl {escape(name[1:])}" for name in option.names]
    value = f" Ar {escape(option.value)}" if option.value else ""
    yield f".It {' , '.join(heads)}{value}"
    yield from paragraph(sentence(option.text))


def options(program):
    """Options of all commands come last."""
    groups = program.grouped() if program.explains_commands else [((), program.options)]
    for names, group in sorted(groups, key=lambda item: len(item[0]) == len(program.commands)):
        if names and names == tuple(program.commands):
            yield ".Ss Every command"
        elif names:
            yield f".Ss {', '.join(names)}"
        yield ".Bl -tag -width Ds"
        for option in group:
            yield from one_option(option)
        yield ".El"
    if program.explains_commands:
        yield ".Ss Without a command"
        yield ".Bl -tag -width Ds"
        for option in program.options:
            yield from one_option(option)
        yield ".El"


PARTS = {"usage": usage, "commands": commands, "options": options}


def fill(text, program):
    """The page @text, with the parts that come from @program."""
    lines, literal = [], False
    for line in text.splitlines():
        part = re.fullmatch(r'\.\\" @(\w+)', line)
        literal = line.startswith(".Bd ") or literal and line != ".Ed"
        if part:
            lines += PARTS[part[1]](program)
        else:
            lines.append(verbatim(line) if literal and not line.startswith(".Bd ") else line)
    return "\n".join(lines) + "\n"


def main(page, output, *programs):
    page = pathlib.Path(page)
    path = next((path for path in programs if pathlib.Path(path).name == page.stem), None)
    text = fill(page.read_text(encoding="utf-8"), path and Program(path))
    pathlib.Path(output).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
