# SPDX-License-Identifier: Apache-2.0
"""jank-report.exe under wine gives the bytes that jank-report gives: all outputs, the page, comparisons, exit codes; folders
with any names, drives, long paths; a console of code page 936 shows Chinese; --watch replaces the page."""

import re
import shutil
import signal
import subprocess
import time
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from daemon import wait_until
from jankd import REPORT, analyze, checks
from report import demo, scenario
from windows import PROGRAM, build, wine

FORMATS = ("--text", "--json", "--csv", "--openmetrics")
UNICODE = "报告 📱 é"


def native(*arguments, **keywords):
    done = subprocess.run([REPORT, *map(str, arguments)], capture_output=True, stdin=subprocess.DEVNULL, check=False, **keywords)
    return done.returncode, done.stdout, done.stderr


def same(what, *arguments, cwd):
    """Both programs print the same, and end with the same code. Returns that."""
    expected, got = native(*arguments, cwd=cwd), windows.report(*arguments, cwd=cwd)
    for part, one, other in zip(("exit code", "output", "errors"), got, expected, strict=True):
        checks.that(one == other, f"{what}: {part} differs: {one!r:.300} and {other!r:.300}")
    return expected


def same_page(what, *folders, cwd, name="page.html"):
    pages = []
    for run in (native, windows.report):
        done = run("-o", name, *folders, cwd=cwd)
        checks.equal(done, (0, f"{name}\n".encode(), b""), f"{what}: the path of the page")
        pages.append((cwd / name).read_bytes())
        (cwd / name).unlink()
    checks.that(pages[0] == pages[1], f"{what}: pages differ")
    checks.equal(list(cwd.glob("*.part")), [], f"{what}: no part of a page is left")


def outputs(here):
    demo(here, "--frames-log", "-T", 2)
    for form in FORMATS:
        code, out, _ = same(form, form, "out", cwd=here)
        checks.that(code == 0 and out, f"{form}: prints something")
    same_page("page", "out", cwd=here)
    same("sections", "--csv", "--app", "*.game", "out", cwd=here)
    for what, code, words in (("no folder", 1, ["none"]), ("a file", 1, ["demo.txt"]), ("usage", 2, ["--fly"]), ("no operand", 2, []),
                              ("FAILED", 3, ["--fail-if", "FPS < 1000", "out"]), ("passed", 0, ["--fail-if", "FPS < 1", "--allow-freezes", "99", "out"]),
                              ("unknown", 4, ["--strict", "--fail-if", "FPS < 1", "--surface", "StatusBar", "out"])):
        checks.equal(same(what, *words, cwd=here)[0], code, f"{what}: exit code")
    junit = []
    for run in (native, windows.report):
        run("--fail-if", "FPS < 1", "--junit", "junit.xml", "out", cwd=here)
        junit.append((here / "junit.xml").read_bytes())
    checks.that(junit[0] == junit[1], "JUnit XML differs")


def compared(here):
    for number in (1, 2, 3, 4):
        trace = scenario("culprits", here / f"{number}.txt", seed=number)
        analyze(here / ("base" if number < 3 else "new") / str(number), "--frames-log", trace)
    for words in ((), ("--json",), ("--fail-if", "jank(/10min) > +10%", "--fail-if", "p99(ms) > +10%")):
        same(f"compare {words}", "--compare", "base", *words, "--new", "new", cwd=here)


