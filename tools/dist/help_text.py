# SPDX-License-Identifier: Apache-2.0
"""Reads what a program prints for --help: its commands, and the options of each. The man pages and the shell
completion are made from this, so they cannot differ from the program.

    COMMAND [operands]    text, in a part with the heading "commands:"
    -F, --folder DIR      text; more lines of it are indented further than the option
"""

import dataclasses
import os
import re
import subprocess

# A value begins with a capital letter, a digit or a quote, or is a choice of words.
OPTION = re.compile(r"""^( +)((?:-\w, )?--[a-z][\w-]*|-\w(?= ))((?:, --[a-zA-Z][\w-]*)*)"""
                    r"""(?: ("?[A-Z0-9]\S*|[a-z]+\|\S+))?(?: +(.*))?$""")
COMMAND = re.compile(r"^  ([a-z]\S*(?: \S+)*?)(?:  +(.*))?$")


@dataclasses.dataclass
class Option:
    names: tuple  # ("-F", "--folder")
    value: str  # "DIR", or "" if it has none
    text: str


@dataclasses.dataclass
class Command:
    name: str
    usage: list = dataclasses.field(default_factory=list)  # lines without "usage:"
    summary: str = ""  # what the list of commands says
    text: str = ""
    options: list = dataclasses.field(default_factory=list)
    operands: list = dataclasses.field(default_factory=list)  # ["FILE..."], ["check FILE", "show [NAME]"]


def ask(program, *arguments):
    """What a program prints; it is the same for each user and place."""
    environment = {**os.environ, "LC_ALL": "C"}
    return subprocess.run([program, *arguments], check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          env=environment, timeout=60).stdout


def options_in(text):
    """The options of a help text, in its order."""
    found, indent = [], 0
    for line in text.splitlines():
        option = OPTION.match(line)
        if option and (not found or len(option[1]) <= indent or len(option[1]) < 8):
            names = (*option[2].split(", "), *filter(None, option[3].split(", ")))
            found.append(Option(names, option[4] or "", option[5] or ""))
            indent = len(option[1]) + 6
        elif found and indent and line.startswith(" " * (indent + 1)):
            found[-1].text = f"{found[-1].text} {line.strip()}".strip()
        else:
            indent = 0
    return found


def usage_in(text):
    """The lines of the usage, each without what is before the program's name."""
    lines = text.split("\n\n")[0].splitlines()
    return [re.sub(r"^usage: *", "", line).strip() for line in lines]


def commands_in(text):
    """[(words of the command, text)] of the part "commands:"."""
    found = []
    part = re.search(r"^commands:\n((?: .*\n)*)", text, re.M | re.I)
    for line in part[1].splitlines() if part else ():
        command = COMMAND.match(line)
        if command:
            found.append([command[1], command[2] or ""])
        elif found:
            found[-1][1] = f"{found[-1][1]} {line.strip()}".strip()
    return found


def paragraph_in(text):
    """The text between the usage and the options, in one line."""
    return " ".join(text.split("\n\n", 1)[1].split("\noptions:")[0].split())


class Program:
    """The help of one program. .options: those without a command; .commands: by name, in the order of the help."""

    def __init__(self, path):
        self.name = os.path.basename(path)
        self.text = ask(path, "--help")
        self.usage = usage_in(self.text)
        self.options = options_in(self.text)
        self.listed = commands_in(self.text)
        self.commands = {}
        for words, text in self.listed:
            name, *rest = words.split(" ", 1)
            command = self.commands.setdefault(name, Command(name))
            command.operands += [operand for operand in rest if not operand.startswith("[-")]
            command.summary = command.summary or text
        for command in self.commands.values():
            text = ask(path, command.name, "--help")
            command.usage, command.options = usage_in(text), options_in(text)
            command.text = paragraph_in(text)

    def grouped(self):
        """[([names of commands], [options that just these have])]."""
        groups, seen = {}, []
        for command in self.commands.values():
            seen += [option for option in command.options if option not in seen]
        for option in seen:
            names = tuple(name for name, command in self.commands.items() if option in command.options)
            groups.setdefault(names, []).append(option)
        return list(groups.items())
