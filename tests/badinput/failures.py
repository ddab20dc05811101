# SPDX-License-Identifier: Apache-2.0
"""Failures: exit code 1 and one line 'jankd: what: why; what to do'. Earlier results stay."""

import bz2, gzip, io, lzma, json, os, re, resource, signal, socket, subprocess, tarfile, time, zipfile
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
import packets
import synthetic
from jankd import JANKD, TRACES, checks, differences, folder, jankd, outputs, rows, trace_text, unpacks
from lines import Line, lines, markers, text
from mounts import pinned

TRACE = synthetic.trace()
MESSAGE = re.compile(r"jankd: [^:\n]+: .+; .+\Z")


def fails(checks, what, done, *words):
    """@done failed with one line of the right format that contains @words."""
    said = done.stderr.decode(errors="replace")
    found = [line for line in said.splitlines() if line.startswith("jankd: ")]
    checks.equal(done.returncode, 1, f"{what}: exit code ({said.strip()})")
    checks.that(len(found) == 1 and MESSAGE.match(found[0]), f"{what}: not one line 'jankd: what: why; what to do': {said!r}")
    checks.equal([word for word in words if word not in said], [], f"{what}: words that are not in {said!r}")


def files_of(out):
    return {path.name: path.read_bytes() for path in out.glob("[!.]*")}


def analyzed(out, *options, data=TRACE, **keywords):
    return jankd("analyze", *options, "-F", out, "-", input=data, **keywords)


