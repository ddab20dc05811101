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

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from daemon import is_alive, wait_until
from device import Device
from jankd import JANKD, skip
from live import run, session
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


@contextlib.contextmanager
def user_shell(what, group):
    """(session, tracefs as it is seen, a function that runs jankd)"""
    with session(what) as s:
        s.here.chmod(0o777)
        program = shutil.copy(JANKD, s.here / "jankd")
        with seen_by_shell(s.instance, s.here, group) as seen:
            def jankd(*arguments, **keywords):
                return subprocess.run([program, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, cwd="/",
                                      timeout=90, preexec_fn=as_shell, **keywords)

            yield s, seen, jankd


def counts_without_root():
    with user_shell("shell", True) as (s, seen, jankd):
        device = Device(s.here / "device", s.here / "tracing")
        for path in (device.path, *device.path.rglob("*")):
            os.chown(path, SHELL, SHELL)
        environment = device.environment()
        doctor = jankd("doctor", "--tracefs", seen, "-F", s.out, env=environment)
        said = doctor.stdout.decode()
        s.equal(doctor.returncode, 0, f"doctor: {said}{doctor.stderr}")
        for line in ("ok       user: shell (uid 2000), in the group readtracefs\n", "ok       trace_pipe: can be read\n",
                     "note     raw: "):
            s.that(line in said, f"doctor: no {line!r} in {said}")
        started = jankd("start", "--tracefs", seen, "--frames-log", "-F", s.out, env=environment)
        if not s.equal(started.returncode, 0, f"start: {started.stderr}"):
            return
        pid = int((s.out / ".lock").read_text().split()[0])
        try:
            s.equal(device.get("debug.atrace.tags.enableflags"), "0xa", "tags during the capture")
            s.play(seconds=2)
            stopped = jankd("stop", "-F", s.out, env=environment)
            s.equal(stopped.returncode, 0, f"stop: {stopped.stderr}")
        finally:
            if is_alive(pid):
                os.kill(pid, 15)
            wait_until(lambda: not is_alive(pid))
        s.compare()
        source = json.loads((s.out / "session.json").read_text())["source"]
        s.equal(source["kind"], "trace_pipe", f"{source}")
        s.that(not any("may not change" in text for text in s.texts()), f"Android allows these settings: {s.texts()}")
        s.that(device.get("debug.atrace.tags.enableflags") in ("", "0"), "tags after the capture")


def may_read_nothing():
    """A build that gives the files to root alone."""
    with user_shell("a user build", False) as (s, seen, jankd):
        for command, out in (("doctor", b"problem  trace_pipe: cannot be read: Permission denied; run it as root"), ("start", b"")):
            done = jankd(command, "--tracefs", seen, "-F", s.out)
            s.equal((done.returncode, len(done.stderr.splitlines())), (1, 1), f"{command}: {done}")
            s.that(out in done.stdout and (out or b"trace_pipe: Permission denied; run it as root" in done.stderr), f"{command}: {done}")
        s.that(not s.out.exists(), f"start left {os.listdir(s.here)}")


run(counts_without_root, may_read_nothing)
