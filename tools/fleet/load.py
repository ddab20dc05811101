# SPDX-License-Identifier: Apache-2.0
"""Loads segments: batches of rows first, then a row of the table segments for each, which makes them count.

So a loader that is killed leaves rows that count nowhere, and the next run loads those segments again. A segment is
recognised by device, session, file and its first row, as its name changes from fps.csv to fps-000007.csv. Each copy is
loaded at most once; of several copies the views show the one with most rows, or the whole one of equals.
"""

import itertools
import os
import random
import time
import zlib

import schema
from clickhouse import Failure, Unreachable
from folders import Damaged, field, sessions
from grades import Grades, program

BATCH_BYTES = 64 << 20
# Each week is a partition; today's releases refuse an insert into more than 100.
BATCH_WEEKS = 50
NOTICES_MAX = 200
ATTEMPTS = 3


class Home:
    """One server, and the batch that waits for it."""

    def __init__(self, server):
        self.server, self.batch, self.bytes, self.weeks = server, [], 0, set()
        self.best, self.seen = {}, set()
        _, rows = server.rows(
            "SELECT device, session, file, first, bytes, crc, closed, whole FROM "
            f"{schema.DATABASE}.segments_rows")
        for device, session, file, first, *copy in rows:
            self.add((device, session, file, first), *copy)

    def add(self, key, size, crc, closed, whole):
        self.seen.add((key, size, crc, closed))
        if whole:
            self.best[key] = max(size, self.best.get(key, 0))

    def has(self, key, segment):
        """True: this copy is there, or a whole one that is as long."""
        # These are written anew as a whole, so a later one can be shorter.
        is_rewritten = segment.file in ("session.json", "summary.csv", "grades")
        return (not is_rewritten and segment.bytes <= self.best.get(key, -1)
                or (key, segment.bytes, segment.checksum, int(segment.is_closed)) in self.seen)


