#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Settings that a capture and its atrace change are restored exactly: at the end, however it ends,
and after SIGKILL by the next jankd."""

import os
import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import tracefs
from daemon import wait_until
from device import Device
from jankd import Checks, jankd, rows
from live import Capture, remove_folder, session
from mounts import unmount

FILES = ("tracing_on", "buffer_size_kb", "buffer_percent", "trace_clock", "current_tracer",
         "trace_options", "set_event", "saved_cmdlines_size")
PROPERTIES = ("debug.atrace.tags.enableflags", "debug.atrace.app_number", "debug.atrace.app_0",
              "debug.atrace.user_initiated")


def state(device):
    """All settings that a capture may change."""
    seen = {name: (device.instance / name).read_text() for name in FILES if (device.instance / name).exists()}
    for cpu in sorted(device.instance.glob("per_cpu/cpu*/buffer_size_kb")):
        seen[str(cpu.relative_to(device.instance))] = cpu.read_text()
    return seen | {name: device.get(name) for name in PROPERTIES}


def usual(device):
    """Settings as another tool may leave them: none has the value that atrace sets."""
    i = device.instance
    (i / "trace_clock").write_text("mono_raw")
    (i / "buffer_size_kb").write_text("777")
    (i / "buffer_percent").write_text("33")
    for option in ("nooverwrite", "record-tgid", "sym-offset", "noirq-info"):
        (i / "trace_options").write_text(option)
    for event in ("oom:mark_victim", "oom:wake_reaper"):
        fd = os.open(i / "set_event", os.O_WRONLY)
        os.write(fd, event.encode())
        os.close(fd)
    (i / "tracing_on").write_text("0")
    for name, value in zip(PROPERTIES, ("0x40", "1", "com.app*,x", "")):
        device.set(name, value)


def as_found(device):
    """The kernel's default settings, but with a buffer size for each CPU, and tracing on."""
    cpus = sorted(device.instance.glob("per_cpu/cpu*/buffer_size_kb"))
    for n, cpu in enumerate(cpus):
        cpu.write_text(str(100 * (n + 1)))
    (device.instance / "tracing_on").write_text("1")


def ended(checks, what, prepare, number, **environment):
    with session() as (mount, instance, here):
        device = Device(here / "device", instance)
        prepare(device)
        before = state(device)
        capture = Capture(mount, instance, here / "out", device=device, **environment)
        checks.that(capture.wait_ready(), f"{what}: jankd does not start")
        checks.that(state(device) != before, f"{what}: nothing was changed")
        checks.that((here / "out" / ".journal").exists(), f"{what}: no journal")
        said = capture.stop(number)[1]
        checks.equal(state(device), before, f"{what}: state: {said[-300:]}")
        checks.that(not (here / "out" / ".journal").exists(), f"{what}: a journal is left")


def killed(checks, what, prepare, *, edit=None, restored=True):
    """SIGKILL, then another capture in the same folder."""
    with session() as (mount, instance, here):
        device = Device(here / "device", instance)
        prepare(device)
        before = state(device)
        capture = Capture(mount, instance, here / "out", device=device)
        checks.that(capture.wait_ready(), f"{what}: jankd does not start")
        capture.stop(signal.SIGKILL)
        journal = here / "out" / ".journal"
        checks.that(journal.exists(), f"{what}: no journal")
        checks.that(state(device) != before, f"{what}: restored by the killed capture")
        if edit:
            journal.write_bytes(edit(journal.read_bytes()))
        left = state(device)
        forget_files(here / "out")
        capture = Capture(mount, instance, here / "out", "--duration", "0.5", device=device)
        checks.that(capture.wait_ready(), f"{what}: jankd does not start again")
        time.sleep(0.2)
        events = [r["text"] for r in rows(here / "out", "events.csv") if r["kind"] == "tracing"]
        checks.equal(any("tracing was restored" in text for text in events), restored, f"{what}: events {events}")
        said = capture.stop(signal.SIGTERM)[1]
        checks.equal(state(device), before if restored else left, f"{what}: state: {said[-300:]}")
        checks.that(not journal.exists(), f"{what}: a journal is left")


