#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Traces whose times are forged, joined or large give the rows of the same trace without that."""

import json
import subprocess
import sys

sys.path.insert(0, str(__import__("pathlib").Path(__file__).resolve().parents[1] / "lib"))
from jankd import SHARED, Checks, analyze, differences, folder, outputs, rows, skip


def analyzed(path):
    """The CSV files of that trace, and the counters of session.json."""
    out = path.with_suffix("")
    analyze(out, "--frames-log", "-T", "2", path)
    return outputs(out), json.loads((out / "session.json").read_text())["counters"]


def ahead(checks, here):
    """Two lines with a time an hour ahead, each between others."""
    files, counters = analyzed(here / "ahead.txt")
    checks.equal(differences(files, analyzed(here / "ahead_not.txt")[0]), ["events.csv"], "ahead.txt: files that differ")
    checks.equal((counters["ahead"], counters["clock_steps"]), (2, 0), "ahead.txt: lines ahead, clock steps")
    checks.equal(len([e for e in rows(here / "ahead", "events.csv") if "in the future" in e["text"]]), 2, "ahead.txt: events")


checks = Checks()
make = SHARED / "cases" / "make.py"
if not make.exists():
    skip("there are no generated cases")
with folder() as place:
    subprocess.run([sys.executable, make, place], check=True, capture_output=True)
    for case in (ahead,):
        case(checks, place)
checks.end()
