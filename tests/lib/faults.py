# SPDX-License-Identifier: Apache-2.0
"""Call sites of jankd at which one call can fail, see faults.c."""

import collections
import errno
import mmap
import os
import re
import struct
import subprocess
import zlib

from jankd import BUILD, JANKD

LIBRARY = BUILD / "tests" / "live" / "libfaults.so"
HEADER, SITE = struct.Struct("=QIIiIiIQ24x"), struct.Struct("=Q24s8I")
SITES = 4096
NUMBERS = {"SHORT": -1, "KILL": -2}
PHASES = START, CAPTURE, REQUESTS, STOP = range(4)

Site = collections.namedtuple("Site", "key function address calls")  # calls: of each phase
# The @nth call at a site in @phase, and how it fails.
Case = collections.namedtuple("Case", "scenario key name phase nth error")

# How the calls of a function fail.
ERRNOS = {function: errors.split() for functions, errors in {
    "access close closedir faccessat fchmod fclose fstat fstatvfs fsync ioctl lseek readdir statfs sync_file_range unlink": "EIO",
    "bind calloc fdopendir getsockopt listen malloc mmap open_memstream realloc scandir setsockopt strdup": "ENOMEM",
    "epoll_create1 eventfd inotify_init1 opendir pipe2 signalfd socket timerfd_create": "EMFILE ENOMEM",
    "fdatasync fflush ftruncate linkat mkdir mkdirat renameat renameat2": "EIO ENOSPC",
    "fstatat readlink readlinkat stat": "ENOMEM EIO", "rmdir unlinkat": "EIO EBUSY", "poll ppoll": "EINTR ENOMEM",
    "epoll_wait nanosleep": "EINTR", "fork posix_spawnp pthread_create": "EAGAIN", "epoll_ctl inotify_add_watch": "ENOMEM ENOSPC",
    "fopen open": "EIO EMFILE ENOMEM", "openat mkostemp": "EIO EMFILE ENOMEM ENOSPC", "pread read splice": "EIO EINTR EAGAIN SHORT",
    "pwrite write": "EIO ENOSPC EAGAIN SHORT", "send": "EPIPE EAGAIN SHORT", "sendto": "EPIPE EAGAIN",
    "recv": "EIO EINTR EAGAIN ECONNRESET SHORT", "accept4": "EMFILE ENOMEM EINTR EAGAIN ECONNABORTED", "connect": "EINTR EAGAIN",
    "dup2 setmntent": "EMFILE", "fcntl": "ENOMEM", "flock": "ENOLCK", "kill": "EPERM", "timerfd_settime": "EINVAL",
    "waitpid": "EINTR ECHILD"}.items() for function in functions.split()}
# Reads of the trace, which fail for good, too: "EIO*".
ALWAYS = ("read in read_page", "read in pipe_bytes", "pread in read_stats")
KILLED = "fdatasync fsync ftruncate linkat mkdir mkdirat pwrite renameat renameat2 sync_file_range unlink unlinkat write".split()


class Faults:
    """What the library and the test share. @case: None: no call fails."""

    def __init__(self, path, case):
        self.path = path
        number = NUMBERS.get(case.error) or getattr(errno, case.error.rstrip("*")) if case else 0
        path.write_bytes(HEADER.pack(*(case.key, case.phase, case.nth, number) if case else (0, 0, 0, 0), START, 0, bool(case) and case.error.endswith("*"), 0))
        os.truncate(path, HEADER.size + SITES * SITE.size)
        with open(path, "r+b") as file:
            self.map = mmap.mmap(file.fileno(), 0)

    def preload(self):
        """Variables beside FAULTS, the path of the file."""
        return {"LD_PRELOAD": str(LIBRARY)}

    def set_phase(self, number):
        struct.pack_into("=I", self.map, 20, number)

    def fired(self):
        """When the call failed, in seconds of CLOCK_BOOTTIME, and in which process; (0, 0) if it was not called."""
        *_, pid, _, time_ns = HEADER.unpack_from(self.map)
        return time_ns / 1e9, pid

    def sites(self, by_libraries=False):
        """The sites that were called. @by_libraries: those at address 0, too, which do not fail."""
        all_sites = (SITE.unpack_from(self.map, HEADER.size + i * SITE.size) for i in range(SITES))
        return [Site(key, re.sub(r"^__|64(?=_|$)|_chk$|_2$", "", name.rstrip(b"\0").decode()), key & (1 << 48) - 1, calls)
                for key, name, *calls in all_sites if by_libraries and key or key & (1 << 48) - 1]


def describe(case):
    phase = ("start", "capture", "requests", "stop")[case.phase]
    return f"{case.name}, call {case.nth} of {phase}, {case.scenario.name}: {case.error}"


def names(sites):
    """{key: 'read in read_page'}; sites of one function in the order of their lines have numbers."""
    addresses = [f"{site.address - 1:x}" for site in sites]
    lines = subprocess.run(["addr2line", "-f", "-e", JANKD], input="\n".join(addresses), capture_output=True, text=True, check=True).stdout.split("\n")
    found = collections.defaultdict(list)
    for i, site in enumerate(sites):
        line = re.search(r":(\d+)", lines[2 * i + 1])
        found[f"{site.function} in {lines[2 * i].split('.')[0]}"].append((int(line[1]) if line else 0, site.key))
    return {key: name if len(group) == 1 else f"{name} {number}" for name, group in found.items() for number, (_, key) in enumerate(sorted(set(group)), 1)}


def all_cases(recorded):
    """The first call at each site in each phase, and one in the middle, fail with each errno. @recorded: {scenario: sites}"""
    name = names([site for sites in recorded.values() for site in sites])
    return [Case(scenario, site.key, name[site.key], phase, nth, error)
            for scenario, sites in recorded.items() for site in sites for phase, calls in enumerate(site.calls) if calls
            for error in ERRNOS[site.function] + ["KILL"] * (site.function in KILLED) + ["EIO*"] * name[site.key].startswith(ALWAYS)
            + ["ENODEV*"] * (phase == REQUESTS and name[site.key].startswith("read in read_page"))
            for nth in ([1, calls // 2] if calls >= 6 else [1])]


def one_of_each_site(cases):
    """The same one each time."""
    sites = collections.defaultdict(list)
    for case in cases:
        sites[case.name].append(case)
    return ([each[zlib.crc32(name.encode()) % len(each)] for name, each in sites.items()]
            + [case for case in cases if case.error.endswith("*") and case.nth == 1])
