# SPDX-License-Identifier: Apache-2.0
"""Causes of frames, computed from marks alone, against the jank types of FrameTimeline in the same trace: the class of the cause must be one of the
bits of the jank type for at least 90 % of the buffer frames with a jank. Recorded traces that have FrameTimeline alone get the marks of their frames:
ticks, doFrame, queue, latch, commit, composite, at the times that FrameTimeline tells; then a jank counts if its reason leaves a mark."""

import collections
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from jankd import analyze, folder, rows

# Bits of a jank type that agree with a cause of frames.csv, and their names.
NONE = 1
AGREES = {"app": 64, "gpu": 64, "stuffing": 128 | 512, "surfaceflinger-cpu": 16, "surfaceflinger-gpu": 32, "scheduling": 2, "display": 8,
          "prediction": 4, "dropped": 1024, "unknown": 256, "": 0}
NAMES = {2: "SF_SCHEDULING", 4: "PREDICTION_ERROR", 8: "DISPLAY_HAL", 16: "SF_CPU", 32: "SF_GPU", 64: "APP_DEADLINE", 128: "BUFFER_STUFFING",
         256: "UNKNOWN", 512: "SF_STUFFING", 1024: "DROPPED"}

SHARE = 0.90
SF, TIMER, BINDER = 612, 634, 652
DISPLAY = "4619827259835644672"
EARLY = "EARLY"
RECORDED, FIRST = collections.Counter(), collections.Counter()  # (jank, cause, agrees)


def name_of(jank):
    return "+".join(text for bit, text in NAMES.items() if jank & bit) or "none"


def us(text):
    return int(text.replace(".", ""))


class Text:
    """Lines of a trace, in the order of their times; lines of one time stay in the order in which they were added."""

    def __init__(self):
        self.lines = []
        self.counts = []

    def add(self, at, payload, tid=SF, tgid=SF, comm="surfaceflinger"):
        self.lines.append((at, f"{comm:>16}-{tid:<6}({tgid:5}) [000] .... {at // 1000000}.{at % 1000000:06}: tracing_mark_write: {payload}\n"))

    def count(self, at, counter, change, *thread, **keywords):
        """A counter that goes up or down; the lines are not added in the order of their times."""
        self.counts.append((at, counter, change, thread, keywords))

    def write(self, path):
        values = collections.Counter()
        for at, counter, change, thread, keywords in sorted(self.counts, key=lambda count: count[0]):
            values[counter] += change
            self.add(at, f"{counter}{values[counter]}", *thread, **keywords)
        path.write_text("".join(text for _, text in sorted(self.lines, key=lambda line: line[0])), encoding="utf-8")


def add_ticks(text, displays, frames):
    """A tick for each time at which an app was to wake up, with the durations of that time."""
    durations = [(us(row["expected start(s)"]), us(row["expected end(s)"]) - us(row["expected start(s)"])) for row in displays]
    last = 0
    for row in sorted(frames, key=lambda row: row["expected start(s)"]):
        tick, deadline = us(row["expected start(s)"]), us(row["expected end(s)"])
        if tick - last < 1000:
            continue
        last = tick
        # The composition that begins at the deadline.
        _, sf = min(durations, key=lambda duration: abs(duration[0] - deadline))
        for name, value in (("app", deadline - tick), ("sf", sf)):
            text.add(tick, f"C|{SF}|VsyncWorkDuration-{name}|{value * 1000}", TIMER, comm="TimerDispatch")
        text.add(tick, f"C|{SF}|VSYNC-app|{len(text.lines) % 2}", TIMER, comm="TimerDispatch")


def add_frame(text, row, layer, thread, number, latch, before):
    """doFrame, drawing and queue of a frame, on threads of its own layer. Returns when it was queued."""
    pid, token = int(row["pid"]), row["token"]
    ready, start = us(row["end(s)"]), us(row["start(s)"])
    queued = max(min(ready, latch - 300), before + 60)
    start = min(start, queued - 50)
    text.add(start, f"B|{pid}|Choreographer#doFrame {token}", thread, pid, "app")
    text.add(start + 10, f"E|{pid}", thread, pid, "app")
    draw = max(start + 20, before + 30)
    for at, payload in ((draw, f"B|{pid}|DrawFrames {token}"), (queued - 10, f"B|{pid}|queueBuffer"),
                        (queued - 5, f"C|{pid}|QueuedBuffer - VRI[{thread}]#1BLAST#1|1"),
                        (queued - 4, f"B|{pid}|acquireNextBufferLocked - VRI[{thread}]#1(f:0,a:1)frame={number}"),
                        (queued - 3, f"C|{pid}|VRI[{thread}]#1(BLAST Consumer)|0"), (queued - 2, f"E|{pid}"),
                        (queued - 1, f"B|{pid}|Trace GPU completion fence {number}"), (queued, f"E|{pid}"), (queued + 1, f"E|{pid}"),
                        (queued + 2, f"E|{pid}")):
        text.add(at, payload, thread + 1, pid, "RenderThread")
    text.add(queued + 3, f"B|{pid}|waiting for GPU completion {number}", thread + 2, pid, "GPU completion")
    text.add(max(ready, queued + 5), f"E|{pid}", thread + 2, pid, "GPU completion")
    text.add(queued, f"B|{SF}|setTransactionState", BINDER, comm="Binder:612_1")
    text.count(queued, f"C|{SF}|BufferTX - {layer}|", 1, BINDER, comm="Binder:612_1")
    text.add(queued, f"E|{SF}", BINDER, comm="Binder:612_1")
    return queued


