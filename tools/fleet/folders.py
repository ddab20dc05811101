# SPDX-License-Identifier: Apache-2.0
"""Which sessions and segments folders hold, and the rows of a segment that can go to the server.

tools/report/folder_files.h describes which files of a folder are of which session.
All of it may be damaged or forged: what is no row is left out and counted, memory is bounded.
"""

import csv
import datetime
import functools
import gzip
import hashlib
import json
import os
import pathlib
import re
import stat
import time
import zlib

import schema

NAME = re.compile(r"(?P<stem>[A-Za-z]+)(?:-(?P<number>[0-9]{6,9}))?\.(?P<kind>csv|json)(?P<packed>\.gz)?")
CURRENT = 10 ** 9  # the number of a file without one: it comes last
PIECE = 4 << 20
LINE_MAX = 1 << 20
COLUMNS_MAX = 200
JSON_MAX = 4 << 20
NAME_MAX = 500  # characters of a name in session.json: each row has them
# A clock that is before or beyond these is wrong.
FIRST_DAY = datetime.date(2015, 1, 1)
AHEAD_S = 2 * 86400

# Patterns without backtracking. The server makes NULL of what is no number; these cannot overflow.
TIME = rb"-?[0-9]{1,19}+(?:\.[0-9]{1,19}+)?"
NUMBER = rb"[-0-9.]{0,40}+"
WORD = rb'(?:[^",\n\r\0]*+|"(?:[^"\n\r\0]|"")*+")'
# The server would remove blanks at the ends of a field that is not quoted.
BLANK = re.compile(rb"(?:^|,)[ \t]|[ \t](?:,|$)")
BLANKS = (b", ", b" ,", b",\t", b"\t,", b" \n", b"\n ", b"\t\n", b"\n\t")


class Damaged(Exception):
    """A file or folder that is left out; the text says why."""


def escaped(value):
    """A text of session.json as jankd writes names: control characters are \\xNN."""
    text = value if isinstance(value, str) else ""
    return re.sub("[\0-\x1f\x7f]", lambda found: f"\\x{ord(found[0]):02X}", text).encode("utf-8", "backslashreplace").decode()


def field(text):
    """A quoted field of CSV."""
    return '"' + text.replace('"', '""') + '"'


def number(value):
    """A number of session.json, or None."""
    good = isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 2 ** 63
    return value if good else None


def seconds(text):
    """Seconds since 1970 of '2026-11-25T22:04:20.017Z', or None."""
    try:
        return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()
    except (AttributeError, ValueError, OverflowError, OSError):
        return None


def is_plausible(wall_s):
    return wall_s is not None and datetime.datetime(FIRST_DAY.year, 1, 1).timestamp() <= wall_s <= time.time() + AHEAD_S


@functools.lru_cache(100)
def read_header(file, header):
    """(columns that the table has, others, a match with the fields of the former, a match of a whole row, the field with
    the time of a row or 0)"""
    text = header.decode("utf-8-sig", "replace").strip("\r\n")
    try:
        names = next(csv.reader([text]), [])
    except csv.Error:
        names = []
    time_column, known = schema.FILES[file][0], set(schema.columns(file))
    columns, unknown, patterns = [], [], []
    for name in names[:COLUMNS_MAX]:
        # A row has a time; any other number can be unknown.
        pattern = WORD if name in schema.TEXT else TIME if name == time_column else NUMBER
        is_known = name in known and name not in columns
        (columns if is_known else unknown).append(name)
        patterns.append((pattern, True) if is_known else (WORD, False))
    fields = re.compile(b",".join(b"(" + pattern + b")" if is_known else pattern for pattern, is_known in patterns))
    row = re.compile(b",".join(pattern for pattern, _ in patterns))
    time_group = columns.index(time_column) + 1 if time_column in columns else 0
    return columns, unknown, fields.fullmatch, row.fullmatch, time_group


