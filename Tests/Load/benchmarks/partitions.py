"""Reads and check-ins in a database with 36 partitions of each table by month, compared with a new one, which has 5."""

from collections.abc import Callable

import wrk
from checking_in import CheckIns
from process import processor_seconds
from reading import Reading
from result import at_most, report
from rounds import in_turns
from stage import Stage

READERS = 64
SENDERS = 32
EARLIER = 31

# A new database has the default partition, the month before, this month and the two after it.
AGE = """
select internal.make_partition(
  name, to_char(month, 'YYYY_MM'),
  case name when 'pings' then month::date::text else internal.first_uuid7(month at time zone 'UTC')::text end,
  case name when 'pings' then next::date::text else internal.first_uuid7(next at time zone 'UTC')::text end
)
from unnest(array['pings', 'notifications', 'deliveries', 'audit', 'history']) as name
cross join generate_series(2, %s + 1) as ago
cross join lateral (select date_trunc('month', now() at time zone 'UTC') - ago * interval '1 month' as month) as first
cross join lateral (select month + interval '1 month' as next) as last
"""


def run(stage: Stage) -> None:
    old, new = in_turns(stage.size.rounds, lambda: _costs(stage, is_old=True), lambda: _costs(stage, is_old=False))
    for nth, what in enumerate(("read", "check-in")):
        report(
            f"partitions-{what}", [costs[nth] for costs in old], [costs[nth] for costs in new],
            f"microseconds of PostgreSQL's processor time for a {what}, {EARLIER} earlier months of partitions against none",
            at_most(1.05),
        )


def _costs(stage: Stage, is_old: bool) -> tuple[float, float]:
    """The processor time of a read and of a check-in, in microseconds."""
    with stage.morning() as database:
        with stage.cluster.connect(database) as session:
            if is_old:
                session.execute(AGE, (EARLIER,))
            session.execute("checkpoint")
        with stage.serving(database) as server:
            reading = Reading.connections(stage, database)
            reading.warm_up(server.url, READERS)
            read = _cost(stage, lambda: reading.over_http(server.url, READERS))
            check_ins = CheckIns(stage, database)
            check_ins.introduce(server.url, SENDERS)
            check_ins.warm_up(server.url, SENDERS)
            return read, _cost(stage, lambda: check_ins.over_http(server.url, SENDERS))


def _cost(stage: Stage, load: Callable[[], wrk.Outcome]) -> float:
    backends = stage.cluster.backends("kith serve")
    before = processor_seconds(backends)
    requests = load().requests
    return (processor_seconds(backends) - before) / requests * 1e6
