# SPDX-License-Identifier: Apache-2.0
"""Shared by the tests of jank-fleet: a private server, and the program."""

import contextlib
import json
import os
import shutil
import subprocess
import sys

from jankd import REPORT, SOURCE, skip

FLEET = SOURCE / "tools" / "fleet" / "jank-fleet"
sys.path.insert(0, str(FLEET.parent))
sys.dont_write_bytecode = True
os.environ["JANK_REPORT"] = str(REPORT)  # of this build


def require_server():
    for program in ("clickhouse-server", "clickhouse-client"):
        if not shutil.which(program, path="/usr/sbin:/usr/bin:/usr/local/bin"):
            skip(f"{program} is not installed (tools/install-deps --fleet)")


def command(name, data, *arguments):
    return [sys.executable, FLEET, name, "--data", str(data), *map(str, arguments)]


def fleet(name, data, *arguments):
    return subprocess.run(command(name, data, *arguments), stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=500)


@contextlib.contextmanager
def started(data, *arguments):
    """A private server, or several, with the folder @data. Gives connections to them."""
    from clickhouse import Private, Server
    done = fleet("start", data, *arguments)
    try:
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        yield [Server(url) for url in Private(data).urls()]
    finally:
        fleet("stop", data)


def count(servers, table):
    return sum(server.rows(f"SELECT count() FROM jank_fleet.{table}")[1][0][0] for server in servers)


def answer(data, name, *arguments):
    """The rows of a query, as dictionaries."""
    done = fleet("query", data, name, "--json", *arguments)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    found = json.loads(done.stdout)
    return [dict(zip(found["columns"], row)) for row in found["rows"]]
