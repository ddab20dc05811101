# SPDX-License-Identifier: Apache-2.0
"""Mounts for tests."""

import contextlib
import ctypes
import os
import subprocess

MNT_DETACH = 2


def unmount(at):
    """Detaches the mount even if files of it are open. umount(8) needs /proc, which may be missing."""
    if ctypes.CDLL(None, use_errno=True).umount2(os.fsencode(at), MNT_DETACH) != 0:
        raise OSError(ctypes.get_errno(), f"{at} cannot be unmounted")


@contextlib.contextmanager
def tmpfs(size, at):
    """Mounts a tmpfs of @size at the folder @at, and unmounts it. Yields False if it cannot be mounted."""
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "jankd-test", at], capture_output=True).returncode == 0
    try:
        yield mounted
    finally:
        if mounted:
            unmount(at)


@contextlib.contextmanager
def pinned(path):
    """Makes it impossible, even for root, to rename or remove a file. Yields False if that cannot be done."""
    mounted = subprocess.run(["mount", "--bind", path, path], capture_output=True).returncode == 0
    try:
        yield mounted
    finally:
        if mounted:
            unmount(path)
