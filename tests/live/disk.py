#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A capture continues when the disk is full or its folder is removed, and reports that."""

import contextlib
import datetime
import functools
import json
import pathlib
import re
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import segments
import tracefs
from daemon import wait_until
from jankd import BUILD, PHONE, Checks, folder, jankd, rows
from live import Capture, at_once, remove_folder, session
from mounts import tmpfs

LOAD = BUILD / "tests" / "bench" / "load"
FLOOR = 512 * 1024
DISK = "2M"
AT_ONCE = 3  # cases
EARLIER = b"start time,end time,FPS\n1,2,60\n"


@contextlib.contextmanager
def small_disk(here):
    disk = here / "disk"
    disk.mkdir()
    with tmpfs(DISK, disk) as mounted:
        if not mounted:
            raise OSError("no tmpfs can be mounted")
        yield disk


def can_mount():
    with folder() as here, tmpfs(DISK, here) as mounted:
        return mounted


@contextlib.contextmanager
def playing(mount, instance, truth, seconds):
    """Runs jank-phone in the background."""
    phone = subprocess.Popen([PHONE, "--tracefs", mount, "--instance", instance.name, "--truth", truth,
                              "--scenario", "steady-60", "--seconds", str(seconds)],
                             stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    try:
        yield phone
    finally:
        phone.terminate()
        phone.wait()


def reported(out):
    """(kind, text) of every event so far, in all segments; the last row may be incomplete."""
    return [(row["kind"], row["text"] or "") for path in segments.paths(out, "events.csv")
            for row in rows(path)]


def wait_for(checks, out, word, seconds=15):
    """Waits for an event whose text contains @word."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with contextlib.suppress(FileNotFoundError):
            if any(word in text for _, text in reported(out)):
                return checks.that(True, word)
        time.sleep(0.1)
    return checks.that(False, f"no event '{word}' within {seconds} s: {reported(out)}")


def fill(path, leave):
    """Fills the disk except for @leave bytes."""
    free = shutil.disk_usage(path.parent).free
    path.write_bytes(bytes(max(0, free - leave)))


def whole(checks, what, out):
    for name in segments.GROWING:
        for path in segments.paths(out, name):
            checks.that(segments.is_whole(path.read_bytes()), f"{what}: {path.name} is not whole")


def ended(checks, what, capture):
    code, said, _ = capture.stop()
    checks.equal(code, 0, f"{what}: exit code: {said[-500:]}")
    return said


def floor(checks):
    """The steps of --min-free, and back when there is space again."""
    what = "floor"
    with session() as (mount, instance, here), small_disk(here) as disk:
        out = disk / "out"
        capture = Capture(mount, instance, out, "--min-free", str(FLOOR), "--rotate-size", "4096",
                          "-T", "2")
        checks.that(capture.wait_ready(), f"{what}: jankd does not start")
        with playing(mount, instance, here / "truth.csv", 60):
            deadline = time.monotonic() + 20
            while len(segments.numbers(out)) < 3 and time.monotonic() < deadline:
                time.sleep(0.1)
            checks.that(len(segments.numbers(out)) >= 3, f"{what}: no segments")
            fill(disk / "filler", FLOOR // 2)
            for word in ("removed segment", "stopped writing frames.csv", "stopped writing dropFrames.csv",
                         "stopped writing fps.csv"):
                wait_for(checks, out, word)
            (disk / "filler").unlink()
            for word in ("resumed writing fps.csv", "resumed writing dropFrames.csv",
                         "resumed writing frames.csv"):
                wait_for(checks, out, word)
            frames = len(segments.joined(out, "frames.csv"))
            time.sleep(3)
            checks.that(len(segments.joined(out, "frames.csv")) > frames,
                        f"{what}: frames.csv does not grow again")
            ended(checks, what, capture)
        steps = [text.split(": ", 1)[1].split(" (free ", 1)[0] for kind, text in reported(out) if "floor" in text]
        removed = [step for step in steps if step.startswith("removed segment")]
        checks.equal(removed, sorted(removed), f"{what}: the oldest segment goes first")
        checks.equal([step for step in steps if step not in removed],
                     ["stopped writing frames.csv", "stopped writing dropFrames.csv", "stopped writing doframe.csv",
                      "stopped writing fps.csv", "resumed writing fps.csv", "resumed writing doframe.csv",
                      "resumed writing dropFrames.csv", "resumed writing frames.csv"],
                     f"{what}: steps")
        checks.that(steps[:len(removed)] == removed, f"{what}: segments go before rows: {steps}")
        checks.that(any(kind == "lost" and "were not written" in text for kind, text in reported(out)),
                    f"{what}: rows that were left out are not reported")
        whole(checks, what, out)


def full(checks):
    """A full disk: rows wait in memory, and none is lost."""
    what = "full"
    with session() as (mount, instance, here), small_disk(here) as disk:
        out = disk / "out"
        capture = Capture(mount, instance, out)
        checks.that(capture.wait_ready(), f"{what}: jankd does not start")
        truth = here / "truth.csv"
        with playing(mount, instance, truth, 9) as phone:
            time.sleep(1)
            fill(disk / "filler", 0)
            time.sleep(2)
            # The first rotate closes what is on the disk; the second fails, as the rows wait in memory.
            jankd("rotate", "-F", out)
            again = jankd("rotate", "-F", out)
            checks.equal(again.returncode, 1, f"{what}: rotate: {again.stdout}")
            checks.that(b"No space left" in again.stderr, f"{what}: rotate: {again.stderr}")
            time.sleep(3)
            (disk / "filler").unlink()
            wait_for(checks, out, "the files can be written again")
            phone.wait(60)
        time.sleep(0.6)
        status = json.loads(jankd("status", "--json", "-F", out).stdout)
        checks.equal(status["last_words"], None, f"{what}: the end of the full disk is not reported")
        stopped = jankd("stop", "-F", out)
        checks.equal((stopped.returncode, b"No space" in stopped.stdout), (0, False), f"{what}: stop: {stopped}")
        said = ended(checks, what, capture)
        checks.equal(said.count("No space left"), 1, f"{what}: reported once")
        counted = [row for path in segments.paths(out, "frames.csv") for row in rows(path)]
        checks.equal(len(counted), len(rows(truth)), f"{what}: frames")
        whole(checks, what, out)


def full_for_long(checks):
    """More rows than fit in memory: the number of lost rows is reported, and the files hold whole rows."""
    what = "full for long"
    with session() as (mount, instance, here), small_disk(here) as disk:
        out = disk / "out"
        capture = Capture(mount, instance, out)
        checks.that(capture.wait_ready(), f"{what}: jankd does not start")
        time.sleep(1)
        fill(disk / "filler", 0)
        subprocess.run([LOAD, instance / "trace_marker", "10000", "6", "20", "20"], check=True, capture_output=True)
        (disk / "filler").unlink()
        wait_for(checks, out, "the files can be written again")
        stopped = jankd("stop", "-F", out)
        found = re.search(rb"(\d+) rows are not in the files", stopped.stderr)
        checks.that(stopped.returncode == 1 and found, f"{what}: stop: {stopped}")
        lost = json.loads((out / "session.json").read_text())["counters"]["rows_lost"]
        checks.equal(int(found[1]) if found else 0, lost, f"{what}: rows")
        capture.process.communicate(timeout=60)
        checks.equal(capture.process.returncode, 1, f"{what}: exit code")
        whole(checks, what, out)


def full_twice(checks):
    """A disk that is full again at the end is reported again: no capture fails without a message."""
    what = "full twice"
    with session() as (mount, instance, here), small_disk(here) as disk:
        out = disk / "out"
        capture = Capture(mount, instance, out)
        checks.that(capture.wait_ready(), f"{what}: jankd does not start")
        with playing(mount, instance, here / "truth.csv", 4) as phone:
            time.sleep(1)
            fill(disk / "filler", 0)
            time.sleep(2)
            (disk / "filler").unlink()
            wait_for(checks, out, "the files can be written again")
            phone.wait(60)
        time.sleep(2.5)
        fill(disk / "filler", 0)
        # The journal is open, so its removal frees no space.
        with (out / ".journal").open():
            stopped = jankd("stop", "-F", out)
        checks.that(stopped.returncode == 1 and b"No space left" in stopped.stderr, f"{what}: stop: {stopped}")
        said = capture.process.communicate(timeout=60)[1].decode()
        checks.equal(said.count("No space left"), 2, f"{what}: {said}")


def full_at_the_start(checks):
    """Nothing can be written: there is one error message, and no file without rows is left."""
    what = "full at the start"
    with session() as (mount, instance, here), small_disk(here) as disk:
        out = disk / "out"
        out.mkdir()
        (out / "fps.csv").write_bytes(EARLIER + b"1,2")
        fill(disk / "filler", 0)
        capture = Capture(mount, instance, out, "--duration", "2")
        error = capture.process.communicate(timeout=60)[1].decode(errors="replace")
        checks.equal(capture.process.returncode, 1, f"{what}: exit code: {error}")
        checks.that(error.count("\n") == 1 and "No space left" in error, f"{what}: {error!r}")
        left = [path.read_bytes() for path in out.iterdir() if path.suffix == ".csv"]
        checks.that(len(left) == 1 and left[0].startswith(EARLIER), f"{what}: files: {left}")


def folder_removed(checks, moved, replaced=False):
    what = "folder moved away" if moved else "folder removed"
    what += ", and another is there" if replaced else ""
    with session() as (mount, instance, here):
        out, truth = here / "out", here / "truth.csv"
        capture = Capture(mount, instance, out)
        checks.that(capture.wait_ready(), f"{what}: jankd does not start")
        with playing(mount, instance, truth, 8) as phone:
            time.sleep(3)
            if moved:
                out.rename(here / "away")
            else:
                remove_folder(out)
            if replaced:
                out.mkdir()
            wait_for(checks, out, "the folder was removed; recreated", 5)
            checks.that(wait_until((out / "session.json").exists, 2), f"{what}: no session.json")
            (out / "frames.csv").unlink()
            wait_for(checks, out, "frames.csv was removed", 5)
            phone.wait(60)
        time.sleep(0.6)
        ended(checks, what, capture)
        checks.that(rows(out, "fps.csv") and rows(out, "frames.csv"), f"{what}: no rows afterwards")
        checks.that(rows(out, "summary.csv") and (out / ".lock").exists(), f"{what}: not complete")
        whole(checks, what, out)
        if moved:
            whole(checks, f"{what}, the moved folder", here / "away")
            checks.that(rows(here / "away", "frames.csv"), f"{what}: no rows in the moved folder")


def events_are_written_soon(checks):
    """An event that the files report does not wait for the next regular drain, which is two seconds later."""
    what = "frames.csv removed"
    waited = []
    with session() as (mount, instance, here):
        out = here / "out"
        capture = Capture(mount, instance, out)
        checks.that(capture.wait_ready(), f"{what}: jankd does not start")
        with playing(mount, instance, here / "truth.csv", 20) as phone:
            time.sleep(3)
            for i in range(1, 4):
                wait_until((out / "frames.csv").exists, 5)
                (out / "frames.csv").unlink()
                found = lambda: [r for r in rows(out, "events.csv") if "frames.csv was removed" in r["text"]]
                if checks.that(wait_until(lambda: len(found()) == i, 6), f"{what}: no event {i}"):
                    waited.append(time.time() - datetime.datetime.fromisoformat(found()[-1]["wall time"].replace("Z", "+00:00")).timestamp())
            phone.terminate()
        ended(checks, what, capture)
        # On a busy machine each may be late for another reason.
        checks.that(waited and min(waited) < 1.2, f"{what}: its event came late: {waited}")


def folder_removed_at_the_end(checks):
    """No periodic check follows: the end of the capture makes the folder again, and reports it."""
    what = "folder removed at the end"
    with session() as (mount, instance, here):
        out = here / "out"
        capture = Capture(mount, instance, out)
        checks.that(capture.wait_ready(), f"{what}: jankd does not start")
        with playing(mount, instance, here / "truth.csv", 2) as phone:
            phone.wait(60)
        remove_folder(out)
        ended(checks, what, capture)
        checks.that(any("the folder was removed; recreated" in text for _, text in reported(out)), f"{what}: {reported(out)}")
        checks.equal([kind for kind, _ in reported(out)][-1:], ["stop"], f"{what}: {reported(out)}")
        checks.that(rows(out, "summary.csv"), f"{what}: not complete")
        whole(checks, what, out)


tracefs.root()
checks = Checks()
cases = [events_are_written_soon, folder_removed_at_the_end]
cases += [functools.partial(folder_removed, **how) for how in ({"moved": False}, {"moved": True}, {"moved": True, "replaced": True})]
if can_mount():
    cases = [floor, full, full_for_long, full_twice, full_at_the_start] + cases
else:
    checks.cannot_judge("a full disk", "no tmpfs can be mounted")
at_once(AT_ONCE, [functools.partial(case, checks) for case in cases])
checks.end()
