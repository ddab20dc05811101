# SPDX-License-Identifier: Apache-2.0
"""lab.py [DEVICES]: a lab of 40 devices and 7 days in a real server: each query is compared with what was written into the
CSV files. With DEVICES, so many, and also on two shards where the loader and the servers are killed in between."""

import datetime
import os
import signal
import subprocess
import sys
import time

from devices import Lab, NEW_BUILD, UTC
sys.path.insert(0, f"{sys.path[0]}/../lib")
from fleet import answer, command, count, fleet, require_server, started
from jankd import checks, folder

DAYS = 7
DEVICES = int(sys.argv[1]) if len(sys.argv) > 1 else 40


def first_day():
    """A Friday, so that the fourth day begins a week."""
    day = datetime.datetime.now(UTC).date() - datetime.timedelta(days=8)
    return day - datetime.timedelta(days=(day.weekday() - 4) % 7)


# --- queries ---

def quantile(p, values):
    return sorted(values)[int(p * len(values))]


def near(got, expected, step=0.01):
    """Equal but for rounding."""
    return isinstance(got, (int, float)) and abs(got - expected) <= 0.51 * step + 1e-9


def check_builds(checks, lab, rows):
    checks.equal({(row["build"], row["model"], row["app"]) for row in rows}, set(lab.by_build), "builds")
    for row in rows:
        sums = lab.by_build[row["build"], row["model"], row["app"]]
        checks.that(near(row["lost(ms/s)"], sums.rate(), 0.01) and near(row["lost(s)"], sums.lost(), 0.02) and near(row["drawing(s)"], sums.drawing(), 0.1)
                    and (row["grade"], row["late frames"], row["freezes"], row["longest freeze(s)"]) == (sums.grade(), sums.late, sums.freezes, 0.9 * (sums.freezes > 0))
                    and near(row["freezes(/10min)"], 600 * sums.freezes / sums.drawing())
                    and (row["devices"], row["sessions"]) == (len(sums.devices), len(sums.sessions))
                    and (row["first day"], row["last day"]) == (str(min(sums.days)), str(max(sums.days))), f"builds: {row}, expected {vars(sums)}")
    checks.equal([(row["build"], row["model"], row["grade"]) for row in rows[:3]], [("build-2", "Model 2", "BAD")] * 3, "the worst builds")
    checks.equal({row["grade"] for row in rows if row["model"] == "Model 3" and row["build"] == "build-2"}, {"POOR"}, "the model that freezes")
    order = ["BAD", "POOR", "FAIR", "GOOD"]
    checks.equal(rows, sorted(rows, key=lambda row: (order.index(row["grade"]), -row["lost(ms/s)"])), "order of builds")
    worst = max((sums.rate(), key) for key, sums in lab.by_build.items())[1]
    said = fleet("query", lab.data, "builds").stdout.splitlines()[0]
    checks.that(said.startswith(f"BAD: {worst[2]} on Model 2 with build build-2 was late for "), f"the first line: {said}")


def check_sessions(checks, lab, rows, newest):
    """The worst sessions, and all of them over time."""
    order = ["BAD", "POOR", "FAIR", "GOOD"]
    expected = sorted(((order.index(own.grade()), -round(own.lost(), 3), key) for key, own in lab.own.items()))
    got = [(order.index(row["grade"]), -row["lost(s)"], (row["device"], row["session"])) for row in rows]
    checks.that(len(got) == min(1000, len(expected)) and all(one[0] == other[0] and near(one[1], other[1], 0.02) for one, other in zip(got, expected)), f"worst sessions: {got[:3]}, {expected[:3]}")
    for row in rows:
        own = lab.own[row["device"], row["session"]]
        checks.that(near(row["lost(ms/s)"], own.rate(), 0.01) and row["grade"] == own.grade() and os.path.isdir(row["folder"]), f"session: {row}")
    right = [key for key in lab.own if key[0] not in lab.wrong]
    checks.equal(sorted((row["device"], row["session"]) for row in newest), sorted(right), "sessions with a right clock over time")
    checks.equal([row["began"] for row in newest], sorted(row["began"] for row in newest), "order by time")


def check_regressions(checks, lab, rows):
    apps = {(model, app) for _, model, app in lab.by_build}
    checks.equal({(row["model"], row["app"]) for row in rows}, apps, "regressions")
    for row in rows:
        new, base = (lab.by_build[build, row["model"], row["app"]] for build in ("build-2", "build-1"))
        checks.that((row["build"], row["before"], row["first day"]) == ("build-2", "build-1", str(min(new.days)))
                    and near(row["lost(ms/s)"], new.rate(), 0.01) and near(row["lost(ms/s) before"], base.rate(), 0.01)
                    and near(row["more lost(ms/s)"], new.rate() - base.rate(), 0.02)
                    and (row["grade"], row["grade before"]) == (new.grade(), base.grade()), f"regressions: {row}")
    checks.equal({row["model"] for row in rows[:3]}, {"Model 2"}, "the model that became worse")


