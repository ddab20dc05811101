# SPDX-License-Identifier: Apache-2.0
"""Reads how much a running program allocates: see count_allocations.c."""

import mmap
import pathlib
import struct

from jankd import BUILD, skip

SHIM = BUILD / "tests" / "live" / "libcount_allocations.so"
CALLERS = 64
LAYOUT = struct.Struct(f"={2 + CALLERS}Q")  # calls, bytes, callers


class Allocations:
    """The counts of one program. @path: the file for them; it is created."""

    def __init__(self, path):
        if not SHIM.exists():
            skip("no library that counts allocations: a libc without __libc_malloc, or a sanitizer")
        path.write_bytes(bytes(LAYOUT.size))
        self.path = path
        self.pid = 0
        with open(path, "r+b") as file:
            self.shared = mmap.mmap(file.fileno(), LAYOUT.size)

    def environment(self):
        """Variables for the program that is to be measured."""
        return {"LD_PRELOAD": str(SHIM), "COUNT_ALLOCATIONS": str(self.path)}

    def now(self):
        """Allocations since the program began."""
        return LAYOUT.unpack(self.shared)[0]

    def since(self, before):
        """(allocations since the count was @before, callers as places in the program's files).
        Only the last CALLERS callers are recorded."""
        now, _, *callers = LAYOUT.unpack(self.shared)
        known = range(max(before, now - CALLERS), now)
        return now - before, sorted({place(self.pid, callers[n % CALLERS]) for n in known})


def place(pid, address):
    """An address of a running program as FILE+0xOFFSET, for addr2line -e FILE."""
    for line in pathlib.Path(f"/proc/{pid}/maps").read_text().splitlines():
        span, _, offset, _, _, *name = line.split(maxsplit=5)
        begin, end = (int(word, 16) for word in span.split("-"))
        if begin <= address < end:
            return f"{name[0] if name else '?'}+{address - begin + int(offset, 16):#x}"
    return f"{address:#x}"
