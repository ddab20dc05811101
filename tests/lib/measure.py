# SPDX-License-Identifier: Apache-2.0
"""Times and tables for the benchmarks."""

import os
import pathlib
import re
import resource
import statistics
import subprocess
import tempfile
import time


def run(command):
    """(wall seconds, CPU seconds) of a command, run to its end."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.monotonic()
    # Into a file: grep detects /dev/null and stops at the first match.
    with tempfile.TemporaryFile() as output:
        subprocess.run([str(word) for word in command], check=True, stdout=output, stderr=subprocess.DEVNULL)
    wall = time.monotonic() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, cpu


def interleaved(commands, rounds):
    """For each name the (wall, CPU) of each round. Every round runs all commands, so that a change in the load of the machine affects all alike."""
    results = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            results[name].append(run(command))
    return results


def median(results, place=0):
    return statistics.median(result[place] for result in results)


def spread(results, place=0):
    values = sorted(result[place] for result in results)
    return f"{values[0]:.3f}–{values[-1]:.3f}"


def words(path):
    """The text of a file of /proc; empty if its process has ended."""
    try:
        return pathlib.Path(path).read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def memory_kb(pid, what="VmHWM"):
    """Peak memory of a running process in KB; 0 if it has ended."""
    found = re.search(rf"{what}:\s+(\d+) kB", words(f"/proc/{pid}/status"))
    return int(found.group(1)) if found else 0


def resident_kb(pid):
    """Current memory of a running process in KB; 0 if it has ended."""
    return memory_kb(pid, "VmRSS")


def threads(pid):
    """The folders of its threads in /proc."""
    try:
        return list(pathlib.Path(f"/proc/{pid}/task").iterdir())
    except FileNotFoundError:
        return []


def switches(pid):
    """Voluntary context switches of all threads of a process: its wakeups."""
    return sum(int(n) for thread in threads(pid) for n in re.findall(r"(?m)^voluntary_ctxt_switches:\s+(\d+)", words(thread / "status")))


def schedstat_s(pid, field):
    return sum(int((words(thread / "schedstat").split() or "00")[field]) for thread in threads(pid)) / 1e9


def cpu_seconds(pid):
    """CPU time of all threads of a running process."""
    return schedstat_s(pid, 0)


def waited_s(pid):
    """Seconds for which the threads of a process were ready and got no CPU."""
    return schedstat_s(pid, 1)


def family(pids):
    """These processes and all their descendants."""
    found, waiting = [], list(pids)
    while waiting:
        found.append(waiting.pop())
        waiting += [int(child) for thread in threads(found[-1]) for child in words(thread / "children").split()]
    return found


def ended_s(pid):
    """CPU time of children that have ended; the kernel counts it in ticks only."""
    fields = words(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK") if fields else 0


def cost(pids):
    """(CPU seconds, user and system; wakeups) of these processes and all their descendants."""
    every = family(pids)
    return sum(cpu_seconds(pid) + ended_s(pid) for pid in every), sum(map(switches, every))


def machine():
    """One line about this machine."""
    cpuinfo = pathlib.Path("/proc/cpuinfo")  # /proc may be missing
    model = re.search(r"model name\s*: (.+)", cpuinfo.read_text()) if cpuinfo.exists() else None
    kernel = os.uname().release.split("-")[0]
    return f"{os.cpu_count()} CPUs, {model.group(1) if model else os.uname().machine}, Linux {kernel}"
