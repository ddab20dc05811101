#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Settings that a capture and its atrace change are restored exactly: at the end, however it ends,
and after SIGKILL by the next jankd."""

import os
import pathlib
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import tracefs
from daemon import wait_until
from device import Device
from jankd import jankd
from live import Capture, each, remove_folder, run, session

FILES = ("tracing_on", "buffer_size_kb", "buffer_percent", "trace_clock", "current_tracer",
         "trace_options", "set_event", "saved_cmdlines_size")
PROPERTIES = ("debug.atrace.tags.enableflags", "debug.atrace.app_number", "debug.atrace.app_0",
              "debug.atrace.user_initiated")
QUICK = 4


def state(s, device):
    """All settings that a capture may change."""
    cpus = [str(path.relative_to(s.instance)) for path in s.instance.glob("per_cpu/cpu*/buffer_size_kb")]
    return s.read(*FILES, *cpus) | {name: device.get(name) for name in PROPERTIES}


def usual(s):
    """A device with settings as another tool may leave them: none has the value that atrace sets."""
    device = Device(s.here / "device", s.instance)
    for name, value in (("trace_clock", "mono_raw"), ("buffer_size_kb", 777), ("buffer_percent", 33), ("tracing_on", 0),
                        *(("trace_options", option) for option in ("nooverwrite", "record-tgid", "sym-offset", "noirq-info"))):
        s.write(name, value)
    for event in ("oom:mark_victim", "oom:wake_reaper"):
        fd = os.open(s.instance / "set_event", os.O_WRONLY)
        os.write(fd, event.encode())
        os.close(fd)
    for name, value in zip(PROPERTIES, ("0x40", "1", "com.app*,x", "")):
        device.set(name, value)
    return device


def as_found(s):
    """The kernel's default settings, but with a buffer size for each CPU, and tracing on."""
    for n, cpu in enumerate(sorted(s.instance.glob("per_cpu/cpu*/buffer_size_kb"))):
        cpu.write_text(str(100 * (n + 1)))
    s.write("tracing_on", 1)
    return Device(s.here / "device", s.instance)


def journal(s):
    return (s.out / ".journal").exists()


def ended(prepare):
    with session(f"ended, {prepare.__name__}") as s:
        device = prepare(s)
        before = state(s, device)
        capture = s.run(device=device)
        s.that(state(s, device) != before, "nothing was changed")
        s.that(journal(s), "no journal")
        said = capture.stop()[1]
        s.equal(state(s, device), before, f"state: {said[-300:]}")
        s.that(not journal(s), "a journal is left")


def kill(s, capture):
    """Kills a capture. So the next one writes its first file when the trace is open."""
    capture.stop(signal.SIGKILL)
    (s.out / "events.csv").unlink()
    (s.out / "session.json").unlink(missing_ok=True)


def killed(prepare):
    """SIGKILL, then another capture in the same folder; after its kill 'jankd stop' restores, once."""
    with session(f"killed, {prepare.__name__}") as s:
        device = prepare(s)
        before = state(s, device)
        kill(s, s.run(device=device))
        s.that(journal(s), "no journal")
        s.that(state(s, device) != before, "restored by the killed capture")
        capture = s.run(device=device)
        s.reports("tracing was restored", kind="tracing")
        said = capture.stop(signal.SIGTERM)[1]
        s.equal(state(s, device), before, f"state: {said[-300:]}")
        s.that(not journal(s), "a journal is left")
        (s.out / "events.csv").unlink()
        kill(s, s.run(device=device))
        for code in (0, 1):
            done = jankd("stop", "-F", s.out, env=device.environment())
            s.equal(done.returncode, code, f"stop: exit code: {done.stderr}")
            s.equal(state(s, device), before, "stop: state")


def killed_own_instance():
    """An instance that a killed jankd has created is removed by the next start, even on another instance."""
    with session("own instance") as s:
        mine = s.instance.with_name(f"{s.instance.name}-own")
        try:
            capture = Capture(s.mount, mine, s.out)
            s.that(capture.wait_ready(), "jankd does not start")
            kill(s, capture)
            s.that(mine.is_dir(), "removed by the killed capture")
            capture = s.run()
            s.that(not mine.exists(), "still there")
            capture.stop(signal.SIGTERM)
        finally:
            tracefs.remove(mine)


