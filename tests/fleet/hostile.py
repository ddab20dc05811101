# SPDX-License-Identifier: Apache-2.0
"""jank-fleet and folders as they come: torn, open, renamed, doubled and packed segments, other columns, hostile names, wrong
clocks, ids that are missing or the same, a server that does not answer. Nothing is counted twice, and each fault is a line."""

import datetime
import gzip
import json
import pathlib
import random
import shutil
import time
import urllib.error
import urllib.request
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from csv_files import COLUMNS, COLUMNS_2019, second, text
from fleet import answer, count, fleet, require_server, started
from jankd import checks, folder

FPS = COLUMNS["fps.csv"]
YESTERDAY = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=1)
NAMES = ['plain', 'say "hi"', "tab\there", "back\\slash \\n \\N", "</script><script>alert(1)</script>", "'=cmd|' /C calc'!A0", "a, b ,c",
         " blanks ", "\\N", "", "\u202eright to left", "汉字", "O'Brien", '"', ",", "x" * 4096]


def fps(numbers, columns=FPS, **changed):
    """The text of fps.csv with a row for each of these seconds."""
    return text([second(number, **changed) for number in numbers], columns)


def session(path, device="d1", name="s1", ended=True, began=YESTERDAY):
    path.mkdir(parents=True, exist_ok=True)
    wall = began.timestamp() if isinstance(began, datetime.datetime) else began
    stamp = began.strftime("%Y-%m-%dT%H:%M:%S.000Z") if isinstance(began, datetime.datetime) else "garbage"
    value = {"schema": 1, "jankd": "0.1.0", "session_id": name, "began": stamp, "ended": stamp if ended else None,
             "device": device if isinstance(device, dict) else {"id": device, "model": "M", "build": "B", "sdk": "34", "kernel": "6"},
             "clock": {"wall_offset_ns": int((wall - 1000) * 1e9) if isinstance(wall, float) and wall < 1e12 else wall}, "counters": {"events": 5}}
    (path / "session.json").write_text(json.dumps(value))
    return path


class Fleet:
    def __init__(self, checks, here, servers):
        self.checks, self.here, self.server = checks, here, servers[0]
        self.data = here / "server"

    def load(self, *arguments):
        done = fleet("load", self.data, *arguments)
        self.checks.equal(done.returncode, 0, f"load: {done.stderr}")
        return done.stderr

    def sql(self, sql):
        return self.server.rows(sql)[1]

    def times(self, device, name="s1"):
        """Start times of the rows of a session."""
        return [int(time) for time, in self.sql("SELECT `start time` FROM jank_fleet.fps WHERE device = "
                                                f"'{device}' AND session = '{name}' ORDER BY `start time`")]


def copies(checks, here, fleet_):
    """Torn and open segments, and the longer or whole copies of them."""
    whole = fps(range(20))
    wrong = whole.replace("\n5.0", "\n\0.0").replace("\n6.0", "\nx.0")
    for device, copies_ in (("torn", ((whole[:-9], range(19), "fps.csv: the last row is cut off; left out"), (whole, range(20), ""),
                                      (whole[:-700], range(20), ""), (wrong, range(20), ""))),
                            ("wrong", ((wrong, (n for n in range(20) if n not in (5, 6)), "lines are not rows of this file: 2 left out"),
                                       (whole, range(20), "")))):
        path = session(here / "a" / device, device)
        for number, (content, expected, line) in enumerate(copies_):
            (path / "fps.csv").write_text(content)
            said = fleet_.load(path)
            checks.that(line in said, f"{device}, copy {number}: {said!r}")
            checks.equal(fleet_.times(device), list(expected), f"{device}, rows after copy {number}")
            if (device, number) == ("torn", 0):
                checks.equal([(one["damaged"], one["lines left out"]) for one in answer(fleet_.data, "losses") if one["device"] == device],
                             [(1, 1)], "a torn file in the query")

    path = session(here / "a" / "open", "open", ended=False)
    (path / "fps.csv").write_text(fps(range(10)))
    fleet_.load(path)
    (path / "fps.csv").write_text(fps(range(30, 35)))
    (path / "fps-000001.csv").write_text(fps(range(30)))
    fleet_.load(path)
    checks.equal(fleet_.times("open"), list(range(35)), "an open segment that was closed and renamed")
    shutil.copytree(path, here / "a" / "the same again")
    for name in ("fps-000001.csv", "fps.csv"):
        copy = here / "a" / "the same again" / name
        pathlib.Path(f"{copy}.gz").write_bytes(gzip.compress(copy.read_bytes()))
    (here / "a" / "the same again" / "fps.csv").unlink()
    fleet_.load(here / "a")
    checks.equal(fleet_.times("open"), list(range(35)), "the same folder under another name, and packed")
    stored = count([fleet_.server], "fps_rows")
    fleet_.load(here / "a")
    checks.equal(count([fleet_.server], "fps_rows"), stored, "rows in the server after the same again")
    path = session(here / "a" / "twice", "twice")
    shutil.copy(path / "session.json", path / "session-000001.json")
    (path / "fps-000001.csv").write_text(fps(range(40, 50)))
    (path / "fps.csv").write_text(fps(range(20)))
    fleet_.load(path)
    for device, seconds in (("open", 35), ("twice", 20)):
        checks.equal(fleet_.sql(f"SELECT app, frames FROM jank_fleet.grades WHERE device = '{device}'"), [["com.a", 60 * seconds]], f"{device}: an app is graded once, from the longest copy")
    for name, grade in (("first", "BAD"), ("second", "GOOD")):  # without events.csv, only summary.csv knows of a freeze
        path = session(here / "a" / name, {"id": "limit", "model": "M", "build": "limit"}, name)
        row = {"app": "com.a", "Surface": "com.a/com.a.Main", "frames": 1200, "FPS": 60, "Time(S)": 20, "waiting time(S)": 0, "wait times": 0, "stalls": 0, "stall time(S)": 0, "late frames": 0, "late time(S)": 0}
        (path / "summary.csv").write_text(text([{**row, "verdict": "pass app", "grade": grade}], COLUMNS["summary.csv"]))
        (path / "fps.csv").write_text(fps(range(20)))
        fleet_.load(path)
    checks.equal([(row["sessions"], row["grade"]) for row in answer(fleet_.data, "builds") if row["build"] == "limit"], [(2, "BAD")], "a sum is no better than its worst part")


