# SPDX-License-Identifier: Apache-2.0
"""Other users, and servers and clients that do not do what they should: the owner is answered, and jankd asks no other program.
A mark has the time of the request."""

import concurrent.futures
import contextlib
import fcntl
import os
import re
import signal
import socket
import struct
import subprocess
import threading
import time
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
import tracefs
from jankd import JANKD, jankd, rows
from live import each, run, session
from measure import cpu_seconds
from others import OTHER_USER, ended, fork, listening

APART_S = 1


def other_users():
    """Another user cannot read the name of the socket, and is refused if it connects anyway. If 2,000 of its threads connect
    as fast as they can, that costs little CPU, and the owner is answered at once."""
    with session("other users") as s, s.started() as daemon:
        s.here.chmod(0o755)
        s.that(os.stat(s.out / ".lock").st_mode & 0o077 == 0, "they may read .lock")
        name = "\0" + (s.out / ".lock").read_text().split()[1]

        def ask(message):
            with socket.socket(socket.AF_UNIX) as client:
                client.settimeout(20)
                client.connect(name)
                with contextlib.suppress(ConnectionError):
                    client.sendall(message)
                    return 1 if client.recv(100) else 0
            return 0

        def come_and_go():
            connected = False
            while time.monotonic() < end:
                with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as client:
                    client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", 1, 0))
                    client.connect(name)
                    connected = True
            return 0 if connected else 1

        def come_in_a_crowd():
            threading.stack_size(1 << 16)
            with concurrent.futures.ThreadPoolExecutor(2000) as pool:
                return min(pool.map(lambda _: come_and_go(), range(2000)))

        for message in (b"status\n", b"stop\n"):
            s.equal(ended(fork(lambda: ask(message), OTHER_USER)), 0, f"{message!r}")
        result, end = [], time.monotonic() + 8
        crowd = threading.Thread(target=lambda: result.append(ended(fork(come_in_a_crowd, OTHER_USER))))
        crowd.start()
        time.sleep(2)
        before, began = cpu_seconds(daemon.pid), time.monotonic()
        time.sleep(2)
        used = (cpu_seconds(daemon.pid) - before) / (time.monotonic() - began)
        print(f"a crowd of other users: {100 * used:.1f} % of a CPU")
        s.that(used < 0.1, f"a crowd costs {100 * used:.0f} % of a CPU")
        for words in (("status",), ("mark", "x"), ("rotate",)):
            begin = time.monotonic()
            s.equal(daemon.ask(*words).returncode, 0, words)
            took = time.monotonic() - begin
            print(f"{words[0]} beside it: {took:.2f} s")
            s.that(took < 1, f"{words} took {took:.2f} s")
        crowd.join()
        s.equal(result, [0], "none of a crowd could connect")


def lock(s, name):
    """As if a jankd with this socket wrote into the folder."""
    s.out.mkdir()
    (s.out / ".lock").write_text(f"1\n{name}\n")
    return name


def impostor():
    """A client sends nothing to a server of another user, though root's .lock names its socket."""
    with session("impostor") as s:
        asked = s.here / "asked"
        asked.touch()
        asked.chmod(0o666)
        s.here.chmod(0o755)
        name = lock(s, f"jankd-test-impostor-{os.getpid()}")
        with listening(name, lambda client: asked.write_bytes(client.recv(100)), OTHER_USER):
            done = jankd("status", "-F", s.out, timeout=30)
        s.that(done.returncode == 1 and b"another user" in done.stderr, f"{done}")
        s.equal(asked.read_bytes(), b"", "it was sent a request")


def drip(client):
    client.recv(100)
    client.sendall(b"ok\n")
    while True:
        client.sendall(b"A")
        time.sleep(0.5)


def endless_answer():
    """The wait for an answer is limited, even if there is always some more of it."""
    with session("byte by byte") as s, listening(lock(s, f"jankd-test-drip-{os.getpid()}"), drip), open(s.out / ".lock") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        begin = time.monotonic()
        done = jankd("top", "-F", s.out, timeout=60)
        took = time.monotonic() - begin
        s.that(done.returncode == 1 and b"does not answer" in done.stderr and b"; " in done.stderr, f"{done}")
        s.that(took < 9, f"took {took:.1f} s")


