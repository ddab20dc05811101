# SPDX-License-Identifier: Apache-2.0
"""The tables of the database: one set for each file that jankd writes, the same on one server and on a cluster.

    fps_input      engine Null: takes rows as they are in the file, each value as text
       | fps_convert      numbers become numbers; an empty one becomes NULL: unknown, never 0
    fps_rows       all rows that were ever inserted, also of copies that a longer one replaced
       | fps_shard        only those of the best copy of each segment, by segments_rows
    fps            the same over all servers of the cluster 'fleet': what queries read

All rows of a device are on one server, so a view there needs nothing of the others. A row counts once its load is in
segments_rows: the loader writes that last.

Partitions are weeks of the day on which the segment begins, so dropping old ones removes whole segments.
Only SQL that ClickHouse 18.16 and today's releases both document.
"""

DATABASE = "jank_fleet"
CLUSTER = "fleet"

# What the loader puts in front of each row.
KEYS = (("day", "Date"), ("load", "UInt64"), ("device", "String"), ("session", "String"), ("model", "String"),
        ("build", "String"))

# Columns that are text; all others are numbers.
TEXT = {"app", "Surface", "layer", "info", "VSYNC type", "cause", "wall time", "kind", "text", "process", "thread", "verdict", "grade",
        "jank types", "token", "display token", "present type", "on time finish", "gpu composition", "prediction", "jank type",
        "severity", "jankd", "sdk", "kernel", "clock", "sentence", "whose", "folder"}

CAUSES = ("app", "gpu", "surfaceflinger-cpu", "surfaceflinger-gpu", "scheduling", "display", "stuffing", "prediction", "dropped", "unknown")
# What a grade is made of, as 'jank-report --grades' has it, and how sessions are added up: not all of them have the same time.
FACTS = {"drawing(s)": "sum", "frames": "sum", "late frames": "sum", "late time(s)": "sum", "freezes": "sum", "freeze time(s)": "sum",
         "longest freeze(s)": "max", "freezes without end": "sum", "more freezes": "max", "gaps": "sum", "gap time(s)": "sum", "shortest gap(s)": "min",
         "longest gap(s)": "max", "idle(s)": "sum", "captured(s)": "sum", "missing(s)": "sum", "unknown vsyncs": "sum", "fails rule": "max", "at most": "worst",
         **{f"{cause} {what}": "sum" for cause in CAUSES for what in ("times", "lost(s)")}}

# For each file: the column with the time of a row, and all columns.
FILES = {
    "fps.csv": (
        "end time",
        "start time,end time,FPS,frames,Time(S),max time(ms),waiting time(S),wait times,A,B,C,D,score,TX,app,Surface,refresh(Hz),"
        "p50(ms),p90(ms),p99(ms),missed vsyncs,jank,big jank,stutter(%),gpu avg(ms),gpu max(ms),lost events,stalls,stall time(S),"
        "cadence(vsyncs),off cadence,late frames,late time(S),unknown vsyncs"),
    "dropFrames.csv": (
        "end VSYNC",
        "start VSYNC,end VSYNC,used time(ms),VSYNC type,TX,app,Surface,info,missed vsyncs,cause,layer,frame number"),
    "frames.csv": (
        "present(s)",
        "present(s),vsync(s),interval(ms),vsyncs,app,Surface,layer,frame number,queued(s),latched(s),gpu done(s),cause,lost events,"
        "vsync id"),
    "doframe.csv": (
        "end time",
        "start time,end time,app,process,thread,frames,Time(S),FPS,doFrame avg(ms),doFrame p99(ms),doFrame max(ms),draw avg(ms),"
        "draw max(ms),skipped,matrix best,matrix normal,matrix middle,matrix high,matrix frozen,lost events"),
    "frametimeline.csv": (
        "end(s)",
        "kind,start(s),end(s),expected start(s),expected end(s),token,display token,pid,app,Surface,layer,present type,"
        "on time finish,gpu composition,prediction,jank type,severity,buffer"),
    "latency.csv": (
        "actual present(s)",
        "desired present(s),actual present(s),frame ready(s),interval(ms),vsyncs,app,Surface,layer"),
    "events.csv": ("time(s)", "time(s),wall time,kind,text"),
    "summary.csv": (
        "last(s)",
        "app,Surface,first(s),last(s),frames,Time(S),FPS,p50(ms),p90(ms),p95(ms),p99(ms),p99.9(ms),max time(ms),low 1% mean(fps),"
        "low 0.1% mean(fps),waiting time(S),wait times,A,B,C,D,score,missed vsyncs,small jank,jank,big jank,stutter(%),matrix best,"
        "matrix normal,matrix middle,matrix high,matrix frozen,slow,frozen,gpu p50(ms),gpu p99(ms),gpu bound,lost events,stalls,"
        "stall time(S),cadence(vsyncs),off cadence,jank(/10min),big jank(/10min),jank types,verdict,low 1% time(fps),"
        "low 0.1% time(fps),late frames,late time(S),lost(ms/s),longest(ms),grade,unknown vsyncs"),
    # The loader makes a row of it: times in seconds since 1970; clock is 'wrong' if the device's cannot be right.
    "session.json": ("began", "jankd,sdk,kernel,began,ended,clock,lost events,rows lost"),
    # No file: a row for each app of a session, of jank-report. rank: 0 of an app, 1 of a home screen, 2 of the system.
    "grades": ("began", ",".join(("began", "app", "rank", "grade", "sentence", "whose", "folder", "lost(ms/s)", *FACTS))),
}

