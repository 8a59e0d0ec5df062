"""What a row costs in a database of all connections, compared with a database of a tenth of them.

SIZE=large has ten million connections. Both databases are in the same cluster and are measured in turns. What is compared is
PostgreSQL's processor time, which includes fetching pages that its buffers do not hold.
"""

import contextlib
import datetime
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import population
from benchmarks import deliver
from checking_in import CheckIns
from generation import Generation
from journal import WARM_UP_SECONDS
from process import peak_mebibytes
from provider import Provider, provider
from reading import Reading
from result import at_most, report
from rounds import in_turns
from size import Size
from stage import Stage

MOST_ROUNDS = 3
DATE = datetime.date(2040, 1, 10)
TENTH = 10
CLIENTS = 4
DEPTH = 5
CHECK_INS_PER_SECOND = 2500
"""More than two processors do, so that senders never run out."""
MESSAGES_OF = 50
"""A message is queued for one in this many connections."""

SIZES = """
select parent.relname, sum(pg_total_relation_size(part.relid)) as bytes,
  sum(pg_indexes_size(part.relid)) as indexes
from pg_class as parent
join pg_namespace as schema on schema.oid = parent.relnamespace and schema.nspname = 'kith'
cross join lateral (
  select tree.relid::oid from pg_partition_tree(parent.oid) as tree where parent.relkind = 'p' and tree.isleaf
  union all
  select parent.oid where parent.relkind = 'r'
) as part
where parent.relkind in ('p', 'r') and not parent.relispartition
group by parent.relname
having sum(pg_total_relation_size(part.relid)) > 16 << 20
order by bytes desc
"""


def rounds(size: Size) -> int:
    """The measurements of each side; of check-ins, each takes its share of the senders."""
    return min(MOST_ROUNDS, size.rounds)


class ScatteredCheckIns(CheckIns):
    """Check-ins of senders from all over the population, whose rows share no pages."""

    def callers(self, numbers: range) -> list[tuple[int, str, str]]:
        with self._stage.cluster.connect(self._database) as session:
            # 7919 is a prime that divides no size.
            return session.execute(
                "select sender.tenant_id, sender.user_id::text, '' from generate_series(%s::bigint, %s::bigint) as k"
                " cross join load.sizes as size join load.senders as sender on sender.n = k * 7919 %% size.senders",
                (numbers[0], numbers[-1]),
            ).fetchall()


