"""Rehearses the fail-over of the database: each fault hits the primary, or the standby that commits wait for, while everybody checks in."""

import argparse
import contextlib
import shutil
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import tokens
from kith import Kith, Server
from rehearsals import network
from rehearsals.check_ins import CheckIns, callers
from rehearsals.installation import DATABASE, Installation, scratch
from rehearsals.network import Host
from rehearsals.patroni_cluster import PASSWORDS, PatroniCluster
from rehearsals.report import Report


@dataclass(frozen=True)
class Settings:
    """Patroni's settings of a part of the rehearsal, and what they allow."""

    name: str
    dcs: dict[str, int]

    @property
    def noticed(self) -> float:
        """The limit in seconds without an acknowledged write, where Patroni notices the fault itself."""
        return self.dcs["loop_wait"] + 5

    @property
    def expired(self) -> float:
        """The same, where the primary's lock has to expire first, and a standby then waits 2 s for the primary's answer."""
        return self.dcs["ttl"] + 6


SETTINGS = [
    Settings("defaults", {"ttl": 30, "loop_wait": 10, "retry_timeout": 10, "primary_start_timeout": 300}),
    Settings("tuned", {"ttl": 4, "loop_wait": 1, "retry_timeout": 2, "primary_start_timeout": 0}),
]


@dataclass(frozen=True)
class Fault:
    """What happens to a node, and what ends it."""

    name: str
    text: str
    strike: Callable[[PatroniCluster, Host], None]
    mend: Callable[[PatroniCluster, Host], None] = lambda cluster, host: None
    is_noticed: bool = False
    """Whether Patroni on the primary notices the fault and need not wait until the lock expires."""
    target: Callable[[PatroniCluster], Host] = PatroniCluster.primary


def _kill_all(cluster: PatroniCluster, host: Host) -> None:
    host.send(signal.SIGKILL, "patroni")
    host.send(signal.SIGKILL, "postgres")


FAULTS = [
    Fault("kill", "kill -9 of PostgreSQL", lambda cluster, host: host.send(signal.SIGKILL, "postgres"), is_noticed=True),
    Fault("kill-all", "kill -9 of Patroni and PostgreSQL", _kill_all, lambda cluster, host: cluster.start_patroni(host)),
    Fault("freeze", "SIGSTOP of the whole node, longer than the lock lives", lambda cluster, host: host.send(signal.SIGSTOP),
          lambda cluster, host: host.send(signal.SIGCONT)),
    Fault("switchover", "a switchover", lambda cluster, host: cluster.switch_over(), is_noticed=True),
    Fault("partition", "the node is cut off from everybody", lambda cluster, host: host.cut_off(),
          lambda cluster, host: host.reconnect()),
    Fault("isolation", "the node is cut off from the other nodes, but not from Kith",
          lambda cluster, host: host.cut_off(*(other.address for other in cluster.hosts if other is not host)),
          lambda cluster, host: host.reconnect()),
    Fault("standby", "kill -9 of Patroni and PostgreSQL of the standby that commits wait for", _kill_all,
          lambda cluster, host: cluster.start_patroni(host), is_noticed=True, target=PatroniCluster.synchronous_standby),
]


def rehearse(options: argparse.Namespace, report: Report) -> None:
    """Runs the chosen faults with the chosen settings."""
    network.enter()
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(scratch())
        stack.enter_context(network.bridge())
        stack.callback(_keep_logs, folder, options.logs)
        report.step("three nodes with etcd, Patroni and PostgreSQL start")
        cluster = stack.enter_context(PatroniCluster(folder))
        Installation(folder, cluster).create()
        for role in ("kith_api", "kith_worker"):
            cluster.execute(DATABASE, f"alter role {role} password '{PASSWORDS[role]}'")
        servers = _start_kith(stack, folder, cluster)
        rehearsal = Rehearsal(folder, cluster, servers, options.clients, report)
        for settings in SETTINGS:
            if options.settings not in (None, settings.name):
                continue
            cluster.configure(**settings.dcs)
            # Every node reads the settings at the end of its current loop.
            time.sleep(12)
            for fault in FAULTS:
                if not options.faults or fault.name in options.faults:
                    rehearsal.run(settings, fault)
        # With every server still connected, the commands for operators find the primary as well.
        Kith(folder).command(cluster.url(DATABASE), "migrate", "--check")
        report.promise("kith migrate --check finds the primary", True)
        findings = Kith(folder).doctor(cluster.url(DATABASE), tokens.MASTER_KEY.hex())
        report.promise("kith doctor examines the primary", "ok     schema\n" in findings)


def _keep_logs(folder: Path, target: Path) -> None:
    for log in folder.glob("**/*.log"):
        kept = target / log.relative_to(folder)
        kept.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(log, kept)


def _start_kith(stack: contextlib.ExitStack, folder: Path, cluster: PatroniCluster) -> list[Server]:
    servers = []
    for number in (1, 2):
        own = folder / f"serve{number}"
        own.mkdir()
        servers.append(stack.enter_context(Kith(own).serve(cluster.url(DATABASE, "kith_api"), loops=1)))
    own = folder / "worker"
    own.mkdir()
    stack.enter_context(Kith(own).work(cluster.url(DATABASE, "kith_worker")))
    return servers


class Rehearsal:
    """Faults, one after the other, on a cluster that is healthy before each."""

    def __init__(self, folder: Path, cluster: PatroniCluster, servers: list[Server], clients: int, report: Report):
        self._folder = folder
        self._cluster = cluster
        self._urls = [server.url for server in servers]
        self._clients = clients
        self._report = report
        with cluster.connect(DATABASE) as session:
            self._callers = callers(session)

    def run(self, settings: Settings, fault: Fault) -> None:
        """Strikes, holds until a standby must have taken over, mends, waits until the cluster is whole, and reports."""
        report, cluster, name = self._report, self._cluster, f"{settings.name} {fault.name}"
        cluster.await_health()
        report.step(f"{name}: {fault.text}")
        with CheckIns(self._folder, self._callers, self._urls, self._clients) as load:
            load.await_acts()
            time.sleep(5)
            primary, target = cluster.primary(), fault.target(cluster)
            struck = time.time()
            striking = threading.Thread(target=fault.strike, args=(cluster, target))
            striking.start()
            time.sleep(settings.noticed if fault.is_noticed else settings.expired + 4)
            striking.join()
            fault.mend(cluster, target)
            cluster.await_health()
            load.await_acts()
            time.sleep(3)
            successor = cluster.primary()
        journal = load.journal()
        with cluster.connect(DATABASE) as session:
            result = journal.reconcile(session)
        after = journal.between(struck - 2, time.time())
        report.figure(f"{name}: primary", f"{primary.name}, then {successor.name}")
        report.figure(f"{name}: acknowledged check-ins", len(journal.acknowledged))
        report.figure(f"{name}: seconds without an acknowledged write", after.longest_pause)
        report.figure(f"{name}: requests that failed", len(after.failed))
        report.figure(f"{name}: done without an answer", result.unanswered_but_done)
        report.promise(f"{name}: no acknowledged write lost (lost: {len(result.lost)})", not result.lost)
        report.promise(f"{name}: no ping completed twice (doubled: {result.doubled})", result.doubled == 0)
        limit = settings.noticed if fault.is_noticed else settings.expired
        report.promise(f"{name}: writes are acknowledged again within {limit:g} s", after.longest_pause <= limit)
