# SPDX-License-Identifier: Apache-2.0
"""The folder of 72 hours with 20 Surfaces and an hour of frames.csv: time and memory are bounded, and printed. Sums equal
those of the files. With --all a frames.csv beyond what is kept does not need more memory."""

import json
import os
import subprocess
import sys

from big_folder import write_folder
sys.path.insert(0, f"{sys.path[0]}/../lib")
from jankd import REPORT, checks, folder

MEMORY_MOST = 256 * 1024  # KB
# meson sets this variable, with which all memory is touched that is allocated.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "MALLOC_PERTURB_"}
SECONDS_MOST = 5  # of CPU time; a machine with other work needs more than one without


def measured(*arguments, seconds_most=SECONDS_MOST):
    """What jank-report prints. Its CPU time and peak memory are bounded."""
    process = subprocess.Popen([REPORT, *map(str, arguments)], stdout=subprocess.PIPE, env=ENVIRONMENT)
    said = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = usage.ru_utime + usage.ru_stime
    print(f"{arguments[0]}: {seconds:.2f} s, {usage.ru_maxrss / 1024:.0f} MB")
    checks.equal(process.returncode, 0, f"exit code of {arguments[0]}")
    checks.that(seconds <= seconds_most, f"{arguments[0]} took {seconds:.1f} s")
    checks.that(usage.ru_maxrss <= MEMORY_MOST, f"{arguments[0]} needed {usage.ru_maxrss} KB")
    return said


def session_of(said):
    session, = json.loads(said)["sessions"]
    return session


with checks, folder() as here:
    write_folder(here)
    print(f"{sum(path.stat().st_size for path in here.iterdir()) / 1e6:.0f} MB")
    measured("--text", here)
    measured("-o", here / "page.html", here)
    measured("--compare", here, "--new", here, seconds_most=2 * SECONDS_MOST)
    session = session_of(measured("--json", here))
    checks.equal((session["files"]["fps.csv"]["rows"], len(session["sections"])), (72 * 3600 * 2, 61), "rows of fps.csv; sections")
    checks.equal({s["source"] for part in session["sections"][:60] for s in part["surfaces"]}, {"fps.csv"}, "source of sections for which there are no frames")
    checks.that(any("frames.csv has" in notice for notice in session["notices"]), f"{session['notices']}")
    if "--all" in sys.argv:
        # Twice as many frames as are kept.
        write_folder(here, 8)
        session = session_of(measured("--json", here, seconds_most=4 * SECONDS_MOST))
        checks.that(any("rows of frames.csv beyond the" in notice for notice in session["notices"]), f"{session['notices']}")
