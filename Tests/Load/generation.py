"""Generating the pings of a day, by the worker's procedure and by one raw statement."""

import contextlib
import datetime
import time
from concurrent import futures

import psycopg

from postgres import Cluster

BATCH = 1000
"""The same as in Sources/Worker/WorkerLoop.swift."""

RAW = """
insert into kith.pings (
  tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, remind_at, deadline_at,
  completed_at
)
select connection.tenant_id, %(date)s, connection.id, gen_random_uuid(), connection.sender_id, connection.receiver_id,
  %(status)s, planned.at, planned.at + make_interval(mins => profile.grace_minutes - profile.reminder_minutes),
  planned.at + make_interval(mins => profile.grace_minutes), case when %(status)s = 'completed' then planned.at end
from kith.sender_profiles as profile
cross join lateral (select (%(date)s + profile.ping_time) at time zone profile.time_zone as at offset 0) as planned
join kith.connections as connection
  on connection.tenant_id = profile.tenant_id and connection.sender_id = profile.user_id
order by connection.tenant_id, connection.id
"""
"""The fastest statement found: without the order, which is the primary key's, it takes half as long again."""

RUNS = """
insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at)
select distinct tenant_id, time_zone, %(date)s::date, %(date)s::timestamp at time zone time_zone
from kith.sender_profiles
"""

WORK = """
select sum(created)::bigint, (select count(*) from kith.connections), count(*) filter (where finished_at is null)
from kith.ping_runs where starts_at <= %(now)s
"""


class Generation:
    """Generates pings in one database."""

    def __init__(self, cluster: Cluster, database: str):
        self._cluster = cluster
        self._database = database

    def make_room(self, date: datetime.date) -> None:
        """Creates the partitions around a date, and lets the worker believe that it is that date."""
        with self._cluster.connect(self._database) as session:
            session.execute("create table if not exists internal.development (made_at timestamptz not null)")
            session.execute("select internal.make_partitions(%s::date::timestamp, 100)", (date,))

    def by_worker(self, date: datetime.date, workers: int = 1) -> float:
        """Pings per second made by the worker's procedure in that many concurrent sessions."""
        return self.work(self.plan(date), workers)

    def plan(self, date: datetime.date) -> datetime.datetime:
        """Creates the runs of a date; the instant from which all of them are due."""
        with self._cluster.connect(self._database) as session:
            session.execute("truncate kith.ping_runs")
            session.execute(RUNS, {"date": date})
            session.execute("vacuum analyze kith.ping_runs")
            session.execute("checkpoint")
            (now,) = session.execute("select max(starts_at) from kith.ping_runs").fetchone()
            return now

    def work(self, now: datetime.datetime, workers: int = 1, yields: bool = False) -> float:
        """Calls the procedure repeatedly until all runs are done; pings per second.

        With `yields`, rests after each batch for twice as long as the batch took, as `kith worker` does.
        """
        with contextlib.ExitStack() as exits:
            sessions = [exits.enter_context(self._as_worker()) for _ in range(workers)]
            threads = exits.enter_context(futures.ThreadPoolExecutor(workers))
            began = time.monotonic()
            for _ in threads.map(lambda session: _work(session, now, yields), sessions):
                pass
            seconds = time.monotonic() - began
        with self._cluster.connect(self._database) as session:
            made, wanted, left = session.execute(WORK, {"now": now}).fetchone()
        if made != wanted or left:
            raise RuntimeError(f"{made} pings were made of {wanted}, and {left} runs are left")
        return made / seconds

    def by_statement(self, date: datetime.date, status: str = "scheduled") -> float:
        """Pings per second made by one raw statement of a superuser, without policies and without recording runs."""
        with self._cluster.connect(self._database) as session:
            session.execute("checkpoint")
            session.execute("set work_mem = '512MB'")
            began = time.monotonic()
            made = session.execute(RAW, {"date": date, "status": status}).rowcount
            return made / (time.monotonic() - began)

    def clear(self, date: datetime.date) -> None:
        """Empties the partition of a date's month."""
        self._cluster.execute(self._database, f"truncate kith.pings_{date:%Y_%m}")

    def _as_worker(self) -> psycopg.Connection:
        session = self._cluster.connect(self._database, "kith_worker")
        session.execute("set search_path = ''")
        # Prepare at once, and under a single name.
        session.prepare_threshold = 0
        return session


def _work(session: psycopg.Connection, now: datetime.datetime, yields: bool) -> None:
    while True:
        began = time.monotonic()
        (done,) = session.execute("select worker.generate_daily_pings(%s, %s::integer)", (now, BATCH)).fetchone()
        if done:
            if yields:
                time.sleep(2 * (time.monotonic() - began))
            continue
        # The other session may be working on the last runs.
        unfinished = "select from kith.ping_runs where finished_at is null and starts_at <= %s"
        if not session.execute(unfinished, (now,)).fetchone():
            return
        time.sleep(0.01)
