#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""boot.py RELEASE PACKAGE ARCHITECTURE PART...: captures as on a phone, by the static programs on a kernel of Debian in qemu.

The parts: capture (raw into memory, text onto a card with vfat; rotations, a kill), capture-swapped (the other way), shell
(Android's user shell uses what it may read, and the rest is one clear line), hotplug (CPUs come and go), power-cut (on a
card). The files have the frames that were played, and the settings of tracing are restored."""

import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import cross
import segments
from guest import Guest
from jankd import SOURCE, Checks, folder, rows, skip
from kernels import Kernel

# Frames of this time before a kill may be missing: they wait for the vsyncs behind them, and then for the next write.
BEFORE_KILL_S = 2.6
# A frame is written this much later than the time that the truth has for it if the guest is too busy.
BUSY_S = 3.0
# The daemon's memory with all files, with pages of 4 KB.
MEMORY_MAX_KB = 3500
CARD_SIZE = 48 << 20


def device_programs(architecture, into):
    """The static programs of an architecture in the folder @into, named as on a device."""
    name = {"arm64": "arm64", "armhf": "arm"}[architecture]
    cross.build(name)
    into.mkdir()
    for program in ("jankd", "jank-phone"):
        (into / program).write_bytes((cross.OUT / f"{program}-{name}").read_bytes())
    return into


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


# --- what every part must fulfil ---


def check_commands(checks, what, part, *names):
    for name in names:
        checks.equal(text(part / f"{name}.code"), "0", f"{what}: {name}: {text(part / f'{name}.error')}")


def check_settings(checks, what, part):
    """The settings of tracing are those of before. A buffer that was never used has '7 (expanded: 1408)' KB: it would be
    larger in use. After a use 7 is the whole text."""
    before, after = ([line.partition(" (expanded")[0].strip() for line in text(part / name).splitlines()]
                     for name in ("before", "after"))
    checks.that(len(before) > 5, f"{what}: settings {before}")
    checks.equal(after, before, f"{what}: settings")


def check_files(checks, what, files):
    """Rows are whole, and no event was lost."""
    for name in segments.GROWING:
        for path in segments.paths(files, name):
            checks.that(segments.is_whole(path.read_bytes()), f"{what}: {path.name} is not whole")
    losses = [row["text"] for path in segments.paths(files, "events.csv") for row in rows(path) if row["kind"] == "lost"]
    checks.equal(losses, [], f"{what}: events of loss")
    losses = [row["lost events"] for path in segments.paths(files, "fps.csv") for row in rows(path)]
    checks.equal(set(losses), {"0"}, f"{what}: lost events of rows")


def joined_frames(part):
    """All segments of frames.csv as one file."""
    path = part / "frames.csv"
    path.write_bytes(segments.joined(part / "files", "frames.csv") or b"")
    return path


def check_frames(checks, what, part):
    """The files have exactly the frames that were played."""
    done = subprocess.run([SOURCE / "tools" / "compare_frames.py", part / "truth-1.csv", joined_frames(part)],
                          capture_output=True, text=True)
    print(f"{what}: {done.stdout.strip()}", flush=True)
    checks.equal(done.returncode, 0, f"{what}: {done.stdout} {done.stderr}")


# --- a kill ---


def times_by_layer(*paths):
    """layer: [times of its frames in seconds]"""
    found = collections.defaultdict(list)
    for path in paths:
        for row in rows(path):
            found[row["layer"]].append(float(row["present(s)"]))
    return {layer: sorted(times) for layer, times in found.items()}


def third_run(path, part):
    """layer: {frame number: time in seconds} of the third scenario, whose numbers begin with 1"""
    found = collections.defaultdict(dict)
    before, after = (sum(times_by_layer(part / f"truth-{number}.csv").values(), []) for number in (2, 3))
    begin = (max(before) + min(after)) / 2
    for row in rows(path):
        if row["frame number"] and float(row["present(s)"]) > begin:
            found[row["layer"]][int(row["frame number"])] = float(row["present(s)"])
    return found


def check_gap(checks, what, part):
    """The files have the frames that were played, except for two gaps: around the kill, of what the daemon had read and not
    written; and while the next start sets tracing up, after it took what was in the buffers."""
    killing, killed, started = (float(text(part / name)) for name in ("killing", "killed", "started"))
    path = joined_frames(part)
    counted = times_by_layer(path)
    played = times_by_layer(*part.glob("truth-*.csv"))
    checks.equal(sorted(counted.keys() - played.keys()), [], f"{what}: layers that were not played")
    missing, late = [], 0
    found = third_run(path, part)
    for layer, times in times_by_layer(part / "truth-3.csv").items():
        run = found[layer]
        late = max([late, *(abs(time_s - times[number - 1]) for number, time_s in run.items())])
        missing += [times[i] for i in range(len(times)) if i + 1 not in run]
        checks.equal(len(counted[layer]) - len(run), len(played[layer]) - len(times), f"{what}: {layer}: frames from before")
    missing.sort()
    cuts = [i for i in range(1, len(missing)) if missing[i] - missing[i - 1] > 0.5]
    gaps = [missing[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(missing)])]
    taken = [line for line in segments.joined(part / "files", "events.csv").decode().splitlines() if "after a kill" in line]
    print(f"{what}: {sum(map(len, played.values()))} frames were played; missing: "
          + ", ".join(f"{len(gap)} played {gap[0] - killed:.2f} to {gap[-1] - killed:.2f} s after the kill" for gap in gaps if gap)
          + f"; started again {started - killed:.2f} s after it; frames were written up to {late:.2f} s late; {taken}", flush=True)
    if late > BUSY_S:
        checks.cannot_judge(what, "the guest is too slow on this machine")
        return
    checks.equal(len(taken), 1, f"{what}: events about the buffers")
    checks.that(len(gaps) <= 2, f"{what}: {len(gaps)} gaps")
    checks.that(killing - BEFORE_KILL_S - late <= gaps[0][0] and gaps[0][-1] <= killed + late, f"{what}: the gap around the kill")
    checks.that(all(gap[-1] <= started for gap in gaps), f"{what}: frames are missing after the start")
    checks.that(any(time_s > started for times in counted.values() for time_s in times), f"{what}: no frame after the gap")


def check_memory(checks, what, part, kernel):
    memory = dict(line.split(":") for line in text(part / "memory").splitlines())
    names = ("VmHWM", "VmRSS", "RssAnon")
    print(f"{what}: memory of jankd: {', '.join(f'{name}: {memory[name].strip()}' for name in names)}", flush=True)
    if "16k" not in kernel.version:
        checks.that(int(memory["VmRSS"].split()[0]) <= MEMORY_MAX_KB, f"{what}: memory: {memory['VmRSS'].strip()}")


def check_capture(checks, what, part, source, kernel):
    check_commands(checks, what, part, "start-1", "play-1", "rotate", "play-2", "start-2", "status", "stop")
    check_settings(checks, what, part)
    check_files(checks, what, part / "files")
    check_gap(checks, what, part)
    checks.equal(json.loads(text(part / "status.said"))["source"]["kind"], source, f"{what}: source")
    check_memory(checks, what, part, kernel)


# --- the user shell ---


def check_shell(checks, what, part, source):
    """A capture with what the user may read."""
    check_commands(checks, what, part, "start", "play-1", "stop")
    check_settings(checks, what, part)
    check_files(checks, what, part / "files")
    check_frames(checks, what, part)
    state = json.loads(text(part / "status.said"))["source"]
    print(f"{what}: reads {state['kind']}: {state['why']}; {text(part / 'start.error')}", flush=True)
    checks.equal(state["kind"], source, f"{what}: source")


def check_refused(checks, what, part):
    """Nothing may be read: one line names it, and nothing was changed."""
    said = text(part / "start.error")
    print(f"{what}: {said}", flush=True)
    checks.equal(text(part / "start.code"), "1", f"{what}: exit code")
    checks.that(said.startswith("jankd: start: ") and said.count("\n") == 0 and "trace_pipe" in said, f"{what}: {said}")
    checks.equal(text(part / "after"), text(part / "before"), f"{what}: settings")


# --- the guest ---


def captures(checks, guest, here, script, raw, text_):
    """@raw, @text_: where their files are."""
    guest.boot(checks, script, here / "capture", 400, card=make_card(here / "card.img"))
    check_capture(checks, f"raw, {raw}", here / "capture" / "raw", "trace_pipe_raw", guest.kernel)
    check_capture(checks, f"text, {text_}", here / "capture" / "text", "trace_pipe", guest.kernel)


def capture(checks, guest, here):
    captures(checks, guest, here, "capture.sh", "memory", "card")


def capture_swapped(checks, guest, here):
    captures(checks, guest, here, "capture-swapped.sh", "card", "memory")


def shell(checks, guest, here):
    guest.boot(checks, "shell.sh", here / "shell", 300, card=make_card(here / "shell.img"))
    check_shell(checks, "group readtracefs", here / "shell" / "reader", "trace_pipe_raw")
    check_refused(checks, "not in the group", here / "shell" / "shell")
    check_shell(checks, "group readtracefs, no per_cpu, card", here / "shell" / "reader-text", "trace_pipe")
    check_shell(checks, "trace_pipe of an old kernel, card", here / "shell" / "shell-text", "trace_pipe")


def as_repaired(path):
    """The file as the next start leaves it: without a last row that is not whole."""
    data = path.read_bytes().partition(b"\0")[0]
    path.write_bytes(data[:data.rfind(b"\n") + 1])
    return path


def number_of_frames(*paths):
    return {layer: len(times) for layer, times in times_by_layer(*paths).items()}


def power_cut(checks, guest, here):
    """Two captures end with the power; the next start repairs their files and continues in the same folder."""
    card = make_card(here / "cut.img")
    for what in ("rows synced every second", "rows written by the kernel"):
        said = guest.boot(checks, "cut.sh", None, 200, cut_at="guest: cut the power at ", card=card)
        print(f"power cut: {what}: {said[-1]}", flush=True)
    guest.boot(checks, "repair.sh", here / "repair", 200, card=card)
    part = here / "repair" / "repair"
    found = part / "found" / "fps"
    check_commands(checks, "power cut", part, "start", "play-1", "stop")
    check_settings(checks, "power cut", part)
    check_files(checks, "power cut", part / "files")
    for path in found.glob("*.csv"):
        size = path.stat().st_size
        print(f"power cut: {path.name}: {size} bytes, {size - as_repaired(path).stat().st_size} of them after the last whole row", flush=True)
    # More than four seconds before the cut all of the first scenario was played.
    truth = number_of_frames(part / "found" / "truth.csv")
    first = number_of_frames(found / "frames-000001.csv")
    checks.equal({layer: first.get(layer) for layer in truth}, truth, "power cut: frames that were synced")
    checks.equal(number_of_frames(joined_frames(part)),
                 number_of_frames(*segments.paths(found, "frames.csv"), part / "truth-1.csv"),
                 "power cut: frames of before the cuts and after them")


def hotplug(checks, guest, here):
    """Markers that were written on a CPU which is off later are read, too."""
    guest.boot(checks, "hotplug.sh", here / "hotplug", 200)
    for what, source in (("raw", "trace_pipe_raw"), ("text", "trace_pipe")):
        check_shell(checks, f"a CPU comes and goes, {what}", here / "hotplug" / what, source)


PARTS = {"capture": capture, "capture-swapped": capture_swapped, "shell": shell, "hotplug": hotplug, "power-cut": power_cut}


def main(release, package, architecture, *parts):
    checks = Checks()
    kernel = Kernel(release, package, architecture)
    with folder() as here:
        guest = Guest(kernel, device_programs(architecture, here / "programs"), here)
        for part in parts:
            PARTS[part](checks, guest, here)
    checks.end()


if __name__ == "__main__":
    main(*sys.argv[1:])
