# SPDX-License-Identifier: Apache-2.0
"""The READMEs are right: their blocks marked sh run from top to bottom in one copy of the tree, with --all with its own build. walk.py has the others."""

import os
import re
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from jankd import BUILD, SHARED, SOURCE, TRACES, checks, copy_tree, folder
from pages import readme_commands, run_blocks

# Not run: these commands run this test; and tools/bench has nothing to measure without recorded traces.
NOT_AGAIN = re.compile(rf"^(tools/check|\.ci/run{'' if TRACES.is_dir() else '|tools/bench'})\b.*$", re.M)
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in ("BUILD", "JANKD_BUILD")}


def blocks(checks, path):
    found = [command for kind, command in readme_commands((SOURCE / path).read_text(encoding="utf-8")) if kind == "sh"]
    checks.that(found, f"{path} has no command")
    return found


os.nice(10)  # compilers run beside tests that depend on time
if not TRACES.is_dir():
    checks.cannot_judge("tools/bench", "there are no recorded traces")
with checks, folder() as here:
    tree = copy_tree(here / "jankd")
    if SHARED.is_dir():
        (here / "shared").symlink_to(SHARED)
    if "--all" not in sys.argv:
        (tree / "build").symlink_to(BUILD)
        ENVIRONMENT["BUILD"] = str(BUILD)
    exported = ""  # what a block exports holds in the blocks after it, as in one shell
    for block in blocks(checks, "README.md") + blocks(checks, "tests/bench/README.md"):
        # Beside other tests a benchmark may be slower than its bounds: that is no failure of the README.
        block = re.sub(r"^tools/bench\b.*$", r"\g<0> || [ $? = 1 ]", NOT_AGAIN.sub(":", block), flags=re.M)
        said = run_blocks(checks, "a README", [exported + block], cwd=tree, env=ENVIRONMENT)[0]
        checks.that("\nfailed: " not in said, f"a README: {said[-3000:]}")
        exported += "".join(re.findall(r"^export .*\n", block, re.M))
