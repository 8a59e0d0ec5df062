"""What the calls of a day cost with the schema of one build of `kith`, compared with that of another build.

Both schemas are in one cluster, with the same population. A day passes in both by a moved clock: its pings are made and announced, some
senders check in, the others are reminded and then missed, each message of these is planned, claimed and reported as sent, and people read
what they were told and their first screens. The two sides take turns batch by batch, each in one session, and what is compared is the
processor time of the two backends. A day is a pair of measurements for each kind of call.
"""

import argparse
import contextlib
import datetime
import json
import os
import random
import signal
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

import performance_page
import population
from call import Call
from kith import Kith
from result import number
from size import SIZES, Size
from stage import Stage

SENDERS = 4000
"""Unless `--senders` says otherwise."""
CONNECTIONS = 2
"""Of each sender: the receivers whom a check-in tells."""
TENANTS = 4
CHECKING_IN = 10
"""One sender in so many checks in every day. The others never do."""
BATCH = 1000
"""The same as in Sources/Worker/WorkerLoop.swift."""
CALLS = 50
"""Check-ins of one side before it is the other one's turn."""
WARM_UP_DAYS = 2
"""The backends make their plans on these days, and each sender has checked in yesterday from the second one on."""
FIRST_DAY = datetime.datetime(2040, 1, 2, tzinfo=datetime.timezone.utc)
"""A month without a change of clocks, whose partitions are empty."""
READERS = 200
"""The receivers who read their notifications every day: a page of 50, and the events of those of the day."""
EVENTS = 100
"""What a server renders at once for its streams when it is busy."""
RESAMPLES = 10_000

TIMES = """
update kith.sender_profiles as profile
set time_zone = 'Etc/UTC', ping_time = time '09:00' + sender.n % 10 * interval '1 minute', grace_minutes = 90, reminder_minutes = 15
from load.senders as sender
where sender.tenant_id = profile.tenant_id and sender.user_id = profile.user_id
"""
"""Everybody is asked from 09:00 to 09:09, reminded from 10:15, and missed until 10:40."""

DEVICES = """
insert into kith.devices (tenant_id, token, user_id, platform, environment, created_at, last_seen_at)
select tenant_id, 'device-' || id, id, 'ios', 'production', created_at, created_at from kith.users
"""
CREDENTIALS = """
insert into kith.channel_credentials (tenant_id, channel, summary, sealed, created_at, updated_at)
select tenant_id, 'apns', '{}', '\\x00', created_at, created_at from kith.tenants
"""
"""Everybody has an iPhone, so each notification is a message."""
PLAN = "worker.plan_deliveries"
CLAIM = """
select coalesce(json_agg(json_build_object('tenant_id', tenant_id, 'id', id, 'outcome', 'sent')), '[]')::text, count(*)
from worker.claim_deliveries(%s, 'apns', %s, %s, 0, '{}', '{}', 'against')
"""

READS = {
    "list": ("list_notifications", {"p_limit": "50", "p_unread": "false"}),
    "connections": ("list_connections", {"p_limit": "50"}),
    "dashboard": ("get_dashboard", {"p_role": "'receiver'", "p_order": "'missed'", "p_limit": "50"}),
    "home": ("home", {}),
    "me": ("get_me", {}),
    "vaults": ("list_vaults", {"p_limit": "50"}),
}
"""What a receiver reads every day: procedures and the parameters that are not null. An older build's procedure may lack some of them."""
CONNECTION = ("get_connection", {"p_id": "{s}::uuid"})
"""One connection, which its receiver and its sender read."""

RUNS = """
insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at)
select distinct tenant_id, time_zone, %(day)s::date, %(day)s::timestamptz from kith.sender_profiles
on conflict do nothing
"""


