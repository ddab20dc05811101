# SPDX-License-Identifier: Apache-2.0
"""Segments of a folder, NAME-000001.csv and so on, and how to join them."""

import csv
import io
import re

import jankd

GROWING = ("fps.csv", "dropFrames.csv", "frames.csv", "doframe.csv", "events.csv")


def numbers(folder, name="*"):
    """Numbers of the segments of one file or of all files, the oldest first."""
    stem = name.split(".")[0]
    found = {int(re.search(r"-(\d{6,})\.", path.name).group(1)) for path in folder.glob(f"{stem}-*.*") if re.search(r"-\d{6,}\.", path.name)}
    return sorted(found)


def paths(folder, name):
    """The segments of a file in order, the current file last."""
    stem, suffix = name.split(".")
    closed = [folder / f"{stem}-{number:06}.{suffix}" for number in numbers(folder, name)]
    current = folder / name
    return closed + ([current] if current.exists() else [])


def rows(folder, name):
    """The rows of all segments as dictionaries."""
    return [row for path in paths(folder, name) for row in jankd.rows(path)]


def joined(folder, name):
    """The bytes of all segments with one header; None if there is no file."""
    parts = [path.read_bytes() for path in paths(folder, name)]
    if not parts:
        return None
    return parts[0] + b"".join(part[part.index(b"\n") + 1:] for part in parts[1:])


def is_whole(data, columns=None):
    """True if @data is a header and complete rows, and nothing else."""
    if b"\0" in data or not data.endswith(b"\n"):
        return False
    try:
        rows = list(csv.reader(io.StringIO(data.decode("utf-8"), newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error):
        return False
    return all(len(row) == len(rows[0]) for row in rows) and columns in (None, len(rows[0]))


def damage(folder):
    """What is wrong with the files: a row that is not whole, or that is there twice."""
    found = [f"{path.name} is not whole" for name in (*GROWING, "summary.csv") for path in paths(folder, name) if not is_whole(path.read_bytes())]
    for name in GROWING:
        lines = (joined(folder, name) or b"").split(b"\n")[1:-1] if name != "events.csv" else []
        if len(lines) != len(set(lines)):
            found.append(f"{name}: rows twice")
    return found


def last_frame(out):
    """The time of the last frame in a file, 0 if there is none. The last row may be incomplete."""
    for path in reversed(paths(out, "frames.csv")):
        whole = path.read_bytes().split(b"\n")[1:-1]
        if whole:
            return float(whole[-1].split(b",")[0])
    return 0.0
