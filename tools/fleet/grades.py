# SPDX-License-Identifier: Apache-2.0
"""Grades and sentences are jank-report's: those of each session are loaded, those of sums are asked for with the answer.
So there is one function for a grade, here as everywhere."""

import functools
import json
import os
import pathlib
import shutil
import subprocess
import time

import schema
from clickhouse import Failure
from folders import CURRENT, NAME_MAX, escaped, field

HERE = pathlib.Path(__file__).resolve().parent
TIMEOUT_S = 600
# From worst to best: the order of tables.
WORST_FIRST = ("BAD", "POOR", "FAIR", "INCOMPLETE", "UNCLEAR", "GOOD", "TOO SHORT", "")


@functools.cache
def program():
    """jank-report, or None: that of the environment, beside this program, of the build of this project, or of PATH."""
    for path in (os.environ.get("JANK_REPORT"), HERE / "jank-report", HERE.parents[1] / "build" / "tools" / "jank-report"):
        if path and os.access(path, os.X_OK):
            return str(path)
    return shutil.which("jank-report")


def ask(operand, text=None):
    """What jank-report --grades prints, or None."""
    try:
        done = subprocess.run([program(), "--grades", "--", operand], input=text or b"", capture_output=True, timeout=TIMEOUT_S, check=False)
        return json.loads(done.stdout.decode("utf-8", "replace"))
    except (OSError, ValueError, subprocess.SubprocessError):
        return None


@functools.lru_cache(1)
def of_folder(folder):
    """The sessions of one folder come one after the other."""
    return ask(folder)


class Grades:
    """The grades of a session's apps: to the loader it is one more segment, which grows with the others."""

    file, first, number, unknown, left_out, checksum = "grades", "", CURRENT, (), 0, 0

    def __init__(self, session):
        self.session, self.path = session, session.folder
        self.columns = schema.columns(self.file)
        self.bytes = sum(segment.bytes for segment in session.segments)
        self.is_closed = self.is_whole = session.ended is not None
        self.day, self.until = session.json.day, session.json.until
        self.rows = self.quality = 0
        self.why, self.is_unreadable = {}, False

    def read_header(self):
        return True

    @functools.cached_property
    def apps(self):
        found = of_folder(self.path)
        self.is_unreadable = found is None
        # A folder may have two copies of a session: of each app the one with more frames counts.
        own = sorted((app for app in found or () if escaped(app["session_id"]) == self.session.session), key=lambda app: app["facts"]["frames"])
        return list({app["app"]: app for app in own}.values())

    def rows_with(self, prefix):
        """Of two copies the one with more frames counts, of equals the one that was graded last."""
        self.rows = len(self.apps)
        frames = sum(app["facts"]["frames"] for app in self.apps)
        self.quality = (frames * 2 + self.is_closed << 24) + int(time.time() / 60) % (1 << 24)
        for app in self.apps:
            yield prefix + ",".join(map(self.value_of(app), self.columns)).encode() + b"\n"

    def value_of(self, app):
        """The text of a column in CSV."""
        facts = app["facts"]
        began = self.session.began if self.session.has_clock else None

        def value(column):
            cause, _, what = column.rpartition(" ")
            if column in schema.TEXT:
                folder = os.path.abspath(os.fsencode(self.path)).decode("utf-8", "backslashreplace")
                return field(folder if column == "folder" else escaped(app[column])[:NAME_MAX * 10])
            if column == "began":
                return "" if began is None else f"{began:.3f}"
            if cause in schema.CAUSES:
                return str(facts["causes"].get(cause, {}).get(what, 0))
            if column == "at most":
                return str(float(WORST_FIRST.index(facts.get(column, ""))))
            return str(float(app["rank"] if column == "rank" else facts[column]))

        return value


# --- sums ---

def sums(names, rows):
    """Rows whose columns schema.sum_of_facts() made: dictionaries with the other columns, and those of jank-report."""
    if not rows:
        return []
    if not program():
        raise Failure("jank-report was not found; build it (ninja -C build), put it in a folder on PATH, or name it in JANK_REPORT")
    keys = [{name: value for name, value in zip(names, row) if not name.startswith("sum ")} for row in rows]
    facts = [{name[4:]: value for name, value in zip(names, row) if name.startswith("sum ")} for row in rows]
    for one in facts:
        worst = one.pop("at most")
        one["at most"] = "" if worst is None else WORST_FIRST[int(worst)]
        one["causes"] = {cause: {what: one.pop(f"{cause} {what}") for what in ("times", "lost(s)")} for cause in schema.CAUSES}
    asked = [{"app": key["app"] + place(key), "facts": one} for key, one in zip(keys, facts)]
    graded = ask("-", json.dumps(asked).encode())
    if graded is None or len(graded) != len(asked):
        raise Failure(f"{program()}: --grades printed no grades; use the jank-report of this version")
    return [{**key, **one, "app": key["app"]} for key, one in zip(keys, graded)]