class Session:
    """One session: its device and clock, and its segments."""

    def __init__(self, folder, segments, device):
        self.folder, self.segments = folder, segments
        described = [segment for segment in segments if segment.file == "session.json"]
        if not described:
            raise Damaged("no session.json, so device and session are unknown")
        self.json = described[-1]
        value = self.json.read_json()
        self.value = value
        self.session = escaped(value.get("session_id"))
        if not self.session:
            raise Damaged("session.json has no session_id; only captures of a device have one")
        about = value.get("device") if isinstance(value.get("device"), dict) else {}
        self.device = escaped(about.get("id")) or self.device_of_name() or device
        if not self.device:
            raise Damaged("no device id in session.json, nor in the name of the folder (ID-SESSION); add --device ID")
        if max(len(self.session), len(self.device)) > NAME_MAX:
            raise Damaged(f"a device or session id of more than {NAME_MAX} characters")
        self.model, self.build, self.sdk, self.kernel = (escaped(about.get(key))[:NAME_MAX]
                                                         for key in ("model", "build", "sdk", "kernel"))
        clock = value.get("clock") if isinstance(value.get("clock"), dict) else {}
        self.offset_s = number(clock.get("wall_offset_ns"))
        self.offset_s = None if self.offset_s is None else self.offset_s / 1e9
        self.began, self.ended = seconds(value.get("began")), seconds(value.get("ended"))
        self.has_clock = is_plausible(self.began)

    def device_of_name(self):
        """The device in the name of the folder, as jank-adb pull gives it: ID-SESSION."""
        name, end = pathlib.Path(self.folder).resolve().name, "-" + self.session
        return escaped(name[:-len(end)]) if name.endswith(end) else ""

    def wall(self, trace_s):
        """Seconds since 1970 of a time of the trace, or None if the device's clock is wrong."""
        if not self.has_clock or self.offset_s is None or trace_s is None:
            return None
        return self.offset_s + trace_s if is_plausible(self.offset_s + trace_s) else None

    @staticmethod
    def day(wall):
        """With a wrong clock it is today, so that dropping old days does not drop it."""
        return datetime.datetime.fromtimestamp(time.time() if wall is None else wall, datetime.timezone.utc).date()

    def row(self):
        """session.json as a row of the table sessions."""
        counters = self.value.get("counters") if isinstance(self.value.get("counters"), dict) else {}
        lost = counters.get("lost") if isinstance(counters.get("lost"), dict) else {}
        values = [field(escaped(self.value.get("jankd"))), field(self.sdk), field(self.kernel)]
        values += ["" if value is None else f"{value:.3f}" for value in (self.began, self.ended)]
        values += ["right" if self.has_clock else "wrong"]
        values += ["" if number(value) is None else str(int(value)) for value in (lost.get("events"), counters.get("rows_lost"))]
        return ",".join(values).encode()


