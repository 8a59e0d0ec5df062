"""The worker's judgement and the check-in at the deadline, on connections of their own at the same moment, again and again.

Whichever of them comes first, each ping has one result, decided by when the check-in was received. Its receiver is told exactly one of two
things: that the sender has checked in; or, if the judgement came first, that they had not, and afterwards that they are safe."""

import datetime as dt
import random
import threading
from collections import Counter

import psycopg

TENANT = 1999999102
DEADLINE = dt.datetime(2027, 3, 9, 10, 30, tzinfo=dt.timezone.utc)
MINUTE, MILLISECOND = dt.timedelta(minutes=1), dt.timedelta(milliseconds=1)
RECEIVED = (-5000 * MILLISECOND, -MILLISECOND, 0 * MILLISECOND, MILLISECOND, 9999 * MILLISECOND, 10_000 * MILLISECOND, 11_000 * MILLISECOND)
"""When a check-in was received, from the deadline on. The database comes to it when the worker comes to the miss."""
SENDERS, CALLERS, WORKERS = 60, 3, 2
TABLES = """
select format('delete from %I.%I where tenant_id = ', schema.nspname, class.relname)
from pg_class as class
join pg_namespace as schema on schema.oid = class.relnamespace and schema.nspname = 'kith'
join pg_attribute as attribute on attribute.attrelid = class.oid and attribute.attname = 'tenant_id' and not attribute.attisdropped
where class.relkind in ('r', 'p') and not class.relispartition
"""

RESULTS = """
select ping.sender_id::text, ping.status,
  (select array_agg(told.type order by told.id) from kith.notifications as told
    where told.tenant_id = ping.tenant_id and told.user_id = ping.receiver_id and told.data ->> 'ping_id' = ping.id::text),
  (select count(*) from kith.notifications as told
    where told.tenant_id = ping.tenant_id and told.user_id = ping.sender_id and told.type = 'ping_missed')
from kith.pings as ping where ping.tenant_id = %s
"""


def _id(kind: int, number: int) -> str:
    return f"0{kind}000000-0000-7000-8000-{number:012d}"


