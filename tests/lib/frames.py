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
