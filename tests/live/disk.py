# SPDX-License-Identifier: Apache-2.0
"""A capture continues when the disk is full, or its folder is removed or moved; it reports that, and later rows are whole. Files
that other programs cut or replace: unit other_programs."""

import contextlib
import datetime
import json
import re
import shutil
import time
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
import segments
from daemon import wait_until
from jankd import folder, jankd, rows
from live import checks, remove_folder, run, session
from mounts import pinned, tmpfs

FLOOR = 512 * 1024
QUICK = 4


@contextlib.contextmanager
def small_disk(what):
    """A session whose folder is on a small disk; .filler is a file that can fill it."""
    with session(what) as s:
        disk = s.here / "disk"
        disk.mkdir()
        with tmpfs("2M", disk):
            s.out, s.filler = disk / "out", disk / "filler"
            yield s


def fill(s, leave=0):
    """Fills the disk except for @leave bytes. A file that is replaced meanwhile frees a page."""
    with contextlib.suppress(OSError), open(s.filler, "wb", buffering=0) as filler:
        while shutil.disk_usage(s.filler.parent).free > leave:
            filler.write(bytes(4096))


def all_texts(s):
    """The events in all segments; the last row may be incomplete."""
    return [row["text"] or "" for row in segments.rows(s.out, "events.csv")]


def wait_for(s, *words):
    """Waits for an event with each of @words."""
    for word in words:
        found = False
        deadline = time.monotonic() + 15
        while not found and time.monotonic() < deadline:
            with contextlib.suppress(FileNotFoundError):
                found = any(word in text for text in all_texts(s))
            time.sleep(0.05)
        s.that(found, f"no event '{word}' within 15 s: {all_texts(s)}")


def ended(s, phone, capture, code=0):
    phone.terminate()
    phone.communicate()
    return s.stop(capture, code=code)


