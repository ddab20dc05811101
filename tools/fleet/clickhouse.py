# SPDX-License-Identifier: Apache-2.0
"""ClickHouse over HTTP, and a private server of our own: started as this user, on loopback, its data in a folder."""

import base64
import hashlib
import http.client
import json
import os
import pathlib
import secrets
import shutil
import signal
import socket
import subprocess
import time
import urllib.parse

from schema import CLUSTER

SECONDS = 600  # for one answer
START_SECONDS = 60
# Errors after which the same request can succeed later: too much memory used, too many parts or queries.
LATER = ("Code: 241", "Code: 252", "Code: 202")


class Failure(Exception):
    """One line for the user: what, why, what to do."""


class Unreachable(Failure):
    """The server does not answer now; it may do so later."""


class Server:
    """One server. @url: http://[USER:PASSWORD@]HOST:PORT."""

    def __init__(self, url):
        parts = urllib.parse.urlsplit(url)
        try:
            self.host, self.port = parts.hostname, parts.port or 8123
        except ValueError as error:
            raise Failure(f"{url}: {error}; use http://HOST:PORT") from error
        if parts.scheme != "http" or not self.host:
            raise Failure(f"{url}: not the URL of a server; use http://HOST:PORT")
        self.name = f"{self.host}:{self.port}"
        self.headers = {}
        if parts.username:
            login = f"{urllib.parse.unquote(parts.username)}:{urllib.parse.unquote(parts.password or '')}"
            self.headers["Authorization"] = "Basic " + base64.b64encode(login.encode()).decode()

    def request(self, sql, body=None, settings=None):
        """Runs @sql and returns its answer, bytes. @body: an iterator of bytes, the rows to insert."""
        settings = settings or {}
        path = "/?" + urllib.parse.urlencode(settings if body is None else {"query": sql, **settings})
        connection = http.client.HTTPConnection(self.host, self.port, timeout=SECONDS)
        try:
            try:
                connection.request("POST", path, body=sql.encode() if body is None else body, headers=self.headers,
                                   encode_chunked=body is not None)
            except (BrokenPipeError, ConnectionResetError):
                pass  # a server that refuses the rows answers before it has all of them
            answer = connection.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException) as error:
            why = getattr(error, "strerror", None) or str(error) or type(error).__name__
            raise Unreachable(f"{self.name}: {why}") from error
        finally:
            connection.close()
        if answer.status == 200:
            return text
        line = " ".join(text.decode("utf-8", "replace").split())[:500]
        kind = Unreachable if line.startswith(LATER) else Failure
        raise kind(f"{self.name}: {line or answer.status}")

    def insert(self, table, columns, body):
        names = ", ".join(f"`{column}`" for column in columns)
        self.request(f"INSERT INTO {table} ({names}) FORMAT CSV", body, {"format_csv_allow_single_quotes": 0})

    def rows(self, sql):
        """(names, rows): rows are lists of values."""
        answer = json.loads(self.request(sql + " FORMAT JSONCompact", settings={"output_format_json_quote_64bit_integers": 0})
                            .decode("utf-8", "replace"))
        return [column["name"] for column in answer["meta"]], answer["data"]


# --- a private server ---

CONFIG = """<?xml version="1.0"?>
<yandex>
  <logger><level>warning</level><log>{path}/server.log</log><errorlog>{path}/error.log</errorlog><size>10M</size><count>2</count></logger>
  <listen_host>127.0.0.1</listen_host>
  <http_port>{http}</http_port>
  <tcp_port>{tcp}</tcp_port>
  <path>{path}/data/</path>
  <tmp_path>{path}/tmp/</tmp_path>
  <user_files_path>{path}/user_files/</user_files_path>
  <users_config>{path}/users.xml</users_config>
  <default_profile>default</default_profile>
  <default_database>default</default_database>
  <mark_cache_size>268435456</mark_cache_size>
  <timezone>UTC</timezone>
  <remote_servers><{cluster}>{shards}</{cluster}></remote_servers>
</yandex>
"""
SHARD = ("<shard><replica><host>127.0.0.1</host><port>{tcp}</port><user>default</user><password>{password}</password>"
         "</replica></shard>")
