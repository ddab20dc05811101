# SPDX-License-Identifier: Apache-2.0
"""jank-adb pull: what it copies, that it copies each file once, and what it says about files that it cannot have."""
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from phones import FOLDER, SERIAL, one_line, pieces, run_cases, same_frames, succeeded, trace


def copied(phone, since=0):
    """Names of the files that were read from the device."""
    return [word.rsplit("/", 1)[1] for command in phone.log()[since:] if command[0] == "pull" for word in command[1:-1]]


def names(path):
    return sorted(p.name for p in path.iterdir())


def files(path):
    """{name: bytes} without what jankd hides."""
    return {p.name: p.read_bytes() for p in path.iterdir() if p.name[0] != "."}


def running(checks, place):
    """A running capture is rotated first; a second pull copies only what is new."""
    phone = place.phone()
    text, truth = trace(place.here)
    first, second, third = pieces(text, 3)
    place.capture(checks)
    phone.play(first)
    done = succeeded(checks, "--no-rotate", place.jank_adb("pull", "out", "--no-rotate"))
    checks.that(not any("frames" in name for name in copied(phone)), f"--no-rotate copies closed segments: {copied(phone)}")
    checks.that("frames.csv" in names(phone.folder()) and "frames-000001.csv" not in names(phone.folder()), "--no-rotate rotates")
    there = place.into(succeeded(checks, "pull", place.jank_adb("pull", "out")))
    checks.equal(names(there), ["doframe-000001.csv", "dropFrames-000001.csv", "events-000001.csv", "fps-000001.csv", "frames-000001.csv",
                                "session.json", "summary.csv"], "files of the first pull")
    phone.play(second)
    before = len(phone.log())
    done = succeeded(checks, "second pull", place.jank_adb("pull", "out"))
    checks.equal(place.into(done), there, "the folder of the second pull")
    checks.that(not any("000001" in name for name in copied(phone, before)), f"copied again: {copied(phone, before)}")
    phone.play(third)
    succeeded(checks, "stop", place.jank_adb("stop"))
    succeeded(checks, "last pull", place.jank_adb("pull", "out"))
    same_frames(checks, "pulled in three parts", truth, there)
    checks.equal(files(there), files(phone.folder()), "files here and there")
    checks.equal(names(place.here / "out/.jank-adb"), [f"{SERIAL}{FOLDER.replace('/', '_')}"], "part files are left")
    later(checks, place, phone, there, text)


def later(checks, place, phone, earlier, text):
    """A later session gets its own folder, and changes nothing in that of the earlier one."""
    kept = files(earlier)
    succeeded(checks, "start a later session", place.jank_adb("start"))
    phone.play(text)
    before = len(phone.log())
    done = succeeded(checks, "pull the later session", place.jank_adb("pull", "out"))
    checks.that(place.into(done) != earlier, "a later session has the same folder")
    checks.equal(files(earlier), kept, "the folder of the earlier session")
    checks.that(not any("removed" in line for line in done[2]), f"the later session: {done[2]}")
    checks.equal(sorted(set(copied(phone, before))), ["doframe-000004.csv", "dropFrames-000004.csv", "events-000004.csv", "fps-000004.csv",
                                                      "frames-000004.csv", "session.json", "summary.csv"], "copied of the later session")
    succeeded(checks, "stop", place.jank_adb("stop"))
    succeeded(checks, "pull", place.jank_adb("pull", "out"))
    # Elsewhere: both sessions, each in its own folder, with the same names.
    succeeded(checks, "pull to another folder", place.jank_adb("pull", "other"))
    for session in (earlier, place.into(done)):
        checks.equal(files(place.here / "other" / session.name), files(session), f"{session.name}: pulled later to another folder")
    succeeded(checks, "uninstall", place.jank_adb("uninstall"))


def removed(checks, place):
    """Segments that --keep removed before they were pulled."""
    phone = place.phone()
    text, _ = trace(place.here, "steady-60", 12)
    parts = pieces(text, 6)
    place.capture(checks, "--keep", "2")
    phone.play(parts[0])
    checks.equal(succeeded(checks, "pull", place.jank_adb("pull", "out"))[2], [], "nothing was removed")
    for part in parts[1:]:
        phone.play(part)
        done = succeeded(checks, "rotate", place.jank_adb("pull", "elsewhere"))
    done = succeeded(checks, "pull", place.jank_adb("pull", "out"))
    # Whether the last pull closes another one depends on when its last rows were written.
    oldest = min(int(p.stem.split("-")[1]) for p in phone.folder().glob("frames-*.csv"))
    checks.that(oldest >= 5, f"--keep 2 removed too little: {oldest}")
    checks.that(len(done[2]) == 1 and f"segments 2 to {oldest - 1} were removed" in done[2][0] and "--keep" in done[2][0], f"what --keep removed: {done}")
    checks.equal(succeeded(checks, "pull", place.jank_adb("pull", "out"))[2], [], "said once")
    # The oldest that is left is removed after it was listed, and before it is copied.
    adb, files_of = place.bin / "adb", f"'{phone.folder()}'/*-{oldest:06}.csv"
    adb.write_text(adb.read_text().replace("exec", f'case "$*" in *" pull "*) rm -f {files_of} ;; esac\nexec'))
    done = succeeded(checks, "pull", place.jank_adb("pull", "third", "--no-rotate"))
    checks.that(len(done[2]) == 2 and f"segments 1 to {oldest - 1} were removed" in done[2][0] and "during this pull" in done[2][1],
                f"what was removed during a pull is said once: {done[2]}")
    (phone.folder() / f"fps-{oldest:06}.csv").write_text("row\n")
    succeeded(checks, "nothing is left", place.jank_adb("pull", "third", "--no-rotate"), "during this pull")
    checks.that(all(len(words) > 2 for words in phone.log() if words[0] == "pull"), "without a name adb copies the whole device")


