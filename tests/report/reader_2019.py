#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Debian's python3-pandas reads fps.csv as the report of 2019 did: columns by their names, sums by Surface."""

import json
import math
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from jankd import Checks, folder, rows, skip
from report import demo, model, surfaces

COLUMNS = ["start time", "end time", "FPS", "frames", "Time(S)", "max time(ms)", "waiting time(S)", "wait times",
           "A", "B", "C", "D", "score", "TX", "app", "Surface"]
READER = """
import json, sys
import pandas
table = pandas.read_csv(sys.argv[1])
sums = table.groupby("Surface")[["frames", "Time(S)", "A", "B", "C", "wait times"]].sum()
print(json.dumps({"columns": list(table.columns), "rows": len(table), "sums": sums.to_dict("index")}))
"""

PYTHON = "/usr/bin/python3"  # for which Debian's packages are
if not pathlib.Path(PYTHON).exists() or subprocess.run([PYTHON, "-c", "import pandas"], capture_output=True).returncode != 0:
    skip("python3-pandas is not installed")
checks = Checks()
with folder() as here:
    out = demo(here, "--frames-log", "-T", 2)
    done = subprocess.run([PYTHON, "-c", READER, out / "fps.csv"], capture_output=True, text=True)
    checks.equal((done.returncode, done.stderr), (0, ""), "the reader")
    found = json.loads(done.stdout)
    checks.equal(found["columns"][:16], COLUMNS, "columns of 2019")
    checks.equal(found["rows"], len(rows(out, "fps.csv")), "rows")
    for name, one in surfaces(model(out)[0]).items():
        for column, value in found["sums"][name].items():
            checks.that(math.isclose(value, one["numbers"][column], abs_tol=1e-4), f"{column} of {name}: {value}, {one['numbers'][column]}")
checks.end()