def squatter():
    """Another user may take the socket name of a killed jankd: 'stop' still restores tracing."""
    with session("squatter") as s, s.started() as daemon:
        s.here.chmod(0o755)
        name = (s.out / ".lock").read_text().split()[1]
        daemon.end(signal.SIGKILL)
        with listening(name, lambda client: client.recv(100), OTHER_USER):
            with open(s.out / ".lock") as held:
                # As if the last thread of the killed jankd needed 0.2 s to end.
                fcntl.flock(held, fcntl.LOCK_EX)
                end = threading.Timer(0.2, fcntl.flock, (held, fcntl.LOCK_UN))
                end.start()
                done = daemon.ask("status")
                end.join()
            s.that(done.returncode == 1 and b"no capture writes to this folder" in done.stderr, f"status: {done}")
            done = daemon.stop()
            s.that(done.returncode == 0 and b"have been restored" in done.stdout, f"stop: {done}")


def elsewhere():
    """An abstract socket exists in one network namespace only. Without the file of the other one the message names this as a possible cause."""
    with session("elsewhere") as s, s.started() as daemon:
        if subprocess.run(["unshare", "-n", "true"], capture_output=True).returncode != 0:
            s.cannot_judge("a network namespace cannot be made here")
            return
        ask = ["unshare", "-n", JANKD, "status", "-F", daemon.out]
        s.equal(subprocess.run(ask, capture_output=True, timeout=30).returncode, 0, "with the file")
        s.equal((s.out / ".socket").stat().st_mode & 0o777, 0o600, "mode of the file")
        (s.out / ".socket").unlink()
        s.equal(daemon.ask("status").returncode, 0, "without the file")
        done = subprocess.run(ask, capture_output=True, timeout=30)
        s.that(done.returncode == 1 and b"network namespace" in done.stderr, f"{done.stderr!r}")


def marked(clock, source):
    """'jankd mark' gets the current time, on every clock that a trace can have, also before the first event."""
    with session(f"{clock}, {source}") as s:
        s.write("trace_clock", clock)
        with s.started("--source", source) as daemon:
            begin = time.monotonic()
            daemon.ask("mark", "before any event")
            time.sleep(APART_S)
            for n in range(6):
                with daemon.connect() as client:
                    client.sendall(f"mark quick {n}\n".encode())
                    client.recv(100)
                if n == 0:
                    most = time.monotonic() - begin
            # A mark in the trace: its time comes from the kernel.
            for text in ("begin", "in between", "end"):
                if text == "in between":
                    daemon.ask("mark", text)
                else:
                    s.write("trace_marker", f"I|{os.getpid()}|jankd:{text}")
            daemon.stop()
        found = {row["text"]: row for row in rows(s.out, "events.csv") if row["kind"] == "mark"}
        if not s.equal(len(found), 10, f"marks {sorted(found)}"):
            return
        s.that(all(row["time(s)"] and row["wall time"] for row in found.values()), f"marks without a time: {found}")
        at = {text: float(row["time(s)"]) for text, row in found.items()}
        quick = [at[f"quick {n}"] for n in range(6)]
        s.that(quick == sorted(set(quick)), f"marks one after another: {quick}")
        apart = quick[0] - at["before any event"]
        s.that(APART_S - 0.01 <= apart <= most + 0.01, f"marks at least {APART_S} s and at most {most:.3f} s apart are {apart:.3f} s")
        # jankd and the kernel may read the clock on different CPUs.
        s.that(at["begin"] - 0.005 <= at["in between"] <= at["end"] + 0.005, f"{at}")
        events = [float(row["time(s)"]) for row in rows(s.out, "events.csv")]
        s.equal(events, sorted(events), "order of events")


known = re.findall(r"[\w-]+", (tracefs.root() / "trace_clock").read_text())
run(endless_answer, other_users, impostor, squatter, elsewhere,
    each(marked, *((clock, "raw" if clock in ("local", "boot") else "text")
                   for clock in ("local", "global", "perf", "mono", "mono_raw", "boot", "tai") if clock in known)))