def as_other_user():
    """For a child process: changes its user, since root can read all files."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)


# --- what is no trace ---

def packed():
    """{content: what the message advises}"""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("trace.txt", TRACE)
    contents = {lzma.compress(TRACE): "xz -d", bz2.compress(TRACE): "bzip2 -d", b"\x28\xb5\x2f\xfd" + bytes(range(100)): "zstd -d", archive.getvalue(): "zip"}
    # Packed twice, they are refused as by a build without libarchive.
    return {gzip.compress(content): word for content, word in contents.items()} if unpacks() else contents


LATENCY = b"desired present(s),actual present(s),frame ready(s),interval(ms),vsyncs,app,Surface,layer\n"
DOFRAME = (b"start time,end time,app,process,thread,frames,Time(S),FPS,doFrame avg(ms),doFrame p99(ms),doFrame max(ms),draw avg(ms),"
           b"draw max(ms),skipped,matrix best,matrix normal,matrix middle,matrix high,matrix frozen,lost events\n")


def other_files(checks, here):
    """A file that is not a trace is refused with a message that says what it is."""
    out = here / "out"
    analyzed(out)
    before = files_of(out)
    tape = io.BytesIO()
    with tarfile.open(fileobj=tape, mode="w") as file:
        file.addfile(tarfile.TarInfo("empty"))
    large = b"\x0a\x80\x80\x40\x0a\xfc\xff\x3f" + bytes(0xffffc)  # a packet of 1 MB of perfetto
    cases = {**packed(), tape.getvalue(): "tar", gzip.compress(tape.getvalue()): "tar", b"\xff\xd8\xff\xe0" + bytes(99): "JPEG", b"\x89PNG\r\n\x1a\n": "PNG",
             TRACE.decode("latin-1").encode("utf-16"): "UTF-16", **{before[f"{name}.csv"]: "CSV" for name in ("fps", "summary", "events")},
             gzip.compress(LATENCY): "CSV", LATENCY: "CSV", DOFRAME: "CSV", b"": "empty",
             before["session.json"]: "session.json", json.dumps(json.loads(before["session.json"])).encode(): "session.json",
             b"\xef\xbb\xbf" + before["fps.csv"]: "CSV", b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\n": "git lfs pull",
             b"\x17\x08\x44tracing6\0": "trace-cmd report", b"PERFILE2h\0": "simpleperf", b"OHOSPROF\xe6\0": "hitrace --text", b"\tLYRTRACE": "Winscope",
             b"=" * 56 + b"\n== dumpstate: 2026\n": "bugreport", b'[{"ph": "B"}]': "systemTraceEvents", b'{"traceEvents": []}': "systemTraceEvents",
             b" [ {}]": "systemTraceEvents", bytes(16) + b"\xff": "unknown format",
             gzip.compress(b"<html></html>"): "HTML", gzip.compress(gzip.compress(TRACE)): "gzip -d", b"SQLite format 3\0": "SQLite", bytes(range(256)) * 4000: "marker", gzip.compress(b""): "marker",
             b"\x1f\x8b\x08\x00" + bytes(range(255)): "",
             b"\x0a\x04\x40\x01\x50\x02" * 200: "no markers", large * 65: "unknown format"}
    for content, word in cases.items():
        (here / "file").write_bytes(content)
        fails(checks, f"a file of another kind, {word}", jankd("analyze", "-F", out, here / "file"), word)
        piped = "64 MB" if len(content) > 1 << 26 else word
        fails(checks, f"standard input of another kind, {word}", analyzed(out, data=content), piped)
        checks.equal(files_of(out), before, f"a file of another kind, {word}: earlier files")
    for path, word in ((here / "gone.txt", "No such file"), (here, "irectory")):
        fails(checks, f"no file, {word}", jankd("analyze", "-F", out, path), path.name, word)
    done = analyzed(here / "t", data=packets.timeline_frames(5))
    checks.equal((done.returncode, len(rows(here / "t", "frametimeline.csv"))), (0, 10), "FrameTimeline alone: exit code, rows")
    checks.that(b"no present of SurfaceFlinger" in done.stderr and b"10 frames of FrameTimeline" in done.stderr, f"FrameTimeline alone: {done.stderr}")
    fails(checks, "no SurfaceFlinger", analyzed(here / "none", data=synthetic.without_presents()), "SurfaceFlinger")
    cut = gzip.compress(synthetic.without_presents())[:-9]
    fails(checks, "no SurfaceFlinger, cut", analyzed(here / "none", data=cut), "SurfaceFlinger: ", "; get an undamaged copy")
    checks.that((here / "none" / "events.csv").exists(), "no SurfaceFlinger: no events.csv")


def stopped(checks, here):
    """A signal in the middle of a trace: all files are as they were, no folder is left, and no other file is analyzed."""
    out, plenty = here / "out", synthetic.trace(6000)
    analyzed(out)
    before = files_of(out)
    for number, data, other in ((signal.SIGTERM, plenty, ()), (signal.SIGINT, gzip.compress(plenty, 1), ()), (signal.SIGHUP, plenty[:99999], (here / "b",))):
        for into in (out, here / "new"):
            with subprocess.Popen([JANKD, "analyze", "-T", "2", "--frames-log", "-F", into, "-", *other], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE) as process:
                process.stdin.write(data[:len(data) * 3 // 4])
                process.stdin.flush()
                at = into / "stdin" if other else into
                while not (at / "frames.csv").exists() or (not other and into == out and not (at / "fps-000001.csv").exists()):
                    time.sleep(0.01)
                process.send_signal(number)
                done = subprocess.CompletedProcess(process.args, process.wait(60), process.stdout.read(), process.stderr.read())
            what = f"{number.name}, {into.name}"
            fails(checks, what, done, "signal")
            checks.equal((done.stdout, (at / "frames.csv").exists()), (b"", False), f"{what}: output")
            checks.equal((files_of(out) == before, (here / "new").exists()), (True, False), f"{what}: earlier files, a folder")


def by_cpu(parts):
    """The lines sorted by CPU, as from cat per_cpu/cpu*/trace."""
    return text(sorted((line for line in parts if line.cpu is not None), key=lambda line: line.cpu))


def on_cpus(data):
    """The same trace, with its frames on three CPUs in turn."""
    return [Line(line.text.replace(b"[000]", b"[%03d]" % (line.us // 16667 % 3))) for line in lines(data)]


def sorted_by_cpu(checks, here):
    """Such a trace is refused, as a file or from a pipe, and the folder is not changed."""
    for seconds in (0.1, 1, 100):
        parts, out = on_cpus(synthetic.trace(int(60 * seconds))), here / f"{seconds}"
        (here / "trace").write_bytes(by_cpu(parts))
        for _ in range(3):
            before = files_of(out)
            for source in (here / "trace", "-"):
                done = jankd("analyze", "--frames-log", "--rotate-size", "4K", "--keep", "1", "--snapshot", "20", "-F", out, source,
                             input=(here / "trace").read_bytes())
                fails(checks, f"{seconds} s sorted by CPU", done, "sorted by CPU", "sort -s")
                checks.equal(done.stdout, b"", f"{seconds} s sorted by CPU: standard output")
                checks.that(files_of(out) == before, f"{seconds} s sorted by CPU: files changed")
            checks.equal(out.exists(), bool(before), f"{seconds} s sorted by CPU: folder")
            analyzed(out, "--frames-log", data=text(parts))
    done = analyzed(here / "ahead", data=text([*parts[:9], parts[9].moved(3600000000), *parts[9:]]))
    checks.equal(done.returncode, 0, f"one line far ahead of the others: {done.stderr!r}")


def buffers_that_ran_over(checks, here):
    """Sorted by CPU, with overflowed buffers: their lines begin later; and with threads that never change the CPU."""
    parts = on_cpus(synthetic.trace(600))
    begin = parts[0].us
    for first in ((9, 2, 0), (8.5, 5, 2), (0, 9.5, 0), (9, 0, 9.5)):
        kept = [line for line in parts if line.us >= begin + first[line.cpu] * 1000000]
        fails(checks, f"sorted by CPU, from {first} s on", analyzed(here / "over", data=by_cpu(kept)), "sorted by CPU")
    threads = {b"VSYNC": b"[004]", b"Binder": b"[002]"}
    moved = []
    for line in parts:
        cpu = next((cpu for word, cpu in threads.items() if word in line.text), b"[001]" if line.us < begin + 4000000 else b"[003]")
        moved.append(Line(line.text.replace(b"[%03d]" % line.cpu, cpu)))
    fails(checks, "sorted by CPU, one thread on each", analyzed(here / "stay", data=by_cpu(moved)), "sorted by CPU")


def sorting_helps(checks, here):
    """The command in the message gives a trace that can be counted."""
    cases = {"synthetic": text(on_cpus(synthetic.trace(300)))}
    for name in ("android-4.1-launcher", "android-7-launcher", "android-9-flutter"):
        if (TRACES / name).is_dir():
            cases[name] = markers(trace_text(name))
        else:
            checks.cannot_judge(f"{name} sorted by CPU", "there is no such recorded trace")
    for name, data in cases.items():
        (here / "trace").write_bytes(by_cpu(lines(data)))
        done = jankd("analyze", "-F", here / "out", here / "trace")
        fails(checks, f"{name} sorted by CPU", done, "sorted by CPU")
        arguments = re.search(r"sort -s -t\] (-k[\d.]+n) \((-k[\d.]+n) ", done.stderr.decode()).groups()
        flags = not re.search(rb"\[\d+\] +\d", data)
        again = subprocess.run(["sort", "-s", "-t]", arguments[not flags], here / "trace"], capture_output=True).stdout
        for content, into in ((data, "whole"), (again, "again")):
            done = analyzed(here / name / into, "--frames-log", data=content)
            checks.equal(done.returncode, 0, f"{name}, {into}: {done.stderr!r}")
        expected, got = (len(rows(here / name / into, "frames.csv")) for into in ("whole", "again"))
        checks.that(expected > 30 and abs(got - expected) <= 1, f"{name} sorted by time: {got} frames of {expected}")


# --- what may not be read or opened ---

def unreadable(checks, here):
    secret, home, closed = here / "secret.txt", here / "home", here / "closed"
    secret.write_bytes(TRACE)
    for path in (home, closed):
        path.mkdir()
    for path, mode in ((secret, 0), (home, 0o777), (closed, 0o555), (here, 0o755)):
        path.chmod(mode)
    other = {"preexec_fn": as_other_user, "cwd": "/"}
    try:
        jankd("--version", **other)
    except PermissionError:
        checks.cannot_judge("files without a right to read", "another user cannot reach the program here")
        return
    fails(checks, "no right to read the file", jankd("analyze", "-F", home / "out", secret, **other), "secret.txt", "ermission")
    fails(checks, "no right to write the folder", analyzed(closed / "out", **other), "ermission")
    fails(checks, "no right to read the trace", jankd("run", "--no-atrace", "--duration", "1", "-F", home / "live", **other))


def few_files(checks, here):
    """If the limit of open files is too low, the message says so. A soft limit is raised."""
    def few(files, most=None):
        return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, most or files))

    capture = ("--no-atrace", "--duration", "1", "--tracefs", here, "-F")
    for command in ("run", "start"):
        for files in (6, 10, 26):
            out = here / f"{command}-{files}"
            fails(checks, f"{command}, {files} files", jankd(command, *capture, out, preexec_fn=few(files)), f"{files} open files", "ulimit -n")
            checks.that(not out.exists(), f"{command}, {files} files: a folder was made")
    (here / "trace").write_bytes(TRACE)
    for files in range(4, 8):
        done = jankd("analyze", "-F", here / f"analyze-{files}", here / "trace", preexec_fn=few(files))
        fails(checks, f"analyze, {files} files", done)
        checks.that(re.search(rb": Too many open files; [^;]*ulimit -n", done.stderr), f"analyze, {files} files: {done.stderr}")
    fails(checks, "soft limit", jankd("run", *capture, here / "soft", preexec_fn=few(10, 4096)), "no tracefs")


def no_tracefs(checks, here):
    (here / "old").mkdir()
    for command in ("run", "start"):
        for out in (here / "new" / "folder", here / "old"):
            fails(checks, f"{command}: no tracefs", jankd(command, "--tracefs", here / "none", "--no-atrace", "-F", out), str(here / "none"))
    checks.equal(sorted(path.name for path in here.rglob("*")), ["old"], "no tracefs: files")


# --- what is in the folder ---

def obstacles(checks, here):
    """Something else has the name of one of jankd's files: the message says what it is."""
    (here / "temporary/.summary.csv.tmp/x").mkdir(parents=True)
    (here / "journal").mkdir()
    with open(here / "journal/.journal", "wb") as file:
        file.truncate(1 << 34)
    with socket.socket(socket.AF_UNIX) as listener:
        (here / "socket").mkdir()
        listener.bind(str(here / "socket/.lock"))
    fails(checks, "a folder for a temporary file", analyzed(here / "temporary"), "summary.csv in ", ".tmp", "remove it or name")
    fails(checks, "a huge journal", jankd("stop", "-F", here / "journal", timeout=30), ".journal: ", "File too large")
    for done in (analyzed(here / "socket"), jankd("status", "-F", here / "socket")):
        fails(checks, "a socket for .lock", done, ".lock: it is not a regular file")


