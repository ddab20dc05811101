# SPDX-License-Identifier: Apache-2.0
"""Instances of the kernel's tracefs for tests, and a check that the top level is not changed."""

import contextlib
import fcntl
import itertools
import os
import pathlib
import subprocess
import time

from jankd import skip

MOUNTS = (pathlib.Path("/sys/kernel/tracing"), pathlib.Path("/sys/kernel/debug/tracing"))
LOCK = pathlib.Path("/tmp/jankd-test-top-level")
numbers = itertools.count()
WITNESSED = ("tracing_on", "buffer_size_kb", "trace_clock", "trace_options", "current_tracer", "set_event")


def root(processes=True):
    """The folder of tracefs, mounted if it was not. Skips if there is none, or if @processes is set and there is no /proc."""
    if os.geteuid() != 0:
        skip("reading a live trace needs root")
    if processes and not pathlib.Path("/proc/self").exists():
        skip("no /proc is mounted here: the test looks there for processes")
    for mount in MOUNTS:
        if (mount / "instances").is_dir():
            return mount
    if MOUNTS[0].is_dir():
        subprocess.run(["mount", "-t", "tracefs", "nodev", MOUNTS[0]], capture_output=True)
    if not (MOUNTS[0] / "instances").is_dir():
        skip("no tracefs on this machine, and it cannot be mounted")
    return MOUNTS[0]


@contextlib.contextmanager
def instance(tracefs, kilobytes=4096):
    """A new instance; it is removed at the end, even after an exception."""
    name = f"jankd-test-{os.getpid()}-{next(numbers)}"
    path = tracefs / "instances" / name
    try:
        path.mkdir()
    except OSError as error:
        skip(f"no instance can be made in {tracefs}: {error.strerror}")
    try:
        (path / "buffer_size_kb").write_text(str(kilobytes))
        yield path
    finally:
        remove(path)


def remove(path):
    """Removes an instance; a reader that is ending may still use it for a moment."""
    for _ in range(200):
        try:
            path.rmdir()
            return
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"{path} cannot be removed: it is still in use")


@contextlib.contextmanager
def top_level(changes=False):
    """The top level is not changed meanwhile. A test that @changes it is alone with it."""
    with open(LOCK, "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX if changes else fcntl.LOCK_SH)
        yield


def witness(tracefs):
    """The settings of the top level, which no test may change. The size of a buffer that was never used is '7 (expanded:
    1408)'; before Linux 5.19 it becomes '7' when the size of an instance is set."""
    return {name: (tracefs / name).read_text().partition(" (expanded")[0].strip() for name in WITNESSED}
