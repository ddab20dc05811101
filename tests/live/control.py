#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Any client of the control socket, with any request: the capture loses nothing."""

import contextlib
import fcntl
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import tracefs
from daemon import Daemon, is_alive, started, wait_until
from jankd import BUILD, JANKD, Checks, jankd, rows
from live import play, session
from measure import memory_kb

MESSAGES = 1000
SILENT = 100
CLIENTS_MAX = 16


def descriptors(pid):
    return len(list(pathlib.Path(f"/proc/{pid}/fd").iterdir()))


def garbage(number):
    """Bytes that are no valid request; some too long, some without a line end."""
    chance = random.Random(number)
    kind = number % 6
    if kind == 0:
        return bytes(chance.randrange(256) for _ in range(chance.randrange(200))) + b"\n"
    if kind == 1:
        return b"A" * 5000
    if kind == 2:
        return b"sta"
    if kind == 3:
        return b"\n" * chance.randrange(1, 50)
    if kind == 4:
        return b"status text 99999999999\n"
    return b"mark \x00\xff\\\n"


def say(daemon, message):
    """Sends @message and closes the connection without reading the answer."""
    with contextlib.suppress(ConnectionError, socket.timeout), daemon.connect() as client:
        client.sendall(message)


def shout(checks, daemon, held):
    """Sends many messages; adds connections that stay open to @held."""
    for number in range(MESSAGES):
        say(daemon, garbage(number))
        if number % (MESSAGES // SILENT) == 0:
            held.append(daemon.connect())
    # An incomplete request, and an answer that is never read.
    for message in (b"stat", b"top 4096 4096\n"):
        client = daemon.connect()
        client.sendall(message)
        held.append(client)


def crowd(checks):
    what = "a crowd"
    with session() as (mount, instance, here), started(checks, mount, instance, here / "out") as daemon:
        truth, held = here / "truth.csv", []
        shouting = threading.Thread(target=shout, args=(checks, daemon, held))
        before = descriptors(daemon.pid)
        timer = threading.Timer(0.5, shouting.start)
        timer.start()
        play(mount, instance, truth, "--scenario", "steady-60", "--seconds", 4)
        timer.join()
        shouting.join()
        checks.that(len(held) >= SILENT, f"{what}: {len(held)} silent clients")
        before += 1  # doframe.csv, which is opened for its first row
        checks.that(descriptors(daemon.pid) <= before + CLIENTS_MAX, f"{what}: descriptors")
        checks.equal(daemon.ask("status").returncode, 0, f"{what}: status while there are silent clients")
        checks.that(wait_until(lambda: descriptors(daemon.pid) <= before, 10),
                    f"{what}: {descriptors(daemon.pid)} descriptors, {before} before")
        state = daemon.status()["counters"]
        checks.equal((state["lost_events"], state["lost_unknown"]), (0, 0), f"{what}: lost events")
        checks.that(memory_kb(daemon.pid) < 30000, f"{what}: {memory_kb(daemon.pid)} KB")
        done = daemon.stop()
        checks.equal(done.returncode, 0, f"{what}: stop: {done.stderr!r}")
        checks.equal(len(rows(daemon.out, "frames.csv")), len(rows(truth)), f"{what}: frames")
        for client in held:
            client.close()


def answers(checks):
    """Each request gets one answer, then the connection is closed."""
    with session() as (mount, instance, here), started(checks, mount, instance, here / "out") as daemon:
        for message, begin in ((b"status\n", b"ok\n{"), (b"top 80 24\n", b"ok\njankd"), (b"rotate\n", b"ok\n"),
                               (b"mark x\n", b"ok\n"), (b"nonsense\n", b"error: "), (b"\n", b"error: "),
                               (b"mark \xff\xfe\n", b"ok\n"), (b"mark \0\n", b"error: "),
                               (b"top 80\n", b"error: "), (b"A" * 5000, b"error: the request has more"), (b"status\nstop\n", b"ok\n{")):
            with daemon.connect() as client:
                got = b""
                with contextlib.suppress(ConnectionError):
                    client.sendall(message)
                    while data := client.recv(65536):
                        got += data
            checks.that(got.startswith(begin), f"{message!r}: {got[:80]!r}")
        with daemon.connect() as client:
            for byte in b"status\n":
                client.sendall(bytes([byte]))
                time.sleep(0.01)
            checks.that(client.recv(65536).startswith(b"ok\n{"), "a request byte by byte")
        marks = [row["text"] for row in rows(daemon.out, "events-000001.csv") + rows(daemon.out, "events.csv")
                 if row["kind"] == "mark"]
        checks.equal(marks, ["x", "\\xFF\\xFE"], "marks")


def marked(checks):
    """A mark while frames before it are still unread: rows end with the last frame before the mark."""
    with session() as (mount, instance, here), started(checks, mount, instance, here / "out") as daemon:
        def mark():
            for number in range(3):
                time.sleep(1.1)
                checks.equal(daemon.ask("mark", f"level {number}").returncode, 0, "mark: exit code")

        marking = threading.Thread(target=mark)
        marking.start()
        play(mount, instance, here / "truth.csv", "--scenario", "steady-60", "--seconds", 5)
        marking.join()
        daemon.stop()
        frames = [float(row["present(s)"]) for row in rows(daemon.out, "frames.csv")]
        ends = {float(row["end time"]) for row in rows(daemon.out, "fps.csv")}
        marks = [float(row["time(s)"]) for row in rows(daemon.out, "events.csv") if row["kind"] == "mark"]
        checks.equal(len(marks), 3, "mark: events")
        for at in marks:
            before = max((frame for frame in frames if frame <= at), default=None)
            checks.that(before in ends, f"mark at {at}: no row ends at {before}, only at {sorted(ends)}")


def as_other_user(do):
    """Calls do() in a child process of another user. Returns its result, 99 after an exception."""
    child = os.fork()
    if child == 0:
        code = 99
        with contextlib.suppress(BaseException):
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
            code = do()
        os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def other_users(checks):
    """Another user cannot read the name of the socket, and is refused if it connects anyway."""
    with session() as (mount, instance, here), started(checks, mount, instance, here / "out") as daemon:
        here.chmod(0o755)
        checks.that(os.stat(here / "out" / ".lock").st_mode & 0o077 == 0, "another user may read .lock")
        name = "\0" + (here / "out" / ".lock").read_text().split()[1]

        def ask(message):
            with socket.socket(socket.AF_UNIX) as client:
                client.settimeout(20)
                client.connect(name)
                with contextlib.suppress(ConnectionError):
                    client.sendall(message)
                    return 1 if client.recv(100) else 0
            return 0

        checks.equal(as_other_user(lambda: ask(b"status\n")), 0, "status for another user")
        checks.equal(as_other_user(lambda: ask(b"stop\n")), 0, "stop by another user")
        checks.equal(daemon.ask("status").returncode, 0, "afterwards")


def crowd_of_other_users(checks):
    """Another user connects as fast as it can: that costs little CPU, and the owner is still answered."""
    with session() as (mount, instance, here), started(checks, mount, instance, here / "out") as daemon:
        name = "\0" + (here / "out" / ".lock").read_text().split()[1]

        def come_and_go():
            end, connected = time.monotonic() + 4, False
            while time.monotonic() < end:
                with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as client:
                    client.settimeout(1)
                    client.connect(name)
                    connected = True
            return 0 if connected else 1

        def ticks():
            fields = pathlib.Path(f"/proc/{daemon.pid}/stat").read_text().rpartition(")")[2].split()
            return int(fields[11]) + int(fields[12])

        result = []
        other_users = threading.Thread(target=lambda: result.append(as_other_user(come_and_go)))
        other_users.start()
        time.sleep(0.5)
        before = ticks()
        time.sleep(3)
        used = (ticks() - before) / os.sysconf("SC_CLK_TCK") / 3
        print(f"a crowd of other users: {100 * used:.1f} % of a CPU")
        checks.that(used < 0.1, f"a crowd of other users costs {100 * used:.0f} % of a CPU")
        begin = time.monotonic()
        checks.equal(daemon.ask("status").returncode, 0, "a crowd of other users: status")
        checks.that(time.monotonic() - begin < 5, f"a crowd of other users: status took {time.monotonic() - begin:.1f} s")
        other_users.join()
        checks.equal(result, [0], "a crowd of other users: none of them could connect")


def impostor(checks):
    """A client sends nothing to a server of another user, though .lock names its socket."""
    with session() as (_, _, here):
        here.chmod(0o755)
        home = here / "home"
        home.mkdir()
        home.chmod(0o777)
        name = f"jankd-test-{os.getpid()}"

        def serve():
            (home / ".lock").write_text(f"1\n{name}\n")
            os.chown(home / ".lock", -1, -1)
            with socket.socket(socket.AF_UNIX) as server:
                server.bind("\0" + name)
                server.listen()
                server.settimeout(20)
                client = server.accept()[0]
                client.settimeout(5)
                return 1 if client.recv(100) else 0

        result = []
        server = threading.Thread(target=lambda: result.append(as_other_user(serve)))
        server.start()
        checks.that(wait_until(lambda: name in pathlib.Path("/proc/net/unix").read_text()), "impostor: no socket")
        # Now .lock belongs to root.
        text = (home / ".lock").read_text()
        (home / ".lock").unlink()
        (home / ".lock").write_text(text)
        done = jankd("status", "-F", home, timeout=30)
        server.join()
        checks.equal(done.returncode, 1, f"impostor: {done.stdout!r}")
        checks.that(b"another user" in done.stderr, f"impostor: {done.stderr!r}")
        checks.equal(result, [0], "impostor: it was sent a request")


def raw_bytes(checks):
    """Root may send a request to a server of any user: control bytes in the answer do not reach the terminal."""
    with session() as (_, _, here):
        here.chmod(0o755)
        home = here / "home"
        home.mkdir()
        name = f"jankd-test-{os.getpid()}"
        (home / ".lock").write_text(f"1\n{name}\n")
        os.chown(home / ".lock", 65534, 65534)

        def serve():
            with socket.socket(socket.AF_UNIX) as server:
                server.bind("\0" + name)
                server.listen()
                server.settimeout(20)
                for _ in range(2):
                    client = server.accept()[0]
                    client.settimeout(5)
                    client.recv(100)
                    client.sendall("ok\nred: \x1b[31m \x07 \u009b1m \u202e \\x1b \u00e9\n".encode() + b"\x9b2J\n")
                    client.close()
            return 0

        server = threading.Thread(target=lambda: as_other_user(serve))
        server.start()
        checks.that(wait_until(lambda: name in pathlib.Path("/proc/net/unix").read_text()), "raw bytes: no socket")
        for command in ("status", "top"):
            said = jankd(command, "-F", home, timeout=30).stdout
            checks.that(b"red: " in said, f"raw bytes, {command}: {said!r}")
            for byte in (b"\x1b", b"\x07", b"\xc2\x9b", b"\x9b", "\u202e".encode()):
                checks.that(byte not in said, f"raw bytes, {command}: {byte!r} in {said!r}")
            checks.that("\\x1b \u00e9".encode() in said, f"raw bytes, {command}: {said!r}")
        server.join()


@contextlib.contextmanager
def listening(home, name, serve, uid=0):
    """A false jankd of a folder: calls serve(connection) for each client."""
    home.mkdir(exist_ok=True)
    (home / ".lock").write_text(f"1\n{name}\n")
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            os.setgid(uid)
            os.setuid(uid)
            server = socket.socket(socket.AF_UNIX)
            server.bind("\0" + name)
            server.listen()
            while True:
                client = server.accept()[0]
                with contextlib.suppress(OSError):
                    serve(client)
                client.close()
        os._exit(0)
    try:
        wait_until(lambda: name in pathlib.Path("/proc/net/unix").read_text())
        yield
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def drip(client):
    client.recv(100)
    client.sendall(b"ok\n")
    while True:
        client.sendall(b"A")
        time.sleep(0.5)


def pour(client):
    client.recv(100)
    client.sendall(b"ok\n")
    while True:
        client.sendall(b"A" * 65536)


def no_answers(checks):
    """An incomplete answer is an error, and the wait for an answer is limited."""
    with session() as (_, _, here):
        home = here / "home"
        for what, serve, commands, why in (
                ("half a line", lambda client: (client.recv(100), client.sendall(b'ok\n{"schema": 1, "x')),
                 ("status", "top", "stop"), b"incomplete answer"),
                ("a NUL", lambda client: (client.recv(100), client.sendall(b"ok\na\0\n")), ("status",), b"incomplete answer"),
                ("cut off", lambda client: (client.recv(1), client.sendall(b"ok\na\n")), ("status",), b"incomplete answer"),
                ("no ok", lambda client: (client.recv(100), client.sendall(b"hello\n")), ("rotate",), b"incomplete answer"),
                ("no word", lambda client: client.recv(100), ("stop",), b"incomplete answer"),
                ("without an end", pour, ("status", "stop"), b"too long"),
                ("byte by byte", drip, ("top",), b"does not answer")):
            with listening(home, f"jankd-test-{os.getpid()}", serve), open(home / ".lock") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                for command in commands:
                    begin = time.monotonic()
                    done = jankd(command, "-F", home, timeout=60)
                    took = time.monotonic() - begin
                    checks.equal(done.returncode, 1, f"{what}, {command}: {done.stdout[:100]!r}")
                    checks.that(why in done.stderr and b"; " in done.stderr, f"{what}, {command}: {done.stderr[:300]!r}")
                    checks.that(took < 9, f"{what}, {command}: took {took:.1f} s")


def squatter(checks):
    """Another user may take the socket name of a killed jankd: 'stop' still restores tracing."""
    with session() as (mount, instance, here), started(checks, mount, instance, here / "out") as daemon:
        here.chmod(0o755)
        before = (daemon.out / ".lock").read_text()
        os.kill(daemon.pid, signal.SIGKILL)
        wait_until(lambda: not is_alive(daemon.pid))
        with listening(daemon.out, before.split()[1], lambda client: client.recv(100), uid=65534):
            with open(daemon.out / ".lock") as lock:
                # As if the last thread of the killed jankd needed 0.2 s to end.
                fcntl.flock(lock, fcntl.LOCK_EX)
                end = threading.Timer(0.2, fcntl.flock, (lock, fcntl.LOCK_UN))
                end.start()
                done = daemon.ask("status")
                end.join()
            checks.equal(done.returncode, 1, f"squatter: status: {done.stdout!r}")
            checks.that(b"no jankd is running there" in done.stderr, f"squatter: status: {done.stderr!r}")
            done = daemon.stop()
            checks.equal(done.returncode, 0, f"squatter: stop: {done.stderr!r}")
            checks.that(b"have been restored" in done.stdout, f"squatter: stop: {done.stdout!r}")


def full(checks):
    """More clients than slots while the disk stalls: each of 30 marks is answered and written to the file."""
    shim = BUILD / "tests" / "libstall_disk.so"
    if not shim.exists():
        checks.cannot_judge("full", "a build with a sanitizer has no library that stalls the disk")
        return
    with session() as (mount, instance, here):
        daemon, stalls = Daemon(mount, instance, here / "out"), here / "stalls"
        daemon.start(env={**os.environ, "LD_PRELOAD": str(shim), "STALL_IN": str(daemon.out),
                          "STALL_WHILE": str(stalls)})
        try:
            stalls.touch()
            time.sleep(0.5)
            asking = [subprocess.Popen([JANKD, "mark", "-F", daemon.out, f"mark {n}"], stdout=subprocess.PIPE,
                                       stderr=subprocess.STDOUT) for n in range(30)]
            begin = time.monotonic()
            checks.equal(daemon.ask("status").returncode, 0, "full: status")
            checks.that(time.monotonic() - begin < 4, f"full: status took {time.monotonic() - begin:.1f} s")
            said = [process.communicate(timeout=30)[0] for process in asking]
            checks.equal([text for text, process in zip(said, asking) if process.returncode != 0], [], "full: marks")
            stalls.unlink()
            checks.equal(daemon.stop().returncode, 0, "full: stop")
            marks = [row["text"] for row in rows(daemon.out, "events.csv") if row["kind"] == "mark"]
            checks.equal(sorted(marks), sorted(f"mark {n}" for n in range(30)), "full: marks in the file")
        finally:
            stalls.unlink(missing_ok=True)
            daemon.kill()


def no_lock(checks):
    """If .lock is not a regular file, the message says what it is."""
    with session() as (_, _, here):
        lock = here / ".lock"
        os.mkfifo(lock)
        fifo = os.open(lock, os.O_RDWR)
        done = jankd("status", "-F", here, timeout=30)
        checks.that(done.returncode == 1 and b"not a regular file" in done.stderr, f"a FIFO: {done.stderr!r}")
        os.close(fifo)
        lock.unlink()
        with socket.socket(socket.AF_UNIX) as there:
            there.bind(str(lock))
            done = jankd("status", "-F", here, timeout=30)
            checks.that(done.returncode == 1 and b"not a regular file" in done.stderr, f"a socket: {done.stderr!r}")


def elsewhere(checks):
    """An abstract socket exists in one network namespace only: the message names this as a possible cause."""
    with session() as (mount, instance, here), started(checks, mount, instance, here / "out") as daemon:
        if subprocess.run(["unshare", "-n", "true"], capture_output=True).returncode != 0:
            checks.cannot_judge("elsewhere", "a network namespace cannot be made here")
            return
        done = subprocess.run(["unshare", "-n", JANKD, "status", "-F", daemon.out], capture_output=True, timeout=30)
        checks.that(done.returncode == 1 and b"network namespace" in done.stderr, f"elsewhere: {done.stderr!r}")


tracefs.root()
checks = Checks()
for case in (crowd, answers, marked, other_users, crowd_of_other_users, impostor, raw_bytes, no_answers, squatter, full, no_lock,
             elsewhere):
    case(checks)
checks.end()
