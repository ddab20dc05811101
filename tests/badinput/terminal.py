# SPDX-License-Identifier: Apache-2.0
"""Output on a terminal: totals and sentences that fit its width, without control bytes from names, and colours. The table: unit table."""

import os, re, shutil, unicodedata
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
import synthetic
from jankd import JANKD, REPORT, checks, folder
from report import demo
from terminal import on_terminal

LAYERS = (synthetic.LAYER, "esc\x1b[31mred\x1b]0;title\x07#0", "c1 \x9b31m#0", "tab\tand BEL\x07#0", "x" * 900 + "#0",
          "right to left \u202e\u2066#0", "wide " + "\u6e38\u620f" * 40 + "#0", "\U0001f3ae\ud55c#0")
CONTROL = re.compile(r"[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def width(line):
    """The width of a line on a terminal, in columns."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


def totals(checks, here, columns):
    """On a narrow terminal the table is cut, but not the totals with the lost events."""
    what, lost = f"a terminal of {columns} columns", "CPU:0 [LOST 123456789 EVENTS]\nCPU:0 [LOST EVENTS]\n"
    frames = ["".join(synthetic.frame(us + n * synthetic.PERIOD_US, n, LAYERS[n % len(LAYERS)]) for n in range(100)) for us in (100000000, 110000000)]
    (here / "trace.txt").write_text(lost.join(frames))
    code, shown = on_terminal((JANKD, "analyze", "-F", here / "out", here / "trace.txt"), columns, env=dict(os.environ, TERM="xterm", NO_COLOR="1"))
    said = shown.decode(errors="replace").replace("\r", "")
    lines = said.split("\n")
    begin, verdict, end = (next(n for n, line in enumerate(lines) if line.startswith(word)) for word in ("presents ", "TOO SHORT: ", "CSV files "))
    checks.equal(code, 0, f"{what}: exit code: {said[-300:]!r}")
    checks.that(not CONTROL.search(said), f"{what}: control bytes in {said[:500]!r}")
    checks.equal([line for line in lines[begin:end] if width(line) > columns], [], f"{what}: totals that do not fit")
    checks.equal(" ".join(lines[begin:verdict]), "presents 200, frames 200, lost events 123456789 plus 1 loss of unknown size, "
                 "8.3 s without events, span 11.652 s, refresh 60.00 Hz", f"{what}: totals")
    for sentence in ("unknown: frames around 123456789 lost events and 1 loss of unknown size", "the apps' own frame times are not recorded: add category view"):
        checks.that(sentence in " ".join(said.split()), f"{what}: {sentence!r} is not in {said}")


def report_narrow(checks, here):
    """What jank-report says on a wide terminal it says on a narrow one: lines break, and no sentence is cut."""
    demo(here, "--frames-log", "-T", 2)
    shutil.copytree(here / "out", here / "killed", ignore=lambda _, names: set(names) - {"events.csv", "session.json", "dropFrames.csv"})
    for words in (("out",), ("killed",), ("out", "killed"), ("--compare", "out", "--new", "out")):
        wide, narrow = (on_terminal((REPORT, *words), columns, cwd=here)[1].decode().replace("\r", "") for columns in (240, 60))
        checks.equal(narrow.split(), wide.split(), f"{words} on 60 columns")
        checks.equal([line for line in narrow.split("\n") if width(line) > 60], [], f"{words}: lines that do not fit")


def colours(checks, here):
    """The grade has a colour on a terminal that has some, unless NO_COLOR forbids it."""
    (here / "trace.txt").write_text("".join(synthetic.lines(400)))
    for more, has in (({"TERM": "xterm"}, True), ({"TERM": "xterm", "NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)):
        env = {name: value for name, value in os.environ.items() if name != "NO_COLOR"} | more
        shown = on_terminal((JANKD, "analyze", "-F", here / "out", here / "trace.txt"), 100, env=env)[1]
        checks.equal((b"\x1b[32mGOOD\x1b[0m" in shown, b"\x1b[" in shown), (has, has), f"colours with {more}: {shown[:300]!r}")


for width_of_it in (32, 60, 120):
    with folder() as place:
        totals(checks, place, width_of_it)
with folder() as place:
    report_narrow(checks, place)
with checks, folder() as place:
    colours(checks, place)