def cannot_be_kept(checks, here):
    """If one file of the previous session cannot be renamed, all files keep their names."""
    out = here / "out"
    analyzed(out, "--frames-log")
    before = files_of(out)
    with pinned(out / "frames.csv") as is_pinned:
        if not is_pinned:
            checks.cannot_judge("a file that cannot be renamed", "nothing can be mounted here")
            return
        fails(checks, "a file that cannot be kept", analyzed(out, "--frames-log"), "out/frames.csv: ", "cannot be renamed")
        checks.equal(sorted(files_of(out)), sorted(before), "a file that cannot be kept: the others")


def refused_before_the_folder(checks, here):
    """Wrong usage changes no earlier file."""
    out = here / "out"
    analyzed(out)
    before = files_of(out)
    for command in ("start", "run", "analyze"):
        for option in (("--trigger", "fps<30"), ("--snapshot", "100"), ("--include", "com.x*"), ("--exclude", "com.x*")):
            done = jankd(command, "--rules", "gfx2019", *option, "--keep", "1", "-F", out,
                         *(["-"] if command == "analyze" else ["--tracefs", here]), input=TRACE, timeout=30)
            checks.equal((done.returncode, b"gfx2019" in done.stderr), (2, True), f"{command} gfx2019 {option}: {done.stderr!r}")
    checks.equal(files_of(out), before, "wrong usage: earlier files")


