# SPDX-License-Identifier: Apache-2.0
"""tools/release makes packages and a tarball with the right content, the same bytes if they are made again."""

import gzip
import hashlib
import os
import re
import shutil
import subprocess
import tarfile
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
import cross
from jankd import SOURCE, Checks, copy_tree, folder, skip
from pages import PAGES, PROGRAMS

DATE = 1700000000
SECTIONS = {"jankd": ("jankd.1", "jankd-csv.5", "jankd-metrics.7", "jankd-rules.5", "jankd.7"), "jank-tools": ("jank-adb.1", "jank-phone.1", "jank-report.1")}


def release(checks, tree, out):
    """Runs tools/release of a copy of the tree, in which tools/build-device only gives the programs that all tests share."""
    stand_in = tree / "tools" / "build-device"
    stand_in.write_text(f'#!/bin/sh\n[ "$1 $3" = "-o all" ] && ln -sfn "{cross.OUT}" "$2"\n')
    environment = {name: value for name, value in os.environ.items() if name not in ("CC", "CFLAGS", "DEB_BUILD_OPTIONS")}
    done = subprocess.run([tree / "tools" / "release", "-o", out], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, env={**environment, "SOURCE_DATE_EPOCH": str(DATE)})
    return checks.equal(done.returncode, 0, f"exit code of tools/release: {done.stdout[-3000:]}")


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def verify(checks, where, names):
    """SHA256SUMS of a folder names these files, and they have these sums."""
    listed = {line.split(" *")[1] for line in (where / "SHA256SUMS").read_text().splitlines()}
    checks.equal(listed, names, f"files in {where.name}/SHA256SUMS")
    done = subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=where, capture_output=True, text=True)
    checks.equal(done.returncode, 0, f"checksums of {where.name}: {done.stdout}{done.stderr}")


def files(checks, out, version):
    """The files of the release and their checksums."""
    architecture = subprocess.run(["dpkg", "--print-architecture"], capture_output=True, text=True).stdout.strip()
    names = {f"jankd-{version}.tar.gz", *(f"{name}_{version}_{architecture}.deb" for name in SECTIONS)}
    checks.equal({path.name for path in out.iterdir() if not path.name.startswith(".")}, names | {"SHA256SUMS"}, "files")
    verify(checks, out, names)


def tarball(checks, path, here):
    """The tarball has no trace of when, where and by whom it was made, and all that a user needs."""
    name = path.name[:-len(".tar.gz")]
    with tarfile.open(path) as tar:
        members = tar.getmembers()
        tar.extractall(here, filter="data") if hasattr(tarfile, "data_filter") else tar.extractall(here)
    checks.equal([member.name for member in members], sorted(member.name for member in members), "order of the tarball")
    for member in members:
        checks.equal((member.mtime, member.uid, member.gid, member.mode & 0o022), (DATE, 0, 0, 0), f"date, owner, mode of {member.name}")
    checks.equal(gzip.open(path).read(1) and path.read_bytes()[4:8], bytes(4), "date in the gzip header")
    top = here / name
    expected = {f"{program}-{architecture}" for program in ("jankd", "jank-phone") for architecture in cross.ARCHITECTURES}
    expected |= {"jank-adb", "LICENSE", "SHA256SUMS", *(path.name for path in SOURCE.glob("README*.md")), "CHANGELOG.md"}
    expected |= {f"man/{page.name}" for page in PAGES.iterdir()}
    expected |= {f"completion/{program}.bash" for program in PROGRAMS} | {f"completion/_{program}" for program in PROGRAMS}
    libraries = {line.split()[1] for line in (top / "licenses" / "PACKAGES").read_text().splitlines()}
    checks.that({"libtracefs-dev", "zlib1g-dev"} < libraries and any(name.startswith("libc6-dev") for name in libraries),
                f"packages whose code is in the programs: {libraries}")
    expected |= {f"licenses/{name}" for name in libraries | {"PACKAGES", "GPL-3", "LGPL-2.1"}}
    found = {str(path.relative_to(top)) for path in top.rglob("*") if path.is_file()}
    checks.equal(sorted(found), sorted(expected), "files of the tarball")
    verify(checks, top, found - {"SHA256SUMS"})
    for program in found & {path.name for path in cross.OUT.glob("jank*-*")}:
        checks.that((top / program).read_bytes() == (cross.OUT / program).read_bytes() and os.access(top / program, os.X_OK),
                    f"{program} is not the program of tools/build-device")
    said = subprocess.run([top / "jank-adb", "--version"], capture_output=True, text=True).stdout
    checks.that(said.startswith("jank-adb "), f"jank-adb --version: {said!r}")


def package(checks, path, here, version):
    """A Debian package: its programs run, its pages and completion are where Debian looks for them."""
    name = path.name.split("_")[0]
    fields = subprocess.run(["dpkg-deb", "-f", path], capture_output=True, text=True, check=True).stdout
    checks.that(f"Version: {version}\n" in fields and "libc6" in fields, f"fields of {path.name}: {fields}")
    subprocess.run(["dpkg-deb", "-x", path, here / name], check=True)
    found = {str(file.relative_to(here / name)) for file in (here / name).rglob("*") if not file.is_dir()}
    programs = {page[:-2] for page in SECTIONS[name] if page.endswith(".1")}
    expected = {f"usr/share/man/man{page[-1]}/{page}.gz" for page in SECTIONS[name]}
    for program in programs:
        expected |= {f"usr/bin/{program}", f"usr/share/bash-completion/completions/{program}.bash", f"usr/share/zsh/vendor-completions/_{program}"}
        said = subprocess.run([here / name / "usr" / "bin" / program, "--version"], capture_output=True, text=True).stdout
        checks.equal(said, f"{program} {version}\n", f"{program} --version")
    others = {file for file in found if not file.startswith("usr/share/doc/")}
    checks.equal(sorted(others), sorted(expected), f"files of {path.name}")
    checks.that(f"usr/share/doc/{name}/copyright" in found, f"{path.name} has no copyright")


cross.needs("dh", "dpkg-buildpackage")
if os.getuid() != 0 and not shutil.which("fakeroot"):
    skip("not root, and fakeroot is not installed")
checks = Checks()
version = re.search(r"version: '(.*?)'", (SOURCE / "meson.build").read_text(encoding="utf-8"))[1]
first = (SOURCE / "debian" / "changelog").read_text(encoding="utf-8").splitlines()[0]
checks.that(first.startswith(f"jankd ({version}) "), f"debian/changelog begins with another version than {version}: {first}")
for architecture in cross.ARCHITECTURES:
    cross.build(architecture)
with folder() as here:
    tree = copy_tree(here / "tree")
    out, made = here / "out", []
    # Again with other times and modes. tests/cross compares two builds of the programs for devices.
    for umask in (0o022, 0o077):
        os.umask(umask)
        if not release(checks, tree, out):
            checks.end()
        made.append({path.name: digest(path) for path in out.iterdir() if path.is_file()})
        for path in tree.rglob("*"):
            os.utime(path, (DATE + umask, DATE + umask), follow_symlinks=False)
    checks.equal(made[1], made[0], "bytes of two releases of the same tree")
    files(checks, out, version)
    tarball(checks, out / f"jankd-{version}.tar.gz", here)
    for path in out.glob("*.deb"):
        package(checks, path, here, version)
checks.end()
