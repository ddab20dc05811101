# SPDX-License-Identifier: Apache-2.0
"""Devices for the stand-in of adb, tests/adb/adb.py: each is a folder here, with a tracefs of plain files and a pipe into
which the text of jank-phone is written, and its programs run in that folder."""

import ast
import concurrent.futures
import contextlib
import fcntl
import os
import pathlib
import select
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time

import segments
from daemon import is_alive, wait_until
from jankd import JANKD, PHONE, REPORT, SOURCE, checks, folder, rows, skip

JANK_ADB = SOURCE / "tools" / "adb" / "jank-adb"
FOLDER = "/data/local/tmp/fps"
SERIAL = "emulator-5554"
PATIENCE = 180  # seconds, on a busy machine
SETTINGS = {
    "trace_clock": "local global [boot]\n", "buffer_size_kb": "7777\n", "current_tracer": "nop\n", "tracing_on": "1\n",
    "saved_cmdlines_size": "128\n", "set_event": "", "trace_marker": "", "trace": "",
    "trace_options": "overwrite\nrecord-tgid\nmarkers\n", "options/overwrite": "1\n", "options/markers": "1\n",
    "options/record-tgid": "1\n"}
DEVICE = {"state": "device", "uid": 0, "exec_out": True, "exit_codes": True, "crlf": False, "kb_per_s": None, "cable": None,
          "full": False, "noise": "", "silent": 0, "environment": {}}
# The folders of this machine that the programs of a device need.
SHARED = ("usr", "bin", "sbin", "lib", "lib32", "lib64", "proc", "dev")
# Commands that the device has in /system/bin. getprop reads the file of properties.
GETPROP = "#!/bin/sh\nwhile IFS='=' read -r name value; do [ \"$name\" != \"$1\" ] || echo \"$value\"; done <\"/props\"\n"
UNAME = "#!/bin/sh\n. /kernel\necho $machine\n"
ABILIST = {"ro.product.cpu.abilist": "x86_64", "ro.product.cpu.abi": "x86_64", "ro.build.version.sdk": "34"}


