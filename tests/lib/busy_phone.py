# SPDX-License-Identifier: Apache-2.0
"""Generated traces with known vsyncs: VSYNC ticks are late while every frame is on time.

A phone is generated from a seed. Its display has a list of (seconds, Hz) parts. In some stretches a share of the ticks is late, by half a period or
by some milliseconds on average. The app draws in most vsyncs and drops some. The text has the format of Android 14."""

import random

SF = 600
LAYER = "com.example.app/com.example.app.MainActivity#42"
DISPLAY = "4619827259835644672"


def _line(us, payload, tid=SF, comm="surfaceflinger", cpu=0):
    return us, f"{comm:>16}-{tid:<6}({SF:5}) [{cpu:03}] .... {us // 1000000:6}.{us % 1000000:06}: tracing_mark_write: {payload}\n"


class Phone:
    """A generated phone: the lines of its trace, and the number of vsyncs before each frame."""

    def __init__(self, seed, parts, late=(), words=(), demand=0.0, drops=0.05, half=False, jitter_us=300, begin_us=100000000, scale=1.0, place=0.12, held=(1,)):
        """@late: (from s, to s, share of ticks, "half" or mean in ms); @words: other markers of the period, "period", "target", "hardware", and "bare"
        for presents without their display; @demand:
        chance that the app draws nothing for up to a second after a frame; @half: it draws in every second vsync; @scale: actual by nominal rate;
        @place: where in a vsync a present begins; @held: how many vsyncs it drops at a time."""
        self.random = random.Random(seed)
        self.begin_us = begin_us
        self.late, self.words, self.jitter_us = late, words, jitter_us
        self.place, self.held = place, held
        self.lines, self.truth, self.rates = [], [], []
        self.values = {}
        self.vsync_id, self.number, self.seen = 1000, 0, 0
        at, self.vsyncs = 0.0, []
        for seconds, hertz in parts:
            period = 1e6 / hertz / scale
            end = at + seconds * 1e6
            self.rates.append((at, hertz * scale))
            while at < end:
                self.vsyncs.append((at, period))
                at += period
        self.play(demand, drops, half)

    def is_late(self, at, period):
        for begin, end, share, how in self.late:
            if begin * 1e6 <= at < end * 1e6 and self.random.random() < share:
                if how == "half":
                    return period / 2
                return min(self.random.expovariate(1 / (how * 1000)), period * 0.95)
        return 0

    def add(self, at, payload, tid=SF, comm="surfaceflinger", cpu=0):
        self.lines.append(_line(self.begin_us + int(at), payload, tid, comm, cpu))

    def tick(self, name, at, period, offset):
        late = self.is_late(at, period)
        time = at + offset + late + self.random.random() * 60
        self.values[name] = 1 - self.values.get(name, 0)
        if "target" in self.words:
            left = at + 2 * period - time
            self.add(time - 20, f"I|{SF}|{name[6:]} alarm in {int(left - period)}us; VSYNC in {int(left)}us", SF + 3, "TimerDispatch", 1)
        self.add(time, f"C|{SF}|{name}|{self.values[name]}", SF + 3, "TimerDispatch", 1)

    def frame(self, at, period):
        begin = at + self.place * period + self.random.random() * self.jitter_us
        self.vsync_id += 7
        self.number += 1
        self.add(begin - 400, f"C|{SF}|BufferTX - {LAYER}|1", SF + 9, f"Binder:{SF}_3", 2)
        self.add(begin - 200, f"B|{SF}|commit {self.vsync_id}")
        self.add(begin - 150, f"I|{SF}|latchBuffer {LAYER} - {self.number}")
        self.add(begin - 140, f"C|{SF}|BufferTX - {LAYER}|0")
        self.add(begin - 100, f"E|{SF}")
        self.add(begin - 50, f"B|{SF}|composite {self.vsync_id}")
        self.add(begin, f"B|{SF}|" + ("postFramebuffer" if "bare" in self.words else f"presentFrameAndReleaseLayers for Primary display ({DISPLAY})"))
        self.add(begin + 100, f"E|{SF}")
        self.add(begin + 110, f"E|{SF}")

    def say(self, at, period):
        if "period" in self.words:
            self.add(at, f"C|{SF}|VSP-period {DISPLAY}|{int(period * 1000)}")

    def see(self, first, n=8):
        """@n hardware vsyncs of the display, from number @first on."""
        for k in range(max(first, self.seen), min(first + n, len(self.vsyncs))):
            at, _ = self.vsyncs[k]
            late = abs(self.random.gauss(0, 150))
            self.add(at + 4000 + late, f"C|{SF}|HW_VSYNC_{DISPLAY}|{k % 2}", SF + 8, f"HwBinder:{SF}_1", 3)
        self.seen = max(self.seen, first + n)

    def play(self, demand, drops, half):
        rest, drawn, last, before = 0, 0, None, 0
        said_us = -10e6
        for i, (at, period) in enumerate(self.vsyncs):
            if period != before or at - said_us > 2e6:
                self.say(at + 500, period)
                if "hardware" in self.words:
                    self.see(i)
                said_us = at
            before = period
            if i < rest:
                continue
            self.tick("VSYNC-sf", at, period, 0.0)
            self.tick("VSYNC-app", at, period, 0.3 * period)
            if half and i % 2:
                continue
            if i < drawn:
                continue
            if self.random.random() < drops:
                drawn = i + (self.random.choice(self.held) if len(self.held) > 1 else 1)
                continue
            self.frame(at, period)
            self.truth.append(None if last is None else i - last)
            last = i
            if self.random.random() < demand:
                rest = i + 1 + int(self.random.random() * 1e6 / period)

    def text(self):
        self.lines.sort(key=lambda line: line[0])
        return "".join(line for _, line in self.lines)

    def other_display(self, hertz, how, display="4630946213010294403", begin=0.0, end=10.0):
        """Adds another display: its hardware vsyncs ("hardware") or the counter of its period ("period")."""
        period = 1e6 / hertz
        if how == "period":
            at = begin * 1e6
            while at < end * 1e6:
                self.add(at + 700, f"C|{SF}|VSP-period {display}|{int(period * 1000)}")
                at += 1e6
            return
        at, n = begin * 1e6 + self.random.random() * period, 0
        while at < end * 1e6:
            n = 1 - n
            self.add(at + self.random.random() * 200, f"C|{SF}|HW_VSYNC_{display}|{n}", SF + 8, f"HwBinder:{SF}_1", 3)
            at += period


