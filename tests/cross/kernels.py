# SPDX-License-Identifier: Apache-2.0
"""Debian's packages of other architectures and releases, unpacked into the build folder. Nothing is installed, and
the lists and caches of apt are separate from those of the machine."""

import pathlib
import re
import shutil
import subprocess
import tarfile

from jankd import BUILD, skip

HERE = BUILD / "cross"
# Python 3.11.2 has no filters; later ones warn if none is chosen.
SAFELY = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
# The kernel and its drivers for disks and their file systems take 40 of 350 MB.
NEEDED = re.compile(r"/boot/vmlinuz-|/kernel/(drivers/virtio|drivers/block|fs/fat|fs/nls)/|/bin/busybox$")
KEYRING = pathlib.Path("/usr/share/keyrings/debian-archive-keyring.gpg")


def run(what, *command, cwd=None):
    """Standard output of @command; skips the test if it fails: then there is no network, or no such package."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600, cwd=cwd)
    except FileNotFoundError:
        skip(f"{what}: no {command[0]} on this machine")
    except subprocess.TimeoutExpired:
        skip(f"{what}: {command[0]} did not end within 10 minutes")
    if done.returncode != 0:
        said = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        skip(f"{what}: {command[0]}: {said[-1]}")
    return done.stdout


def mirror():
    """The address of the Debian mirror that this machine uses."""
    listed = run("packages", "apt-get", "indextargets", "--format", "$(ORIGIN) $(LABEL) $(REPO_URI)", "Created-By: Packages")
    found = [line.split()[2] for line in listed.splitlines() if line.startswith("Debian Debian ")]
    if not found or not KEYRING.exists():
        skip("packages: apt names no mirror of Debian, or the keyring of Debian is missing")
    return found[0]


def unpack_needed(archive, into):
    """Unpacks the files of a package that match NEEDED."""
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", archive], stdout=subprocess.PIPE) as process:
        with tarfile.open(fileobj=process.stdout, mode="r|") as files:
            for member in files:
                if member.isfile() and NEEDED.search(member.name):
                    member.mode = 0o644
                    files.extract(member, into, **SAFELY)
    if process.returncode != 0:
        raise RuntimeError(f"{archive}: dpkg-deb ended with {process.returncode}")


class Packages:
    """The packages of one release and architecture."""

    def __init__(self, release, architecture):
        self.path = HERE / "apt" / f"{release}-{architecture}"
        self.release, self.architecture = release, architecture

    def apt(self, program, *arguments, cwd=None):
        settings = {
            "Dir::Etc::sourcelist": self.path / "sources.list", "Dir::Etc::sourceparts": "-",
            "Dir::State": self.path, "Dir::State::status": self.path / "status", "Dir::Cache": self.path / "cache",
            "APT::Architecture": self.architecture, "APT::Architectures": self.architecture,
            "APT::Sandbox::User": "root", "Acquire::Languages": "none", "Acquire::Retries": "3",
        }
        options = [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]
        return run(f"packages of {self.release} {self.architecture}", program, "-q", *options, *arguments, cwd=cwd)

    def update(self):
        for name in ("lists/partial", "cache/archives/partial"):
            (self.path / name).mkdir(parents=True, exist_ok=True)
        (self.path / "status").touch()
        (self.path / "sources.list").write_text(f"deb [signed-by={KEYRING}] {mirror()} {self.release} main\n")
        self.apt("apt-get", "update")

    def first_dependency(self, package):
        shown = self.apt("apt-cache", "--no-all-versions", "show", package)
        return re.search(r"^Depends: ([^ ,]+)", shown, re.M).group(1)

    def unpacked(self, package):
        """The folder with the files of @package that are needed."""
        into = HERE / "packages" / f"{package}-{self.release}-{self.architecture}"
        if into.exists():
            return into
        self.update()
        partial = into.with_name(f"{into.name}.partial")
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        # linux-image-arm64 has no files; it depends on the newest version.
        name = self.first_dependency(package) if package.startswith("linux-image-") else package
        self.apt("apt-get", "download", name, cwd=partial)
        for archive in partial.glob("*.deb"):
            unpack_needed(archive, partial)
            archive.unlink()
        partial.rename(into)
        return into


class Kernel:
    """A kernel of Debian. @architecture: Debian's name of it."""

    def __init__(self, release, package, architecture="arm64"):
        self.architecture = architecture
        self.files = Packages(release, architecture).unpacked(package)
        self.image = next(self.files.glob("boot/vmlinuz-*"))
        self.version = self.image.name.removeprefix("vmlinuz-")

    def module(self, name):
        """The path of a driver, or None if the kernel has it built in, or does not have it."""
        return next(self.files.glob(f"lib/modules/*/kernel/**/{name}.ko*"), None)
