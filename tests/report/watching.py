# SPDX-License-Identifier: Apache-2.0
"""jank-report --watch: a page is made again when a file grew, and only then, always in one move; a folder that is empty, half
copied, has a new session; a full disk is one line, and the page comes when there is space; SIGINT and SIGTERM end it."""

import concurrent.futures
import json, re, resource, shutil, signal, subprocess, threading, time
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from daemon import wait_until
from jankd import REPORT, checks, folder
from report import demo

PATIENCE = 60  # seconds
ROUND = 5


class Watch:
    """jank-report --watch over the folder @out."""

    def __init__(self, here, out, **keywords):
        self.page, self.errors, self.paths = here / "page.html", here / "errors", here / "paths"
        with open(self.errors, "wb") as errors, open(self.paths, "wb") as paths:
            self.process = subprocess.Popen([REPORT, "--watch", "-o", self.page, out], stdin=subprocess.DEVNULL, stdout=paths, stderr=errors, **keywords)
        self.torn, self.ended = 0, False
        self.reader = threading.Thread(target=self.read_all_the_time, daemon=True)
        self.reader.start()

    def read_all_the_time(self):
        """As a browser that loads the page at any moment."""
        while not self.ended:
            if self.page.exists():
                self.torn += not self.page.read_bytes().endswith(b"</html>\n")
            time.sleep(0.05)

    def made(self):
        """Which page it is."""
        return self.page.stat().st_ino if self.page.exists() else None

    def next(self, before, what):
        """Waits for another page than @before."""
        checks.that(wait_until(lambda: self.made() not in (None, before), PATIENCE), f"{what}: no new page; {self.said()}")
        return self.made()

    def sessions(self):
        found = re.search(rb'<script[^>]*id="?data"?[^>]*>(.*?)</script>', self.page.read_bytes(), re.S)
        return json.loads(found[1])["sessions"]

    def rows(self):
        return self.sessions()[0]["files"]["fps.csv"]["rows"]

    def said(self):
        return self.errors.read_text(encoding="utf-8").splitlines()

    def end(self, number):
        self.process.send_signal(number)
        checks.equal(self.process.wait(PATIENCE), 0, f"exit code after {number.name}")
        self.ended = True
        self.reader.join()
        checks.equal(self.torn, 0, "pages that were not whole")
        checks.that(not list(self.page.parent.glob("*.part")), "no part of a page is left")
        checks.equal(self.paths.read_text(encoding="utf-8"), f"{self.page}\n", "the path is printed once")


def grows(here, whole):
    """An empty folder is one line. Then come the first rows of a copy that is cut within a row, more rows, and a later session, whose
    capture gives the files of this one a number."""
    out = here / "out"
    out.mkdir()
    watch = Watch(here, out)
    time.sleep(ROUND + 1)
    checks.equal(watch.made(), None, "a page of an empty folder")
    checks.that(len(watch.said()) == 1 and "it has no files of jankd" in watch.said()[0], f"one line of an empty folder: {watch.said()}")
    (out / "fps.csv").write_bytes((whole / "fps.csv").read_bytes()[:3000])
    page = watch.next(None, "half a file")
    checks.that(b'<meta name="jank-report-watch" content="5">' in watch.page.read_bytes(), "the page loads itself again")
    rows = watch.rows()
    shutil.copytree(whole, out, dirs_exist_ok=True)
    watch.next(page, "a whole session")
    checks.that(rows > 0 and wait_until(lambda: watch.rows() > rows, PATIENCE), "the page has the rows that came")
    for path in sorted(out.glob("*.*")):
        path.rename(path.with_name(f"{path.stem}-000001{path.suffix}"))
    shutil.copytree(whole, out, dirs_exist_ok=True)
    checks.that(wait_until(lambda: len(watch.sessions()) == 2, PATIENCE), "two sessions in the page")
    watch.end(signal.SIGTERM)


def unchanged(here, whole):
    watch = Watch(here, whole)
    page = watch.next(None, "a whole session")
    time.sleep(2 * ROUND + 1)
    checks.equal(watch.made(), page, "the page is not made again without a change")
    watch.end(signal.SIGINT)


def full_disk(here, whole):
    """A limit of the size of a file fails as a full disk does; it can be raised later."""
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (20000, resource.RLIM_INFINITY))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    watch = Watch(here, whole, preexec_fn=limit, restore_signals=False)
    time.sleep(2 * ROUND + 2)
    checks.equal(watch.said(), [f"jank-report: {watch.page}: File too large; check the disk"], "one line while the disk is full")
    checks.equal((watch.made(), watch.process.poll()), (None, None), "no page, and it goes on")
    resource.prlimit(watch.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    watch.next(None, "there is space again")
    checks.equal(len(watch.sessions()), 1, "sessions in the page")
    watch.end(signal.SIGINT)


with checks, folder() as here, concurrent.futures.ThreadPoolExecutor() as pool:
    whole = demo(here, "--frames-log", "-T", 2)
    done = []
    for case in (grows, unchanged, full_disk):
        (here / case.__name__).mkdir()
        done.append(pool.submit(case, here / case.__name__, whole))
    for one in done:
        one.result()
