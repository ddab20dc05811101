#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A stand-in for adb. Its devices are the folders in $JANK_DEVICES, see phones.py: a device's files are in SERIAL/root,
its properties in SERIAL/device.json. A command to a device runs here, with SERIAL/root as its root folder. The cable
of a device may be pulled at random moments: then the command ends, and the device is away for a moment."""

import contextlib
import fcntl
import json
import os
import pathlib
import pty
import random
import select
import shlex
import signal
import subprocess
import sys
import termios
import time
import tty

DEVICES = pathlib.Path(os.environ["JANK_DEVICES"])
CHUNK = 4096
# The folders of this machine that the programs of a device need.
SHARED = ("usr", "bin", "sbin", "lib", "lib32", "lib64", "proc", "dev")
PATH = "/system/bin:/usr/bin:/bin"


def fail(text):
    print(f"error: {text}", file=sys.stderr)
    sys.exit(1)


class Unplugged(Exception):
    """The cable was pulled."""


class Device:
    def __init__(self, serial):
        self.serial = serial
        self.path = DEVICES / serial
        self.root = self.path / "root"
        self.about = json.loads((self.path / "device.json").read_text())
        self.away_file = self.path / "away"
        self.cut_at = None  # bytes until the cable is pulled
        self.loses_answer = False  # it is pulled when the command has ended

    def state(self):
        """None: not attached."""
        try:
            if time.time() < float(self.away_file.read_text()):
                return None
        except (FileNotFoundError, ValueError):
            pass
        return self.about["state"]

    def lose_answer(self, words):
        """The first time that a shell command is run, its answer is lost."""
        with open(self.path / "cuts", "a+", encoding="ascii") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            known = file.read().splitlines()
            line = json.dumps(words)
            if words[0] == "shell" and line not in known:
                file.write(line + "\n")
                self.loses_answer, self.away_s = True, 0

    def plan_cut(self, words):
        """Decides whether the cable is pulled during this command, and when."""
        cable = self.about["cable"]
        if cable == "answers":
            self.lose_answer(words)
            return
        if not cable:
            return
        with open(self.path / "cuts", "a+", encoding="ascii") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            calls, cuts = map(int, (file.read() or "0 0").split())
            chance = random.Random(cable["seed"] * 100003 + calls)
            cut = cuts < cable["cuts"] and chance.random() < cable["share"]
            file.truncate(0)
            file.write(f"{calls + 1} {cuts + cut}")
        if cut:
            # -1: before the command begins.
            self.cut_at = chance.choice((-1, 0, 1, chance.randrange(200), chance.randrange(100000)))
            self.away_s = cable.get("away") or chance.choice((0, 0.2, 1.5))

    def pull_cable(self):
        self.away_file.write_text(str(time.time() + self.away_s))
        raise Unplugged

    def begin(self):
        if self.cut_at == -1:
            self.pull_cable()

    def end(self):
        """The cable is pulled at the latest when the command has ended and its answer is on the way."""
        if self.cut_at is not None:
            self.pull_cable()

    def passes(self, data):
        """Yields the pieces that come through the cable."""
        for at in range(0, len(data), CHUNK):
            piece = data[at:at + CHUNK]
            if self.about["kb_per_s"]:
                time.sleep(len(piece) / 1024 / self.about["kb_per_s"])
            if self.cut_at is not None:
                if self.cut_at < len(piece):
                    yield piece[:self.cut_at]
                    self.pull_cable()
                self.cut_at -= len(piece)
            yield self.damaged(piece)

    def damaged(self, piece):
        """Turns a byte of file contents, as often as device.json says."""
        left = self.path / "damage"
        if len(piece) > 1000 and left.exists() and (times := int(left.read_text())) > 0:
            left.write_text(str(times - 1))
            return piece[:500] + bytes([piece[500] ^ 1]) + piece[501:]
        return piece

    def command_line(self, command):
        """(words, environment) that run a shell command with the device's files as its root folder, in a mount
        namespace."""
        binds = []
        for name in SHARED:
            here, there = pathlib.Path("/", name), self.root / name
            if here.is_symlink():
                if not there.is_symlink():
                    there.symlink_to(os.readlink(here))
            elif here.is_dir():
                there.mkdir(exist_ok=True)
                binds.append(f"mount --rbind /{name} {shlex.quote(str(there))}")
        if (self.path / "boot_id").exists():
            binds.append(shlex.join(["mount", "--bind", str(self.path / "boot_id"), f"{self.root}/proc/sys/kernel/random/boot_id"]))
        user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
        uid = self.about["uid"]
        become = f"setpriv --reuid {uid} --regid {uid} --clear-groups " if uid else ""
        script = " && ".join([*binds, f"exec chroot {shlex.quote(str(self.root))} {become}/system/bin/sh -c \"$1\""])
        environment = {"PATH": PATH, "DEVICE_SERIAL": self.serial, **self.about["environment"]}
        return ["unshare", "--mount", *user, "sh", "-c", f"PATH=$PATH:/usr/sbin:/sbin; {script}", "sh", command], environment

    def popen(self, command, **keywords):
        words, environment = self.command_line(command)
        return subprocess.Popen(words, env=environment, start_new_session=True, cwd="/", **keywords)

    def in_terminal(self, command):
        """Runs it in a terminal of its own that shows what it writes in ours, of the same size."""
        words, environment = self.command_line(command)
        pid, terminal = pty.fork()
        if pid == 0:
            # When the size is right.
            sys.stdin.readline()
            os.execvpe(words[0], words, environment)
        tty.setraw(0)
        tty.setraw(terminal, termios.TCSANOW)
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, fcntl.ioctl(0, termios.TIOCGWINSZ, b"\0" * 8))
        os.write(terminal, b"\n")
        sources = [0, terminal]
        with contextlib.suppress(OSError):  # EIO: it has ended
            while True:
                for source in select.select(sources, [], [])[0]:
                    os.write(terminal if source == 0 else 1, os.read(source, 65536))
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def run(device, arguments, raw):
    """adb shell and adb exec-out."""
    words = [word for word in arguments if word != "-t"]
    if raw and not device.about["exec_out"]:
        fail("closed")
    device.begin()
    if device.about["noise"] and not raw:
        print(device.about["noise"], flush=True)
    if "-t" in arguments:
        return device.in_terminal(" ".join(words))
    merged = raw or not device.about["exit_codes"]
    child = device.popen(" ".join(words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT if merged else None)
    crlf = device.about["crlf"] and not raw
    if device.loses_answer:
        child.communicate()
        device.pull_cable()
    try:
        while data := child.stdout.read1(65536):
            for piece in device.passes(data.replace(b"\n", b"\r\n") if crlf else data):
                sys.stdout.buffer.write(piece)
                sys.stdout.buffer.flush()
    except Unplugged:
        # As adbd does. A daemon is in a session of its own.
        os.killpg(child.pid, signal.SIGHUP)
        child.wait()
        raise
    code = child.wait()
    device.end()
    return code if device.about["exit_codes"] and not raw else 0


def push(device, local, remote):
    device.begin()
    data = pathlib.Path(local).read_bytes()
    target = device.root / remote.lstrip("/")
    if device.about["full"]:
        # A part of the file is there, and adb says how many files it has copied.
        target.write_bytes(data[:1000])
        print(f"adb: error: failed to copy '{local}' to '{remote}': remote write failed: No space left on device", file=sys.stderr)
        print(f"{local}: 0 files pushed, 0 skipped. 18.2 MB/s (1000 bytes in 0.001s)")
        return 1
    try:
        with open(target, "wb") as file:
            for piece in device.passes(data):
                file.write(piece)
        target.chmod(0o644)
        if device.about["uid"] and os.geteuid() == 0:
            os.chown(target, device.about["uid"], device.about["uid"])
    except OSError as error:
        fail(f"failed to copy '{local}' to '{remote}': {error.strerror}")
    device.end()
    print(f"{local}: 1 file pushed")
    return 0


def pull(device, remote, local):
    device.begin()
    source = device.root / remote.lstrip("/")
    if not source.exists():
        fail(f"failed to stat remote object '{remote}': No such file or directory")
    with open(local, "wb") as file:
        for piece in device.passes(source.read_bytes()):
            file.write(piece)
            file.flush()
    device.end()
    print(f"{remote}: 1 file pulled")
    return 0


def main(arguments):
    serial = None
    if arguments[:1] == ["-s"]:
        serial, arguments = arguments[1], arguments[2:]
    command, arguments = arguments[0], arguments[1:]
    if command == "version":
        print("Android Debug Bridge version 1.0.41\nVersion 34.0.5-debian")
        return 0
    if command == "start-server":
        return 0
    if command == "devices":
        print("* daemon not running; starting now at tcp:5037\n* daemon started successfully\nList of devices attached")
        for path in sorted(DEVICES.iterdir()):
            device = Device(path.name)
            if device.state():
                print(f"{path.name}\t{device.state()}")
        print()
        return 0
    if not serial or not (DEVICES / serial).is_dir() or not (device := Device(serial)).state():
        fail(f"device '{serial}' not found")
    if device.state() != "device":
        fail(f"device {device.state()}")
    with open(device.path / "log", "a", encoding="utf-8") as file:
        file.write(json.dumps([command, *arguments]) + "\n")
    device.plan_cut([command, *arguments])
    try:
        if command in ("shell", "exec-out"):
            return run(device, arguments, command == "exec-out")
        if command == "push":
            return push(device, *arguments)
        if command == "pull":
            return pull(device, *arguments)
    except Unplugged:
        print("error: closed", file=sys.stderr)
        return 0 if command == "shell" and not device.about["exit_codes"] else 1
    fail(f"unknown command {command}")
    return 1


sys.exit(main(sys.argv[1:]))
