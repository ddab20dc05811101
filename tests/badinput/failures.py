#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Failures: exit code 1 and one line 'jankd: what: why; what to do'."""

import bz2
import fcntl
import gzip
import io
import lzma
import os
import pathlib
import re
import resource
import socket
import stat
import subprocess
import sys
import tarfile
import time
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import packets
import synthetic
from jankd import JANKD, TRACES, Checks, differences, folder, jankd, outputs, rows, trace_text, unpacks
from lines import Line, lines, text
from mounts import pinned

REAL = ("android-4.1-launcher", "android-7-launcher", "android-9-flutter")

MESSAGE = re.compile(r"jankd: [^:\n]+: .+; .+\Z")


def fails(checks, what, done, *words):
    """@done failed with one line of the right format that contains @words."""
    said = done.stderr.decode(errors="replace")
    lines = [line for line in said.splitlines() if line.startswith("jankd: ")]
    checks.equal(done.returncode, 1, f"{what}: exit code ({said.strip()})")
    checks.that(len(lines) == 1 and MESSAGE.match(lines[0]),
                f"{what}: not one line 'jankd: what: why; what to do': {said!r}")
    for word in words:
        checks.that(word in said, f"{what}: '{word}' is not in {said!r}")


def as_other_user():
    """For a child process: changes its user, since root can read all files."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)


def files(checks, here):
    fails(checks, "no such file", jankd("analyze", "-F", here / "a", here / "none"), "none")
    fails(checks, "a folder", jankd("analyze", "-F", here / "b", here), "directory")
    (here / "empty").write_bytes(b"")
    fails(checks, "an empty file", jankd("analyze", "-F", here / "c", here / "empty"), "marker",
          "empty")
    (here / "prose").write_bytes(b"It was a dark and stormy night.\n" * 1000)
    fails(checks, "a file without a marker", jankd("analyze", "-F", here / "d", here / "prose"),
          "marker")
    (here / "noise").write_bytes(bytes(range(256)) * 4000)
    fails(checks, "noise", jankd("analyze", "-F", here / "e", here / "noise"), "marker")
    (here / "empty.gz").write_bytes(gzip.compress(b""))
    fails(checks, "empty gzip", jankd("analyze", "-F", here / "f", here / "empty.gz"), "marker")
    (here / "broken.gz").write_bytes(b"\x1f\x8b\x08\x00" + bytes(range(255)))
    fails(checks, "broken gzip", jankd("analyze", "-F", here / "g", here / "broken.gz"))
    checks.equal([name for name in "abcdefg" if (here / name).exists()], [], "folders of files without a marker")


def by_cpu(parts):
    """The lines sorted by CPU, as from cat per_cpu/cpu*/trace."""
    cpus = sorted({line.cpu for line in parts if line.cpu is not None})
    return b"".join(line.text for cpu in cpus for line in parts if line.cpu == cpu)


def outputs_of(out):
    return {path.name: path.read_bytes() for path in out.glob("[!.]*")}


def on_cpus(data):
    """The same trace, with its frames on three CPUs in turn."""
    parts = lines(data)
    return [Line(line.text.replace(b"[000]", b"[%03d]" % (line.us // 16667 % 3))) for line in parts]


def sorted_by_cpu(checks, here):
    """Such a trace is refused, as a file or from a pipe, and the folder is not changed. A trace whose clock goes
    back is accepted."""
    for seconds in (1, 5, 300):
        parts = on_cpus(synthetic.trace(60 * seconds))
        (here / "trace").write_bytes(by_cpu(parts))
        whole = text(parts)
        for into in ("new", "old"):
            out = here / f"{into}-{seconds}"
            if into == "old":
                jankd("analyze", "--frames-log", "-F", out, "-", input=whole)
                jankd("analyze", "--frames-log", "-F", out, "-", input=whole)
            before = outputs_of(out)
            for arguments, keywords in (((here / "trace",), {}), (("-",), {"input": (here / "trace").read_bytes()})):
                done = jankd("analyze", "--frames-log", "--rotate-size", "4K", "--keep", "1", "--snapshot", "20",
                             "-F", out, *arguments, **keywords)
                fails(checks, f"{seconds} s sorted by CPU, {into} folder", done, "sorted by CPU", "sort -s")
                checks.equal(done.stdout, b"", f"{seconds} s sorted by CPU: standard output")
                after = outputs_of(out)
                checks.that(before == after, f"{seconds} s sorted by CPU, {into} folder: {sorted(after)}")
            checks.equal(out.exists(), into == "old", f"{seconds} s sorted by CPU: folder")
        for split, back in ((30, 300000), (30, 3000000), (600, 500000)):
            cut = len(parts) // 2 // split * split
            stepped = text(parts[:cut] + [line.moved(-back) for line in parts[cut:]])
            done = jankd("analyze", "-F", here / "stepped", "-", input=stepped)
            checks.equal(done.returncode, 0, f"a clock that goes back by {back} us: {done.stderr!r}")


def buffers_that_ran_over(checks, here):
    """Sorted by CPU, with overflowed buffers: their lines begin later; and with threads that never change the CPU."""
    parts = on_cpus(synthetic.trace(600))
    begin = parts[0].us
    for first in ((9, 2, 0), (8.5, 5, 2), (0, 9.5, 0), (9, 0, 9.5)):
        kept = [line for line in parts if line.us >= begin + first[line.cpu] * 1000000]
        done = jankd("analyze", "-F", here / "over", "-", input=by_cpu(kept))
        fails(checks, f"sorted by CPU, from {first} s on", done, "sorted by CPU")
    threads = {b"VSYNC": b"[004]", b"Binder": b"[002]"}
    moved = []
    for line in parts:
        cpu = next((cpu for word, cpu in threads.items() if word in line.text),
                   b"[001]" if line.us < begin + 4000000 else b"[003]")
        moved.append(Line(line.text.replace(b"[%03d]" % line.cpu, cpu)))
    done = jankd("analyze", "-F", here / "stay", "-", input=by_cpu(moved))
    fails(checks, "sorted by CPU, one thread on each", done, "sorted by CPU")


def sorting_helps(checks, here):
    """The command in the message gives a trace that can be counted."""
    there = [name for name in REAL if (TRACES / name).is_dir()]
    for name in set(REAL) - set(there):
        checks.cannot_judge(f"{name} sorted by CPU", "there is no such recorded trace")
    for name, data in (("synthetic", text(on_cpus(synthetic.trace(300)))), *((n, trace_text(n)) for n in there)):
        (here / "trace").write_bytes(by_cpu(lines(data)))
        done = jankd("analyze", "-F", here / "out", here / "trace")
        fails(checks, f"{name} sorted by CPU", done, "sorted by CPU")
        arguments = re.search(r"sort -s -t\] (-k[\d.]+n) \((-k[\d.]+n) ", done.stderr.decode()).groups()
        flags = not re.search(rb"\[\d+\] +\d", data)
        again = subprocess.run(["sort", "-s", "-t]", arguments[not flags], here / "trace"], capture_output=True).stdout
        for text_of, into in ((data, "whole"), (again, "again")):
            done = jankd("analyze", "--frames-log", "-F", here / name / into, "-", input=text_of)
            checks.equal(done.returncode, 0, f"{name}, {into}: {done.stderr!r}")
        expected, got = (len(rows(here / name / into, "frames.csv")) for into in ("whole", "again"))
        checks.that(expected > 30 and abs(got - expected) <= 1, f"{name} sorted by time: {got} frames of {expected}")


def one_of_several(checks, here):
    """If one of several files is bad, it is reported and the others are counted."""
    (here / "good").write_bytes(synthetic.trace())
    (here / "empty").write_bytes(b"")
    for bad, word in (("empty", "marker"), ("none", "No such file")):
        for files in ((bad, "good"), ("good", bad)):
            out = here / "-".join(files)
            done = jankd("analyze", "-F", out, *(here / name for name in files))
            fails(checks, f"{files}", done, bad, word)
            checks.equal(len(rows(out / "good", "fps.csv")), 4, f"{files}: rows of the good one")
            checks.that(b"com.example" in done.stdout, f"{files}: no table of the good one")
    checks.that(not (here / "good-none" / "none").exists(), "a missing file: a folder was made")


def unreadable(checks, here):
    secret, home, closed = here / "secret.txt", here / "home", here / "closed"
    secret.write_bytes(synthetic.trace())
    secret.chmod(0)
    home.mkdir()
    home.chmod(0o777)
    closed.mkdir()
    closed.chmod(0o555)
    here.chmod(0o755)
    try:
        subprocess.run([JANKD, "--version"], preexec_fn=as_other_user, cwd="/", capture_output=True)
    except PermissionError:
        checks.cannot_judge("files without a right to read", "another user cannot reach the program here")
        return
    done = jankd("analyze", "-F", home / "out", secret, preexec_fn=as_other_user)
    fails(checks, "no right to read the file", done, "secret.txt", "ermission")
    done = jankd("analyze", "-F", closed / "out", "-", input=synthetic.trace(), preexec_fn=as_other_user)
    fails(checks, "no right to write the folder", done, "ermission")
    done = jankd("run", "--no-atrace", "--duration", "1", "-F", home / "live", preexec_fn=as_other_user)
    fails(checks, "no right to read the trace", done)


def few_files(checks, here):
    """If the limit of open files is too low, the message says so."""
    def few(files):
        return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))

    for command in ("run", "start"):
        for files in (6, 10, 14, 20, 26):
            out = here / f"{command}-{files}"
            done = jankd(command, "--no-atrace", "--duration", "1", "--tracefs", here, "-F", out, preexec_fn=few(files))
            fails(checks, f"{command}, {files} files", done, f"{files} open files", "ulimit -n")
            checks.that(not out.exists(), f"{command}, {files} files: a folder was made")
    (here / "trace").write_bytes(synthetic.trace())
    for files in range(4, 10):
        done = jankd("analyze", "-F", here / f"analyze-{files}", here / "trace", preexec_fn=few(files))
        fails(checks, f"analyze, {files} files", done, "Too many open files", "ulimit -n")
        checks.that(re.search(rb": Too many open files; [^;]*ulimit -n", done.stderr), f"analyze, {files} files: {done.stderr}")
    # A soft limit is raised.
    done = jankd("run", "--no-atrace", "--duration", "1", "--tracefs", here, "-F", here / "soft",
                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (10, 4096)))
    fails(checks, "soft limit", done, "no tracefs")


def socket_at(path):
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))


def lock_has_another_name(checks, here):
    """If .lock is a hard link to another file, that file is not changed."""
    (here / "out").mkdir()
    (here / "victim").write_bytes(b"mine")
    (here / "victim").chmod(0o644)
    os.link(here / "victim", here / "out" / ".lock")
    done = jankd("analyze", "-F", here / "out", "-", input=synthetic.trace())
    checks.equal((done.returncode, done.stderr), (0, b""), "a hard link for .lock")
    checks.equal(((here / "victim").read_bytes(), (here / "victim").stat().st_mode & 0o777), (b"mine", 0o644),
                 "a hard link for .lock: the other file")
    checks.that((here / "out" / ".lock").read_text().strip().isdigit(), "a hard link for .lock: no new lock file")


def lock_is_held(checks, here):
    """If a program other than jankd holds the lock, the message says so."""
    (here / "out").mkdir()
    with open(here / "out" / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = jankd("analyze", "-F", here / "out", "-", input=synthetic.trace())
        stopped = jankd("stop", "-F", here / "out")
    for what, done in (("analyze", done), ("stop", stopped)):
        fails(checks, f"another program holds .lock, {what}", done, ".lock: it is locked by another program")


def contents(out):
    return {path.name: path.read_bytes() for path in out.glob("[!.]*")}


def cannot_be_kept(checks, here):
    """If one file of the previous session cannot be renamed, all files keep their names."""
    out = here / "out"
    jankd("analyze", "--frames-log", "-F", out, "-", input=synthetic.trace())
    before = contents(out)
    with pinned(out / "frames.csv") as is_pinned:
        if not is_pinned:
            checks.cannot_judge("a file that cannot be renamed", "nothing can be mounted here")
            return
        done = jankd("analyze", "--frames-log", "-F", out, "-", input=synthetic.trace())
        fails(checks, "a file that cannot be kept", done, "out/frames.csv: ", "cannot be renamed")
        checks.equal(sorted(contents(out)), sorted(before), "a file that cannot be kept: the others")


def number_runs_over(checks, here):
    """A file with the highest possible number: numbering does not continue after it, and a refused trace changes no
    file."""
    out = here / "out"
    jankd("analyze", "-F", out, "-", input=synthetic.trace())
    (out / f"fps-{2**64 - 1}.csv").write_bytes(b"mine")
    before = contents(out)
    fails(checks, "the highest number", jankd("analyze", "-F", out, "-", input=synthetic.trace().replace(b"mark_write", b"x")),
          "no markers")
    checks.equal(contents(out), before, "the highest number: files")
    jankd("analyze", "-F", out, "-", input=synthetic.trace())
    checks.that((out / "fps-000001.csv").exists(), f"the highest number: {sorted(contents(out))}")


def folder_for_a_temporary(checks, here):
    (here / "out" / ".summary.csv.tmp" / "x").mkdir(parents=True)
    done = jankd("analyze", "-F", here / "out", "-", input=synthetic.trace())
    fails(checks, "a folder for .summary.csv.tmp", done, "summary.csv in ", ".tmp", "remove it or name")


def huge_journal(checks, here):
    (here / "out").mkdir()
    with open(here / "out" / ".journal", "wb") as journal:
        journal.truncate(1 << 34)
    done = jankd("stop", "-F", here / "out", timeout=30)
    fails(checks, "a huge journal", done, ".journal: ", "File too large")


def not_a_file(checks, here):
    """If .lock is not a regular file, the message says what it is."""
    for what, make, why in (("link", lambda path: path.symlink_to("/dev/null"), "it is a symbolic link"),
                            ("folder", pathlib.Path.mkdir, "Is a directory"), ("fifo", os.mkfifo, "not a regular file"),
                            ("socket", socket_at, "not a regular file")):
        out = here / what
        out.mkdir()
        make(out / ".lock")
        done = jankd("analyze", "-F", out, "-", input=synthetic.trace())
        fails(checks, f"a {what} for .lock", done, f"{what}/.lock: ", why, "remove it or name")
        done = jankd("status", "-F", out)
        fails(checks, f"status, a {what} for .lock", done, f"{what}/.lock: ", why)


def no_surfaceflinger(checks, here):
    done = jankd("analyze", "-F", here / "out", "-", input=synthetic.without_presents())
    fails(checks, "no SurfaceFlinger", done, "SurfaceFlinger")
    checks.that((here / "out" / "events.csv").exists(), "no SurfaceFlinger: no events.csv")


def no_tracefs(checks, here):
    done = jankd("run", "--tracefs", here, "--no-atrace", "--duration", "1", "-F", here / "out")
    fails(checks, "a folder that is no tracefs", done, str(here))
    done = jankd("run", "--tracefs", here / "none", "--no-atrace", "--duration", "1", "-F",
                 here / "out")
    fails(checks, "no such tracefs", done, "none")
    checks.that(not (here / "out").exists(), "no such tracefs: the folder was created")
    (here / "old").mkdir()
    for out in (here / "new" / "folder", here / "old"):
        done = jankd("start", "--tracefs", here / "none", "--no-atrace", "-F", out)
        fails(checks, "no such tracefs, start", done, "none")
    checks.equal(sorted(path.name for path in here.rglob("*")), ["old"], "no such tracefs: files after a start")


def other_files(checks, here):
    """A file that is not a trace is refused with a message that says what it is, and earlier results stay."""
    trace = synthetic.trace()
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("trace.txt", trace)
    tape = io.BytesIO()
    with tarfile.open(fileobj=tape, mode="w") as file:
        file.addfile(tarfile.TarInfo("empty"))
    out = here / "out"
    jankd("analyze", "-F", out, "-", input=trace)
    before = {path.name: path.read_bytes() for path in out.glob("[!.]*")}
    packed = ((lzma.compress(trace), "xz -d"), (bz2.compress(trace), "bzip2 -d"),
              (b"\x28\xb5\x2f\xfd" + bytes(range(100)), "zstd -d"), (archive.getvalue(), "zip"))
    if unpacks():  # packed twice, they are refused as by a build without libarchive
        packed = tuple((gzip.compress(content), word) for content, word in packed)
    for content, word in (*packed, (tape.getvalue(), "tar"), (gzip.compress(tape.getvalue()), "tar"),
                          (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "PNG"), (b"\xff\xd8\xff\xe0" + bytes(99), "JPEG"),
                          (trace.decode("latin-1").encode("utf-16"), "UTF-16"), (before["fps.csv"], "CSV"),
                          (before["events.csv"], "CSV"), (before["session.json"], "session.json"), (b"", "empty")):
        (here / "file").write_bytes(content)
        fails(checks, f"a file of another kind, {word}", jankd("analyze", "-F", out, here / "file"), "no trace", word)
        fails(checks, f"standard input of another kind, {word}", jankd("analyze", "-F", out, "-", input=content), word)
        after = {path.name: path.read_bytes() for path in out.glob("[!.]*")}
        checks.equal(sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name)), [],
                     f"a file of another kind, {word}: earlier files")


def perfetto(checks, here):
    """One without markers; and one that is too large for standard input, but not as a file."""
    nothing = b"\x0a\x04\x40\x01\x50\x02" * 200
    fails(checks, "perfetto file without markers", jankd("analyze", "-F", here / "p", "-", input=nothing), "no markers")
    large = b"\x0a\x80\x80\x40\x0a\xfc\xff\x3f" + bytes(0xffffc)  # a packet of 1 MB
    done = jankd("analyze", "-F", here / "p", "-", input=large * 65)
    fails(checks, "perfetto trace of 65 MB in a pipe", done, "64 MB", "plain file")
    (here / "large").write_bytes(large * 65)
    fails(checks, "perfetto trace of 65 MB in a file", jankd("analyze", "-F", here / "p", here / "large"), "no markers")
    done = jankd("analyze", "-F", here / "t", "-", input=packets.timeline_frames(5))
    checks.equal((done.returncode, len(rows(here / "t", "frametimeline.csv"))), (0, 10), "FrameTimeline alone: exit code, rows")
    checks.that(b"no SurfaceFlinger presents" in done.stderr and b"10 frames of FrameTimeline" in done.stderr,
                f"FrameTimeline alone: {done.stderr}")


def rule_files(checks, here):
    default = jankd("rules", "show", "default").stdout
    checks.that(default, "rules show default: nothing")
    bad = here / "bad.rules"
    bad.write_bytes(default + b"\nfrobnicate \"x\"\n")
    line = default.count(b"\n") + 2
    place = re.compile(rf"{re.escape(str(bad))}:{line}:\d+: .+")
    for what, done in (
            ("rules check", jankd("rules", "check", bad)),
            ("--rules", jankd("analyze", "-F", here / "out", "--rules", bad, "-",
                              input=synthetic.trace()))):
        said = done.stderr.decode(errors="replace")
        fails(checks, f"{what} with a bad file", done)
        checks.that(place.search(said), f"{what}: no 'file:{line}:column: message': {said!r}")
    done = jankd("rules", "check", "default", cwd=here)
    fails(checks, "rules check of a built-in name", done, "default")
    checks.that("built-in" not in done.stderr.decode(), "rules check: advises a built-in set")
    fails(checks, "no such rules", jankd("analyze", "-F", here / "out", "--rules", here / "none", "-",
                                         input=synthetic.trace()), "none", "built-in")
    (here / "good.rules").write_bytes(default)
    checks.equal(jankd("rules", "check", here / "good.rules").returncode, 0, "a copy of the default")


def second_daemon(checks, here):
    """While a first jankd waits for its input and holds the folder."""
    out = here / "out"
    first = subprocess.Popen([JANKD, "analyze", "-F", out, "-"], stdin=subprocess.PIPE,
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 20
    while not (out / "events.csv").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    done = jankd("analyze", "-F", out, "-", input=synthetic.trace())
    fails(checks, "a second jankd on the folder", done, str(out))
    first.communicate(synthetic.trace())
    checks.equal(first.returncode, 0, "the first jankd is not disturbed")


def folders(checks, here):
    (here / "file").write_bytes(b"mine")
    done = jankd("analyze", "-F", here / "file", "-", input=synthetic.trace())
    fails(checks, "a file where the folder should be", done, "file")
    checks.equal((here / "file").read_bytes(), b"mine", "the file that is in the way")
    (here / "out").mkdir()
    (here / "out" / "keep.txt").write_bytes(b"mine")
    for _ in range(3):
        jankd("analyze", "-F", here / "out", "-", input=synthetic.trace())
    names = sorted(p.name for p in (here / "out").iterdir())
    checks.equal([n for n in names if n.startswith("fps")],
                 ["fps-000001.csv", "fps-000002.csv", "fps.csv"], "earlier results are kept")
    checks.equal((here / "out" / "keep.txt").read_bytes(), b"mine", "a file that is not ours")


def refused_before_the_folder(checks, here):
    """Wrong usage changes no earlier file."""
    trace = synthetic.trace()
    out = here / "out"
    for _ in range(4):
        jankd("analyze", "-F", out, "-", input=trace)
    before = {path.name: path.read_bytes() for path in out.glob("[!.]*")}
    checks.equal(sum(name.startswith("fps-") for name in before), 3, "segments of before")
    for command in ("start", "run", "analyze"):
        for option in (("--trigger", "fps<30"), ("--snapshot", "100"), ("--include", "com.x*"), ("--exclude", "com.x*")):
            done = jankd(command, "--rules", "gfx2019", *option, "--keep", "1", "-F", out,
                         *(["-"] if command == "analyze" else ["--tracefs", here]), input=trace, timeout=30)
            checks.equal((done.returncode, b"gfx2019" in done.stderr), (2, True), f"{command} gfx2019 {option}: {done.stderr!r}")
    after = {path.name: path.read_bytes() for path in out.glob("[!.]*")}
    checks.equal(sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name)), [],
                 "wrong usage: earlier files")


def fifos(checks, here):
    """Pipes in the folder, in place of temporary files: jankd does not wait for them."""
    trace = synthetic.trace()
    (here / "whole").mkdir()
    jankd("analyze", "-F", here / "whole", "-", input=trace)
    out = here / "out"
    out.mkdir()
    for name in (".summary.csv.tmp", ".session.json.tmp", "..journal.tmp", ".nameless.tmp"):
        os.mkfifo(out / name)
    done = jankd("analyze", "-F", out, "-", input=trace, timeout=30)
    checks.equal(done.returncode, 0, f"pipes in the folder: {done.stderr!r}")
    checks.equal(differences(outputs(here / "whole"), outputs(out)), [], "pipes in the folder: files")
    (here / "locked").mkdir()
    os.mkfifo(here / "locked" / ".lock")
    fails(checks, "a pipe is the lock", jankd("analyze", "-F", here / "locked", "-", input=trace, timeout=30), "locked")


def named_pipe(checks, here):
    """A named pipe is opened once: the writer would get SIGPIPE after the first reader."""
    os.mkfifo(here / "pipe")
    trace = synthetic.trace()
    jankd("analyze", "-F", here / "whole", "-", input=trace)
    with subprocess.Popen([JANKD, "analyze", "-F", here / "out", here / "pipe"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as reader:
        with open(here / "pipe", "wb") as pipe:
            pipe.write(trace)
        said = reader.communicate(timeout=30)[1]
        checks.equal(reader.returncode, 0, f"a named pipe: {said!r}")
    checks.equal(differences(outputs(here / "whole"), outputs(here / "out")), [], "a named pipe: files")


def no_daemon(checks, here):
    """Requests fail without a capture, whatever the folder contains."""
    (here / "empty").mkdir()
    (here / "stale").mkdir()
    (here / "stale" / ".lock").write_bytes(b"1\njankd-00000000000000000000000000000000\n")
    (here / "noise").mkdir()
    (here / "noise" / ".lock").write_bytes(bytes(range(256)) * 64)
    (here / "fifo").mkdir()
    os.mkfifo(here / "fifo" / ".lock")
    for name in ("none", "empty", "stale", "noise", "fifo"):
        for command in (("stop",), ("status",), ("status", "--json"), ("top",), ("rotate",), ("mark", "x")):
            done = jankd(command[0], "-F", here / name, *command[1:], timeout=20)
            fails(checks, f"{' '.join(command)} without a daemon, {name}", done, str(here / name))
            checks.equal(done.stdout, b"", f"{command[0]} without a daemon, {name}: standard output")
    checks.that(not (here / "none").exists(), "a request without a daemon makes a folder")
    fails(checks, "stop in the default folder", jankd("stop", cwd=here), "fps")


def small_files():
    """For a child process: no file can have more than 2000 bytes, as on a full disk."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))