class Phone:
    """A device that is attached to the stand-in."""

    def __init__(self, devices, serial=SERIAL, machine="x86_64", properties=None, **about):
        self.serial = serial
        self.path = devices / serial
        self.root = self.path / "root"
        self.tracing = self.root / "sys/kernel/tracing"
        self.data = self.root / "data/local/tmp"
        for path in (self.data, self.tracing / "options", self.root / "system/bin", self.root / "tmp"):
            path.mkdir(parents=True)
        for name, text in SETTINGS.items():
            (self.tracing / name).write_text(text)
        os.mkfifo(self.tracing / "trace_pipe")
        self.pipe = os.open(self.tracing / "trace_pipe", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        for name, text in (("getprop", GETPROP), ("uname", UNAME)):
            (self.root / "system/bin" / name).write_text(text)
            (self.root / "system/bin" / name).chmod(0o755)
        (self.root / "system/bin/sh").symlink_to("/bin/sh")
        (self.root / "kernel").write_text(f"machine={machine}\n")
        values = ABILIST if properties is None else properties
        (self.root / "props").write_text("".join(f"{name}={value}\n" for name, value in values.items()))
        if about.get("uid"):
            os.chown(self.data, about["uid"], about["uid"])
        self.make_namespace()
        self.about = {**DEVICE, **about, "enter": self.enter}
        self.change()

    def make_namespace(self):
        """One in which the device's root folder has the folders of this machine that its programs need. Skips the test if
        that cannot be made here."""
        binds = ["set -e"]
        for name in SHARED:
            here, there = pathlib.Path("/", name), self.root / name
            if here.is_symlink():
                there.symlink_to(os.readlink(here))
            elif here.is_dir():
                there.mkdir()
                binds.append(f"mount --rbind /{name} {shlex.quote(str(there))}")
        user = os.geteuid() != 0
        try:
            self.keeper = subprocess.Popen(["unshare", "--mount", *(["--user", "--map-root-user"] if user else []), "sh", "-c",
                                            "\n".join([*binds, "echo ready", "read end"])], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                           stderr=subprocess.PIPE, text=True)
        except FileNotFoundError:
            skip("unshare is not installed")
        if self.keeper.stdout.readline() != "ready\n":
            skip(f"no mount namespace can be made here: {self.keeper.stderr.read().strip()}")
        self.enter = ["nsenter", "--target", str(self.keeper.pid), "--mount", *(["--user", "--preserve-credentials"] if user else [])]

    def change(self, **about):
        self.about.update(about)
        partial = self.path / "about.new"
        partial.write_text(repr(self.about))
        partial.rename(self.path / "about")

    def play(self, text):
        """Writes text into the trace, and returns when jankd has read it."""
        view, deadline = memoryview(text), time.monotonic() + PATIENCE
        while view:
            if time.monotonic() > deadline:
                raise AssertionError("jankd does not read the trace")
            if select.select([], [self.pipe], [], 1)[1]:
                with contextlib.suppress(BlockingIOError):
                    view = view[os.write(self.pipe, view[:65536]):]
        if not wait_until(lambda: struct.unpack("i", fcntl.ioctl(self.pipe, termios.FIONREAD, b"\0" * 4))[0] == 0, PATIENCE):
            raise AssertionError("jankd does not read the trace")

    def folder(self, name="fps"):
        return self.data / name

    def is_attached(self):
        away = self.path / "away"
        return not away.exists() or float(away.read_text()) < time.time()

    def cuts(self):
        """How often the cable was pulled."""
        path = self.path / "cuts"
        return int((path.read_text() or "0 0").split()[1]) if path.exists() else 0

    def log(self):
        """The commands that came to the device, a list of words each."""
        path = self.path / "log"
        return [ast.literal_eval(line) for line in path.read_text().splitlines()] if path.exists() else []

    def pids(self):
        """Of the captures that have run here."""
        for lock in self.data.glob("*/.lock"):
            with contextlib.suppress(ValueError, IndexError):
                yield int(lock.read_text().split()[0])

    def kill(self):
        for pid in self.pids():
            if is_alive(pid) and os.readlink(f"/proc/{pid}/exe").endswith(("/jankd", "/jankd (deleted)")):
                os.kill(pid, signal.SIGKILL)
                wait_until(lambda: not is_alive(pid))

    def reboot(self):
        """The processes are gone, and this boot has another id."""
        self.kill()
        (self.path / "boot_id").write_text("12345678-1234-4123-8123-123456789abc\n")
        subprocess.run([*self.enter, "mount", "--bind", self.path / "boot_id", self.root / "proc/sys/kernel/random/boot_id"], check=True)

    def end(self):
        self.kill()
        os.close(self.pipe)
        self.keeper.communicate()


class Desk:
    """A machine with adb and a folder with the program for devices."""

    def __init__(self, here):
        self.here = here
        self.devices = here / "devices"
        self.programs = here / "device programs"
        self.bin = here / "bin"
        for path in (self.devices, self.programs, self.bin):
            path.mkdir()
        shutil.copy(JANKD, self.programs / "jankd-x86_64")
        adb = self.bin / "adb"
        adb.write_text(f"#!/bin/sh\nexec {shlex.quote(sys.executable)} -I -S {shlex.quote(str(SOURCE / 'tests/adb/adb.py'))} \"$@\"\n")
        adb.chmod(0o755)
        (self.bin / "jank-report").symlink_to(REPORT)
        self.phones = []

    def phone(self, *arguments, **about):
        self.phones.append(Phone(self.devices, *arguments, **about))
        return self.phones[-1]

    def environment(self):
        return {**os.environ, "JANK_DEVICES": str(self.devices), "PATH": f"{self.bin}:{os.environ['PATH']}"}

    def popen(self, *words, shell=("sh",), environment=(), **keywords):
        keywords.setdefault("stdin", subprocess.DEVNULL)
        return subprocess.Popen([*shell, JANK_ADB, *map(str, words)], cwd=self.here,
                                env={**self.environment(), **dict(environment)}, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **keywords)

    def jank_adb(self, *words, **keywords):
        """Runs jank-adb. Returns (exit code, lines of standard output, lines of standard error)."""
        process = self.popen(*words, **keywords)
        out, error = process.communicate(timeout=300)
        return process.returncode, out.splitlines(), error.splitlines()

    def installed(self, *words, **keywords):
        return self.jank_adb("install", "--from", self.programs, *words, **keywords)

    def capture(self, checks, *options):
        succeeded(checks, "install", self.installed())
        succeeded(checks, "start", self.jank_adb("start", *options))

    def captured(self, checks, phone, text, *options):
        """A capture of this text that has ended."""
        self.capture(checks, *options)
        phone.play(text)
        done = self.jank_adb("stop")
        checks.equal(done[0], 0 if text else 1, f"stop: exit code: {done}")

    def into(self, done):
        """The folder that the last line of pull names. That of record is followed by a grade and the page."""
        return self.here / [line for line in done[1] if "new files: " in line][-1].rsplit(": ", 1)[1]


def trace(here, scenario="demo", seconds=8):
    """(the text of a scenario, the file with its truth)"""
    truth = here / f"{scenario}-{seconds}.csv"
    done = subprocess.run([PHONE, "--scenario", scenario, "--seconds", str(seconds), "--speed", "0", "--output", "-",
                           "--truth", truth], capture_output=True, check=True)
    return done.stdout, truth


def pieces(text, number):
    """The text in @number parts of whole lines."""
    lines = text.splitlines(keepends=True)
    size = -(-len(lines) // number)
    return [b"".join(lines[at:at + size]) for at in range(0, len(lines), size)]


def frames(path):
    """The frames of frames.csv and its segments in a folder, or of a file with the truth: (layer, present) in order."""
    paths = segments.paths(path, "frames.csv") if path.is_dir() else [path]
    return sorted((row["layer"], row["present(s)"]) for part in paths for row in rows(part))


def same_frames(checks, what, truth, path):
    played, counted = frames(truth), frames(path)
    checks.that(played, f"{what}: nothing was played")
    checks.that(played == counted, f"{what}: {len(counted)} frames of {len(played)}, {len(set(counted) - set(played))} of them others")


def one_line(checks, what, done, code, *words):
    """The command failed with @code and one line of the program that has all @words."""
    checks.equal(done[0], code, f"{what}: exit code: {done}")
    checks.that(len(done[2]) == 1 and done[2][0].startswith("jank-adb: ") and (code == 2 or done[2][0].count("; ") >= 1), f"{what}: not one line: {done}")
    for word in words:
        checks.that(any(word in line for line in done[2]), f"{what}: {word!r} is not in {done[2]}")


def succeeded(checks, what, done, *words):
    checks.equal(done[0], 0, f"{what}: exit code: {done}")
    for word in words:
        checks.that(any(word in line for line in done[1] + done[2]), f"{what}: {word!r} is not in {done}")
    return done


@contextlib.contextmanager
def desk():
    with folder() as here:
        place = Desk(here)
        try:
            yield place
        finally:
            for phone in place.phones:
                phone.end()


def run_cases(*cases):
    """Each on a desk of its own, three at a time, as they often wait: functions of the checks and the desk. Ends the script."""

    def run(case):
        with desk() as place:
            case(checks, place)

    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        list(pool.map(run, cases))
    checks.end()
