#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lines 'LOST ... EVENTS' in the live text: those of the kernel are counted exactly, those written by an app are
reported and not counted."""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import tracefs
from frames import per_layer
from jankd import PHONE, Checks, rows
from live import Capture, session

APP_UID = 10123

# In each event about forged lines.
FORGED = ": the kernel's statistics show none"


def fork(write, uid):
    """Runs write() in a process with the uid of an app."""
    pid = os.fork()
    if pid == 0:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
        try:
            write()
        finally:
            os._exit(0)
    return pid


def forge(marker, seconds):
    """Writes lines as the kernel would, for CPUs that exist and some that do not."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        for cpu in (0, 1, 63, 64, 4095, 2147483647):
            for events in ("99999 ", "1 ", "", "999999999999999999 "):
                marker.write(f"C|1|a|1\nCPU:{cpu} [LOST {events}EVENTS]".encode())
                marker.write(f"C|1|a|1\0CPU:{cpu} [LOST {events}EVENTS]".encode())
        time.sleep(0.02)


def lose(instance, markers):
    """Writes more than the buffers hold, while nothing reads them."""
    home = os.sched_getaffinity(0)
    with open(instance / "trace_marker", "wb", buffering=0) as marker:
        for cpu in sorted(home):
            os.sched_setaffinity(0, {cpu})
            for n in range(markers):
                marker.write(f"C|1|flood|{n}".encode())
    os.sched_setaffinity(0, home)


def overruns(instance):
    return sum(int(re.search(r"^overrun: (\d+)", path.read_text(), re.M)[1]) for path in instance.glob("per_cpu/cpu*/stats"))


def counted(here):
    counters = json.loads((here / "out" / "session.json").read_text())["counters"]
    return counters["lost_events"], counters["lost_unknown"]


def reported(here, kind, text):
    return [r["text"] for r in rows(here / "out", "events.csv") if r["kind"] == kind and text in r["text"]]


def forged_alone(checks):
    """Forged lines while jank-phone plays: no loss is counted, and all frames that were played are."""
    with session() as (mount, instance, here):
        (instance / "trace_clock").write_text("mono")
        capture = Capture(mount, instance, here / "out", "--source", "text", "-T", "2")
        checks.that(capture.wait_ready(), "forged: jankd does not start")
        time.sleep(0.5)
        phone = subprocess.Popen(
            [PHONE, "--tracefs", mount, "--instance", instance.name, "--truth", here / "truth.csv", "--scenario", "game-30",
             "--seconds", "4"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(instance / "trace_marker", "wb", buffering=0) as marker:
            os.waitpid(fork(lambda: forge(marker, 3), APP_UID), 0)
        phone.wait(timeout=60)
        time.sleep(0.6)
        code, said, _ = capture.stop(signal.SIGTERM)
        checks.equal(code, 0, f"forged: {said}")
        checks.equal(counted(here), (0, 0), "forged: lost")
        checks.equal(reported(here, "lost", ""), [], "forged: events")
        texts = reported(here, "tracing", FORGED)
        checks.that(1 <= len(texts) <= 2, f"forged: reported {texts}")
        checks.equal({row["lost events"] for row in rows(here / "out", "fps.csv")}, {"0"}, "forged: fps.csv")
        checks.equal(per_layer(here / "out" / "frames.csv"), per_layer(here / "truth.csv"), "forged: frames")


def forged_once(checks):
    with session() as (mount, instance, here):
        capture = Capture(mount, instance, here / "out", "--source", "text")
        checks.that(capture.wait_ready(), "forged once: jankd does not start")
        time.sleep(0.5)
        with open(instance / "trace_marker", "wb", buffering=0) as marker:
            marker.write(b"C|1|a|1\nCPU:0 [LOST 99999 EVENTS]")
        time.sleep(1.8)
        texts = reported(here, "tracing", f"a forged line claiming 99999 lost events on CPU 0{FORGED}")
        checks.equal(len(texts), 1, f"forged once: reported within 2 s: {texts}")
        capture.stop(signal.SIGTERM)
        checks.equal(counted(here), (0, 0), "forged once: lost")


def lost(checks, what, forges, empties=False):
    """Events that the kernel lost are counted, even if there are forged lines, too. When the trace is emptied the
    kernel's count starts at zero again."""
    with session() as (mount, instance, here):
        (instance / "buffer_size_kb").write_text("64")
        capture = Capture(mount, instance, here / "out", "--source", "text", "--buffer-kb", "64")
        checks.that(capture.wait_ready(), f"{what}: jankd does not start")
        time.sleep(0.5)
        expected = 0
        with open(instance / "trace_marker", "wb", buffering=0) as marker:
            forger = fork(lambda: forge(marker, 5), APP_UID) if forges else None
            for n in range(4):
                capture.process.send_signal(signal.SIGSTOP)
                lose(instance, 3000 + 500 * n)
                capture.process.send_signal(signal.SIGCONT)
                time.sleep(1.2)
                if empties:
                    expected += overruns(instance)
                    with open(instance / "trace", "w", encoding="ascii"):
                        pass
            if forger:
                os.waitpid(forger, 0)
        time.sleep(0.6)
        expected += overruns(instance)
        capture.stop(signal.SIGTERM)
        checks.that(expected > 1000, f"{what}: the kernel lost {expected}")
        checks.equal(counted(here)[0], expected, f"{what}: lost")
        print(f"{what}: {expected} events lost")
        if forges:
            checks.that(reported(here, "tracing", FORGED), f"{what}: not reported")
        else:
            checks.equal(reported(here, "tracing", FORGED), [], f"{what}: reported")


tracefs.root()
checks = Checks()
forged_alone(checks)
forged_once(checks)
lost(checks, "lost", False)
lost(checks, "lost and forged", True)
lost(checks, "lost and emptied", False, True)
checks.end()
