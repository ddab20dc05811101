# SPDX-License-Identifier: Apache-2.0
"""Boots a kernel in qemu, without KVM, with a root file system of a few files in memory, and runs a script in it."""

import lzma
import pathlib
import shutil
import subprocess
import tarfile
import threading
import time

from device import ATRACE, DUMPSYS, GETPROP, SETPROP
from jankd import skip
from kernels import SAFELY, Packages

SCRIPTS = pathlib.Path(__file__).resolve().parent / "guest"

# Loaded in this order; a kernel has some of them built in.
MODULES = ("virtio", "virtio_ring", "virtio_mmio", "virtio_blk", "fat", "vfat", "nls_cp437", "nls_ascii")

# qemu and its CPU. cortex-a76 is the oldest one with pages of 16 KB.
MACHINES = {
    "arm64": ("qemu-system-aarch64", "cortex-a76"),
    "armhf": ("qemu-system-arm", "cortex-a15"),
}

BUSYBOX = "busybox-static"
OUT_SIZE = 64 << 20


class Archive:
    """A cpio archive of the form that the kernel unpacks as its root file system."""

    def __init__(self):
        self.data = bytearray()
        self.count = 0
        self.folders = set()

    def add(self, path, mode, content=b""):
        parent = str(pathlib.PurePosixPath(path).parent)
        if parent not in (".", *self.folders):
            self.folder(parent)
        self.count += 1
        name = path.encode() + b"\0"
        numbers = (self.count, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name), 0)
        self.data += b"070701" + b"".join(b"%08X" % number for number in numbers) + name
        self.data += bytes(-len(self.data) % 4) + content
        self.data += bytes(-len(self.data) % 4)

    def folder(self, path, mode=0o755):
        self.folders.add(path)
        self.add(path, 0o040000 | mode)

    def file(self, path, content, mode=0o755):
        self.add(path, 0o100000 | mode, content)

    def link(self, path, target):
        self.add(path, 0o120777, target.encode())

    def end(self):
        self.add("TRAILER!!!", 0)
        return bytes(self.data)


def stand_in(text):
    """A script of device.py for a PATH without anything else."""
    return text.replace("#!/bin/sh\n", "#!/bin/sh\nPATH=$PATH:/bin\n").encode()


def root_files(kernel, programs):
    """The root file system. @programs: the folder of jankd and jank-phone."""
    archive = Archive()
    for path in ("proc", "sys", "dev", "data", "out", "sdcard"):
        archive.folder(path)
    busybox = Packages("bookworm", kernel.architecture).unpacked(BUSYBOX) / "bin" / "busybox"
    archive.file("bin/busybox", busybox.read_bytes())
    archive.link("bin/sh", "busybox")
    for name in ("jankd", "jank-phone"):
        archive.file(f"device/{name}", (programs / name).read_bytes())
    for name, text in (("atrace", ATRACE), ("getprop", GETPROP), ("setprop", SETPROP), ("dumpsys", DUMPSYS)):
        archive.file(f"device/bin/{name}", stand_in(text))
    # Two users with the number of Android's shell, and two of Android's groups.
    archive.file("etc/passwd", b"root:x:0:0::/:/bin/sh\nshell:x:2000:2000::/:/bin/sh\nreader:x:2000:2000::/:/bin/sh\n", 0o644)
    archive.file("etc/group", b"root:x:0:\nshell:x:2000:\nreadtracefs:x:3012:reader\nsdcard_rw:x:1015:shell,reader\n", 0o644)
    for number, name in enumerate(MODULES):
        path = kernel.module(name)
        if path:
            data = path.read_bytes()
            archive.file(f"modules/{number}-{name}.ko", lzma.decompress(data) if path.suffix == ".xz" else data, 0o644)
    for path in SCRIPTS.iterdir():
        archive.file("init" if path.name == "init" else f"test/{path.name}", path.read_bytes())
    return archive.end()


class Guest:
    """A machine that can be booted several times. @here: a folder for its files."""

    def __init__(self, kernel, programs, here):
        self.kernel, self.here = kernel, here
        self.qemu, self.cpu = MACHINES[kernel.architecture]
        if not shutil.which(self.qemu):
            skip(f"no {self.qemu}; on Debian: apt-get install qemu-system-arm")
        self.root = here / "root.cpio"
        self.root.write_bytes(root_files(kernel, programs))

    def command(self, script, disks):
        command = [
            self.qemu, "-M", "virt", "-cpu", self.cpu, "-smp", "2", "-m", "512", "-accel", "tcg,thread=multi",
            "-nodefaults", "-nic", "none", "-display", "none", "-monitor", "none", "-serial", "stdio", "-no-reboot",
            "-kernel", self.kernel.image, "-initrd", self.root,
            "-append", f"console=ttyAMA0 quiet loglevel=1 panic=-1 rdinit=/init script={script}",
        ]
        for name, path in disks.items():
            command += ["-drive", f"if=none,id={name},file={path},format=raw",
                        "-device", f"virtio-blk-device,drive={name},serial={name}"]
        return command

    def boot(self, checks, script, out, deadline_s, cut_at=None, **disks):
        """Runs guest/@script and unpacks what it left in /out into the folder @out. @disks: images, by the names with which
        the script finds them. @cut_at: text; the power is cut when it is printed, and nothing is unpacked. Returns what was
        printed."""
        image = self.here / "out.img"
        with image.open("wb") as file:
            file.truncate(OUT_SIZE)
        said = []
        begin = time.monotonic()
        with subprocess.Popen(self.command(script, {"out": image, **disks}), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace") as machine:
            timer = threading.Timer(deadline_s, machine.kill)
            timer.start()
            for line in machine.stdout:
                said.append(line.rstrip())
                if cut_at and cut_at in line:
                    machine.kill()
            machine.wait()
            timer.cancel()
        print(f"{self.kernel.version}: {script}: {time.monotonic() - begin:.0f} s", flush=True)
        until = cut_at or f"guest: {script} has ended: 0"
        if not checks.that(any(until in line for line in said), f"{script}: not '{until}' within {deadline_s} s: {said[-20:]}"):
            checks.end()
        if out:
            with tarfile.open(image) as archive:
                archive.extractall(out, **SAFELY)
        return said
