"""Measures what each act of a day costs a small real installation, and checks the model that `make scale` uses.

`costs` lets a day of pings pass with senders of one receiver each, and with senders of three: `kith worker` makes the day's pings, tells
senders that they are due, reminds them, and reports them missed; senders check in over HTTP, receivers are told and look. What each act
costs is the processor time of PostgreSQL and of Kith, and the bytes of WAL, divided by their number. The processor time of all processes is
counted by the kernel, so that other work on the machine disturbs it little.

`check` lets another population's morning pass, and compares its processor time with the sum of the costs.
"""

import argparse
import contextlib
import datetime
import json
import os
import platform
import resource
import signal
import socket
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from urllib.parse import urlsplit

import history
import psycopg
import tokens
import wrk
from call import CHECK_IN, DASHBOARD, GET, HOME, LOOK, Call, Caller
from checking_in import CheckIns
from kith import Server
from listening import Listeners
from model import FOLDER, Cost, Costs
from process import processor_seconds, resident_mebibytes
from provider import Provider, provider
from reading import Reading
from size import SIZES, Size
from stage import Stage

SENDERS = 20_000
TENANTS = 10
RECEIVERS = (1, 3)
"""How many receivers each sender has in the two populations that are measured."""
CHECK_RECEIVERS, CHECK_SENDERS, CHECK_TENANTS = 2, 12_000, 25
CONNECTIONS = 64
READERS = 300
STREAMS = 1000
EVENTS = 1000
IDLE_SECONDS = 20
DAY = datetime.datetime(2040, 1, 10, tzinfo=datetime.timezone.utc)
RETENTION = {"kith.pings": 730, "kith.check_ins": 730, "kith.notifications": 365, "kith.deliveries": 30, "kith.events": 8}
"""The days for which rows are kept by default, as deploy/README.md has them. What else grows by day is small."""

TIMES = """
update kith.sender_profiles as profile
set time_zone = 'Etc/UTC', ping_time = time '09:00' + sender.n % 10 * interval '1 minute', grace_minutes = 90, reminder_minutes = 15
from load.senders as sender
where sender.tenant_id = profile.tenant_id and sender.user_id = profile.user_id
"""
"""Everybody is asked from 09:00 to 09:09, reminded from 10:15, and missed until 10:40."""

CHANNELS = """
with telephones as (
  update kith.users as account
  set phone = '+4915' || lpad(people.n::text, 9, '0'), phone_verified_at = now()
  from (
    select tenant_id, user_id, 2 * n as n from load.senders union all select tenant_id, user_id, 2 * n + 1 from load.receivers
  ) as people
  where account.tenant_id = people.tenant_id and account.id = people.user_id
)
insert into kith.notification_preferences (tenant_id, user_id, type, channels, updated_at)
select tenant_id, user_id, type, array['sms'], now() from load.senders cross join unnest(array['ping_due', 'ping_reminder']) as type
union all
select tenant_id, user_id, type, array['sms'], now() from load.receivers cross join unnest(array['ping_completed', 'ping_missed']) as type
"""
"""Everybody is told of everything by one message each, over HTTPS as to any provider."""

RUNS = """
insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at)
select distinct tenant_id, time_zone, %(day)s::date, %(day)s::timestamptz from kith.sender_profiles
on conflict do nothing
"""

SIZES_OF_TABLES = """
select 'kith.' || parent.relname, sum(pg_total_relation_size(part.relid))
from pg_class as parent
join pg_namespace as schema on schema.oid = parent.relnamespace and schema.nspname = 'kith'
cross join lateral (
  select tree.relid::oid from pg_partition_tree(parent.oid) as tree where parent.relkind = 'p' and tree.isleaf
  union all
  select parent.oid where parent.relkind = 'r'
) as part
where parent.relkind in ('p', 'r') and not parent.relispartition
group by parent.relname
"""


class _CheckIns(CheckIns):
    """Check-ins of which each is made once, however long that takes."""

    def make(self, url: str) -> None:
        """Those of the callers who did not warm the server up."""
        wrk.once(url, self._calls, CONNECTIONS)
        self.check()

    def introduce_all(self, url: str) -> int:
        """How many callers it has introduced."""
        self.introduce(url, CONNECTIONS)
        return len(self._callers)