def forget_files(out):
    """Removes what a killed capture wrote: so the next one writes its first file when the trace is open."""
    (out / "events.csv").unlink()
    (out / "session.json").unlink(missing_ok=True)


def killed_own_instance(checks):
    """An instance that a killed jankd has created is removed by the next start, even on another instance."""
    with session() as (mount, instance, here):
        device = Device(here / "device", instance)
        mine = instance.with_name(f"{instance.name}-own")
        try:
            capture = Capture(mount, mine, here / "out", device=device, INSTANCE=str(mine))
            checks.that(capture.wait_ready(), "own instance: jankd does not start")
            capture.stop(signal.SIGKILL)
            checks.that(mine.is_dir(), "own instance: removed by the killed capture")
            forget_files(here / "out")
            capture = Capture(mount, instance, here / "out", device=device)
            checks.that(capture.wait_ready(), "own instance: jankd does not start again")
            checks.that(not mine.exists(), "own instance: still there")
            capture.stop(signal.SIGTERM)
        finally:
            tracefs.remove(mine)


def killed_and_stopped(checks):
    """'jankd stop' restores what a killed jankd has changed, once."""
    with session() as (mount, instance, here):
        device = Device(here / "device", instance)
        usual(device)
        before = state(device)
        capture = Capture(mount, instance, here / "out", device=device)
        checks.that(capture.wait_ready(), "killed, stop: jankd does not start")
        capture.stop(signal.SIGKILL)
        for code in (0, 1):
            done = jankd("stop", "-F", here / "out", env=device.environment())
            checks.equal(done.returncode, code, f"killed, stop: exit code: {done.stderr}")
            checks.equal(state(device), before, "killed, stop: state")
        checks.equal(jankd("stop", "-F", here / "none").returncode, 1, "stop of nothing: exit code")
        checks.that(not (here / "none").exists(), "stop of nothing: makes a folder")


def kept_until_restored(checks):
    """Settings that cannot be restored yet stay in the journal, and no capture starts meanwhile."""
    with session() as (mount, instance, here):
        device = Device(here / "device", instance)
        usual(device)
        before = state(device)
        journal = here / "out" / ".journal"
        capture = Capture(mount, instance, here / "out", device=device)
        checks.that(capture.wait_ready(), "kept: jankd does not start")
        capture.stop(signal.SIGKILL)
        (here / "nothing").mkdir()
        left = state(device)
        for what, command in (("run", "run"), ("start", "start")):
            done = jankd(command, "--tracefs", here / "nothing", "-F", here / "out", env=device.environment(), timeout=60)
            checks.equal(done.returncode, 1, f"kept, {what}, no tracefs: exit code")
            checks.that(b".journal" in done.stderr and b"tracefs" in done.stderr, f"kept, {what}: {done.stderr!r}")
            checks.that(journal.exists(), f"kept, {what}: the journal is gone")
        journal.chmod(0o666)
        done = jankd("run", "--tracefs", mount, "--instance", instance.name, "--no-atrace", "--duration", "0.2",
                     "-F", here / "out", timeout=60)
        checks.equal((done.returncode, b"another user" in done.stderr), (1, True), f"others may write it: {done.stderr!r}")
        checks.equal(state(device), left, "others may write it: state")
        checks.that(journal.exists(), "others may write it: the journal is gone")
        journal.chmod(0o600)
        done = jankd("stop", "-F", here / "out", env=device.environment())
        checks.equal(done.returncode, 0, f"kept, stop: {done.stderr!r}")
        checks.equal(state(device), before, "kept, stop: state")
        checks.that(not journal.exists(), "kept, stop: a journal is left")