class Race:
    def __init__(self, url: str, seed: int):
        self._chance = random.Random(seed)
        self._session = psycopg.connect(url, autocommit=True, options="-c client_min_messages=error")
        self._callers = [psycopg.connect(url, autocommit=True) for _ in range(CALLERS)]
        self._workers = [psycopg.connect(url, autocommit=True) for _ in range(WORKERS)]
        self.found: Counter[str] = Counter()
        self.broken: list[str] = []
        self._is_development = self._session.execute("select to_regclass('internal.development') is not null").fetchone()[0]

    def begin(self) -> None:
        self.end()
        execute = self._session.execute
        # Without this table the worker keeps to the database's clock.
        execute("create table if not exists internal.development (made_at timestamptz)")
        since = DEADLINE - dt.timedelta(days=30)
        execute(
            "insert into kith.tenants (tenant_id, slug, name, brand_name, created_at, updated_at) values (%s, 'races', 'Races', 'PRUUF', %s, %s)",
            (TENANT, since, since))
        execute(
            "insert into kith.users (tenant_id, id, display_name, time_zone, tokens_valid_from, created_at, updated_at) "
            "select %(tenant)s, ('0' || kind || '000000-0000-7000-8000-' || lpad(number::text, 12, '0'))::uuid, 'Person', 'UTC', %(at)s, %(at)s, %(at)s "
            "from generate_series(1, 2) as kind, generate_series(1, %(senders)s) as number",
            {"tenant": TENANT, "at": since, "senders": SENDERS})
        for number in range(1, SENDERS + 1):
            self._as(self._session, _id(1, number), "api.put_sender_profile(%s::jsonb, %s)", ('{"ping_time": "09:00"}', since))
            code = self._as(self._session, _id(2, number), "api.put_receiver_profile(%s::jsonb, %s)", ("{}", since))["code"]
            self._as(self._session, _id(1, number), "api.create_connection(%s, %s)", (code, since))

    def end(self) -> None:
        with self._session.transaction():
            # The order of the tables does not matter then.
            self._session.execute("set local session_replication_role = replica")
            for (deletion,) in self._session.execute(TABLES).fetchall():
                self._session.execute(f"{deletion}{TENANT}")
        if not self._is_development:
            self._session.execute("drop table if exists internal.development")

    def round(self) -> None:
        """One ping of each sender, judged and answered at the same moment."""
        for table in ("events", "notifications", "check_ins", "pings"):
            self._session.execute(f"delete from kith.{table} where tenant_id = %s", (TENANT,))
        self._session.execute("update kith.sender_profiles set last_check_in_at = null where tenant_id = %s", (TENANT,))
        self._session.execute(
            "insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at, asked_at) "
            "select tenant_id, %(on)s, id, internal.uuid7(%(at)s), sender_id, receiver_id, 'due', %(at)s, %(deadline)s, %(at)s "
            "from kith.connections where tenant_id = %(tenant)s",
            {"on": DEADLINE.date(), "at": DEADLINE - 90 * MINUTE, "deadline": DEADLINE, "tenant": TENANT})
        order = self._chance.sample(range(1, SENDERS + 1), SENDERS)
        received = {_id(1, number): DEADLINE + self._chance.choice(RECEIVED) for number in order}
        start = threading.Barrier(CALLERS + WORKERS)
        failures: list[str] = []

        def run(work, *arguments) -> None:
            try:
                start.wait()
                work(*arguments)
            except Exception as failure:  # noqa: BLE001: whatever fails breaks the race
                failures.append(f"{type(failure).__name__}: {failure}")

        threads = [
            threading.Thread(target=run, args=(self._answer, session, [_id(1, number) for number in order[at::CALLERS]], received))
            for at, session in enumerate(self._callers)
        ]
        threads += [threading.Thread(target=run, args=(self._judge, session, self._chance.choice((1, 3, 10)))) for session in self._workers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.broken += failures
        # What was locked is left for the next call.
        self._judge(self._workers[0], 100)
        self._weigh(received)

    def _answer(self, session: psycopg.Connection, senders: list[str], received: dict[str, dt.datetime]) -> None:
        for sender in senders:
            self._as(session, sender, "api.check_in(null, false, null, 'app', %s)", (received[sender],))

    def _judge(self, session: psycopg.Connection, batch: int) -> None:
        quiet = 0
        # Another worker, or a check-in, may have held what there was.
        while quiet < 3:
            with session.transaction():
                session.execute("set local role kith_worker")
                judged = session.execute("select worker.miss_pings(%s, %s)", (DEADLINE + dt.timedelta(seconds=10), batch)).fetchone()[0]
            quiet = 0 if judged else quiet + 1

    def _weigh(self, received: dict[str, dt.datetime]) -> None:
        rows = self._session.execute(RESULTS, (TENANT,)).fetchall()
        if len(rows) != SENDERS:
            self.broken.append(f"{len(rows)} pings of {SENDERS}")
        for sender, status, told, times in rows:
            expected = "completed" if received[sender] < DEADLINE else "completed_late"
            told = tuple(told or ())
            if status != expected:
                self.broken.append(f"{status} instead of {expected}: received {received[sender] - DEADLINE} from the deadline, told {told}")
            if told not in (("ping_completed",), ("ping_missed", "ping_all_clear")):
                self.broken.append(f"the receiver was told {told}: received {received[sender] - DEADLINE} from the deadline, {status}")
            if times != (told[0] == "ping_missed" if told else 0):
                self.broken.append(f"the sender was told of {times} misses, and the receiver {told}")
            self.found[f"{expected}, the {'judgement' if 'ping_missed' in told else 'check-in'} first"] += 1

    def _as(self, session: psycopg.Connection, user: str, call: str, values: tuple) -> dict:
        with session.transaction():
            session.execute(
                "select set_config('kith.tenant_id', %s, true), set_config('kith.user_id', %s, true), set_config('kith.actor', %s, true)",
                (str(TENANT), user, f"user:{user}"))
            session.execute("set local role kith_api")
            body = session.execute(f"select {call}", values).fetchone()[0]
        return body["body"] if isinstance(body, dict) and "answer" in body else body


def run(url: str, races: int, seed: int) -> int:
    race = Race(url, seed)
    race.begin()
    try:
        while sum(race.found.values()) < races and not race.broken:
            race.round()
    finally:
        race.end()
    for name, times in sorted(race.found.items()):
        print(f"{times:6} {name}")
    print(*race.broken[:20], sep="\n")
    print(f"{'BROKEN' if race.broken else 'one result each'} after {sum(race.found.values())} races")
    return 1 if race.broken else 0
