# SPDX-License-Identifier: Apache-2.0
"""A stand-in for adb. Its devices are the folders in $JANK_DEVICES, see phones.py: a device's files are in SERIAL/root, its properties in
SERIAL/about. A command to a device runs here, in the mount namespace of the device, with SERIAL/root as its root folder. The cable of a device may be
pulled at random moments: then the command ends, and the device is away for a moment.

It runs hundreds of times in a test, and importing most modules takes longer than what it does, so it imports few."""

import fcntl
import os
import sys
import time

DEVICES = os.environ["JANK_DEVICES"]
CHUNK = 4096
SIGHUP = 1


def fail(text):
    print(f"error: {text}", file=sys.stderr)
    sys.exit(1)


def contents(path, mode="r"):
    """None if there is no such file."""
    try:
        with open(path, mode) as file:
            return file.read()
    except FileNotFoundError:
        return None


class Unplugged(Exception):
    """The cable was pulled."""


class Device:
    def __init__(self, serial):
        self.serial = serial
        self.path = f"{DEVICES}/{serial}"
        self.root = f"{self.path}/root"
        self.about = eval(contents(f"{self.path}/about"))  # as repr() wrote it
        self.cut_at = None  # bytes until the cable is pulled
        self.loses_answer = False  # it is pulled when the command has ended

    def state(self):
        """None: not attached."""
        away = contents(f"{self.path}/away")
        return None if away and time.time() < float(away) else self.about["state"]

    def plan_cut(self, words):
        """Decides whether the cable is pulled during this command, and when."""
        cable = self.about["cable"]
        if not cable:
            return
        with open(f"{self.path}/cuts", "a+", encoding="ascii") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            if cable == "answers":
                # The answer of each shell command is lost, once.
                if words[0] == "shell" and repr(words) not in file.read().splitlines():
                    file.write(repr(words) + "\n")
                    self.loses_answer, self.away_s = True, 0
                return
            import random
            calls, cuts = map(int, (file.read() or "0 0").split())
            chance = random.Random(cable["seed"] * 100003 + calls)
            cut = cuts < cable["cuts"] and chance.random() < cable["share"] and words[0] == cable.get("of", words[0])
            file.truncate(0)
            file.write(f"{calls + 1} {cuts + cut}")
        if cut:
            # -1: before the command begins.
            self.cut_at = cable.get("at", chance.choice((-1, 0, 1, chance.randrange(200), chance.randrange(100000))))
            self.away_s = cable.get("away") or chance.choice((0, 0.2, 1.5))

    def pull_cable(self):
        with open(f"{self.path}/away", "w", encoding="ascii") as file:
            file.write(str(time.time() + self.away_s))
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
        """Turns a byte of file contents, as often as a file says."""
        left = int(contents(f"{self.path}/damage") or 0)
        if len(piece) > 1000 and left > 0:
            with open(f"{self.path}/damage", "w", encoding="ascii") as file:
                file.write(str(left - 1))
            return piece[:500] + bytes([piece[500] ^ 1]) + piece[501:]
        return piece

    def shell(self, command):
        """(words, environment) that run a shell command."""
        uid = str(self.about["uid"])
        become = ["setpriv", "--reuid", uid, "--regid", uid, "--clear-groups"] if uid != "0" else []
        environment = {"PATH": "/system/bin:/usr/bin:/bin:/usr/sbin:/sbin", "DEVICE_SERIAL": self.serial, **self.about["environment"]}
        return [*self.about["enter"], "chroot", self.root, *become, "/system/bin/sh", "-c", command], environment

    def spawn(self, command, out, err):
        """The command's process, in a session of its own, writes to these file descriptors."""
        words, environment = self.shell(command)
        os.chdir("/")
        return os.posix_spawnp(words[0], words, environment, setsid=True, file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0), (os.POSIX_SPAWN_DUP2, err, 2), (os.POSIX_SPAWN_DUP2, out, 1)])

    def in_terminal(self, command):
        """Runs it in a terminal of its own that shows what it writes in ours, of the same size."""
        import pty
        import select
        import termios
        import tty
        words, environment = self.shell(command)
        pid, terminal = pty.fork()
        if pid == 0:
            # When the size is right.
            sys.stdin.readline()
            os.execvpe(words[0], words, environment)
        tty.setraw(0)
        tty.setraw(terminal, termios.TCSANOW)
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, fcntl.ioctl(0, termios.TIOCGWINSZ, b"\0" * 8))
        os.write(terminal, b"\n")
        try:
            while True:
                if Device(self.serial).state() != "device":
                    os.kill(pid, SIGHUP)
                    return 0  # as adb does
                for source in select.select([0, terminal], [], [], 0.5)[0]:
                    os.write(terminal if source == 0 else 1, os.read(source, 65536))
        except OSError:  # EIO: it has ended
            return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def run(device, arguments, raw):
    """adb shell and adb exec-out."""
    terminal = arguments[:1] == ["-t"]
    command = " ".join(arguments[terminal:])
    if raw and not device.about["exec_out"]:
        fail("closed")
    device.begin()
    if device.about["noise"] and not raw:
        print(device.about["noise"], flush=True)
    if terminal:
        return device.in_terminal(command)
    ours, its = os.pipe()
    child = device.spawn(command, its, its if raw or not device.about["exit_codes"] else 2)
    os.close(its)
    crlf = device.about["crlf"] and not raw
    try:
        while data := os.read(ours, 65536):
            for piece in device.passes(data.replace(b"\n", b"\r\n") if crlf else data) if not device.loses_answer else ():
                os.write(1, piece)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if device.loses_answer:
            device.pull_cable()
    except Unplugged:
        # As adbd does. A daemon is in a session of its own.
        if not device.loses_answer:
            os.killpg(child, SIGHUP)
            os.waitpid(child, 0)
        raise
    device.end()
    return code if device.about["exit_codes"] and not raw else 0


