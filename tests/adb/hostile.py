# SPDX-License-Identifier: Apache-2.0
"""Odd names, programs that do not run, a machine with full disks: each command does what it must, or says in one line why not."""

import os
import shutil
import subprocess
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from jankd import JANKD
from mounts import tmpfs
from phones import FOLDER, JANK_ADB, one_line, run_cases, same_frames, succeeded, trace


def serials(checks, place):
    """Serials of devices in the local network have spaces; the others are legal, too."""
    names = ("a b (2)._adb-tls-connect._tcp", "it's", 'quo"te', "a&b|c", "back\\slash", "$(touch x)*")
    for name in names:
        place.phone(name)
    for shell in filter(lambda words: shutil.which(words[0]), (["sh"], ["busybox", "ash"])):
        done = succeeded(checks, "install on all", place.installed("--all", shell=shell))
        checks.equal((sorted(done[1]), done[2]), (sorted(f"{name}: jankd 0.1.0 (x86_64) is installed" for name in names), []), "install on all")
        code, said, error = place.jank_adb("--all", "status", shell=shell)
        checks.equal((code, said, sorted(line.split(": status: ")[0] for line in error)), (1, [], sorted(f"jank-adb: {name}" for name in names)),
                     "failures of all")
    one_line(checks, "a device that is named twice", place.jank_adb("-s", "it's", "-s", "it's", "stop"), 1, FOLDER)
    checks.that(not (place.here / "x").exists(), "a serial was run")


def same_serial(checks, place):
    """Two devices with the same serial, which adb cannot tell apart."""
    phone = place.phone("0123456789ABCDEF")
    phone.change(state="device\n0123456789ABCDEF\tdevice")
    one_line(checks, "the same serial", place.jank_adb("--reconnect", "1", "status"), 1, "0123456789ABCDEF", "several", "one of them at a time")


def programs(checks, place):
    """What is on the device does not run, or not to its end."""
    phone = place.phone()
    succeeded(checks, "install", place.installed())
    program = phone.data / "jankd"
    for script, words in (("kill -SEGV $$", ("139", "doctor")), ("kill -KILL $$", ("137", "doctor")), ("exit 3", ("code 3", "doctor")),
                          ("echo 'WARNING: linker: unused DT entry' >&2; exit 1", ("code 1", "linker")),
                          ("echo 'WARNING: linker: unused DT entry' >&2; echo 'jankd: x: y; z' >&2; exit 1", ("jank-adb: x: y; z",))):
        program.write_text(f"#!/bin/sh\n{script}\n")
        for command in ("status", "start", "pull", "stop"):
            one_line(checks, f"{command}: {script}", place.jank_adb(command), 1, *words)
        one_line(checks, f"uninstall: {script}", place.jank_adb("uninstall"), 1, "cannot run /data/local/tmp/jankd", "jank-adb install")
    program.write_bytes(b"")
    one_line(checks, "uninstall: an empty program", place.jank_adb("uninstall"), 1, "cannot run", "jank-adb install")
    program.chmod(0o644)
    one_line(checks, "a program that may not be run", place.jank_adb("status"), 1, "ermission denied", "jank-adb install")


def noexec(checks, place):
    """Programs cannot be run in the folder of the device: building them again would not help."""
    phone = place.phone()
    subprocess.run([*phone.enter, "sh", "-c", 'mount --bind "$1" "$1" && mount -o remount,bind,noexec "$1"', "sh", phone.data], check=True)
    one_line(checks, "noexec", place.installed(), 1, "cannot be run on this device", "mount -o remount,exec /data")
    checks.equal(list(phone.data.iterdir()), [], "noexec: files that were left")