def check_percentiles(checks, lab, rows):
    checks.equal({(row["build"], row["app"]) for row in rows}, set(lab.sessions), "percentiles")
    for row in rows:
        sessions = lab.sessions[row["build"], row["app"]]
        checks.equal(row["sessions"], len(sessions), f"sessions of {row}")
        for name, number, p in (("FPS p10", 0, 0.1), ("FPS p50", 0, 0.5), ("FPS p90", 0, 0.9), ("p99(ms) p50", 1, 0.5),
                                ("p99(ms) p90", 1, 0.9), ("lost(ms/s) p50", 2, 0.5), ("lost(ms/s) p90", 2, 0.9)):
            expected = quantile(p, [session[number] for session in sessions])
            checks.that(near(row[name], expected, 0.001), f"{name} of {row}: expected {expected}")


def check_others(checks, lab, answers, today):
    names = {"app": "App too slow", "gpu": "App's GPU work", "surfaceflinger-cpu": "System compositor (CPU)", "unknown": "Unknown"}
    drops = {(build, app, cause or "unknown"): drop for (build, app, cause), drop in lab.drops.items()}
    checks.equal({(row["build"], row["app"], row["in files"]): (row["times"], row["cause"]) for row in answers["causes"]},
                 {key: (times, names[key[2]]) for key, (_, times) in drops.items()}, "causes")
    for row in answers["causes"]:
        checks.that(near(row["lost(s)"], drops[row["build"], row["app"], row["in files"]][0], 0.02), f"causes: {row}")
    checks.equal(answers["causes"], sorted(answers["causes"], key=lambda row: -row["lost(s)"]), "the cause that lost most is first")
    silent = {device: (today - last.date()).days for device, last in lab.last.items() if (today - last.date()).days >= 2}
    checks.equal({row["device"]: row["silent days"] for row in answers["silent"]}, silent, "silent devices")
    checks.that(len(silent) == DEVICES // 20, f"silent devices that were planted: {len(silent)}")
    checks.equal({row["device"]: row["sessions with a wrong clock"] for row in answers["losses"]}, dict(lab.wrong), "wrong clocks")
    checks.equal({row["device"]: row["rows"] for row in answers["losses"]},
                 {device: lab.lines[device] for device in lab.wrong}, "rows of the devices with a wrong clock")
    checks.equal(len(answers["devices"]), min(1000, len(lab.by_device)), "devices")
    for row in answers["devices"]:
        sums = lab.by_device[row["device"]]
        checks.that(near(row["lost(ms/s)"], sums.rate(), 0.01) and near(row["drawing(h)"], sums.drawing() / 3600) and row["all freezes"] == sums.freezes
                    and (row["sessions"], row["builds"]) == (len(sums.sessions), len(sums.builds))
                    and (row["first day"], row["last day"]) == (str(min(sums.days)), str(max(sums.days))), f"devices: {row}")


def queries(data, today):
    """The answers to all queries."""
    names = [line.split()[0] for line in fleet("query", data).stdout.splitlines()]
    return {name: answer(data, name, "--today", today) for name in names}


# --- loading ---

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
    loader = subprocess.Popen(command("load", data, top, "--wait", 300), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
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


def two_shards(checks, here, top, lab, one, today):
    with started(here / "two", "--shards", 2) as servers:
        killed(checks, servers, here / "two", top, lab)
        check_counts(checks, servers, lab, "on two shards")
        shares = [count([server], "segments_rows") for server in servers]
        checks.that(min(shares) > lab.segments / 4, f"both shards have segments: {shares}")
        two = queries(here / "two", today)
        for name, rows in one.items():
            checks.equal(two[name], rows, f"query {name} on two shards and on one server")


require_server()
first = first_day()
today = first + datetime.timedelta(days=DAYS)
with checks, folder() as here:
    top = here / "lab"
    lab = Lab(top, DEVICES, DAYS, first)
    lab.data = here / "one"
    print(f"{DEVICES} devices, {DAYS} days, {lab.segments} segments, {lab.rows} rows of fps.csv, {sum(lab.lines.values())} in all", flush=True)
    with started(here / "one") as servers:
        loaded = fleet("load", here / "one", top)
        checks.equal((loaded.returncode, loaded.stderr), (0, ""), "load")
        check_counts(checks, servers, lab, "after loading")
        stored = count(servers, "fps_rows")
        again = fleet("load", here / "one", top)
        checks.that(again.stdout.startswith("0 rows of 0 segments"), f"load again: {again.stdout}{again.stderr}")
        checks.equal(count(servers, "fps_rows"), stored, "rows after loading again")
        one = queries(here / "one", today)
        check_builds(checks, lab, one["builds"])
        check_sessions(checks, lab, one["sessions"], one["trend"])
        check_regressions(checks, lab, one["regressions"])
        check_percentiles(checks, lab, one["percentiles"])
        check_others(checks, lab, one, today)
        page = here / "fleet.html"
        made = fleet("page", here / "one", "-o", page, "--today", today)
        checks.equal((made.returncode, made.stdout.strip()), (0, str(page)), f"page: {made.stderr}")
        checks.that("http:" not in page.read_text().replace("http-equiv", ""), "the page needs a network")
        monday = first + datetime.timedelta(days=NEW_BUILD)
        dropped = fleet("drop", here / "one", "--before", monday)
        checks.equal(dropped.returncode, 0, f"drop: {dropped.stderr}")
        checks.equal(servers[0].rows("SELECT count() FROM jank_fleet.fps")[1][0][0],
                     sum(rows for day, rows in lab.rows_of_day.items() if day >= monday), "rows after dropping a week")
    if len(sys.argv) > 1:
        two_shards(checks, here, top, lab, one, today)
