#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A recorded trace, played at its own speed into the kernel's trace: the same frames are counted."""

import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from jankd import TRACES, folder, skip, unpack
from live import check_played, each, run

NAME = "android-9-list-jank"

if not (TRACES / NAME).is_dir():
    skip(f"no recorded trace {NAME}")
with folder() as here:
    trace = unpack(NAME, here)
    shutil.copy(TRACES / NAME / "frames.csv", here / "frames.csv")
    run(each(check_played, (NAME, trace)), processes=False)
