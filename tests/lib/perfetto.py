# SPDX-License-Identifier: Apache-2.0
"""A stand-in for Android's perfetto program: it reads a configuration from standard input and streams frames of
FrameTimeline, as they happen, to standard output. The variable PERFETTO says how it behaves:

    stream    until SIGINT; then it sends the last frame
    die       it is killed after a second
    refuse    it ends at once, with an error
    garbage   after some frames it sends text
    nothing   it sends nothing, until SIGINT
    hang      it sends frames, and ignores SIGINT

Its packets have the times of a clock that only its clock snapshots tell. What it sent is in $DEVICE/perfetto-truth."""

import json
import os
import pathlib
import signal
import sys
import time

import packets

LAYER = b"TX - com.example.scroll/com.example.scroll.MainActivity#7"
SHIFT_NS = 5 * 10**9


class Stream:
    def __init__(self, folder):
        self.folder = folder
        self.truth = []
        self.token = 0
        self.is_over = False

    def send(self, data):
        # A packet may come in pieces.
        for at in range(0, len(data), 50):
            os.write(1, data[at:at + 50])

    def snapshot(self):
        boot = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
        clocks = [packets.message((1, 6), (2, boot)), packets.message((1, 3), (2, boot - SHIFT_NS))]
        self.send(packets.packet((6, packets.message(*((1, clock) for clock in clocks))), (10, 1)))

    def event(self, boot, kind, *fields):
        self.send(packets.packet((58, 3), (8, boot - SHIFT_NS), (76, packets.message((kind, packets.message(*fields)))), (10, 3)))

    def frame(self):
        """A frame of the display and one of a layer, which ended just now; events go back in time."""
        now = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
        token = self.token = self.token + 1
        begin, cookie = now - 40 * 10**6, 4 * token
        self.keep_truth(["surface", begin + 10**6, now - 10**6, token, LAYER.decode()], ["display", now - 20 * 10**6, now, token, ""])
        self.event(begin, 3, (1, cookie), (2, token), (3, token), (4, 900), (5, LAYER))
        self.event(now - 30 * 10**6, 5, (1, cookie))
        self.event(begin + 10**6, 4, (1, cookie + 1), (2, token), (3, token), (4, 900), (5, LAYER), (6, 2), (7, 0), (8, 0), (9, 64), (10, 1), (11, 1), (12, 3))
        self.event(now - 10**6, 5, (1, cookie + 1))
        self.event(now - 20 * 10**6, 2, (1, cookie + 2), (2, token), (3, 500), (4, 1), (5, 1), (6, 0), (7, 1), (8, 1), (9, 1))
        self.event(now, 5, (1, cookie + 2))

    def keep_truth(self, *frames):
        """Before they are sent, as it may be killed at any time."""
        self.truth += frames
        new = self.folder / "perfetto-truth.new"
        new.write_text(json.dumps(self.truth))
        new.rename(self.folder / "perfetto-truth")

    def stop(self, *_):
        self.is_over = True


def main():
    how = os.environ["PERFETTO"]
    folder = pathlib.Path(os.environ["DEVICE"])
    (folder / "perfetto-arguments").write_text(" ".join(sys.argv[1:]))
    (folder / "perfetto-config").write_text(sys.stdin.read())
    (folder / "perfetto-pid").write_text(str(os.getpid()))
    if how == "refuse":
        print("[001.234] perfetto_cmd.cc:1 Connected\nPermission denied: SurfaceFlinger", file=sys.stderr)
        sys.exit(1)
    stream = Stream(folder)
    signal.signal(signal.SIGINT, signal.SIG_IGN if how == "hang" else stream.stop)
    begin = time.monotonic()
    if how != "nothing":
        stream.snapshot()
    while not stream.is_over:
        time.sleep(0.05)
        if how == "nothing":
            continue
        stream.frame()
        if time.monotonic() - begin < 1:
            continue
        if how == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        if how == "garbage":
            os.write(1, b"Wrote 12345 bytes into stdout\n" * 20)
            how = "nothing"
    if how != "nothing":
        stream.frame()


if __name__ == "__main__":
    main()
