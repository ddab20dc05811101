#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rules of CONTRIBUTING.md that a program can check: SPDX lines, and what a room, a door and a module may include."""

import re
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from jankd import SOURCE, checks

# Rooms that each room may include. parser/ and rules/ may use a few headers of the system.
ROOMS = {"parser": ("parser",), "rules": ("parser", "rules"), "daemon": ("parser", "rules", "daemon"), "tools": ("parser", "rules", "tools")}
SYSTEM = {
    "parser": "stdint|stdbool|stddef|string|strings|limits|emmintrin|immintrin|arm_neon",
    "rules": "stdint|stdbool|stddef|string|strings|limits|stdlib|stdio|errno"}
# What a program beside the daemon shares with it: how names and the verdict are printed, and the columns of the files.
SHARED = [f"daemon/base/{name}.h" for name in ("csv_files", "status", "text")] + [f"daemon/show/{name}.h" for name in ("apps", "grade_text", "json", "show")]
TRACEFS = re.compile(r"(tracefs|traceevent|event-parse|kbuffer)[\w/-]*\.h")
MAY_TRACEFS = ("daemon/trace/tracefs.c", "tools/phone/instance.c")
# Rooms of the daemon, from the top: each includes those below it.
DAEMON = ("cli", "capture", "control", "show", "files", "trace", "android", "base")
# Rooms of rules/, from the top; "": rules/ itself. Each includes those below it, and those in one line do not include each other.
RULES = (("",), ("why", "beside"), ("count",), ("frames",), ("vsync",), ("threads",), ("language",), ("stream",), ("base",))
FLOOR = {room: floor for floor, rooms in enumerate(RULES) for room in rooms}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*(?:include|include_next|import)\b[ \t]*["<]?([^">\n]*)', re.M)
RELATIVE = re.compile(r'^[ \t]*#[ \t]*\w+[ \t]*"(?!(?:parser|rules|daemon|tools)/)', re.M)
# A function that others can call: of a header, and of a .c.
PROTOTYPE = re.compile(r"^(?!static|extern|#|\s)[\w \t*]*?\b([a-z]\w*)\([^;{]*?\)[^;{]*;", re.M)
DEFINITION = re.compile(r"^(?!static|#|\s)[\w \t*]*?\b(\w+)\([^;{]*\)\s*\n\{", re.M)


def check_include(checks, name, header):
    """Whether the file may include the header, by its room; by the order of the rooms of rules/, the order and the doors of those of daemon/."""
    here, there = name.split("/"), header.split("/")
    says = f"{name} includes {header}"
    if there[0] not in (*ROOMS, "tests"):
        checks.that(here[0] not in SYSTEM or re.fullmatch(f"({SYSTEM[here[0]]})\\.h", header), says)
        checks.that(not TRACEFS.match(header) or name in MAY_TRACEFS, f"{says}, which is for {MAY_TRACEFS}")
    elif here[0] != "tools" or header not in SHARED:
        checks.that(there[0] in ROOMS[here[0]], says)
    if there[0] == "daemon" and there[1] in DAEMON[:-1] and there[:2] != here[:2] and (here[0] == "daemon" or header not in SHARED):
        checks.that(there[2] == f"{there[1]}.h", f"{says}, which is private to its room")
    if here[0] == there[0] == "daemon" and name != "daemon/main.c" and \
            checks.that(here[1] in DAEMON, f"{name}: a room that DAEMON does not list"):
        checks.that(there[1] not in DAEMON[:DAEMON.index(here[1])], f"{says}, which is above")
    if here[0] == there[0] == "rules":
        rooms = ["" if len(path) == 2 else path[1] for path in (here, there)]
        if checks.that(rooms[0] in FLOOR, f"{name}: a room that RULES does not list"):
            checks.that(rooms[0] == rooms[1] or FLOOR[rooms[0]] < FLOOR[rooms[1]], f"{says}, which is above or beside")


def modules(texts):
    """{file: module}: a .c and all headers with a function that it defines are one module, named after one of them."""
    module = {name: name for name in texts}
    declares = {function: name for name, text in texts.items() if name.endswith(".h") for function in PROTOTYPE.findall(text)}
    for name, text in texts.items():
        if name.endswith(".c"):
            joined = {module[declares[function]] for function in DEFINITION.findall(text) if function in declares} | {module[name]}
            module.update((file, min(joined)) for file, its in module.items() if its in joined)
    return module


def check_circles(checks, texts):
    """No module includes itself through others."""
    module, edges = modules(texts), {}
    for name, text in texts.items():
        others = {module[header] for header in INCLUDE.findall(text) if header in module}
        edges.setdefault(module[name], set()).update(others - {module[name]})
    for name in edges:
        ways = {name: (name,)}
        ahead = [name]
        for at in ahead:
            new = edges[at] - ways.keys()
            ways.update((other, (*ways[at], other)) for other in new)
            ahead += new
        circle = next((way for at, way in ways.items() if name in edges[at]), None)
        checks.that(not circle, f"a circle: {circle} -> {name}")


texts = {}
for room in (*ROOMS, "tests"):
    for path in sorted((SOURCE / room).rglob("*.[ch]")):
        name, text = str(path.relative_to(SOURCE)), path.read_text(encoding="utf-8")
        checks.that(text.startswith("/* SPDX-License-Identifier: Apache-2.0 */\n"), f"{name}: no SPDX line")
        if room in ROOMS:
            checks.that(not RELATIVE.search(text), f"{name}: an include in quotes that is no path from the top")
            texts[name] = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
            for header in INCLUDE.findall(texts[name]):
                check_include(checks, name, header)
check_circles(checks, texts)
checks.end()
