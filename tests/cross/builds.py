#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/build-device: static programs that need nothing but the kernel, the same bytes in each build, the same
results on each processor; the machine's packages stay as they are."""

import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import cross
from jankd import PHONE, SOURCE, Checks, analyze, differences, folder, outputs

LARGEST = {"arm64": 1600000}  # bytes of jankd
PAGE = 16384  # Android has pages of 4 and of 16 KB on 64 bits


def foreign():
    return subprocess.run(["dpkg", "--print-foreign-architectures"], capture_output=True, text=True, check=True).stdout


def readelf(file, *options):
    return subprocess.run(["readelf", "-W", *options, file], capture_output=True, text=True, check=True).stdout


def check_format(checks, arch, file):
    name = file.name
    program, dynamic, sections = readelf(file, "-l"), readelf(file, "-d"), readelf(file, "-S")
    checks.that("INTERP" not in program and "NEEDED" not in dynamic, f"{name}: is static")
    checks.that(".symtab" not in sections and ".debug" not in sections, f"{name}: is stripped")
    checks.that("build-id" not in sections, f"{name}: has no build id")
    alignments = [int(a, 16) for a in re.findall(r"^ +LOAD .* (0x[0-9a-f]+)$", program, re.M)]
    checks.that(alignments and (arch == "arm" or min(alignments) >= PAGE), f"{name}: alignment {alignments}")
    checks.that(file.stat().st_size <= LARGEST.get(arch, 1 << 30) or not name.startswith("jankd"),
                f"{name}: {file.stat().st_size} bytes")


def check_sums(checks, out):
    listed = dict(reversed(line.split(" *")) for line in (out / "SHA256SUMS").read_text().splitlines())
    files = {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in out.glob("jank*-*")}
    checks.equal(listed, files, "SHA256SUMS")
    checks.equal(len(files), 2 * len(cross.ARCHITECTURES), "programs")
    for arch in cross.ARCHITECTURES:
        checks.that(f"\n{arch} libtracefs-dev " in "\n" + (out / "PACKAGES").read_text(), f"PACKAGES of {arch}")


def check_reproducible(checks, here, out):
    """A copy of the tree elsewhere, with the same libraries, gives the same programs."""
    tree, second = here / "a longer" / "way to" / "tree", here / "the second  out"
    listed = subprocess.run(["git", "-C", SOURCE, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            capture_output=True, check=False)
    if listed.returncode != 0:
        checks.cannot_judge("the same bytes in each build", "the tree is no git clone")
        return
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (SOURCE / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(SOURCE / name, tree / name)
    for arch in cross.ARCHITECTURES:
        shutil.copytree(out / ".work" / arch / "sysroot", second / ".work" / arch / "sysroot", symlinks=True)
    cross.build(source=tree, out=second)
    checks.equal((second / "SHA256SUMS").read_text(), (out / "SHA256SUMS").read_text(), "the same bytes in each build")


def check_results(checks, here, out):
    """The scenario and the CSV files are the same on each processor."""
    options = ("--scenario", "demo", "--speed", "0", "--seconds", "20", "--output")
    trace = here / "trace.txt"
    subprocess.run([PHONE, *options, trace], check=True, capture_output=True)
    analyze(here / "native", "--frames-log", "-T", "2", trace)
    expected = outputs(here / "native")
    checks.that(len(expected.get("frames.csv", b"").splitlines()) > 1000, "the scenario has frames")
    for arch in cross.ARCHITECTURES:
        into, text = here / arch, here / f"{arch}.txt"
        for program in (("jankd", "analyze", "--frames-log", "-T", "2", "-F", into, trace), ("jank-phone", *options, text)):
            done = subprocess.run(cross.emulated(arch, out / f"{program[0]}-{arch}", *program[1:]), capture_output=True,
                                  check=False)
            checks.that(done.returncode == 0, f"{program[0]}-{arch}: exit {done.returncode}: {done.stderr[-500:]}")
        checks.equal(differences(outputs(into), expected), [], f"{arch}: CSV files")
        checks.that(text.read_bytes() == trace.read_bytes(), f"{arch}: the text of jank-phone")


def check_bare(checks, here, out):
    """Without environment, /tmp, /dev, /proc, shell and libraries."""
    if os.geteuid() != 0:
        checks.cannot_judge("a device without anything", "chroot needs root")
        return
    root = here / "root"
    (root / "out").mkdir(parents=True)
    machine = {"x86_64": "x86_64", "aarch64": "arm64"}.get(os.uname().machine)
    if not machine:
        checks.cannot_judge("a device without anything", f"no build for a {os.uname().machine}")
        return
    shutil.copy(out / f"jankd-{machine}", root / "jankd")
    shutil.copy(here / "trace.txt", root / "trace.txt")
    done = subprocess.run(["env", "-i", shutil.which("chroot"), root, "/jankd", "analyze", "--frames-log", "-T", "2",
                           "-F", "/out", "/trace.txt"], capture_output=True, check=False)
    checks.equal((done.returncode, done.stderr), (0, b""), "in an empty root folder")
    checks.equal(differences(outputs(root / "out"), outputs(here / "native")), [], "CSV files in an empty root folder")
    checks.equal(sorted(p.name for p in root.iterdir()), ["jankd", "out", "trace.txt"], "files outside of the folder")


cross.needs("dpkg", "readelf", *(cross.emulated(arch)[0] for arch in cross.ARCHITECTURES))
checks = Checks()
before = foreign()
cross.build()
checks.equal(foreign(), before, "dpkg's architectures")
for arch in cross.ARCHITECTURES:
    log = (cross.OUT / ".work" / arch / "log").read_text(errors="replace")
    checks.equal(re.findall(r".*(?:warning: |statically linked).*", log), [], f"{arch}: warnings")
    for program in ("jankd", "jank-phone"):
        check_format(checks, arch, cross.OUT / f"{program}-{arch}")
check_sums(checks, cross.OUT)
with folder() as here:
    check_results(checks, here, cross.OUT)
    check_bare(checks, here, cross.OUT)
    check_reproducible(checks, here, cross.OUT)
checks.end()
