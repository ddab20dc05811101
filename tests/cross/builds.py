# SPDX-License-Identifier: Apache-2.0
"""tools/build-device: static programs that need nothing but the kernel, the same results on each processor; the machine's
packages stay as they are. With --again: the same bytes in another build, and nothing else."""

import hashlib
import os
import re
import shutil
import subprocess
import time
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
import cross
from jankd import PHONE, analyze, checks, copy_tree, differences, folder, outputs

LARGEST = 1600000  # bytes of jankd for arm64
PAGE = 16384  # Android has pages of 4 and of 16 KB on 64 bits


def said(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def check_format(checks, arch, file):
    program, dynamic, sections = (said("readelf", "-W", option, file) for option in ("-l", "-d", "-S"))
    checks.that("INTERP" not in program and "NEEDED" not in dynamic, f"{file.name}: is static")
    # It runs as root on texts that any app can write: what makes a fault hard to use. Debian has no static PIE for arm.
    hardened = {"GNU_RELRO": "GNU_RELRO" in program, "DYN": arch == "arm" or "type is DYN" in program}
    built = (file.parent / ".work" / arch / "build" / "compile_commands.json").read_text()
    hardened |= {option: built.count(option) == built.count('"file"') for option in ("-fstack-protector-strong", "-D_FORTIFY_SOURCE=2")}
    checks.equal([name for name, is_there in hardened.items() if not is_there], [], f"{file.name}: is without")
    checks.that(not re.search(r"\.symtab|\.debug|build-id", sections), f"{file.name}: is stripped, has no build id")
    alignments = [int(a, 16) for a in re.findall(r"^ +LOAD .* (0x[0-9a-f]+)$", program, re.M)]
    checks.that(alignments and (arch == "arm" or min(alignments) >= PAGE), f"{file.name}: alignment {alignments}")


def check_sums(checks, out):
    listed = dict(reversed(line.split(" *")) for line in (out / "SHA256SUMS").read_text().splitlines())
    files = {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in out.glob("jank*-*")}
    checks.equal(listed, files, "SHA256SUMS")
    checks.equal(len(files), 2 * len(cross.ARCHITECTURES) + 1, "programs")
    size = (out / "jankd-arm64").stat().st_size
    checks.that(size <= LARGEST, f"jankd-arm64: {size} bytes")
    for arch in cross.ARCHITECTURES:
        checks.that(f"\n{arch} libtracefs-dev " in "\n" + (out / "PACKAGES").read_text(), f"PACKAGES of {arch}")


def check_reproducible(checks, here, out):
    """A clone elsewhere, with the same libraries, gives the same programs, in the folder that the README names."""
    tree = copy_tree(here / "a longer" / "way  to" / "tree")
    shutil.copytree(out / ".work" / "arm64" / "sysroot", tree / "build-device" / ".work" / "arm64" / "sysroot", symlinks=True)
    cross.run_build([tree / "tools" / "build-device", "arm64"], cross.IMPOSSIBLE)
    for name in ("jankd-arm64", "jank-phone-arm64"):
        checks.that((tree / "build-device" / name).read_bytes() == (out / name).read_bytes(), f"{name} has other bytes in a second build")


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
            done = subprocess.run(cross.emulated(arch, out / f"{program[0]}-{arch}", *program[1:]), capture_output=True, check=False)
            checks.that(done.returncode == 0, f"{program[0]}-{arch}: exit {done.returncode}: {done.stderr[-500:]}")
        checks.equal(differences(outputs(into), expected), [], f"{arch}: CSV files")
        checks.that(text.read_bytes() == trace.read_bytes(), f"{arch}: the text of jank-phone")


cross.needs("dpkg", "readelf", *(cross.emulated(arch)[0] for arch in cross.ARCHITECTURES))
os.nice(10)  # compilers run beside tests that depend on time
if "--again" in sys.argv:
    cross.build("arm64")
    with checks, folder() as here:
        check_reproducible(checks, here, cross.OUT)
before = said("dpkg", "--print-foreign-architectures")
for arch in cross.ARCHITECTURES:
    cross.build(arch)
    time.sleep(0.1)  # its lock is not fair: other tests wait for the first one
checks.equal(said("dpkg", "--print-foreign-architectures"), before, "dpkg's architectures")
for arch in cross.ARCHITECTURES:
    checks.equal((cross.OUT / ".work" / arch / "warnings").read_text(), "", f"{arch}: warnings")
    for path in cross.OUT.glob(f"jank*-{arch}"):
        check_format(checks, arch, path)
check_sums(checks, cross.OUT)
with checks, folder() as here:
    check_results(checks, here, cross.OUT)
