# SPDX-License-Identifier: Apache-2.0
"""A tracefs whose files a user, often Android's shell, may not all open: the message names the file and the reason. With --one-owner: requests
of root to a capture of that user."""

import contextlib, ctypes, json, os, pathlib, re, shutil, struct, subprocess
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from jankd import BUILD, JANKD, SOURCE, checks, folder, jankd, rows, skip

SHELL = 2000
USER = SHELL if os.geteuid() == 0 else os.geteuid()

SEEDS = SOURCE / "tests" / "fuzz" / "pages_seeds"
FILES = {"events/ftrace/print/format": (SEEDS / "print_format").read_text(), "events/header_page": (SEEDS / "page_format").read_text(),
    "trace_clock": "local [boot]\n", "tracing_on": "1\n", "buffer_size_kb": "4096\n", "trace_options": "markers\n",
    "current_tracer": "nop\n", "set_event": "", "per_cpu/cpu0/trace_pipe_raw": ""}


def as_user():
    """For a child process of root: changes its user."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(USER, USER, USER)
        os.setresuid(USER, USER, USER)


@contextlib.contextmanager
def place(*closed, held=True, **fixed):
    """(a folder that imitates tracefs, an output folder); the user may not open the files @closed, and may not write the
    files @fixed, which have these values. @held: this test has trace_pipe open, so that a reader does not end."""
    with folder() as here:
        here.chmod(0o777)
        tracing = here / "tracing"
        for name, text in FILES.items():
            (tracing / name).parent.mkdir(parents=True, exist_ok=True)
            (tracing / name).write_text(text)
        (tracing / "instances").mkdir()
        os.mkfifo(tracing / "trace_pipe")
        for path in (tracing, *tracing.rglob("*")):
            os.chown(path, USER, USER)
        keep = os.open(tracing / "trace_pipe" if held else os.devnull, os.O_RDWR | os.O_NONBLOCK)
        for name, text in fixed.items():
            (tracing / name).write_text(f"{text}\n")
            (tracing / name).chmod(0o444)
        for name in closed:
            (tracing / name).chmod(0)
        try:
            yield tracing, here / "out"
        finally:
            os.close(keep)
            for name in closed:
                (tracing / name).chmod(0o700)


def run(tracing, out, *arguments):
    return jankd("run", "--tracefs", tracing, "--no-atrace", "--duration", "0.3", "-F", out, *arguments, cwd="/", preexec_fn=as_user, timeout=60)


def one_line(checks, what, done, *words):
    said = done.stderr.decode()
    checks.that(done.returncode == 1 and len(said.splitlines()) == 1, f"{what}: {done.returncode} {said}")
    for word in words:
        checks.that(word in said, f"{what}: {word!r} is not in {said!r}")
    checks.that("No such file" not in said, f"{what}: {said!r}")


def raw(checks):
    for closed, named in (("per_cpu", "per_cpu"), ("per_cpu/cpu0", "cpu0"), ("events", "events/ftrace/print/format"),
                          ("events/ftrace/print/format", "print/format"), ("events/header_page", "header_page"),
                          ("per_cpu/cpu0/trace_pipe_raw", "trace_pipe_raw")):
        what = f"{closed} is closed"
        with place(closed) as (tracing, out):
            one_line(checks, what, run(tracing, out, "--source", "raw"), named, "Permission denied", "--source text")
        with place(closed) as (tracing, out):
            run(tracing, out)
            source = json.loads((out / "session.json").read_text())["source"]
            checks.equal((source["kind"], source["why"]), ("trace_pipe", f"{source['why'].partition(':')[0]}: Permission denied"), f"{what}: source")


def requests_of_root(checks):
    """Root sends requests to a capture whose folder gives all files one owner, who is not the user of the capture."""
    if os.geteuid() != 0:
        skip("needs root")
    places = [pathlib.Path(base) / f".jankd-{USER}" for base in ("/data/local/tmp", "/run", "/var/tmp", "/tmp")]
    there = [path for path in places if path.exists()]
    with place() as (tracing, out):
        out.mkdir(mode=0o777)
        out.chmod(0o777)
        preload = {**os.environ, "LD_PRELOAD": str(next(BUILD.glob("tests/**/libone_owner.so"))), "ONE_OWNER_IN": str(out)}
        started = jankd("start", "--tracefs", tracing, "--no-atrace", "-F", out, cwd="/", preexec_fn=as_user, env=preload, timeout=60)
        checks.equal((started.returncode, started.stderr), (0, b""), "requests of root: start")
        for command in ("status", "stop"):
            done = jankd(command, "-F", out, env=preload, timeout=60)
            # It ends a capture that counted nothing.
            checks.equal((done.returncode, b"no markers" in done.stderr), (command == "stop",) * 2, f"requests of root: {command}: {done}")
    for path in set(places) - set(there):
        shutil.rmtree(path, ignore_errors=True)


def refused(checks):
    """The advice depends on the user: user shell is not advised to run it as shell. What has a fixed value is refused only if the
    capture needs another one."""
    advice = "run jankd as root: on this device the user shell has no access" if USER == SHELL else "as root or shell"
    for closed, fixed, options, words in (((".",), {}, (), (advice,)), (("trace_pipe",), {}, ("--source", "text"), ("trace_pipe", advice)),
            ((), {"tracing_on": "0"}, (), ("tracing_on",)), ((), {"trace_clock": "boot [counter]"}, (), ("trace_clock", "'counter'"))):
        with place(*closed, **fixed) as (tracing, out):
            one_line(checks, f"{closed} closed, {fixed}", run(tracing, out, *options), "Permission denied", *words)


def stays_as_it_is(checks):
    """What may not be set stays as it is, and an event says so."""
    for fixed in ({"tracing_on": "1", "trace_clock": "local [boot]", "buffer_size_kb": "4096", "current_tracer": "function"}, {}):
        with place(**fixed) as (tracing, out):
            run(tracing, out)
            texts = [row["text"] for row in rows(out, "events.csv") if "no permission to change" in row["text"]]
            checks.equal(texts, ["jankd has no permission to change these settings; left as they are: tracing_on 1, buffer_size_kb 4096, "
                                 "trace_clock boot, current_tracer function"] if fixed else [], f"{fixed}")


def doctor(tracing, out, **keywords):
    """The exit code of doctor; {subject: (finding, text)}; standard error."""
    keywords.setdefault("preexec_fn", as_user)
    done = jankd("doctor", "--tracefs", tracing, "-F", out, cwd="/", timeout=60, **keywords)
    lines = [re.fullmatch(r"(ok|note|problem) +([\w ]+): (.*)", line) for line in done.stdout.decode().splitlines()]
    return done.returncode, {m[2]: (m[1], m[3]) for m in lines}, done.stderr.decode()


def doctor_says_so(checks):
    """For each file that is closed, or that has a fixed value: whether a capture is possible without it."""
    for closed, fixed, findings in (((".",), {}, {"tracefs": "problem"}), (("per_cpu/cpu0/trace_pipe_raw",), {}, {"raw": "note"}),
            (("trace_pipe",), {}, {"trace_pipe": "note"}), (("trace_clock",), {}, {"trace_clock": "note"}),
            (("buffer_size_kb",), {}, {"buffer_size_kb": "note"}), (("tracing_on",), {}, {"tracing_on": "problem"}),
            (("trace_pipe", "per_cpu"), {}, {"trace_pipe": "problem"}),
            ((), {"tracing_on": "1", "trace_clock": "boot [counter]"}, {"tracing_on": "note", "trace_clock": "problem"}), ((), {}, {})):
        what, is_possible = f"doctor: {closed} closed, {fixed}", "problem" not in findings.values()
        with place(*closed, held=False, **fixed) as (tracing, out):
            code, said, error = doctor(tracing, out)
        checks.equal({subject: said.get(subject, ("",))[0] for subject in findings}, findings, f"{what}: {said}")
        checks.equal((code, len(error.splitlines())), (0, 0) if is_possible else (1, 1), f"{what}: {error}")
        if closed:
            checks.that(all("Permission denied" in said[subject][1] for subject in findings), f"{what}: {said}")
        if not findings:
            checks.equal([name for name, (finding, _) in said.items() if finding == "problem"], [], f"{what}: {said}")
            checks.that(str(USER) in said["user"][1] or USER == 0, f"doctor: user: {said['user']}")


def deny(path, others):
    """Denies it to the user, not to @others. The kernel's form of an access list: version 2; tag, permissions and user of each entry."""
    entries = (1, others, 0xffffffff), (2, 0, SHELL), (4, 4, 0xffffffff), (0x10, others, 0xffffffff), (0x20, others, 0xffffffff)
    os.chown(path, 0, 0)
    os.setxattr(path, "system.posix_acl_access", struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries))


