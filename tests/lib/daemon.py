# SPDX-License-Identifier: Apache-2.0
"""Starts a jankd daemon and sends requests to it."""

import contextlib
import json
import os
import pathlib
import re
import signal
import socket
import time

from jankd import jankd

CAPTURING = re.compile(r"jankd: capturing to (.+) \(pid (\d+)\)\n\Z")


def is_alive(pid):
    """A zombie is not alive: in a container its new parent may never collect it. But while other threads of it end,
    its first one is a zombie already, and its files are open."""
    process = pathlib.Path(f"/proc/{pid}")
    try:
        return (process / "stat").read_text().rpartition(")")[2].split()[0] != "Z" or len(os.listdir(process / "task")) > 1
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_until(true, seconds=10.0):
    """Polls @true(). Returns False if it is not true within @seconds."""
    deadline = time.monotonic() + seconds
    while not true():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


class Daemon:
    """A daemon started by 'jankd start' on an instance, with its files in @out."""

    def __init__(self, mount, instance, out, *arguments, **environment):
        self.out = out
        self.keywords = {"env": {**os.environ, **environment}, "timeout": 90}
        self.command = ["start", "--tracefs", mount, "--instance", instance.name, "--no-atrace", "--frames-log", "-F", out, *arguments]
        self.pid = 0

    def start(self, **keywords):
        """Returns how jankd start ended."""
        done = jankd(*self.command, **{**self.keywords, **keywords})
        said = CAPTURING.match(done.stdout.decode())
        self.pid = int(said.group(2)) if done.returncode == 0 and said else 0
        return done

    def ask(self, command, *arguments, **keywords):
        return jankd(command, "-F", self.out, *arguments, **{**self.keywords, **keywords})

    def status(self):
        return json.loads(self.ask("status", "--json").stdout)

    def stop(self):
        return self.ask("stop")

    def connect(self):
        """A connection to its control socket."""
        client = socket.socket(socket.AF_UNIX)
        client.connect("\0" + (self.out / ".lock").read_text().split()[1])
        client.settimeout(20)
        return client

    def end(self, number):
        """Ends it by a signal, and waits for that."""
        os.kill(self.pid, number)
        return wait_until(lambda: not is_alive(self.pid))

    def kill(self):
        """Ends the daemon if it still runs."""
        if self.pid and is_alive(self.pid):
            with contextlib.suppress(ProcessLookupError):
                self.end(signal.SIGTERM)
