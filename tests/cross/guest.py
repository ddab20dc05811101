# SPDX-License-Identifier: Apache-2.0
"""Boots a kernel in qemu, without KVM, with a root file system of a few files in memory, and runs a script in it."""

import contextlib
import fcntl
import lzma
import os
import pathlib
import subprocess
import tarfile
import threading
import time
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from cross import OUT, needs
from device import ATRACE, DUMPSYS, GETPROP, SETPROP
from kernels import SAFELY, unpacked

SCRIPTS = pathlib.Path(__file__).resolve().parent / "guest"

# Loaded in this order; a kernel has some of them built in.
MODULES = ("virtio", "virtio_ring", "virtio_mmio", "virtio_blk", "fat", "vfat", "nls_cp437", "nls_ascii")

# qemu and its CPU. cortex-a76 is the oldest one with pages of 16 KB.
MACHINES = {"arm64": ("qemu-system-aarch64", "cortex-a76"), "armhf": ("qemu-system-arm", "cortex-a15")}

OUT_SIZE = 64 << 20
DEADLINE_S = 900


def cpio(files):
    """An archive of {path: (mode, content)}, as the kernel unpacks it as its root file system."""
    data = bytearray()
    folders = sorted({str(parent) for path in files for parent in pathlib.PurePosixPath(path).parents} - {"."})
    entries = {**{path: (0o040755, b"") for path in folders}, **files, "TRAILER!!!": (0, b"")}
    for number, (path, (mode, content)) in enumerate(entries.items(), 1):
        name = path.encode() + b"\0"
        numbers = (number, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name), 0)
        data += b"070701" + b"".join(b"%08X" % number for number in numbers) + name
        data += bytes(-len(data) % 4) + content
        data += bytes(-len(data) % 4)
    return data


def root_files(kernel, programs):
    """The root file system. @programs: {name: path} of jankd and jank-phone."""
    busybox = unpacked("bookworm", kernel.architecture, "busybox-static") / "bin" / "busybox"
    scripts = {f"device/bin/{name}": text.replace("#!/bin/sh\n", "#!/bin/sh\nPATH=$PATH:/bin\n").encode()
               for name, text in (("atrace", ATRACE), ("getprop", GETPROP), ("setprop", SETPROP), ("dumpsys", DUMPSYS))}
    scripts |= {"init" if path.name == "init" else f"test/{path.name}": path.read_bytes() for path in SCRIPTS.iterdir()}
    scripts |= {f"device/{name}": path.read_bytes() for name, path in programs.items()} | {"bin/busybox": busybox.read_bytes()}
    others = {
        # Two users with the number of Android's shell, and two of Android's groups.
        "etc/passwd": b"root:x:0:0::/:/bin/sh\nshell:x:2000:2000::/:/bin/sh\nreader:x:2000:2000::/:/bin/sh\n",
        "etc/group": b"root:x:0:\nshell:x:2000:\nreadtracefs:x:3012:reader\nsdcard_rw:x:1015:shell,reader\n"}
    for number, path in enumerate(filter(None, map(kernel.module, MODULES))):
        data = path.read_bytes()
        others[f"modules/{number}-{path.name.removesuffix('.xz')}"] = lzma.decompress(data) if path.suffix == ".xz" else data
    return cpio({**{path: (0o040755, b"") for path in ("proc", "sys", "dev", "data", "out", "sdcard")},
                 **{path: (0o100755, content) for path, content in scripts.items()},
                 **{path: (0o100644, content) for path, content in others.items()}, "bin/sh": (0o120777, b"busybox")})


class Guest:
    """A machine that can be booted several times, and no other one meanwhile: what is seen in it depends on time. @here: a folder for its files."""

    def __init__(self, kernel, programs, here):
        self.kernel, self.here = kernel, here
        self.qemu, self.cpu = MACHINES[kernel.architecture]
        needs(self.qemu)
        self.lock = (OUT / ".boot").open("w", encoding="ascii")
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        self.root = here / "root.cpio"
        self.root.write_bytes(root_files(kernel, programs))

    def command(self, words, disks):
        # The guest's clock runs on while others have the CPU: with root's rights it goes first. Where the kernel groups threads by session,
        # as meson gives one to each test, a thread's priority counts in its group only, and the group has one.
        if os.getsid(0) == os.getpid():
            with contextlib.suppress(OSError):
                pathlib.Path("/proc/self/autogroup").write_text("-10", encoding="ascii")
        command = [
            "nice", "-n", "-5", self.qemu, "-M", "virt", "-cpu", self.cpu, "-smp", "2", "-m", "512", "-accel", "tcg,thread=multi",
            "-nodefaults", "-nic", "none", "-display", "none", "-monitor", "none", "-serial", "stdio", "-no-reboot",
            "-kernel", self.kernel.image, "-initrd", self.root,
            "-append", f"console=ttyAMA0 quiet loglevel=1 panic=-1 rdinit=/init {words}"]
        for name, path in disks.items():
            command += ["-drive", f"if=none,id={name},file={path},format=raw,cache=unsafe", "-device", f"virtio-blk-device,drive={name},serial={name}"]
        return command

    def boot(self, checks, scripts, out, card, cut_at=None, **variables):
        """Runs these guest/*.sh and unpacks what they left in /out into the folder @out. @card: an image. @cut_at: text; the
        power is cut when it is printed, and nothing is unpacked. @variables: of the scripts. Returns what was printed."""
        image = self.here / "out.img"
        with image.open("wb") as file:
            file.truncate(OUT_SIZE)
        said = []
        begin = time.monotonic()
        words = " ".join(f"{name}={value}" for name, value in {"scripts": ",".join(scripts), **variables}.items())
        with subprocess.Popen(self.command(words, {"out": image, "card": card}), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace") as machine:
            timer = threading.Timer(DEADLINE_S, machine.kill)
            timer.start()
            for line in machine.stdout:
                said.append(line.rstrip())
                print(f"{time.monotonic() - begin:5.0f} s: {line.rstrip()}", flush=True)
                if cut_at and cut_at in line:
                    machine.kill()
            machine.wait()
            timer.cancel()
        for until in [cut_at] if cut_at else [f"guest: {script} has ended: 0" for script in scripts]:
            if not checks.that(any(until in line for line in said), f"not '{until}' within {DEADLINE_S} s: {said[-20:]}"):
                checks.end()
        if out:
            with tarfile.open(image) as archive:
                archive.extractall(out, **SAFELY)
        return said
