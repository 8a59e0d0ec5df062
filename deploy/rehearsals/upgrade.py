"""A new release replaces the previous one while check-ins arrive at full rate, and back again. What people saw before, they see after."""

import argparse
import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

from kith import Kith
from postgres import Cluster
from process import free_port
from rehearsals import check_ins, installation, releases, sights
from rehearsals.check_ins import CheckIns
from rehearsals.installation import DATABASE, Installation
from rehearsals.journal import Journal
from rehearsals.lock_waits import SETTINGS, LockWaits
from rehearsals.proxy import proxying
from rehearsals.report import Report
from rehearsals.sights import Sights

SERVERS = 2
TENANT = 10
"""The tenant whose people have a past. None of them checks in meanwhile, so that what they see stays the same."""


def rehearse(options: argparse.Namespace, report: Report) -> None:
    """Runs the rehearsal."""
    previous, new = options.kith, options.kith
    if options.next:
        new = releases.build_next()
    else:
        previous = options.from_binary or releases.build(options.from_commit)
    with installation.scratch() as folder, Cluster(folder / "postgres", max_wal_size="1GB", **SETTINGS) as cluster:
        _Rehearsal(options, report, folder, cluster, Kith(folder, previous.resolve()), Kith(folder, new.resolve())).run()


class _Rehearsal:
    def __init__(self, options: argparse.Namespace, report: Report, folder: Path, cluster: Cluster, previous: Kith, new: Kith):
        self._options = options
        self._report = report
        self._folder = folder
        self._cluster = cluster
        self._previous = previous
        self._new = new
        self._ports = [free_port() for _ in range(SERVERS)]
        self._sights: list[Sights] = []

    def run(self) -> None:
        self._report.figure("previous release", self._previous.command("", "--version").strip())
        self._report.figure("new release", self._new.command("", "--version").strip())
        self._report.step("an installation of the previous release with 20,000 senders, two servers and a worker behind HAProxy")
        Installation(self._folder, self._cluster, self._previous).create()
        sights.fill(self._cluster, DATABASE, TENANT)
        with contextlib.ExitStack() as stack:
            processes = [stack.enter_context(_Replaceable(self._serving, port)) for port in self._ports]
            processes.append(stack.enter_context(_Replaceable(self._working)))
            for process in processes:
                process.run(self._previous)
            url = stack.enter_context(proxying(self._folder, self._ports))
            waits = stack.enter_context(LockWaits(self._cluster))
            with self._cluster.connect(DATABASE) as database:
                people = sights.readers(database, TENANT)
                self._look(url, people)
                load = stack.enter_context(CheckIns(self._folder, check_ins.callers(database), [url], self._options.clients))
            load.await_acts()
            spans = list(self._upgrade(processes, url, people))
            load.__exit__()
            self._show(load.journal(), spans, waits)
            self._look(url, people)
            self._show_sights()
            self._show_story(url, people)

    def _upgrade(self, processes: list["_Replaceable"], url: str, people: list[str]) -> Iterator[tuple[str, float, float]]:
        """Goes through the steps; yields each one's name, beginning and end."""
        yield self._step("with the previous release", self._wait)
        yield self._step("while the new release migrates", lambda: self._new.migrate(self._cluster.url(DATABASE)))
        yield self._step("with the previous release on the new schema", self._wait)
        yield self._step("while the new release replaces it", lambda: self._replace(processes, self._new))
        yield self._step("with the new release", self._wait)
        yield self._step("while people look at all that they had before", lambda: self._look(url, people))
        yield self._step("while the previous release comes back", lambda: self._replace(processes, self._previous))
        yield self._step("with the previous release again", self._wait)

    def _step(self, name: str, act) -> tuple[str, float, float]:
        self._report.step(f"check-ins {name}")
        began = time.time()
        act()
        return name, began, time.time()

    def _wait(self) -> None:
        time.sleep(self._options.seconds)

    def _look(self, url: str, people: list[str]) -> None:
        self._sights.append(Sights(url, TENANT, people))

    def _replace(self, processes: list["_Replaceable"], kith: Kith) -> None:
        for process in processes:
            process.run(kith)
            # The proxy asks every 2 seconds whether a server is ready.
            time.sleep(3)

    def _show(self, journal: Journal, spans: list[tuple[str, float, float]], waits: LockWaits) -> None:
        for name, began, ended in spans:
            part = journal.between(began, ended)
            self._report.figure(f"check-ins a second {name}", len(part.acknowledged) / (ended - began), "1/s")
            self._report.figure(f"check-ins failed {name}", len(part.failed))
            self._report.figure(f"longest pause {name}", part.longest_pause, "s")
        statuses = {status: sum(act.status == status for act in journal.failed) for status in {act.status for act in journal.failed}}
        self._report.figure("check-ins acknowledged", len(journal.acknowledged))
        self._report.figure("check-ins failed, by status (0 is no answer)", str(statuses))
        self._report.figure("longest wait for a lock", waits.longest, "s")
        if waits.longest > 0.2:
            self._report.step(f"it was this statement's: {waits.longest_of}")
        with self._cluster.connect(DATABASE) as database:
            found = journal.reconcile(database)
        self._report.promise("no request fails", not journal.failed)
        self._report.promise("no acknowledged check-in is lost", not found.lost)
        self._report.promise("nobody is told twice", found.doubled == 0)
        self._report.promise("no lock is waited for longer than 1 s", waits.longest < 1 and not waits.logged)

    def _show_sights(self) -> None:
        before, *later = self._sights
        self._report.figure("answers that people compare", len(before.answers))
        for release, sight in zip(("new", "previous"), later, strict=True):
            lost = list(before.lost(sight))
            for line in lost[:20]:
                self._report.step(f"with the {release} release: {line}")
            self._report.promise(f"people see with the {release} release what they saw before", not lost)

    def _show_story(self, url: str, people: list[str]) -> None:
        """Somebody of before the upgrade checks in after it, and whoever is told reads words."""
        told = sights.check_in(url, TENANT, people)
        for title, body in told:
            self._report.step(f"the receiver reads: {title}: {body}")
        self._report.promise("a check-in after the upgrade reaches its receivers in words", bool(told) and all(title and body for title, body in told))

    @contextlib.contextmanager
    def _serving(self, kith: Kith, port: int) -> Iterator[None]:
        with kith.serve(self._cluster.url(DATABASE, "kith_api"), port=port, trusted_proxies="127.0.0.1/32"):
            yield

    @contextlib.contextmanager
    def _working(self, kith: Kith) -> Iterator[None]:
        with kith.work_into(self._cluster.url(DATABASE, "kith_worker"), self._folder / "messages"):
            yield


class _Replaceable(contextlib.AbstractContextManager):
    """A process that can be replaced by that of another release: the earlier one ends first."""

    def __init__(self, running, *arguments: object):
        self._running = running
        self._arguments = arguments
        self._stack = contextlib.ExitStack()

    def run(self, kith: Kith) -> None:
        """Ends what runs, and runs this release."""
        self._stack.close()
        self._stack.enter_context(self._running(kith, *self._arguments))

    def __exit__(self, *error: object) -> None:
        self._stack.close()
