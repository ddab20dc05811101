#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generated traces with late ticks while frames are on time, with rate switches among them, and with a second
display, with all kinds of markers of the period. Every interval that is given is right, hardly any is unknown, and
the rates are those of the display."""

import concurrent.futures
import os
import re
import subprocess
import sys

sys.path.insert(0, str(__import__("pathlib").Path(__file__).resolve().parents[1] / "lib"))
import busy_phone
from frames import vsyncs_per_layer
from jankd import PHONE, TRACES, Checks, analyze, folder, rows, trace_text

PHONES = {"late": busy_phone.late_phone, "switching": busy_phone.switching_phone,
          "paired": busy_phone.paired_phone, "paired game": busy_phone.paired_game}
WORDS = ((), ("period",), ("target",), ("hardware",))
# Seeds that were wrong once: in the moment of a switch, or in the display that a marker belongs to.
REGRESSIONS = [("switching", seed, ()) for seed in (233, 472, 504, 549, 573)]
REGRESSIONS += [("switching", seed, ("target",)) for seed in (111, 194, 399, 530)]
REGRESSIONS += [("switching", seed, ("hardware",)) for seed in (69, 104, 177, 361)]
REGRESSIONS += [("paired", seed, ("hardware",)) for seed in (26, 50, 137, 222, 233, 692)]
REGRESSIONS += [("late", 178, ("hardware",)), ("paired", 329, ())]
SEEDS = int(os.environ.get("BUSY_PHONES", "5"))  # for each kind of phone and of markers


def rates(events):
    texts = [e["text"] for e in events if e["kind"] == "refresh"]
    return [float(re.match(r"[0-9.]+", text).group()) for text in texts]


def compare(kind, seed, words):
    """The first fault in the rows of a phone, as text; empty if they are right."""
    phone = PHONES[kind](seed, words)
    with folder() as here:
        (here / "trace").write_text(phone.text())
        analyze(here / "out", "--frames-log", here / "trace")
        frames = [f for f in rows(here / "out", "frames.csv") if f["layer"] == busy_phone.LAYER]
        seen = rates(rows(here / "out", "events.csv"))
    if len(frames) != len(phone.truth):
        return f"{len(frames)} frames, not {len(phone.truth)}"
    wrong = [(f["present(s)"], n, f["vsyncs"]) for f, n in zip(frames, phone.truth)
             if n is not None and f["vsyncs"] not in (str(n), "")]
    unknown = sum(f["vsyncs"] == "" for f in frames) - 1
    if wrong:
        return f"{len(wrong)} intervals: (present, vsyncs, said): {wrong[:4]}"
    if unknown * 33 > len(frames):
        return f"{unknown} of {len(frames)} intervals are unknown"
    had = [rate for _, rate in phone.rates]
    if len(seen) != len(had) or any(abs(a / b - 1) > 0.005 for a, b in zip(seen, had)):
        return f"rates {seen}, not {had}"
    return ""


def check_scenario(checks, scenario, vocabulary):
    """The same with a trace of jank-phone, with the markers of @vocabulary."""
    what = f"{scenario}, {vocabulary}"
    with folder() as here:
        subprocess.run([PHONE, "--scenario", scenario, "--vocabulary", vocabulary, "--speed", "0",
                        "--seed", "3", "--output", here / "trace", "--truth", here / "truth"],
                       check=True, stderr=subprocess.DEVNULL)
        analyze(here / "out", "--frames-log", here / "trace")
        seen = rates(rows(here / "out", "events.csv"))
        truth, said = (vsyncs_per_layer(path) for path in (here / "truth", here / "out/frames.csv"))
    pairs = [pair for layer in truth for pair in zip(truth[layer], said.get(layer, [])) if pair[0]]
    checks.that(pairs and not [p for p in pairs if p[1] not in ("", p[0])], f"{what}: vsyncs")
    checks.that(sum(p[1] == "" for p in pairs) * 33 <= len(pairs), f"{what}: unknown vsyncs")
    had = [60, 120, 60] if scenario == "late-switch" else [60]
    checks.equal([round(rate) for rate in seen], had, f"{what}: rates")


def check_late_ticks(checks):
    """A trace of a virtual phone, recorded on a slow machine."""
    name = "late-ticks-60hz"
    if not (TRACES / name).is_dir():
        checks.cannot_judge(name, "there is no such recorded trace")
        return
    with folder() as here:
        (here / "trace").write_bytes(trace_text(name))
        analyze(here / "out", "--frames-log", here / "trace")
        said = rows(here / "out", "frames.csv")
        seen = rates(rows(here / "out", "events.csv"))
    truth = rows(TRACES / name / "truth.csv")
    checks.equal(seen, [60.0], f"{name}: rates")
    for layer in sorted({row["layer"] for row in truth}):
        pairs = list(zip([r for r in truth if r["layer"] == layer],
                         [r for r in said if r["layer"] == layer]))
        known = [(t, s) for t, s in pairs if t["vsyncs"]]
        wrong = [(s["present(s)"], t["vsyncs"], s["vsyncs"]) for t, s in known
                 if t["vsyncs"] != s["vsyncs"]]
        checks.that(known and not wrong, f"{name}: {layer}: {len(known)} known, wrong: {wrong[:4]}")


checks = Checks()
jobs = [(kind, seed, words) for kind in PHONES for words in WORDS for seed in range(SEEDS)]
jobs += REGRESSIONS
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    for job, fault in zip(jobs, pool.map(lambda job: compare(*job), jobs)):
        checks.that(not fault, f"phone {job}: {fault}")
for name in ("late-ticks", "late-switch"):
    for vocabulary in ("android-9", "android-11", "android-14"):
        check_scenario(checks, name, vocabulary)
check_late_ticks(checks)
checks.end()