class Meter:
    """Counts what acts cost in one database."""

    def __init__(self, stage: Stage, database: str):
        self._stage = stage
        self.session = stage.cluster.connect(database)
        self.costs: dict[str, Cost] = {}

    def measure(self, act: str, do: Callable[[], float], process: int | None = None) -> float:
        """Notes what an act costs. `do` says how many there were. Kith is `process`, or a child that ends meanwhile."""
        self.session.execute("checkpoint")
        before = self._now(process)
        count = do()
        after = self._now(process)
        if count <= 0:
            raise RuntimeError(f"{act}: none was done")
        postgres, kith, wal = (late - early for early, late in zip(before, after))
        self.costs[act] = Cost(postgres / count * 1e6, kith / count * 1e6, wal / count)
        print(f"# {act}: {count:.0f}, {self.costs[act]}", flush=True)
        return count

    def table_sizes(self) -> dict[str, int]:
        """The bytes of each table, with its indexes."""
        return {name: int(size) for name, size in self.session.execute(SIZES_OF_TABLES).fetchall()}

    def _now(self, process: int | None) -> tuple[float, float, float]:
        # A backend counts as a process or as its ended child, but not while it is ending.
        while self.session.execute("select from pg_stat_activity where application_name like 'kith worker%'").fetchone():
            time.sleep(0.05)
        time.sleep(0.3)
        if process is None:
            usage = resource.getrusage(resource.RUSAGE_CHILDREN)
            kith = usage.ru_utime + usage.ru_stime
        else:
            kith = processor_seconds([process])
        (wal,) = self.session.execute("select (pg_current_wal_insert_lsn() - '0/0')::bigint").fetchone()
        return self._stage.cluster.processor_seconds, kith, wal


def measure_costs() -> dict:
    """All that the simulation needs."""
    acts: dict[str, dict[str, dict]] = {}
    rest: dict = {}
    for receivers in RECEIVERS:
        with Stage(_size(SENDERS, receivers, TENANTS)) as stage, provider(stage) as sink:
            costs: dict[str, Cost] = {}
            bytes_a_day: dict[str, float] = {}
            with stage.people() as database:
                costs |= _day(stage, database, sink)
            with stage.morning() as database:
                found, bytes_a_day = _morning(stage, database, sink, receivers)
                costs |= found
            if receivers == RECEIVERS[0]:
                with stage.morning() as database:
                    rest = _at_rest(stage, database)
            acts[str(receivers)] = {act: _rounded(cost) for act, cost in costs.items()}
            rest.setdefault("bytes", {})[str(receivers)] = bytes_a_day
    return {"conditions": _conditions(), "acts": acts, **rest}


def _day(stage: Stage, database: str, sink: Provider) -> dict[str, Cost]:
    """A day on which nobody checks in."""
    meter = Meter(stage, database)
    url, senders = stage.cluster.url(database, "kith_worker"), stage.size.senders

    def work(at: datetime.timedelta, loop: str, certificate: Path | None = None) -> float:
        done = stage.kith.work_once(url, certificate, (DAY + at).isoformat().replace("+00:00", "Z"))
        return done.get(loop, 0) or _fail(f"{loop} did nothing: {done}")

    _tell_by_message(stage, database, sink, meter.session)
    meter.session.execute("create table if not exists internal.development (made_at timestamptz not null)")
    meter.session.execute("select internal.make_partitions(%s, 100), worker.note_current_pings(%s)", (DAY, DAY))
    meter.session.execute("truncate kith.ping_runs")
    # The other work of the first pass belongs to no act.
    stage.kith.work_once(url, None, (DAY - datetime.timedelta(hours=1)).isoformat().replace("+00:00", "Z"))
    meter.session.execute(RUNS, {"day": DAY})
    meter.session.execute("vacuum analyze")
    minutes = lambda hours, minutes: datetime.timedelta(hours=hours, minutes=minutes)

    def generate() -> float:
        work(minutes(0, 1), "generate_daily_pings")
        return meter.session.execute("select count(*) from kith.pings where ping_on = %s", (DAY.date(),)).fetchone()[0] / stage.size.connections * senders

    def told(type: str, at: datetime.timedelta, loop: str) -> Callable[[], float]:
        def tell() -> float:
            work(at, loop)
            return meter.session.execute(
                "select count(distinct user_id) from kith.notifications where type = %s and created_at >= %s", (type, DAY),
            ).fetchone()[0]
        return tell

    meter.measure("generate", generate)
    meter.session.execute("vacuum analyze kith.pings")
    meter.measure("announce", told("ping_due", minutes(9, 10), "announce_due_pings"))
    meter.measure("message", lambda: _sent(sink, lambda: work(minutes(9, 11), "deliver_sms", sink.certificate)))
    meter.measure("remind", told("ping_reminder", minutes(10, 25), "remind_senders"))
    meter.session.execute("vacuum analyze")
    meter.measure("miss", lambda: (told("ping_missed", minutes(10, 50), "miss_pings")(), senders)[1])
    # Autovacuum is off in the harness. This is what it would do, for a day of so many senders.
    meter.measure("vacuum", lambda: (meter.session.execute("vacuum analyze"), senders)[1])
    meter.session.close()
    return meter.costs


