# SPDX-License-Identifier: Apache-2.0
"""Programs on a pseudo-terminal."""

import contextlib
import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time

from jankd import skip


def on_terminal(words, columns, rows=40, until=b"", keys=b"", **keywords):
    """Runs a command on a terminal of this size; presses @keys, or calls it, when @until has been shown. Returns (exit code,
    what was shown)."""
    try:
        ours, its = pty.openpty()
    except OSError as error:
        skip(f"no pseudo-terminal here: {error}")
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("4H", rows, columns, 0, 0))
    process = subprocess.Popen([str(word) for word in words], stdin=its, stdout=its, stderr=its, **keywords)
    os.close(its)
    shown, deadline = b"", time.monotonic() + 60
    with contextlib.suppress(OSError):  # EIO: all have closed the terminal
        while time.monotonic() < deadline and select.select([ours], [], [], 60)[0] and (data := os.read(ours, 65536)):
            shown += data
            if keys and until in shown:
                keys() if callable(keys) else os.write(ours, keys)
                keys = b""
    os.close(ours)
    return process.wait(60), shown
