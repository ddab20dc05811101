# SPDX-License-Identifier: Apache-2.0
"""boot.py RELEASE PACKAGE ARCHITECTURE RAW SCRIPT...: captures as on a phone, by the static programs on a kernel of Debian in qemu.

The scripts: capture (raw into memory and text onto a card with vfat, or the other way with RAW=card; rotations, a kill), shell (Android's user shell
uses what it may read, and the rest is one clear line), hotplug (CPUs come and go), power-cut (on a card). The files have the frames that were played,
and the settings of tracing are restored. Only what the kernel's own statistics count as lost may be missing."""

import collections
import json
import os
import re
import shutil
import subprocess
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
import cross
import segments
from guest import Guest
from jankd import checks, folder, rows, skip
from kernels import Kernel

# Frames of this time before a kill may be missing: a read comes 2 s after the one before, less what frames wait above 0.65 s (jankd(7) has
# the bounds), and a guest without KVM beside other tests wakes the daemon up to 0.3 s late.
BEFORE_KILL_S = 2.95
BEFORE_START_S = 0.5  # The same for the last frames in the buffers that the next start takes.
# The daemon's memory with all files, with pages of 4 KB.
MEMORY_MAX_KB = 3500
CARD_SIZE = 48 << 20
# jankd reads what is left of a trace for 10 s. A guest beside other tests may need longer for the text of the buffers when a start takes them.
READ_S, NOT_READ = 10, "the last events of the trace were not read: that took more than 10 s"
# What the kernel did not keep, in the statistics of a CPU.
LOST = re.compile(r"^(?:overrun|commit overrun|dropped events): (\d+)", re.M)