def no_bytes():
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def full_at_once(checks, here):
    """If not even a header can be written, the earlier files keep their names."""
    out = here / "out"
    jankd("analyze", "-F", out, "-", input=synthetic.trace())
    before = contents(out)
    fails(checks, "no space for a header", jankd("analyze", "-F", out, "-", input=synthetic.trace(), preexec_fn=no_bytes),
          "events.csv")
    checks.equal(sorted(contents(out)), sorted(before), "no space for a header: names")


def full_disk(checks, here):
    done = jankd("analyze", "--frames-log", "-F", here / "out", "-", input=synthetic.trace(3000),
                 preexec_fn=small_files)
    fails(checks, "a full disk", done)
    for path in (here / "out").glob("*.csv"):
        checks.that(path.stat().st_size <= 2000 and stat.S_ISREG(path.stat().st_mode),
                    f"a full disk: {path.name}")


def standard_output(checks, here):
    """Output that cannot be written to standard output is a failure; --stdout does not write a file instead."""
    trace = here / "trace.txt"
    trace.write_bytes(synthetic.trace())
    for arguments in (("--help",), ("--version",), ("run", "--help"), ("rules", "show"),
                      ("rules", "show", "default"), ("analyze", "-F", here / "a", trace), ("files", "-F", here / "a"),
                      ("files", "-F", here / "a", "--read", "fps.csv")):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([JANKD, *arguments], stdout=full, stderr=subprocess.PIPE)
        fails(checks, f"{arguments[0]} onto a full disk", done, "standard output")
    with open("/dev/full", "wb") as full:
        done = subprocess.run([JANKD, "analyze", "--stdout", "-F", here / "b", trace], stdout=full,
                              stderr=subprocess.PIPE)
    fails(checks, "--stdout onto a full disk", done, "standard output", "--stdout")
    checks.that(not (here / "b" / "fps.csv").exists(), "--stdout onto a full disk: an empty fps.csv")


