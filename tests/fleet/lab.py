#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lab.py DEVICES_PROGRAM [--all]: a lab of 200 devices and 7 days (with --all 2000 devices) in a real server, and on two shards
where the loader and a server are killed in between. Each query is compared with what the CSV files say."""

import collections
import csv
import datetime
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from fleet import answer, command, count, fleet, require_server, started
from jankd import Checks, folder

DAYS = 7
DEVICES = 2000 if "--all" in sys.argv else 200
UTC = datetime.timezone.utc


def timed(what, rows, action):
    began = time.monotonic()
    result = action()
    seconds = time.monotonic() - began
    print(f"{what}: {seconds:.2f} s" + (f", {rows / seconds:.0f} rows/s" if rows else ""), flush=True)
    return result


def first_day():
    """A Friday, so that the fourth day begins a week."""
    day = datetime.datetime.now(UTC).date() - datetime.timedelta(days=8)
    return day - datetime.timedelta(days=(day.weekday() - 4) % 7)


# --- what the files say, without the code of jank-fleet ---

class Sums:
    def __init__(self):
        self.frames = self.jank = self.big = self.stalls = self.missed = self.rows = 0
        self.time = self.stall_time = self.longest = 0.0
        self.devices, self.sessions, self.days, self.builds = set(), set(), set(), set()


class Lab:
    def __init__(self, top, today):
        self.rows = self.segments = 0
        self.by_build, self.by_device = collections.defaultdict(Sums), collections.defaultdict(Sums)
        self.sessions, self.drops = collections.defaultdict(list), collections.defaultdict(lambda: [0, 0, set()])
        self.last, self.wrong, self.lines = {}, collections.Counter(), collections.Counter()
        self.kept_rows = 0  # of weeks that begin on the fourth day or later
        monday = first_day() + datetime.timedelta(days=3)
        for path in sorted(top.iterdir()):
            about = json.loads((path / "session.json").read_text())
            device, model, build = (about["device"][key] for key in ("id", "model", "build"))
            began = datetime.datetime.fromisoformat(about["began"].replace("Z", "+00:00"))
            day = began.date() if began.year > 2000 else today
            if began.year > 2000:
                ended = datetime.datetime.fromisoformat(about["ended"].replace("Z", "+00:00"))
                self.last[device] = max(self.last.get(device, ended), ended)
            else:
                self.wrong[device] += 1
            for name in ("fps-000001.csv", "fps.csv"):
                self.add_rows(path / name, device, about["session_id"], model, build, day)
            self.kept_rows += 600 if day >= monday else 0
            for row in self.read(path / "dropFrames.csv", device):
                drops = self.drops[build, row["app"], row["cause"] or "no cause written"]
                drops[0] += 1
                drops[1] += int(row["missed vsyncs"])
                drops[2].add(device)
            row, = self.read(path / "summary.csv", device)
            self.sessions[build, row["app"]].append(tuple(float(row[name]) for name in ("FPS", "p99(ms)", "jank(/10min)")))
            self.lines[device] += 1 + sum(1 for _ in open(path / "events.csv", encoding="utf-8")) - 1
            self.segments += 6

    def read(self, path, device):
        with open(path, encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.lines[device] += len(rows)
        return rows

    def add_rows(self, path, device, session, model, build, day):
        with open(path, encoding="utf-8", newline="") as file:
            reader = csv.reader(file)
            at = {name: number for number, name in enumerate(next(reader))}
            rows = list(reader)
        self.lines[device] += len(rows)
        self.rows += len(rows)
        own = Sums()
        for name, key in (("frames", "frames"), ("jank", "jank"), ("big", "big jank"), ("stalls", "stalls"), ("missed", "missed vsyncs")):
            setattr(own, name, sum(int(row[at[key]]) for row in rows))
        for name, key in (("time", "Time(S)"), ("stall_time", "stall time(S)")):
            setattr(own, name, sum(float(row[at[key]]) for row in rows))
        own.longest = max(float(row[at["max time(ms)"]]) for row in rows)
        for sums in (self.by_build[build, model, rows[0][at["app"]]], self.by_device[device]):
            for name in ("frames", "jank", "big", "stalls", "missed", "time", "stall_time"):
                setattr(sums, name, getattr(sums, name) + getattr(own, name))
            sums.longest = max(sums.longest, own.longest)
            sums.devices.add(device)
            sums.sessions.add((device, session))
            sums.days.add(day)
            sums.builds.add(build)


def per_10_min(number, sums):
    return 600 * number / (sums.time + sums.stall_time)


def quantile(p, values):
    return sorted(values)[int(p * len(values))]


def near(got, expected, step=0.01):
    """Equal but for rounding."""
    return isinstance(got, (int, float)) and abs(got - expected) <= 0.51 * step + 1e-9


def check_builds(checks, lab, rows):
    checks.equal({(row["build"], row["model"], row["app"]) for row in rows}, set(lab.by_build), "builds")
    for row in rows:
        sums = lab.by_build[row["build"], row["model"], row["app"]]
        checks.that(near(row["mean FPS"], sums.frames / sums.time) and near(row["drawing(h)"], sums.time / 3600)
                    and near(row["jank(/10min)"], per_10_min(sums.jank, sums))
                    and near(row["big jank(/10min)"], per_10_min(sums.big, sums))
                    and near(row["missed vsyncs(/1000 frames)"], 1000 * sums.missed / sums.frames)
                    and row["stalls(/10min)"] == 0 and near(row["longest frame(ms)"], sums.longest, 0.001)
                    and (row["devices"], row["sessions"]) == (len(sums.devices), len(sums.sessions)),
                    f"builds: {row}, expected {vars(sums)}")
    checks.equal([(row["build"], row["model"]) for row in rows[:3]], [("build-2", "Model 2")] * 3, "the worst builds")
    checks.equal(rows, sorted(rows, key=lambda row: -row["jank(/10min)"]), "order of builds")


def check_regressions(checks, lab, rows):
    apps = {(model, app) for _, model, app in lab.by_build}
    checks.equal({(row["model"], row["app"]) for row in rows}, apps, "regressions")
    for row in rows:
        new, base = (lab.by_build[build, row["model"], row["app"]] for build in ("build-2", "build-1"))
        rates = [per_10_min(sums.jank, sums) for sums in (new, base)]
        checks.that((row["build"], row["before"], row["first day"]) == ("build-2", "build-1", str(min(new.days)))
                    and near(row["jank(/10min)"], rates[0]) and near(row["jank(/10min) before"], rates[1])
                    and near(row["more jank(/10min)"], rates[0] - rates[1]) and near(row["mean FPS"], new.frames / new.time)
                    and near(row["mean FPS before"], base.frames / base.time), f"regressions: {row}, expected {rates}")
    checks.equal({row["model"] for row in rows[:3]}, {"Model 2"}, "the model that became worse")


def check_percentiles(checks, lab, rows):
    checks.equal({(row["build"], row["app"]) for row in rows}, set(lab.sessions), "percentiles")
    for row in rows:
        sessions = lab.sessions[row["build"], row["app"]]
        checks.equal(row["sessions"], len(sessions), f"sessions of {row}")
        for name, number, p in (("FPS p10", 0, 0.1), ("FPS p50", 0, 0.5), ("FPS p90", 0, 0.9), ("p99(ms) p50", 1, 0.5),
                                ("p99(ms) p90", 1, 0.9), ("jank(/10min) p50", 2, 0.5), ("jank(/10min) p90", 2, 0.9)):
            expected = quantile(p, [session[number] for session in sessions])
            checks.that(near(row[name], expected, 0.001), f"{name} of {row}: expected {expected}")


def check_others(checks, lab, answers, today):
    checks.equal({(row["build"], row["app"], row["fault"]): (row["drops"], row["missed"], row["devices"]) for row in answers["causes"]},
                 {key: (drops, missed, len(devices)) for key, (drops, missed, devices) in lab.drops.items()}, "causes")
    silent = {device: (today - last.date()).days for device, last in lab.last.items() if (today - last.date()).days >= 2}
    checks.equal({row["device"]: row["silent days"] for row in answers["silent"]}, silent, "silent devices")
    checks.that(len(silent) == DEVICES // 20, f"silent devices that were planted: {len(silent)}")
    checks.equal({row["device"]: row["sessions with a wrong clock"] for row in answers["losses"]}, dict(lab.wrong), "wrong clocks")
    checks.equal({row["device"]: row["rows"] for row in answers["losses"]},
                 {device: lab.lines[device] for device in lab.wrong}, "rows of the devices with a wrong clock")
    checks.equal(len(answers["devices"]), min(1000, len(lab.by_device)), "devices")
    for row in answers["devices"]:
        sums = lab.by_device[row["device"]]
        checks.that(near(row["jank(/10min)"], per_10_min(sums.jank, sums)) and near(row["mean FPS"], sums.frames / sums.time)
                    and (row["sessions"], row["builds"]) == (len(sums.sessions), len(sums.builds))
                    and (row["first day"], row["last day"]) == (str(min(sums.days)), str(max(sums.days))), f"devices: {row}")


def queries(data, today):
    """The answers to all queries; their times are printed."""
    names = [line.split()[0] for line in fleet("query", data).stdout.splitlines()]
    return {name: timed(f"query {name}, with the start of the program", 0, lambda name=name: answer(data, name, "--today", today)) for name in names}


# --- loading ---

def beside_client(servers, top, here, rows):
    """What clickhouse-client needs for the rows of fps.csv alone, as they are."""
    import schema
    server, = servers
    columns = schema.columns("fps.csv")
    server.request("CREATE TABLE default.plain (" + schema.listed((name, schema.row_type(name)) for name in columns)
                   + ") ENGINE = MergeTree PARTITION BY tuple() ORDER BY app")
    one = here / "all.csv"
    with open(one, "wb") as file:
        file.write(schema.FILES["fps.csv"][1].encode() + b"\n")
        for path in sorted(top.glob("*/fps*.csv")):
            file.write(path.read_bytes().split(b"\n", 1)[1])
    known = json.loads((here / "one" / "servers.json").read_text())
    client = ["clickhouse-client", "--host", "127.0.0.1", "--port", str(known["shards"][0]["tcp"]), "--password", known["password"],
              "--query", "INSERT INTO default.plain FORMAT CSVWithNames"]
    timed("clickhouse-client, the rows of fps.csv", rows,
          lambda: subprocess.run(client, stdin=open(one, "rb"), check=True, timeout=500, env={**os.environ, "HOME": str(here)}))
    one.unlink()


def wait_for_rows(servers, table, more_than, process):
    """True if the table has more rows while the process runs."""
    while process.poll() is None:
        if count(servers, table) > more_than:
            return process.poll() is None
        time.sleep(0.02)
    return False


def killed(checks, servers, data, top, lab):
    """On two shards: the loader is killed, then the servers while the next loader runs."""
    loader = subprocess.Popen(command("load", data, top), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    was_killed = wait_for_rows(servers, "segments_rows", 0, loader)
    loader.kill()
    loader.wait()
    kept = count(servers, "segments_rows")
    checks.that(was_killed and 0 < kept < lab.segments, f"the loader was killed in between: {kept} of {lab.segments} segments")
    before = count(servers, "fps_rows")
    loader = subprocess.Popen(command("load", data, top, "--wait", 300), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
    while loader.poll() is None and count(servers, "fps_rows") <= before:
        time.sleep(0.02)
    if checks.that(loader.poll() is None, "the second loader runs when a server is killed"):
        pids = [int((data / f"server{number + 1}" / "pid").read_text()) for number in range(len(servers))]
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        line = loader.stderr.readline()
        checks.that("waiting for the server" in line, f"the loader says that the server is away: {line!r}")
        done = fleet("start", data)
        checks.equal(done.returncode, 0, f"the server starts again: {done.stderr}")
    out, err = loader.communicate(timeout=500)
    checks.equal(loader.returncode, 0, f"the loader goes on: {out}{err}")
    checks.that("answers again" in err, f"the loader says so: {err!r}")


def check_counts(checks, servers, lab, what):
    checks.equal(servers[0].rows("SELECT count() FROM jank_fleet.fps")[1][0][0], lab.rows, f"rows of fps.csv {what}")
    checks.equal(servers[0].rows("SELECT count() FROM jank_fleet.segments")[1][0][0], lab.segments, f"segments {what}")


def main():
    require_server()
    checks, first = Checks(), first_day()
    today = first + datetime.timedelta(days=DAYS)
    with folder() as here:
        top = here / "lab"
        top.mkdir()
        timed("generate", 0, lambda: subprocess.run([sys.argv[1], top, str(DEVICES), str(DAYS), str((first - datetime.date(1970, 1, 1)).days)],
                                                    check=True))
        lab = timed("compute from the CSV files", 0, lambda: Lab(top, datetime.datetime.now(UTC).date()))
        print(f"{DEVICES} devices, {DAYS} days, {lab.segments} segments, {lab.rows} rows of fps.csv, {sum(lab.lines.values())} in all", flush=True)
        with started(here / "one") as servers:
            loaded = timed("jank-fleet load, all files", sum(lab.lines.values()), lambda: fleet("load", here / "one", top))
            checks.equal((loaded.returncode, loaded.stderr), (0, ""), "load")
            check_counts(checks, servers, lab, "after loading")
            stored = count(servers, "fps_rows")
            again = timed("jank-fleet load again", 0, lambda: fleet("load", here / "one", top))
            checks.that(again.stdout.startswith("0 rows of 0 segments"), f"load again: {again.stdout}{again.stderr}")
            checks.equal(count(servers, "fps_rows"), stored, "rows after loading again")
            beside_client(servers, top, here, lab.rows)
            one = queries(here / "one", today)
            check_builds(checks, lab, one["builds"])
            check_regressions(checks, lab, one["regressions"])
            check_percentiles(checks, lab, one["percentiles"])
            check_others(checks, lab, one, today)
            page = here / "fleet.html"
            made = timed("page", 0, lambda: fleet("page", here / "one", "-o", page, "--today", today))
            checks.equal((made.returncode, made.stdout.strip()), (0, str(page)), f"page: {made.stderr}")
            checks.that("http:" not in page.read_text().replace("http-equiv", ""), "the page needs a network")
            dropped = fleet("drop", here / "one", "--before", first + datetime.timedelta(days=3))
            checks.equal(dropped.returncode, 0, f"drop: {dropped.stderr}")
            checks.equal(servers[0].rows("SELECT count() FROM jank_fleet.fps")[1][0][0], lab.kept_rows, "rows after dropping a week")
        with started(here / "two", "--shards", 2) as servers:
            timed("two shards: load with a loader and a server killed", 0, lambda: killed(checks, servers, here / "two", top, lab))
            check_counts(checks, servers, lab, "on two shards")
            shares = [count([server], "segments_rows") for server in servers]
            checks.that(min(shares) > lab.segments / 4, f"both shards have segments: {shares}")
            two = queries(here / "two", today)
            for name, rows in one.items():
                checks.equal(two[name], rows, f"query {name} on two shards and on one server")
    checks.end()


main()
