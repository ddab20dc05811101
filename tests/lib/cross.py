# SPDX-License-Identifier: Apache-2.0
"""Builds for devices, for the tests of them: one of each architecture in the build folder, for all tests."""

import fcntl
import re
import shutil
import subprocess
import sys

from cache import cached
from jankd import BUILD, SOURCE, skip

# The names of an architecture in the triplet of its compiler and in qemu-user. Most tests wait for the first one.
ARCHITECTURES = {"x86_64": ("x86_64-linux-gnu", "x86_64"), "arm64": ("aarch64-linux-gnu", "aarch64"), "arm": ("arm-linux-gnueabihf", "arm")}
OUT = BUILD / "device"
# What build-device prints if it cannot build here, whatever the tree.
IMPOSSIBLE = ("apt-get cannot download them", "missing packages")


def needs(*programs):
    """Skips the test if a program is missing."""
    for program in programs:
        if not shutil.which(program):
            skip(f"no {program}; tools/install-deps --all installs it")


def emulated(arch, *command):
    """The command that runs a program for this architecture."""
    return [f"qemu-{ARCHITECTURES[arch][1]}-static", *map(str, command)]


def run_build(command, impossible):
    """Runs a script that builds. Ends the test if that fails: as skipped if the script prints one of @impossible."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    if done.returncode == 0:
        return
    if any(text in done.stdout for text in impossible):
        skip(done.stdout.splitlines()[-1])
    print(f"FAILED: {' '.join(map(str, command))}: exit {done.returncode}\n{done.stdout}", flush=True)
    sys.exit(1)


def build(arch, *options):
    """Runs tools/build-device for an architecture into OUT. The first test that calls it builds, with the libraries of an
    earlier build on this machine. Ends the test if that fails. Installs no compiler."""
    needs("dpkg-deb", f"{ARCHITECTURES[arch][0]}-gcc")
    command = [SOURCE / "tools" / "build-device", "-o", OUT, *options, arch]
    sysroot = OUT / ".work" / arch / "sysroot"

    def run():
        run_build(command, IMPOSSIBLE)
        log = (OUT / ".work" / arch / "log").read_text(errors="replace")
        warnings = OUT / ".work" / arch / "warnings"
        if not options and not (warnings.exists() and "ninja: no work to do" in log):
            warnings.write_text("\n".join(re.findall(r".*(?:warning: |statically linked).*", log)))

    def download(into):
        run()
        shutil.copytree(sysroot, into, symlinks=True, dirs_exist_ok=True)

    OUT.mkdir(parents=True, exist_ok=True)
    with open(OUT / ".lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        listed = sysroot / "packages"
        if not listed.exists() or options and "libcmocka-dev" not in listed.read_text():
            libraries = cached("-".join((*options, arch, "libraries")).strip("-"), download)
            shutil.rmtree(sysroot, ignore_errors=True)
            shutil.copytree(libraries, sysroot, symlinks=True)
        run()