@dataclass
class Town:
    """A database with a population of one size."""

    stage: Stage
    size: Size
    database: str
    begun: int = 0
    """The senders who have checked in."""
    wal: list[float] = None
    worker_memory: float = 0

    @staticmethod
    @contextlib.contextmanager
    def of(stage: Stage, name: str, connections: int) -> Iterator["Town"]:
        """A town of so many connections, in the proportions of the stage's size."""
        size = replace(stage.size, connections=connections, senders=stage.size.senders * connections // stage.size.connections)
        stage.cluster.create(name, "template0")
        try:
            stage.kith.migrate(stage.cluster.url(name))
            population.fill(stage.cluster, name, size, size.tenants)
            yield Town(stage, size, name, wal=[])
        finally:
            stage.cluster.drop(name)

    def generate(self) -> float:
        """Microseconds of a ping made by the worker's procedure."""
        generation = Generation(self.stage.cluster, self.database)
        generation.make_room(DATE)
        generation.clear(DATE)
        now = generation.plan(DATE)
        with self._timed(lambda: self.size.connections) as cost:
            generation.work(now)
        return cost[0]

    def check_in(self) -> float:
        """Microseconds of a check-in by pgbench."""
        seconds = WARM_UP_SECONDS + self.stage.size.round_seconds
        count = min(CHECK_INS_PER_SECOND * seconds, self.size.senders // rounds(self.size))
        check_ins = ScatteredCheckIns(self.stage, self.database, range(self.begun, self.begun + count))
        self.begun += count
        with self.stage.cluster.connect(self.database) as session:
            session.execute("drop table if exists load.batches")
            session.execute("checkpoint")
            wal, done = self._written(session)
            with self._timed(lambda: self._written(session)[1] - done) as cost:
                check_ins.by_pgbench(CLIENTS)
            more_wal, more_done = self._written(session)
        self.wal.append((more_wal - wal) / (more_done - done))
        return cost[0]

    def read_dashboards(self, reading: Reading) -> float:
        """Microseconds of a dashboard by pgbench."""
        rate = 0.0
        with self._timed(lambda: rate * (WARM_UP_SECONDS + self.stage.size.round_seconds)) as cost:
            rate = reading.by_pgbench(CLIENTS, DEPTH)
        return cost[0]

    def deliver(self, sink: Provider) -> float:
        """Microseconds of a message queued, claimed and recorded as sent, with the worker's idle time."""
        sink.serve(self.stage, self.database, deliver.TENANTS)
        messages = self.size.connections // MESSAGES_OF
        with self._timed(lambda: messages) as cost:
            deliver.by_worker(self.stage, self.database, sink, messages, self._note_memory)
        return cost[0]

    def sizes(self) -> list[tuple[str, int, int]]:
        """The tables of more than 16 MiB, the largest first: name, bytes in all, bytes of indexes."""
        with self.stage.cluster.connect(self.database) as session:
            return [(name, int(all), int(indexes)) for name, all, indexes in session.execute(SIZES).fetchall()]

    def bytes_a_ping(self) -> float:
        """The bytes of a ping with its indexes."""
        with self.stage.cluster.connect(self.database) as session:
            (size,) = session.execute(
                "select sum(pg_total_relation_size(relid))::float / (select count(*) from kith.pings)"
                " from pg_partition_tree('kith.pings')"
            ).fetchone()
        return size

    @contextlib.contextmanager
    def _timed(self, count: Callable[[], float]) -> Iterator[list[float]]:
        """Gives, after the block, PostgreSQL's microseconds for each of what `count` counts."""
        cost: list[float] = []
        before = self.stage.cluster.processor_seconds
        yield cost
        seconds = self.stage.cluster.processor_seconds - before
        cost.append(seconds / count() * 1e6)

    def _note_memory(self, worker: int) -> None:
        self.worker_memory = peak_mebibytes(worker)

    @staticmethod
    def _written(session) -> tuple[int, int]:
        return session.execute(
            "select (pg_current_wal_insert_lsn() - '0/0')::bigint, (select count(*) from kith.check_ins)"
        ).fetchone()


def run(stage: Stage) -> None:
    connections = stage.size.connections
    with (
        Town.of(stage, "city", connections) as city,
        Town.of(stage, "village", connections // TENTH) as village,
        provider(stage) as sink,
    ):
        towns = (city, village)
        against = f"{connections} connections against {connections // TENTH}"
        report(
            "scale-generate", *in_turns(rounds(stage.size), *(town.generate for town in towns)),
            f"microseconds of a ping made by the worker's procedure, {against}", at_most(1.1),
        )
        for town in towns:
            Generation(stage.cluster, town.database).clear(DATE)
            population.wake(stage.cluster, town.database)
        report("scale-bytes", *([town.bytes_a_ping()] for town in towns), f"bytes of a ping with its indexes, {against}")
        report(
            "scale-check-in", *in_turns(rounds(stage.size), *(town.check_in for town in towns)),
            f"microseconds of a check-in by pgbench, of senders from everywhere, {against}", at_most(1.1),
        )
        report("scale-wal", city.wal, village.wal, f"bytes of WAL a check-in, soon after a checkpoint, {against}")
        readings = [Reading.dashboards(stage, town.database) for town in towns]
        report(
            "scale-dashboard",
            *in_turns(rounds(stage.size), *(partial(town.read_dashboards, reading) for town, reading in zip(towns, readings))),
            f"microseconds of a dashboard by pgbench, {against}", at_most(1.1),
        )
        report(
            "scale-deliver", *in_turns(1, *(partial(town.deliver, sink) for town in towns)),
            f"microseconds of a message queued, claimed and sent, one for {MESSAGES_OF} connections, {against}", at_most(1.1),
        )
        report(
            "scale-memory", [city.worker_memory], [village.worker_memory], f"MiB of that worker at its peak, {against}",
            at_most(1.1),
        )
        for name, size, indexes in city.sizes():
            print(f"# scale: {name} has {size / 2**20:.0f} MiB, {indexes / 2**20:.0f} of them indexes", flush=True)
