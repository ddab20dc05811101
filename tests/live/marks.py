# SPDX-License-Identifier: Apache-2.0
"""'jankd mark' gets the current time, on every clock that a trace can have, also before the first event."""

import os
import re
import time
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
import tracefs
from jankd import rows
from live import each, run, session

APART_S = 1


def check(clock, source):
    with session(f"{clock}, {source}") as s:
        s.write("trace_clock", clock)
        with s.started("--source", source) as daemon:
            begin = time.monotonic()
            daemon.ask("mark", "before any event")
            time.sleep(APART_S)
            for n in range(6):
                with daemon.connect() as client:
                    client.sendall(f"mark quick {n}\n".encode())
                    client.recv(100)
                if n == 0:
                    most = time.monotonic() - begin
            # A mark in the trace: its time comes from the kernel.
            for text in ("begin", "in between", "end"):
                if text == "in between":
                    daemon.ask("mark", text)
                else:
                    s.write("trace_marker", f"I|{os.getpid()}|jankd:{text}")
            daemon.stop()
        found = {row["text"]: row for row in rows(s.out, "events.csv") if row["kind"] == "mark"}
        if not s.equal(len(found), 10, f"marks {sorted(found)}"):
            return
        s.that(all(row["time(s)"] and row["wall time"] for row in found.values()), f"marks without a time: {found}")
        at = {text: float(row["time(s)"]) for text, row in found.items()}
        quick = [at[f"quick {n}"] for n in range(6)]
        s.that(quick == sorted(set(quick)), f"marks one after another: {quick}")
        apart = quick[0] - at["before any event"]
        s.that(APART_S - 0.01 <= apart <= most + 0.01, f"marks at least {APART_S} s and at most {most:.3f} s apart are {apart:.3f} s")
        # jankd and the kernel may read the clock on different CPUs.
        s.that(at["begin"] - 0.005 <= at["in between"] <= at["end"] + 0.005, f"{at}")
        events = [float(row["time(s)"]) for row in rows(s.out, "events.csv")]
        s.equal(events, sorted(events), "order of events")


known = re.findall(r"[\w-]+", (tracefs.root() / "trace_clock").read_text())
run(each(check, *((clock, "raw" if clock in ("local", "boot") else "text")
                  for clock in ("local", "global", "perf", "mono", "mono_raw", "boot", "tai") if clock in known)))
