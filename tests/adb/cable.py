# SPDX-License-Identifier: Apache-2.0
"""A cable that is pulled at random moments costs nothing: each command does what it must, once. With the argument N: N
other series of moments, and nothing else. Old devices, too: no exit codes, line ends of a terminal, no exec-out, no list of ABIs,
messages of adb and of the device's shell between the answers."""

import os
import signal
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from daemon import wait_until
from jankd import rows
from phones import JANK_ADB, one_line, pieces, run_cases, same_frames, succeeded, trace

NOISE = "* daemon not running. starting it now on port 5037 *\n* daemon started successfully *"
OLD = {"exec_out": False, "exit_codes": False, "crlf": True, "noise": NOISE}
OLD_PROPERTIES = {"ro.product.cpu.abi": "x86_64", "ro.build.version.sdk": "19"}


def whole_way(checks, place, what, phone):
    """A capture from install to uninstall."""
    text, truth = trace(place.here, seconds=6)

    def run(*words):
        # The cable may be pulled just after an answer.
        wait_until(phone.is_attached)
        done = succeeded(checks, f"{what}: {words[0]}", place.jank_adb("-s", phone.serial, *words))
        checks.that(not any("\r" in line or "daemon" in line for line in done[1]), f"{what}: {words[0]}: {done[1]}")
        return done

    run("install", "--from", place.programs)
    run("start")
    for number, part in enumerate(pieces(text, 3)):
        phone.play(part)
        run("mark", f"part \"{number}\"")
        checks.that(any("com.example.mail" in line for line in run("status")[1]), f"{what}: status")
        run("pull", "out")
    run("stop")
    there = place.into(run("pull", "out"))
    same_frames(checks, what, truth, there)
    checks.equal({p.name: p.read_bytes() for p in there.iterdir()},
                 {p.name: p.read_bytes() for p in phone.folder().iterdir() if p.name[0] != "."}, f"{what}: files here and there")
    events = [row for path in sorted(there.glob("events*.csv")) for row in rows(path)]
    # The text begins at 1000 s, marks have this machine's time: in its first 1000 s they come late, and their text says so.
    marks = sorted(row["text"].partition(" (happened at ")[0] for row in events if row["kind"] == "mark")
    checks.equal(marks, [f"part \"{n}\"" for n in range(3)], f"{what}: marks")
    checks.equal(sum(row["kind"] == "start" for row in events), 1, f"{what}: starts")
    run("uninstall")
    checks.that(not (phone.data / "jankd").exists() and not phone.folder().exists(), f"{what}: uninstall")
    print(f"{what}: {phone.cuts()} cuts", flush=True)
    checks.that(not phone.about["cable"] or phone.cuts() > 5, f"{what}: the cable was pulled {phone.cuts()} times only")


def series(seed):
    """About every third command to the device is cut."""
    def cut(checks, place):
        whole_way(checks, place, f"seed {seed}", place.phone(f"seed-{seed}", cable={"seed": seed, "share": 0.35, "cuts": 60}))

    return cut


def old(checks, place):
    phone = place.phone("old", properties=OLD_PROPERTIES, **OLD)
    one_line(checks, "old: not installed", place.jank_adb("status"), 1, "not on the device")
    place.capture(checks)
    one_line(checks, "old: start with a wrong option", place.jank_adb("start", "--fly"), 2, "--fly")
    succeeded(checks, "old: uninstall", place.jank_adb("uninstall", "--discard"), "has been removed")
    whole_way(checks, place, "old", phone)
    phone.change(cable={"seed": 5, "share": 0.3, "cuts": 40})
    whole_way(checks, place, "old with cuts", phone)


def answers(checks, place):
    """Each command runs, and its answer is lost: it is run again, and says what it would have said."""
    phone = place.phone("answers", cable="answers")
    text, truth = trace(place.here, seconds=2)
    said = []

    def run(*words):
        done = succeeded(checks, f"answers: {words[0]}", place.jank_adb(*words))
        said.extend(done[1])
        checks.that(all("connection lost" in line for line in done[2]), f"answers: {words[0]}: {done[2]}")
        return done

    run("install", "--from", place.programs)
    run("start", "-F", "/data/local/tmp/other")
    phone.play(text)
    (phone.data / "jankd.marked").mkdir()
    succeeded(checks, "answers: mark", place.jank_adb("mark", "-F", "/data/local/tmp/other", "twice"), "jankd.marked cannot be written")
    (phone.data / "jankd.marked").rmdir()
    # Another mark comes before the first one is repeated.
    adb, another = place.bin / "adb", f"mkdir {place.here}/once || sh {JANK_ADB} mark -F /data/local/tmp/other another"
    adb.write_text(adb.read_text().replace("exec", f'case "$*" in *"jankd mark"*first*) {another} ;; esac >/dev/null 2>&1\nexec'))
    run("mark", "-F", "/data/local/tmp/other", "first")
    run("stop", "-F", "/data/local/tmp/other")
    done = run("pull", "-F", "/data/local/tmp/other")
    same_frames(checks, "answers", truth, place.into(done))
    marks = sorted(row["text"].split(" ")[0] for row in rows(place.into(done) / "events.csv") if row["kind"] == "mark")
    checks.equal(marks, ["another", "first", "twice", "twice"], "answers: marks")
    run("uninstall")
    checks.equal([line for line in said if "not empty" in line], [], "answers: folders that were left")
    checks.equal([str(path) for path in phone.data.iterdir()], [], "answers: what is left")