def _morning(stage: Stage, database: str, sink: Provider, receivers: int) -> tuple[dict[str, Cost], dict[str, float]]:
    """Check-ins, what is told of them, and the calls of apps that look. Also the bytes that a check-in's day leaves in each table."""
    meter = Meter(stage, database)
    people = sum(meter.table_sizes().values()) - meter.table_sizes()["kith.pings"]
    pings = meter.table_sizes()["kith.pings"]
    _tell_by_message(stage, database, sink, meter.session)
    meter.session.execute("vacuum analyze")
    with stage.serving(database) as server:
        check_ins = _CheckIns(stage, database)
        check_ins.introduce(server.url, CONNECTIONS)
        check_ins.warm_up(server.url, CONNECTIONS)
        before = meter.table_sizes()
        done = lambda: meter.session.execute("select count(*) from kith.check_ins").fetchone()[0]
        warm = done()
        meter.measure("check-in", lambda: (check_ins.make(server.url), done() - warm)[1], server.pid)
    meter.session.execute("vacuum analyze")
    meter.measure(
        "message-of-check-in",
        lambda: _sent(sink, lambda: stage.kith.work_once(stage.cluster.url(database, "kith_worker"), sink.certificate)),
    )
    grown = {name: size - before[name] for name, size in meter.table_sizes().items() if size > before[name]}
    left = {name: size / (done() - warm) for name, size in grown.items() if name != "kith.pings"}
    left["kith.pings"] = pings / stage.size.senders
    with stage.serving(database) as server:
        for act, reading in _readings(stage, database, meter.session).items():
            reading.warm_up(server.url, CONNECTIONS)
            meter.measure(act, lambda: reading.over_http(server.url, CONNECTIONS).requests, server.pid)
        # Tokens that the server has not seen for a minute, as those of an app that was closed.
        first = _CheckIns(stage, database)
        meter.measure("first-call", lambda: first.introduce_all(server.url), server.pid)
    meter.session.close()
    kept = {name: size * RETENTION.get(name, 30) for name, size in left.items()}
    return meter.costs, {
        "person_at_rest": people / (2 * stage.size.senders), "ping_day": sum(left.values()), "kept_of_daily_pings": sum(kept.values()),
    }


