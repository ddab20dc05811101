# SPDX-License-Identifier: Apache-2.0
"""Builds for devices, for the tests of them. They are kept in the build folder."""

import shutil
import subprocess
import sys

from jankd import BUILD, SOURCE, skip

# The names of an architecture in the triplet of its compiler and in qemu-user.
ARCHITECTURES = {
    "arm64": ("aarch64-linux-gnu", "aarch64"),
    "arm": ("arm-linux-gnueabihf", "arm"),
    "x86_64": ("x86_64-linux-gnu", "x86_64"),
}
OUT = BUILD / "device"
# What build-device prints if it cannot build here, whatever the tree.
IMPOSSIBLE = ("apt-get cannot download them", "missing packages")


def needs(*programs):
    """Skips the test if a program is missing."""
    for program in programs:
        if not shutil.which(program):
            skip(f"no {program}; tools/install-deps --device installs it")


def emulated(arch, *command):
    """The command that runs a program for this architecture."""
    return [f"qemu-{ARCHITECTURES[arch][1]}-static", *map(str, command)]


def run_build(command, impossible):
    """Runs a script that builds. Ends the test if that fails: as skipped if the script prints one of @impossible."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", check=False)
    if done.returncode == 0:
        return
    if any(text in done.stdout for text in impossible):
        skip(done.stdout.splitlines()[-1])
    print(f"FAILED: {' '.join(map(str, command))}: exit {done.returncode}\n{done.stdout}", flush=True)
    sys.exit(1)


def build(*arguments, source=SOURCE, out=OUT):
    """Runs tools/build-device of the tree @source, into @out. Ends the test if that fails. Installs no compiler."""
    architectures = [arch for arch in ARCHITECTURES if arch in arguments] or list(ARCHITECTURES)
    needs("dpkg-deb", *(f"{ARCHITECTURES[arch][0]}-gcc" for arch in architectures))
    run_build([source / "tools" / "build-device", "-o", out, *arguments], IMPOSSIBLE)
