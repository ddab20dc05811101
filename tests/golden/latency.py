#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""--source latency with a stand-in for dumpsys that serves rings as SurfaceFlinger prints them: each frame of each layer
is in latency.csv once. The layers draw by the real clock, so the stand-in needs no state. usage: latency.py JANKD"""
import csv
import os
import pathlib
import subprocess
import sys
import tempfile
import time

PERIOD = 16_666_667
LAYERS = 20
DUMPSYS = f'''#!{sys.executable}
import sys, time
PERIOD, LAYERS = {PERIOD}, {LAYERS}
BEGIN = int(open(sys.argv[0] + ".begin").read())
args = sys.argv[1:]
if args[:2] == ["SurfaceFlinger", "--list"]:
    print("Display 0 name=\\"Built-in\\"#3")
    for i in range(LAYERS):
        name = f"com.a{{i}}/com.a{{i}}.Main#{{i}}"
        print(name if i % 2 else f"RequestedLayerState{{{{{{name}} parentId=7 z=-1}}}}")
    print("SurfaceView[com.dead/com.dead.Main]#0")
elif args[:2] == ["SurfaceFlinger", "--latency"]:
    print(PERIOD)
    rows = [(0, 0, 0)] * 127
    if len(args) > 2 and args[2].startswith("com.a"):
        layer = int(args[2].rpartition("#")[2])
        step = PERIOD * (1 + layer % 4)
        now = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        last = (now - BEGIN) // step
        for n in range(max(0, last - 126), last + 1):
            actual = BEGIN + n * step
            rows.append((actual - 1000, actual if now - actual > PERIOD else 2**63 - 1, actual - 5_000_000))
        rows = rows[-127:]
    elif len(args) > 2 and not args[2].startswith("SurfaceView"):
        rows = []
    for row in rows:
        print("%d\\t%d\\t%d" % row)
    print()
'''


def main():
    jankd = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        program = folder / "dumpsys"
        program.write_text(DUMPSYS)
        program.chmod(0o755)
        # The layers draw already: one that begins between two scans may lose what its ring overwrites until the next.
        begin = time.clock_gettime_ns(time.CLOCK_MONOTONIC) - 1_000_000_000
        (folder / "dumpsys.begin").write_text(str(begin))
        offset = time.clock_gettime_ns(time.CLOCK_BOOTTIME) - time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        none = subprocess.run([jankd, "run", "--source", "latency", "--duration", "3", "-F", folder / "none", "--include", "com.a7/com.a7.Mian"],
                              env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}, capture_output=True, text=True)
        events = (folder / "none/events.csv").read_text()
        if none.returncode or "--include com.a7/com.a7.Mian: no such layer; the nearest names are: com.a7/com.a7.Main#7" not in events:
            sys.exit(f"no such layer: exit {none.returncode}: {events}")
        run = subprocess.run([jankd, "run", "--source", "latency", "--duration", "14", "-F", folder / "out"],
                             env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}, capture_output=True, text=True)
        if run.returncode:
            sys.exit(f"exit {run.returncode}: {run.stdout}{run.stderr}")
        if "overwritten" in (folder / "out/events.csv").read_text():
            print("the machine was too busy to poll 20 layers before their rings were overwritten")
            sys.exit(77)
        rows = list(csv.DictReader((folder / "out/latency.csv").open()))
        failed = 0
        for layer in range(LAYERS):
            step = PERIOD * (1 + layer % 4)
            seen = [row for row in rows if row["layer"] == f"com.a{layer}/com.a{layer}.Main#{layer}"]
            numbers = [round((float(row["actual present(s)"]) * 1e9 - offset - begin) / step) for row in seen]
            if not numbers or numbers != list(range(numbers[0], numbers[0] + len(numbers))) or len(numbers) * step < 9e9:
                print(f"layer {layer}: {len(numbers)} frames, from {numbers[:3]} to {numbers[-3:]}")
                failed += 1
            if {row["vsyncs"] for row in seen[1:]} != {str(1 + layer % 4)}:
                print(f"layer {layer}: vsyncs {set(row['vsyncs'] for row in seen[1:])}")
                failed += 1
        fps = list(csv.DictReader((folder / "out/fps.csv").open()))
        for layer in range(LAYERS):
            frames = sum(int(row["frames"]) for row in fps if row["Surface"] == f"com.a{layer}/com.a{layer}.Main")
            if frames != sum(row["layer"].endswith(f"#{layer}") for row in rows) - 1:
                print(f"layer {layer}: {frames} frames in fps.csv")
                failed += 1
        sys.exit(1 if failed or not rows else 0)


main()
