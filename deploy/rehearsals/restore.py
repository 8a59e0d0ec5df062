"""Back-ups under load, a disaster, and a restore: to the archive's end, and to an instant."""

import argparse
import time
from pathlib import Path

import psycopg
import tokens
from kith import Server
from postgres import Cluster
from rehearsals import check_ins, installation
from rehearsals.backups import Backups, lose_data
from rehearsals.check_ins import CheckIns
from rehearsals.installation import DATABASE, Installation
from rehearsals.journal import Journal
from rehearsals.report import Report
from rehearsals.wal_clock import WALClock

ARCHIVE_TIMEOUT_SECONDS = 60
"""As deploy/README.md has it."""
SERVED_SECONDS = 65
"""How long the worker sends before the second disaster."""


def rehearse(options: argparse.Namespace, report: Report) -> None:
    """Runs the rehearsal."""
    with installation.scratch() as folder:
        backups = Backups(folder / "backups")
        cluster = Cluster(folder / "postgres", archive_timeout=f"{ARCHIVE_TIMEOUT_SECONDS}s", max_wal_size="1GB", **backups.settings)
        backups.prepare(cluster)
        with cluster:
            _Rehearsal(options, report, folder, cluster, backups).run()


class _Rehearsal:
    def __init__(self, options: argparse.Namespace, report: Report, folder: Path, cluster: Cluster, backups: Backups):
        self._options = options
        self._report = report
        self._folder = folder
        self._cluster = cluster
        self._backups = backups
        self._kith = Installation(folder, cluster)

    def run(self) -> None:
        self._report.step("an installation with 20,000 senders")
        self._kith.create()
        self._backups.create(self._cluster)
        self._to_the_end()
        self._to_an_instant()

    def _to_the_end(self) -> None:
        self._report.step(f"check-ins by {self._options.clients} clients, a full and an incremental back-up meanwhile")
        with WALClock(self._cluster) as clock, self._kith.serving() as server, self._load(server) as load:
            load.await_acts()
            for kind in ("full", "incr"):
                before = time.time()
                self._backups.back_up(self._cluster, kind)
                self._report.figure(f"{kind} back-up under load", time.time() - before, "s")
            time.sleep(self._options.seconds)
            disaster = self._lose_data()
        journal = load.journal()
        self._figures("before the first disaster", journal.between(0, disaster))
        archived = clock.when(self._backups.archived_until(self._cluster))
        self._report.figure("from the last archived segment to the disaster", disaster - archived, "s")
        self._restore("to the archive's end")
        with self._cluster.connect(DATABASE) as database:
            found = journal.reconcile(database)
        lost = sorted(act.ended for act in found.lost)
        self._report.figure("acknowledged check-ins lost that were in the archive", sum(at <= archived for at in lost))
        self._report.figure("acknowledged check-ins lost after the last archived segment", sum(at > archived for at in lost))
        self._report.figure("seconds of acknowledged check-ins lost", disaster - lost[0] if lost else 0, "s")
        self._report.promise("nothing that was acknowledged before the archive's last segment is lost", not any(at <= archived for at in lost))
        self._report.promise(
            "nothing is lost that was acknowledged more than archive_timeout and a segment's transfer before the disaster",
            not lost or disaster - lost[0] <= ARCHIVE_TIMEOUT_SECONDS + 10,
        )

    def _to_an_instant(self) -> None:
        self._report.step("check-ins on the restored database, and an incremental back-up; an instant; then a worker tells of them")
        self._kith.add_devices()
        messages = self._folder / "messages"
        with self._kith.serving() as server:
            with self._load(server) as load:
                load.await_acts()
                self._backups.back_up(self._cluster, "incr")
                time.sleep(self._options.seconds)
                instant = time.time()
                time.sleep(SERVED_SECONDS / 10)
            with self._kith.working(messages):
                # A confirmation takes messages of the last minute for unsent, so this part is longer than a minute.
                time.sleep(SERVED_SECONDS)
                with self._cluster.connect("postgres") as session:
                    session.execute("select pg_switch_wal()")
                time.sleep(3)
                disaster = self._lose_data()
        journal = load.journal()
        self._figures("before the second disaster", journal)
        self._restore("to an instant", instant)
        with self._cluster.connect(DATABASE) as database:
            before = Journal(act for act in journal.acts if act.ended <= instant).reconcile(database)
            after = Journal(act for act in journal.acts if act.began > instant)
            there = after.reconcile(database)
        self._report.figure("check-ins acknowledged before the instant and lost", len(before.lost))
        self._report.figure("check-ins begun after the instant and restored", len(after.acknowledged) - len(there.lost))
        self._report.promise("everything that was acknowledged before the instant is there", not before.lost)
        self._report.promise("nothing that began after the instant is there", len(there.lost) == len(after.acknowledged) > 0)
        self._come_back(messages, disaster)

    def _come_back(self, messages: Path, disaster: float) -> None:
        self._report.step("Kith comes back; its heartbeats are set back by 10 minutes, as if the restore had taken so long")
        self._cluster.execute(DATABASE, "update kith.heartbeats set beat_at = beat_at - interval '10 minutes'")
        told = _count(messages)
        self._report.figure("messages sent in the lost time", told)
        url = self._cluster.url(DATABASE)
        for what, key in (("another master key", "ab" * 32), ("no master key", None)):
            found = [line for line in self._kith.kith.doctor(url, key).splitlines() if line.startswith("WRONG") and "master" in line.lower()]
            self._report.promise(f"kith doctor notices {what}", bool(found))
            for line in found:
                self._report.step(f"kith doctor with {what}: {line}")
        with self._kith.serving(), self._kith.working(messages):
            time.sleep(self._options.seconds)
            self._report.promise("nobody is told anything until an operator confirms the restore", _count(messages) == told)
            said = [line for line in self._kith.kith.doctor(url, tokens.MASTER_KEY.hex()).splitlines() if "restored to" in line]
            self._report.promise("kith doctor says that the database was restored", bool(said))
            with self._cluster.connect(DATABASE) as database:
                done = database.execute(
                    "select to_jsonb(done) from admin.confirm_restore(to_timestamp(%s), false, 'rehearsal') as done", (disaster,),
                ).fetchone()[0]
            for name, value in done.items():
                self._report.figure(f"confirm_restore: {name}", value)
            time.sleep(self._options.seconds)
        self._report.figure("of them sent again after the restore", _count(messages) - told)
        self._report.promise("nobody is told twice of what was told", _count(messages) == told > 0)
        with self._kith.serving() as server, self._load(server) as load:
            load.await_acts()
            time.sleep(3)
        self._figures("after the restore", load.journal())
        self._report.promise("the restored installation serves", bool(load.journal().acknowledged) and not load.journal().failed)

    def _load(self, server: Server) -> CheckIns:
        with self._cluster.connect(DATABASE) as database:
            return CheckIns(self._folder, check_ins.callers(database), [server.url], self._options.clients)

    def _lose_data(self) -> float:
        disaster = time.time()
        lose_data(self._cluster)
        self._report.step("disaster: PostgreSQL is killed, and its data directory is gone")
        return disaster

    def _restore(self, target: str, until: float | None = None) -> None:
        before = time.time()
        self._backups.restore(self._cluster, until)
        self._cluster.start()
        while self._is_recovering():
            time.sleep(0.1)
        self._report.figure(f"restore {target}", time.time() - before, "s")

    def _is_recovering(self) -> bool:
        try:
            with self._cluster.connect("postgres") as session:
                return session.execute("select pg_is_in_recovery()").fetchone()[0]
        except psycopg.OperationalError:
            return True

    def _figures(self, when: str, journal: Journal) -> None:
        self._report.figure(f"check-ins acknowledged {when}", len(journal.acknowledged))
        self._report.figure(f"check-ins refused or unanswered {when}", len(journal.failed))
        self._report.figure(f"check-ins a second {when}", journal.rate, "1/s")
        self._report.figure(f"longest pause {when}", journal.longest_pause, "s")


def _count(messages: Path) -> int:
    return len(messages.read_text().splitlines())
