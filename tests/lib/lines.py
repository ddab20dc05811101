# SPDX-License-Identifier: Apache-2.0
"""Lines of a text trace: their CPU and time, and how to change the time."""

import re

MARKER = re.compile(rb"(?m)^.*: (?:tracing_mark_write|0): .*\n")
HEADER = re.compile(rb"(?P<head>[^\n]*?\[)(?P<cpu>\d+)(?P<flags>\][^:\n]*? )(?P<s>\d+)\.(?P<us>\d{6})(?P<rest>: )")


class Line:
    """A line with its line end; cpu and us are None if it is no event."""

    def __init__(self, text):
        self.text = text
        self.match = HEADER.match(text)
        self.cpu = int(self.match["cpu"]) if self.match else None
        self.us = int(self.match["s"]) * 1000000 + int(self.match["us"]) if self.match else None

    def moved(self, by_us):
        """The same line, @by_us later."""
        if self.us is None:
            return self
        found, us = self.match, self.us + by_us
        time = b"%*d.%06d" % (len(found["s"]), us // 1000000, us % 1000000)
        return Line(found["head"] + found["cpu"] + found["flags"] + time + self.text[found.end("us"):])


def lines(text):
    return [Line(line) for line in text.splitlines(keepends=True)]


def markers(text):
    """A trace without its other events."""
    return b"".join(MARKER.findall(text))


def text(parts):
    return b"".join(line.text for line in parts)


def at_time(parts, us):
    """The index of the first line at @us or later."""
    return next((n for n, line in enumerate(parts) if line.us is not None and line.us >= us), len(parts))
