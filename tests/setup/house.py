#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rules of CONTRIBUTING.md that a program can check: what a room may include, and what no file may contain."""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from jankd import SOURCE, Checks

# Rooms that each room may name in an #include. parser/ and rules/ may use a few headers of the system.
ROOMS = {
    "parser": ("parser",),
    "rules": ("parser", "rules"),
    "daemon": ("parser", "rules", "daemon"),
    "tools": ("parser", "rules", "tools"),
}
SYSTEM = {
    "parser": "stdint|stdbool|stddef|string|strings|limits|emmintrin|immintrin|arm_neon",
    "rules": "stdint|stdbool|stddef|string|strings|limits|stdlib|stdio|errno",
}
# What a program beside the daemon shares with it: how names and the verdict are printed, and the columns of the files.
SHARED = ("apps", "csv_columns", "status", "text", "verdict_text")
TRACEFS = re.compile(r"<(tracefs|traceevent|event-parse|kbuffer).*\.h>")
MAY_TRACEFS = re.compile(r"(daemon/trace/tracefs|tools/phone/instance)\.c")
# Rooms of the daemon, from the top: each includes those below it.
DAEMON = ("cli", "capture", "control", "files", "trace", "android", "base")
# A program is not a person. Parts of identifiers count as words. 'nobody' is also a user of every Linux system.
UNCLEAR = re.compile(r"(?<![a-z])(somebody|anybody|whoever|heard|told|believed|bell|hurry|strangers|heal|healed|scene|director|"
                     r"musician|seat|baton|orchestra|conductor|theatre)(?![a-z])|(?<!-)(?<!user )(?<!-R )\bnobody\b", re.I)
MAIN = re.compile(r"^int main\(", re.M)
# A function that others can call: of a header, and of a .c.
PROTOTYPE = re.compile(r"^(?!static|extern|#|\s)[\w \t*]*?\b(\w+)\([^;{]*?\)[^;{]*;", re.M)
DEFINITION = re.compile(r"^(?!static|#|\s)[\w \t*]*?\b(\w+)\([^;{]*\)\s*\n\{", re.M)
# All forms of an #include, and the only one that is used: the path of a header from the top, or one of the system.
ANY_INCLUDE = re.compile(r"^[ \t]*#[ \t]*(?:include|include_next|import)\b.*", re.M)
PLAIN_INCLUDE = re.compile(r'#include (?:"(?:parser|rules|daemon|tools)/(?:\w+/)*\w+\.h"|<[\w/-]+\.h>)(?: *\*/)?')
REDECLARED = re.compile(r"^(?:extern )?(?!static|typedef|return|else|#)[a-z][\w \t*]*?\b(\w+)\([^;{()]*\)\s*;", re.M)
INCLUDE = re.compile(r'^#include ["<]([^">]+)[">]', re.M)


def includes(checks, name, room, text):
    for line in ANY_INCLUDE.findall(text.replace("\\\n", " ")):
        checks.that(PLAIN_INCLUDE.fullmatch(line.rstrip()), f"{name}: {line.strip()}; write #include and the path of a header from the top")
    for header in INCLUDE.findall(text):
        if room == "tools" and header in (f"daemon/base/{shared}.h" for shared in SHARED):
            continue
        if header.split("/")[0] in (*ROOMS, "tests"):
            checks.that(header.split("/")[0] in ROOMS[room], f"{name} includes {header}")
        elif room in SYSTEM:
            checks.that(re.fullmatch(f"({SYSTEM[room]})\\.h", header), f"{name} includes <{header}>")
    checks.that(not TRACEFS.search(text) or MAY_TRACEFS.fullmatch(name), f"{name} uses libtracefs")
    for function in REDECLARED.findall(text) if name.endswith(".c") else ():
        checks.that(False, f"{name} declares {function}(); include the header that declares it")


def order(checks, name, text):
    """A room of the daemon includes only itself and the rooms below it."""
    room = name.split("/")[1]
    if name == "daemon/main.c":
        return
    if not checks.that(room in DAEMON, f"{name}: a room that DAEMON does not list"):
        return
    for header in INCLUDE.findall(text):
        other = header.split("/")[1] if header.startswith("daemon/") else None
        if other in DAEMON:
            checks.that(DAEMON.index(other) >= DAEMON.index(room), f"{name} includes {header}, which is above")


