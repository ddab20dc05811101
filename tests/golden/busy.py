# SPDX-License-Identifier: Apache-2.0
"""Generated traces with late ticks while frames are on time, with rate switches among them, and with a second display, with all kinds of markers of
the period. Every interval that is given is right, hardly any is unknown, and the rates are those of the display."""

import concurrent.futures
import lzma, os, re
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
import busy_phone
from frames import not_added_up
from jankd import SHARED, analyze, checks, folder, rows

PHONES = {"late": busy_phone.late_phone, "switching": busy_phone.switching_phone,
          "paired": busy_phone.paired_phone, "paired game": busy_phone.paired_game,
          "late sf": lambda seed, words: busy_phone.switching_phone(seed, words, place=0.6),
          "held": lambda seed, words: busy_phone.switching_phone(seed, words, held=(1, 2, 5), jitter_us=100)}
WORDS = ((), ("period",), ("target",), ("hardware",))
# Seeds that were wrong once: in the moment of a switch, or in the display that a marker belongs to.
REGRESSIONS = [("switching", seed, ()) for seed in (233, 472, 504, 549, 573)]
REGRESSIONS += [("switching", seed, ("target",)) for seed in (111, 194, 399, 530)]
REGRESSIONS += [("switching", seed, ("hardware",)) for seed in (69, 104, 177, 361)]
REGRESSIONS += [("paired", seed, ("hardware",)) for seed in (26, 50, 137, 222, 233, 692)]
REGRESSIONS += [("late", 178, ("hardware",)), ("paired", 329, ())]
REGRESSIONS += [(kind, seed, ()) for kind, seed in (("paired", 22), ("paired", 33), ("paired game", 10), ("paired game", 31), ("paired game", 35))]
REGRESSIONS += [("paired", 33, ("bare",)), ("paired game", 10, ("bare",))]
REGRESSIONS += [("late sf", seed, ()) for seed in (8, 18, 37, 57)]
REGRESSIONS += [("held", seed, ()) for seed in (39, 170)]
SEEDS = int(os.environ.get("BUSY_PHONES", "5"))  # for each kind of phone and of markers


def rates(events):
    texts = [e["text"] for e in events if e["kind"] == "refresh"]
    return [float(re.match(r"[0-9.]+", text).group()) for text in texts]


def compare(kind, seed, words):
    """The first fault in the rows of a phone, as text; empty if they are right."""
    phone = PHONES[kind](seed, words)
    return fault_in(phone.text(), busy_phone.LAYER, phone.truth, [rate for _, rate in phone.rates])


def fault_in(text, layer, truth, had):
    """@truth: the vsyncs of each interval, None: not known; @had: the rates."""
    with folder() as here:
        (here / "trace").write_text(text)
        analyze(here / "out", "--frames-log", here / "trace")
        frames = [f for f in rows(here / "out", "frames.csv") if f["layer"] == layer]
        seen = rates(rows(here / "out", "events.csv"))
    if len(frames) != len(truth):
        return f"{len(frames)} frames, not {len(truth)}"
    wrong = [(f["present(s)"], n, f["vsyncs"]) for f, n in zip(frames, truth) if n is not None and f["vsyncs"] not in (str(n), "")]
    unknown = sum(f["vsyncs"] == "" for f in frames) - 1
    if wrong:
        return f"{len(wrong)} intervals: (present, vsyncs, said): {wrong[:4]}"
    if unknown * 33 > len(frames):
        return f"{unknown} of {len(frames)} intervals are unknown"
    if not_added_up(frames):
        return f"intervals do not add up: {not_added_up(frames)[:4]}"
    if len(seen) != len(had) or any(abs(a / b - 1) > 0.005 for a, b in zip(seen, had)):
        return f"rates {seen}, not {had}"
    return ""


jobs = [(kind, seed, words) for kind in PHONES for words in WORDS for seed in range(SEEDS)]
jobs += REGRESSIONS
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    for job, fault in zip(jobs, pool.map(lambda job: compare(*job), jobs)):
        checks.that(not fault, f"phone {job}: {fault}")
CASES = SHARED / "cases"
if CASES.exists():
    truth = [None, *(int(n) if n else None for n in (CASES / "switch_late.vsyncs.txt").read_text().split("\n")[:-1])]
    for name, layer, truth, had in (("switch_late", "com.example.game/com.example.game.Main#0", truth, [60, 120, 60]),
                                    ("emulator_hwvsync_jitter", "com.example.app/com.example.app.Main#42", [None] + [2] * 86, [60])):
        fault = fault_in(lzma.open(CASES / f"{name}.txt.xz", "rt").read(), layer, truth, had)
        checks.that(not fault, f"{name}: {fault}")
checks.end()
