"""The views and the overview that operators read, in an installation of 3,000 tenants: each under 300 ms, or it says that it samples."""

import time
from dataclasses import dataclass, replace
from pathlib import Path

import psycopg

import population
from result import at_most, report
from stage import Stage

TENANTS = 3000
MOST = 300
"""Milliseconds."""
ROWS = 1000
"""What an operator looks at: the first rows of a view, more than anybody reads. A view that counts or sorts must read everything for them."""
READS = 3
"""The first one is not counted: the pages come from the disk, and the session makes its plan."""
GIVEN_UP = 20_000
"""Milliseconds after which a read ends. It counts as so long."""

VIEWS = """
select relname, coalesce(obj_description(oid), '') ~* 'sampl' from pg_class
where relnamespace = 'admin'::regnamespace and relkind = 'v' order by 1
"""
CALLS = {
    "overview": "select admin.overview()",
    "busiest": "select * from admin.busiest(now() - interval '1 hour')",
    "find_user": "select * from admin.find_user('tenant-11', '+4915000000010')",
}


@dataclass(frozen=True)
class Reading:
    """What one view takes."""

    name: str
    milliseconds: float
    rows: int
    samples: bool
    """Whether its comment says that it samples."""


def run(stage: Stage) -> None:
    senders = stage.size.senders // TENANTS * TENANTS
    size = replace(stage.size, senders=senders, connections=senders * (stage.size.connections // stage.size.senders))
    database = "admin"
    stage.cluster.create(database, "template0")
    try:
        stage.kith.migrate(stage.cluster.url(database))
        population.fill(stage.cluster, database, size, TENANTS)
        population.wake(stage.cluster, database)
        _leave(stage, database)
        with stage.cluster.connect(database) as session:
            views = session.execute(VIEWS).fetchall()
            session.execute("set role kith_admin")
            session.execute(f"set statement_timeout = {GIVEN_UP}")
            readings = [_read(session, name, f"select * from admin.{name} limit {ROWS}", samples) for name, samples in views]
            readings += [_read(session, f"{name}()", statement, False) for name, statement in CALLS.items()]
    finally:
        stage.cluster.drop(database)
    for reading in sorted(readings, key=lambda reading: -reading.milliseconds):
        print(f"# admin: {reading.name} {reading.milliseconds:.1f} ms, {reading.rows} rows{', samples' if reading.samples else ''}", flush=True)
    whole = [reading for reading in readings if not reading.samples]
    slowest = max(whole, key=lambda reading: reading.milliseconds)
    late = [reading.name for reading in whole if reading.milliseconds > MOST]
    report(
        "admin", [slowest.milliseconds], [MOST],
        f"milliseconds of the slowest of {len(readings)} views and functions for operators ({slowest.name}), with {TENANTS} tenants and"
        f" {size.connections} connections; longer than {MOST} ms: {', '.join(late) or 'none'}",
        at_most(1),
    )


def _leave(stage: Stage, database: str) -> None:
    """Fills the tables that operators read."""
    settings = '{"url": "https://127.0.0.1:1/", "from": "Kith"}'
    stage.kith.command(stage.cluster.url(database), "tenant", "channel", "set", "tenant-1", "sms", "-", text=settings)
    with stage.cluster.connect(database) as session:
        session.execute("set session_replication_role = replica")
        session.execute((Path(__file__).parents[1] / "admin.sql").read_text())
        session.execute("vacuum analyze")
        session.execute("checkpoint")


def _read(session: psycopg.Connection, name: str, statement: str, samples: bool) -> Reading:
    taken = []
    rows = 0
    for _ in range(READS):
        began = time.perf_counter()
        try:
            rows = len(session.execute(statement).fetchall())
        except psycopg.errors.QueryCanceled:
            return Reading(name, GIVEN_UP, rows, samples)
        taken.append(1000 * (time.perf_counter() - began))
    return Reading(name, min(taken[1:]), rows, samples)
