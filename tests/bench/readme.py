# SPDX-License-Identifier: Apache-2.0
"""Writes the results of a full tools/bench into tests/bench/README.md, between its two marks."""

import json
import sys

from jankd import BUILD, SOURCE

BEGIN = "<!-- measured: begin, written by tests/bench/readme.py -->"
END = "<!-- measured: end -->"


def in_words(ratio):
    return f"{1 / ratio:.0f} times less" if ratio < 0.1 else (
        f"{1 / ratio:.1f} times less" if ratio < 0.67 else f"{ratio:.2f} times")


def cell(value, form):
    return "" if value is None else format(value, form)


def live_rows(tables):
    for title, rows in tables.items():
        if not title.startswith("live, "):
            continue
        for name, seen in rows.items():
            yield (f"| {title.removeprefix('live, ')} | `{name.replace('|', chr(92) + '|')}` "
                   f"| {seen['ns_event']:,.0f} | {seen['ns_event_to_end']:,.0f} "
                   f"| {seen['wakeups_s']:,.1f} | {cell(seen.get('drains_s'), '.1f')} "
                   f"| {seen['rss_kb'] / 1024:.1f} | {seen['lost']:,} |")


def idle_rows(tables):
    for name, seen in tables.get("idle", {}).items():
        yield (f"| none | `{name.replace('|', chr(92) + '|')}` | | | {seen['wakeups_s']:,.1f} "
               f"| {cell(seen.get('drains_s'), '.1f')} | {seen['rss_kb'] / 1024:.1f} | |")


def overrun_rows(tables):
    for name, seen in tables.get("overrun", {}).items():
        yield f"| `{name.replace('|', chr(92) + '|')}` | {seen['events_s']:,.0f} |"


def offline_rows(tables):
    for name, seen in tables.get("offline", {}).items():
        yield (f"| `{name}` | {seen['mb']:,.0f} | {seen['wall_s']:.3f} "
               f"| {seen['mb'] / seen['wall_s']:,.0f} | {cell(seen.get('rss_kb'), ',.0f')} |")


def row_rows(tables):
    for name, seen in tables.get("rows", {}).items():
        yield f"| {name} | {seen['us_row']:.2f} |"


def start_rows(tables):
    for name, seen in tables.get("start", {}).items():
        yield f"| `{name}` | {seen['ms']:.0f} |"


def growth_rows(tables):
    for title, rows in tables.items():
        if title.startswith("growth with "):
            for what, seen in rows.items():
                n, name = what.split(": ", 1)
                yield (f"| {n} {title.removeprefix('growth with ')} | `{name}` "
                       f"| {seen['ns_event']:,.0f} | {seen['rss_kb'] / 1024:.1f} |")


def section(kept):
    tables = kept["tables"]
    lines = [f"Costs compared with other programs, measured by `tools/bench` on {kept['day']} "
             f"({kept['machine']}; medians of interleaved rounds; live: CPU time of user and system, "
             "all processes; offline: time).", "", "| cost of jankd / cost of the other program | |", "|---|---|"]
    lines += [f"| {name} | {in_words(ratio)} |" for name, ratio in kept["ratios"].items()]
    lines += ["", "<details><summary>the numbers behind these</summary>"]
    for header, rows in (
            ("| events/s | live | CPU ns/event | to its end | wakeups/s | drains/s | RSS MB | lost |",
             [*live_rows(tables), *idle_rows(tables)]),
            ("| as fast as they can, 1 MB per CPU | events/s without loss |", overrun_rows(tables)),
            ("| what grows | live | CPU ns/event | RSS MB |", growth_rows(tables)),
            ("| a row of | CPU µs |", row_rows(tables)),
            ("| until frames can be counted | ms |", start_rows(tables)),
            ("| offline | MB | s | MB/s | RSS KB |", offline_rows(tables))):
        rows = list(rows)
        if rows:
            lines += ["", header, "|---" * (header.count("|") - 1) + "|", *rows]
    return "\n".join([*lines, "", "</details>"])


def write_section():
    path, readme = BUILD / "bench.json", SOURCE / "tests" / "bench" / "README.md"
    text = readme.read_text(encoding="utf-8")
    if not path.exists():
        sys.exit(f"readme: {path}: no such file; run tools/bench first")
    if BEGIN not in text or END not in text:
        sys.exit(f"readme: {readme}: no place for the numbers; add the lines '{BEGIN}' and '{END}' there")
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    kept = json.loads(path.read_text(encoding="utf-8"))
    readme.write_text(f"{before}{BEGIN}\n{section(kept)}\n{END}{after}", encoding="utf-8")