def _at_rest(stage: Stage, database: str) -> dict:
    """What costs something though nobody does anything: connections, streams, the loops of servers and workers. And the bytes of calls."""
    cluster = stage.cluster
    with cluster.connect(database) as session, stage.serving(database, address_connections=0, loops=1) as server:
        people = session.execute("select tenant_id, user_id::text from load.receivers order by n limit %s", (STREAMS,)).fetchall()
        callers = {
            "check-in": (CHECK_IN, "select tenant_id, user_id::text, '' from load.senders limit 1"),
            "home": (HOME, "select tenant_id, user_id::text, '' from load.senders limit 1"),
            "dashboard": (DASHBOARD, "select tenant_id, user_id::text, 'receiver' from load.receivers limit 1"),
            "connection": (GET, "select tenant_id, receiver_id::text, id::text from kith.connections limit 1"),
        }
        network = {
            name: _exchange(server, call, Caller(*session.execute(sql).fetchone())) for name, (call, sql) in callers.items()
        }
        time.sleep(2)
        serve_idle = _idle(stage, [server.pid])
        connections = session.execute(
            "select count(*) from pg_stat_activity where application_name like 'kith serve%%'"
        ).fetchone()[0]
        memory_of_backend = _private_kibibytes(cluster.backends("kith serve"))
        before = resident_mebibytes(server.pid)
        spent = cluster.processor_seconds, processor_seconds([server.pid])
        with Listeners(server.url, [tokens.mint(*person) for person in people]) as listeners:
            opened = [late - early for early, late in zip(spent, (cluster.processor_seconds, processor_seconds([server.pid])))]
            time.sleep(2)
            stream_memory = (resident_mebibytes(server.pid) - before) * 1024 / STREAMS
            stream_idle = _idle(stage, [server.pid])
            spent = cluster.processor_seconds, processor_seconds([server.pid])
            ids = [_tell(session, tenant, user) for tenant, user in people[:EVENTS]]
            listeners.await_arrivals(ids)
            event = [late - early for early, late in zip(spent, (cluster.processor_seconds, processor_seconds([server.pid])))]
        # The notification itself costs this, and is part of what is told.
        spent = cluster.processor_seconds
        for tenant, user in people[:EVENTS]:
            _tell(session, tenant, user)
        event[0] = max(event[0] - (cluster.processor_seconds - spent), 0)
    with stage.working(database, None) as worker, cluster.connect(database) as session:
        time.sleep(10)
        worker_idle = _idle(stage, [worker])
        worker_connections = session.execute(
            "select count(*) from pg_stat_activity where application_name like 'kith worker%%'"
        ).fetchone()[0]
    return {
        "network_bytes": network,
        "connections": {
            "of_a_server_to_a_cell": connections, "of_a_worker_to_a_cell": worker_connections, "private_kib_of_a_backend": round(memory_of_backend),
        },
        "idle": {"server": _per_second(serve_idle), "streams": _per_second(stream_idle), "worker": _per_second(worker_idle)},
        "streams": {
            "kib": round(stream_memory, 1), "postgres_us_to_open": round(opened[0] / STREAMS * 1e6), "kith_us_to_open": round(opened[1] / STREAMS * 1e6),
            "postgres_us_an_event": round(event[0] / EVENTS * 1e6), "kith_us_an_event": round(event[1] / EVENTS * 1e6),
        },
    }


def check() -> dict:
    """A morning of another population: what the model predicts, and what is measured."""
    costs = Costs.read()
    with Stage(_size(CHECK_SENDERS, CHECK_RECEIVERS, CHECK_TENANTS)) as stage, provider(stage) as sink:
        with stage.people() as database:
            day = _day(stage, database, sink)
        with stage.morning() as database:
            morning, _ = _morning(stage, database, sink, CHECK_RECEIVERS)
    parts = []
    for act, cost in (day | morning).items():
        predicted = costs.of(act, CHECK_RECEIVERS)
        parts.append({
            "act": act, "predicted_us": round(predicted.postgres + predicted.kith, 1), "measured_us": round(cost.postgres + cost.kith, 1),
        })
    return {
        "conditions": _conditions(), "senders": CHECK_SENDERS, "receivers": CHECK_RECEIVERS, "tenants": CHECK_TENANTS, "parts": parts,
    }


def _readings(stage: Stage, database: str, session: psycopg.Connection) -> dict[str, Reading]:
    senders = session.execute(
        "select tenant_id, user_id::text, '' from load.senders order by hashtext(user_id::text) limit %s", (READERS,)
    ).fetchall()
    receivers = session.execute(
        "select tenant_id, user_id::text, 'receiver' from load.receivers order by hashtext(user_id::text) limit %s", (READERS,)
    ).fetchall()
    return {
        "home": Reading(stage, database, HOME, senders), "dashboard": Reading(stage, database, DASHBOARD, receivers),
        "connection": Reading.connections(stage, database), "me": Reading(stage, database, LOOK, senders),
    }