def push(device, local, remote):
    device.begin()
    data = contents(local, "rb")
    target = f"{device.root}/{remote.lstrip('/')}"
    try:
        with open(target, "wb") as file:
            if device.about["full"]:
                # A part of the file is there, and adb says how many files it has copied.
                file.write(data[:1000])
                print(f"adb: error: failed to copy '{local}' to '{remote}': remote write failed: No space left on device", file=sys.stderr)
                print(f"{local}: 0 files pushed, 0 skipped. 18.2 MB/s (1000 bytes in 0.001s)")
                return 1
            for piece in device.passes(data):
                file.write(piece)
        os.chmod(target, 0o644)
        if device.about["uid"] and os.geteuid() == 0:
            os.chown(target, device.about["uid"], device.about["uid"])
    except OSError as error:
        fail(f"failed to copy '{local}' to '{remote}': {error.strerror}")
    device.end()
    print(f"{local}: 1 file pushed")
    return 0


def pull(device, *names):
    device.begin()
    for remote in names[:-1] or fail("no file is named, so adb copies the whole device"):
        local = os.path.join(names[-1], os.path.basename(remote))
        data = contents(f"{device.root}/{remote.lstrip('/')}", "rb")
        if data is None:
            fail(f"failed to stat remote object '{remote}': No such file or directory")
        try:
            with open(local, "wb") as file:
                for piece in device.passes(data):
                    file.write(piece)
        except (Unplugged, OSError) as error:
            os.unlink(local)  # as adb does
            if isinstance(error, Unplugged):
                raise
            fail(f"cannot write '{local}': {error.strerror}")
    device.end()
    return 0


def main(arguments):
    serial = min(os.listdir(DEVICES), default="")
    if arguments[:1] == ["-s"]:
        serial, arguments = arguments[1], arguments[2:]
    command, arguments = arguments[0], arguments[1:]
    if command in ("version", "start-server"):
        print("Android Debug Bridge version 1.0.41\nVersion 34.0.5-debian")
        return 0
    if command == "devices":
        print("* daemon not running; starting now at tcp:5037\n* daemon started successfully\nList of devices attached")
        for name in sorted(os.listdir(DEVICES)):
            if state := Device(name).state():
                print(f"{name}\t{state}")
        print()
        return 0
    if command in ("connect", "disconnect"):
        away = f"{DEVICES}/{arguments[0]}/away"
        if command == "disconnect" or contents(away) == "inf":
            with open(away, "w", encoding="ascii") as file:
                file.write("inf" if command == "disconnect" else "0")
        return 0
    if not os.path.isdir(f"{DEVICES}/{serial}") or not (device := Device(serial)).state():
        fail(f"device '{serial}' not found")
    if device.state() != "device":
        fail(f"device {device.state()}")
    with open(f"{device.path}/log", "a", encoding="utf-8") as file:
        file.write(repr([command, *arguments]) + "\n")
    if contents(f"{device.path}/log").count("\n") <= device.about["silent"]:
        time.sleep(fail("closed") if arguments == [":"] and ":" in serial else 1000)
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
    return fail(f"unknown command {command}")


sys.exit(main(sys.argv[1:]))
