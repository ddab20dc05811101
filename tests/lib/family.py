# SPDX-License-Identifier: Apache-2.0
"""CPU time, wakeups and memory of running processes and all their children."""

import os
import pathlib
import re

from measure import memory_kb

TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")


def words(path):
    """The text of a file of /proc; empty if its process has ended."""
    try:
        return pathlib.Path(path).read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def tasks(pid):
    try:
        return os.listdir(f"/proc/{pid}/task")
    except FileNotFoundError:
        return []


def family(pids):
    """These processes and all their descendants."""
    found, waiting = [], list(pids)
    while waiting:
        pid = waiting.pop()
        found.append(pid)
        for task in tasks(pid):
            waiting += map(int, words(f"/proc/{pid}/task/{task}/children").split())
    return found


def ended_ns(pid):
    """CPU time of children that have ended; the kernel counts it in ticks only."""
    fields = words(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return (int(fields[13]) + int(fields[14])) * TICK_NS if fields else 0


def task_slept(pid, task):
    """Voluntary context switches of a thread."""
    found = re.search(r"^voluntary_ctxt_switches:\s+(\d+)", words(f"/proc/{pid}/task/{task}/status"), re.M)
    return int(found.group(1)) if found else 0


def cost(pids):
    """(CPU nanoseconds, user and system; voluntary context switches)."""
    cpu = slept = 0
    for pid in family(pids):
        cpu += ended_ns(pid)
        for task in tasks(pid):
            cpu += int((words(f"/proc/{pid}/task/{task}/schedstat").split() or [0])[0])
            slept += task_slept(pid, task)
    return cpu, slept


def peak_kb(pids):
    """The sum of their peak memory in KB."""
    return sum(memory_kb(pid) for pid in family(pids))