def instance_in_use(checks):
    """An instance that jankd has created and another program still uses is removed later by the next jankd."""
    for ending in ("stop", "run"):
        with session() as (mount, instance, here):
            mine = instance.with_name(f"{instance.name}-own")
            journal = here / "out" / ".journal"
            try:
                capture = Capture(mount, mine, here / "out")
                checks.that(capture.wait_ready(), "in use: jankd does not start")
                time.sleep(0.3)
                with open(mine / "trace_marker", "wb"):
                    said = capture.stop(signal.SIGTERM)[1]
                    checks.that(mine.name in said and "buffer_size_kb" not in said, f"in use: {said}")
                    checks.that(mine.is_dir() and journal.exists(), "in use: no journal")
                    done = jankd("run", "--tracefs", mount, "--instance", instance.name, "--no-atrace", "--duration", "0.3",
                                 "-F", here / "out", timeout=60)
                    checks.that(mine.name.encode() in done.stderr, f"still in use: {done.stderr!r}")
                    checks.that(mine.is_dir() and journal.exists(), "still in use: no journal")
                if ending == "stop":
                    jankd("stop", "-F", here / "out")
                else:
                    jankd("run", "--tracefs", mount, "--instance", instance.name, "--no-atrace", "--duration", "0.3",
                          "-F", here / "out", timeout=60)
                checks.that(not mine.exists(), f"in use, then {ending}: it is still there")
                checks.that(not journal.exists(), f"in use, then {ending}: a journal is left")
            finally:
                tracefs.remove(mine)


def unmounted(checks):
    """If tracefs was unmounted at the end, the journal is kept, and the next jankd restores the settings."""
    what = "unmounted"
    with session() as (mount, instance, here):
        (here / "tracefs").mkdir()
        if subprocess.run(["mount", "-t", "tracefs", "nodev", here / "tracefs"], capture_output=True).returncode != 0:
            checks.cannot_judge(what, "tracefs cannot be mounted a second time")
            return
        (instance / "tracing_on").write_text("0")
        names = ("tracing_on", "buffer_size_kb")
        before = [(instance / name).read_text() for name in names]
        seen = True
        try:
            capture = Capture(here / "tracefs", instance, here / "out", "--buffer-kb", "2048")
            checks.that(capture.wait_ready(), f"{what}: jankd does not start")
            unmount(here / "tracefs")
            seen = False
            said = capture.stop(signal.SIGTERM)[1]
            checks.that("cannot restore" in said and "buffer_size_kb" in said, f"{what}: {said}")
            checks.that((here / "out" / ".journal").exists(), f"{what}: the journal is gone")
            done = jankd("stop", "-F", here / "out")
            checks.equal(done.returncode, 0, f"{what}: stop: {done.stderr!r}")
            checks.equal([(instance / name).read_text() for name in names], before, f"{what}: state")
        finally:
            if seen:
                unmount(here / "tracefs")


def hidden_files(checks):
    """Journal and lock are in the folder of the files, readable for their owner only."""
    with session() as (mount, instance, here):
        umask = os.umask(0)
        try:
            capture = Capture(mount, instance, here / "out")
        finally:
            os.umask(umask)
        checks.that(capture.wait_ready(), "hidden files: jankd does not start")
        time.sleep(0.3)
        for name in (".journal", ".lock"):
            checks.equal((here / "out" / name).stat().st_mode & 0o777, 0o600, f"umask 0: mode of {name}")
        (here / "out" / ".journal").unlink()
        checks.that(wait_until((here / "out" / ".journal").exists, 6), "journal removed: it is not made again")
        (here / "out").rename(here / "moved")
        checks.that(wait_until((here / "out" / ".journal").exists, 6), "folder moved: no journal in the new one")
        checks.that(wait_until(lambda: not (here / "moved" / ".journal").exists(), 3),
                    "folder moved: a journal in the old one")
        remove_folder(here / "out")
        checks.that(wait_until((here / "out" / ".journal").exists, 6), "folder removed: no journal in the new one")
        capture.stop(signal.SIGTERM)
        checks.that(not (here / "out" / ".journal").exists(), "hidden files: a journal is left")


