#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A disk that stalls, a pipe and a client that do not read, an atrace that hangs, all at once, at 10,000 events/s:
no event and no row of a file is lost, and 'stop' restores tracing without waiting for the disk."""

import contextlib
import fcntl
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import segments
import tracefs
from daemon import wait_until
from device import Device
from jankd import BUILD, JANKD, Checks, jankd, rows
from live import session

LOAD = BUILD / "tests" / "bench" / "load"
RATE, STALL_S = 10000, 5
F_SETPIPE_SZ = 1031

# For each CPU. Between two drains come 40 KB for each; this is full in less than half a second.
BUFFER_KB = 512

SETTINGS = ("tracing_on", "buffer_size_kb", "trace_clock", "options/overwrite", "options/record-tgid")


def settings(instance):
    return {name: (instance / name).read_text() for name in SETTINGS}


class Stalled:
    """A capture whose disk can be stalled, with a pipe, clients and an atrace that block, too."""

    def __init__(self, mount, instance, here, *arguments):
        self.out, self.flag = here / "out", here / "stalls"
        self.device = Device(here / "device", instance)
        self.reader, writer = os.pipe()
        fcntl.fcntl(writer, F_SETPIPE_SZ, 4096)
        self.process = subprocess.Popen(
            [JANKD, "run", "--tracefs", mount, "--instance", instance.name, "--frames-log", "--stdout", "-k", "1", "-T",
             "2", "--sync", "1", "-F", self.out, *arguments],
            stdin=subprocess.DEVNULL, stdout=writer, stderr=subprocess.PIPE,
            env=self.device.environment(HANG="--async_stop", LD_PRELOAD=str(BUILD / "tests" / "libstall_disk.so"),
                                        STALL_IN=str(self.out), STALL_WHILE=str(self.flag)))
        os.close(writer)

    def wait_ready(self):
        lock = self.out / ".lock"
        return wait_until(lambda: lock.exists() and lock.read_text().count("\n") == 2, 30)

    def never_reads(self):
        """Connects a client that requests much and reads nothing, and one that requests nothing."""
        name = (self.out / ".lock").read_text().splitlines()[1]
        self.clients = []
        for request in (b"top 4096 4096\n", b""):
            client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            client.connect(f"\0{name}")
            client.sendall(request)
            self.clients.append(client)

    def ask(self, command, *arguments):
        """(exit code, output, seconds that it took)."""
        began = time.monotonic()
        try:
            done = jankd(command, "-F", self.out, *arguments, timeout=20)
        except subprocess.TimeoutExpired:
            return None, "it hangs", time.monotonic() - began
        return done.returncode, (done.stdout + done.stderr).decode(errors="replace"), time.monotonic() - began


def begin_load(instance, seconds):
    return subprocess.Popen([LOAD, instance / "trace_marker", str(RATE), str(seconds), "20", "20"],
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)


def end_load(load):
    """(markers, frames) that were written."""
    out = load.communicate(timeout=60)[0]
    markers, _, frames, _, _ = map(int, re.findall(rb"\d+", out))
    return markers, frames


def all_rows(out, name):
    return [row for path in segments.paths(out, name) for row in rows(path)]


def all_is_there(checks, what, out, markers, frames):
    counters = json.loads((out / "session.json").read_text())["counters"]
    checks.equal(counters["records"], markers, f"{what}: events")
    checks.equal((counters["lost_events"], counters["lost_unknown"], counters["rows_lost"]), (0, 0, 0), f"{what}: lost")
    checks.equal(len(all_rows(out, "frames.csv")), frames, f"{what}: rows of frames.csv")
    for name, counts in counters["rows"].items():
        checks.equal(len(all_rows(out, name)), counts["written"], f"{what}: rows of {name}")
    checks.equal(rows(out, "events.csv")[-1]["kind"], "stop", f"{what}: the last event")


def answers(checks, what, capture):
    """Requests are answered while the disk stalls."""
    said = capture.ask("status")[1]
    checks.that("disk     has not responded" in said, f"{what}: status: {said[:600]}")
    for command, expected in ((("status", "--json"), 0), (("mark", "in between"), 0), (("rotate",), 1)):
        code, said, took = capture.ask(*command)
        checks.that(took < 3, f"{what}: {command[0]} took {took:.1f} s: {said}")
        checks.equal(code, expected, f"{what}: {command[0]}: {said[-200:]}")


def rotates_once(checks, what, capture):
    """Of two rotate requests at once the second fails: there are no rows, and no segment for one event is made."""
    asking = [subprocess.Popen([JANKD, "rotate", "-F", capture.out], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
              for _ in range(2)]
    said = [process.communicate(timeout=20)[0] for process in asking]
    checks.equal(sorted(process.returncode for process in asking), [0, 1], f"{what}: two rotate: {said}")


def ends(checks, what, capture, instance, before):
    """'stop' returns when tracing is restored; the files are completed when the disk responds again."""
    capture.flag.touch()
    time.sleep(0.3)
    rotates_once(checks, what, capture)
    code, said, took = capture.ask("stop")
    now = settings(instance)
    checks.equal(code, 1, f"{what}: stop: {said}")
    checks.that("the files are not complete yet" in said, f"{what}: stop: {said}")
    checks.that(took < 2, f"{what}: stop took {took:.1f} s")
    checks.equal(now, before, f"{what}: settings when stop has answered")
    time.sleep(1)
    checks.equal(capture.process.poll(), None, f"{what}: it ends before the files are complete")
    checks.equal(capture.ask("status")[0], 0, f"{what}: status while it ends")
    capture.flag.unlink()
    error = capture.process.communicate(timeout=30)[1].decode(errors="replace")
    checks.equal(capture.process.returncode, 0, f"{what}: exit code: {error}")
    checks.that(not (capture.out / ".journal").exists(), f"{what}: the journal is left")


def stalled(checks, source):
    what = source
    with session() as (mount, instance, here):
        (instance / "buffer_size_kb").write_text(str(BUFFER_KB))
        before = settings(instance)
        capture = Stalled(mount, instance, here, "--source", source, "--buffer-kb", str(BUFFER_KB))
        if not checks.that(capture.wait_ready(), f"{what}: jankd does not start"):
            return
        try:
            capture.never_reads()
            load = begin_load(instance, STALL_S + 3)
            time.sleep(1)
            capture.flag.touch()
            began = time.monotonic()
            time.sleep(3.5)  # the next write begins within 2 s
            answers(checks, what, capture)
            time.sleep(max(STALL_S - (time.monotonic() - began), 0))
            capture.flag.unlink()
            markers, frames = end_load(load)
            time.sleep(1)
            ends(checks, what, capture, instance, before)
            all_is_there(checks, what, capture.out, markers, frames)
            reported = [row["text"] for row in all_rows(capture.out, "events.csv")]
            checks.that(any("the disk is not responding" in text for text in reported), f"{what}: not reported: {reported}")
            checks.that("the disk responds again" in reported, f"{what}: its end: {reported}")
            checks.that("in between" in reported, f"{what}: the mark: {reported}")
        finally:
            with contextlib.suppress(FileNotFoundError):
                capture.flag.unlink()
            if capture.process.poll() is None:
                capture.process.kill()
                capture.process.communicate()


tracefs.root()
checks = Checks()
for source in ("raw", "text"):
    stalled(checks, source)
checks.end()