def add_old_composition(text, row, latched, missed, version):
    """The same with the marks of Android 12 or 13."""
    at, planned = us(row["start(s)"]), us(row["expected end(s)"])
    commit, composite = ("onMessageInvalidate", "onMessageRefresh") if version == 12 else ("commit", f"composite {row['token']}")
    text.add(at, f"B|{SF}|{commit} {row['token']} vsyncIn {(planned - at) / 1000:.2f}ms")
    text.add(at, f"C|{SF}|PrevFrameMissed|{int(missed)}")
    for layer, _ in latched:
        text.add(at + 20, f"B|{SF}|latchBuffer")
        text.count(at + 30, f"C|{SF}|BufferTX - {layer}|", -1)
        text.add(at + 35, f"E|{SF}")
    text.add(at + 40, f"E|{SF}")
    for name in (composite, "present", "postFramebuffer"):
        text.add(at + 50, f"B|{SF}|{name}")
    text.add(at + 60, f"C|{SF}|hasClientComposition|0")
    for _ in range(3):
        text.add(at + 3000, f"E|{SF}")


def make_forgotten(path, version):
    """An app hangs in a doFrame for 3 s, while another one draws at each vsync: 540 numbers. Returns its layer."""
    text, period, layers = Text(), 16667, ("com.a/com.a.Main$_3000#1", "com.b/com.b.Main$_3001#2")
    numbers, before = [0, 0], [0, 0]
    second = lambda at: f"{at // 1000000}.{at % 1000000:06}"
    for n in range(420):
        tick = 100000000 + n * period
        at, token = tick + period, 1000 + 3 * n
        for name in ("app", "sf"):
            text.add(tick, f"C|{SF}|VsyncWorkDuration-{name}|{period * 1000}", TIMER, comm="TimerDispatch")
        text.add(tick, f"C|{SF}|VSYNC-app|{n % 2}", TIMER, comm="TimerDispatch")
        latched = []
        for i, layer in enumerate(layers):
            # The frame of vsync 120 is drawn for 181 vsyncs.
            if i == 0 and 120 <= n < 300:
                continue
            hung = i == 0 and n == 300
            row = {"pid": 3000 + i, "token": 1000 + 3 * 120 if hung else token, "end(s)": second(tick + 5000 + 3000 * i),
                   "start(s)": second(tick - 180 * period + 500 if hung else tick + 500)}
            numbers[i] += 1
            before[i] = add_frame(text, row, layer, 4000 + 100 * i, numbers[i], at, before[i])
            latched.append((layer, numbers[i]))
        row = {"start(s)": second(at), "expected end(s)": second(at + period), "token": token + 4, "on time finish": "1", "gpu composition": "0"}
        add_composition(text, row, latched, False, version)
    text.write(path)
    return layers[0]


def add_composition(text, row, latched, missed, version):
    """SurfaceFlinger's work for a display frame, which latches the buffers @latched: layer, number."""
    if version < 14:
        add_old_composition(text, row, latched, missed, version)
        return
    at, planned = us(row["start(s)"]), us(row["expected end(s)"])
    end = at + 3000 if row["on time finish"] == "1" else max(at, planned) + 1000
    plan = f"{(planned - at) / 1000:.2f}ms" if planned > at else "0.00ms"
    text.add(at, f"C|{SF}|VSYNC-sf|{len(text.lines) % 2}", TIMER, comm="TimerDispatch")
    text.add(at, f"B|{SF}|beginFrame {row['token']} vsyncIn {plan}")
    text.add(at, f"C|{SF}|PrevFrameMissed {DISPLAY}|{int(missed)}")
    text.add(at, f"E|{SF}")
    text.add(at + 20, f"B|{SF}|commit {row['token']}")
    for layer, number in latched:
        text.add(at + 30, f"I|{SF}|latchBuffer {layer} - {number}")
        text.count(at + 30, f"C|{SF}|BufferTX - {layer}|", -1)
    text.add(at + 40, f"E|{SF}")
    text.add(at + 50, f"B|{SF}|composite {row['token']}")
    text.add(at + 60, f"B|{SF}|present for Primary display ({DISPLAY})")
    text.add(at + 60, f"C|{SF}|hasClientComposition Primary display ({DISPLAY})|{row['gpu composition']}")
    text.add(at + 70, f"B|{SF}|presentFrameAndReleaseLayers for Primary display ({DISPLAY})")
    for _ in range(3):
        text.add(end, f"E|{SF}")


