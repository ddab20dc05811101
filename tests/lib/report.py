# SPDX-License-Identifier: Apache-2.0
"""Runs jank-report, and makes folders for it."""

import json, re, subprocess

import synthetic
from jankd import REPORT, analyze, scenario
from lines import lines


def report(*arguments, **keywords):
    """Runs jank-report until it ends, whatever its exit code. The outputs are texts."""
    keywords.setdefault("timeout", 300)
    return subprocess.run([REPORT, *map(str, arguments)], capture_output=True, stdin=subprocess.DEVNULL, text=True, encoding="utf-8", **keywords)


def model(*arguments):
    """The sessions that --json prints."""
    done = report("--json", *arguments)
    return json.loads(done.stdout)["sessions"]


def surfaces(session):
    """{Surface: its object} of a session."""
    return {surface["Surface"]: surface for app in [*session["apps"], {"surfaces": session["other surfaces"]}] for surface in app["surfaces"]}


def by_culprit(causes):
    """The causes of facts: first those of the culprit that lost most, and of these those of the part that did."""
    def kin(cause):
        return "app" if cause in ("app", "gpu") else cause if cause in ("stuffing", "dropped", "unknown") else "system", cause[:14], cause

    return sorted(causes, key=lambda cause: [sum(one["lost(s)"] for other, one in causes.items() if kin(other)[:n] == kin(cause)[:n]) for n in (1, 2, 3)], reverse=True)


def demo(here, *arguments, name="out"):
    """The folder that analyze makes of the demo; one of that name is made once."""
    trace = here / "demo.txt"
    if not trace.exists():
        scenario("demo", trace)
    if not (here / name).exists():
        analyze(here / name, *arguments, trace)
    return here / name


def marked(trace, seconds, name):
    """The trace with marks of an app, the first after seconds[0], then each of @seconds in turn; name(n) is that of mark n."""
    parts, next_us, n = [], None, 0
    for line in lines(trace):
        parts.append(line.text)
        if line.us is None or b"tracing_mark_write" not in line.text:
            continue
        next_us = next_us or line.us + seconds[0] * 1000000
        if line.us >= next_us:
            parts.append(synthetic.line(line.us, f"I|77|jankd:{name(n)}", 77, "app", 77).replace("[000]", f"[{line.cpu:03}]").encode())
            n += 1
            next_us += round(seconds[n % len(seconds)] * 1000000)
    return b"".join(parts)


def without(text, begin, end):
    """The buffers of all CPUs were full from second @begin to @end."""
    at = -1
    lines = [(at := float(found[1]) - 1000 if (found := re.search(r" (\d{4}\.\d{6}): ", line)) else at, line) for line in text.splitlines(keepends=True)]
    return "".join([line for at, line in lines if at < begin] + [f"CPU:{cpu} [LOST 999 EVENTS]\n" for cpu in range(8)] + [line for at, line in lines if at >= end])