@dataclass
class Side:
    """A database with the schema of one build, and one session of each role in it."""

    database: str
    session: psycopg.Connection
    worker: psycopg.Connection
    api: psycopg.Connection
    callers: list[tuple[str, str]]
    """The senders who check in: tenant and user."""

    readers: list[tuple[str, str]]
    """The receivers who read: tenant and user."""

    ends: dict[str, list[tuple[str, str, str]]]
    """Both sides of connections, by their role: tenant, user and connection."""

    check_in: str
    """The statement of a check-in; an older build's procedure has fewer parameters."""

    reads: dict[str, str]
    """The statements of READS."""

    connection: str

    spent: dict[str, float] = field(default_factory=dict)
    """The nanoseconds of a call since the last pair."""

    made: dict[str, int] = field(default_factory=dict)

    @staticmethod
    @contextlib.contextmanager
    def of(stage: Stage, kith: Kith, database: str) -> Iterator["Side"]:
        """A new database, which is dropped afterwards."""
        cluster = stage.cluster
        cluster.create(database, "template0")
        kith.migrate(cluster.url(database))
        population.fill(cluster, database, stage.size, TENANTS)
        with (
            cluster.connect(database) as session,
            cluster.connect(database, "kith_worker") as worker,
            cluster.connect(database, "kith_api") as api,
        ):
            for statement in (TIMES, DEVICES, CREDENTIALS):
                session.execute(statement)
            # The worker may then believe that it is another date.
            session.execute("create table if not exists internal.development (made_at timestamptz not null)")
            session.execute("select internal.make_partitions(%s, 100), worker.note_current_pings(%s)", (FIRST_DAY, FIRST_DAY))
            session.execute("vacuum analyze")
            for role in (worker, api):
                role.execute("set search_path = ''")
                role.prepare_threshold = 0
                # Waiting for the disk is not what is compared, and costs as much as a third of a check-in.
                role.execute("set synchronous_commit = off")
            callers = session.execute(
                "select tenant_id::text, user_id::text from load.senders where n %% %s = 0 order by n", (CHECKING_IN,),
            ).fetchall()
            readers = session.execute(
                "select distinct connection.tenant_id::text, connection.receiver_id::text from kith.connections as connection"
                " join load.senders as sender on sender.tenant_id = connection.tenant_id and sender.user_id = connection.sender_id"
                " where sender.n %% %s = 0 order by 2 limit %s", (CHECKING_IN, READERS),
            ).fetchall()
            ends = {role: session.execute(
                f"select connection.tenant_id::text, connection.{role}_id::text, connection.id::text from kith.connections as connection"
                " join load.senders as sender on sender.tenant_id = connection.tenant_id and sender.user_id = connection.sender_id"
                " where sender.n %% %s = 1 order by connection.id limit %s", (CHECKING_IN, READERS),
            ).fetchall() for role in ("receiver", "sender")}
            yield Side(
                database, session, worker, api, callers, readers, ends,
                _statement(session, "check_in", {"p_source": "'app'"}),
                {what: _statement(session, *read) for what, read in READS.items()},
                _statement(session, *CONNECTION),
            )

    def spend(self, what: str, session: psycopg.Connection, act: Callable[[], int]) -> int:
        """Runs an act in a session and notes the processor time of the session's backend. Returns how many calls the act says it made."""
        before = _processor_time(session)
        made = act()
        self.spent[what] = self.spent.get(what, 0) + _processor_time(session) - before
        self.made[what] = self.made.get(what, 0) + made
        return made

    def work(self, what: str, procedure: str, now: datetime.datetime) -> bool:
        """One batch of a loop of the worker; whether it did anything. Counts rows."""
        call = _loop(procedure)
        return bool(self.spend(what, self.worker, lambda: self.worker.execute(call, (now, BATCH)).fetchone()[0]))

    def send(self, now: datetime.datetime, batch: int = BATCH, is_measured: bool = True) -> bool:
        """One batch of due deliveries, claimed and reported as sent; whether there were any. Counts deliveries."""
        claimed = ""
        def claim() -> int:
            nonlocal claimed
            claimed, count = self.worker.execute(CLAIM, (now, batch, batch)).fetchone()
            return count
        def finish() -> int:
            return self.worker.execute("select worker.finish_deliveries(%s, 'against', %s::jsonb)", (now, claimed)).fetchone()[0]
        if not is_measured:
            return bool(claim() and finish())
        return bool(self.spend("claim", self.worker, claim) and self.spend("finish", self.worker, finish))

    def check_in_all(self, what: str, callers: list[tuple[str, str]], now: datetime.datetime) -> None:
        """Check-ins, each a transaction of its own."""
        def act() -> int:
            for tenant, user in callers:
                self.api.execute(self.check_in, {"t": tenant, "u": user, "a": f"user:{user}", "now": now})
            return len(callers)
        self.spend(what, self.api, act)

    def read_all(self, first: int, now: datetime.datetime) -> None:
        """What some of the readers read, and some connections as either side reads them."""
        for what, statement in self.reads.items():
            self._read(what, statement, self.readers[first:first + CALLS], now)
        for role, ends in self.ends.items():
            self._read(f"connection-{role}", self.connection, ends[first:first + CALLS], now)

    def _read(self, what: str, statement: str, readers: list[tuple[str, ...]], now: datetime.datetime) -> None:
        def act() -> int:
            for tenant, user, *subject in readers:
                self.api.execute(statement, {"t": tenant, "u": user, "a": f"user:{user}", "s": "".join(subject), "now": now})
            return len(readers)
        self.spend(what, self.api, act)

    def render_all(self, day: datetime.datetime, now: datetime.datetime) -> None:
        """The events of the notifications of a day to receivers, as a server renders them for its streams."""
        events = [event for event, in self.session.execute(
            "select json_build_object('tenant_id', tenant_id, 'user_id', user_id, 'type', 'notification', 'subject_id', id)"
            " from kith.notifications where created_at >= %s and type = 'ping_completed' order by id", (day,),
        ).fetchall()]
        batches = [events[first:first + EVENTS] for first in range(0, len(events) - EVENTS + 1, EVENTS)]
        def act(batches: list[list[dict]]) -> int:
            for batch in batches:
                rows = self.api.execute("select * from api.render_events(%s, %s::jsonb)", (now, json.dumps(batch))).fetchall()
                if len(rows) != len(batch):
                    raise RuntimeError(f"{self.database} rendered {len(rows)} of {len(batch)} events")
            return sum(len(batch) for batch in batches)
        self.spend("events", self.api, lambda: act(batches))
        self.spend("event", self.api, lambda: act([[event] for event in events[:EVENTS]]))

    def counts(self, day: datetime.datetime) -> dict[str, int]:
        """The day's pings by status and the notifications by type."""
        return dict(self.session.execute(
            "select status, count(*) from kith.pings where ping_on = %(day)s::date group by 1"
            " union all select type, count(*) from kith.notifications where created_at >= %(day)s group by 1",
            {"day": day},
        ).fetchall())

    def tidy(self) -> None:
        """What autovacuum and the checkpointer would do, outside of the measurements."""
        self.session.execute("vacuum kith.pings, kith.sender_profiles, kith.notifications, kith.ping_runs, kith.deliveries")
        self.session.execute("checkpoint")


