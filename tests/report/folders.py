# SPDX-License-Identifier: Apache-2.0
"""Folders as they come: segments, packed or not, torn, missing, doubled, half a folder, several sessions, the files of 2019,
and what is no folder of jankd. Each fault is one line, and nothing is counted twice."""

import csv, gzip, json, pathlib, random, re, shutil
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from csv_files import COLUMNS, COLUMNS_2019, second, write, write_events
from jankd import analyze, checks, folder
from report import demo, model, report, scenario, surfaces

MAIL = "com.example.mail/com.example.mail.MainActivity"
GAME = "SurfaceView[com.example.game/com.example.game.GameActivity](BLAST)"
ROWS_2019 = """100.016666,101.033333,60,61,1.017,16.667,0,0,0,0,0,0,100,0,com.a,"com.a/com.a.Main"
101.033333,102.1,55.3,59,1.066,1.2e+02,0,0,1,0,0,1,94.5,0,com.a,"com.a/com.a.Main"
102.1,109.2,58,40,0.69,33.3,6.41,1,0,0,0,2,98,1,com.a,"SurfaceView - com.a/com.a.Main"
"""
DROPS_2019 = '101.5,101.62,120.0,VSYNC-app,0,com.a,"com.a/com.a.Main","one\ntwo\n"\n102.5,102.55,50,VSYNC-sf,0,com.a,"com.a/com.a.Main",""\n'


def numbers(path, *arguments):
    return {name: (one["numbers"], one["time lost"]) for name, one in surfaces(model(*arguments, path)[0]).items()}


def one_line_each(what, lines, number=None):
    """Errors are lines, @number of them, that say what to do."""
    lines = lines.splitlines()
    checks.that(number in (None, len(lines)), f"{what}: {len(lines)} lines: {lines}")
    for line in lines:
        checks.that(line.startswith("jank-report: ") and len(line) < 600 and "; " in line, f"{what}: {line!r}")


def copy(whole, name):
    return pathlib.Path(shutil.copytree(whole, whole.parent / name))


def pack(path, data=None, name=None):
    """Packs a file, or @data of it, as a file of that name and .gz."""
    (path.parent / f"{name or path.name}.gz").write_bytes(gzip.compress(path.read_bytes() if data is None else data))


def part(path, share):
    """The text of a file up to a row's end at about that share of it."""
    text = path.read_text()
    return text[:text.rindex("\n", 0, int(len(text) * share)) + 1]


