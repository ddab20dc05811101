#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The folder of 72 hours with 20 Surfaces and an hour of frames.csv: time and memory are bounded, and printed. Sums equal
those of the files. With --all a frames.csv beyond what is kept does not need more memory."""

import json
import os
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from big_folder import write_folder
from jankd import REPORT, Checks, folder

MEMORY_MOST = 256 * 1024  # KB
# meson sets this variable, with which all memory is touched that is allocated.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "MALLOC_PERTURB_"}
SECONDS_MOST = 10  # on a machine with other work


def measured(*arguments):
    """(what it prints, seconds, peak memory in KB) of jank-report."""
    began = time.monotonic()
    process = subprocess.Popen([REPORT, *map(str, arguments)], stdout=subprocess.PIPE, env=ENVIRONMENT)
    said = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return said, time.monotonic() - began, usage.ru_maxrss, process.returncode


checks = Checks()
with folder() as here:
    began = time.monotonic()
    write_folder(here)
    size = sum(path.stat().st_size for path in here.iterdir())
    print(f"generated {size / 1e6:.0f} MB in {time.monotonic() - began:.1f} s")
    for arguments in (("--text",), ("--json",), ("--compare", here, "--new")):
        said, seconds, memory, code = measured(*arguments, here)
        print(f"{arguments[0]}: {seconds:.2f} s, {memory / 1024:.0f} MB, {size / 1e6 / seconds:.0f} MB/s")
        checks.equal(code, 0, f"exit code of {arguments[0]}")
        checks.that(seconds <= SECONDS_MOST * (2 if arguments[0] == "--compare" else 1), f"{arguments[0]} took {seconds:.1f} s")
        checks.that(memory <= MEMORY_MOST, f"{arguments[0]} needed {memory} KB")
        if arguments[0] == "--json":
            session, = json.loads(said)["sessions"]
            checks.equal(session["files"]["fps.csv"]["rows"], 72 * 3600 * 2, "rows of fps.csv")
            checks.equal(len(session["sections"]), 61, "sections")
            checks.equal({s["source"] for part in session["sections"][:60] for s in part["surfaces"]}, {"fps.csv"},
                         "source of sections for which there are no frames")
            checks.that(any("frames.csv has" in notice for notice in session["notices"]), f"{session['notices']}")
    if "--all" not in sys.argv:
        checks.end()
    # Twice as many frames as are kept.
    write_folder(here, 8)
    said, seconds, memory, code = measured("--json", here)
    print(f"--json of {(here / 'frames.csv').stat().st_size / 1e6:.0f} MB of frames.csv: {seconds:.2f} s, {memory / 1024:.0f} MB")
    checks.equal(code, 0, "exit code")
    checks.that(memory <= MEMORY_MOST, f"many frames needed {memory} KB")
    session, = json.loads(said)["sessions"]
    checks.that(any("rows more than the" in notice for notice in session["notices"]), f"{session['notices']}")
checks.end()
