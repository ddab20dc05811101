#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rules of CONTRIBUTING.md that a program can check: what a room may include, and what no file may contain."""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from jankd import SOURCE, Checks

# For each room: the rooms whose headers it may include, and the system headers that it must not include.
ROOMS = {
    "parser": (("parser",), "stdio|stdlib|malloc|unistd|fcntl|time|poll|errno|sys/.*|trace.*|event.*"),
    "rules": (("parser", "rules"), "unistd|fcntl|time|poll|sys/.*|tracefs|event-parse|kbuffer"),
    "daemon": (("parser", "rules", "daemon"), ""),
    "tools": (("parser", "rules", "tools"), ""),
}
TRACEFS = re.compile(r"<(tracefs|traceevent|event-parse|kbuffer).*\.h>")
MAY_TRACEFS = re.compile(r"(daemon/trace/tracefs|tools/phone/instance)\.c")
# Rooms of the daemon, from the top: each includes those below it.
DAEMON = ("cli", "capture", "control", "files", "trace", "android", "base")
# A program is not a person. 'nobody' is also a user of every Linux system.
UNCLEAR = re.compile(r"(?<![-_])\b(nobody(?![.\"])|somebody|anybody|whoever|heard|told|believed|hurry|strangers|heal|healed)\b", re.I)
MAIN = re.compile(r"^int main\(", re.M)
# A function that others can call: of a header, and of a .c.
PROTOTYPE = re.compile(r"^(?!static|extern|#|\s)[\w \t*]*?\b(\w+)\((?:[^;{]|\n)*?\)[^;{]*;", re.M)
DEFINITION = re.compile(r"^(?!static|#|\s)[\w \t*]*?\b(\w+)\([^;{]*\)\s*\n\{", re.M)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]', re.M)
OWN = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"(?!(?:parser|rules|daemon|tools|tests)/)([^"]+)"', re.M)


def includes(checks, name, room, text):
    allowed, never = ROOMS[room]
    for header in OWN.findall(text):
        checks.that(False, f"{name} includes {header}; write its path from the top")
    for header in INCLUDE.findall(text):
        if re.match(r"(parser|rules|daemon|tools|tests)/", header):
            checks.that(header.split("/")[0] in allowed, f"{name} includes {header}")
        elif never:
            checks.that(not re.fullmatch(f"(linux/)?({never})\\.h", header), f"{name} includes <{header}>")
    checks.that(not TRACEFS.search(text) or MAY_TRACEFS.fullmatch(name), f"{name} uses libtracefs")


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
    declares, x.h and x_private.h, and x.h and x_part.c if no header declares a function of it."""
    texts = {path: re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.S) for path in paths}
    module = {path: str(path.relative_to(SOURCE).with_suffix("")) for path in paths}
    declares = {}
    for path, text in texts.items():
        if path.suffix == ".h":
            module[path] = re.sub("_(private|internal)$", "", module[path])
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
    if path.suffix in (".md", ".py", ".sh", ".rules") and path.name != "house.py" or path.name == "meson.build":
        plain(checks, str(path.relative_to(SOURCE)), path.read_text(encoding="utf-8"))
circles(checks, modules([path for room in ROOMS for path in sorted((SOURCE / room).rglob("*.[ch]"))]))
checks.end()
