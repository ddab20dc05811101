# SPDX-License-Identifier: Apache-2.0
"""Frames by layer: the expected ones, from a recorded trace or jank-phone, and those that jankd counted."""

import collections

from jankd import microseconds, rows


def counted(folder):
    """[(present in microseconds, layer)] of the frames.csv in @folder."""
    return [(microseconds(row["present(s)"]), row["layer"]) for row in rows(folder, "frames.csv")]


def per_layer(path):
    """Number of frames by layer, from a file with a column 'layer'."""
    return collections.Counter(row["layer"] for row in rows(path))


def same(checks, what, got, expected):
    """The same frames, each as often."""
    got, expected = collections.Counter(got), collections.Counter(expected)
    missing, extra = expected - got, got - expected
    checks.that(not missing and not extra, f"{what}: {missing.total()} are missing: {list(missing)[:3]}, {extra.total()} are not real: {list(extra)[:3]}")


def not_added_up(table):
    """Stretches of known intervals of a layer in rows of frames.csv whose sum is not the span of their presents, to two vsyncs:
    [(layer, present before, present)]"""
    found, layers = [], {}
    for row in table:
        present, known = microseconds(row["present(s)"]), row["vsyncs"] != ""
        begin, before, low, high, off, vsync = layers.get(row["layer"]) if known else (present, present, 0, 0, 0, 0)
        if known:
            length = microseconds(row["interval(ms)"]) / 1000
            off += length - (present - before)
            low, high, vsync = min(low, off), max(high, off), max(vsync, length / int(row["vsyncs"]) if row["vsyncs"] != "0" else 0)
            if high - low > 2 * vsync:
                found.append((row["layer"], begin, present))
                begin, low, high, off = present, 0, 0, 0
        layers[row["layer"]] = begin, present, low, high, off, vsync
    return found
