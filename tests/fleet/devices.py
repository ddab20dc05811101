# SPDX-License-Identifier: Apache-2.0
"""The folders of a lab, as jank-adb pulls them, and the sums of what is written: each device draws for 10 minutes a day.

Planted: build 2 comes on the fourth day and janks twenty times as often on model 2, and freezes twice a session on model 3; every 20th device is
silent from the fourth day on; the clock of every 50th is that of 1970; devices 10 and 11 have the same session ids."""

import collections
import datetime
import json
import random
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from csv_files import second, write, write_events

ROWS, MODELS, NEW_BUILD, BEGIN = 600, 5, 3, 1000
CAUSES = ("app", "gpu", "surfaceflinger-cpu", "")
UTC = datetime.timezone.utc


class Sums:
    def __init__(self):
        self.frames = self.late = self.freezes = 0
        self.time = self.late_s = self.freeze_s = 0.0
        self.devices, self.sessions, self.days, self.builds = set(), set(), set(), set()

    def rate(self):
        """Milliseconds lost in each second of drawing."""
        return round(1000 * self.lost() / self.drawing(), 3)

    def lost(self):
        return self.late_s + self.freeze_s

    def drawing(self):
        return self.time + self.freeze_s

    def grade(self):
        """By the contract; no freeze of the lab is as long as a second."""
        rate, often = self.rate(), lambda s: self.freezes > 1 and self.freezes * s > self.drawing()
        return "BAD" if rate > 30 or often(60) else "POOR" if rate > 10 or often(600) else "FAIR" if rate > 5 or self.freezes else "GOOD"


class Lab:
    def __init__(self, top, devices, days, first):
        """@first: the date on which the first sessions begin."""
        self.noise, self.first = random.Random(1), first
        self.rows = self.segments = 0
        self.by_build, self.by_device = collections.defaultdict(Sums), collections.defaultdict(Sums)
        self.sessions, self.drops = collections.defaultdict(list), collections.defaultdict(lambda: [0.0, 0])
        self.last, self.wrong, self.lines = {}, collections.Counter(), collections.Counter()
        self.rows_of_day, self.own = collections.Counter(), {}
        for device in range(devices):
            for day in range(days):
                if device % 20 != 7 or day < NEW_BUILD:
                    self.write_session(top, device, day)

    def write_session(self, top, number, day):
        device, build, model = f"device{number:04}", f"build-{1 + (day >= NEW_BUILD)}", f"Model {number % MODELS}"
        session = f"{10 if number == 11 else number:08x}{day + 1:08x}"
        began = datetime.datetime.combine(self.first, datetime.time(10), UTC) + datetime.timedelta(days=day, seconds=number)
        is_wrong = number % 50 == 3
        if is_wrong:
            began = datetime.datetime.fromtimestamp(BEGIN, UTC)
            self.wrong[device] += 1
        ended = began + datetime.timedelta(seconds=ROWS)
        if not is_wrong:
            self.last[device] = ended
        folder = top / f"{device}-{session}"
        own = self.write_rows(folder, device, build, f"com.example.app{number % 3}", 3 if model == "Model 2" and day >= NEW_BUILD else 60,
                              2 if model == "Model 3" and day >= NEW_BUILD else 0)
        stamps = [f"{time:%Y-%m-%dT%H:%M:%S}.000Z" for time in (began, ended)]
        (folder / "session.json").write_text(json.dumps({
            "schema": 1, "jankd": "0.1.0", "session_id": session, "began": stamps[0], "ended": stamps[1],
            "device": {"id": device, "model": model, "build": build, "sdk": "34", "kernel": "6.1"},
            "clock": {"name": "boot", "wall_offset_ns": int(began.timestamp() - BEGIN) * 10**9},
            "counters": {"events": own.frames, "lost": {"events": 0}, "rows_lost": 0}}))
        write_events(folder, (f"{BEGIN}.000000", "start", "jankd 0.1.0 start"), (f"{BEGIN + ROWS}.000000", "stop", "end"))
        self.own[device, session] = own
        self.lines[device] += 3  # two of events.csv, and session.json
        self.segments += 7  # with the grades
        day = datetime.datetime.now(UTC).date() if is_wrong else began.date()
        self.rows_of_day[day] += ROWS
        for sums in (self.by_build[build, model, f"com.example.app{number % 3}"], self.by_device[device]):
            for name in ("frames", "late", "late_s", "freezes", "freeze_s", "time"):
                setattr(sums, name, getattr(sums, name) + getattr(own, name))
            sums.devices.add(device)
            sums.sessions.add((device, session))
            sums.days.add(day)
            sums.builds.add(build)

    def write_rows(self, folder, device, build, app, jank_share, freezes):
        """Seconds of drawing at 60 Hz, of which one in @jank_share has a jank, and freezes of 0.9 s. Returns their sums."""
        noise, own, rows, drops = self.noise, Sums(), [], []
        of = {"app": app, "Surface": f"{app}/.Main"}
        for n in range(BEGIN, BEGIN + ROWS):
            jank = int(noise.randrange(jank_share) == 0)
            missed = 5 + noise.randrange(4) if jank else int(noise.randrange(15) == 0)
            ms, us = round(16.667 * (1 + missed), 3), 1000000 + noise.randrange(999)
            rows.append(second(n + noise.randrange(8000) / 1e6, **of, **{
                "FPS": f"{(60 - missed) * 1e6 / us:.2f}", "frames": 60 - missed, "Time(S)": f"{us / 1e6:.6f}", "max time(ms)": ms, "A": jank,
                "D": int(missed > 0), "p99(ms)": ms, "missed vsyncs": missed, "jank": jank, "big jank": int(missed > 6)}))
            own.frames, own.time = own.frames + 60 - missed, own.time + us / 1e6
            if missed:
                cause = noise.choice(CAUSES)
                drops.append({**of, "start VSYNC": f"{n}.100000", "end VSYNC": f"{n}.{100000 + 16667 * (missed + 1)}", "used time(ms)": ms,
                              "VSYNC type": "VSYNC-app", "TX": 0, "info": 'queue 2; "latch",3', "missed vsyncs": missed, "cause": cause})
                own.late, own.late_s = own.late + 1, own.late_s + missed * 0.016667
                sums = self.drops[build, app, cause]
                sums[0], sums[1] = sums[0] + missed * 0.016667, sums[1] + 1
        for n in range(freezes):
            drops.append({**of, "start VSYNC": f"{BEGIN + ROWS}.{n}00000", "end VSYNC": f"{BEGIN + ROWS + n + 1}.000000", "used time(ms)": "900.000", "VSYNC type": "VSYNC-app",
                          "TX": 0, "missed vsyncs": 53, "cause": "app"})
            own.freezes, own.freeze_s = own.freezes + 1, own.freeze_s + 0.9
            sums = self.drops[build, app, "app"]
            sums[0], sums[1] = sums[0] + 0.9, sums[1] + 1
        write(folder, "fps-000001.csv", rows[:ROWS // 2])
        write(folder, "fps.csv", rows[ROWS // 2:])
        write(folder, "dropFrames.csv", drops)
        summary = round(own.frames / own.time, 2), round(16.667 * noise.randrange(2, 5), 3), own.rate()
        write(folder, "summary.csv", [{**of, "first(s)": BEGIN, "last(s)": BEGIN + ROWS, "frames": own.frames,
                                       "Time(S)": f"{own.time:.6f}", "FPS": summary[0], "p99(ms)": summary[1], "lost(ms/s)": summary[2]}])
        self.sessions[build, app].append(summary)
        self.lines[device] += ROWS + len(drops) + 1
        self.rows += ROWS
        return own
