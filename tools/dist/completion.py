#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""completion.py bash|zsh OUTPUT PROGRAM [LISTER...]

Writes the shell completion of a program from its --help. What follows an option is known from the name of its value: DIR and
FILE are paths, "auto|text|raw" and "0..4" are words. Names that a program can list are asked from it (LISTS).
"""

import pathlib
import re
import sys

from help_text import Program, ask

# (program, option or command and operand): (program that lists the names, its arguments, what a name looks like)
LISTS = {
    ("jankd", "--rules"): ("jankd", ("rules", "show"), r"^(\S+)$"),
    ("jankd", "rules show"): ("jankd", ("rules", "show"), r"^(\S+)$"),
    ("jank-adb", "--rules"): ("jankd", ("rules", "show"), r"^(\S+)$"),
    ("jank-phone", "--scenario"): ("jank-phone", ("--list",), r"^  (\S+)  +\S"),
    ("jank-phone", "--vocabulary"): ("jank-phone", ("--list",), r"^  (\S+)$"),
}
# Commands that pass other options to another program's command.
PASSED = {("jank-adb", "start"): ("jankd", "start"), ("jank-adb", "record"): ("jankd", "start")}


class Values:
    """What can follow an option or a command."""

    def __init__(self, program, listers):
        self.program, self.listers = program, {pathlib.Path(path).name: path for path in listers}

    def named(self, what):
        lister, arguments, pattern = LISTS.get((self.program, what), (None, None, None))
        return re.findall(pattern, ask(self.listers[lister], *arguments), re.M) if lister else []

    def options(self, program, command):
        """Options that can follow a command."""
        options = list(program.options_of(command))
        other, name = PASSED.get((program.name, command.name), ("", ""))
        if other:
            taken = {name for option in options for name in option.names}
            options += [option for option in Program(self.listers[other]).commands[name].options
                        if not taken.intersection(option.names)]
        return options

    def of(self, what, value):
        """([words], "file", "directory" or "") for the option or command @what, with @value as its help names it."""
        words = self.named(what)
        steps = re.fullmatch(r"(\d)\.\.(\d)", value)
        if steps:
            words += map(str, range(int(steps[1]), int(steps[2]) + 1))
        words += [word for word in value.split("|") if "|" in value and re.fullmatch("[a-z0-9-]+", word)]
        parts = re.split(r"\W+", value)
        return words, "file" if "FILE" in parts else "directory" if "DIR" in parts else ""


def operands(values, command):
    """What can follow a command: {"": ([words], kind)}; these words may be keys, too, for what follows them."""
    found = {"": ([], "")}
    for operand in command.operands:
        first = operand.split()[0]
        inner = values.of(f"{command.name} {first}", operand)
        if first.islower():
            found[""][0].append(first)
            found[first] = inner
        else:
            found[""] = inner
    return found


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


# --- bash ---

BASH = """\
# bash completion of {name}. Made from '{name} --help'; do not edit.
{function}()
{{
	local word cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD - 1]}}
	local command='' operand='' skip='' words='' kind='' found i

	# bash makes three words of --name=value.
	if [[ $cur == = ]]; then
		cur=
	elif [[ $prev == = ]] && ((COMP_CWORD > 1)); then
		prev=${{COMP_WORDS[COMP_CWORD - 2]}}
	fi
	for ((i = 1; i < COMP_CWORD; i++)); do
		word=${{COMP_WORDS[i]}}
		if [[ $skip ]]; then
			[[ $word == = ]] || skip=
		elif [[ $word == -* ]]; then
			case $word in
			{valued}) skip=1 ;;
			esac
		elif [[ ! $command ]]; then
			command=$word
		elif [[ ! $operand ]]; then
			operand=$word
		fi
	done
	case $command in
{cases}
	esac
	found=$(
		[[ ! $words ]] || compgen -W "$words" -- "$cur"
		case $kind in
		file) compgen -f -- "$cur" ;;
		directory) compgen -d -- "$cur" ;;
		esac
	)
	[[ ! $kind ]] || compopt -o filenames 2>/dev/null
	COMPREPLY=()
	[[ ! $found ]] || mapfile -t COMPREPLY <<<"$found"
}}
complete -F {function} {name}
"""


def assigned(words, kind):
    return f"words={quoted(words)} kind={kind}"


def bash_operands(found):
    """The command that assigns what the operands can be."""
    if len(found) == 1:
        return assigned(" ".join(found[""][0]), found[""][1])
    cases = [f"{word or quoted(word)}) {assigned(' '.join(words), kind)} ;;" for word, (words, kind) in found.items()]
    return f"case $operand in {' '.join(cases)} esac"


def bash_case(values, name, options, found):
    """What the words of one command can be."""
    after = {}  # {what follows: names of options}
    for option in options:
        if option.value:
            inner = values.of(option.names[-1], option.value)
            after.setdefault((" ".join(inner[0]), inner[1]), []).extend(option.names)
    lines = [f"\t{name})", "\t\tcase $prev in"]
    lines += [f"\t\t{' | '.join(names)}) {assigned(*inner)} ;;" for inner, names in after.items()]
    names = " ".join(name for option in options for name in option.names)
    return [*lines, "\t\t*)", f"\t\t\tif [[ $cur == -* ]]; then {assigned(names, '')}; else {bash_operands(found)}; fi",
            "\t\t\t;;", "\t\tesac", "\t\t;;"]


def bash(program, values):
    everything = [option for command in program.commands.values() for option in values.options(program, command)]
    valued = sorted({name for option in everything + program.options if option.value for name in option.names})
    cases = []
    for command in program.commands.values():
        cases += bash_case(values, command.name, values.options(program, command), operands(values, command))
    if program.commands:
        cases += bash_case(values, "''", program.options, {"": (list(program.commands), "")})
    else:
        cases += bash_case(values, "*", program.options, {"": ([], "file")})
    return BASH.format(name=program.name, function="_" + program.name.replace("-", "_"), valued=" | ".join(valued),
                       cases="\n".join(cases))


# --- zsh ---

def zsh_text(text):
    """The first words of a help text, as a description in a specification of _arguments."""
    text = re.split(r"[.;:] | \(|\.$", text)[0].strip()
    return re.sub(r"([\[\]\\:])", r"\\\1", text)


def zsh_action(words, kind):
    paths = {"file": "_files", "directory": "_files -/"}
    if words and kind:
        return f" _jankd_words_or_files {' '.join(words)}"
    return f"({' '.join(words)})" if words else paths.get(kind, "( )")


def zsh_options(values, options):
    for option in options:
        value = ""
        if option.value:
            value = f":{zsh_text(option.value)}:{zsh_action(*values.of(option.names[-1], option.value))}"
        for name in option.names:
            sign = "=" if option.value and name.startswith("--") else "+" if option.value else ""
            again = "*" if "may be repeated" in option.text else f"({' '.join(option.names)})"
            yield quoted(f"{again}{name}{sign}[{zsh_text(option.text)}]{value}")


def zsh_case(values, name, options, found):
    lines = [f"\t{name})"]
    if len(found) > 1:
        lines += ["\t\tcase $words[2] in"]
        for word in filter(None, found):
            lines += [f"\t\t{word}) operands={quoted(zsh_action(*found[word]))} ;;"]
        lines += ["\t\tesac"]
    lines += ["\t\t_arguments -s \\"]
    lines += [f"\t\t\t{line} \\" for line in zsh_options(values, options)]
    if len(found) > 1:
        return lines + [f"\t\t\t{quoted('1:operand:' + zsh_action(*found['']))} \\", '\t\t\t"*:operand:$operands"', "\t\t;;"]
    return lines + [f"\t\t\t{quoted('*:operand:' + zsh_action(*found['']))}", "\t\t;;"]


ZSH = """\
#compdef {name}
# zsh completion of {name}. Made from '{name} --help'; do not edit.
_jankd_words_or_files()
{{
	local -a names=("$@")
	_alternative 'names:name:compadd -a names' 'files:file:_files'
}}
"""


def zsh(program, values):
    name, function = program.name, "_" + program.name
    lines = ZSH.format(name=name).splitlines()
    if not program.commands:
        body = zsh_case(values, "*", program.options, {"": ([], "file")})[1:-1]
        return "\n".join([*lines, f"{function}()", "{", *(line[1:] for line in body), "}", f'{function} "$@"', ""])
    lines += [f"{function}()", "{", "\tlocal curcontext=$curcontext context state line operands='( )'", "\tlocal -a commands", "\tcommands=("]
    lines += [f"\t\t{quoted(command.name + ':' + zsh_text(command.summary))}" for command in program.commands.values()]
    lines += ["\t)", "\t_arguments -C \\"]
    lines += [f"\t\t{line} \\" for line in zsh_options(values, program.options)]
    lines += ["\t\t'1:command:->command' \\", "\t\t'*::operand:->operands'", "\tcase $state in", "\tcommand)",
              "\t\t_describe command commands", "\t\treturn", "\t\t;;", "\tesac", "\tcase $line[1] in"]
    for command in program.commands.values():
        lines += zsh_case(values, command.name, values.options(program, command), operands(values, command))
    return "\n".join([*lines, "\tesac", "}", f'{function} "$@"', ""])


def main(shell, output, path, *listers):
    program = Program(path)
    text = {"bash": bash, "zsh": zsh}[shell](program, Values(program.name, (path, *listers)))
    pathlib.Path(output).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
