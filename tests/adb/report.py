# SPDX-License-Identifier: Apache-2.0
"""jank-adb report: pulls, makes a page of what it pulled and opens it; with --watch again and again, also of a new session;
Ctrl-C ends it and jank-report."""

import json
import os
import re
import shlex
import signal
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from daemon import wait_until
from jankd import REPORT
from phones import JANK_ADB, one_line, pieces, run_cases, succeeded, trace
from segments import GROWING, joined

WAIT = 90  # seconds


def browser(place):
    """A stand-in for xdg-open that notes what it is to open. Returns the environment with it, and its notes."""
    notes = place.here / "opened"
    opener = place.bin / "xdg-open"
    opener.write_text(f'#!/bin/sh\necho "$1" >>{shlex.quote(str(notes))}\n')
    opener.chmod(0o755)
    return {"DISPLAY": ":9"}, notes


def sessions(page):
    return json.loads(re.search(rb'<script[^>]*id="?data"?[^>]*>(.*?)</script>', page.read_bytes(), re.S)[1])["sessions"]


def rows(page):
    return sum(session["files"].get("fps.csv", {"rows": 0})["rows"] for session in sessions(page)) if page.exists() else 0


def once(checks, place):
    phone = place.phone()
    environment, notes = browser(place)
    text, _ = trace(place.here, seconds=3)
    place.capture(checks)
    phone.play(text)
    for directory in ("fps", "my $(files)"):
        words = () if directory == "fps" else (directory,)
        done = succeeded(checks, f"report {words}", place.jank_adb("report", *words, environment=environment))
        page = place.here / directory / "report.html"
        checks.equal(done[1][-1], f"{directory}/report.html", "the last line is the page")
        checks.equal(len(sessions(page)), 1, "sessions in the page")
        checks.that(rows(page) > 0, "rows in the page")
        checks.that(wait_until(lambda name=directory: notes.exists() and f"{name}/report.html\n" in notes.read_text(), 10), f"{directory}: the page is opened")
    # Without a display nothing is opened.
    before = notes.read_text()
    succeeded(checks, "no display", place.jank_adb("report", environment={"DISPLAY": "", "WAYLAND_DISPLAY": ""}))
    checks.equal(notes.read_text(), before, "opened without a display")
    (place.here / "fps/report.html").unlink()
    (place.here / "fps/report.html").mkdir()
    checks.equal(place.jank_adb("report", environment=environment)[0], 1, "the exit code of report without a page")
    checks.equal(notes.read_text(), before, "a page that could not be written is opened")
    phone.change(state="offline")
    one_line(checks, "offline", place.jank_adb("report", environment=environment), 1, "offline")


def asked(phone, verb):
    """How often that command of jankd came to the device, without options."""
    return sum(f"/jankd {verb} -F " in " ".join(command) and "'--" not in " ".join(command) for command in phone.log())


def watched(checks, place):
    phone = place.phone()
    environment, notes = browser(place)
    text, _ = trace(place.here)
    first, second, third = pieces(text, 3)
    place.capture(checks)
    phone.play(first)
    process = place.popen("report", "--watch", "out", environment=environment, process_group=0)
    page = place.here / "out/report.html"
    checks.that(wait_until(lambda: rows(page) > 0 and notes.exists(), WAIT), "a page, and it is opened")
    before = rows(page)
    phone.play(second)
    checks.that(wait_until(lambda: rows(page) > before, WAIT), "the page has what came meanwhile")
    # It disturbs the capture little: no rotation, and the device has read all of its files once.
    checks.equal((asked(phone, "rotate"), asked(phone, "files")), (0, 1), "rotations, and lists with checksums")
    # Another pull rotates, and the capture ends: the rows here are those of the device.
    succeeded(checks, "another pull", place.jank_adb("pull", "elsewhere"))
    phone.play(third)
    # The cable is pulled for a moment.
    phone.change(state="offline")
    checks.that(not wait_until(lambda: process.poll() is not None, 8), "it goes on without the device")
    phone.change(state="device")
    succeeded(checks, "stop", place.jank_adb("stop"))
    here = next((place.here / "out").glob(f"{phone.serial}-*"))
    checks.that(wait_until(lambda: all(joined(here, name) == joined(phone.folder(), name) for name in GROWING), WAIT), "the same rows here and there")
    succeeded(checks, "start a later session", place.jank_adb("start"))
    earlier = sessions(page)[0]["session_id"]
    phone.play(first)
    checks.that(wait_until(lambda: rows(page) > 0 and sessions(page)[0]["session_id"] != earlier, WAIT), "the page follows the later session")
    os.killpg(process.pid, signal.SIGINT)
    out, error = process.communicate(timeout=WAIT)
    checks.equal((process.returncode, out.splitlines()[1:]), (0, ["out/report.html"]), f"Ctrl-C: {error}")
    checks.that("not found" not in error, f"messages of the shell: {error}")
    checks.equal(notes.read_text(), "out/report.html\n", "the page is opened once")
    checks.equal([pid for pid in os.listdir("/proc") if pid.isdigit() and is_of(pid, place)], [], "jank-report has ended")


def is_of(pid, place):
    """True: the process is a jank-report in a folder of @place."""
    try:
        return os.readlink(f"/proc/{pid}/exe") == str(REPORT.resolve()) and os.readlink(f"/proc/{pid}/cwd").startswith(str(place.here))
    except OSError:
        return False


def missing(checks, place):
    """Without jank-report it says so before it pulls anything."""
    tool = place.here / "jank-adb"
    tool.write_bytes(JANK_ADB.read_bytes())
    (place.bin / "jank-report").unlink()
    place.phone()
    done = place.jank_adb("report", shell=("sh", "-c", f'shift; exec sh {shlex.quote(str(tool))} "$@"', "sh"))
    one_line(checks, "no jank-report", done, 1, "jank-report was not found")


run_cases(missing, once, watched)