def measure(sides: list[Side], senders: int, days: int, is_told: bool) -> dict[str, list[tuple[float, float]]]:
    """For each kind of call, a pair of microseconds a call for each day."""
    pairs: dict[str, list[tuple[float, float]]] = {}
    for number_of_day in range(WARM_UP_DAYS + days):
        day = FIRST_DAY + datetime.timedelta(days=number_of_day)
        order = sides if number_of_day % 2 else sides[::-1]
        for side in sides:
            side.session.execute(RUNS, {"day": day})
            side.tidy()
            side.spent.clear()
            side.made.clear()
        _work(order, "generate", "worker.generate_daily_pings", day + datetime.timedelta(seconds=1))
        _work(order, "announce", "worker.announce_due_pings", day + datetime.timedelta(hours=9, minutes=10))
        _tell(order, "plan-due", day + datetime.timedelta(hours=9, minutes=10, seconds=1))
        # Analyzed by now, by the worker itself. The first calls afterwards make plans again, and are not measured.
        for what, minute in (("check-in", 20), ("second-check-in", 40)):
            _check_in(order, what, day + datetime.timedelta(hours=9, minutes=minute))
        _tell(order, "plan-safe", day + datetime.timedelta(hours=9, minutes=41))
        _work(order, "remind", "worker.remind_senders", day + datetime.timedelta(hours=10, minutes=25))
        _tell(order, "plan-reminder", day + datetime.timedelta(hours=10, minutes=25, seconds=1))
        _work(order, "miss", "worker.miss_pings", day + datetime.timedelta(hours=10, minutes=50))
        _tell(order, "plan-missed", day + datetime.timedelta(hours=10, minutes=50, seconds=1))
        _read(order, day, day + datetime.timedelta(hours=11))
        _check(sides, senders, day)
        if number_of_day < WARM_UP_DAYS:
            continue
        for what in sides[0].spent:
            before, after = (side.spent[what] / side.made[what] / 1000 for side in sides)
            pairs.setdefault(what, []).append((before, after))
        if is_told:
            print(f"# day {number_of_day}: " + ", ".join(f"{what} {a[-1][0]:.1f} {a[-1][1]:.1f}" for what, a in pairs.items()), flush=True)
    return pairs