class Segment:
    """One file. After rows() was read to its end, the counts are those of the whole file."""

    def __init__(self, path, file, number_, is_packed):
        self.path, self.file, self.number, self.is_packed = path, file, number_, is_packed
        self.session = None
        self.bytes = os.stat(path).st_size
        self.rows = self.left_out = 0
        self.last_s = None
        self.why = {}  # what was left out: how many
        self.is_unreadable = False  # an error of the disk, or it was removed: another time it may be readable
        self.unknown = []  # columns

    def open(self):
        return gzip.open(self.path) if self.is_packed else open(self.path, "rb")

    def read_json(self):
        try:
            with self.open() as file:
                value = json.loads(file.read(JSON_MAX).decode("utf-8", "replace"))
        except (OSError, EOFError, zlib.error, ValueError, RecursionError) as error:
            raise Damaged(f"{os.path.basename(self.path)}: not the JSON text of a session") from error
        if not isinstance(value, dict):
            raise Damaged(f"{os.path.basename(self.path)}: not the JSON text of a session")
        return value

    @property
    def is_closed(self):
        """No more rows will come."""
        return self.number != CURRENT or self.session.ended is not None

    @functools.cached_property
    def checksum(self):
        crc = 0
        with open(self.path, "rb") as file:
            while piece := file.read(PIECE):
                crc = zlib.crc32(piece, crc)
        return crc

    # --- header ---

    def read_header(self):
        """Sets what depends on the header and the first row. False: it has no row yet."""
        if self.file == "session.json":
            self.first = ""
            self.columns = schema.columns(self.file)
            return True
        try:
            with self.open() as file:
                header = file.readline(LINE_MAX)
                self.read_columns(header)
                line = self.first_row(file)
        except (OSError, EOFError, zlib.error) as error:
            raise Damaged(f"{getattr(error, 'strerror', None) or 'damaged gzip data'}") from error
        if line is None:
            return False
        self.first_s = self.time_of(line)
        # summary.csv is written anew as a whole: another first row is no other segment.
        self.first_line = line
        self.first = "" if self.file == "summary.csv" else hashlib.blake2b(line, digest_size=16).hexdigest()
        return True

    def read_columns(self, header):
        if not header:
            raise Damaged("empty, not even a header")
        self.columns, self.unknown, self.fields, self.is_row, self.time_group = read_header(self.file, header)
        if self.time_group == 0:
            raise Damaged(f"not a {self.file}: it has no column '{schema.FILES[self.file][0]}'")

    def time_of(self, line):
        return float(self.fields(line)[self.time_group])

    def first_row(self, file):
        while line := file.readline(LINE_MAX):
            row = line.rstrip(b"\r\n")
            if line.endswith(b"\n") and self.is_row(row):
                return row
        return None

    # --- rows ---

    def pieces(self):
        """The file behind its header, in pieces of whole lines; what has no line end is left out."""
        rest = b""
        try:
            with self.open() as file:
                file.readline(LINE_MAX)
                while piece := file.read(PIECE):
                    whole, end, tail = piece.rpartition(b"\n")
                    if end:
                        yield (rest + whole).replace(b"\r\n", b"\n").removesuffix(b"\r")
                        rest = tail
                    elif len(rest) < LINE_MAX:
                        rest += tail
        except (gzip.BadGzipFile, EOFError, zlib.error):
            self.leave_out("damaged gzip data", 1)
        except OSError:
            self.is_unreadable = True
        if rest:
            self.leave_out("the last row is cut off", 1)

    @functools.cached_property
    def day(self):
        session = self.session
        if self.file == "session.json":
            return session.day(session.began if session.has_clock else None)
        return session.day(session.wall(self.first_s))

    @property
    def until(self):
        """Time of the last row, in whole seconds since 1970; 0 if the device's clock is wrong."""
        session = self.session
        last = session.ended or session.began if self.file == "session.json" else session.wall(self.last_s)
        return int(last) if is_plausible(last) else 0

    def leave_out(self, why, count):
        if count:
            self.left_out += count
            self.why[why] = self.why.get(why, 0) + count

    def lines(self, piece):
        """The rows of a piece, as the server takes them."""
        lines = piece.split(b"\n")
        good = [line for line in lines if self.is_row(line)]
        self.leave_out("lines are not rows of this file", len(lines) - len(good))
        self.rows += len(good)
        # Rows are in order of time, but for those of summary.csv.
        for line in good if self.file == "summary.csv" else good[-1:]:
            self.last_s = max(self.last_s or 0, self.time_of(line))
        if self.unknown or any(blank in piece for blank in BLANKS) or BLANK.match(piece) or piece.endswith((b" ", b"\t")):
            good = [self.rewritten(line) if self.unknown or BLANK.search(line) else line for line in good]
        return good

    def rewritten(self, line):
        """Without unknown columns, names quoted."""
        fields = self.fields(line).groups()
        return b",".join(value if column not in schema.TEXT or value.startswith(b'"') else b'"' + value + b'"'
                         for column, value in zip(self.columns, fields))

    def rows_with(self, prefix):
        """Pieces of CSV: each row behind @prefix. Counts anew."""
        self.rows = self.left_out = 0
        self.why, self.last_s, self.is_unreadable = {}, None, False
        if self.file == "session.json":
            self.rows = 1
            yield prefix + self.session.row() + b"\n"
            return
        before = b"\n" + prefix
        for piece in self.pieces():
            piece, is_double = self.before_double(piece)
            good = self.lines(piece) if piece else []
            if good:
                yield prefix + before.join(good) + b"\n"
            if is_double:
                self.leave_out("the first row comes again: the rest is a second copy", 1)
                break

    def before_double(self, piece):
        """What is before a second copy of the first row: a file that was joined with its own copy."""
        if self.file == "events.csv":
            return piece, False  # two equal events can be
        lines, row = b"\n" + piece + b"\n", b"\n" + self.first_line + b"\n"
        at = lines.find(row, 0 if self.rows else lines.find(row) + 1)
        return (piece, False) if at < 0 else (piece[:max(0, at - 1)], True)

    @property
    def quality(self):
        """A copy with more rows is better, then one that is whole."""
        if self.file == "session.json":
            counters = self.session.value.get("counters")
            events = number(counters.get("events")) if isinstance(counters, dict) else 0
            return max(0, int(events or 0)) * 2 + (self.session.ended is not None)
        if self.file == "summary.csv":
            return max(0, int((self.last_s or 0) * 1e6)) * 2 + self.is_whole
        return self.rows * 2 + self.is_whole

    @property
    def is_whole(self):
        return self.is_closed and self.left_out == 0


def find_segments(folder):
    """(segments in order, folders) of one folder."""
    segments, folders = [], []
    with os.scandir(folder) as entries:
        for entry in entries:
            found = NAME.fullmatch(entry.name)
            if entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."):
                folders.append(entry.path)
            elif found and f"{found['stem']}.{found['kind']}" in schema.FILES and stat.S_ISREG(entry.stat().st_mode):
                segments.append(Segment(entry.path, f"{found['stem']}.{found['kind']}",
                                        int(found["number"] or CURRENT), bool(found["packed"])))
    return sorted(segments, key=lambda one: (one.number, one.file, one.path)), sorted(folders)


def split(segments):
    """Lists of segments, one for each session: it ends with the number of its session.json or summary.csv."""
    session, last, ends = [], None, False
    for segment in segments:
        if ends and segment.number != last:
            yield session
            session, ends = [], False
        last = segment.number
        ends |= segment.file in ("session.json", "summary.csv")
        session.append(segment)
    if session:
        yield session


def sessions(top, device, report):
    """All sessions in @top and the folders in it. report(path, text): what is left out."""
    waiting = [os.fspath(top)]
    while waiting:
        folder = waiting.pop()
        try:
            segments, folders = find_segments(folder)
        except OSError as error:
            report(folder, f"{error.strerror}; left out")
            continue
        waiting += reversed(folders)
        for part in split(segments):
            try:
                session = Session(folder, part, device)
            except Damaged as why:
                report(folder, f"{why}; left out")
                continue
            for segment in part:
                segment.session = session
            yield session
