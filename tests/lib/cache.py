# SPDX-License-Identifier: Apache-2.0
"""What tests have downloaded, for all clones on this machine: checked before each use, and one month old at most."""

import fcntl
import hashlib
import json
import os
import pathlib
import shutil
import time

from jankd import BUILD

MONTH_S = 30 * 24 * 3600


def place():
    """The folder of the cache; in the build folder if the user has none."""
    for path in (pathlib.Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "jankd-tests"), BUILD / "cache"):
        try:
            path.mkdir(parents=True, exist_ok=True)
            return path
        except OSError:
            pass
    raise RuntimeError(f"{path}: cannot be created")


def sums(folder):
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.rglob("*") if path.is_file()}


def cached(name, fill):
    """The folder @name of the cache. If it is not there, or was changed since, fill(an empty folder) makes it."""
    folder, listed = place() / name, place() / f"{name}.json"
    with open(place() / f"{name}.lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if listed.exists() and time.time() - listed.stat().st_mtime < MONTH_S and json.loads(listed.read_text()) == sums(folder):
            return folder
        listed.unlink(missing_ok=True)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        fill(folder)
        listed.write_text(json.dumps(sums(folder)))
    return folder
