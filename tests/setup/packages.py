# SPDX-License-Identifier: Apache-2.0
"""tools/install-deps with an apt that cannot install: a missing optional package is not a failure."""

import os
import subprocess
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from jankd import SOURCE, checks, folder

PKG_CONFIG = "#!/bin/sh\ncase $* in *%s*) exit 1 ;; esac\nexit 0\n"
APT = '#!/bin/sh\necho "$*" >>"$CALLS"\nexit 100\n'
SUDO = '#!/bin/sh\nexec "$@"\n'
DONE = '#!/bin/sh\n'


def install(here, absent, *options):
    """(exit code, standard error, calls of apt) if pkg-config does not find the module @absent."""
    programs, calls = here / "bin", here / "calls"
    programs.mkdir(exist_ok=True)
    for name, text in (("pkg-config", PKG_CONFIG % absent), ("apt-get", APT), ("apt-cache", DONE), ("sudo", SUDO), ("busybox", DONE)):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    calls.write_text("")
    done = subprocess.run([SOURCE / "tools" / "install-deps", *options], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "CALLS": str(calls)})
    return done.returncode, done.stderr, calls.read_text()


with checks, folder() as here:
    code, said, calls = install(here, "nothing")
    checks.equal((code, calls), (0, ""), f"all is there: {said}")
    code, said, calls = install(here, "libarchive")
    checks.that(code == 0 and "without optional packages: libarchive-dev" in said and "libarchive-dev" in calls,
                f"an optional package: {code} {said!r} {calls!r}")
    code, said, calls = install(here, "zlib")
    checks.that(code == 1 and "still missing" in said and "zlib1g-dev" in said, f"a required package: {code} {said!r}")
    # Each group by itself: they have the library in common, so each of them tries to install it.
    code, said, calls = install(here, "zlib", "--all")
    tries = sum("install --no-install-recommends" in line and "zlib1g-dev" in line for line in calls.splitlines())
    checks.that(code == 1 and said.count("still missing") == tries >= 3, f"all groups: {code} {said!r} {calls!r}")
    code, said, _ = install(here, "nothing", "--none")
    checks.that(code == 2 and said.count("\n") == 1 and "--none" in said, f"no such group: {code} {said!r}")
