# SPDX-License-Identifier: Apache-2.0
"""Settings that a capture and its atrace change are restored exactly: at the end, however it ends, and after SIGKILL by the next jankd."""

import os
import signal
import time
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
import tracefs
from daemon import wait_until
from device import Device
from jankd import jankd
from live import Capture, each, run, session

FILES = ("tracing_on", "buffer_size_kb", "buffer_percent", "trace_clock", "current_tracer", "trace_options", "set_event", "saved_cmdlines_size")
PROPERTIES = ("debug.atrace.tags.enableflags", "debug.atrace.app_number", "debug.atrace.app_0", "debug.atrace.user_initiated")
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


def own_instance():
    """An instance that jankd has created records the processes of threads, and is removed at the end, even while another one is read: if it was still in use then, or
    after a kill, by the next jankd."""
    with session("own instance") as s:
        mine = s.instance.with_name(f"{s.instance.name}-own")
        again = ("run", "--tracefs", s.mount, "--instance", s.instance.name, "--no-atrace", "--duration", "0.1", "-F", s.out)

        def begin():
            capture = Capture(s.mount, mine, s.out)
            s.that(wait_until(lambda: journal(s) and mine.is_dir()) and capture.wait_ready(), "jankd does not start")
            return capture

        try:
            first = begin()
            s.that({"record-tgid", "print-tgid"} & {*(mine / "trace_options").read_text().split()}, "processes are not recorded")
            first.stop(signal.SIGTERM)
            s.that(not mine.exists() and not journal(s), "it is left")
            capture = begin()
            with open(mine / "trace_marker", "wb"):
                said = capture.stop(signal.SIGTERM)[1]
                s.that(mine.name in said and "buffer_size_kb" not in said, said)
                s.that(mine.is_dir() and journal(s), "in use: no journal")
                done = jankd(*again, timeout=60)
                s.that(mine.name.encode() in done.stderr, f"still in use: {done.stderr!r}")
                s.that(mine.is_dir() and journal(s), "still in use: no journal")
            jankd(*again, timeout=60)
            s.that(not mine.exists() and not journal(s), "not in use any more: it is left")
            kill(s, begin())
            s.that(mine.is_dir(), "killed: removed by the killed capture")
            jankd(*again, timeout=60)
            s.that(not mine.exists() and not journal(s), "killed: it is left")
        finally:
            tracefs.remove(mine)


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
        wait_until(lambda: any("jankd set tracing_on" in text for text in s.texts()), 4 if undone and not options else 0.8)
        said = capture.stop(signal.SIGTERM)[1]
        s.that(wanted in s.read(name)[name], f"{s.read(name)}, not {wanted}: {said}")


def hangs():
    """An atrace that hangs at the end: a second Ctrl-C ends the wait for it, and settings that it did not restore are restored."""
    with session("atrace hangs at the end") as s:
        device = usual(s)
        before = state(s, device)
        capture = s.run(device=device)
        (device.path / "bin" / "atrace").write_text('#!/bin/sh\necho "atrace hangs" >> "$DEVICE/log"; sleep 1000\n')
        capture.process.send_signal(signal.SIGINT)
        s.until(lambda: "atrace hangs" in device.log(), "atrace is called")
        begin = time.monotonic()
        error = capture.stop(signal.SIGINT)[1]
        took = time.monotonic() - begin
        s.that(took < 4, f"it took {took:.1f} s: {error}")
        s.equal(state(s, device), before, f"state: {error}")


def prints_at_the_end():
    """An atrace that prints slowly at its end does not count as a stalled disk, and its failure is not an error of 'stop'."""
    with session("atrace prints at the end") as s:
        device = Device(s.here / "device", s.instance)
        (device.path / "bin" / "atrace").write_text(
            '#!/bin/sh\n[ "$1" = -b ] || { for n in 1 2 3 4 5; do echo x; sleep 0.5; done; exit 3; }\n')
        done = jankd("start", "--tracefs", s.mount, "--instance", s.instance.name, "-F", s.out, env=device.environment())
        s.equal(done.returncode, 0, f"start: {done.stderr}")
        s.play()
        done = jankd("stop", "-F", s.out)
        s.equal((done.returncode, done.stderr), (0, b""), f"stop: {done.stdout}")
        s.that(b"run:" not in done.stdout, f"stop: {done.stdout}")


def start_during_stop(rounds):
    """A capture in another folder that starts while one ends does not take the settings of that one for those of before."""
    with session("start during stop") as s:
        s.write("tracing_on", 0)
        before, kept = s.read("tracing_on", "buffer_size_kb"), []
        arguments = ("--tracefs", s.mount, "--instance", s.instance.name, "--no-atrace", "--buffer-kb", "2000")
        for i in range(rounds):
            first = s.run(*arguments)
            first.process.send_signal(signal.SIGTERM)
            time.sleep(i % 10 * 0.003)
            jankd("run", *arguments, "--duration", "0.1", "-F", s.here / "other", timeout=60)
            first.ended()
            kept += [after for after in [s.read(*before)] if after != before]
        s.equal(kept, [], f"settings that stay after {rounds} rounds")


AGAIN = (("tracing_on", "0", ("1",), "1"), ("tracing_on", "0", ("0", "1"), "1"), ("tracing_on", "0", ("0",), "0"),
         ("trace_clock", "counter", ("boot",), "[boot]"), ("trace_clock", "counter", ("mono", "boot"), "[boot]"),
         ("buffer_size_kb", "1", ("1024",), None), ("buffer_size_kb", "1", ("500", "1024"), None))
run(each(ended, usual, as_found), each(killed, usual, as_found),
    each(set_again, *((*case, "raw") for case in (*AGAIN, ("tracing_on", "1", ("0",), "1"))),
         *((*case, "text", "--yield") for case in (*AGAIN, ("tracing_on", "1", ("0",), "0")))),
    each(start_during_stop, 40), own_instance, hangs, prints_at_the_end)
