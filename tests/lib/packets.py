# SPDX-License-Identifier: Apache-2.0
"""Small perfetto traces: the wire format of protocol buffers, and the packets that jankd reads."""


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
    return packet((1, message((1, cpu), *((2, message((1, time_ns), (2, tid), (3, message((2, text)))))
                                          for time_ns, tid, text in events))), (10, 2))


def timeline(time_ns, kind, *fields):
    """An event of FrameTimeline, on CLOCK_BOOTTIME."""
    return packet((58, 6), (8, time_ns), (76, message((kind, message(*fields)))), (10, 3))


def timeline_frames(n):
    """A trace with nothing but @n frames of FrameTimeline: of the display, and of a layer."""
    layer = b"TX - com.a/com.a.Main#7"
    return b"".join(
        timeline(i * 10**7, 1, (1, 4 * i + 1), (2, i), (3, 500)) + timeline(i * 10**7 + 10, 5, (1, 4 * i + 1))
        + timeline(i * 10**7 + 20, 2, (1, 4 * i + 2), (2, i), (3, 500), (4, 1), (5, 1), (6, 0), (7, 1), (8, 1), (9, 1))
        + timeline(i * 10**7 + 30, 4, (1, 4 * i + 3), (2, i), (3, i), (4, 900), (5, layer), (6, 2), (7, 0), (8, 0), (9, 64),
                   (10, 1), (11, 1), (12, 3))
        + timeline(i * 10**7 + 40, 5, (1, 4 * i + 3)) + timeline(i * 10**7 + 50, 5, (1, 4 * i + 2)) for i in range(1, n + 1))
