# SPDX-License-Identifier: Apache-2.0
"""Shared by the test scripts: where the files are, how to run jankd, how to read its rows.

A script ends with exit code 0 (passed), 1 (failed) or 77 (skipped, with the reason on stdout)."""

import contextlib
import csv
import itertools
import json
import lzma
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("JANKD_BUILD", SOURCE / "build"))
JANKD = BUILD / "daemon" / "jankd"
PHONE = pathlib.Path(os.environ.get("JANKD_PHONE", BUILD / "tools" / "jank-phone"))
REPORT = BUILD / "tools" / "jank-report"
SHARED = SOURCE.parent / "shared"
TRACES = SHARED / "traces"

# Under nohup(1) SIGHUP is ignored, and in the background of a script SIGINT. The programs that a test starts would inherit that.
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)


def skip(reason):
    """Ends this script: something that it needs is missing. A check that failed before is reported as a failure."""
    if checks.failed:
        print(f"FAILED, and the rest was not run: {reason}", flush=True)
        sys.exit(1)
    print(f"skipped: {reason}", flush=True)
    sys.exit(77)


class Checks:
    """Counts the checks of a test. A check that fails prints what was expected, and the test continues. If a part
    could not be judged, the test counts as skipped, unless another part failed. Threads may share one. The end of a
    'with' is the end of the script, unless something was raised."""

    def __init__(self):
        self.passed = 0
        self.failed = 0
        self.not_judged = []
        self.lock = threading.Lock()

    def that(self, holds, what):
        with self.lock:
            if holds:
                self.passed += 1
            else:
                self.failed += 1
                print(f"FAILED: {what}", flush=True)
        return bool(holds)

    def equal(self, got, expected, what):
        return self.that(got == expected, f"{what}: got {got!r}, expected {expected!r}")

    def cannot_judge(self, what, why):
        """The part @what of the test cannot be judged on this machine: neither passed nor failed."""
        print(f"{what}: not judged: {why}", flush=True)
        self.not_judged.append(f"{what}: {why}")

    def end(self):
        print(f"{self.passed} checks held, {self.failed} did not", flush=True)
        if self.passed + self.failed == 0 and not self.not_judged:
            print("FAILED: nothing was checked", flush=True)
            sys.exit(1)
        if self.not_judged and not self.failed:
            print(f"skipped: {'; '.join(self.not_judged)}", flush=True)
            sys.exit(77)
        sys.exit(1 if self.failed else 0)

    def __enter__(self):
        return self

    def __exit__(self, raised, *_):
        if not raised:
            self.end()


checks = Checks()  # of this script


@contextlib.contextmanager
def folder():
    """A temporary folder."""
    with tempfile.TemporaryDirectory(prefix="jankd-test-") as path:
        yield pathlib.Path(path)


def copy_tree(into):
    """Copies the files of a fresh clone."""
    def left_out(folder_path, names):
        made = {".git", "__pycache__", "jank-demo", "fps", ".cache"} & set(names)
        return made | {name for name in names if name.startswith("build") and pathlib.Path(folder_path) == SOURCE}

    shutil.copytree(SOURCE, into, ignore=left_out)
    return into


def build_info(file, name):
    """The entry @name in one of meson's files on the build, or None."""
    entries = json.loads((BUILD / "meson-info" / f"intro-{file}.json").read_text())
    return next((entry for entry in entries if entry["name"] == name), None)


def unpacks():
    """True if this build of analyze unpacks xz, zstd, bzip2 and zip."""
    return build_info("dependencies", "libarchive") is not None


def is_sanitized():
    return build_info("buildoptions", "b_sanitize")["value"] != "none"


def trace_names(what="frames.csv"):
    """Names of the recorded traces that have a text and the file @what; skips the test if there is none."""
    if not TRACES.is_dir():
        skip(f"no recorded traces: {os.path.relpath(TRACES, SOURCE)} is missing")
    names = sorted(p.parent.name for p in TRACES.glob("*/trace.txt.xz") if (p.parent / what).exists())
    if not names:
        skip(f"no recorded trace has {what}")
    return names


def trace_text(name):
    """The bytes of a recorded trace."""
    path = TRACES / name / "trace.txt.xz"
    if not path.exists():
        skip(f"no recorded trace {name}")
    return lzma.open(path).read()


def unpack(name, into):
    """Writes a recorded trace as plain text into the folder @into."""
    path = into / f"{name}.txt"
    path.write_bytes(trace_text(name))
    return path


def jankd(*arguments, **keywords):
    """Runs jankd until it ends, whatever its exit code."""
    keywords.setdefault("stdin", subprocess.DEVNULL)
    if "input" in keywords:
        del keywords["stdin"]
    keywords.setdefault("timeout", 600)
    return subprocess.run([JANKD, *map(str, arguments)], capture_output=True, **keywords)


def analyze(into, *arguments, **keywords):
    """Runs jankd analyze, which writes into the folder @into. Ends the test if it fails."""
    done = jankd("analyze", "-F", into, *arguments, **keywords)
    if done.returncode != 0:
        print(f"FAILED: jankd analyze {' '.join(map(str, arguments))}: exit {done.returncode}")
        print(done.stderr.decode(errors="replace"), flush=True)
        sys.exit(1)
    return done


def scenarios():
    """(scenarios, vocabularies) of jank-phone"""
    said = subprocess.run([PHONE, "--list"], capture_output=True, text=True, check=True).stdout
    names, _, words = said.partition("vocabularies:\n")
    return re.findall(r"^  (\S+)", names, re.M), words.split()


PANELS = ("ltpo-film", "arr-240", "fold")  # of which only SurfaceFlinger of Android 15 tells the rates
OF_15 = (*PANELS, "game-30", "switch-60-120", "late-switch", "drops-120")


def phones():
    """(scenario, vocabulary) of all phones that jank-phone generates; those of Android 15 that differ by its rates."""
    return [(name, vocabulary) for name, vocabulary in itertools.product(*scenarios()) if (name in OF_15 if vocabulary == "android-15" else name not in PANELS)]


def scenario(name, path, *arguments, **options):
    """Writes a scenario of jank-phone as text into the file @path, and what was played into PATH.truth."""
    words = [word for option, value in options.items() for word in ("--" + option, str(value))]
    subprocess.run([PHONE, "--scenario", name, "--speed", "0", "--output", path, "--truth", str(path) + ".truth", *words, *arguments],
                   check=True, capture_output=True)
    return path


def rows(path, name=None):
    """Rows of a CSV file as dictionaries; [] if there is no such file."""
    path = pathlib.Path(path) / name if name else pathlib.Path(path)
    if not path.exists():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, strict=True))


CSV_FILES = ("fps.csv", "dropFrames.csv", "frames.csv", "doframe.csv", "frametimeline.csv", "latency.csv", "summary.csv", "events.csv")


def outputs(path):
    """The bytes of every CSV file in a folder, by name."""
    return {n: (path / n).read_bytes() for n in CSV_FILES if (path / n).exists()}


def differences(a, b):
    """Names of the files that differ between two answers of outputs()."""
    return sorted(n for n in a.keys() | b.keys() if a.get(n) != b.get(n))


def microseconds(text):
    """A time of a CSV file, as "12.345678", in whole microseconds."""
    whole, fraction = text.split(".")
    return int(whole) * 1000000 + int(fraction)


def seconds(ns):
    """A time of a CSV file: "12.345678"; empty if it is unknown."""
    return f"{int(ns) // 10**9}.{int(ns) % 10**9 // 1000:06}" if ns else ""