def make(timeline, path, version):
    """Writes the marks of a trace, as Android @version writes them. Returns jank type and present type by layer and token of the composition."""
    displays = sorted((row for row in timeline if row["kind"] == "display"), key=lambda row: row["start(s)"])
    by_token = {row["token"]: row for row in displays}
    frames = collections.defaultdict(list)
    for row in timeline:
        if row["kind"] == "surface" and row["buffer"] == "1" and row["display token"] in by_token:
            frames[row["layer"].removeprefix("TX - "), row["display token"]].append(row)
    # A layer has one buffer in a composition.
    frames = {key: found[0] for key, found in frames.items() if len(found) == 1}
    text, threads, numbers, before = Text(), {}, collections.Counter(), collections.Counter()
    latched = collections.defaultdict(list)
    add_ticks(text, displays, frames.values())
    for (layer, token), row in sorted(frames.items(), key=lambda item: by_token[item[0][1]]["start(s)"]):
        thread = threads.setdefault(layer, 20000 + 10 * len(threads))
        numbers[layer] += 1
        latched[token].append((layer, numbers[layer]))
        before[layer] = add_frame(text, row, layer, thread, numbers[layer], us(by_token[token]["start(s)"]), before[layer])
    missed = False
    for row in displays:
        add_composition(text, row, latched[row["token"]], missed, version)
        missed = row["present type"] == "LATE"
    text.write(path)
    return frames


def janks(path):
    """Jank types of the truth, by layer, token of the composition and token of the frame."""
    return {(row["layer"].removeprefix("TX - "), row["display_token"], row["token"]): int(row["jank_type"]) for row in rows(path) if row["kind"] == "surface"}


def compare(checks, name, timeline, truth, version):
    table, seen = collections.Counter(), set()
    with folder() as here:
        made = make(timeline, here / "trace", version)
        analyze(here / "out", "--frames-log", here / "trace")
        frames = rows(here / "out" / "frames.csv")
    checks.equal(len(frames), len(made), f"{name}: frames")
    for frame in frames:
        row = made.get((frame["layer"], frame["vsync id"]))
        if not checks.that(row, f"{name}: {frame['layer']} at {frame['present(s)']} was not played"):
            continue
        jank = truth[frame["layer"], frame["vsync id"], row["token"]]
        # The display showed the early ones before their plan. No mark tells that.
        if frame["layer"] in seen and row["present type"] != EARLY:
            agrees = bool(AGREES[frame["cause"]] & jank) if jank & ~NONE else not frame["cause"]
            table[name_of(jank), frame["cause"] or "none", agrees] += 1
        seen.add(frame["layer"])
    for what, is_quiet in (("with", False), ("without", True)):
        shown = collections.Counter({key: n for key, n in table.items() if (key[0] == "none") == is_quiet})
        agree, total = agreed(shown), shown.total()
        checks.that(agree >= SHARE * total and (total or is_quiet), f"{name}: {agree} of {total} causes of frames {what} a jank agree: {shown}")
        print(f"{name}: {agree} of {total} causes of frames {what} a jank agree")


def recorded(trace):
    """Of the buffer frames that were presented once."""
    janks, seen = collections.defaultdict(list), set()
    for row in rows(trace.source, "frametimeline.csv"):
        if row["kind"] == "surface" and row["is_buffer"] == "1" and row["display_token"]:
            janks[row["layer"].removeprefix("TX - "), row["display_token"]].append(int(row["jank_type"]))
    for row in trace.rows("frames.csv"):
        types = janks[row["layer"], row["vsync id"]]
        if len(types) == 1 and types[0] & ~NONE:
            # The first frame of a layer has no interval.
            (RECORDED if row["layer"] in seen else FIRST)[name_of(types[0]), row["cause"] or "none", bool(AGREES[row["cause"]] & types[0])] += 1
        seen.add(row["layer"])


def agreed(table):
    return sum(n for (_, _, agrees), n in table.items() if agrees)


def judge(checks, trace):
    if trace.text:
        recorded(trace)
        return
    truth, timeline = janks(trace.source / "frametimeline.csv"), trace.rows("frametimeline.csv")
    for version in (12, 13, 14):
        compare(checks, f"{trace.name}, marks of Android {version}", timeline, truth, version)


def end(checks):
    checks.that(agreed(RECORDED) >= SHARE * RECORDED.total() > 0, f"{agreed(RECORDED)} of {RECORDED.total()} causes agree: {RECORDED}")
    print(f"{agreed(RECORDED)} of {RECORDED.total()} causes of recorded frames with a jank agree with FrameTimeline, and {agreed(FIRST)} of "
          f"{FIRST.total()} of first frames")
    forgotten(checks)


def forgotten(checks):
    """SurfaceFlinger forgets the plan of a frame. FrameTimeline does not judge it on Android 13, and blames the app on 14."""
    for version, cause in ((13, "unknown"), (14, "app")):
        with folder() as here:
            layer = make_forgotten(here / "trace", version)
            analyze(here / "out", "--frames-log", here / "trace")
            frames = [row for row in rows(here / "out" / "frames.csv") if row["layer"] == layer]
        checks.equal(len(frames), 240, f"Android {version}: frames")
        checks.equal([(row["vsyncs"], row["cause"]) for row in frames if row["cause"]], [("181", cause)], f"Android {version}: a forgotten plan")