def hostile_journal(checks):
    """Lines of a journal that name other files are ignored; the rest is restored."""
    with session() as (mount, instance, here):
        device = Device(here / "device", instance)
        victim = here / "victim"
        victim.write_text("untouched\n")
        boot = pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        (here / "out").mkdir()
        climb = "../" * 12
        (here / "out" / ".journal").write_text(
            f"jankd-journal 1 {boot}\n"
            f"place {climb}{victim}\nplace {instance.name}/..\nplace ..\ntracing_on 1\n"
            f"place {instance.name}\n{climb}{victim} 1\nbuffer_size_kb 99 99\ntrace_clock $(x)\n"
            f"cpu {climb} 1\ncpu 99999 1\ncpu -1 1\nevents\nevent *\nevent !*:*\nevent oom:mark_victim\n"
            f"option {'x' * 5000}\nproperty ro.secure 0\nproperty debug.atrace.app_16 x\n"
            f"property debug.atrace.app_0 -x\nmade ..\nmade .\nmade\nmade {instance.name}/events\n"
            f"\n \nplace\0x\ntrace_clock\nend\n")
        capture = Capture(mount, instance, here / "out", device=device)
        checks.that(capture.wait_ready(), "hostile journal: jankd does not start")
        capture.stop(signal.SIGTERM)
        checks.equal(victim.read_text(), "untouched\n", "hostile journal: another file")
        checks.that(instance.is_dir(), "hostile journal: the instance is gone")
        checks.equal((instance / "set_event").read_text(), "oom:mark_victim\n", "hostile journal: events")
        checks.equal(sorted(p.name for p in (device.path / "properties").iterdir()
                            if p.name in ("ro.secure", "debug.atrace.app_16", "debug.atrace.app_0")), [],
                     "hostile journal: properties")


def changed_meanwhile(checks, what, ended):
    """A setting that another program has changed since is kept and reported once. The rest is restored."""
    with session() as (mount, instance, here):
        device = Device(here / "device", instance)
        usual(device)
        before = state(device)
        capture = Capture(mount, instance, here / "out", "--yield", device=device)
        checks.that(capture.wait_ready(), f"{what}: jankd does not start")
        time.sleep(0.3)
        if not ended:
            capture.stop(signal.SIGKILL)
        (instance / "buffer_size_kb").write_text("2222")
        (instance / "trace_options").write_text("sym-offset")
        (instance / "trace_options").write_text("nosym-offset")
        size = (instance / "buffer_size_kb").read_text()
        if ended:
            time.sleep(1.5)
            said = capture.stop(signal.SIGTERM)[1]
        else:
            (here / "out" / "events.csv").unlink()
            capture = Capture(mount, instance, here / "out", "--duration", "0.5", device=device)
            checks.that(capture.wait_ready(), f"{what}: jankd does not start again")
            said = capture.process.communicate(timeout=60)[1].decode()
        events = [r["text"] for r in rows(here / "out", "events.csv") if "another program changed these settings" in r["text"]]
        checks.equal(len(events), 1, f"{what}: events: {events}")
        checks.that(size.strip() in events[0], f"{what}: {events}")
        checks.that("another program" in said and "buffer_size_kb" in said, f"{what}: not reported: {said}")
        after = state(device)
        different = {name for name in before if after[name] != before[name] and "per_cpu" not in name}
        checks.equal(different, {"buffer_size_kb", "trace_options"}, f"{what}: what differs")
        checks.equal(after["buffer_size_kb"], size, f"{what}: size")
        checks.that("nosym-offset" in after["trace_options"], f"{what}: options")
        checks.that(not (here / "out" / ".journal").exists(), f"{what}: a journal is left")
        capture = Capture(mount, instance, here / "out", "--duration", "0.3", device=device)
        said = capture.process.communicate(timeout=60)[1].decode()
        checks.that("another program" not in said, f"{what}: reported again:  {said}")
        checks.equal(state(device), after, f"{what}: state after another capture")