def with_selinux(enforce, tracing):
    """For a child process of root: mounts a selinuxfs that this test imitates, and its tracefs, for itself alone, and changes its user."""
    def change():
        libc = ctypes.CDLL(None, use_errno=True)
        if (libc.unshare(0x20000) or libc.mount(None, b"/", None, 0x44000, None) or libc.mount(b"none", b"/sys/fs", b"tmpfs", 0, None)
                or libc.mount(os.fsencode(tracing), b"/sys/kernel/tracing", None, 0x1000, None)):
            raise OSError(ctypes.get_errno(), "no mount of its own")
        os.mkdir("/sys/fs/selinux")
        pathlib.Path("/sys/fs/selinux/enforce").write_text(enforce)
        as_user()
    return change


def selinux(checks):
    """An access list denies what the modes allow, as SELinux does: the message names SELinux if that is enforcing."""
    what = "SELinux"
    if os.geteuid() != 0:
        checks.cannot_judge(what, "needs root")
        return
    for enforce, why in (("1", "SELinux denies access from"), ("0", "Permission denied")):
        with place(held=False) as (tracing, out):
            try:
                deny(tracing / "trace_pipe", 6)
                code, said, error = doctor(tracing, out, preexec_fn=with_selinux(enforce, tracing))
            except (OSError, subprocess.SubprocessError) as failure:
                checks.cannot_judge(what, f"no access lists, or no mounts: {failure}")
                return
            checks.equal((code, said["trace_pipe"][0]), (0, "note"), f"{what} {enforce}: {said['trace_pipe']}")
            checks.that(why in said["trace_pipe"][1], f"{what} {enforce}: {said['trace_pipe']}")
            checks.that(("enforcing" if enforce == "1" else "permissive") in said["selinux"][1], f"{what} {enforce}: {said['selinux']}")
            as_shell = {"cwd": "/", "timeout": 60, "preexec_fn": with_selinux(enforce, tracing)}
            done = jankd("run", "--tracefs", tracing, "--no-atrace", "--source", "text", "-F", out, **as_shell)
            one_line(checks, f"{what} {enforce}: run", done, "trace_pipe", why, "setenforce 0" if enforce == "1" else "shell")
            deny(tracing, 7)
            one_line(checks, f"{what} {enforce}: the usual place", jankd("run", "--no-atrace", "-F", out, **as_shell), "tracefs: ", why)


def reachable():
    """True if the user can run the program."""
    try:
        return subprocess.run([JANKD, "--version"], preexec_fn=as_user, cwd="/", capture_output=True).returncode == 0
    except PermissionError:
        return False


if not reachable():
    skip("another user cannot reach the program here")
for case in (requests_of_root,) if "--one-owner" in sys.argv else (raw, refused, stays_as_it_is, doctor_says_so, selinux):
    case(checks)
checks.end()
