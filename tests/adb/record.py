# SPDX-License-Identifier: Apache-2.0
"""jank-adb record, also with two devices; Ctrl-C; every shell that may run jank-adb."""

import os
import re
import shutil
import signal
import subprocess
import time
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from daemon import wait_until
from jankd import REPORT
from phones import JANK_ADB, one_line, run_cases, same_frames, succeeded, trace

SHELLS = [words for words in (["sh"], ["dash"], ["busybox", "ash"], ["bash", "--posix"], ["mksh"]) if shutil.which(words[0])]
GRADED = r"^(BAD|POOR|FAIR|GOOD|TOO SHORT|INCOMPLETE|UNCLEAR): com\.example\..*"


def record(place, phones, text, *words, seconds=600, **keywords):
    """Records while the trace is played on all phones. Returns the process."""
    process = place.popen("record", seconds, *words, "--from", place.programs, process_group=0, **keywords)
    for phone in phones:
        wait_until(lambda: (phone.folder() / "session.json").exists() or process.poll() is not None, 60)
        if process.poll() is None:
            phone.play(text)
    return process


def end(process, interrupt=True):
    """Ends it by Ctrl-C, or waits. Returns as Desk.jank_adb()."""
    if interrupt:
        os.killpg(process.pid, signal.SIGINT)
    out, error = process.communicate(timeout=300)
    return process.returncode, out.splitlines(), error.splitlines()


def shells(checks, place):
    """The whole way in each shell."""
    text, truth = trace(place.here, seconds=3)
    begun = []
    for shell in SHELLS:
        phone = place.phone("".join(shell))
        begun.append((shell, phone, record(place, [phone], text, "out dir", "-s", phone.serial, "--include", "*", shell=shell)))
    for shell, phone, process in begun:
        done = succeeded(checks, f"{shell}: record", end(process), "is installed", "capturing to", "new files")
        if done[0] == 0:
            same_frames(checks, f"{shell}: record", truth, place.into(done))
            said = re.search(GRADED, subprocess.run([REPORT, "--text", place.into(done)], capture_output=True, text=True).stdout, re.M)[0]
            checks.equal(done[1][-2:], [said, "out dir/report.html"], f"{shell}: the end of record: {done}")
            checks.that((place.here / "out dir" / "report.html").exists(), f"{shell}: the page")
        succeeded(checks, f"{shell}: uninstall", place.jank_adb("uninstall", "-s", phone.serial, shell=shell), "removed")


def checked(checks, place):
    """What shellcheck finds."""
    if shutil.which("shellcheck"):
        checks.equal(subprocess.run(["shellcheck", "-s", "sh", JANK_ADB], capture_output=True, text=True).stdout, "", "shellcheck")


def two(checks, place):
    """All devices at once: what one cannot do does not stop the others."""
    phones = [place.phone("one"), place.phone("10.0.0.2:5555"), place.phone("off", state="unauthorized")]
    text, truth = trace(place.here, seconds=3)
    done = end(record(place, phones[:2], text, "out", "--all"))
    checks.equal(done[0], 1, f"two devices, and one that is not ready: {done}")
    checks.equal([line for line in done[2] if "unauthorized" in line],
                 ["jank-adb: off: record: adb shows the device as 'unauthorized'; accept the key of this machine on the device's screen"], "the third device")
    for phone in phones[:2]:
        lines = [line for line in done[1] if line.startswith(f"{phone.serial}: ")]
        checks.that(len(lines) >= 3, f"lines of {phone.serial}: {done}")
        if lines:
            same_frames(checks, phone.serial, truth, place.into((0, lines)))
    checks.that(all(re.match(r"(one|10\.0\.0\.2:5555): ", line) for line in done[1][:-1]), f"each line names its device: {done[1]}")
    checks.equal((done[1][-1], [sum(line.startswith(f"{phone.serial}: ") and re.match(GRADED, line.removeprefix(f"{phone.serial}: ")) is not None for line in done[1])
                                  for phone in phones[:2]]), ("out/report.html", [1, 1]), f"the end of two: {done}")
    checks.equal(sum(path.is_dir() for path in (place.here / "out").glob("[a-z0-9]*")), 2, "folders")
    succeeded(checks, "uninstall of two", place.jank_adb("uninstall", "-s", "one", "-s", "10.0.0.2:5555"))


