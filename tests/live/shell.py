#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A capture of Android's user shell, without root: with Android's modes on the files of tracefs it reads what it may, counts
every frame, and leaves the rest as it is. 'jankd doctor' says the same before."""

import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import tracefs
from daemon import is_alive, wait_until
from device import Device
from jankd import JANKD, Checks, rows, skip
from live import compare, play, session
from mounts import unmount

SHELL, READTRACEFS = 2000, 3012
# What Android's init allows to all; the rest belongs to root, and the group readtracefs may read it since Android 13.
WRITABLE = ("tracing_on", "trace", "trace_clock", "buffer_size_kb", "options/overwrite", "options/record-tgid", "saved_cmdlines_size")


@contextlib.contextmanager
def seen_by_shell(instance, here, group):
    """A place at which the user shell sees the instance as a tracefs, without the buffers of the CPUs. @group: the group
    readtracefs may read it."""
    at = here / "tracing"
    at.mkdir()
    if subprocess.run(["mount", "--bind", instance, at], capture_output=True).returncode != 0:
        skip("the instance cannot be mounted at another place")
    try:
        for path in (at, *at.rglob("*")):
            os.chown(path, 0, READTRACEFS if group else 0)
            path.chmod(0o755 if path.is_dir() else 0o400 if path.name == "trace_pipe_raw" else 0o440)
        for name in WRITABLE:
            if (at / name).exists():
                (at / name).chmod(0o666)
        (at / "trace_marker").chmod(0o222)
        yield at
    finally:
        unmount(at)


def as_shell():
    os.setgroups([READTRACEFS])
    os.setresgid(SHELL, SHELL, SHELL)
    os.setresuid(SHELL, SHELL, SHELL)


def jankd(program, *arguments, **keywords):
    return subprocess.run([program, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, cwd="/", timeout=90,
                          preexec_fn=as_shell, **keywords)


def counts_without_root(checks):
    what = "shell"
    with session() as (mount, instance, here):
        here.chmod(0o777)
        program = shutil.copy(JANKD, here / "jankd")
        device = Device(here / "device", here / "tracing")
        for path in (device.path, *device.path.rglob("*")):
            os.chown(path, SHELL, SHELL)
        environment = device.environment()
        with seen_by_shell(instance, here, group=True) as seen:
            out = here / "out"
            doctor = jankd(program, "doctor", "--tracefs", seen, "-F", out, env=environment)
            said = doctor.stdout.decode()
            checks.equal(doctor.returncode, 0, f"{what}: doctor: {said}{doctor.stderr}")
            for line in ("ok       user: shell (uid 2000), in the group readtracefs\n", "ok       trace_pipe: can be read\n",
                         "note     raw: "):
                checks.that(line in said, f"{what}: doctor: no {line!r} in {said}")
            started = jankd(program, "start", "--tracefs", seen, "--frames-log", "-F", out, env=environment)
            if not checks.equal(started.returncode, 0, f"{what}: start: {started.stderr}"):
                return
            pid = int((out / ".lock").read_text().split()[0])
            try:
                checks.equal(device.get("debug.atrace.tags.enableflags"), "0xa", f"{what}: tags during the capture")
                play(mount, instance, here / "truth.csv", "--scenario", "steady-60", "--seconds", 3)
                time.sleep(0.6)
                stopped = jankd(program, "stop", "-F", out, env=environment)
                checks.equal(stopped.returncode, 0, f"{what}: stop: {stopped.stderr}")
            finally:
                if is_alive(pid):
                    os.kill(pid, 15)
                wait_until(lambda: not is_alive(pid))
            compare(checks, what, here / "truth.csv", out)
            source = json.loads((out / "session.json").read_text())["source"]
            checks.equal(source["kind"], "trace_pipe", f"{what}: {source}")
            texts = [row["text"] for row in rows(out, "events.csv")]
            checks.that(not any("may not change" in text for text in texts), f"{what}: Android allows these settings: {texts}")
            checks.that(device.get("debug.atrace.tags.enableflags") in ("", "0"), f"{what}: tags after the capture")


def may_read_nothing(checks):
    """A build that gives the files to root alone."""
    what = "a user build"
    with session() as (mount, instance, here):
        here.chmod(0o777)
        program = shutil.copy(JANKD, here / "jankd")
        with seen_by_shell(instance, here, group=False) as seen:
            doctor = jankd(program, "doctor", "--tracefs", seen, "-F", here / "out")
            checks.equal((doctor.returncode, len(doctor.stderr.splitlines())), (1, 1), f"{what}: doctor: {doctor}")
            checks.that(b"problem  trace_pipe: cannot be read: Permission denied; run it as root" in doctor.stdout,
                        f"{what}: doctor: {doctor.stdout}")
            started = jankd(program, "start", "--tracefs", seen, "-F", here / "out")
            checks.equal((started.returncode, len(started.stderr.splitlines())), (1, 1), f"{what}: start: {started}")
            checks.that(b"trace_pipe: Permission denied; run it as root" in started.stderr, f"{what}: start: {started.stderr}")
            checks.that(not (here / "out").exists(), f"{what}: start: left {os.listdir(here)}")


tracefs.root()
checks = Checks()
for case in (counts_without_root, may_read_nothing):
    case(checks)
checks.end()
