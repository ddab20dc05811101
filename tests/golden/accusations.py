# SPDX-License-Identifier: Apache-2.0
"""Traces in which jankd once blamed the wrong one: nobody is blamed who was in time."""

import collections, lzma, random, re
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from jankd import SHARED, analyze, checks, folder, rows, scenario, skip
from lines import lines, text


def causes(out):
    """(vsyncs, cause) of the frames with a cause."""
    return [(row["vsyncs"], row["cause"]) for row in rows(out, "frames.csv") if row["cause"]]


def app_is_late(checks, what, out):
    """The app queues after the latch that it should have made. What its GPU takes afterwards is the same for each frame."""
    checks.equal(causes(out), [("3", "app")], f"{what}: causes")
    # Its next frame is queued before the latch of the one that it did not draw, which the GPU could not finish in time.
    # If the GPU was at work on the frame before until after the app's vsync, that is why, whatever another CPU lost, and
    # so it is of the next one, as the app may wait for a buffer.
    lost = b"CPU:5 [LOST 3 EVENTS]\n  x-77 ( 77) [005] .... 1001.0: y: z\n"
    for waits_us, begin, undrawn, expected in (0, b"", [19], "app"), (6000, b"", [19], "gpu"), (6000, lost, [19], "gpu"), (6000, b"", [19, 21], "gpu"):
        analyze(out.parent / "less", "--frames-log", "-", input=begin + drew_nothing(out.parent / "trace", undrawn, waits_us))
        checks.equal(causes(out.parent / "less"), [("2", expected)] * len(undrawn) + [("3", "app")], f"{what}: causes, {undrawn}, {waits_us}, {begin}")


def drew_nothing(trace, undrawn, waits_us):
    """The app draws nothing for the vsyncs @undrawn, and SurfaceFlinger composes nothing in the next ones. The GPU ends the frame before @waits_us later."""
    parts, ticks, queued = [], 0, 1
    for line in lines(trace.read_bytes()):
        thread, ticks = line.text[:16].strip(), ticks + (b"VSYNC-app" in line.text)
        if thread != b"TimerDispatch" and ticks - (thread == b"surfaceflinger") in undrawn:
            continue
        if b"|com.example.shop/" in line.text:
            queued += 1 if thread.startswith(b"Binder") else -1
            line.text = b"%s|%d\n" % (line.text.rpartition(b"|")[0], queued)
        ends = ticks == undrawn[0] - 1 and thread.startswith(b"GPU") and b": B|" not in line.text
        parts.append(line.moved(waits_us * ends))
    return text(sorted(parts, key=lambda line: line.us or 0))


def idle(checks, what, out):
    """The tick that the app answers is lost: it was idle, and did not wait."""
    (row,) = rows(out, "summary.csv")
    checks.equal((row["wait times"], row["stalls"] or "0", row["big jank"], causes(out)), ("1", "0", "0", []), f"{what}: waits, stalls, janks, causes")


LINE = re.compile(r" *(\S.*)-\d+ +\( *(\d+)\) \[(\d+)\] \.{4} +([\d.]+): \S+ (.*)")


def own_gpu_times(checks, what, out, ends):
    """A frame has one of the @ends of fences of its own app, or none. Returns how many have one, by layer."""
    found, wrong = collections.Counter(), []
    for row in rows(out, "frames.csv"):
        done = row["gpu done(s)"]
        found[row["app"]] += done != ""
        # It is drawn after it is queued.
        if done and ((row["app"], done) not in ends or float(row["queued(s)"] or 0) > float(done) + 0.0004):
            wrong.append((row["app"], row["present(s)"], done))
    checks.equal(wrong, [], f"{what}: GPU times")
    return found


def two_apps(checks, what, out):
    """Two apps, each of which calls its window Main, draw from the first event on. With losses a GPU time may be unknown."""
    apps = {"2100": "com.example.a0", "3200": "com.example.a1"}
    trace = [(line, LINE.match(line)) for line in (out.parent / "trace").read_text().splitlines(keepends=True)]
    ends = {(apps[match[2]], match[4]) for _, match in trace if match and match[1] == "GPU completion" and match[5][0] == "E"}
    found = own_gpu_times(checks, what, out, ends)
    checks.that(all(found[app] >= 25 for app in apps.values()), f"{what}: frames with GPU times {found} of 27 each")
    for seed in range(20):
        draw, lines, left = random.Random(seed), [], 0
        for line, match in trace:
            lost = match and match[3] == "003"  # of both RenderThreads
            if lost and left == 0 and draw.random() < 0.01:
                left = n = draw.randrange(2, 30)
            if lost and left > 0:
                left -= 1
                if left == 0:
                    lines.append(f"CPU:3 [LOST {n} EVENTS]\n")
                continue
            lines.append(line)
        analyze(out.parent / f"lost{seed}", "--frames-log", "-", input="".join(lines).encode())
        own_gpu_times(checks, f"{what}, loss {seed}", out.parent / f"lost{seed}", ends)


def drawn_after_the_latch(here, vocabulary, by_us, name="culprits", in_time=False):
    """SurfaceFlinger latches before the GPU has drawn, also in time: the causes are those of frames that are drawn sooner. @in_time: late
    frames are not drawn later, and where the GPU was to blame, SurfaceFlinger composed without the buffer."""
    parts, last = lines(scenario(name, here / "trace", vocabulary=vocabulary, seed=2).read_bytes()), 0
    analyze(here / "sooner", "--frames-log", here / "trace")
    frames = rows(here / "sooner", "frames.csv")
    ends = {int(row["gpu done(s)"].replace(".", "")) for row in frames if row["gpu done(s)"] and not (in_time and row["cause"])}
    for i, line in enumerate(parts):
        if b" GPU completion-" in line.text:  # which waits for one fence after the other
            last = max(line.us + by_us * (line.us in ends and b": E|" in line.text), last + 5)
            parts[i] = line.moved(last - line.us)
    (here / "trace").write_bytes(text(sorted(parts, key=lambda line: line.us or 0)))
    analyze(here / "out", "--frames-log", here / "trace")
    played, found = ([row["cause"] for row in rows(name)] for name in (here / "trace.truth", here / "out" / "frames.csv"))
    wrong = collections.Counter(pair for pair in zip(played, found, strict=True) if pair[0] != pair[1])
    if by_us > 12000:  # then a buffer that the GPU drew too late may be in time for the latch of the next slot
        del wrong["gpu", "unknown"]
    checks.equal(wrong, {}, f"drawn after the latch, {vocabulary}: causes played and found")


CASES = {"B1_gpu_times_of_another_app_android14": two_apps, "E0_lost_tick_makes_idle_a_stall_a14": idle, "E1_app_late_but_gpu_blamed_a11": app_is_late}

for name, judge in CASES.items():
    path = SHARED / "cases" / f"{name}.txt.xz"
    if not path.exists():
        skip(f"no {path.name}")
    with folder() as here:
        (here / "trace").write_bytes(lzma.open(path).read())
        analyze(here / "out", "--frames-log", "-T", "2", here / "trace")
        judge(checks, name, here / "out")
for case in ("android-9", 13000), ("android-11", 8000), ("android-14", 8000), ("android-15", 8000), ("android-14", 8000, "culprits-120", True):
    with folder() as here:
        drawn_after_the_latch(here, *case)
checks.end()
