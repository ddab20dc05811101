# SPDX-License-Identifier: Apache-2.0
"""CSV files as jankd writes them, made by hand: values by the names of their columns."""

import csv
import io
import re

from jankd import SOURCE

# {name of a file: its columns}
COLUMNS = {name: "".join(re.findall('"(.*)"', text)).split(",") for name, text in re.findall(
    r'\{\s*"(\w+\.csv)",(.*?)\}', (SOURCE / "daemon/base/csv_files.c").read_text(), re.S)}
COLUMNS_2019 = COLUMNS["fps.csv"][:16]
SECOND = {"FPS": "60.00", "frames": 60, "Time(S)": "1.000000", "max time(ms)": "16.667", "waiting time(S)": "0.000000", "wait times": 0,
          "A": 0, "B": 0, "C": 0, "D": 0, "score": "100.00", "TX": 0, "app": "com.a", "Surface": "com.a/com.a.Main", "refresh(Hz)": "60.00",
          "p50(ms)": "16.667", "p90(ms)": "16.667", "p99(ms)": "16.667", "missed vsyncs": 0, "jank": 0, "big jank": 0,
          "stutter(%)": "0.000", "lost events": 0, "stalls": 0, "stall time(S)": "0.000000", "cadence(vsyncs)": 1, "off cadence": 0,
          "late frames": 0, "late time(S)": "0.000000", "unknown vsyncs": 0}


def second(begin, **changed):
    """A row of fps.csv: a second at 60 Hz without a late frame, but for what is @changed."""
    return {"start time": f"{begin:.6f}", "end time": f"{begin + 1:.6f}", **SECOND, **changed}


def text(rows, columns, header=True):
    """Rows are dictionaries, and what a row does not have is empty."""
    file = io.StringIO()
    table = csv.DictWriter(file, columns, extrasaction="ignore", lineterminator="\n")
    if header:
        table.writeheader()
    table.writerows(rows)
    return file.getvalue()


def write(folder, name, rows, columns=None):
    """Writes file @name, or a segment of it, with the columns that jankd writes or with others."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text(rows, columns or COLUMNS[re.sub(r"-\d+", "", name)]), encoding="utf-8")


def write_events(folder, *events):
    """Writes events.csv; each event is (time, kind, text)."""
    write(folder, "events.csv", [{"time(s)": time, "kind": kind, "text": words} for time, kind, words in events])
