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
NAMES = re.compile(r"([a-z-]+(?:, [a-z-]+)*)(?: (.*))?")


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
    """[([names of the command], its operands, text)] of the part "commands:"."""
    part = re.search(r"^commands:\n((?: .*\n)*)", text, re.M)
    lines = part[1].splitlines() if part else []
    columns = [len(found[0]) for found in (re.match(r"  \S.*?  +(?=\S)", line) for line in lines) if found]
    column = max(columns, key=columns.count, default=0)  # at which the texts begin
    found = []
    for line in lines:
        head, rest = (line[:column], line[column:]) if line[column - 1:column] == " " else (line, "")
        names = NAMES.match(head.strip())
        if names:
            found.append([names[1].split(", "), (names[2] or "").strip(), rest.strip()])
        elif found:
            found[-1][2] = f"{found[-1][2]} {rest.strip()}".strip()
    return found


def paragraph_in(text):
    """The text between the usage and the first list, in one line."""
    return " ".join(re.split(r"\n[a-z; ]+:\n", text.split("\n\n", 1)[1])[0].split())


class Program:
    """The help of one program. .options: those without a command; .commands: by name, in the order of the help. If a
    command has no --help of its own, it has the usage and the text of the list of commands, and the options of the program."""

    def __init__(self, path):
        self.name = os.path.basename(path)
        text = ask(path, "--help")
        self.usage = usage_in(text)
        self.text = paragraph_in(text)
        self.options = options_in(text)
        self.commands = {}
        for names, operands, summary in commands_in(text):
            for name in names:
                command = self.commands.setdefault(name, Command(name))
                command.operands += [operands] if operands and not operands.startswith("[-") else []
                command.summary = command.summary or summary
                command.usage.append(f"{self.name} {name} {operands}".strip())
        self.explains_commands = "COMMAND --help" in text
        for command in self.commands.values():
            command.text = command.summary
            if self.explains_commands:
                text = ask(path, command.name, "--help")
                command.usage, command.options = usage_in(text), options_in(text)
                command.text = paragraph_in(text)

    def options_of(self, command):
        return command.options if self.explains_commands else self.options

    def grouped(self):
        """[([names of commands], [options that just these have])]; empty if commands have no options of their own."""
        groups, seen = {}, []
        for command in self.commands.values():
            seen += [option for option in command.options if option not in seen]
        for option in seen:
            names = tuple(name for name, command in self.commands.items() if option in command.options)
            groups.setdefault(names, []).append(option)
        return list(groups.items())
