"""Three hosts with etcd, Patroni and PostgreSQL, configured by deploy/patroni.yml."""

import base64
import contextlib
import json
import shutil
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import psycopg
from rehearsals.arguments import ROOT
from rehearsals.network import Host

PASSWORDS = {name: f"rehearsed-{name}" for name in ("restapi", "superuser", "replication", "rewind", "kith_api", "kith_worker")}
NODES = 3


class PatroniCluster:
    """A cluster that runs while this context is entered. It has the functions of Tests/Load's Cluster that an installation needs."""

    def __init__(self, folder: Path):
        """`folder` holds the nodes' data and logs."""
        self.hosts = [Host(folder / f"node{number}", number) for number in range(1, NODES + 1)]
        self._folder = folder
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> "PatroniCluster":
        with contextlib.ExitStack() as stack:
            # Three machines have three disks. On the one here, etcd would wait for PostgreSQL's commits.
            memory = Path(tempfile.mkdtemp(prefix="kith-rehearsal-etcd-", dir="/dev/shm"))
            stack.callback(shutil.rmtree, memory, ignore_errors=True)
            memory.chmod(0o755)
            for host in self.hosts:
                stack.enter_context(host)
            for host in self.hosts:
                self._start_etcd(host, memory / host.name)
            for host in self.hosts:
                self.start_patroni(host)
            self.await_health()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def _start_etcd(self, host: Host, data: Path) -> None:
        data.mkdir(mode=0o700)
        shutil.chown(data, "postgres", "postgres")
        host.start(
            "etcd", "--enable-v2", "--name", host.name, "--data-dir", str(data),
            "--listen-peer-urls", f"http://{host.address}:2380", "--initial-advertise-peer-urls", f"http://{host.address}:2380",
            "--listen-client-urls", f"http://{host.address}:2379", "--advertise-client-urls", f"http://{host.address}:2379",
            "--initial-cluster", ",".join(f"{other.name}=http://{other.address}:2380" for other in self.hosts),
            log=self._folder / f"{host.name}-etcd.log",
        )

    def start_patroni(self, host: Host) -> None:
        """Starts Patroni, which starts PostgreSQL. The file is the operator's; what differs comes from the environment."""
        (host.folder / "15").mkdir(exist_ok=True)
        shutil.chown(host.folder / "15", "postgres", "postgres")
        configuration = self._folder / f"{host.name}.yml"
        text = (ROOT / "deploy/patroni.yml").read_text().replace("node1", host.name)
        text = text.replace("10.0.0.11:8008", f"{host.address}:8008").replace("10.0.0.11:5432", f"{host.address}:5432")
        for name, password in PASSWORDS.items():
            text = text.replace(f"CHANGE-ME-{name}", password)
        configuration.write_text(text)
        host.start("patroni", str(configuration), log=self._folder / f"{host.name}-patroni.log")

    # MARK: The state

    def members(self) -> list[dict]:
        """The members, as the first node that answers sees them; empty if none answers."""
        for host in self.hosts:
            with contextlib.suppress(OSError, ValueError):
                return json.loads(self._call(host, "GET", "/cluster"))["members"]
        return []

    def primary(self) -> Host:
        """The node that holds the lock."""
        for member in self.members():
            if member["role"] == "leader":
                return self._host(member["name"])
        raise RuntimeError("the cluster has no primary")

    def synchronous_standby(self) -> Host:
        """The standby for which commits wait."""
        for member in self.members():
            if member["role"] == "sync_standby":
                return self._host(member["name"])
        raise RuntimeError("the cluster has no synchronous standby")

    def await_health(self, seconds: float = 120) -> None:
        """Waits until all nodes run, on one timeline, one of them as synchronous standby; raises RuntimeError if they do not."""
        _await("the cluster is not healthy", seconds, self.is_healthy, self.members)

    def is_healthy(self) -> bool:
        """Whether all nodes run, on one timeline, and a standby could take over without loss."""
        members = self.members()
        roles = sorted(member["role"] for member in members)
        return (
            roles == ["leader", "replica", "sync_standby"]
            and all(member["state"] in ("running", "streaming") for member in members)
            and len({member.get("timeline") for member in members}) == 1
        )

    # MARK: Changes

    def configure(self, **settings: object) -> None:
        """Changes the cluster's settings, as `patronictl edit-config` does."""
        self._call(self.hosts[0], "PATCH", "/config", settings)

    def switch_over(self) -> None:
        """Makes the synchronous standby the primary, in an orderly way, and returns when it is."""
        primary = self.primary()
        self._call(
            primary, "POST", "/switchover", {"leader": primary.name, "candidate": self.synchronous_standby().name}, timeout=60,
        )

    # MARK: Sessions

    def url(self, database: str, user: str = "postgres", options: str = "") -> str:
        """A libpq URL with all hosts, which finds the primary."""
        password = PASSWORDS["superuser" if user == "postgres" else user]
        hosts = ",".join(host.address for host in self.hosts)
        return f"postgresql://{user}:{quote(password)}@{hosts}/{database}?target_session_attrs=read-write" + (
            f"&options={options}" if options else ""
        )

    def connect(self, database: str, user: str = "postgres") -> psycopg.Connection:
        """An autocommitting session on the primary, which the caller closes."""
        return psycopg.connect(self.url(database, user) + "&connect_timeout=2", autocommit=True)

    def execute(self, database: str, sql: str) -> None:
        """Runs statements as superuser."""
        with self.connect(database) as session:
            session.execute(sql)

    def create(self, database: str, template: str) -> None:
        """Creates a database as a copy of another one, which must have no connections."""
        self.execute("postgres", f"create database {database} template {template} strategy file_copy")

    def _host(self, name: str) -> Host:
        return next(host for host in self.hosts if host.name == name)

    @staticmethod
    def _call(host: Host, method: str, path: str, body: object = None, timeout: float = 1) -> str:
        credentials = base64.b64encode(f"patroni:{PASSWORDS['restapi']}".encode()).decode()
        request = urllib.request.Request(
            f"http://{host.address}:8008{path}", method=method, data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Basic {credentials}", "Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=timeout) as answer:
                return answer.read().decode()
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{method} {path} of {host.name}: {error.code} {error.read().decode()}") from error


def _await(failure: str, seconds: float, condition: Callable[[], bool], state: Callable[[], object]) -> None:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise RuntimeError(f"{failure} after {seconds} s: {state()}")
        time.sleep(0.5)