def set_again(checks, source, options):
    """A setting that another program has written since is kept, even if the value is the one that jankd set; a change
    that jankd has undone is not kept."""
    yields = "--yield" in options
    for name, before, values, wanted in (
            ("tracing_on", "0", ("1",), "1"),
            ("tracing_on", "0", ("0", "1"), "1"),
            ("tracing_on", "0", ("0",), "0"),
            ("tracing_on", "1", ("0",), "0" if yields else "1"),
            ("trace_clock", "counter", ("boot",), "[boot]"),
            ("trace_clock", "counter", ("mono", "boot"), "[boot]"),
            ("buffer_size_kb", "1", ("1024",), None),
            ("buffer_size_kb", "1", ("500", "1024"), None)):
        what = f"set again, {source} {' '.join(options)}: {name} {before}, then {values}"
        with session() as (mount, instance, here):
            (instance / name).write_text(before)
            capture = Capture(mount, instance, here / "out", "--source", source, *options)
            checks.that(capture.wait_ready(), f"{what}: jankd does not start")
            time.sleep(0.3)
            for value in values:
                (instance / name).write_text(value)
                time.sleep(0.1)
            wanted = wanted or (instance / name).read_text()
            time.sleep(2)
            said = capture.stop(signal.SIGTERM)[1]
            after = (instance / name).read_text()
            checks.that(wanted in after, f"{what}: {after}, not {wanted}: {said}")


def small_buffer(checks):
    """A buffer of the smallest size, as before its first use or after atrace: without atrace it is enlarged for
    the events between two reads, and its size is restored at the end."""
    with session() as (mount, instance, here):
        size = instance / "buffer_size_kb"
        size.write_text("1")
        before = size.read_text()
        capture = Capture(mount, instance, here / "out")
        checks.that(capture.wait_ready(), "small buffer: jankd does not start")
        checks.that(int(size.read_text()) >= 1024, f"small buffer: stays at {size.read_text()}")
        with open(instance / "trace_marker", "wb", buffering=0) as marker:
            for _ in range(10):
                for n in range(300):
                    marker.write(b"C|77|a counter of an app with a name of some length#0|%d" % n)
                time.sleep(0.25)
        capture.stop(signal.SIGTERM)
        checks.equal([r["text"] for r in rows(here / "out", "events.csv") if r["kind"] == "lost"], [],
                     "small buffer: events lost")
        checks.equal(size.read_text(), before, "small buffer: afterwards")
        # A size that another program chose is kept, and a warning says that it is small.
        size.write_text("64")
        chosen = size.read_text()
        for arguments, said in (((), True), (("--buffer-kb", "100"), False)):
            capture = Capture(mount, instance, here / "out", *arguments)
            checks.that(capture.wait_ready(), f"64 KB {arguments}: jankd does not start")
            time.sleep(0.5)
            checks.equal(size.read_text() == chosen, said, f"64 KB {arguments}: size")
            error = capture.stop(signal.SIGTERM)[1]
            events = [r["text"] for r in rows(here / "out", "events.csv") if "trace buffer stays" in r["text"]]
            checks.equal((len(events), "--buffer-kb 1024" in error), (int(said), said), f"64 KB {arguments}: {error}")
            checks.equal(size.read_text(), chosen, f"64 KB {arguments}: afterwards")
        size.write_text("3000")
        before = size.read_text()
        for arguments, least, most in (((), 3000, 3100), (("--buffer-kb", "2000"), 2000, 2100)):
            capture = Capture(mount, instance, here / "out", *arguments)
            time.sleep(0.5)
            checks.that(least <= int(size.read_text()) <= most, f"{arguments}: {size.read_text()} KB")
            capture.stop(signal.SIGTERM)
            checks.equal(size.read_text(), before, f"{arguments}: size afterwards")


def other_boot(journal):
    return journal.replace(b"jankd-journal 1 ", b"jankd-journal 1 x", 1)


def torn(journal):
    return journal[:-5]


