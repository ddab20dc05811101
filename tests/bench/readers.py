# SPDX-License-Identifier: Apache-2.0
"""The programs that read an instance of tracefs in the measurements: jankd and others."""

import pathlib
import shutil
import subprocess
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from jankd import JANKD

HERE = pathlib.Path(__file__).parent

CAT = "cat trace_pipe > /dev/null"
AWK = "cat trace_pipe | busybox awk"
TRACE_CMD = "trace-cmd record"
TEXT = "jankd run --source text"
RAW = "jankd run --source raw"
ALL = "jankd run --frames-log -T 2"


def spawn(*command, **keywords):
    keywords.setdefault("stdout", subprocess.DEVNULL)
    keywords.setdefault("stderr", subprocess.DEVNULL)
    keywords.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.Popen([str(word) for word in command], **keywords)


def cat(mount, instance, out):
    return [spawn("cat", instance / "trace_pipe")]


def awk(mount, instance, out):
    """The rows are written to a file, like those of the 2019 program."""
    reader = spawn("cat", instance / "trace_pipe", stdout=subprocess.PIPE)
    with open(out / "fps.csv", "wb") as rows:
        counter = spawn("busybox", "awk", "-f", HERE / "gfx.awk", stdin=reader.stdout, stdout=rows)
    reader.stdout.close()
    return [reader, counter]


# trace-cmd writes ftrace_enabled, a setting of the whole machine that is on already and not writable
# everywhere: it gets a private file in that place.
PRIVATE = """echo 1 > ftrace_enabled
mount --bind ftrace_enabled /proc/sys/kernel/ftrace_enabled
exec trace-cmd "$@" """


def trace_cmd(mount, instance, out):
    """trace-cmd does not start without an event: it gets one that never happens. --no-filter: without it
    trace-cmd crashes on kernels that cannot filter threads."""
    return [spawn("unshare", "-m", "sh", "-c", PRIVATE, "sh", "record", "-B", instance.name,
                  "--no-filter", "-e", "oom:mark_victim", "-o", out / "trace.dat", cwd=out)]


def capture(*options):
    def start(mount, instance, out):
        return [spawn(JANKD, "run", "--tracefs", mount, "--instance", instance.name, "--no-atrace", *options, "-F", out)]
    return start


READERS = {AWK: awk, CAT: cat, TRACE_CMD: trace_cmd, TEXT: capture("--source", "text"),
           RAW: capture("--source", "raw"), ALL: capture("--source", "raw", "--frames-log", "-T", "2")}
JANKDS = (TEXT, RAW, ALL)


def why_not(name):
    """The reason why a reader cannot be measured, or an empty text."""
    if name == AWK and not shutil.which("busybox"):
        return "busybox is missing"
    if name == TRACE_CMD and not shutil.which("trace-cmd"):
        return "trace-cmd is missing"
    return ""


def available(names, notes):
    """Those of @names that can be measured; the reasons for the others are added to @notes."""
    there = []
    for name in names:
        why = why_not(name)
        if why:
            notes.append(f"{name}: not measured, {why}")
        else:
            there.append(name)
    return there