def make_card(path):
    """An image of a card with vfat."""
    program = shutil.which("mkfs.vfat", path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
    if not program:
        skip("no mkfs.vfat; on Debian: apt-get install dosfstools")
    with path.open("wb") as file:
        file.truncate(CARD_SIZE)
    subprocess.run([program, "-F", "32", path], check=True, capture_output=True)
    return path


def text(path):
    return path.read_text(errors="replace").strip()


def times_by_layer(*paths):
    """layer: [times of its frames in seconds]"""
    found = collections.defaultdict(list)
    for path in paths:
        for row in rows(path):
            found[row["layer"]].append(float(row["present(s)"]))
    return {layer: sorted(times) for layer, times in found.items()}


def number_of_frames(*paths):
    return {layer: len(times) for layer, times in times_by_layer(*paths).items()}


def frames_of(part):
    """All segments of frames.csv as one file."""
    path = part / "frames.csv"
    path.write_bytes(segments.joined(part / "files", "frames.csv") or b"")
    return path


def check_part(checks, part, source, *commands):
    """What each part must fulfil: its commands succeed, the settings of tracing are those of before, rows are whole, and what the
    kernel lost is reported, and nothing else. True if it did and lost nothing: then all frames must be there."""
    done = [checks.equal(text(part / f"{name}.code"), "0", f"{part.name}: {name}: {text(part / f'{name}.error')}") for name in (*commands, "status", "stop")]
    if not all(done):
        return False
    state = json.loads(text(part / "status.said"))["source"]
    print(f"{part.name}: reads {state['kind']}: {state['why']}", flush=True)
    checks.equal(state["kind"], source, f"{part.name}: source")
    # A buffer that was never used has '7 (expanded: 1408)' KB: it would be larger in use. After a use 7 is the whole text.
    before, after = ([line.partition(" (expanded")[0].strip() for line in text(part / name).splitlines()] for name in ("before", "after"))
    checks.that(len(before) > 5, f"{part.name}: settings {before}")
    checks.equal(after, before, f"{part.name}: settings")
    checks.equal(segments.damage(part / "files"), [], f"{part.name}: files")
    every = [(row["kind"], row["text"]) for row in segments.rows(part / "files", "events.csv")]
    events = [text for kind, text in every if kind == "lost"]
    lost = {row["lost events"] for row in segments.rows(part / "files", "fps.csv")}
    by_kernel = sum(map(int, LOST.findall(text(part / "stats"))))
    print(f"{part.name}: lost by the kernel: {by_kernel}, events {events}", flush=True)
    if NOT_READ in events and (part / "started").exists() and float(text(part / "started")) - float(text(part / "starting")) > READ_S:
        events.remove(NOT_READ)
    checks.equal(bool(events), by_kernel > 0, f"{part.name}: a loss is reported in events.csv")
    # Another program that reads the trace or stops it for a moment hides events without a loss of the kernel.
    hidden = [text for kind, text in every if kind == "tracing"]
    checks.that(lost != {"0"} if events else lost == {"0"} or hidden, f"{part.name}: lost events in rows: {lost}, {every}")
    played = number_of_frames(*part.glob("truth-*.csv"), *segments.paths(part / "found" / "fps", "frames.csv"))
    for layer, number in number_of_frames(frames_of(part)).items():
        checks.that(number <= played.get(layer, 0), f"{part.name}: {layer}: {number} frames, more than were played")
    return by_kernel == 0


def check_frames(checks, part, source):
    """A capture of one scenario without a kill."""
    if check_part(checks, part, source, "start", "play-1"):
        checks.equal(number_of_frames(frames_of(part)), number_of_frames(part / "truth-1.csv"), f"{part.name}: frames: {text(part / 'files' / 'events.csv')}")


def third_run(path, part):
    """layer: {frame number: time in seconds} of the third scenario, whose numbers begin with 1"""
    found = collections.defaultdict(dict)
    before, during, after = (sum(times_by_layer(part / f"truth-{number}.csv").values(), []) for number in (2, 3, 4))
    begin, end = (max(before) + min(during)) / 2, (max(during) + min(after)) / 2
    for row in rows(path):
        if row["frame number"] and begin < float(row["present(s)"]) < end:
            found[row["layer"]][int(row["frame number"])] = float(row["present(s)"])
    return found


def check_gap(checks, what, part):
    """The files have the frames that were played, except for those around the kill, which the daemon had read and not written, and
    those played while the next start sets tracing up, after it took what was in the buffers."""
    killing, killed, starting, started = (float(text(part / name)) for name in ("killing", "killed", "starting", "started"))
    counted, run = times_by_layer(frames_of(part)), third_run(frames_of(part), part)
    played = times_by_layer(*part.glob("truth-*.csv"))
    missing, late = [], 0
    for layer, times in times_by_layer(part / "truth-3.csv").items():
        late = max([late, *(abs(time_s - times[number - 1]) for number, time_s in run[layer].items())])
        missing += [times[i] for i in range(len(times)) if i + 1 not in run[layer]]
        checks.equal(len(counted[layer]) - len(run[layer]), len(played[layer]) - len(times), f"{what}: {layer}: frames of the others")
    taken = [line for line in segments.joined(part / "files", "events.csv").decode().splitlines() if "after a kill" in line]
    groups = {"at the kill": [], "at the start": [], "else": []}
    for time_s in sorted(missing):
        at = ("at the kill" if killing - BEFORE_KILL_S - late <= time_s <= killed + late else
              "at the start" if starting - BEFORE_START_S - late <= time_s <= started else "else")
        groups[at].append(round(time_s - killed, 2))
    print(f"{what}: {sum(map(len, played.values()))} frames were played; missing, in s after the kill: "
          + ", ".join(f"{len(times)} {at}, {times[0]} to {times[-1]}" for at, times in groups.items() if times)
          + f"; started {starting - killed:.2f} to {started - killed:.2f}; frames were written up to {late:.2f} s late; {taken}", flush=True)
    checks.equal(len(taken), 1, f"{what}: events about the buffers")
    checks.equal(groups["else"], [], f"{what}: missing at another time")
    checks.that(times_by_layer(part / "truth-4.csv"), f"{what}: no frame was played after the gap")


def check_capture(checks, part, source, kernel):
    if check_part(checks, part, source, "start-1", "play-1", "rotate", "play-2", "start-2"):
        check_gap(checks, part.name, part)
    if not text(part / "memory"):
        return
    memory = dict(line.split(":") for line in text(part / "memory").splitlines())
    print(f"{part.name}: memory of jankd: {[(name, memory[name].strip()) for name in ('VmHWM', 'VmRSS', 'RssAnon')]}", flush=True)
    if "16k" not in kernel.version:
        checks.that(int(memory["VmRSS"].split()[0]) <= MEMORY_MAX_KB, f"{part.name}: memory: {memory['VmRSS'].strip()}")


def check_doctor(checks, part, *lines):
    said = text(part / "doctor.said")
    for line in lines:
        checks.that(line in said, f"{part.name}: doctor: no '{line}' in {said}")


def check_refused(checks, part):
    """Nothing may be read: one line names it, nothing was changed, and no folder is left."""
    said = text(part / "start.error")
    checks.equal(text(part / "start.code"), "1", f"{part.name}: exit code")
    checks.that(said.startswith("jankd: start: ") and said.count("\n") == 0 and "trace_pipe" in said, f"{part.name}: {said}")
    checks.equal(text(part / "after"), text(part / "before"), f"{part.name}: settings")


def as_repaired(path):
    """The file as the next start leaves it: without a last row that is not whole."""
    data = path.read_bytes().partition(b"\0")[0]
    path.write_bytes(data[:data.rfind(b"\n") + 1])
    return path


def power_cut(checks, guest, here):
    """Two captures end with the power; the next start repairs their files and continues in the same folder."""
    card = make_card(here / "cut.img")
    for what in ("rows synced every second", "rows written by the kernel"):
        said = guest.boot(checks, ["cut"], None, card, cut_at="guest: cut the power at ")
        print(f"power cut: {what}: {said[-1]}", flush=True)
    guest.boot(checks, ["repair"], here / "repair", card)
    part = here / "repair" / "repair"
    found = part / "found" / "fps"
    for path in found.glob("*.csv"):
        size = path.stat().st_size
        print(f"power cut: {path.name}: {size} bytes, {size - as_repaired(path).stat().st_size} of them after the last whole row", flush=True)
    # More than four seconds before the cut all of the first scenario was played.
    truth = number_of_frames(part / "found" / "truth.csv")
    first = number_of_frames(found / "frames-000001.csv")
    checks.equal({layer: first.get(layer) for layer in truth}, truth, "power cut: frames that were synced")
    if check_part(checks, part, "trace_pipe_raw", "start", "play-1"):
        checks.equal(number_of_frames(frames_of(part)), number_of_frames(*segments.paths(found, "frames.csv"), part / "truth-1.csv"),
                     "power cut: frames of before the cuts and after them")


def main(release, package, architecture, raw, *scripts):
    kernel = Kernel(release, package, architecture)
    name = architecture.replace("hf", "")
    cross.build(name)
    with checks, folder() as here:
        guest = Guest(kernel, {program: cross.OUT / f"{program}-{name}" for program in ("jankd", "jank-phone")}, here)
        in_one = [script for script in scripts if script != "power-cut"]
        guest.boot(checks, in_one, here / "out", make_card(here / "card.img"), raw=raw)
        for name, source in (("raw", "trace_pipe_raw"), ("text", "trace_pipe")):
            if "capture" in scripts:
                check_capture(checks, here / "out" / name, source, kernel)
            if "hotplug" in scripts:
                check_frames(checks, here / "out" / f"hotplug-{name}", source)
        if "shell" in scripts:
            check_frames(checks, here / "out" / "reader", "trace_pipe_raw")
            check_refused(checks, here / "out" / "shell")
            check_doctor(checks, here / "out" / "shell", "problem  trace_pipe: cannot be read: Permission denied; run jankd as root")
            check_doctor(checks, here / "out" / "reader-text", "ok       user: shell (uid 2000), in the group readtracefs",
                         "ok       trace_pipe: can be read", "note     raw: ")
            check_frames(checks, here / "out" / "reader-text", "trace_pipe")
            check_frames(checks, here / "out" / "shell-text", "trace_pipe")
        if "power-cut" in scripts:
            power_cut(checks, guest, here)


if __name__ == "__main__":
    main(*sys.argv[1:])