def kept_until_restored():
    """Settings that cannot be restored yet stay in the journal, and no capture starts meanwhile."""
    with session("kept") as s:
        device = usual(s)
        before = state(s, device)
        kill(s, s.run(device=device))
        (s.here / "nothing").mkdir()
        done = jankd("run", "--tracefs", s.here / "nothing", "-F", s.out, env=device.environment(), timeout=60)
        s.that(done.returncode == 1 and b".journal" in done.stderr and b"tracefs" in done.stderr, f"no tracefs: {done}")
        s.that(journal(s), "no tracefs: the journal is gone")
        done = jankd("stop", "-F", s.out, env=device.environment())
        s.equal((done.returncode, state(s, device), journal(s)), (0, before, False), f"stop: {done.stderr!r}")


def instance_in_use():
    """An instance that jankd has created and another program still uses is removed later by the next jankd."""
    with session("in use") as s:
        mine = s.instance.with_name(f"{s.instance.name}-own")
        again = ("run", "--tracefs", s.mount, "--instance", s.instance.name, "--no-atrace", "--duration", "0.1", "-F", s.out)
        try:
            capture = Capture(s.mount, mine, s.out)
            s.that(capture.wait_ready() and wait_until(lambda: journal(s)), "jankd does not start")
            with open(mine / "trace_marker", "wb"):
                said = capture.stop(signal.SIGTERM)[1]
                s.that(mine.name in said and "buffer_size_kb" not in said, said)
                s.that(mine.is_dir() and journal(s), "no journal")
                done = jankd(*again, timeout=60)
                s.that(mine.name.encode() in done.stderr, f"still: {done.stderr!r}")
                s.that(mine.is_dir() and journal(s), "still: no journal")
            jankd(*again, timeout=60)
            s.that(not mine.exists() and not journal(s), "instance or journal are left")
        finally:
            tracefs.remove(mine)


def hidden_files():
    """Journal and lock are in the folder of the files, readable for their owner only."""
    with session("hidden files") as s:
        capture = s.run(quick=QUICK, popen={"umask": 0})
        journal_file = s.out / ".journal"
        s.until(journal_file.exists, "a journal")
        for name in (".journal", ".lock"):
            s.equal((s.out / name).stat().st_mode & 0o777, 0o600, f"umask 0: mode of {name}")
        journal_file.unlink()
        s.until(journal_file.exists, "removed: made again")
        s.out.rename(s.here / "moved")
        s.until(journal_file.exists, "folder moved: a journal in the new one")
        s.until(lambda: not (s.here / "moved" / ".journal").exists(), "folder moved: no journal in the old one")
        remove_folder(s.out)
        s.until(journal_file.exists, "folder removed: a journal in the new one")
        capture.stop(signal.SIGTERM)
        s.that(not journal_file.exists(), "a journal is left")


def changed_meanwhile():
    """A setting that another program has changed since is kept and reported once. The rest is restored."""
    with session("changed meanwhile") as s:
        device = usual(s)
        before = state(s, device)
        capture = s.run("--yield", device=device, quick=QUICK)
        for name, value in (("buffer_size_kb", 2222), ("trace_options", "sym-offset"), ("trace_options", "nosym-offset")):
            s.write(name, value)
        size = s.read("buffer_size_kb")["buffer_size_kb"]
        s.reports("resized the trace buffer", kind="tracing")
        said = capture.stop(signal.SIGTERM)[1]
        events = [text for text in s.texts() if "another program changed these settings" in text]
        s.that(len(events) == 1 and size.strip() in events[0], f"events: {events}")
        s.that("another program" in said and "buffer_size_kb" in said, f"not reported: {said}")
        after = state(s, device)
        different = {name for name in before if after[name] != before[name] and "per_cpu" not in name}
        s.equal(different, {"buffer_size_kb", "trace_options"}, "what differs")
        s.equal((after["buffer_size_kb"], "nosym-offset" in after["trace_options"]), (size, True), "size, options")
        s.that(not journal(s), "a journal is left")
        code, said = s.run("--duration", "0.1", device=device).ended()
        s.that("another program" not in said, f"reported again: {code} {said}")
        s.equal(state(s, device), after, "state after another capture")