def fifos(checks, here):
    """jankd does not wait for pipes in place of its temporary files."""
    analyzed(here / "whole")
    out = here / "out"
    out.mkdir()
    for name in (".summary.csv.tmp", ".session.json.tmp", "..journal.tmp"):
        os.mkfifo(out / name)
    done = analyzed(out, timeout=30)
    checks.equal((done.returncode, differences(outputs(here / "whole"), outputs(out))), (0, []), f"pipes in the folder: {done.stderr!r}; pipes in the folder: files")


def no_daemon(checks, here):
    """Requests fail without a capture, and make no file."""
    (here / "empty").mkdir()
    for command in (("stop",), ("status", "--json"), ("top",), ("rotate",), ("mark", "x")):
        for name in ("empty", "nowhere"):
            done = jankd(command[0], "-F", here / name, *command[1:], timeout=20)
            fails(checks, f"{command[0]} without a daemon, {name}", done, command[0], str(here / name))
            checks.equal(done.stdout, b"", f"{command[0]} without a daemon, {name}: standard output")
    checks.equal([path.name for path in here.rglob("*")], ["empty"], "files of requests without a daemon")


# --- full disks ---

def full_disk(checks, here):
    """No file can be longer, as on a full disk. If not even a header can be written, the earlier files keep their names."""
    def no_more_than(size):
        return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    out = here / "out"
    fails(checks, "a full disk", analyzed(out, "--frames-log", data=synthetic.trace(3000), preexec_fn=no_more_than(2000)))
    checks.that(all(len(data) <= 2000 for data in files_of(out).values()), "a full disk: sizes")
    before = sorted(files_of(out))
    fails(checks, "no space for a header", analyzed(out, preexec_fn=no_more_than(0)), "events.csv")
    checks.equal(sorted(files_of(out)), before, "no space for a header: names")