def late_phone(seed, words=()):
    """A phone of 60, 90 or 120 Hz with one stretch of late ticks."""
    pick = random.Random(seed)
    hertz = pick.choice((60, 90, 120))
    begin = pick.uniform(0, 6)
    late = (begin, begin + pick.uniform(0.8, 2.5), pick.uniform(0.15, 0.6), pick.choice(("half", 2.4)))
    return Phone(seed, [(10, hertz)], (late,), words, demand=pick.choice((0, 0, 0.02)), drops=pick.choice((0.01, 0.05, 0.15)), scale=pick.uniform(0.997, 1.003))


def switching_phone(seed, words=(), late=True, **keywords):
    """A phone that switches its rate twice, with late ticks around each switch."""
    pick = random.Random(seed)
    low, high = pick.choice(((60, 120), (60, 120), (60, 90), (90, 120)))
    rates = (low, high, low) if pick.random() < 0.5 else (high, low, high)
    lengths = [pick.uniform(2, 4) for _ in rates]
    stretches = []
    at = 0
    for seconds in lengths[:-1]:
        at += seconds
        if late:
            stretches.append((at - pick.uniform(0.2, 1.2), at + pick.uniform(0.2, 1.2), pick.uniform(0.15, 0.6), pick.choice(("half", 2.4))))
    return Phone(seed, list(zip(lengths, rates)), stretches, words, drops=pick.choice((0.01, 0.05)), scale=pick.uniform(0.997, 1.003), **keywords)


def paired_phone(seed, words=()):
    """A phone with a second display; the VSYNC ticks are those of the first."""
    pick = random.Random(seed)
    hertz = pick.choice((60, 60, 90, 120))
    other = pick.choice([rate for rate in (60, 90, 119.3, 59.3, 75) if abs(rate - hertz) > 0.5])
    phone = Phone(seed, [(10, hertz)], (), words, demand=pick.choice((0, 0.02)), drops=pick.choice((0.01, 0.1)), scale=pick.uniform(0.998, 1.002))
    begin = pick.choice((0, 0, pick.uniform(0, 5)))
    phone.other_display(other, pick.choice(("hardware", "hardware", "period")), begin=begin)
    return phone


def paired_game(seed, words=()):
    """A phone with two displays whose app draws in every second vsync of 60 Hz; some ticks are late."""
    pick = random.Random(seed)
    begin = pick.uniform(0, 6)
    late = (begin, begin + pick.uniform(0.8, 2.5), pick.uniform(0.15, 0.6), pick.choice(("half", 2.4)))
    phone = Phone(seed, [(10, 60)], (late,), words, half=True, drops=pick.choice((0.01, 0.1)), scale=pick.uniform(0.998, 1.002))
    phone.other_display(pick.choice((90, 119.3)), pick.choice(("hardware", "period")), begin=pick.choice((0, pick.uniform(0, 5))))
    return phone