def fails(checks):
    """If atrace cannot start, all settings are restored."""
    with session() as (mount, instance, here):
        device = Device(here / "device", instance)
        usual(device)
        before = state(device)
        capture = Capture(mount, instance, here / "out", device=device, FAIL="1")
        error = capture.process.communicate(timeout=60)[1].decode()
        checks.equal(capture.process.returncode, 1, f"atrace fails: exit code: {error}")
        checks.equal(len(error.splitlines()), 1, f"atrace fails: {error!r}")
        checks.equal(state(device), before, "atrace fails: state")
        # The parent process may ignore SIGCHLD: the exit status of atrace is read anyway.
        handler = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        try:
            capture = Capture(mount, instance, here / "out", device=device, FAIL="1")
        finally:
            signal.signal(signal.SIGCHLD, handler)
        error = capture.process.communicate(timeout=60)[1].decode()
        checks.equal(capture.process.returncode, 1, f"atrace fails, SIGCHLD ignored: exit code: {error}")
        checks.that("unknown category" in error, f"atrace fails, SIGCHLD ignored: {error}")


def hangs_at_start(checks):
    """Ctrl-C while atrace hangs."""
    with session() as (mount, instance, here):
        device = Device(here / "device", instance)
        usual(device)
        before = state(device)
        capture = Capture(mount, instance, here / "out", device=device, HANG="atrace")
        while not device.log() and capture.process.poll() is None:
            time.sleep(0.02)
        begin = time.monotonic()
        capture.process.send_signal(signal.SIGINT)
        error = capture.process.communicate(timeout=60)[1].decode()
        took = time.monotonic() - begin
        checks.that(took < 4, f"atrace hangs at the start: it took {took:.1f} s: {error}")
        checks.equal(state(device), before, "atrace hangs at the start: state")


def hangs_at_end(checks):
    """A second signal ends the wait for atrace; settings that atrace did not restore are still restored."""
    with session() as (mount, instance, here):
        device = Device(here / "device", instance)
        usual(device)
        before = state(device)
        capture = Capture(mount, instance, here / "out", device=device)
        checks.that(capture.wait_ready(), "atrace hangs at the end: jankd does not start")
        atrace = device.path / "bin" / "atrace"
        atrace.write_text('#!/bin/sh\necho "atrace hangs" >> "$DEVICE/log"; sleep 1000\n')
        capture.process.send_signal(signal.SIGINT)
        while "atrace hangs" not in device.log() and capture.process.poll() is None:
            time.sleep(0.02)
        begin = time.monotonic()
        error = capture.stop(signal.SIGINT)[1]
        took = time.monotonic() - begin
        checks.that(took < 4, f"atrace hangs at the end: it took {took:.1f} s: {error}")
        checks.equal(state(device), before, f"atrace hangs at the end: state: {error}")


def getprop_hangs(checks):
    with session() as (mount, instance, here):
        device = Device(here / "device", instance)
        begin = time.monotonic()
        capture = Capture(mount, instance, here / "out", device=device, HANG="getprop dumpsys")
        checks.that(capture.wait_ready(), "getprop hangs: jankd does not start")
        took = time.monotonic() - begin
        checks.that(took < 6, f"getprop hangs: the start took {took:.1f} s")
        device.set("debug.atrace.tags.enableflags", "")
        capture.stop(signal.SIGTERM)


tracefs.root()
checks = Checks()
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    ended(checks, f"usual, {signal.Signals(number).name}", usual, number)
ended(checks, "as found", as_found, signal.SIGINT)
killed(checks, "killed", usual)
killed(checks, "killed, as found", as_found)
killed(checks, "journal of another boot", usual, edit=other_boot, restored=False)
killed(checks, "torn journal", usual, edit=torn, restored=False)
changed_meanwhile(checks, "changed meanwhile", True)
changed_meanwhile(checks, "changed after a kill", False)
for source in ("raw", "text"):
    for options in ((), ("--yield",)):
        set_again(checks, source, options)
for case in (small_buffer, killed_own_instance, killed_and_stopped, kept_until_restored, instance_in_use, unmounted, hidden_files, hostile_journal, fails, hangs_at_start, hangs_at_end,
             getprop_hangs):
    case(checks)
checks.end()
