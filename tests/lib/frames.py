# SPDX-License-Identifier: Apache-2.0
"""Frames by layer: the truth of a recorded trace or of jank-phone, and what jankd counted."""

import collections
import csv

from jankd import TRACES, microseconds, rows


def recorded_truth(name):
    """[(present in microseconds, layer)] of a recorded trace."""
    with open(TRACES / name / "frames.csv", newline="", encoding="utf-8") as file:
        return [(int(row["present_us"]), row["layer"]) for row in csv.DictReader(file)]


def counted(folder):
    """[(present in microseconds, layer)] as jankd wrote them."""
    return [(microseconds(row["present(s)"]), row["layer"]) for row in rows(folder, "frames.csv")]


def per_layer(path):
    """Frames by layer, from any file that has a column for it."""
    return collections.Counter(row["layer"] for row in rows(path))


def vsyncs_per_layer(path):
    """For each layer the vsyncs of its frames in order, "" where there are none."""
    series = collections.defaultdict(list)
    for row in rows(path):
        series[row["layer"]].append(row["vsyncs"])
    return series
