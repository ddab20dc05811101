# SPDX-License-Identifier: Apache-2.0
"""tools/release makes packages and archives with the right content, the same bytes if they are made again, which work where they are unpacked."""

import hashlib
import os
import re
import shutil
import subprocess
import tarfile
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
import cross
import windows
from jankd import SOURCE, checks, copy_tree, folder
from pages import PAGES, PROGRAMS
from phones import desk, trace

DATE = 1700000000
SECTIONS = {"jankd": ("jankd.1", "jankd-csv.5", "jankd-metrics.7", "jankd-rules.5", "jankd.7"), "jank-tools": ("jank-adb.1", "jank-phone.1", "jank-report.1")}


def release(tree, out):
    """(exit code, output) of tools/release of a copy of the tree, in which the builds only give the programs that all tests share."""
    for name, made, words in (("build-device", cross.OUT, "-o all"), ("build-windows", windows.OUT, "-o ")):
        (tree / "tools" / name).write_text(f'#!/bin/sh\n[ "$1 ${{3:-}}" = "{words}" ] && ln -sfn "{made}" "$2"\n')
    environment = {name: value for name, value in os.environ.items() if name not in ("CC", "CFLAGS", "DEB_BUILD_OPTIONS")}
    done = subprocess.run([tree / "tools" / "release", "-o", out], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, env={**environment, "SOURCE_DATE_EPOCH": str(DATE)})
    return done.returncode, done.stdout


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def verify(checks, where, names):
    """A folder has these files alone, and SHA256SUMS, which names them with their sums."""
    checks.equal({path.name for path in where.iterdir() if path.name[0] != "."}, {name.split("/")[0] for name in names} | {"SHA256SUMS"}, where.name)
    listed = {line.split(" *")[1] for line in (where / "SHA256SUMS").read_text().splitlines()}
    checks.equal(listed, names, f"files in {where.name}/SHA256SUMS")
    done = subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=where, capture_output=True, text=True)
    checks.equal(done.returncode, 0, f"checksums of {where.name}: {done.stdout}{done.stderr}")


def contents(checks, top, more):
    """What both archives have, and these files; the programs for devices are those that were built."""
    expected = {f"{program}-{architecture}" for program in ("jankd", "jank-phone") for architecture in cross.ARCHITECTURES}
    expected |= {"jank-adb", "LICENSE", "README", "SHA256SUMS", *(f"doc/{path.name}" for path in SOURCE.glob("*.md") if path.name != "CONTRIBUTING.md")}
    expected |= {f"html/{page.name}.html" for page in PAGES.iterdir()} | more
    libraries = {line.split()[1] for line in (top / "licenses" / "PACKAGES").read_text().splitlines()}
    checks.that({"libtracefs-dev", "zlib1g-dev", "libjs-dygraphs", "mingw-w64-x86-64-dev"} < libraries and any(name.startswith("libc6-dev") for name in libraries),
                f"packages whose code is in the programs: {libraries}")
    expected |= {f"licenses/{name}" for name in libraries | {"PACKAGES", "GPL-3", "LGPL-2.1", "json-c"}}
    found = {str(path.relative_to(top)) for path in top.rglob("*") if path.is_file()}
    checks.equal(sorted(found), sorted(expected), f"files of {top.name}")
    verify(checks, top, found - {"SHA256SUMS"})
    checks.that(len((top / "README").read_text().splitlines()) <= 10, "README of ten lines")
    return found


def windows_zip(checks, path, here):
    subprocess.run([sys.executable, "-m", "zipfile", "-e", path, here], check=True)
    contents(checks, here / path.stem, {"jank-report.exe"})
    checks.equal(digest(here / path.stem / "jank-report.exe"), digest(windows.PROGRAM), "jank-report.exe")


def tarball(checks, path, here, version):
    """The tarball has no trace of when, where and by whom it was made. What a user needs is there, and works."""
    name = path.name[:-len(".tar.gz")]
    with tarfile.open(path) as tar:
        members = tar.getmembers()
        tar.extractall(here, filter="data") if hasattr(tarfile, "data_filter") else tar.extractall(here)
    for member in members:
        checks.equal((member.mtime, member.uid, member.gid, member.mode & 0o022), (DATE, 0, 0, 0), f"date, owner, mode of {member.name}")
    top = here / name
    found = contents(checks, top, {"jank-report", *(f"man/{page.name}" for page in PAGES.iterdir()),
                                   *(name for program in PROGRAMS for name in (f"completion/{program}.bash", f"completion/_{program}"))})
    for program in found & {path.name for path in cross.OUT.glob("jank*-*")}:
        checks.that((top / program).read_bytes() == (cross.OUT / program).read_bytes() and os.access(top / program, os.X_OK),
                    f"{program} is not the program of tools/build-device")
    with desk() as place:
        phone, (text, _) = place.phone(), trace(here)
        (here / "trace.txt").write_bytes(text)

        def shows(command, *texts):
            done = subprocess.run(["sh", "-c", command], cwd=top, env=place.environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True)
            checks.that(done.returncode == 0 and all(text in done.stdout + done.stderr for text in texts), f"{command}: {done}")

        shows("./jank-adb --version", f"jank-adb {version}\n")
        shows("./jank-adb install", f"jankd {version} (x86_64) is installed")
        checks.equal(digest(phone.data / "jankd"), digest(top / "jankd-x86_64"), "the program on the phone")
        shows("./jankd-x86_64 analyze -T 2 -F ../fps ../trace.txt", "com.example.mail")
        shows("./jank-report -o ../fps/report.html ../fps; ./jank-report --text ../fps", "com.example.game held an even 30 fps")
        checks.that("Dygraph" in (here / "fps" / "report.html").read_text(encoding="utf-8"), "the page has charts")


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
version = re.search(r"version: '(.*?)'", (SOURCE / "meson.build").read_text(encoding="utf-8"))[1]
for architecture in cross.ARCHITECTURES:
    cross.build(architecture)
windows.build()
with checks, folder() as here:
    tree = copy_tree(here / "tree")
    out, made = here / "out", []
    numbers = tree / "meson.build"
    numbers.write_text(numbers.read_text().replace(f"version: '{version}'", "version: '9.8'", 1))
    code, said = release(tree, out)
    checks.that(code == 1 and said.count("\n") == 1 and "debian/changelog" in said and "9.8" in said, f"versions differ: {code}, {said}")
    shutil.copy(SOURCE / "meson.build", numbers)
    # Again with other times and modes. tests/cross compares two builds of the programs for devices.
    for umask in (0o022, 0o077):
        os.umask(umask)
        code, said = release(tree, out)
        if not checks.equal(code, 0, f"exit code of tools/release: {said[-3000:]}"):
            checks.end()
        made.append({path.name: digest(path) for path in out.iterdir() if path.is_file()})
        for path in tree.rglob("*"):
            os.utime(path, (DATE + umask, DATE + umask), follow_symlinks=False)
    checks.equal(made[1], made[0], "bytes of two releases of the same tree")
    architecture = subprocess.run(["dpkg", "--print-architecture"], capture_output=True, text=True).stdout.strip()
    verify(checks, out, {f"jankd-{version}.tar.gz", f"jankd-{version}-windows.zip", *(f"{name}_{version}_{architecture}.deb" for name in SECTIONS)})
    tarball(checks, out / f"jankd-{version}.tar.gz", here, version)
    windows_zip(checks, out / f"jankd-{version}-windows.zip", here)
    for path in out.glob("*.deb"):
        package(checks, path, here, version)
