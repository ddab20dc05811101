# SPDX-License-Identifier: Apache-2.0
"""jank-report.exe, and wine to run it. The program is kept in the build folder."""

import contextlib
import fcntl
import os
import pathlib
import pty
import shutil
import struct
import subprocess
import termios
import time

from cross import run_build
from jankd import BUILD, SOURCE, folder, skip

OUT = BUILD / "windows"
PROGRAM = OUT / "jank-report.exe"
WINE = pathlib.Path("/usr/lib/wine/wine64")
SERVER = pathlib.Path("/usr/lib/wine/wineserver64")
# What build-windows prints if it cannot build here, whatever the tree.
IMPOSSIBLE = ("apt-get cannot download", "no sources of Debian", "missing packages", "a path with a blank")


def build():
    """Builds the program; skips the test if that is not possible here. Installs nothing."""
    for needed in ("x86_64-w64-mingw32-gcc-win32", "cmake", "/usr/x86_64-w64-mingw32/lib/libz.a", str(WINE)):
        if not (os.path.exists(needed) or shutil.which(needed)):
            skip(f"no {needed}; tools/install-deps --windows installs it")
    OUT.mkdir(parents=True, exist_ok=True)
    with open(OUT / ".lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        run_build([SOURCE / "tools/build-windows", "-o", OUT], IMPOSSIBLE)


class Wine:
    """A Windows of its own, whose drive C: is the folder @drive and whose drive Z: is /."""

    def __init__(self, here):
        self.prefix = here / "wine"
        self.drive = self.prefix / "drive_c"
        self.keeper = None
        (here / "home").mkdir()
        self.environment = {**os.environ, "HOME": str(here / "home"), "WINEPREFIX": str(self.prefix), "WINESERVER": str(SERVER),
                            "WINEDEBUG": "-all", "WINEDLLOVERRIDES": "mscoree,mshtml=;winemenubuilder.exe=", "LC_ALL": "C.UTF-8",
                            "TERM": "xterm"}
        self.environment.pop("DISPLAY", None)
        begun = subprocess.run([WINE, "wineboot", "-i"], env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False)
        if begun.returncode != 0 or not self.drive.exists():
            self.end()
            skip(f"wine cannot start here: {begun.stderr.decode(errors='replace')[-300:]!r}")
        # While one program runs, wine need not start again for the next one.
        self.keeper = subprocess.Popen([WINE, "cmd"], env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def popen(self, *arguments, **keywords):
        return subprocess.Popen([WINE, PROGRAM, *map(str, arguments)], env=self.environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **keywords)

    def report(self, *arguments, **keywords):
        """Runs jank-report.exe. Returns (exit code, standard output, standard error), as bytes."""
        process = self.popen(*arguments, **keywords)
        out, error = process.communicate(timeout=120)
        return process.returncode, out, error

    def on_a_console(self, *command, cwd, rows=60, columns=160):
        """Runs a command with a console, and returns what that shows, as text."""
        pid, terminal = pty.fork()
        if pid == 0:
            fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.chdir(cwd)
            os.execve(WINE, [str(WINE), *map(str, command)], self.environment)
        shown, end = b"", time.monotonic() + 60
        with contextlib.suppress(OSError):  # the terminal's end
            while time.monotonic() < end and (piece := os.read(terminal, 65536)):
                shown += piece
        os.close(terminal)
        os.waitpid(pid, 0)
        return shown.decode(errors="replace")

    def end(self):
        if self.keeper:
            self.keeper.communicate(timeout=60)
        subprocess.run([SERVER, "-k"], env=self.environment, capture_output=True, timeout=60, check=False)
        subprocess.run([SERVER, "-w"], env=self.environment, capture_output=True, timeout=60, check=False)


@contextlib.contextmanager
def wine():
    with folder() as here:
        windows = Wine(here)
        try:
            yield windows, here
        finally:
            windows.end()
