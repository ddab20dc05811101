# SPDX-License-Identifier: Apache-2.0
"""Processes of other users and programs."""

import contextlib
import ctypes
import os
import pathlib
import signal
import socket

from daemon import wait_until

OTHER_USER = 65534
PR_SET_NAME = 15


def fork(do, uid=0, name=None):
    """Calls do() in a child process, of another user, with another name. It has do()'s result as exit code, 99 after an
    exception. Returns its pid."""
    pid = os.fork()
    if pid:
        return pid
    code = 99
    with contextlib.suppress(BaseException):
        if uid:
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
        if name:
            ctypes.CDLL(None).prctl(PR_SET_NAME, name.encode(), 0, 0, 0)
        code = do() or 0
    os._exit(code)


def ended(pid):
    """Waits for its end. Returns its exit code."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


@contextlib.contextmanager
def listening(name, serve, uid=0, begin=lambda: None):
    """A process that serves the abstract socket @name: calls begin(), and serve(connection) for each client."""
    def listen():
        kept = begin()
        with socket.socket(socket.AF_UNIX) as server:
            server.bind("\0" + name)
            server.listen()
            while True:
                with server.accept()[0] as client, contextlib.suppress(OSError):
                    serve(client)
        del kept

    child = fork(listen, uid)
    try:
        wait_until(lambda: f"@{name}\n" in pathlib.Path("/proc/net/unix").read_text())
        yield
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
