# SPDX-License-Identifier: Apache-2.0
"""Drives Debian's chromium through chromedriver (WebDriver, https://www.w3.org/TR/webdriver2/), without a library."""

import base64
import contextlib
import json
import re
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.request

from jankd import skip

TIMEOUT = 300  # seconds, on a busy machine


class Browser:
    def __init__(self, port, session):
        self.base = f"http://127.0.0.1:{port}/session/{session}"

    def call(self, method, path, **body):
        data = json.dumps(body).encode() if method == "POST" else None
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{path}: {error.read().decode()[:500]}") from error

    def open(self, path, fragment=""):
        """Anew, whatever was open."""
        self.call("POST", "/url", url="about:blank")
        self.call("POST", "/url", url=path.resolve().as_uri() + fragment)

    def run(self, script, *arguments):
        """What the body of a function returns in the page."""
        return self.call("POST", "/execute/sync", script=script, args=list(arguments))

    def wait(self, script, *arguments):
        """The same of a function that calls its last argument with the result."""
        return self.call("POST", "/execute/async", script=script, args=list(arguments))

    def element(self, css):
        return next(iter(self.call("POST", "/element", using="css selector", value=css).values()))

    def click(self, css):
        self.call("POST", f"/element/{self.element(css)}/click")

    def write(self, css, text):
        self.call("POST", f"/element/{self.element(css)}/value", text=text)

    def drag(self, from_x, from_y, to_x, to_y):
        """With the left button, between two places in the window."""
        move = lambda x, y, ms: {"type": "pointerMove", "x": round(x), "y": round(y), "duration": ms}
        self.mouse(move(from_x, from_y, 0), {"type": "pointerDown", "button": 0}, move((from_x + to_x) / 2, to_y, 50), move(to_x, to_y, 50), {"type": "pointerUp", "button": 0})

    def mouse(self, *actions):
        self.call("POST", "/actions", actions=[{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": list(actions)}])

    def move(self, x, y):
        self.mouse({"type": "pointerMove", "x": round(x) - 3, "y": round(y), "duration": 0}, {"type": "pointerMove", "x": round(x), "y": round(y), "duration": 50})

    def double_click(self, x, y):
        press = [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self.mouse({"type": "pointerMove", "x": round(x), "y": round(y), "duration": 0}, *press, *press)

    def fingers(self, moves):
        """Fingers that move at once: (from x, from y, to x, to y) of each."""
        move = lambda x, y, ms: {"type": "pointerMove", "x": round(x), "y": round(y), "duration": ms}
        self.call("POST", "/actions", actions=[{"type": "pointer", "id": f"finger {n}", "parameters": {"pointerType": "touch"}, "actions": [
            move(a, b, 0), {"type": "pointerDown", "button": 0}, *(move(a + (c - a) * i / 5, b + (d - b) * i / 5, 60) for i in range(1, 6)), {"type": "pointerUp", "button": 0}]}
            for n, (a, b, c, d) in enumerate(moves)])

    def size(self, width, height):
        """Returns when the page has that width: the browser answers before."""
        self.call("POST", "/window/rect", width=width, height=height)
        self.wait("""const [width, done] = arguments, end = Date.now() + 5000;
          const look = () => (innerWidth === width || Date.now() > end ? done() : setTimeout(look, 10));
          look();""", width)

    def screenshot(self, path):
        path.write_bytes(base64.b64decode(self.call("GET", "/screenshot")))

    def printed(self):
        """The page as PDF on A4."""
        return base64.b64decode(self.call("POST", "/print", page={"width": 21, "height": 29.7}))

    def console(self):
        """Warnings and errors of the console since the last call."""
        return [entry["message"] for entry in self.call("POST", "/se/log", type="browser") if entry["level"] in ("WARNING", "SEVERE")]


@contextlib.contextmanager
def browser(language="en-US"):
    """A Browser without a window. Skips the test where chromium or its driver is not installed."""
    for program in ("chromium", "chromedriver"):
        if not shutil.which(program):
            skip(f"{program} is not installed (tools/install-deps --report)")
    with tempfile.TemporaryDirectory(prefix="jankd-browser-", ignore_cleanup_errors=True) as home:
        driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            port = next(found[1] for line in driver.stdout if (found := re.search(r"on port (\d+)\.", line)))
            options = {"args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={home}",
                                f"--lang={language}", f"--accept-lang={language}"]}
            wanted = {"browserName": "chrome", "timeouts": {"script": TIMEOUT * 1000, "pageLoad": TIMEOUT * 1000}, "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
            data = json.dumps({"capabilities": {"alwaysMatch": wanted}}).encode()
            request = urllib.request.Request(f"http://127.0.0.1:{port}/session", data, {"Content-Type": "application/json"})
            with urllib.request.urlopen(request, timeout=60) as answer:
                made = Browser(port, json.load(answer)["value"]["sessionId"])
            try:
                yield made
            finally:
                made.call("DELETE", "")
        finally:
            driver.terminate()
            driver.wait()