# A row for each copy of a segment that was loaded whole, as far as it goes: what makes its rows count.
# first: identifies the segment within its session and file: its first row. quality: the highest counts. until: time of
# its last row, in seconds since 1970; 0 if the device's clock is wrong. loaded: when, by the loader's clock.
SEGMENTS = (("day", "Date"), ("load", "UInt64"), ("device", "String"), ("session", "String"), ("model", "String"),
            ("build", "String"), ("file", "String"), ("first", "String"), ("path", "String"), ("bytes", "UInt64"), ("crc", "UInt32"),
            ("closed", "UInt8"), ("whole", "UInt8"), ("rows", "UInt64"), ("left_out", "UInt64"), ("quality", "UInt64"),
            ("until", "UInt32"), ("loaded", "UInt32"))


def table(file):
    return file.replace("session.json", "sessions").replace(".csv", "")


def columns(file):
    return FILES[file][1].split(",")


def quoted(name):
    """An identifier. Names are those above; none has a backquote or backslash."""
    return f"`{name}`"


def listed(pairs):
    return ", ".join(f"{quoted(name)} {kind}" for name, kind in pairs)


def row_type(column):
    return "String" if column in TEXT else "Nullable(Float64)"


def sum_of_facts():
    """Columns of a query that adds up rows of the table grades. A gap of no length is none."""
    how = {"min": "minIf(`{}`, gaps > 0)", "sum": "sum(`{}`)", "max": "max(`{}`)", "worst": "min(`{}`)"}
    return ", ".join(f"{how[kind].format(name)} AS `sum {name}`" for name, kind in FACTS.items())


def best_copies(file):
    return (f"SELECT argMax(load, quality) FROM {DATABASE}.segments_rows WHERE file = '{file}' "
            "GROUP BY device, session, file, first")


def file_statements(file):
    name, keys, names = f"{DATABASE}.{table(file)}", [key for key, _ in KEYS], columns(file)
    typed = (*KEYS, *((column, row_type(column)) for column in names))
    as_text = (*KEYS, *((column, "String") for column in names))
    shown = [pair for pair in typed if pair[0] != "load"]
    converted = [quoted(column) if column in TEXT else f"toFloat64OrNull({quoted(column)}) AS {quoted(column)}"
                 for column in names]
    yield (f"CREATE TABLE IF NOT EXISTS {name}_rows ({listed(typed)}) "
           "ENGINE = MergeTree PARTITION BY toMonday(day) ORDER BY load")
    yield f"CREATE TABLE IF NOT EXISTS {name}_input ({listed(as_text)}) ENGINE = Null"
    yield (f"CREATE MATERIALIZED VIEW IF NOT EXISTS {name}_convert TO {name}_rows AS "
           f"SELECT {', '.join((*keys, *converted))} FROM {name}_input")
    yield (f"CREATE VIEW IF NOT EXISTS {name}_shard AS SELECT {', '.join(quoted(column) for column, _ in shown)} "
           f"FROM {name}_rows WHERE load IN ({best_copies(file)})")
    yield distributed(table(file), shown)


def distributed(name, pairs):
    return (f"CREATE TABLE IF NOT EXISTS {DATABASE}.{name} ({listed(pairs)}) "
            f"ENGINE = Distributed({CLUSTER}, {DATABASE}, {name}_shard)")


def statements():
    """What creates all of it on one server of the cluster."""
    yield f"CREATE DATABASE IF NOT EXISTS {DATABASE}"
    name = f"{DATABASE}.segments"
    yield (f"CREATE TABLE IF NOT EXISTS {name}_rows ({listed(SEGMENTS)}) "
           "ENGINE = MergeTree PARTITION BY toMonday(day) ORDER BY (device, session, file, first)")
    yield f"CREATE VIEW IF NOT EXISTS {name}_shard AS SELECT DISTINCT * FROM {name}_rows WHERE load IN ({best_copies_of_all()})"
    yield distributed("segments", SEGMENTS)
    for file in FILES:
        yield from file_statements(file)


def best_copies_of_all():
    return f"SELECT argMax(load, quality) FROM {DATABASE}.segments_rows GROUP BY device, session, file, first"


def row_tables():
    """The tables that hold rows, and so have partitions."""
    return ["segments_rows", *(f"{table(file)}_rows" for file in FILES)]