def place(key):
    """The model and the build, as far as they are known."""
    return (f" on {key['model']}" if key.get("model") else "") + (f" with build {key['build']}" if key.get("build") else "")


def order(one):
    """Apps before home screens and the system, the worst grade first, then what loses most of its time."""
    return one["rank"], WORST_FIRST.index(one["grade"]), -one["facts"]["lost(ms/s)"]


def per_10_min(number, facts):
    return round(600 * number / facts["drawing(s)"], 2) if facts["drawing(s)"] else None


def builds(graded):
    names = ["app", "model", "build", "grade", "lost(ms/s)", "lost(s)", "freezes", "freezes(/10min)", "longest freeze(s)", "late frames",
             "most by", "drawing(s)", "sessions", "BAD sessions", "devices", "first day", "last day"]
    rows = []
    for one in sorted(graded, key=order):
        facts = one["facts"]
        rows.append([one["app"], one["model"], one["build"], one["grade"], facts["lost(ms/s)"], lost(facts), facts["freezes"],
                     per_10_min(facts["freezes"], facts), round(facts["longest freeze(s)"], 3), facts["late frames"],
                     one["causes"][0]["name"] if one["causes"] else "", round(facts["drawing(s)"], 1),
                     one["sessions"], one["BAD sessions"], one["devices"], one["first day"], one["last day"]])
    return names, rows


def lost(facts):
    return round(facts["late time(s)"] + facts["freeze time(s)"], 3)


def regressions(graded):
    """Each build beside the one before, by first day; what is too short to judge is left out."""
    names = ["model", "app", "build", "before", "first day", "grade", "grade before", "lost(ms/s)", "lost(ms/s) before", "more lost(ms/s)",
             "freezes(/10min)", "freezes(/10min) before"]
    rows, last = [], {}
    for one in sorted(graded, key=lambda one: (one["first day"], one["build"])):
        if one["grade"] == "TOO SHORT":
            continue
        key, facts = (one["model"], one["app"]), one["facts"]
        before, last[key] = last.get(key), one
        if before:
            old = before["facts"]
            rows.append([*key, one["build"], before["build"], one["first day"], one["grade"], before["grade"], facts["lost(ms/s)"],
                         old["lost(ms/s)"], round(facts["lost(ms/s)"] - old["lost(ms/s)"], 3), per_10_min(facts["freezes"], facts),
                         per_10_min(old["freezes"], old)])
    return names, sorted(rows, key=lambda row: (-row[9], row[:3]))


def causes(graded):
    names = ["app", "build", "cause", "lost(s)", "of the lost time(%)", "times", "devices", "in files"]
    rows = [[one["app"], one["build"], cause["name"], round(cause["lost(s)"], 3),
             round(100 * cause["lost(s)"] / lost(one["facts"]), 1) if lost(one["facts"]) else None, cause["times"], one["devices"],
             cause["cause"]]
            for one in graded for cause in one["causes"]]
    return names, sorted(rows, key=lambda row: (-row[3], row[:3]))


def headline(graded):
    """(grade, sentence, whose) of the worst app on its worst model and build, or None."""
    worst = min(graded, key=order, default=None)
    if worst is None:
        return None
    n, bad, since = worst["sessions"], worst["BAD sessions"], (worst["first day"], worst["build"])
    said = (f"{n} session{'s' * (n > 1)} on {worst['devices']} device{'s' * (worst['devices'] > 1)} since {worst['first day']}"
            + (f", {bad} of them BAD" if n > 1 and bad else "") + ".")
    before = max((one for one in graded if (one["app"], one["model"]) == (worst["app"], worst["model"]) and one["grade"] != "TOO SHORT"
                  and (one["first day"], one["build"]) < since), key=lambda one: (one["first day"], one["build"]), default=None)
    if before:
        said += f" The build before, {before['build']}, was {before['grade']}: {before['facts']['lost(ms/s)']:.1f} ms lost per second."
    return worst["grade"], worst["sentence"], " ".join(filter(None, (worst["whose"], said)))


ANSWERS = {"builds": builds, "regressions": regressions, "causes": causes}