USERS = """<?xml version="1.0"?>
<yandex>
  <profiles><default/></profiles>
  <users><default>
    <password_sha256_hex>{digest}</password_sha256_hex>
    <networks><ip>127.0.0.1</ip></networks>
    <profile>default</profile>
    <quota>default</quota>
  </default></users>
  <quotas><default/></quotas>
</yandex>
"""


def free_ports(count):
    """Ports that no program uses now."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()


def program():
    """The command of the server. Debian has it in /usr/sbin, which is not in the PATH of a user."""
    path = os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin"
    found = shutil.which("clickhouse-server", path=path)
    if not found:
        raise Failure("clickhouse-server is not installed; run 'tools/install-deps --fleet'")
    return found


class Private:
    """The servers of one folder: one, or several that are a cluster."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()
        self.file = self.folder / "servers.json"

    def known(self):
        """What servers.json has, or None."""
        try:
            return json.loads(self.file.read_text())
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise Failure(f"{self.file}: {error}") from error

    def urls(self):
        known = self.known()
        if not known:
            raise Failure(f"{self.folder}: no server was started here; run 'jank-fleet start', or use --server")
        return [f"http://default:{known['password']}@127.0.0.1:{shard['http']}" for shard in known["shards"]]

    def make(self, shards):
        if any(character in str(self.folder) for character in "<>&"):
            raise Failure(f"{self.folder}: the name has one of <>&; choose another folder with --data")
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        ports = free_ports(2 * shards)
        known = {"password": secrets.token_hex(16), "shards": [{"http": ports[2 * i], "tcp": ports[2 * i + 1]} for i in range(shards)]}
        all_shards = "".join(SHARD.format(tcp=shard["tcp"], password=known["password"]) for shard in known["shards"])
        for number, shard in enumerate(known["shards"]):
            path = self.folder / f"server{number + 1}"
            path.mkdir(mode=0o700, exist_ok=True)
            self.write(path / "config.xml", CONFIG.format(path=path, cluster=CLUSTER, shards=all_shards, **shard))
            self.write(path / "users.xml", USERS.format(digest=hashlib.sha256(known["password"].encode()).hexdigest()))
        self.write(self.file, json.dumps(known) + "\n")
        return known

    @staticmethod
    def write(path, text):
        """With the password in it: only for this user."""
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.write(text)

    def process(self, path):
        """The process of the server of the folder @path, or None."""
        try:
            pid = int((path / "pid").read_text())
            words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except (OSError, ValueError):
            return None
        return pid if f"--config-file={path}/config.xml".encode() in words else None

    def start(self, shards):
        """Starts what does not run. Returns the URLs."""
        command = program()
        known = self.known() or self.make(shards or 1)
        if shards and shards != len(known["shards"]):
            raise Failure(f"{self.folder}: has {len(known['shards'])} servers, not {shards}; choose another folder with --data")
        children = {}
        for number in range(len(known["shards"])):
            path = self.folder / f"server{number + 1}"
            if not self.process(path):
                with open(path / "output.log", "wb") as log:
                    children[path] = child = subprocess.Popen([command, f"--config-file={path}/config.xml"], stdin=subprocess.DEVNULL, stdout=log,
                                             stderr=log, cwd=path, start_new_session=True)
                (path / "pid").write_text(f"{child.pid}\n")
        urls = self.urls()
        for number, url in enumerate(urls):
            path = self.folder / f"server{number + 1}"
            self.wait(Server(url), path, children.get(path))
        return urls

    @staticmethod
    def wait(server, path, child):
        """Until the server answers. @child: its process, if it was started now."""
        end = time.monotonic() + START_SECONDS
        while True:
            try:
                return server.request("SELECT 1")
            except Unreachable as error:
                if child and child.poll() is not None or time.monotonic() > end:
                    raise Failure(f"{error}: the server did not start; see {path}/output.log and {path}/error.log") from error
                time.sleep(0.1)

    def stop(self):
        """Stops what runs. Returns the number of servers that ran."""
        pids = [(path, self.process(path)) for path in self.folder.glob("server*")]
        pids = [(path, pid) for path, pid in pids if pid]
        for _, pid in pids:
            os.kill(pid, signal.SIGTERM)
        end = time.monotonic() + START_SECONDS
        for path, pid in pids:
            while self.process(path) and time.monotonic() < end:
                time.sleep(0.05)
            if self.process(path):
                raise Failure(f"process {pid} did not end; see {path}/error.log")
        return len(pids)