def snapshots(checks, place):
    phone = place.phone()
    place.captured(checks, phone, trace(place.here)[0], "--snapshot", "50", "--snapshot-seconds", "2")
    there = place.into(succeeded(checks, "pull", place.jank_adb("pull")))
    checks.that((there / "snapshot-000001.txt").exists(), f"no snapshot: {names(there)}")
    succeeded(checks, "start", place.jank_adb("start"))
    later_one = place.into(succeeded(checks, "pull", place.jank_adb("pull")))
    checks.that("snapshot-000001.txt" not in names(later_one), "a snapshot was copied to the folder of another session")
    checks.equal(place.jank_adb("stop")[0], 1, "stop of a capture that counted nothing")
    succeeded(checks, "pull", place.jank_adb("pull"))
    succeeded(checks, "uninstall, for which all must have been pulled", place.jank_adb("uninstall"))


def many(checks, place):
    """A segment without frames has its events alone, and was not removed. However many are new, they are few calls of adb. 000600 is no octal."""
    phone = place.phone()
    place.capture(checks)
    for _ in range(3):
        checks.equal(succeeded(checks, "pull of an idle capture", place.jank_adb("pull"))[2], [], "idle segments")
    for number in (*range(100, 600), 999999999, 10**20):
        (phone.folder() / f"fps-{number:06}.csv").write_text("row\n" * (number % 1000))
    for name, session in (("000600", "0600"), ("others", "ffff"), ("x\nclosed 1 5 frames-000009.csv\n", "")):
        (phone.folder() / f"session-{name}.json").write_text(f'{{\n  "session_id": "{session}"\n}}\n')
    for new, most in ((504, 12), (0, 8)):
        before = len(phone.log())
        done = place.jank_adb("pull", "--no-rotate", shell=("sh", "-c", 'ulimit -t 20; exec $(command -v busybox) sh "$0" "$@"'))
        succeeded(checks, f"{new} new files", done, f"new files: {new} of")
        checks.equal([line.split(" ")[4] for line in done[2]], ["99", "999999998"][:new], f"what was removed is said once: {done[2]}")
        checks.that(len(phone.log()) - before <= most and bool(copied(phone, before)) == bool(new) and
                    (place.here / f"fps/{SERIAL}-0600/fps-000599.csv").exists(), f"{new} new files: {phone.log()[before:]}"[:999])


def damaged(checks, place):
    """A file that arrives with another checksum is copied again, once."""
    phone = place.phone()
    text, truth = trace(place.here)
    place.captured(checks, phone, text)
    (phone.path / "damage").write_text("1")
    there = place.into(succeeded(checks, "damaged once", place.jank_adb("pull", "once")))
    same_frames(checks, "damaged once", truth, there)
    checks.equal((phone.path / "damage").read_text(), "0", "nothing was damaged")
    (phone.path / "damage").write_text("1000")
    done = place.jank_adb("pull", "always")
    one_line(checks, "always damaged", done, 1, "checksum", "check the cable")
    checks.that(not any(p.suffix == ".csv" and p.stat().st_size > 1000 for p in (place.here / "always").glob("[!.]*/*")), "a damaged file has its name")
    (phone.path / "damage").write_text("0")
    there = place.into(succeeded(checks, "not damaged any more", place.jank_adb("pull", "always")))
    same_frames(checks, "not damaged any more", truth, there)
    adb = place.bin / "adb"
    adb.write_text(adb.read_text().replace("exec", "") + 'code=$?\ncase "$*" in *" pull "*) : >fps.csv ;; esac\nexit $code\n')
    one_line(checks, "always empty, and adb says that all is well", place.jank_adb("pull", "empty"), 1, "fps.csv: only 0 of ", "no answer")


def refused(checks, place):
    """A folder that cannot be written; a device on which others wrote."""
    phone = place.phone()
    place.captured(checks, phone, b"")
    (place.here / "file").write_text("")
    one_line(checks, "no folder", place.jank_adb("pull", "file"), 1, "file", "another folder")
    for name in ("photo.jpg", "outside", "a b.csv", "$(touch x).csv", "-fps.csv", "fps-1;touch x.csv"):
        (phone.folder() / name).write_text("not of jankd")
    (phone.folder() / "fps-000007.csv").symlink_to("/etc/hostname")
    there = place.into(succeeded(checks, "pull", place.jank_adb("pull", "-F", FOLDER, "--", "-out")))
    checks.equal(names(there), ["dropFrames.csv", "events.csv", "fps.csv", "frames.csv", "session.json", "summary.csv"], "only files of jankd")
    checks.that(not (place.here / "outside").exists() and there.parent.name == "-out", f"pull to -out: {there}")


run_cases(running, removed, many, snapshots, damaged, refused)
