# SPDX-License-Identifier: Apache-2.0
"""Every interval has its number of vsyncs, and is in the class of that number, at any refresh rate, in every session.

Generated sessions of 48 to 240 Hz: the period is measured from jittering ticks, so its last digits differ each time. The expected counts are
calculated with fractions, from the vsyncs that were played and the exact rate, with the tolerance of 0.5 %."""

import collections
import random
from fractions import Fraction
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
import synthetic
from jankd import analyze, checks, folder, microseconds, rows

RATES = (48, 50, 60, 72, 75, 80, 90, 96, 100, 120, 144, 165, 180, 240)
SEEDS = {60: 8, 120: 8, 240: 8}  # 2 of the others
FRAMES = 400
LEVELS = ((2, "matrix best"), (8, "matrix normal"), (23, "matrix middle"), (41, "matrix high"))


def play(rate, chance):
    """(text, vsyncs between the frames): every vsync has a tick, up to 60 us late; some have a frame."""
    numbers, parts, due, last = [], [], {0}, 0
    for _ in range(FRAMES):
        ms = chance.choice((0, 0, 0, 0, 0, 0, 0, 33.3, 42, 50, 83.3, 100, 125, 250, 500, 600))
        number = max(1, round(ms * rate / 1000) + (chance.randint(-1, 1) if ms else 0))
        numbers.append(number)
        last += number
        due.add(last)
    for vsync in range(last + 1):
        at = 100_000_000 + round(Fraction(vsync * 1_000_000, rate)) + chance.randint(0, 60)
        if vsync in due:
            parts.append(synthetic.frame(at, vsync))
        else:
            parts.append(synthetic.line(at + 100, f"C|{synthetic.SF}|VSYNC-sf|{vsync % 2}", synthetic.SF + 3, "sf"))
    return "".join(parts), numbers


def expected(rate, numbers):
    """The expected counts of summary.csv that report/sections.py does not compute; and of dropFrames.csv, whose rows begin at 42 ms."""
    def at_least(number, ms):
        return Fraction(1000 * number, rate) >= Fraction(995, 1000) * ms

    counts = collections.Counter({"wait times": sum(at_least(number, 500) for number in numbers)})
    for number in numbers:
        if not at_least(number, 500):
            counts["slow"] += number > 2
            counts[next((name for most, name in LEVELS if number - 1 <= most), "matrix frozen")] += 1
            counts["drops"] += at_least(number, 42)
    return counts


def check(checks, rate, seed):
    what = f"{rate} Hz, seed {seed}"
    text, numbers = play(rate, random.Random(f"{rate} {seed}"))
    with folder() as here:
        (here / "trace.txt").write_text(text)
        analyze(here / "out", "--frames-log", "-T", "1", here / "trace.txt")
        found = [row["vsyncs"] for row in rows(here / "out", "frames.csv")][1:]
        if not checks.equal(found, [str(number) for number in numbers], f"{what}: vsyncs"):
            return
        row, counts = rows(here / "out", "summary.csv")[0], expected(rate, numbers)
        row["drops"] = str(len(rows(here / "out", "dropFrames.csv")))
        names = ["wait times", "slow", "drops", *(name for _, name in LEVELS), "matrix frozen", "frozen"]
        checks.equal({name: row[name] for name in names}, {name: str(counts[name]) for name in names}, what)


def idle_at_another_rate(checks):
    """A layer is idle while the display is at 120 Hz: the interval is the time between the presents."""
    parts, us = [], 100000000
    for period, frames in ((16667, 180), (8333, 120), (16667, 180)):
        for _ in range(frames):
            n = len(parts)
            parts.append(synthetic.frame(us, n, f"com.b/com.b.Main#{n % 2}" if not 174 <= n < 306 else "com.b/com.b.Main#0"))
            us += period
    with folder() as out:
        analyze(out, "--frames-log", "-", input="".join(parts).encode())
        found = [row for row in rows(out, "frames.csv") if row["layer"].endswith("#1")]
    times = [microseconds(row["present(s)"]) for row in found]
    true_ms, at = max(((b - a) / 1e3, n) for n, (a, b) in enumerate(zip(times, times[1:]), 1))
    checks.that(true_ms > 1000 and abs(float(found[at]["interval(ms)"]) - true_ms) < 9,
                f"idle while the display is at 120 Hz: {found[at]['interval(ms)']} ms, not {true_ms}")


idle_at_another_rate(checks)
for rate in RATES:
    for seed in range(SEEDS.get(rate, 2)):
        check(checks, rate, seed)
checks.end()
