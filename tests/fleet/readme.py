# SPDX-License-Identifier: Apache-2.0
"""The commands of tools/fleet/README.md, from top to bottom."""

import datetime
import re

from devices import UTC, Lab
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from fleet import fleet, require_server
from jankd import SOURCE, checks, folder
from pages import run_blocks

README = (SOURCE / "tools" / "fleet" / "README.md").read_text(encoding="utf-8")


require_server()
with checks, folder() as here:
    (here / "tools").symlink_to(SOURCE / "tools")
    Lab(here / "fps", 8, 4, datetime.datetime.now(UTC).date() - datetime.timedelta(days=8))
    try:
        blocks = re.findall(r"^```sh\n(.*?)^```$", README, re.M | re.S)
        for block, said in zip(blocks, run_blocks(checks, "README.md", blocks, cwd=here)):
            checks.that("query builds" not in block or "build-2" in said and "device0007" in said, f"answers: {said}")
        checks.that((here / "fleet.html").exists(), "the page")
    finally:
        for name in ("jank-fleet-data", "two"):
            fleet("stop", here / name)