def _tell_by_message(stage: Stage, database: str, sink: Provider, session: psycopg.Connection) -> None:
    sink.serve(stage, database, stage.size.tenants)
    session.execute(TIMES)
    session.execute(CHANNELS)


def _sent(sink: Provider, work: Callable[[], object]) -> float:
    before = sink.taken
    work()
    return sink.taken - before


def _tell(session: psycopg.Connection, tenant: int, user: str) -> str:
    (id,) = session.execute("select internal.uuid7(now())::text").fetchone()
    session.execute(
        "insert into kith.notifications (tenant_id, id, user_id, type, body, data, delivery_status, created_at)"
        " values (%s, %s, %s, 'ping_completed', 'Alice checked in.', '{}', 'sent', now())", (tenant, id, user),
    )
    return id


def _idle(stage: Stage, processes: list[int]) -> tuple[float, float]:
    """Microseconds a second of PostgreSQL and of processes, while nothing is asked."""
    before = stage.cluster.processor_seconds, processor_seconds(processes)
    time.sleep(IDLE_SECONDS)
    after = stage.cluster.processor_seconds, processor_seconds(processes)
    return tuple((late - early) / IDLE_SECONDS * 1e6 for early, late in zip(before, after))


def _per_second(idle: tuple[float, float]) -> dict[str, int]:
    return {"postgres_us_a_second": round(idle[0]), "kith_us_a_second": round(idle[1])}


def _private_kibibytes(backends: list[int]) -> float:
    """The memory that a backend shares with no other."""
    sizes = []
    for pid in backends:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        sizes.append(sum(int(line.split()[1]) for line in lines if line.startswith("Private_")))
    return statistics.median(sizes)


def _exchange(server: Server, call: Call, caller: Caller) -> dict[str, int]:
    """The bytes of a request and of its answer, without those of TLS."""
    parts = urlsplit(server.url)
    method, path, token, body = call.request(caller).split("\t")
    lines = [f"{method} {path} HTTP/1.1", f"Host: {parts.netloc}", f"Authorization: Bearer {token}", "Connection: close"]
    lines += [f"Content-Type: application/json\r\nContent-Length: {len(body)}"] if body else []
    request = ("\r\n".join(lines) + "\r\n\r\n" + body).encode()
    answer = b""
    with socket.create_connection((parts.hostname, parts.port), 30) as connection:
        connection.sendall(request)
        while piece := connection.recv(65536):
            answer += piece
    if not answer.startswith(b"HTTP/1.1 200"):
        raise RuntimeError(f"{path} was answered by {answer[:200]!r}")
    return {"request": len(request), "answer": len(answer)}


def _size(senders: int, receivers: int, tenants: int) -> Size:
    return replace(
        SIZES["small"], name=f"scale-{receivers}", senders=senders, connections=receivers * senders, tenants=tenants, round_seconds=4,
        calls_per_second=2000,
    )


def _rounded(cost: Cost) -> dict[str, float]:
    return {name: round(value, 1) for name, value in asdict(cost).items()}


def _conditions() -> dict:
    processor = next((line.partition(":")[2].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")), "")
    return {
        "processor": processor, "processors": os.cpu_count(), "senders": SENDERS, "tenants": TENANTS, "system": platform.system(),
        "measured_on": datetime.date.today().isoformat(), "load": round(os.getloadavg()[2], 1),
    }


def _fail(reason: str) -> float:
    raise RuntimeError(reason)


def main() -> int:
    options = argparse.ArgumentParser(prog="Tests/Scale/measure", description=__doc__.splitlines()[0])
    options.add_argument("what", choices=("costs", "check"), nargs="*")
    for what in options.parse_args().what or ("costs", "check"):
        found = measure_costs() if what == "costs" else check()
        (FOLDER / f"{what}.json").write_text(json.dumps(found, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    # SIGTERM unwinds the stage like Ctrl-C, so that the servers stop and the files are deleted.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
