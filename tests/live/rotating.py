# SPDX-License-Identifier: Apache-2.0
"""A live capture whose files are rotated for every reason at once has all frames, each once."""

import signal
import time
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
import segments
from jankd import jankd
from live import run, session

ROTATIONS = 5


def closed(s):
    return {path.name: path.read_bytes() for path in s.out.glob("*-*.csv")}


def rotating():
    with session("rotating") as s:
        capture = s.run("--rotate-size", "8K", "--rotate-time", "2", "--sync", "0.5", "-T", "2")
        phone = s.phone(seconds=6)
        for _ in range(ROTATIONS):
            time.sleep(1)
            capture.process.send_signal(signal.SIGUSR1)
        played = s.played(phone)
        s.stop(capture)
        frames = segments.rows(s.out, "frames.csv")
        s.equal((len(frames), len({row["present(s)"] for row in frames})), (played, played), "frames, each once")
        s.equal(segments.damage(s.out), [], "files")
        for name in segments.GROWING:
            for path in segments.paths(s.out, name):
                s.that(path.stat().st_size <= 8192, f"{path.name} has {path.stat().st_size} bytes")
        kinds = [row["kind"] for row in segments.rows(s.out, "events.csv")]
        s.equal((kinds.count("rotate"), kinds.count("lost")), (ROTATIONS, 0), "events of rotations on request, and of loss")
        print(f"{len(frames)} frames in {len(segments.numbers(s.out))} segments")
        before = closed(s)
        jankd("run", "--tracefs", s.mount, "--instance", s.instance.name, "--no-atrace", "--duration", "0.3", "-F", s.out)
        after = closed(s)
        s.equal([name for name, data in before.items() if after.get(name) != data], [], "closed segments that were written again")


run(rotating)
