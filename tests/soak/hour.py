#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""hour.py [MINUTES [SCENARIO [VOCABULARY]]]: jank-phone plays live for an hour (60, game-30, android-14).

Run by hand, best on a busy machine. Prints the refresh rates that jankd reported, how many intervals
are wrong or unknown although their frames were played in time, the lost events, and the growth of its
memory. The exit code is 1 if a rate or such an interval is wrong.
"""

import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import tracefs
from frames import per_layer, vsyncs_per_layer
from jankd import PHONE, folder, rows
from live import Capture


def resident_kb(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0


def account(truth, out):
    """(intervals played in time, wrong ones, unknown ones)"""
    known = wrong = unknown = 0
    counted = vsyncs_per_layer(out / "frames.csv")
    for layer, series in vsyncs_per_layer(truth).items():
        for played, said in zip(series, counted.get(layer, [])):
            if played == "":
                continue
            known += 1
            unknown += said == ""
            wrong += said not in ("", played)
    return known, wrong, unknown


minutes = float(sys.argv[1]) if len(sys.argv) > 1 else 60
scenario = sys.argv[2] if len(sys.argv) > 2 else "game-30"
vocabulary = sys.argv[3] if len(sys.argv) > 3 else "android-14"
mount = tracefs.root()
with tracefs.instance(mount) as instance, folder() as here:
    capture = Capture(mount, instance, here / "out")
    if not capture.wait_ready():
        sys.exit("jankd does not start: " + capture.process.stderr.read().decode(errors="replace"))
    with open(here / "said", "wb") as said:
        phone = subprocess.Popen(
            [PHONE, "--tracefs", mount, "--instance", instance.name, "--truth", here / "truth.csv",
             "--scenario", scenario, "--vocabulary", vocabulary, "--seconds", "30", "--loops",
             str(max(1, round(minutes * 2)))], stdin=subprocess.DEVNULL, stderr=said)
        time.sleep(10)
        begin_kb = resident_kb(capture.process.pid)
        phone.wait()
    end_kb = resident_kb(capture.process.pid)
    time.sleep(2)
    code, text, wakeups = capture.stop()
    played, counted = per_layer(here / "truth.csv"), per_layer(here / "out" / "frames.csv")
    known, wrong, unknown = account(here / "truth.csv", here / "out")
    events = rows(here / "out", "events.csv")
    rates = [e["text"] for e in events if e["kind"] == "refresh"]
    lost = [e["text"] for e in events if e["kind"] == "lost"]
    print((here / "said").read_text(encoding="utf-8", errors="replace").strip()[-300:])
    print(f"{minutes:g} minutes of {scenario} in the words of {vocabulary}, exit code {code}")
    print(f"frames: {counted.total()} of {played.total()}; lost: {lost or 'none'}")
    print(f"refresh rates: {rates}")
    print(f"intervals whose frames were in time: {known}; wrong {wrong}, unknown {unknown}")
    print(f"memory: {begin_kb} KB after 10 s, {end_kb} KB at the end; {wakeups:.1f} wakeups/s")
    if wrong or len(rates) != 1 or counted != played:
        sys.exit(1)