def closed_descriptors(checks, here):
    """Without standard input, output or error, other files get their descriptors: nothing must be printed into
    them."""
    trace = here / "trace.txt"
    trace.write_bytes(synthetic.trace())
    jankd("analyze", "-F", here / "whole", trace)
    for closed in ("0<&-", "1>&-", "2>&-", "0<&- 1>&-", "0<&- 1>&- 2>&-"):
        into = here / f"without {closed}".replace("&", "").replace("<", "").replace(">", "")
        for more in ("", "--stdout"):
            done = subprocess.run(["sh", "-c", f'"$0" "$@" {closed}', JANKD, "analyze", *more.split(),
                                   "-F", into, trace], capture_output=True)
            checks.equal(done.returncode, 0, f"analyze {more} {closed}: exit code")
        checks.equal(differences(outputs(here / "whole"), outputs(into)), [], f"analyze {closed}")
        checks.that((into / ".lock").read_text().strip().isdigit(), f"analyze {closed}: .lock")


checks = Checks()
for case in (files, sorted_by_cpu, buffers_that_ran_over, sorting_helps, one_of_several, unreadable, few_files, not_a_file, lock_has_another_name,
             lock_is_held, cannot_be_kept, number_runs_over, folder_for_a_temporary, huge_journal, no_surfaceflinger, no_tracefs, other_files, perfetto, rule_files,
             second_daemon, folders, full_at_once, full_disk, refused_before_the_folder, fifos, named_pipe, standard_output, closed_descriptors,
             no_daemon):
    with folder() as here:
        case(checks, here)
checks.end()
