#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Folders as they come: segments, packed or not, torn, missing, doubled, half a folder, several sessions, the files of 2019,
and what is no folder of jankd. Each fault is one line, and nothing is counted twice."""

import gzip
import json
import pathlib
import random
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from jankd import Checks, analyze, folder
from report import demo, model, report, scenario, surfaces

MAIL = "com.example.mail/com.example.mail.MainActivity"
GAME = "SurfaceView[com.example.game/com.example.game.GameActivity](BLAST)"
HEADER_2019 = ("start time,end time,FPS,frames,Time(S),max time(ms),waiting time(S),wait times,A,B,C,D,score,TX,app,Surface\n")
ROWS_2019 = """100.016666,101.033333,60,61,1.017,16.667,0,0,0,0,0,0,100,0,com.a,"com.a/com.a.Main"
101.033333,102.1,55.3,59,1.066,1.2e+02,0,0,1,0,0,1,94.5,0,com.a,"com.a/com.a.Main"
102.1,109.2,58,40,0.69,33.3,6.41,1,0,0,0,2,98,1,com.a,"SurfaceView - com.a/com.a.Main"
"""
DROPS_2019 = ("start VSYNC,end VSYNC,used time(ms),VSYNC type,TX,app,Surface,info\n"
              '101.5,101.62,120.0,VSYNC-app,0,com.a,"com.a/com.a.Main","one\ntwo\n"\n')


def numbers(path, *arguments):
    return {name: (one["numbers"], one["harm"]) for name, one in surfaces(model(*arguments, path)[0]).items()}


def one_line_each(checks, what, text, name="jank-report: "):
    for line in text.splitlines():
        checks.that(line.startswith(name) and len(line) < 600 and line.count("; ") >= 1, f"{what}: {line!r}")


def segments(checks, here):
    """A rotated folder gives the numbers of one that was not; also packed."""
    whole = demo(here, "--frames-log", "-T", 2)
    expected = numbers(whole)
    out = demo(here, "--frames-log", "-T", 2, "--rotate-time", "5", name="rotated")
    checks.equal(numbers(out), expected, "numbers of a rotated folder")
    for path in [*out.glob("*.csv"), out / "session.json"]:
        pathlib.Path(f"{path}.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    session, = model(out)
    checks.equal(numbers(out), expected, "numbers of a packed folder")
    checks.equal(session["rules"], "default", "a packed session.json")
    checks.equal(session["notices"], [], "notices of a whole folder")
    return out, expected


def torn(checks, here, out, expected):
    """A file that is cut off: its last row is left out."""
    for name in ("fps-000002.csv.gz", "frames-000002.csv.gz"):
        data = gzip.decompress((out / name).read_bytes())
        (out / name[:-3]).write_bytes(data[:-7])
        (out / name).unlink()
    session, = model(out)
    checks.equal({notice.split(":")[0] for notice in session["notices"] if "cut off" in notice},
                 {"fps-000002.csv", "frames-000002.csv"}, "notices of torn files")
    checks.that(session["files"]["fps.csv"]["torn"], "the file is torn")
    checks.equal(surfaces(session)[MAIL]["numbers"]["FPS"], expected[MAIL][0]["FPS"], "FPS is that of summary.csv")
    data = (out / "events-000001.csv.gz").read_bytes()
    (out / "events-000001.csv.gz").write_bytes(data[:len(data) // 2])
    session, = model(out)
    checks.that(any("events-000001.csv.gz" in notice for notice in session["notices"]), f"torn gzip data: {session['notices']}")


def missing(checks, here):
    out = demo(here, "--frames-log", "--rotate-time", "4", name="gap")
    (out / "frames-000002.csv").unlink()
    (out / "fps-000002.csv").unlink()
    (out / "fps-000003.csv").unlink()
    session, = model(out)
    for text in ("frames.csv: segment 2 is missing", "fps.csv: segment 2 and following are missing", "frame times of com.example"):
        checks.that(any(text in notice for notice in session["notices"]), f"{text!r} is not in {session['notices']}")


def doubled(checks, here):
    """Copies, and a pull of a file that grew: the longer one counts."""
    whole = demo(here, "--frames-log", "-T", 2)
    expected = numbers(whole)
    out = here / "doubled"
    shutil.copytree(whole, out)
    (out / "summary.csv").unlink()
    alone = numbers(out)
    for name in ("fps", "frames", "dropFrames", "events"):
        text = (out / f"{name}.csv").read_text()
        (out / f"{name}-000001.csv").write_text(text[:text.rindex("\n", 0, len(text) // 2) + 1])
        (out / f"{name}-000002.csv.gz").write_bytes(gzip.compress(text.encode()))
    session, = model(out)
    checks.equal(numbers(out), alone, "numbers of a doubled folder")
    checks.equal(len([notice for notice in session["notices"] if "the same rows" in notice]), 8, f"notices {session['notices']}")
    # A pull that was cut off, and the segment that was packed meanwhile.
    shutil.rmtree(out)
    shutil.copytree(whole, out)
    text = (out / "frames.csv").read_bytes()
    (out / "frames.csv").rename(out / "frames-000001.csv")
    (out / "frames-000001.csv.gz").write_bytes(gzip.compress(text))
    (out / "frames-000001.csv").write_bytes(text[:len(text) * 9 // 10])
    session, = model(out)
    checks.equal((session["files"]["frames.csv"]["rows"], session["files"]["frames.csv"]["torn"]), (text.count(b"\n") - 1, False),
                 "rows of the packed copy, which is longer")
    # Joined with their headers.
    shutil.rmtree(out)
    shutil.copytree(whole, out)
    first, *rest = (whole / "frames.csv").read_text().splitlines(keepends=True)
    (out / "frames.csv").write_text(first + "".join(rest[:500]) + first + "".join(rest[500:]))
    checks.equal(numbers(out), expected, "numbers of joined segments")


def half(checks, here):
    """Every file alone, and every file missing: an answer with notices, or one line."""
    whole = demo(here, "--frames-log", "-T", 2)
    for path in sorted(whole.glob("[!.]*")):
        out = here / f"without {path.name}"
        shutil.copytree(whole, out)
        (out / path.name).unlink()
        done = report(out)
        checks.equal((done.returncode, done.stderr), (0, ""), f"without {path.name}")
        if path.name not in ("doframe.csv", "dropFrames.csv"):
            checks.that(f"note: {path.name} is missing" in done.stdout, f"without {path.name}: {done.stdout}")
        alone = here / f"only {path.name}"
        alone.mkdir()
        shutil.copy(path, alone)
        done = report(alone)
        checks.that(done.returncode in (0, 1) and (done.returncode == 0) == (done.stderr == ""), f"only {path.name}: {done}")
        one_line_each(checks, f"only {path.name}", done.stderr)
    harm = surfaces(model(here / "without frames.csv")[0])[MAIL]["harm"]
    truth = surfaces(model(whole)[0])[MAIL]["harm"]
    checks.equal((harm["frames"], round(harm["total(ms)"]), harm["causes"]),
                 (truth["frames"], round(truth["total(ms)"]), truth["causes"]), "harm of dropFrames.csv")
    done = report(here / "only fps.csv")
    checks.that(f"{MAIL}: 53.13 FPS" in done.stdout and "no frame" not in done.stdout and ":  FPS" not in done.stdout, f"fps.csv alone: {done.stdout}")
    # Also without summary.csv: a game at 30 fps on 60 Hz is not late. And a part of frames.csv is not all of it.
    (here / "without frames.csv" / "summary.csv").unlink()
    found = surfaces(model(here / "without frames.csv")[0])
    checks.equal((found[MAIL]["harm"]["frames"], found[GAME]["harm"]["frames"]), (truth["frames"], 0), "harm without summary.csv")
    part = here / "part"
    shutil.copytree(whole, part)
    text = (whole / "frames.csv").read_text()
    (part / "frames.csv").write_text(text[:text.rindex("\n", 0, len(text) // 3) + 1])
    session, = model(part)
    checks.equal(session["harm source"], "dropFrames.csv", "the source of harm")
    checks.equal(surfaces(session)[MAIL]["harm"]["frames"], truth["frames"], "harm with a third of frames.csv")


def sessions(checks, here):
    """Two sessions in one folder, and a folder of folders."""
    out = demo(here, "--frames-log", name="twice")
    analyze(out, "--frames-log", here / "demo.txt")
    found = model(out)
    checks.equal([(session["session"], session["of"]) for session in found], [(1, 2), (2, 2)], "two sessions")
    checks.equal(surfaces(found[0])[MAIL]["numbers"], surfaces(found[1])[MAIL]["numbers"], "numbers of both")
    many = here / "many"
    for name in ("b", "a/c"):
        (many / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(here / "out", many / name)
    checks.equal([pathlib.Path(session["folder"]).name for session in model(many)], ["c", "b"], "folders in a folder")
    deep = here / "deep" / "1" / "2" / "3" / "4"
    deep.mkdir(parents=True)
    shutil.copytree(here / "out", deep / "5")
    done = report(here / "deep")
    checks.equal((done.returncode, done.stderr.count("\n")), (1, 1), f"deeper than is read: {done.stderr}")
    one_line_each(checks, "deeper than is read", done.stderr)
    checks.equal(len(model(deep.parent.parent)), 1, "as deep as is read")


def of_2019(checks, here):
    out = here / "2019"
    out.mkdir()
    (out / "fps.csv").write_text(HEADER_2019 + ROWS_2019)
    (out / "dropFrames.csv").write_text(DROPS_2019)
    session, = model(out)
    found = surfaces(session)["com.a/com.a.Main"]["numbers"]
    checks.equal([found[name] for name in ("frames", "Time(S)", "FPS", "max time(ms)", "A", "B", "C", "D")],
                 [120, 2.083, round(120 / 2.083, 2), 120, 1, 0, 0, 1], "sums of a fps.csv of 2019")
    checks.equal([found[name] for name in ("p99(ms)", "jank", "stutter(%)", "frozen", "harm(ms)")], [None] * 5, "what it does not have")
    # Its drops have no missed vsyncs, so no harm; and awk removed the header that the shell had written.
    for header in ("", DROPS_2019.split("\n", 1)[0] + "\n"):
        (out / "dropFrames.csv").write_text(header + DROPS_2019.split("\n", 1)[1] + '102.5,102.55,50,VSYNC-sf,0,com.a,"com.a/com.a.Main",""\n')
        session, = model(out)
        checks.equal(session["files"]["dropFrames.csv"]["rows"], 2, "rows of dropFrames.csv")
        checks.equal([(one["time(s)"], one["interval(ms)"], one["harm(ms)"], one["info"]) for one in session["late"]],
                     [(101.62, 120.0, None, "one\\x0Atwo\\x0A"), (102.55, 50.0, None, None)], "drops of 2019")
        checks.equal((session["harm source"], surfaces(session)["com.a/com.a.Main"]["harm"]), (None, None), "harm of 2019")
    done = report(out)
    checks.that("com.a/com.a.Main: 57.61 FPS, 120 frames" in done.stdout and "2019" in done.stdout, done.stdout)
    checks.that("jank -, stalls -" in done.stdout and "no frame" not in done.stdout and "vsyncs" not in done.stdout,
                f"what is not captured is not said to be none: {done.stdout}")
    checks.equal(report("--fail-if", "FPS < 50", out).returncode, 0, "a condition that there is not enough data for")
    analyze(here / "gfx", "--rules", "gfx2019", "-T", 2, scenario("drops-120", here / "old.txt", vocabulary="android-9"))
    checks.equal(report(here / "gfx").returncode, 0, "a folder of --rules gfx2019")


def refused(checks, here):
    """What is no folder of jankd: one line, and exit code 1; the other folders are read."""
    (here / "empty").mkdir()
    (here / "file").write_text("x")
    garbage = here / "garbage"
    garbage.mkdir()
    noise = random.Random(1)
    (garbage / "fps.csv").write_bytes(noise.randbytes(300000))
    (garbage / "frames.csv").write_bytes("present(s),vsync(s)\n".encode("utf-16"))
    (garbage / "events.csv").write_bytes(b"")
    (garbage / "summary.csv").mkdir()
    (garbage / "session.json").write_text("[1,")
    for what in ("empty", "file", "garbage", "nowhere"):
        done = report(here / what, here / "out")
        checks.equal((done.returncode, done.stderr.count("\n")), (1, 1), f"{what}: {done.stderr}")
        one_line_each(checks, what, done.stderr)
        checks.that(MAIL.replace("com.example.mail.", ".") in done.stdout, f"{what}: the other folder is not printed")
    checks.equal(report(here / "empty").stdout, "", "nothing to print")


def without_rows(checks, here):
    """Rows with numbers that are none are counted; files without rows are one line that says so."""
    out, bare = here / "wrong", here / "bare"
    shutil.copytree(here / "out", out)
    first, row = (out / "fps.csv").read_text().splitlines(keepends=True)[:2]
    cells = row.split(",")
    with open(out / "fps.csv", "a") as file:
        file.writelines(",".join([*cells[:3], wrong, *cells[4:]]) for wrong in ("-1", "nan", "1e308"))
    session, = model(out)
    checks.that("fps.csv: 3 lines are no rows of this file; left out" in session["notices"], f"wrong rows: {session['notices']}")
    with open(out / "fps.csv", "w") as file:
        file.write(first + row + row[:20] + "\n")
    session, = model(out)
    checks.that("fps.csv: 1 line is no row of this file; left out" in session["notices"], f"a wrong row: {session['notices']}")
    bare.mkdir()
    (bare / "fps.csv").write_text(first)
    done = report(bare)
    checks.that(done.returncode == 1 and ": no file has a row; " in done.stderr, f"a header alone: {done.stderr}")


def other_files(checks, here):
    """A session without frames, as of FrameTimeline alone: its time is that of these rows, and nothing is computed from files that have none."""
    out = here / "timeline"
    out.mkdir()
    for name in ("summary.csv", "fps.csv", "frames.csv", "events.csv"):
        (out / name).write_text((here / "out" / name).read_text().split("\n", 1)[0] + "\n")
    (out / "events.csv").write_text("time(s),wall time,kind,text\n,,start,jankd\n")
    done = report(out)
    checks.that("-0.000" not in done.stdout and done.stdout.startswith(f"{out}:\n"), f"no time is known: {done.stdout}")
    checks.that("computed from" not in done.stdout and "note: fps.csv has no rows\n" in done.stdout, f"no rows: {done.stdout}")
    (out / "frametimeline.csv").write_text("kind,start(s),end(s),expected start(s),expected end(s),token,display token,pid,app,Surface,layer,present type,on time finish,"
                                           "gpu composition,prediction,jank type,severity,buffer\n"
                                           "surface,7.5,7.75,7.5,7.6,1,2,9,com.a,com.a/x,com.a/x#1,LATE,0,0,VALID,APP_DEADLINE_MISSED,FULL,1\n")
    session, = model(out)
    checks.equal((session["from(s)"], session["to(s)"], session["captured"][0]["mean(ms)"]), (7.5, 7.75, 250), "the time of frametimeline.csv")


def rubbish(checks, here):
    """10^6 lines of garbage in files with a right header: counted, within bounds."""
    out = here / "rubbish"
    shutil.copytree(here / "out", out)
    noise = random.Random(2)
    words = [noise.randbytes(noise.randrange(1, 60)).replace(b"\n", b"") for _ in range(997)]
    header = (out / "fps.csv").read_bytes().split(b"\n")[0]
    for name in ("fps.csv", "events.csv"):
        first = (out / name).read_bytes()
        (out / name).write_bytes(first + b"\n".join(words[n % 997] + b",%d" % n for n in range(1000000)) + b"\n")
    (out / "frames.csv").write_bytes((out / "frames.csv").read_bytes().split(b"\n")[0] + b"\n" +
                                     b"".join(b"%d.5,,99999999999.5,99999999999999,a,S%d,L%d,,,,,app,9999999999999,\n" % (n, n, n)
                                              for n in range(100000)))
    done = report("--json", out, timeout=60)
    checks.equal(done.returncode, 0, f"rubbish: {done.stderr}")
    session, = json.loads(done.stdout)["sessions"]
    checks.that(any("lines are no rows of this file" in notice for notice in session["notices"]), f"{session['notices']}")
    checks.that(any("more Surfaces than" in notice for notice in session["notices"]), f"{session['notices']}")
    checks.that(session["files"]["fps.csv"]["malformed"] > 100000, f"{session['files']['fps.csv']}")
    checks.that(len(header) > 0, "the header")


checks = Checks()
with folder() as here:
    out, expected = segments(checks, here)
    torn(checks, here, out, expected)
    missing(checks, here)
    doubled(checks, here)
    half(checks, here)
    sessions(checks, here)
    of_2019(checks, here)
    refused(checks, here)
    without_rows(checks, here)
    other_files(checks, here)
    rubbish(checks, here)
checks.end()
