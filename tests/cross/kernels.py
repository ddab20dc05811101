# SPDX-License-Identifier: Apache-2.0
"""Debian's packages of other architectures and releases. Nothing is installed, and the lists and caches of apt are separate from
those of the machine."""

import functools
import pathlib
import re
import shutil
import subprocess
import tarfile
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from cache import cached
from cross import needs
from jankd import skip

# Python 3.11.2 has no filters; later ones warn if none is chosen.
SAFELY = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
# The kernel and its drivers for disks and their file systems take 40 of 350 MB.
NEEDED = re.compile(r"/boot/vmlinuz-|/kernel/(drivers/virtio|drivers/block|fs/fat|fs/nls)/|/bin/busybox$")
KEYRING = pathlib.Path("/usr/share/keyrings/debian-archive-keyring.gpg")


def run(what, *command, cwd=None):
    """Standard output of @command; skips the test if it fails: then there is no network, or no such package."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600, cwd=cwd)
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


def download(release, architecture, package, into):
    """Unpacks the files of @package that are needed."""
    state = into / "apt"
    settings = {
        "Dir::Etc::sourcelist": state / "sources.list", "Dir::Etc::sourceparts": "-",
        "Dir::State": state, "Dir::State::status": state / "status", "Dir::Cache": state / "cache",
        "APT::Architecture": architecture, "APT::Architectures": architecture,
        "APT::Sandbox::User": "root", "Acquire::Languages": "none", "Acquire::Retries": "3"}
    options = [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]

    def apt(program, *arguments):
        return run(f"packages of {release} {architecture}", program, "-q", *options, *arguments, cwd=into)

    for name in ("lists/partial", "cache/archives/partial"):
        (state / name).mkdir(parents=True)
    (state / "status").touch()
    (state / "sources.list").write_text(f"deb [signed-by={KEYRING}] {mirror()} {release} main\n")
    apt("apt-get", "update")
    # linux-image-arm64 has no files; it depends on the newest version.
    if package.startswith("linux-image-"):
        shown = apt("apt-cache", "--no-all-versions", "show", package)
        package = re.search(r"^Depends: ([^ ,]+)", shown, re.M).group(1)
    apt("apt-get", "download", package)
    for archive in into.glob("*.deb"):
        unpack_needed(archive, into)
        archive.unlink()
    shutil.rmtree(state)


def unpacked(release, architecture, package):
    """The folder with the files of a package that are needed."""
    return cached(f"{package}-{release}-{architecture}", functools.partial(download, release, architecture, package))


class Kernel:
    """A kernel of Debian. @architecture: Debian's name of it."""

    def __init__(self, release, package, architecture):
        needs("apt-get", "dpkg-deb")
        self.architecture = architecture
        self.files = unpacked(release, architecture, package)
        self.image = next(self.files.glob("boot/vmlinuz-*"))
        self.version = self.image.name.removeprefix("vmlinuz-")

    def module(self, name):
        """The path of a driver, or None if the kernel has it built in, or does not have it."""
        return next(self.files.glob(f"lib/modules/*/kernel/**/{name}.ko*"), None)
