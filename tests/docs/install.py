# SPDX-License-Identifier: Apache-2.0
"""meson install puts the programs, man pages, completion and documents where they belong, and nothing else."""

import re
import subprocess
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from jankd import BUILD, SOURCE, build_info, checks, folder
from pages import PAGES, PROGRAMS, page

version = re.search(r"version: '(.*?)'", (SOURCE / "meson.build").read_text(encoding="utf-8"))[1]
DOCUMENTS = ("README.md", "README.zh-CN.md", "CHANGELOG.md")

page("jankd.1")  # skips the test if this build has none
expected = {f"bin/{name}" for name in PROGRAMS}
expected |= {f"share/man/man{path.suffix[1:]}/{path.name}" for path in PAGES.iterdir()}
expected |= {f"share/bash-completion/completions/{name}.bash" for name in PROGRAMS}
expected |= {f"share/zsh/site-functions/_{name}" for name in PROGRAMS}
expected |= {f"share/doc/jankd/{name}" for name in DOCUMENTS}
with checks, folder() as here:
    done = subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild", "--destdir", here], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    checks.equal(done.returncode, 0, f"exit code of meson install: {done.stdout}{done.stderr}")
    prefix = here / build_info("buildoptions", "prefix")["value"].lstrip("/")
    found = {str(path.relative_to(prefix)) for path in here.rglob("*") if not path.is_dir()}
    checks.equal(sorted(found), sorted(expected), "files that meson install installs")
    for name in PROGRAMS:
        program = prefix / "bin" / name
        said = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
        checks.equal(said, f"{name} {version}\n", f"{name} --version")
    for path in here.rglob("*"):
        checks.that(path.stat().st_mode & 0o444 == 0o444, f"{path} cannot be read by all users")
        checks.that(path.is_dir() or bool(path.stat().st_mode & 0o111) == (path.parent.name == "bin"), f"mode of {path}")
