# SPDX-License-Identifier: Apache-2.0
"""jank-phone plays into an instance of the kernel's tracefs while jankd reads it."""

import concurrent.futures
import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

import tracefs
from frames import per_layer, vsyncs_per_layer
from jankd import JANKD, PHONE, folder, rows
from measure import switches

# The least share of intervals whose vsyncs are those that were played.
VSYNCS_RIGHT = 0.99

# Needed to count wakeups.
PROC = pathlib.Path("/proc/self")

# If jank-phone was later than this, because the machine was busy, it played other vsyncs than its truth has.
LATE_MS = 2.0
TRIES = 3


class Capture:
    """A 'jankd run' on an instance."""

    def __init__(self, mount, instance, out, *arguments, device=None, **environment):
        self.begin = time.monotonic()
        self.out = out
        self.process = subprocess.Popen(
            [JANKD, "run", "--tracefs", mount, "--instance", instance.name,
             *([] if device else ["--no-atrace"]), "--frames-log", "-F", out, *arguments],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=device.environment(**environment) if device else {**os.environ, **environment})

    def wait_ready(self):
        """Waits for its first file: the trace is open then. Returns False if it ended instead."""
        while self.process.poll() is None:
            if (self.out / "events.csv").exists():
                return True
            time.sleep(0.02)
        return False

    def stop(self, number=signal.SIGINT):
        """Ends it by a signal. Returns its exit code, what it printed, and wakeups per second, None without /proc."""
        wakeups = switches(self.process.pid) / (time.monotonic() - self.begin) if PROC.exists() else None
        self.process.send_signal(number)
        out, error = self.process.communicate(timeout=60)
        return self.process.returncode, (out + error).decode(errors="replace"), wakeups


@contextlib.contextmanager
def session():
    """(tracefs, a new instance, a folder). Raises if the top level of tracefs has changed at the end."""
    mount = tracefs.root(processes=False)
    before = tracefs.witness(mount)
    with tracefs.instance(mount) as instance, folder() as here:
        yield mount, instance, here
    after = tracefs.witness(mount)
    if before != after:
        raise AssertionError(f"the top level of tracefs changed: {before} to {after}")


def remove_folder(folder):
    """Removes a folder into which a capture may write a file meanwhile."""
    for _ in range(100):
        try:
            return shutil.rmtree(folder)
        except OSError:
            time.sleep(0.01)
    return shutil.rmtree(folder)


def play(mount, instance, truth, *arguments):
    """Runs jank-phone; its last line on stderr says how late it was."""
    return subprocess.run([PHONE, "--tracefs", mount, "--instance", instance.name, "--truth", truth,
                           *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=300)


def right_vsyncs(truth, counted):
    """(intervals with the vsyncs that were played, intervals)."""
    right = total = 0
    expected, got = vsyncs_per_layer(truth), vsyncs_per_layer(counted)
    for layer, series in expected.items():
        for a, b in zip(series, got.get(layer, [])):
            if a != "":
                total += 1
                right += a == b
    return right, total


def judge_vsyncs(checks, what, truth, counted, late):
    """False if vsyncs are wrong and jank-phone was too late to judge them."""
    right, total = right_vsyncs(truth, counted)
    print(f"{what}: {right} of {total} intervals have the vsyncs of the truth; "
          f"jank-phone was late by {late} ms at most")
    good = right >= VSYNCS_RIGHT * total
    if not good and late > LATE_MS:
        return False
    checks.that(good, f"{what}: vsyncs are right for {right} of {total} intervals only")
    return True


def compare(checks, what, truth, out):
    """The files of @out hold the frames that were played, and no event was lost."""
    played, counted = per_layer(truth), per_layer(out / "frames.csv")
    print(f"{what}: truth {played.total()} frames, counted {counted.total()}")
    checks.that(played.total(), f"{what}: nothing was played")
    checks.equal({k: v for k, v in counted.items() if played[k] != v},
                 {k: played[k] for k in counted if played[k] != counted[k]}, f"{what}: frames")
    checks.equal(sorted(played.keys() - counted.keys()), [], f"{what}: layers that were not detected")
    lost = sum(int(row["lost events"]) for row in rows(out, "fps.csv") if row["lost events"] != "")
    checks.equal(lost, 0, f"{what}: lost events")
    checks.that("lost" not in {row["kind"] for row in rows(out, "events.csv")},
                f"{what}: events were lost")


def play_once(checks, what, arguments):
    """Plays and compares; False if the vsyncs could not be judged."""
    with session() as (mount, instance, here):
        capture = Capture(mount, instance, here / "out")
        if not checks.that(capture.wait_ready(), f"{what}: jankd does not start"):
            print(capture.process.stderr.read().decode(errors="replace"))
            return True
        truth = here / "truth.csv"
        phone = play(mount, instance, truth, *arguments)
        time.sleep(0.6)
        code, said, wakeups = capture.stop()
        account = phone.stderr.decode(errors="replace")
        checks.equal(phone.returncode, 0, f"{what}: jank-phone: {account[-500:]}")
        checks.equal(code, 0, f"{what}: jankd's exit code: {said[-500:]}")
        if wakeups is None:
            checks.cannot_judge(f"{what}: wakeups", "no /proc is mounted")
        else:
            print(f"{what}: {wakeups:.1f} wakeups/s")
            checks.that(wakeups < 20, f"{what}: {wakeups:.1f} wakeups/s: one for each event?")
        compare(checks, what, truth, here / "out")
        late = re.search(r"late by ([0-9.]+) ms at most", account)
        return judge_vsyncs(checks, what, truth, here / "out" / "frames.csv",
                            float(late.group(1)) if late else 0.0)


def at_once(number, cases):
    """Calls all @cases, @number at a time: they mostly wait, and each has its own instance."""
    with concurrent.futures.ThreadPoolExecutor(number) as pool:
        for ended in [pool.submit(case) for case in cases]:
            ended.result()


def check_played(checks, what, *arguments):
    """Runs jank-phone with @arguments during a capture and compares the rows with what was played."""
    for _ in range(TRIES):
        if play_once(checks, what, arguments):
            return
    checks.cannot_judge(what, f"this machine is too busy to play vsyncs in time, {TRIES} times of {TRIES}")
