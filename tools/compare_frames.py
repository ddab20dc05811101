#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compare_frames.py TRUTH FRAMES: compares the frames of each layer that were played and that jankd counted.

Both files are CSV with a column 'layer'. Prints the layers that differ and a line of totals. The
exit code is 1 if any layer differs, or if TRUTH has no frame.
"""

import collections
import csv
import sys


def per_layer(path):
    with open(path, newline="", encoding="utf-8") as file:
        return collections.Counter(row["layer"] for row in csv.DictReader(file))


def main(truth_path, frames_path):
    truth, counted = per_layer(truth_path), per_layer(frames_path)
    wrong = sorted(layer for layer in truth | counted if truth[layer] != counted[layer])
    for layer in wrong:
        print(f"{layer}: expected {truth[layer]} frames, counted {counted[layer]}")
    print(f"expected {truth.total()} frames, counted {counted.total()}: "
          f"{len(truth)} layers, {len(wrong)} of them differ")
    return 1 if wrong or not truth else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