def standard_output(checks, here):
    """Output that cannot be written to standard output is a failure; --stdout does not write a file instead."""
    trace = here / "trace.txt"
    trace.write_bytes(TRACE)
    for arguments in (("--help",), ("--version",), ("run", "--help"), ("rules", "show"),
                      ("rules", "show", "default"), ("analyze", "-F", here / "a", trace), ("files", "-F", here / "a"),
                      ("files", "-F", here / "a", "--read", "fps.csv"), ("analyze", "--stdout", "-F", here / "b", trace)):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([JANKD, *arguments], stdout=full, stderr=subprocess.PIPE)
        fails(checks, f"{arguments[:2]} onto a full disk", done, "standard output")
    checks.that(b"--stdout" in done.stderr and not (here / "b" / "fps.csv").exists(), f"--stdout onto a full disk: {done.stderr}")


def closed_descriptors(checks, here):
    """Without standard input, output or error, other files get their descriptors: nothing must be printed into them."""
    trace = here / "trace.txt"
    trace.write_bytes(TRACE)
    jankd("analyze", "-F", here / "whole", trace)
    for closed in ("0<&-", "1>&-", "2>&-", "0<&- 1>&- 2>&-"):
        into = here / f"without {closed}".replace("&", "").replace("<", "").replace(">", "")
        for more in ("", "--stdout"):
            done = subprocess.run(["sh", "-c", f'"$0" "$@" {closed}', JANKD, "analyze", *more.split(), "-F", into, trace], capture_output=True)
            checks.equal((done.returncode, differences(outputs(here / "whole"), outputs(into))), (0, []), f"analyze {more} {closed}: exit code; analyze {closed}")
        checks.that((into / ".lock").read_text().strip().isdigit(), f"analyze {closed}: .lock")


for case in (other_files, stopped, sorted_by_cpu, buffers_that_ran_over, sorting_helps, unreadable, few_files, no_tracefs, obstacles,
             cannot_be_kept, refused_before_the_folder, fifos, no_daemon, full_disk, standard_output, closed_descriptors):
    with folder() as place:
        case(checks, place)
checks.end()