def floor():
    """The steps of --min-free, and back when there is space again."""
    with small_disk("floor") as s:
        capture = s.run("--min-free", str(FLOOR), "--rotate-size", "4096", "-T", "2", quick=QUICK)
        phone = s.phone(seconds=60)
        s.until(lambda: len(segments.numbers(s.out)) >= 3, "segments", 20)
        fill(s, FLOOR // 2)
        wait_for(s, "removed segment", "stopped writing frames.csv", "stopped writing dropFrames.csv", "stopped writing fps.csv")
        s.filler.unlink()
        wait_for(s, "resumed writing fps.csv", "resumed writing dropFrames.csv", "resumed writing frames.csv")
        frames = len(segments.joined(s.out, "frames.csv"))
        s.until(lambda: len(segments.joined(s.out, "frames.csv")) > frames, "frames.csv grows again")
        ended(s, phone, capture)
        texts = all_texts(s)
        steps = [text.split(": ", 1)[1].split(" (", 1)[0] for text in texts if " bytes free, --min-free " in text]
        removed = [step for step in steps if step.startswith("removed segment")]
        s.equal(removed, sorted(removed), "the oldest segment goes first")
        s.equal([step for step in steps if step not in removed],
                ["stopped writing frames.csv", "stopped writing dropFrames.csv", "stopped writing doframe.csv",
                 "stopped writing fps.csv", "resumed writing fps.csv", "resumed writing doframe.csv",
                 "resumed writing dropFrames.csv", "resumed writing frames.csv"], "steps")
        s.that(steps[:len(removed)] == removed, f"segments go before rows: {steps}")
        s.that(any("were not written" in text for text in texts), "rows that were left out are not reported")
        s.equal(segments.damage(s.out), [], "files")


def full():
    """A full disk: rows wait in memory, and none is lost. One that is full again at the end is reported again."""
    with small_disk("full") as s:
        capture = s.run(quick=QUICK)
        phone = s.phone(seconds=7)
        s.until(s.frames, "frames")
        fill(s)
        wait_for_status = lambda: json.loads(jankd("status", "--json", "-F", s.out).stdout)["last_words"]
        s.until(wait_for_status, "the full disk is reported")
        # The first rotate closes what is on the disk; a later one fails, as the rows wait in memory.
        failed = lambda done: done.returncode == 1 and b"No space left" in done.stderr
        s.until(lambda: failed(jankd("rotate", "-F", s.out)), "rotate fails", 5)
        time.sleep(1)
        s.filler.unlink()
        wait_for(s, "the files can be written again")
        s.equal(wait_for_status(), None, "its end is not reported")
        played = s.played(phone)
        s.until(lambda: len(segments.rows(s.out, "frames.csv")) == played, f"{played} frames")
        s.equal(segments.damage(s.out), [], "files")
        fill(s)
        # The journal is open, so its removal frees no space.
        with (s.out / ".journal").open():
            stopped = jankd("stop", "-F", s.out)
        s.that(stopped.returncode == 1 and b"No space left" in stopped.stderr, f"stop: {stopped}")
        code, said = capture.ended()
        s.equal(said.count("No space left"), 2, f"reported twice: {code} {said}")


def full_for_long():
    """More rows than fit in memory: the number of lost rows is reported, and the files hold whole rows."""
    with small_disk("full for long") as s:
        capture = s.run()
        fill(s)
        s.loaded(s.load(10000, 6, threads=20))
        s.filler.unlink()
        wait_for(s, "the files can be written again")
        stopped = jankd("stop", "-F", s.out)
        found = re.search(rb"(\d+) rows are not in the files", stopped.stderr)
        s.that(stopped.returncode == 1 and found, f"stop: {stopped}")
        lost = s.counters()["rows_lost"]
        s.equal(int(found[1]) if found else 0, lost, "rows")
        s.equal(capture.ended()[0], 1, "exit code")
        s.equal(segments.damage(s.out), [], "files")


def folder_replaced():
    """The folder is moved away and another is there, then that one is removed: rows go into a new one. An event about a
    file does not wait for the next regular drain, which is two seconds later."""
    with session("folder replaced") as s:
        capture = s.run()
        phone = s.phone(seconds=60)
        s.until(s.frames, "frames")
        s.out.rename(s.here / "away")
        s.out.mkdir()
        wait_for(s, "the folder was removed, and jankd created it again")
        s.until((s.out / "session.json").exists, "session.json")
        remove_folder(s.out)
        wait_for(s, "the folder was removed, and jankd created it again")
        waited, what = [], "frames.csv was removed"
        for i in range(1, 7):
            s.until(lambda: (s.out / "frames.csv").exists() and s.frames(), "frames.csv")
            (s.out / "frames.csv").unlink()
            found = lambda: [row for row in rows(s.out, "events.csv") if what in row["text"]]
            if s.that(wait_until(lambda: len(found()) >= i, 6), f"no event {i}"):
                wall = datetime.datetime.fromisoformat(found()[-1]["wall time"].replace("Z", "+00:00"))
                waited.append(time.time() - wall.timestamp())
            if i >= 3 and waited and min(waited) < 1.2:
                break
        # On a busy machine each may be late for another reason.
        s.that(waited and min(waited) < 1.2, f"its event came late: {waited}")
        s.until(lambda: s.frames() and s.frames("fps.csv") and (s.out / ".socket").exists(), "rows afterwards, a socket")
        ended(s, phone, capture)
        s.that(s.frames("summary.csv") and (s.out / ".lock").exists(), "not complete")
        s.equal(segments.damage(s.out), [], "files")
        s.equal(segments.damage(s.here / "away"), [], "files of the moved folder")
        s.that(rows(s.here / "away", "frames.csv"), "no rows in the moved folder")


def folder_removed_at_the_end():
    """No periodic check follows: the end of the capture makes the folder again, and reports it."""
    with session("folder removed at the end") as s:
        capture = s.run()
        s.play()
        remove_folder(s.out)
        s.stop(capture)
        s.that(any("the folder was removed, and jankd created it again" in text for text in s.texts()), f"{s.texts()}")
        s.equal([row["kind"] for row in rows(s.out, "events.csv")][-1:], ["stop"], f"{s.texts()}")
        s.that(s.frames("summary.csv"), "not complete")
        s.equal(segments.damage(s.out), [], "files")


def pinned_file():
    """A file in the place of frames.csv that cannot be renamed: the message names it."""
    with session("pinned") as s:
        capture = s.run(quick=QUICK)
        before = s.play()
        s.until(lambda: s.frames() == before, "frames before it")
        (s.out / "new").write_text("of another program\n")
        (s.out / "new").rename(s.out / "frames.csv")
        with pinned(s.out / "frames.csv") as is_pinned:
            after = s.play()
            time.sleep(1)
        said = capture.stop()[1]
        if not is_pinned:
            s.cannot_judge("nothing can be mounted here")
            return
        s.that("frames.csv in " in said and "busy" in said and "No such file" not in said, said)
        s.that(s.frames() >= after, f"{s.frames()} frames")


def moved_for_good():
    """A folder that was moved and cannot be made again: rows are written into the moved one, and the reason is reported."""
    with session("moved for good") as s:
        parent, there = s.here / "parent", s.here / "moved" / "out"
        s.out = parent / "out"
        capture = s.run(quick=QUICK)
        parent.rename(s.here / "moved")
        parent.write_bytes(b"mine")
        before = s.play()
        s.until(lambda: s.texts("lost", there), "a report")
        s.until(lambda: len(rows(there, "frames.csv")) == before, "frames in the moved folder")
        s.equal(s.texts("lost", there), ["the folder: Not a directory; unwritten rows are kept in memory"], "reported")
        parent.unlink()
        s.until((s.out / "frames.csv").exists, "the folder is made again")
        after = s.play()
        s.stop(capture)
        s.equal((len(rows(there, "frames.csv")), s.frames()), (before, after), "frames")
        s.that(not (there / ".journal").exists(), "a journal is left")


cases = [folder_replaced, folder_removed_at_the_end, pinned_file, moved_for_good]
with folder() as here, tmpfs("2M", here) as mounted:
    if mounted:
        cases += [floor, full, full_for_long]
    else:
        checks.cannot_judge("a full disk", "no tmpfs can be mounted")
run(*cases)
