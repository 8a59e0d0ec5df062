"""Counting the missed days of the owners who have missed a day, compared with generating the pings of that day."""

import datetime
import time
from pathlib import Path

from generation import Generation
from result import at_most, report
from rounds import in_turns
from stage import Stage

DATE = datetime.date(2040, 1, 31)
NEXT = datetime.date(2040, 3, 1)
MISSED = 50
"""How many of a thousand owners missed the day: far more than on any real one."""
BATCH = 1000
"""The same as in Sources/Worker/WorkerLoop.swift."""
SCRIPT = Path(__file__).parents[1] / "silence.sql"

MISSES = """
update kith.signs_of_life as life
set recount_at = %(now)s
from load.senders as sender
where sender.n * 7919::bigint %% 1000 < %(missed)s
  and life.tenant_id = sender.tenant_id and life.user_id = sender.user_id
"""


def run(stage: Stage) -> None:
    now = datetime.datetime(2040, 2, 1, 12, tzinfo=datetime.timezone.utc)
    with stage.people() as database:
        generation = Generation(stage.cluster, database)
        generation.make_room(DATE)
        generation.make_room(NEXT)
        for n in range(stage.size.history_days, 0, -1):
            generation.by_statement(DATE - datetime.timedelta(n), "completed")
        with stage.cluster.connect(database) as session:
            session.execute("set session_replication_role = replica")
            for name, value in {"date": DATE, "missed": MISSED}.items():
                session.execute("select set_config(%s, %s, false)", (f"load.{name}", str(value)))
            session.execute(SCRIPT.read_text())
            session.execute(
                "vacuum analyze kith.pings, kith.nominees, kith.emergency_settings, kith.signs_of_life, kith.sender_profiles"
            )

        def count() -> float:
            with stage.cluster.connect(database) as session:
                missed = session.execute(MISSES, {"now": now, "missed": MISSED}).rowcount
            with stage.cluster.connect(database, "kith_worker") as worker:
                worker.execute("set search_path = ''")
                worker.prepare_threshold = 0
                began, counted = time.monotonic(), 0
                while done := worker.execute(
                    "select worker.begin_emergency_waits(%s, %s::integer)", (now, BATCH)
                ).fetchone()[0]:
                    counted += done
                seconds = time.monotonic() - began
            with stage.cluster.connect(database) as session:
                (waits,) = session.execute("select count(*) from kith.emergency_requests").fetchone()
            if counted != missed or waits:
                raise RuntimeError(f"{counted} owners of {missed} were counted, and {waits} waits began")
            return seconds

        def generate() -> float:
            generation.clear(NEXT)
            return stage.size.connections / generation.by_worker(NEXT)

        ours, peer = in_turns(3, count, generate)
    report(
        "silence", ours, peer,
        f"seconds to count the missed days of {MISSED / 10:g} % of {stage.size.senders} owners with"
        f" {stage.size.history_days} days of history, against generating their pings of a day",
        at_most(0.2),
    )