class Loader:
    def __init__(self, servers, say, wait_s=60, since=None, device=None, create=None):
        self.servers, self.say, self.wait_s, self.since, self.device = servers, say, wait_s, since, device
        self.rows = self.segments = self.there = self.left_out = self.notices = self.failed = 0
        self.sessions, self.devices, self.unknown = set(), set(), set()
        self.loads = itertools.count(((time.time_ns() >> 20) << 22) + random.getrandbits(22), 1)
        for server in servers if create else ():
            self.patiently(server, lambda server=server: create(server))
        self.homes = [self.patiently(server, lambda server=server: Home(server)) for server in servers]
        self.home_of = {key[0]: home for home in reversed(self.homes) for key, *_ in home.seen}

    def load(self, tops):
        if not program():
            self.say("jank-report was not found, so no grades are loaded; build it, or put it in a folder on PATH, and load again")
        for top in tops:
            if not os.path.isdir(top):
                self.notice(top, "no such folder")
                self.failed += 1
                continue
            for session in sessions(top, self.device, self.notice):
                self.load_session(session)
        for home in self.homes:
            self.flush(home)

    def notice(self, path, text):
        self.notices += 1
        if self.notices <= NOTICES_MAX:
            self.say(f"{path}: {text}")
        elif self.notices == NOTICES_MAX + 1:
            self.say("more of these are not shown")

    def home(self, device):
        """The server of a device: where it is, else by its id."""
        if device not in self.home_of:
            self.home_of[device] = self.homes[zlib.crc32(device.encode()) % len(self.homes)]
        return self.home_of[device]

    def load_session(self, session):
        home = self.home(session.device)
        for segment in (*session.segments, *([Grades(session)] if program() else [])):
            if segment.file == "session.json" and segment is not session.json:
                continue
            try:
                if not segment.read_header():
                    continue
                key = (session.device, session.session, segment.file, segment.first)
                if self.since and segment.day < self.since:
                    continue
                if home.has(key, segment):
                    self.there += 1
                    continue
                home.add(key, segment.bytes, segment.checksum, int(segment.is_closed), False)
            except (Damaged, OSError) as why:
                self.notice(segment.path, f"{getattr(why, 'strerror', None) or why}; left out")
                continue
            self.name_unknown(segment)
            home.batch.append((key, segment))
            home.bytes += segment.bytes
            home.weeks.add(segment.day.toordinal() // 7)
            if home.bytes >= BATCH_BYTES or len(home.weeks) >= BATCH_WEEKS:
                self.flush(home)

    def name_unknown(self, segment):
        for column in segment.unknown:
            if (segment.file, column) not in self.unknown:
                self.unknown.add((segment.file, column))
                self.notice(segment.path, f"this version has no column '{column}'; left out here and in other files")

    # --- a batch ---

    def flush(self, home):
        batch, home.batch, home.bytes, home.weeks = home.batch, [], 0, set()
        if not batch:
            return
        for _ in range(ATTEMPTS):
            loads = self.patiently(home.server, lambda: self.insert(home.server, batch))
            if loads:
                break
        else:
            raise Failure(f"{home.server.name}: rows that were sent are missing, after {ATTEMPTS} attempts; see the log of the server")
        for _, segment in batch:
            if segment.is_unreadable:
                self.failed += 1
                self.notice(segment.path, "jank-report printed no grades" if segment.file == "grades"
                            else "could not be read to its end; left out, load it again")
        batch = [(key, segment) for key, segment in batch if not segment.is_unreadable]
        self.patiently(home.server, lambda: self.commit(home.server, batch, loads))
        for key, segment in batch:
            home.add(key, segment.bytes, segment.checksum, int(segment.is_closed), segment.is_whole)
            self.count(segment)

    def count(self, segment):
        self.rows += segment.rows
        self.segments += 1
        self.left_out += segment.left_out
        self.sessions.add((segment.session.device, segment.session.session))
        self.devices.add(segment.session.device)
        for why, count in segment.why.items():
            self.notice(segment.path, f"{why}: {count} left out" if count > 1 else f"{why}; left out")

    def insert(self, server, batch):
        """Inserts all rows. Returns {id of a segment: its load}, or None if the server has not what was sent.
        Rows of an attempt that failed have another load, so they never count."""
        loads = {id(segment): next(self.loads) for _, segment in batch}
        groups = {}
        for _, segment in batch:
            groups.setdefault((segment.file, tuple(segment.columns)), []).append(segment)
        for (file, columns), segments in groups.items():
            server.insert(f"{schema.DATABASE}.{schema.table(file)}_input", [*(key for key, _ in schema.KEYS), *columns],
                          rows_of(segments, loads))
        for file in {file for file, _ in groups}:
            expected = {loads[id(segment)]: segment.rows for _, segment in batch if segment.file == file and segment.rows}
            _, rows = server.rows(f"SELECT load, count() FROM {schema.DATABASE}.{schema.table(file)}_rows WHERE load >= "
                                  f"{min(loads.values())} AND load <= {max(loads.values())} GROUP BY load")
            if {load: count for load, count in rows if load in expected} != expected:
                return None
        return loads

    @staticmethod
    def commit(server, batch, loads):
        server.insert(f"{schema.DATABASE}.segments_rows", [column for column, _ in schema.SEGMENTS],
                      (segment_row(segment, loads[id(segment)]) for _, segment in batch))

    def patiently(self, server, action):
        """Does it again until the server answers, for wait_s at most."""
        end, said = time.monotonic() + self.wait_s, False
        while True:
            try:
                result = action()
            except Unreachable as error:
                if time.monotonic() >= end:
                    raise Failure(f"{error}; loaded rows are kept; run the same command again to load the rest") from error
                if not said:
                    self.say(f"{error}; waiting for the server, {self.wait_s:.0f} s at most")
                said = True
                time.sleep(0.2)
                continue
            if said:
                self.say(f"{server.name}: answers again; loading continues")
            return result


def rows_of(segments, loads):
    for segment in segments:
        session = segment.session
        prefix = ",".join((segment.day.isoformat(), str(loads[id(segment)]),
                           *map(field, (session.device, session.session, session.model, session.build)))) + ","
        yield from segment.rows_with(prefix.encode())


def segment_row(segment, load):
    session = segment.session
    return ",".join((segment.day.isoformat(), str(load),
                     *map(field, (session.device, session.session, session.model, session.build, segment.file, segment.first,
                                  os.fsencode(segment.path).decode("utf-8", "backslashreplace"))),
                     *map(str, (segment.bytes, segment.checksum, int(segment.is_closed), int(segment.is_whole), segment.rows,
                                segment.left_out, segment.quality, segment.until, int(time.time()))))).encode() + b"\n"