def others_files(checks, place):
    """A folder of root, to the shell user: nothing is known of it, so uninstall does not say that all is well."""
    if os.geteuid() != 0:
        checks.cannot_judge("a folder of another user", "another user needs root")
        return
    phone = place.phone(uid=2000)
    for path in (place.here, place.devices, phone.path, phone.root):
        path.chmod(0o755)
    succeeded(checks, "install", place.installed())
    for kept in (0o700, 0o755):
        phone.folder().mkdir(exist_ok=True)
        (phone.folder() / ".lock").write_text("")
        (phone.folder() / ".lock").chmod(0o600)
        phone.folder().chmod(kept)
        for words in ((), ("--discard",), ("--keep-data",)):
            one_line(checks, f"uninstall {words}", place.jank_adb("uninstall", *words), 1, f"uninstall: {FOLDER}", "ermission denied")
        one_line(checks, "stop", place.jank_adb("stop"), 1, f"stop: {FOLDER}", "ermission denied")
    checks.that((phone.data / "jankd").exists(), "a refused uninstall removed jankd")
    # Whether root's capture runs is not known, so the program is not replaced; without one it cannot be.
    one_line(checks, "install over a capture of root", place.installed("--stop"), 1, "ermission denied", "as the user who started it")
    (phone.folder() / ".lock").unlink()
    phone.data.chmod(0o755)
    os.chown(phone.data, 0, 0)
    one_line(checks, "install without rights", place.installed(), 1, "cannot be replaced", "ermission denied")


def machine(checks, place):
    """Variables of this machine that change what a script does."""
    phone = place.phone()
    one_line(checks, "no temporary folder", place.jank_adb("status", environment={"TMPDIR": "/none"}), 1, "/none", "TMPDIR")
    succeeded(checks, "a relative path in ADB", place.installed(environment={"ADB": "./bin/adb"}))
    # cd finds the folder there, and prints it.
    (place.here / "elsewhere/programs").mkdir(parents=True)
    (place.here / "programs").mkdir()
    shutil.copy(JANKD, place.here / "programs/jankd-x86_64")
    for shell in filter(shutil.which, ("sh", "bash")):
        succeeded(checks, f"CDPATH, {shell}", place.jank_adb("install", "--from", "programs", shell=[shell],
                                                             environment={"CDPATH": str(place.here / "elsewhere")}))
    # A link, on a machine whose readlink has no option -f.
    shutil.copy(JANK_ADB, place.here / "programs")
    (place.here / "link").symlink_to("programs/jank-adb")
    linked = 'readlink() { [ "$1" != -f ] && command readlink "$@"; }; shift; . ./link'
    succeeded(checks, "a link to jank-adb", place.jank_adb("install", shell=("sh", "-c", linked, "./link")))


def damaged_session(checks, place):
    """session.json of a killed capture has an option that is refused: tracing is restored without a word about it."""
    phone = place.phone()
    succeeded(checks, "install", place.installed())
    for command, said in (("stop", "was killed"), ("start", "capturing to")):
        (phone.tracing / "tracing_on").write_text("0\n")
        succeeded(checks, "start", place.jank_adb("start", "--keep", "5"))
        phone.kill()
        session = phone.folder() / "session.json"
        session.write_text(session.read_text().replace('"--keep=5"', '"--keep=-5"'))
        one_line(checks, "start --resume", place.jank_adb("start", "--resume"), 1, "--keep -5")
        done = succeeded(checks, f"{command} after a kill", place.jank_adb(command), said)
        checks.equal((len(done[1]), done[2]), (1, []), f"{command} after a kill: {done}")
        if command == "stop":
            checks.equal((phone.tracing / "tracing_on").read_text().strip(), "0", "tracing is restored")


def disks(checks, place):
    """Full disks of this machine: nothing is said to be complete that is not."""
    phone = place.phone()
    text, truth = trace(place.here, seconds=3)
    place.captured(checks, phone, text)
    for name in ("small", "temporary"):
        (place.here / name).mkdir()
    with tmpfs("16k", place.here / "small") as there:
        if not there:
            checks.cannot_judge("full disks", "a tmpfs cannot be mounted here")
            return
        one_line(checks, "disk full", place.jank_adb("pull", "small"), 1, "small", "free space")
    for number in range(100, 400):
        (phone.folder() / f"fps-{number}.csv").write_text("row\n")
    for free in (0, 72, 80, 88, 96):
        with tmpfs(f"{free + 4}k", place.here / "temporary"):
            (place.here / "temporary/fill").write_bytes(b"x" * 4096)
            done = place.jank_adb("pull", "out", environment={"TMPDIR": place.here / "temporary"})
            one_line(checks, f"{free} KB are free in the temporary folder", done, 1, "temporary", "TMPDIR")
    checks.that(not (phone.folder() / ".pulled").exists(), "what was not pulled may be removed")
    done = succeeded(checks, "pull", place.jank_adb("pull", "out"))
    same_frames(checks, "after full disks", truth, place.into(done))


run_cases(serials, same_serial, programs, noexec, others_files, machine, damaged_session, disks)
