# SPDX-License-Identifier: Apache-2.0
"""The folder of a long capture: 72 hours with 20 Surfaces, of which two draw at any time, 60 marks, segments of an hour,
and frames.csv of the last hour at 120 Hz."""

import random
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from csv_files import COLUMNS, second, text, write_events

SURFACES, HOURS, MARKS, RATE = 20, 72, 60, 120
BEGIN = 1000


def name(surface):
    return f"com.example.app{surface}/com.example.app{surface}.MainActivity"


def seconds(noise, surface):
    """What rows of a Surface have behind their times: 120 frames, of which some are late."""
    rows = []
    for late in [0] * 38 + [1 + noise.randrange(5), 1 + noise.randrange(5)]:
        missed = late * (1 + noise.randrange(12))
        slowest = f"{8.333 * (1 + missed):.3f}"
        rows.append(second(0, **{"FPS": f"{RATE - missed:.2f}", "frames": RATE - missed, "max time(ms)": slowest, "A": int(missed > 11), "D": late,
            "score": f"{100 - missed / 2:.2f}", "app": f"com.example.app{surface}", "Surface": name(surface), "refresh(Hz)": "120.00",
            "p50(ms)": "8.333", "p90(ms)": "8.333", "p99(ms)": slowest, "missed vsyncs": missed, "jank": int(missed > 9),
            "big jank": int(missed > 14), "stutter(%)": f"{missed / 10:.3f}", "gpu avg(ms)": "2.104", "gpu max(ms)": "4.400", "off cadence": late}))
    return text(rows, COLUMNS["fps.csv"][2:], header=False).splitlines(keepends=True)


def write_rows(folder, noise):
    tails = [seconds(noise, surface) for surface in range(SURFACES)]
    for hour in range(HOURS):
        with open(folder / (f"fps-{hour + 1:06}.csv" if hour + 1 < HOURS else "fps.csv"), "w", encoding="utf-8") as file:
            file.write(text([], COLUMNS["fps.csv"]))
            for now in range(BEGIN + 3600 * hour, BEGIN + 3600 * (hour + 1)):
                for surface in (now // 600 % SURFACES, (now // 600 + 1) % SURFACES):
                    file.write(f"{now}.{noise.randrange(8000):06},{now + 1}.{noise.randrange(8000):06},{noise.choice(tails[surface])}")


def write_frames(file, noise, layer):
    """One frame in a hundred is dropped."""
    last = [0] * SURFACES
    first = (BEGIN + 3600 * (HOURS - 1)) * RATE
    for n in range(first, first + 3600 * RATE):
        time = f"{n // RATE}.{n % RATE * 1000000 // RATE:06}"
        for surface in (n // RATE // 600 % SURFACES, (n // RATE // 600 + 1) % SURFACES):
            vsyncs = n - last[surface] if last[surface] else 0
            if vsyncs < 20 and noise.random() < 0.01:
                continue
            interval = f"{vsyncs * 1000 / RATE:.6f},{vsyncs}" if vsyncs else ","
            file.write(f"{time},{time},{interval},com.example.app{surface},{name(surface)},{name(surface)}{layer},{n},,,,{'app' if vsyncs > 1 else ''},0,\n")
            last[surface] = n


def write_folder(folder, times=1):
    """@times: frames.csv has the frames of so many layers of each Surface."""
    noise = random.Random(1)
    folder.mkdir(exist_ok=True)
    write_rows(folder, noise)
    write_events(folder, *((f"{BEGIN + HOURS * 3600 // (MARKS + 1) * n}.500000", "mark", f"level {n}") for n in range(1, MARKS + 1)))
    with open(folder / "frames.csv", "w", encoding="utf-8") as file:
        file.write(text([], COLUMNS["frames.csv"]))
        for layer in range(times):
            write_frames(file, noise, f"#{70 + layer}")