def doors(checks, name, text):
    """Other rooms include only one header of a room of the daemon, which is named after it; all of base/ is public."""
    here = name.split("/")[:2]
    for header in INCLUDE.findall(text):
        there = header.split("/")
        if there[0] == "daemon" and there[1] in DAEMON[:-1] and there[:2] != here:
            checks.that(there[2] == f"{there[1]}.h", f"{name} includes {header}, which is private to its room")


def names(paths):
    """{file without suffix: module}. x.c and x.h are one module. So are a header and every .c with a function that it
    declares, x.h and an x_part.h without a .c, and x.h and an x_part.c of which no header declares a function."""
    texts = {path: re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.S) for path in paths}
    module = {path: str(path.relative_to(SOURCE).with_suffix("")) for path in paths}
    declares = {}
    for path, text in texts.items():
        if path.suffix == ".h":
            parts = [part for part in texts if part.suffix == ".h" and part.parent == path.parent
                     and path.stem.startswith(part.stem + "_") and not path.with_suffix(".c") in texts]
            module[path] = module[max(parts, key=lambda part: len(part.stem))] if parts else module[path]
            declares.update((name, module[path]) for name in PROTOTYPE.findall(text))
    joined = {}

    def first(name):
        while name in joined:
            name = joined[name]
        return name

    for path, text in texts.items():
        for name in DEFINITION.findall(text) if path.suffix == ".c" and not MAIN.search(text) else ():
            one, other = first(module[path]), first(declares.get(name, module[path]))
            if one != other:
                joined[one] = other
        whole = path.with_name(re.sub("_[^_]*$", ".h", path.stem))
        if path.suffix == ".c" and module[path] not in joined and not path.with_suffix(".h").exists() and whole in module:
            joined[module[path]] = first(module[whole])
    return {str(path.relative_to(SOURCE).with_suffix("")): first(name) for path, name in module.items()}


def modules(paths):
    """The modules that each module includes."""
    edges, module = {}, names(paths)
    for path in paths:
        name = module[str(path.relative_to(SOURCE).with_suffix(""))]
        others = {module.get(header[:-2], header[:-2]) for header in INCLUDE.findall(path.read_text(encoding="utf-8"))
                  if header.split("/")[0] in ROOMS}
        edges.setdefault(name, set()).update(others - {name})
    return edges


def circles(checks, edges):
    """No module includes itself through others."""
    for name in edges:
        seen, ahead = set(), [(other, (name, other)) for other in edges[name]]
        while ahead:
            at, way = ahead.pop()
            if at == name:
                checks.that(False, "a circle: " + " -> ".join(way))
                break
            if at not in seen:
                seen.add(at)
                ahead += [(other, (*way, other)) for other in edges.get(at, ())]
        checks.that(True, name)


def plain(checks, name, text):
    """Rejects words that are unclear or personify a program. The user name nobody is allowed."""
    for number, line in enumerate(text.splitlines(), 1):
        found = UNCLEAR.search(line)
        checks.that(not found, f"{name}:{number}: {found and found[0]!r}; say what happens in the terms of CONTRIBUTING.md")


def words(checks, name, text):
    checks.that(text.startswith("/* SPDX-License-Identifier: Apache-2.0 */\n"), f"{name}: no SPDX line")
    checks.that(not re.search(r"\b(TODO|FIXME|XXX)\b", text), f"{name}: unfinished work")
    checks.that(not re.search(r"^typedef (struct|union|enum)\b", text, re.M), f"{name}: a typedef")


checks = Checks()
for room in (*ROOMS, "tests"):
    for path in sorted((SOURCE / room).rglob("*.[ch]")):
        name, text = str(path.relative_to(SOURCE)), path.read_text(encoding="utf-8")
        words(checks, name, text)
        plain(checks, name, text)
        if room in ROOMS:
            includes(checks, name, room, text)
            doors(checks, name, text)
        if room == "daemon":
            order(checks, name, text)
for path in (*SOURCE.glob("*.md"), *(path for room in (*ROOMS, "tests") for path in sorted((SOURCE / room).rglob("*")))):
    is_script = path.is_file() and not path.suffix and path.parent == SOURCE / "tools"
    if path.suffix in (".md", ".py", ".sh", ".rules") and path.name != "house.py" or path.name == "meson.build" or is_script:
        plain(checks, str(path.relative_to(SOURCE)), path.read_text(encoding="utf-8"))
circles(checks, modules([path for room in ROOMS for path in sorted((SOURCE / room).rglob("*.[ch]"))]))
checks.end()