def segments(here, expected):
    """A rotated folder gives the numbers of one that was not; also packed; a file that is cut off lacks its last row."""
    out = demo(here, "--frames-log", "-T", 2, "--rotate-time", "5", name="rotated")
    checks.equal(numbers(out), expected, "numbers of a rotated folder")
    for path in [*out.glob("*.csv"), out / "session.json"]:
        pack(path)
        path.unlink()
    session, = model(out)
    checks.equal((numbers(out), (session["rules"], session["notices"])), (expected, ("default", [])), "numbers of a packed folder; a packed session.json, and notices of a whole folder")

    for name in ("fps-000002.csv", "frames-000002.csv"):
        packed = out / f"{name}.gz"
        (out / name).write_bytes(gzip.decompress(packed.read_bytes())[:-7])
        packed.unlink()
    cut = out / "events-000001.csv.gz"
    cut.write_bytes(cut.read_bytes()[:cut.stat().st_size // 2])
    session, = model(out)
    for text in ("fps-000002.csv: its last row is cut off", "frames-000002.csv: its last row is cut off", f"{cut.name}: "):
        checks.that(any(notice.startswith(text) for notice in session["notices"]), f"torn files: {text!r} is not in {session['notices']}")
    checks.that(session["files"]["fps.csv"]["torn"], "the file is torn")
    checks.equal(surfaces(session)[MAIL]["numbers"]["FPS"], expected[MAIL][0]["FPS"], "FPS is that of summary.csv")


def missing(here):
    out = demo(here, "--frames-log", "--rotate-time", "4", name="gap")
    for name in ("frames-000002.csv", "fps-000002.csv", "fps-000003.csv"):
        (out / name).unlink()
    session, = model(out)
    for text in ("frames.csv: segment 2 is missing", "fps.csv: segments 2 to 3 are missing", "frame times of com.example"):
        checks.that(any(text in notice for notice in session["notices"]), f"{text!r} is not in {session['notices']}")


def doubled(whole, expected):
    """Copies, and a pull of a file that grew: the longer one counts."""
    out = copy(whole, "doubled")
    (out / "summary.csv").unlink()
    alone = numbers(out)
    for name in ("fps", "frames", "dropFrames", "events"):
        path = out / f"{name}.csv"
        (out / f"{name}-000001.csv").write_text(part(path, 0.5))
        pack(path, name=f"{name}-000002.csv")
    session, = model(out)
    checks.equal(numbers(out), alone, "numbers of a doubled folder")
    checks.equal(sum("the same rows" in notice for notice in session["notices"]), 8, f"notices {session['notices']}")
    # A pull that was cut off, and the segment that was packed meanwhile.
    out = copy(whole, "cut off")
    path = (out / "frames.csv").rename(out / "frames-000001.csv")
    pack(path)
    n_rows = path.read_bytes().count(b"\n") - 1
    path.write_bytes(path.read_bytes()[:-10000])
    checks.equal(((found := model(out)[0]["files"]["frames.csv"])["rows"], found["torn"]), (n_rows, False), "rows of the packed copy, which is longer")
    # Joined with their headers.
    out = copy(whole, "joined")
    lines = (out / "frames.csv").read_text().splitlines(keepends=True)
    (out / "frames.csv").write_text("".join(lines[:500] + lines[:1] + lines[500:]))
    checks.equal(numbers(out), expected, "numbers of joined segments")


def half(here, whole):
    """Every file alone, and every file missing: an answer with notices, or one line."""
    for path in sorted(whole.glob("[!.]*")):
        without = copy(whole, f"without {path.name}")
        (without / path.name).unlink()
        done = report(without)
        checks.equal((done.returncode, done.stderr), (0, ""), f"without {path.name}")
        checks.that(path.name in ("doframe.csv", "dropFrames.csv") or f"note: {path.name} is missing" in done.stdout, f"without {path.name}: {done.stdout}")
        (here / f"only {path.name}").mkdir()
        shutil.copy(path, here / f"only {path.name}")
        done = report(here / f"only {path.name}")
        checks.that(done.returncode in (0, 1) and (done.returncode == 0) == (done.stderr == ""), f"only {path.name}: {done}")
        one_line_each(f"only {path.name}", done.stderr)
    facts, truth = (surfaces(model(path)[0])[MAIL]["facts"] for path in (here / "without frames.csv", whole))
    checks.equal([(cause, one["times"], round(one["lost(s)"], 3)) for cause, one in facts["causes"].items()],
                 [(cause, one["times"], round(one["lost(s)"], 3)) for cause, one in truth["causes"].items()], "time lost of dropFrames.csv")
    checks.that(f"{MAIL}: 53.13 FPS" in (text := report(here / "only fps.csv").stdout) and "no frame" not in text.replace("freezes that no frame ended", "") and ":  FPS" not in text, f"fps.csv alone: {text}")
    # Also without summary.csv: a game at 30 fps on 60 Hz is not late. And a part of frames.csv is not all of it.
    (here / "without frames.csv/summary.csv").unlink()
    found = surfaces(model(here / "without frames.csv")[0])
    checks.equal([[found[name]["facts"][key] for key in ("late frames", "freezes")] for name in (MAIL, GAME)],
                 [[truth[key] for key in ("late frames", "freezes")], [0, 0]], "time lost without summary.csv")
    third = copy(whole, "third")
    (third / "frames.csv").write_text(part(third / "frames.csv", 1 / 3))
    session, = model(third)
    checks.equal((session["time lost source"], surfaces(session)[MAIL]["facts"]["late frames"]), ("dropFrames.csv", truth["late frames"]), "time lost with a third of frames.csv")


def sessions(here, whole):
    """Two sessions in one folder, and a folder of folders."""
    out = demo(here, "--frames-log", name="twice")
    analyze(out, "--frames-log", here / "demo.txt")
    found = model(out)
    checks.equal([(session["session"], session["of"]) for session in found], [(1, 2), (2, 2)], "two sessions")
    checks.equal(surfaces(found[0])[MAIL]["numbers"], surfaces(found[1])[MAIL]["numbers"], "numbers of both")
    for name in ("many/b", "many/a/c", "deep/1/2/3/4/5"):
        copy(whole, name)
    checks.equal([pathlib.Path(session["folder"]).name for session in model(here / "many")], ["c", "b"], "folders in a folder")
    done = report(here / "deep")
    checks.equal(done.returncode, 1, "deeper than is read")
    one_line_each("deeper than is read", done.stderr, 1)
    checks.equal(len(model(here / "deep/1/2")), 1, "as deep as is read")


def without_late(whole, expected):
    """Files of before the columns of late frames have the same numbers, from frames.csv."""
    out = copy(whole, "without late")
    for name in ("fps.csv", "summary.csv"):
        with open(out / name, encoding="utf-8", newline="") as file:
            table = list(csv.DictReader(file))
        write(out, name, table, [column for column in COLUMNS[name] if not re.match("late |lost.ms|longest|unknown", column)])
    checks.equal(numbers(out), expected, "numbers without the columns of late frames")
    # Without frames.csv these are unknown, and no late frame is known to be none.
    for name in ("frames.csv", "dropFrames.csv", "summary.csv"):
        (out / name).unlink(missing_ok=True)
    checks.equal([one["grade"] for one in surfaces(model(out)[0]).values() if one["grade"]], [], "grades of rows without late frames")


def of_2019(here):
    out = here / "2019"
    out.mkdir()
    (out / "fps.csv").write_text(",".join(COLUMNS_2019) + "\n" + ROWS_2019)
    # Its drops have no missed vsyncs, so no harm; and awk removed the header that the shell had written.
    for header in ("", ",".join(COLUMNS["dropFrames.csv"][:8]) + "\n"):
        (out / "dropFrames.csv").write_text(header + DROPS_2019)
        session, = model("--info", out)
        found = surfaces(session)["com.a/com.a.Main"]
        checks.equal(session["files"]["dropFrames.csv"]["rows"], 2, "rows of dropFrames.csv")
        checks.equal([(one["time(s)"], one["interval(ms)"], one["time lost(ms)"], one["info"]) for one in session["late"]],
                     [(101.62, 120.0, None, "one\\x0Atwo\\x0A"), (102.55, 50.0, None, None)], "drops of 2019")
        checks.equal((session["time lost source"], found["time lost"]), (None, None), "time lost of 2019")
    checks.equal([found["numbers"][name] for name in ("frames", "Time(S)", "FPS", "max time(ms)", "A", "B", "C", "D")],
                 [120, 2.083, round(120 / 2.083, 2), 120, 1, 0, 0, 1], "sums of a fps.csv of 2019")
    checks.equal([found["numbers"][name] for name in ("p99(ms)", "jank", "stutter(%)", "frozen", "time lost(ms)")], [None] * 5, "what it does not have")
    text = report(out).stdout
    checks.that("com.a/com.a.Main: 57.61 FPS, 120 frames" in text and "2019" in text, text)
    checks.that("jank -, freezes -" in text and "no grade: " in text and "no frame" not in text and "vsyncs" not in text, f"what is not captured is not said to be none: {text}")
    checks.equal(report("--fail-if", "FPS < 50", out).returncode, 0, "a condition that there is not enough data for")
    done, said = analyze(here / "gfx", "--rules", "gfx2019", "-T", 2, scenario("drops-120", here / "old.txt", vocabulary="android-9")), report(here / "gfx")
    checks.that(b"\nno grade: --rules gfx2019 does not say which frames were late\n" in done.stdout and b"no app" not in done.stdout, f"--rules gfx2019: {done.stdout}")
    checks.that(said.returncode == 0 and re.search(r" frames in \d+\.\d s, .* more \d+: \d+\.\d s$", said.stdout, re.M), f"a folder of --rules gfx2019: {said}")
    # It does not know freezes, so it has no grade.
    analyze(here / "frozen", "--rules", "gfx2019", "-T", 2, scenario("hang-doframe", here / "old.txt", vocabulary="android-9", seconds=40))
    text, markdown = report(here / "frozen").stdout, report("--markdown", here / "frozen").stdout
    checks.that("no grade: " in text and "no grade" in markdown and not re.search("GOOD|no late frame|no freeze|0 freezes", text + markdown), f"no freezes known: {text} {markdown}")
    checks.equal(([app["grade"] for app in json.loads(report("--grades", here / "frozen").stdout)], report("--fail-if", "grade < FAIR", "--strict", here / "frozen").returncode),
                 ([], 4), "grades of --rules gfx2019")
    write(here / "lost", "fps.csv", [second(100 + n, stalls="" if n == 3 else 0) for n in range(9)])  # an empty field does not make it one of 2019
    app, text = model(here / "lost")[0]["apps"][0], report(here / "lost").stdout
    checks.that("2019" not in text and f"{app['grade']}: {app['sentence']}" in text, f"a row whose stalls are unknown: {text}")


def without_events(here):
    """Without events.csv causes, gaps and hangs without an end are lost: each is said, and no grade becomes better."""
    for name, grade, left in (("hang-native", "UNCLEAR", "UNCLEAR"), ("hang-doframe", "BAD", "BAD"), ("steady-60", "GOOD", "GOOD")):
        for removed in (["events.csv"], ["events.csv", "summary.csv"]):
            analyze(here / "left", "--frames-log", scenario(name, here / "trace.txt", seconds=40))
            checks.equal(model(here / "left")[0]["apps"][0]["grade"], grade, name)
            for file in removed:
                (here / "left" / file).write_text("time(s),wall time,kind,text\n") if removed == ["events.csv"] else (here / "left" / file).unlink()
            said = report(here / "left").stdout
            checks.that(f"\n{left}: " in said and "marks, causes of freezes, freezes that no frame ended and unexplained gaps are unknown" in said, f"{name} without {removed}: {said}")
            checks.equal(("But events.csv is missing or empty: " in said, "unknown: the cause of 13" in said, "All of the lost time is of unknown cause" in said, "13 freezes or more" in said),
                         (name == "hang-native", *[name == "hang-doframe"] * 3), f"{name} without {removed}: {said}")
            checks.equal(report("--fail-if", "freezes > 0", "--strict", here / "left").returncode, {"hang-doframe": 3}.get(name, 4 if len(removed) > 1 or name == "hang-native" else 0), f"a gate on {name} without {removed}")
            shutil.rmtree(here / "left")
    # summary.csv alone does not have the rates of the display: 90 Hz is the mean of one that switched from 60 to 120.
    analyze(here / "left", scenario("switch-60-120", here / "trace.txt"))
    for file in ("fps.csv", "events.csv"):
        (here / "left" / file).unlink()
    said = report(here / "left").stdout
    checks.that("\nGOOD: com.example.scroll drew for 10 s: no late frame" in said and " Hz" not in said, f"summary.csv alone: {said}")


def refused(here, whole):
    """What is no folder of jankd: one line, and exit code 1; the other folders are read."""
    garbage = here / "garbage"
    for path in (here / "empty", garbage / "summary.csv"):
        path.mkdir(parents=True)
    (here / "file").write_text("x")
    (garbage / "fps.csv").write_bytes(random.Random(1).randbytes(300000))
    (garbage / "frames.csv").write_bytes("present(s),vsync(s)\n".encode("utf-16"))
    (garbage / "events.csv").write_bytes(b"")
    (garbage / "session.json").write_text("[1,")
    write(here / "bare", "fps.csv", [])
    for what in ("empty", "file", "garbage", "nowhere", "bare"):
        done = report(here / what, whole)
        checks.equal(done.returncode, 1, f"{what}: {done.stderr}")
        one_line_each(what, done.stderr, 1)
        checks.that(MAIL.replace("com.example.mail.", ".") in done.stdout, f"{what}: the other folder is not printed")
    checks.that(": no file has a row; " in done.stderr, f"a header alone: {done.stderr}")
    checks.equal(report(here / "empty").stdout, "", "nothing to print")


def limits(here):
    """What has no space is said: Surfaces and threads in sections."""
    out, header = here / "limits", "start time,end time,{},app,Surface\n"
    out.mkdir()
    (out / "events.csv").write_text("time(s),wall time,kind,text\n" + "".join(f"{100 + n}.000000,,mark,m{n}\n" for n in range(990)))
    both = [(100.1 + n, f"com.a{i}") for n in range(990) for i in range(21)]
    (out / "fps.csv").write_text(header.format("FPS,frames,Time(S)") + "".join(f"{at:.6f},{at + 0.5:.6f},60.0,30,0.500000,{app},{app}/{app}.Main\n" for at, app in both))
    (out / "doframe.csv").write_text(header.format("frames,process,thread,doFrame avg(ms),doFrame max(ms)") +
                                     "".join(f"{at:.6f},{at + 0.5:.6f},30,7,{app},5.000,6.000,{app},{app}\n" for at, app in both))
    said = report(out).stdout
    for kind in ("Surfaces", "threads"):
        checks.that(f"note: 790 rows of {kind} in sections beyond the limit of 20000: " in said, f"{kind}: {said[-1500:]}")


def wrong_rows(whole):
    """Rows with numbers that are none are counted."""
    out = copy(whole, "wrong")
    header, row = (out / "fps.csv").read_text().splitlines(keepends=True)[:2]
    cells = row.split(",")
    wrong = [",".join([*cells[:3], value, *cells[4:]]) for value in ("-1", "nan", "1e308")]
    for rows, notice in ((wrong, "3 lines are not rows"), ([row[:20] + "\n"], "1 line is not a row")):
        (out / "fps.csv").write_text(header + row + "".join(rows))
        session, = model(out)
        checks.that(f"fps.csv: {notice} of this file; left out" in session["notices"], f"wrong rows: {session['notices']}")


def other_files(here):
    """A session without frames, as of FrameTimeline alone: its time is that of these rows, and nothing is computed from files that have none."""
    out = here / "timeline"
    for name in ("summary.csv", "fps.csv", "frames.csv"):
        write(out, name, [])
    write_events(out, ("", "start", "jankd"))
    text = report(out).stdout
    checks.that("-0.000" not in text and text.startswith(f"no app, device not known (no session.json), length not known, not known whether complete\n{out}:\n"), f"no time is known: {text}")
    checks.that("computed from" not in text and "note: fps.csv has no rows\n" in text, f"no rows: {text}")
    write(out, "frametimeline.csv", [{"kind": "surface", "start(s)": 7.5, "end(s)": 7.75, "expected start(s)": 7.5, "expected end(s)": 7.6,
                                      "token": 1, "display token": 2, "pid": 9, "app": "com.a", "Surface": "com.a/x", "layer": "com.a/x#1",
                                      "present type": "LATE", "prediction": "VALID", "jank type": "APP_DEADLINE_MISSED", "severity": "FULL"}])
    session, = model(out)
    checks.equal((session["from(s)"], session["to(s)"], session["captured"][0]["mean(ms)"]), (7.5, 7.75, 250), "the time of frametimeline.csv")


def killed(here):
    """A capture with -T 4 that was killed in its first minute: no file says how long an app drew, so what it lost is said, and why there is no grade."""
    out = here / "killed"
    analyze(out, "-T", 4, scenario("hang-doframe", here / "hang.txt"))
    (out / "summary.csv").unlink()
    session = json.loads((out / "session.json").read_text())
    (out / "session.json").write_text(json.dumps(session | {"device": {"id": "f00", "model": None}}))
    said = "no grade: no file says how long apps drew, as -T 3 and 4 write no fps.csv, and summary.csv is written once a minute and at the end. " \
           "com.example.scroll lost 4.1 s at least: 4 freezes (longest 1.45 s), no late frame."
    checks.equal(model(out)[0]["no grade"], said, "why there is no grade: JSON")
    for option in ("--text", "--markdown"):
        checks.that(said in (text := report(option, out).stdout).replace("\\", "") and ("device not known (it does not tell its model)" in text or option == "--markdown"), f"why there is no grade: {option}: {text}")
    for condition, code in (("freezes > 0", 3), ("FPS < 55", 3), ("grade < FAIR", 3), ("longest > 1400", 3), ("longest > 1500", 4), ("freezes > 4", 4)):
        checks.equal((done := report("--fail-if", condition, "--strict", out)).returncode, code, f"what is known fails: {condition}: {done.stderr}")
    hang = {"info": "", "TX": 0, "VSYNC type": "VSYNC", "missed vsyncs": 90, "cause": "app", "frame number": 5, "layer": ""}
    write(out, "dropFrames.csv", [{"start VSYNC": at - used / 1000, "end VSYNC": at, "used time(ms)": used, "app": app, "Surface": f"{app}/{app}.Main", **hang}
                                  for app, at, used in (("com.a", 105, 5000), *(("com.b", 110 + n, 600) for n in range(7)))])
    checks.equal([report("--fail-if", f"freezes > {n}", "--strict", out).returncode for n in (3, 6, 7)], [3, 3, 4], "each app is judged, not only the one that lost most")
    # Of -T 3 shorter late frames are not known; a long name is cut at a character.
    (out / "session.json").write_text(json.dumps(session | {"options": {"type": 3}}))
    (out / "dropFrames.csv").write_text((out / "dropFrames.csv").read_text().replace("com.a", name := "com." + "\u00e4" * 148 + "b"))
    checks.that(re.search(f" com[.]\u00e4+ lost 5.0 s at least: 1 freeze .5.0 s.[.]$", said := model(out)[0]["no grade"]) and said.isprintable(), f"-T 3: {said}")
    (out / "dropFrames.csv").unlink()
    checks.that("no grade: no file says how long apps drew" in report(out).stdout, "nothing is known")


def rubbish(whole):
    """Many lines of garbage behind whole rows, and more Surfaces than are kept: counted, within bounds."""
    out = copy(whole, "rubbish")
    with open(out / "fps.csv", "ab") as file:
        file.write(b"".join(b"\xff\0%d\n" % n for n in range(1000000)))
    write(out, "frames.csv", [])
    with open(out / "frames.csv", "a") as file:
        file.writelines(f"{n}.5,,99999999999.5,99999999999999,a,S{n},L{n},,,,,app,9999999999999,\n" for n in range(100000))
    done = report("--json", out, timeout=60)
    checks.equal(done.returncode, 0, f"rubbish: {done.stderr}")
    session, = json.loads(done.stdout)["sessions"]
    checks.that(any("Surfaces beyond the limit" in notice for notice in session["notices"]), f"{session['notices']}")
    checks.equal(session["files"]["fps.csv"]["malformed"], 1000000, "lines that are no rows")


with checks, folder() as here:
    whole = demo(here, "--frames-log", "-T", 2)
    expected = numbers(whole)
    segments(here, expected)
    missing(here)
    doubled(whole, expected)
    half(here, whole)
    sessions(here, whole)
    without_late(whole, expected)
    of_2019(here)
    without_events(here)
    refused(here, whole)
    limits(here)
    wrong_rows(whole)
    other_files(here)
    killed(here)
    rubbish(whole)