def _work(sides: list[Side], what: str, procedure: str, now: datetime.datetime) -> None:
    """Batches of the sides in turns, until none has anything left. A batch that finds nothing is not counted."""
    # The loop makes its plans again after a vacuum, here with a batch of one sender.
    for side in sides:
        side.worker.execute(_loop(procedure), (now, 1))
    busy = list(sides)
    while busy:
        busy = [side for side in busy if side.work(what, procedure, now)][::-1]


def _tell(sides: list[Side], what: str, now: datetime.datetime) -> None:
    """Plans what there is to tell, and sends it."""
    _work(sides, what, PLAN, now)
    now += datetime.timedelta(seconds=1)
    for side in sides:
        side.send(now, 1, is_measured=False)
    busy = list(sides)
    while busy:
        busy = [side for side in busy if side.send(now)][::-1]


def _check_in(sides: list[Side], what: str, now: datetime.datetime) -> None:
    for side in sides:
        side.check_in_all("warm-up", side.callers[:10], now)
        side.spent.pop("warm-up"), side.made.pop("warm-up")
    for first in range(10, len(sides[0].callers), CALLS):
        for side in sides:
            side.check_in_all(what, side.callers[first:first + CALLS], now)
        sides = sides[::-1]


def _read(sides: list[Side], day: datetime.datetime, now: datetime.datetime) -> None:
    for first in range(0, len(sides[0].readers), CALLS):
        for side in sides:
            side.read_all(first, now)
        sides = sides[::-1]
    for side in sides:
        side.render_all(day, now)


def _check(sides: list[Side], senders: int, day: datetime.datetime) -> None:
    """Raises RuntimeError unless the day had the same results on both sides, and those that the benchmark is about."""
    in_time = len(sides[0].callers) * CONNECTIONS
    for side in sides:
        counts = side.counts(day)
        wanted = {
            "completed": in_time, "missed": senders * CONNECTIONS - in_time, "ping_due": senders,
            "ping_completed": in_time, "ping_reminder": senders - len(side.callers),
        }
        wrong = {name: counts.get(name) for name, count in wanted.items() if counts.get(name) != count}
        if wrong:
            raise RuntimeError(f"{side.database} on {day:%d %B}: {wrong}, not {wanted}")


def _loop(procedure: str) -> str:
    """The call of a loop of the worker, with the instant and the size of its batch."""
    return f"select {procedure}(%s, %s::integer{', true' if procedure == PLAN else ''})"