def resumed(checks, place):
    """A copy goes on where it was cut, also by the next pull."""
    phone = place.phone("resumed")
    place.captured(checks, phone, trace(place.here, seconds=2)[0])
    large = phone.folder() / "frames.csv"
    large.write_bytes(large.read_bytes() * -(-3_000_000 // large.stat().st_size))
    phone.change(kb_per_s=1000)
    process = place.popen("pull", "out", process_group=0)
    part = place.here / f"out/.jank-adb/{phone.serial}.parts/frames.csv"
    wait_until(lambda: part.exists() and part.stat().st_size > 500_000, 60)
    os.killpg(process.pid, signal.SIGINT)
    process.communicate()
    begun = part.stat().st_size
    checks.that(500_000 < begun < 2_500_000, f"the part: {begun} bytes")
    phone.change(kb_per_s=None)
    before = len(phone.log())
    done = succeeded(checks, "pull again", place.jank_adb("pull", "out"))
    reads = [int(command[1].split("'--from' '")[1].split("'")[0]) for command in phone.log()[before:] if command[0] == "exec-out"]
    checks.that(len(reads) == 1 and reads[0] >= begun, f"the copy began again: {reads}, {begun}")
    checks.that((place.into(done) / "frames.csv").read_bytes() == large.read_bytes(), "the copy")


def table(checks, place):
    """The live table goes on when the device is back."""
    phone = place.phone("table")
    text, _ = trace(place.here, seconds=3)
    place.capture(checks)
    phone.play(text)
    phone.change(cable={"seed": 3, "share": 0.8, "cuts": 6})
    process = place.popen("top")
    wait_until(lambda: phone.cuts() >= 6, 60)
    phone.change(cable=None)
    shown = any("mail/.MainActivity" in line for line in process.stdout)
    succeeded(checks, "stop", place.jank_adb("stop"))
    _, error = process.communicate(timeout=120)
    checks.that(process.returncode == 0 and shown and len(error.splitlines()) <= 1, f"top with cuts: {process.returncode} {error}")


def gone(checks, place):
    """The device does not come back within --reconnect."""
    phone = place.phone("gone", cable={"seed": 1, "share": 1, "cuts": 7, "at": 0, "of": "push", "away": 0.001})
    succeeded(checks, "install", place.jank_adb("install", "--from", place.programs))
    phone.change(cable={"seed": 1, "share": 1, "cuts": 100, "at": 0, "away": 1000})
    for words in (("status",), ("install", "--from", place.programs), ("pull",), ("doctor",)):
        phone.path.joinpath("away").unlink(missing_ok=True)
        code, _, error = place.jank_adb(*words, "--reconnect", "2")
        checks.that(code == 1 and len(error) == 2 and "waiting for the device, at most 2 s" in error[0], f"away, {words[0]}: {error}")
        one_line(checks, f"away, {words[0]}", (code, [], error[1:]), 1, words[0], "no longer attached", "connect it")


def silent(checks, place):
    """A device that is listed and never answers is asked for --reconnect seconds. One that answers late, or is away for a second, again and again, is not."""
    (place.bin / "sleep").write_text("#!/bin/sh\nexec /bin/sleep 0.2\n")  # the guard's
    (place.bin / "sleep").chmod(0o755)
    for serial, advice in (("usb", "unplug and connect it"), ("10.0.0.2:5555", "run 'adb connect 10.0.0.2:5555'")):
        phone = place.phone(serial)
        for words, about in ((("not on the device",), {"silent": 2}), (("does not answer", advice), {"silent": 1e9}),
                             (("not on the device",), {"silent": 0, "cable": {"seed": 1, "share": 1, "cuts": 4, "at": 0, "away": 1}})):
            phone.change(**about)
            code, _, error = place.jank_adb("-s", serial, "--reconnect", "3", "status")
            checks.that("connection lost" in error[0], f"{serial}, {about}: {error}")
            one_line(checks, f"{serial}, {about}", (code, [], error[1:]), 1, *words)
        checks.that(phone.log().count(["shell", ":"]) < 30, f"{serial}: a probe that fails at once does not end the call")


if len(sys.argv) > 1:
    run_cases(*(series(seed) for seed in range(1, int(sys.argv[1]) + 1)))
run_cases(series(0), old, answers, resumed, table, gone, silent)
