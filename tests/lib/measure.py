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
        subprocess.run([str(word) for word in command], check=True, stdout=output,
                       stderr=subprocess.DEVNULL)
    wall = time.monotonic() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, cpu


def interleaved(commands, rounds):
    """For each name the (wall, CPU) of each round. Every round runs all commands, so that a change in
    the load of the machine affects all alike."""
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


def memory_kb(pid, what="VmHWM"):
    """Peak memory of a running process in KB; 0 if it has ended."""
    try:
        found = re.search(rf"{what}:\s+(\d+) kB", pathlib.Path(f"/proc/{pid}/status").read_text())
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return int(found.group(1)) if found else 0


def resident_kb(pid):
    """Current memory of a running process in KB; 0 if it has ended."""
    return memory_kb(pid, "VmRSS")


def peak_kb(command):
    """Peak memory of a command in KB, sampled every 2 ms."""
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    peak = 0
    while process.poll() is None:
        peak = max(peak, memory_kb(process.pid))
        time.sleep(0.002)
    return peak


def switches(pid):
    """Voluntary context switches of all threads of a process: its wakeups."""
    return sum(int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", (task / "status").read_text(), re.M).group(1))
               for task in pathlib.Path(f"/proc/{pid}/task").iterdir())


def waited_s(pid):
    """Seconds for which the threads of a process were ready and got no CPU."""
    return sum(int((task / "schedstat").read_text().split()[1]) for task in pathlib.Path(f"/proc/{pid}/task").iterdir()) / 1e9


def cpu_seconds(pid):
    """CPU time of all threads of a running process."""
    return sum(int((task / "schedstat").read_text().split()[0]) for task in pathlib.Path(f"/proc/{pid}/task").iterdir()) / 1e9


def machine():
    """One line about this machine."""
    cpuinfo = pathlib.Path("/proc/cpuinfo")  # /proc may be missing
    model = re.search(r"model name\s*: (.+)", cpuinfo.read_text()) if cpuinfo.exists() else None
    kernel = os.uname().release.split("-")[0]
    return f"{os.cpu_count()} CPUs, {model.group(1) if model else os.uname().machine}, Linux {kernel}"