def set_again(name, before, values, wanted, source, *options):
    """A setting that another program has written since is kept, even if the value is the one that jankd set; a change
    that jankd has undone is not kept."""
    with session(f"set again, {source} {' '.join(options)}: {name} {before}, then {values}") as s:
        s.write(name, before)
        capture = s.run("--source", source, *options, quick=QUICK)
        for value in values:
            s.write(name, value)
            time.sleep(0.1)
        wanted = wanted or s.read(name)[name]
        undone = name == "tracing_on" and values == ("0",)
        wait_until(lambda: any("jankd switched" in text for text in s.texts()), 4 if undone and not options else 0.8)
        said = capture.stop(signal.SIGTERM)[1]
        s.that(wanted in s.read(name)[name], f"{s.read(name)}, not {wanted}: {said}")


def small_buffer():
    """A buffer of the smallest size, as before its first use or after atrace: without atrace it is enlarged for
    the events between two reads, and its size is restored at the end."""
    with session("small buffer") as s:
        s.write("buffer_size_kb", 1)
        before = s.read("buffer_size_kb")
        capture = s.run()
        s.that(int(s.read("buffer_size_kb")["buffer_size_kb"]) >= 1024, f"stays at {s.read('buffer_size_kb')}")
        with s.marker() as write:
            for _ in range(8):
                write(*(f"C|77|a counter of an app with a name of some length#0|{n}" for n in range(300)))
                time.sleep(0.25)
        capture.stop(signal.SIGTERM)
        s.equal(s.texts("lost"), [], "events lost")
        s.equal(s.read("buffer_size_kb"), before, "afterwards")


def fails():
    """If atrace cannot start, all settings are restored. A parent process that ignores SIGCHLD changes nothing."""
    with session("atrace fails") as s:
        device = usual(s)
        before = state(s, device)
        capture = Capture(s.mount, s.instance, s.out, device=device, FAIL="1",
                          popen={"preexec_fn": lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN)})
        code, error = capture.ended()
        s.equal((code, len(error.splitlines()), "unknown category" in error), (1, 1, True), error)
        s.equal(state(s, device), before, "state")


def hangs(at_start):
    """Ctrl-C while atrace hangs at the start; at the end a second one ends the wait for atrace. Settings that atrace did
    not restore are restored."""
    with session(f"atrace hangs at the {'start' if at_start else 'end'}") as s:
        device = usual(s)
        before = state(s, device)
        if at_start:
            capture = Capture(s.mount, s.instance, s.out, device=device, HANG="atrace")
            s.until(device.log, "atrace is called")
        else:
            capture = s.run(device=device)
            (device.path / "bin" / "atrace").write_text('#!/bin/sh\necho "atrace hangs" >> "$DEVICE/log"; sleep 1000\n')
            capture.process.send_signal(signal.SIGINT)
            s.until(lambda: "atrace hangs" in device.log(), "atrace is called")
        begin = time.monotonic()
        error = capture.stop(signal.SIGINT)[1]
        took = time.monotonic() - begin
        s.that(took < 4, f"it took {took:.1f} s: {error}")
        s.equal(state(s, device), before, f"state: {error}")


AGAIN = (("tracing_on", "0", ("1",), "1"), ("tracing_on", "0", ("0", "1"), "1"), ("tracing_on", "0", ("0",), "0"),
         ("trace_clock", "counter", ("boot",), "[boot]"), ("trace_clock", "counter", ("mono", "boot"), "[boot]"),
         ("buffer_size_kb", "1", ("1024",), None), ("buffer_size_kb", "1", ("500", "1024"), None))
run(each(ended, usual, as_found), each(killed, usual, as_found), changed_meanwhile,
    each(set_again, *((*case, "raw") for case in (*AGAIN, ("tracing_on", "1", ("0",), "1"))),
         *((*case, "text", "--yield") for case in (*AGAIN, ("tracing_on", "1", ("0",), "0")))),
    small_buffer, killed_own_instance, kept_until_restored, instance_in_use, hidden_files, fails,
    each(hangs, True, False))
