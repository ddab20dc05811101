# SPDX-License-Identifier: Apache-2.0
"""Small perfetto traces: the wire format of protocol buffers, and the packets that jankd reads."""

import re
import zlib


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def message(*fields):
    """A message of (number of the field, value); a value is a number, or bytes."""
    return b"".join(varint(number << 3 | 2) + varint(len(value)) + value if isinstance(value, bytes)
                    else varint(number << 3) + varint(value) for number, value in fields)


def packet(*fields):
    return message((1, message(*fields)))


def read_varint(data, at):
    """(the number, where it ends)."""
    value = shift = 0
    while True:
        byte = data[at]
        at, value, shift = at + 1, value | (byte & 127) << shift, shift + 7
        if byte < 128:
            return value, at


def fields(data):
    """(number of the field, its value, its bytes with the number) of a message."""
    at = 0
    while at < len(data):
        begin = at
        key, at = read_varint(data, at)
        if key & 7 == 0:
            value, at = read_varint(data, at)
        elif key & 7 == 2:
            length, at = read_varint(data, at)
            value, at = data[at:at + length], at + length
        else:
            length = 8 if key & 7 == 1 else 4
            value, at = data[at:at + length], at + length
        yield key >> 3, value, data[begin:at]


def without(trace, number):
    """A trace without the packets that have that field."""
    return b"".join(whole for _, value, whole in fields(trace) if number not in {field for field, _, _ in fields(value)})


def prints(cpu, *events):
    """Markers of one CPU: (time, thread, text)."""
    return packet((1, message((1, cpu), *((2, message((1, time_ns), (2, tid), (3, message((2, text))))) for time_ns, tid, text in events))), (10, 2))


def timeline(time_ns, kind, *fields):
    """An event of FrameTimeline, on CLOCK_BOOTTIME."""
    return packet((58, 6), (8, time_ns), (76, message((kind, message(*fields)))), (10, 3))


def timeline_frames(n, first=1, step=10**7):
    """A trace with nothing but @n frames of FrameTimeline, @step ns apart: of the display, and of a layer."""
    layer = b"TX - com.a/com.a.Main#7"
    return b"".join(
        timeline(i * step, 1, (1, 4 * i + 1), (2, i), (3, 500)) + timeline(i * step + 10, 5, (1, 4 * i + 1))
        + timeline(i * step + 20, 2, (1, 4 * i + 2), (2, i), (3, 500), (4, 1), (5, 1), (6, 0), (7, 1), (8, 1), (9, 1))
        + timeline(i * step + 30, 4, (1, 4 * i + 3), (2, i), (3, i), (4, 900), (5, layer), (6, 2), (7, 0), (8, 0), (9, 64),
                   (10, 1), (11, 1), (12, 3))
        + timeline(i * step + 40, 5, (1, 4 * i + 3)) + timeline(i * step + 50, 5, (1, 4 * i + 2)) for i in range(first, first + n))


def track_events(text, batch=40, unit=1, clear=200, category=b"graphics", again=()):
    """The markers of a text as perfetto's SDK writes them: each thread is a sequence with a default track, a clock of differences and numbers
    for names, all of them new after @clear events. @batch: events of a thread that come together. @again: other names of each number."""
    threads = {}
    for line in text.decode().splitlines():
        head, payload = line.split(": tracing_mark_write: ")
        comm, tid, tgid, seconds = re.match(r"(.{16})-(\d+) *\( *(\d+)\).* ([\d.]+)$", head).groups()
        threads.setdefault(int(tid), []).append((comm.strip().encode(), int(tgid), round(float(seconds) * 1e6) * 1000, payload.encode()))
    parts = []
    for tid, events in threads.items():
        names, tracks, last, sequence = {}, set(), 0, (10, tid + 7)
        for at, (comm, pid, time_ns, payload) in enumerate(events):
            out = b""
            if at % clear == 0:
                names, tracks, last = {}, set(), time_ns
                out += packet((8, 0), (13, 1), (59, message((58, 64), (11, message((11, 5000 + tid))))), sequence,
                              (12, message((1, message((1, 1), (2, category))))), (6, message((1, message((1, 6), (2, time_ns))), (1, message((1, 64), (2, time_ns // unit), (3, 1), (4, unit))))))
                out += packet((8, 0), (13, 2), sequence, (60, message((1, 5000 + tid), (5, 99), (4, message((1, pid), (2, tid), (5, comm))))))
            kind, _, name, value = (payload + b"|||").split(b"|")[:4]
            event, new = [(9, {b"B": 1, b"E": 2, b"I": 3, b"C": 4}[kind])], []
            if kind == b"C":
                track = zlib.crc32(name) << 20
                if track not in tracks:
                    out += packet(sequence, (60, message((1, track), (5, 99), (2, name), (8, b""))))
                tracks.add(track)
                event += [(11, track), (30, int(value))]
            elif kind != b"E":
                new = [(12, message(*((2, message((1, len(names) + 1), (2, one))) for one in (name, *again))))] if name not in names else []
                event += [(3, 1), (10, names.setdefault(name, len(names) + 1))]
            out += packet((8, (time_ns - last) // unit), (13, 2), sequence, (11, message(*event)), *new)
            last += (time_ns - last) // unit * unit
            parts.append((at // batch, tid, at, out))
    return b"".join(part[3] for part in sorted(parts))
