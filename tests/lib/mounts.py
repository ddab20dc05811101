# SPDX-License-Identifier: Apache-2.0
"""Disks of our own."""

import contextlib
import ctypes
import os
import subprocess

MNT_DETACH = 2


def unmount(at):
    """At once, whoever has a file of it open. umount(8) looks for it in /proc, which is not everywhere."""
    if ctypes.CDLL(None, use_errno=True).umount2(os.fsencode(at), MNT_DETACH) != 0:
        raise OSError(ctypes.get_errno(), f"{at} cannot be unmounted")


@contextlib.contextmanager
def tmpfs(size, at):
    """Mounts a tmpfs of @size at the folder @at, and unmounts it; gives False where that is not possible."""
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "jankd-test", at],
                             capture_output=True).returncode == 0
    try:
        yield mounted
    finally:
        if mounted:
            unmount(at)


@contextlib.contextmanager
def pinned(path):
    """Keeps a file from being renamed and removed, for root, too; gives False where that is not possible."""
    mounted = subprocess.run(["mount", "--bind", path, path], capture_output=True).returncode == 0
    try:
        yield mounted
    finally:
        if mounted:
            unmount(path)