def interrupted(checks, place):
    """Ctrl-C ends the capture early, and its files are copied."""
    phone, (text, truth) = place.phone(), trace(place.here, seconds=3)
    process = record(place, [phone], text, "out")
    done = succeeded(checks, "Ctrl-C", end(process), "interrupted; stopping the capture and copying its files")
    same_frames(checks, "Ctrl-C", truth, place.into(done))
    checks.equal(place.jank_adb("status")[0], 1, "Ctrl-C: the capture has ended")
    # Again, while the files are copied: the line that says how to go on names the folder.
    process = record(place, [phone], text, "$(my) files")
    phone.change(kb_per_s=20)
    os.killpg(process.pid, signal.SIGINT)
    wait_until(lambda: any((place.here / "$(my) files/.jank-adb").glob("*")), 60)
    code, _, error = end(process)
    checks.equal((code, [line for line in error if "interrupted" in line]),
                 (130, ["jank-adb: interrupted; stopping the capture and copying its files", "jank-adb: interrupted; continue with 'jank-adb pull $(my) files'"]),
                 "Ctrl-C twice")


def interrupted_start(checks, place):
    """Ctrl-C while a capture begins, which it may do all the same."""
    phone = place.phone()
    (phone.data / "jankd").write_text("#!/bin/sh\n[ \"$1\" != start ] || sleep 5\n")
    (phone.data / "jankd").chmod(0o755)
    process = place.popen("start", process_group=0)
    wait_until(lambda: any("jankd start" in command[-1] for command in phone.log()), 60)
    checks.equal(end(process), (130, [], ["jank-adb: interrupted; a capture may be running: check with 'jank-adb status'"]), "Ctrl-C in start")


def lost(checks, place):
    """At the end the device is away for longer than --reconnect, or comes back without the key: one line says what is left to do."""
    phone = place.phone()
    succeeded(checks, "install", place.installed())
    for away, state, advice in ((1000, "device", ["record: the device is no longer attached; connect it and run 'jank-adb pull'"]),
            (0, "unauthorized", ["adb shows the device as 'unauthorized'; accept the key of this machine on the device's screen"] * 2)):
        process = record(place, [], b"", "out", "--reconnect", "3", seconds=3)
        wait_until(lambda: "capturing to" in process.stdout.readline(), 60)
        phone.change(state=state)
        (phone.path / "away").write_text(str(time.time() + away))
        code, _, error = end(process, interrupt=False)
        checks.equal((code, [line.removeprefix("jank-adb: ").replace("record: adb", "adb") for line in error]),
                     (1, ["connection lost; waiting for the device, at most 3 s", *advice]), f"{state}, away for {away} s")
        phone.change(state="device")
        (phone.path / "away").unlink()
        succeeded(checks, "pull", place.jank_adb("pull", "out"))


def during_a_capture(checks, place):
    phone = place.phone()
    place.capture(checks)
    # Ctrl-C while it stops by itself asks for what it does.
    adb, stop = place.bin / "adb", f"mkdir {place.here}/once || kill -INT $(cut -d ' ' -f 4 /proc/$PPID/stat)"
    adb.write_text(adb.read_text().replace("exec", f'case "$*" in *"jankd stop"*) {stop} ;; esac 2>/dev/null\nexec'))
    done = end(record(place, [phone], b"", "out", "--stop", seconds=3), interrupt=False)
    one_line(checks, "record --stop, and nothing is drawn", done, 1, "nothing was measured")
    checks.that(any("new files" in line for line in done[1]), f"its files are copied: {done}")
    # The clock of this machine is set forward all the time.
    (place.bin / "date").write_text(f"#!/bin/sh\nnow=$(wc -c <{place.here}/now)\nprintf 123456789 >>{place.here}/now\necho $now\n")
    (place.bin / "date").chmod(0o755)
    (place.here / "now").write_text("")
    for happens, words in ((phone.kill, ("was killed", "'jank-adb start --resume'")), (phone.reboot, ("boot",))):
        process = record(place, [], b"", "out", seconds=9)
        begin = wait_until(lambda: "capturing to" in process.stdout.readline(), 60) and time.monotonic()
        happens()
        one_line(checks, f"the capture died: {happens}", end(process, interrupt=False), 1, *words)
        checks.that(time.monotonic() - begin >= 9, "the clock was set, and record ended early")


def away(checks, place):
    """The device is away while it captures, and comes back after the time has passed."""
    phone, seconds = place.phone(), 30  # long enough to play the trace on a busy machine
    text, truth = trace(place.here, seconds=3)
    process = record(place, [phone], text, "out", seconds=seconds)
    (phone.path / "away").write_text(str(time.time() + seconds + 3))
    done = succeeded(checks, "away during the capture", end(process, interrupt=False), "connection lost; waiting for the device")
    checks.equal(sum("connection lost" in line for line in done[2]), 1, f"away: said once: {done[2]}")
    same_frames(checks, "away during the capture", truth, place.into(done))


run_cases(away, lost, shells, interrupted_start, two, during_a_capture, interrupted, checked)