def _statement(session: psycopg.Connection, procedure: str, known: dict[str, str]) -> str:
    """A call as the server makes it, with null for every other parameter but p_now, whichever that build's procedure has. Of several
    forms, the one with the fewest parameters, which the server calls unless a request has more."""
    names, types = session.execute(
        "select coalesce(proargnames, '{}'), array(select format_type(t, null) from unnest(proargtypes) with ordinality as a (t, n) order by n)"
        " from pg_proc where pronamespace = 'api'::regnamespace and proname = %s order by pronargs limit 1", (procedure,),
    ).fetchone()
    known = {"p_now": "{now}::timestamptz", **known}
    values = (known.get(name, f"null::{kind}") for name, kind in zip(names, types))
    return Call("", "", "", f"api.{procedure}({', '.join(values)})").statement("%(", ")s", "%(now)s")


def _processor_time(session: psycopg.Connection) -> int:
    """The nanoseconds that a session's backend has spent on a processor (proc(5), schedstat)."""
    return int(Path(f"/proc/{session.info.backend_pid}/schedstat").read_text().split()[0])


def ratio(pairs: list[tuple[float, float]]) -> tuple[float, float, float]:
    """The median of before / after, and its 95 % confidence interval by bootstrap."""
    ratios = [before / after for before, after in pairs]
    chance = random.Random(0)
    medians = sorted(statistics.median(chance.choices(ratios, k=len(ratios))) for _ in range(RESAMPLES))
    return statistics.median(ratios), medians[RESAMPLES // 40], medians[-RESAMPLES // 40]


def main() -> int:
    options = argparse.ArgumentParser(prog="Tests/Load/against", description=__doc__.splitlines()[0])
    options.add_argument("before", type=Path, help="the `kith` of the earlier build")
    options.add_argument("after", type=Path, nargs="?", default=Path(os.environ["KITH_BINARY"]), help="that of the later one")
    options.add_argument("--pairs", type=int, default=24, help="the days that are measured (at most 28)")
    options.add_argument("--senders", type=int, default=SENDERS, help="how many people are asked every day")
    options.add_argument("--load", type=Path, action="append", default=[], help="an SQL file that replaces functions of the later build")
    options.add_argument("--days", action="store_true", help="print each pair")
    chosen = options.parse_args()
    if not 1 <= chosen.pairs <= 28:
        options.error("--pairs must be from 1 to 28: January has no more days")
    for binary in (chosen.before, chosen.after):
        if not os.access(binary, os.X_OK):
            options.error(f"{binary} is no program")

    if chosen.senders < (fewest := EVENTS // CONNECTIONS * CHECKING_IN):
        options.error(f"--senders must be at least {fewest}: a day must have {EVENTS} events")

    size = Size(**{
        **vars(SIZES["small"]), "name": "against",
        "senders": chosen.senders, "connections": chosen.senders * CONNECTIONS, "tenants": TENANTS,
    })
    with Stage(size) as stage, contextlib.ExitStack() as exits:
        before, after = (
            exits.enter_context(Side.of(stage, Kith(stage.folder, binary.resolve()), name))
            for name, binary in (("before", chosen.before), ("after", chosen.after))
        )
        for file in chosen.load:
            after.session.execute(file.read_text())
        pairs = measure([before, after], chosen.senders, chosen.pairs, chosen.days)
    rows = []
    for what, of_days in pairs.items():
        middle, low, high = ratio(of_days)
        costs = [number(statistics.median(side)) for side in zip(*of_days)]
        print(f"against {what} before={costs[0]} after={costs[1]} ratio={middle:.3f} interval={low:.3f}…{high:.3f} pairs={len(of_days)}")
        rows.append({"what": what, "before": costs[0], "after": costs[1], "ratio": middle, "low": low, "high": high, "pairs": len(of_days)})
    performance_page.keep_comparison(version(chosen.before), version(chosen.after), chosen.senders, rows)
    return 0


def version(binary: Path) -> str:
    """What a build says of itself."""
    return subprocess.run([binary, "version"], check=True, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    # SIGTERM unwinds the stack like Ctrl-C, so that the server stops and the files are deleted.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
