# SPDX-License-Identifier: Apache-2.0
"""units.py ARCH: the unit tests, built for this architecture, under qemu-user."""

import json
import os
import subprocess
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
import cross
from jankd import checks

arch = sys.argv[1]
cross.needs(cross.emulated(arch)[0])
os.nice(10)  # compilers run beside tests that depend on time
cross.build(arch, "--tests")
build = cross.OUT / ".work" / arch / "tests"
log = build / "meson-logs" / "testlog.json"
log.unlink(missing_ok=True)
subprocess.run(["meson", "test", "-C", build, "--no-rebuild", "--suite", "unit", "--no-suite", "long", "-t", "5"],
               stdin=subprocess.DEVNULL, capture_output=True, check=False)
results = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
for result in results:
    checks.that(result["result"] == "OK", f"{result['name']}: {result['result']}\n{(result.get('stdout', '') + result.get('stderr', ''))[-2000:]}")
checks.that(len(results) > 50, f"{len(results)} tests were run")
checks.end()