def damaged(checks, here, fleet_):
    path = session(here / "b" / "joined", "joined")
    (path / "fps.csv").write_text(fps(range(20)) + fps(range(20)))
    said = fleet_.load(path)
    checks.that("second copy" in said, f"a file with its own copy behind it: {said!r}")
    checks.equal(fleet_.times("joined"), list(range(20)), "rows of a file with its own copy behind it")
    path = session(here / "b" / "packed", "packed")
    whole = gzip.compress(fps(range(2000)).encode())
    (path / "fps-000001.csv.gz").write_bytes(whole[:len(whole) // 2])
    said = fleet_.load(path)
    found = fleet_.times("packed")
    checks.that("damaged gzip data" in said and found == list(range(len(found))), f"cut gzip data: {len(found)} rows, {said!r}")
    (path / "fps-000001.csv.gz").write_bytes(whole)
    fleet_.load(path)
    checks.equal(fleet_.times("packed"), list(range(2000)), "the whole gzip file")
    path = session(here / "b" / "garbage", "garbage")
    header, *lines = fps(range(1, 4)).encode().splitlines(keepends=True)
    (path / "fps.csv").write_bytes(header + b"\0" * 3000000 + b"\n" + b"x,y\n" * 1000000 + lines[0] + b"," * 30 + b"\n"
                                   + lines[1].replace(b"2.000000,3.000000", b"2.000000,nan") + lines[2].replace(b"60.00", b"1.2.3", 1)
                                   + random.Random(1).randbytes(5000000))
    for name, data in (("dropFrames.csv", b""), ("events.csv", b"\xff\xfe" * 99), ("frames.csv", b"a,b\n1,2\n"), ("doframe.csv", random.Random(2).randbytes(99)),
                       ("summary.csv", b'"' * 99), ("latency.csv", b"," * 2000000)):
        (path / name).write_bytes(data)
    said = fleet_.load(path)
    checks.equal(fleet_.times("garbage"), [1, 3], "rows between garbage")
    checks.equal(fleet_.sql("SELECT FPS, frames FROM jank_fleet.fps WHERE device = 'garbage' ORDER BY `start time`"), [[60, 60], [None, 60]],
                 "a value that is no number is unknown")
    for name in ("dropFrames.csv", "events.csv", "frames.csv", "doframe.csv", "summary.csv", "latency.csv"):
        checks.that(f"{path / name}: " in said, f"{name} is not named: {said[:2000]!r}")
    checks.that(len(said) < 5000, f"{len(said)} characters for a folder of garbage")


def columns(checks, here, fleet_):
    """Columns by name: of an older version, of a newer one, in another order."""
    path = session(here / "c" / "old", "old")
    (path / "fps.csv").write_text(fps(range(0, 3), COLUMNS_2019))
    (path / "fps-000001.csv").write_text(fps(range(10, 13), COLUMNS_2019))
    fleet_.load(path)
    checks.equal(fleet_.sql("SELECT count(), sum(frames), countIf(isNull(jank)) FROM jank_fleet.fps WHERE device = 'old'"), [[6, 360, 6]],
                 "columns that an older version has not")
    path = session(here / "c" / "new", "new")
    (path / "fps.csv").write_text(text([second(n, Surface='a "b", c ', **{"`,x": "un,known", "new\tone": 7}) for n in range(3)], ["`,x", *FPS, "new\tone"]))
    said = fleet_.load(path)
    checks.that("no column '`,x'" in said and "no column 'new\\u0009one'" in said, f"unknown columns: {said!r}")
    checks.equal(fleet_.sql("SELECT count(), sum(frames), any(Surface), any(`off cadence`) FROM jank_fleet.fps WHERE device = 'new'"),
                 [[3, 180, 'a "b", c ', 0]], "rows with unknown columns")
    path = session(here / "c" / "blanks", "blanks")
    (path / "events.csv").write_text("time(s),wall time,kind,text\n1.0,,mark, level 1 \n2.0,, mark ,\tlevel 2\t\n")
    fleet_.load(path)
    checks.equal(fleet_.sql("SELECT kind, text FROM jank_fleet.events WHERE device = 'blanks' ORDER BY `time(s)`"),
                 [["mark", " level 1 "], [" mark ", "\tlevel 2\t"]], "blanks at the ends of names")
    path = session(here / "c" / "order", "order")
    (path / "fps.csv").write_text("Surface,end time,frames\r\nx,2.5,7\r\ny,3.5,8\r\n")
    fleet_.load(path)
    checks.equal(fleet_.sql("SELECT Surface, `end time`, frames, FPS FROM jank_fleet.fps WHERE device = 'order' ORDER BY Surface"),
                 [["x", 2.5, 7, None], ["y", 3.5, 8, None]], "columns in another order, with CRLF")


def names(checks, here, fleet_):
    """Names are text, in the server and in a terminal. On the page: page.py."""
    for number, name in enumerate(NAMES):
        about = {"id": f"names {number} {name}"[:300], "model": name, "build": "\0\x1b[2J\ud800" + name}
        path = session(here / "n" / str(number), about, f"s {name}"[:200])
        (path / "fps.csv").write_text(fps(range(70), Surface=name, app=name))
    fleet_.load(here / "n")
    found = {surface for surface, in fleet_.sql("SELECT DISTINCT Surface FROM jank_fleet.fps WHERE device LIKE 'names %'")}
    checks.equal(sorted(found), sorted(NAMES), "names in the server")
    checks.equal(sorted(row["app"] for row in answer(fleet_.data, "builds") if "\\x1B[2J" in row["build"]),
                 sorted(name.replace("\t", "\\x09") for name in NAMES if name), "names in a query")  # without a name it is no app
    shown = fleet("query", fleet_.data, "builds").stdout
    checks.that("\\u202Eright to left" in shown and "\t" not in shown and "\x1b" not in shown, "names in a terminal")


def devices(checks, here, fleet_):
    for device in ("one", "two"):
        (session(here / "e" / device, device, "shared") / "fps.csv").write_text(fps(range(5)))
    fleet_.load(here / "e")
    checks.equal([fleet_.times(device, "shared") for device in ("one", "two")], [list(range(5))] * 2, "two devices with one session id")
    for number, began in enumerate((datetime.datetime(1970, 1, 1, 1), datetime.datetime(2999, 1, 1), "garbage", 1e300, None, [1])):
        (session(here / "w" / str(number), f"clock{number}", began=began) / "fps.csv").write_text(fps(range(1000, 1005)))
    fleet_.load(here / "w")
    today = str(datetime.datetime.now(datetime.timezone.utc).date())
    checks.equal(fleet_.sql("SELECT toString(day), count() FROM jank_fleet.fps WHERE device LIKE 'clock%' GROUP BY day"), [[today, 30]], "days of wrong clocks")
    checks.equal(sum(one["sessions with a wrong clock"] for one in answer(fleet_.data, "losses") if one["device"].startswith("clock")), 6,
                 "wrong clocks in the query")
    (session(here / "i" / "SERIAL-s9", None, "s9") / "fps.csv").write_text(fps(range(5)))
    (session(here / "i" / "anything", None, "s8") / "fps.csv").write_text(fps(range(5)))
    (here / "i" / "2019").mkdir()
    (here / "i" / "2019" / "fps.csv").write_text(fps(range(0, 5), COLUMNS_2019))
    (session(here / "i" / "analyzed", None, None) / "fps.csv").write_text(fps(range(5)))
    (session(here / "i" / "long", "x" * 3000000, "s7") / "fps.csv").write_text(fps(range(5)))
    (here / "i" / "bad").mkdir()
    (here / "i" / "bad" / "session.json").write_text("[" * 100000)
    said = fleet_.load(here / "i")
    checks.equal(fleet_.times("SERIAL", "s9"), list(range(5)), "the device in the name of the folder")
    checks.that(all(f"{here / 'i' / name}: " in said for name in ("anything", "2019", "analyzed", "long", "bad")) and len(said.splitlines()) == 5,
                f"folders without ids: {said!r}")
    fleet_.load(here / "i", "--device", "given")
    checks.equal(fleet_.times("given", "s8"), list(range(5)), "the device of --device")
    # Several sessions in one folder.
    path = session(here / "f" / "several", "several", "first")
    (path / "session.json").rename(path / "session-000001.json")
    (path / "fps-000001.csv").write_text(fps(range(5)))
    session(path, "several", "second")
    (path / "fps.csv").write_text(fps(range(7, 9)))
    fleet_.load(here / "f")
    checks.equal([fleet_.times("several", name) for name in ("first", "second")], [[0, 1, 2, 3, 4], [7, 8]], "two sessions in one folder")


def usage(checks, here, fleet_):
    try:
        urllib.request.urlopen(f"http://{fleet_.server.name}/?query=SELECT+1", timeout=60)
        checks.that(False, "the server answers without the password")
    except urllib.error.HTTPError:
        pass
    checks.equal((fleet_.data.stat().st_mode & 0o777, (fleet_.data / "servers.json").stat().st_mode & 0o777), (0o700, 0o600), "rights")
    for arguments in (("load", fleet_.data), ("query", fleet_.data, "nonsense"), ("drop", fleet_.data, "--before", "tomorrow"),
                      ("start", fleet_.data, "--shards", "0")):
        done = fleet(*arguments)
        checks.that(done.returncode == 2 and "error: " in done.stderr, f"{arguments[0]}: {done.returncode} {done.stderr!r}")
    for arguments in (("load", fleet_.data, here / "missing"), ("load", here / "nowhere", here), ("start", fleet_.data, "--shards", "3"),
                      ("page", fleet_.data, "-o", here / "missing" / "page.html"),
                      ("load", fleet_.data, here, "--wait", "0", "--server", "http://127.0.0.1:1"),
                      ("query", fleet_.data, "builds", "--server", "ftp://x")):
        done = fleet(*arguments)
        checks.that(done.returncode == 1 and done.stderr.startswith(f"jank-fleet: {arguments[0]}: ") and len(done.stderr.splitlines()) == 1,
                    f"{arguments[0]}: {done.returncode} {done.stderr!r}")
    for name in ("builds", "regressions", "percentiles", "causes", "silent", "devices", "losses"):
        done = fleet("query", fleet_.data, name, "--csv")
        checks.equal(done.returncode, 0, f"{name}: {done.stderr}")


def clean(checks, here, fleet_):
    """Rows of a load that did not end do not count, and go when they are old; what counts stays."""
    shown = fleet_.sql("SELECT count() FROM jank_fleet.fps")
    fleet_.server.request("INSERT INTO jank_fleet.fps_rows (day, load, device, session, model, build) VALUES ('2026-01-01', 1, 'lost', 'lost', '', '')")
    lost = "SELECT count() FROM jank_fleet.fps_rows WHERE load = 1"
    checks.equal((fleet_.sql(lost), fleet_.sql("SELECT count() FROM jank_fleet.fps")), ([[1]], shown), "rows of a load that did not end")
    checks.equal(fleet("clean", fleet_.data).returncode, 0, "clean")
    end = time.monotonic() + 120
    while fleet_.sql(lost) != [[0]] and time.monotonic() < end:
        time.sleep(0.1)
    checks.equal((fleet_.sql(lost), fleet_.sql("SELECT count() FROM jank_fleet.fps")), ([[0]], shown), "rows after cleaning")


def same_columns(checks):
    """The tables have the columns that jankd writes."""
    import schema
    for file, columns in COLUMNS.items():
        checks.equal(schema.FILES[file][1], ",".join(columns), f"columns of {file}")


require_server()
same_columns(checks)
with checks, folder() as here, started(here / "server") as servers:
    one = Fleet(checks, here, servers)
    from schema import statements
    for statement in statements():
        servers[0].request(statement)
    for part in (copies, damaged, columns, names, devices, usage, clean):
        part(checks, here, one)