def paths(here):
    """Folders by any name and any way to write it."""
    out = demo(here, "--frames-log", "-T", 2)
    names = here / UNICODE
    shutil.copytree(out, names)
    same("any characters", "--json", UNICODE, cwd=here)
    same_page("any characters", UNICODE, cwd=here, name=f"{UNICODE}.html")
    same("not there", "不在", cwd=here)
    expected = native("--csv", UNICODE, cwd=here)[1].splitlines()

    def rows(path, **keywords):
        code, printed, error = windows.report("--csv", path, **keywords)
        # The first column is the folder as it was named.
        checks.equal((code, error), (0, b""), f"{path}: exit code and errors")
        checks.equal([line.split(b",", 1)[1] for line in printed.splitlines()], [line.split(b",", 1)[1] for line in expected], f"{path}: rows")

    shutil.copytree(out, windows.drive / UNICODE)
    rows(f"C:\\{UNICODE}")
    rows(f"C:/{UNICODE}/")
    rows(f"C:{UNICODE}", cwd=windows.drive)
    rows(f"\\\\?\\C:\\{UNICODE}")
    rows(f".\\..\\{here.name}\\{UNICODE}\\", cwd=here)
    rows("Z:" + str(names).replace("/", "\\"))
    # The top of a drive: its folders are sessions.
    shutil.copytree(out, windows.drive / "top" / "session")
    code, printed, _ = windows.report("--csv", "C:", cwd=windows.drive / "top")
    checks.that(code == 0 and b"C:session," in printed, f"a drive without a path is its current folder: {printed!r:.200}")
    # Longer than the 260 characters of Windows: a folder, and a page.
    deep = here.joinpath(*[character * 100 for character in "abc"])
    shutil.copytree(out, deep / UNICODE)
    rows(str((deep / UNICODE).relative_to(here)), cwd=here)
    rows("Z:" + str(deep / UNICODE).replace("/", "\\"))
    same("a long path", "--json", (deep / UNICODE).relative_to(here), cwd=here)
    same_page("a long path", (deep / UNICODE).relative_to(here), cwd=here, name=str((deep / "page.html").relative_to(here)))


def console(here):
    """Chinese is readable on a console of code page 936; a pipe and a file have UTF-8 with LF whatever it is."""
    shutil.copytree(demo(here, "--frames-log", "-T", 2), here / "报告")
    shutil.copy(PROGRAM, here)
    text = native("--text", "报告", cwd=here)[1].decode()
    shown = windows.on_a_console("cmd", "/c", "chcp 936 & jank-report.exe 报告 不在 & jank-report.exe 报告 > text.txt", cwd=here)
    shown = re.sub(r"\x1b\[[?\d;]*[a-zA-Z]", "", shown).replace("\r", "")
    checks.that("936" in shown, f"the console has code page 936: {shown[:80]!r}")
    checks.that("jank-report: 不在: No such file or directory; name an output folder of jankd\n" in shown, f"an error on a console: {shown!r}")
    # A console breaks a line at its last column.
    checks.that("".join(text.split()) in "".join(shown.split()), f"a text on a console: {shown!r}")
    checks.equal((here / "text.txt").read_bytes().decode(), text, "a text in a file")
    narrow = windows.on_a_console(PROGRAM, "报告", cwd=here, columns=60)
    narrow = re.sub(r"\x1b\[[?\d;]*[a-zA-Z]", "", narrow)
    checks.that(max(map(len, narrow.splitlines())) <= 60, f"lines are broken for a narrow console: {narrow!r}")


def watched(here):
    whole = demo(here, "--frames-log", "-T", 2)
    out, page = here / UNICODE, here / "page.html"
    out.mkdir()
    (out / "fps.csv").write_bytes((whole / "fps.csv").read_bytes()[:3000])
    process = windows.popen("--watch", "-o", "page.html", UNICODE, cwd=here)
    checks.that(wait_until(page.exists, 30), "a page")
    before = page.stat().st_ino
    for path in whole.glob("*.*"):
        shutil.copy(path, out)
    checks.that(wait_until(lambda: page.stat().st_ino != before, 30), "the page is replaced")
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    done = process.communicate(timeout=60)
    checks.equal((process.returncode, *done), (0, b"page.html\n", b""), "Ctrl-C ends it")
    checks.equal(list(here.glob("*.part")), [], "no part of a page is left")


build()
with checks, wine() as (windows, place):
    for test in (outputs, compared, paths, console, watched):
        begin = time.monotonic()
        (place / test.__name__).mkdir()
        test(place / test.__name__)
        print(f"{test.__name__}: {time.monotonic() - begin:.1f} s", flush=True)
