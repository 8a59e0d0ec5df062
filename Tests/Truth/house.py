"""Plays acts on the database, one transaction a life, and keeps what happened: who said when that they are safe, who was told what, and
which windows there were. It knows the procedures by name and nothing of their rules."""

import datetime as dt
import json
from dataclasses import dataclass, field

import psycopg
from psycopg.rows import dict_row

from lives import NOMINEES, RECEIVERS, SENDERS, Act
from times import DAY, MINUTE, local_date, text

TENANT = 1999999101
JOBS = (
    "turn_breaks", "settle_subscriptions", "generate_daily_pings", "announce_due_pings", "remind_senders", "miss_pings",
    "begin_emergency_waits", "tell_emergencies", "find_gaps",
)
MILLISECOND = dt.timedelta(milliseconds=1)
NEXT = """
select min(at) from (
  select min(scheduled_at) from kith.pings where tenant_id = %(tenant)s and status = 'scheduled' and scheduled_at > %(now)s
  union all select min(remind_at) from kith.pings where tenant_id = %(tenant)s and status = 'due' and remind_at > %(now)s
  union all select min(deadline_at) from kith.pings where tenant_id = %(tenant)s and status = 'due' and deadline_at > %(now)s
  union all select min(deadline_at + interval '10 seconds') from kith.pings where tenant_id = %(tenant)s and status = 'due' and deadline_at + interval '10 seconds' > %(now)s
) as instants (at)
"""


@dataclass
class Sign:
    """Somebody said that they are safe: at that moment, known to Kith since another. `spoke_for` are dates whose ping it completed early."""

    who: str
    at: dt.datetime
    known_at: dt.datetime
    spoke_for: frozenset[dt.date] = frozenset()


@dataclass
class Told:
    """A notification."""

    id: str
    to: str
    type: str
    body: str
    at: dt.datetime
    data: dict
    #: No channel took it.
    failed: bool = False


@dataclass
class Facts:
    """What happened in a life so far."""

    signs: list[Sign] = field(default_factory=list)
    told: list[Told] = field(default_factory=list)
    #: Times in which no worker, or no server, was there; the last may be open.
    worker_away: list[list[dt.datetime | None]] = field(default_factory=list)
    servers_away: list[list[dt.datetime | None]] = field(default_factory=list)
    #: For each connection, what it was since when: (instant, status).
    status: dict[str, list[tuple[dt.datetime, str]]] = field(default_factory=dict)
    #: When a sender's zone, time, grace or breaks last changed.
    changed_at: dict[str, dt.datetime] = field(default_factory=dict)
    #: When a sender did something by which a ping can come: connect, resume, change the times, end a break, come back.
    acted: dict[str, list[dt.datetime]] = field(default_factory=dict)
    #: When a sender gave somebody a right, which nobody does who is not alive.
    answered: dict[str, list[dt.datetime]] = field(default_factory=dict)
    #: When a sender's profile last ended or came back.
    ended_at: dict[str, dt.datetime] = field(default_factory=dict)
    #: After how many missed days somebody's nominee gets in.
    rights: dict[str, int] = field(default_factory=dict)
    #: When a ping was first seen to be missed: by connection and date.
    missed_at: dict[tuple[str, dt.date], dt.datetime] = field(default_factory=dict)
    blocked: set[tuple[str, str]] = field(default_factory=set)
    ended: set[tuple[str, str]] = field(default_factory=set)


class House:
    """The people of one life and their database."""

    def __init__(self, url: str, changes: tuple[str, ...] = ()):
        """`changes` are statements that replace functions, in each life anew."""
        self._changes = changes
        self._connection = psycopg.connect(url, autocommit=True, prepare_threshold=0, options="-c jit=off -c client_min_messages=error")
        self._connection.prepared_max = 500
        self.ids = {name: f"0{n}000000-0000-7000-8000-0000000000{n}{n}" for n, name in enumerate(SENDERS + RECEIVERS + tuple(NOMINEES.values()), 1)}
        self.names = {id: name for name, id in self.ids.items()}
        arguments = self._connection.execute(
            "select proargnames from pg_proc where pronamespace = 'api'::regnamespace and proname = 'check_in'"
        ).fetchone()[0]
        self.tapped = next((name for name in arguments if "tapped" in name), None)

    def begin(self, start: dt.datetime) -> None:
        self.now = start
        self.facts = Facts()
        self.is_working, self.is_serving, self._takes_channel = True, True, True
        self._nominees: dict[str, tuple[str, str]] = {}
        self._codes: dict[str, str] = {}
        self._profiles: dict[str, dict] = {}
        self._connection.execute("begin")
        self._connection.execute("create table if not exists internal.development ()")
        for change in self._changes:
            self._connection.execute(change)
        since = text(start - 40 * DAY)
        self._connection.execute(
            "insert into kith.tenants (tenant_id, slug, name, brand_name, created_at, updated_at) values (%s, 'truth', 'Truth', 'PRUUF', %s, %s)",
            (TENANT, since, since))
        for name, id in self.ids.items():
            self._connection.execute(
                "insert into kith.users (tenant_id, id, display_name, tokens_valid_from, created_at, updated_at) values (%s, %s, %s, %s, %s, %s)",
                (TENANT, id, name, since, since, since))
        for name in RECEIVERS:
            self._codes[name] = self._call(name, "api.put_receiver_profile(%s::jsonb, %s)", ["{}", text(self.now)])["code"]

    def end(self) -> None:
        self._connection.execute("rollback")

    # Acts

    def play(self, act: Act) -> str:
        """Plays an act; what came of it."""
        self.now += MILLISECOND
        if act.kind in ("wait", "until"):
            return self._wait(act)
        if act.kind.startswith(("worker", "servers")):
            return self._stop_or_return(act)
        if not self.is_serving:
            return "no server"
        try:
            answer = getattr(self, "_" + act.kind.replace(" ", "_"))(act)
        except Refused as refusal:
            answer = str(refusal)
        if act.kind in ("connect", "resume", "times", "zone", "end break", "break", "return"):
            self.facts.acted.setdefault(act.who, []).append(self.now)
        self._look()
        return answer or "done"

    def _check_in(self, act: Act) -> str:
        body = self._check(act.who, None)
        return f"completed {body['completed']}, late {body['late']}"

    def _tap(self, act: Act) -> str:
        if self.tapped is None:
            return "cannot be said yet"
        body = self._check(act.who, self.now - dt.timedelta(seconds=act.seconds))
        return f"completed {body['completed']}, late {body['late']}"

    def _check(self, who: str, tapped_at: dt.datetime | None) -> dict:
        named = f", {self.tapped} => %s" if self.tapped else ""
        body = self._call(
            who, f"api.check_in(p_note => null, p_share_note => null, p_source => 'app', p_now => %s{named})",
            [text(self.now)] + ([text(tapped_at) if tapped_at else None] if self.tapped else []))
        at = tapped_at if tapped_at and self.now - tapped_at > MINUTE else self.now
        early = {dt.date.fromisoformat(ping["date"]) for ping in body["pings"] if ping["status"] == "completed" and _instant(ping["scheduled_at"]) > at}
        self.facts.signs.append(Sign(who, at, self.now, frozenset(early)))
        return body

    def _times(self, act: Act) -> None:
        self._put_profile(
            act.who,
            {"ping_time": act.time, "time_zone": act.zone, "grace_minutes": act.grace[0], "reminder_minutes": act.grace[1]})

    def _zone(self, act: Act) -> None:
        if act.who not in self._profiles:
            raise Refused("not a sender yet")
        self._put_profile(act.who, {**self._profiles[act.who], "time_zone": act.zone})

    def _put_profile(self, who: str, body: dict) -> None:
        self._call(who, "api.put_sender_profile(%s::jsonb, %s)", [json.dumps(body), text(self.now)])
        self._profiles[who] = body
        if (who, "sender") in self.facts.ended:
            self.facts.ended_at[who] = self.now
        self.facts.ended.discard((who, "sender"))
        self._sender_changed(who)

    def _sender_changed(self, who: str) -> None:
        self.facts.changed_at[who] = self.now

    def _break(self, act: Act) -> None:
        day = local_date(self.now, self.zone_of(act.who))
        body = {"from": str(day + act.days[0] * DAY), "until": str(day + act.days[1] * DAY)}
        self._call(act.who, "api.put_break(%s::jsonb, %s)", [json.dumps(body), text(self.now)])
        self._sender_changed(act.who)

    def _end_break(self, act: Act) -> None:
        self._call(act.who, "api.delete_break(%s)", [text(self.now)])
        self._sender_changed(act.who)

    def _connect(self, act: Act) -> None:
        self._call(act.who, "api.create_connection(%s, %s)", [self._codes[act.whom], text(self.now)])

    def _pause(self, act: Act) -> None:
        self._change(act, "api.pause_connection(%s, %s)", act.who)

    def _resume(self, act: Act) -> None:
        self._change(act, "api.resume_connection(%s, %s)", act.who)

    def _remove_by_sender(self, act: Act) -> None:
        self._change(act, "api.remove_connection(%s, %s)", act.who)

    def _remove_by_receiver(self, act: Act) -> None:
        self._change(act, "api.remove_connection(%s, %s)", act.whom)

    def _right(self, act: Act) -> None:
        """The sender gives their nominee the right to get in after some missed days."""
        if act.who not in self._nominees:
            vault = self._call(act.who, "api.create_vault(%s::jsonb, %s)", ['{"name": "Papers"}', text(self.now)])["id"]
            nominee = f"0e000000-0000-7000-8000-00000000000{SENDERS.index(act.who)}"
            self._connection.execute(
                "insert into kith.nominees (tenant_id, id, vault_id, owner_id, user_id, name, status, access_level, invited_at, invited_by_user_id, accepted_at, updated_at) "
                "values (%(tenant)s, %(id)s, %(vault)s, %(owner)s, %(user)s, %(name)s, 'accepted', 'view', %(now)s, %(owner)s, %(now)s, %(now)s)",
                {"tenant": TENANT, "id": nominee, "vault": vault, "owner": self.ids[act.who], "user": self.ids[NOMINEES[act.who]],
                 "name": NOMINEES[act.who], "now": text(self.now)})
            self._nominees[act.who] = vault, nominee
        body = {"wait_hours": 24, "grant_hours": 24, "access_level": "view", "after_missed_days": act.after}
        self._call(act.who, "api.set_emergency_settings(%s, %s, %s::jsonb, %s)", [*self._nominees[act.who], json.dumps(body), text(self.now)])
        self.facts.answered.setdefault(act.who, []).append(self.now)
        self.facts.rights[act.who] = act.after

    def _channel_breaks(self, act: Act) -> None:
        self._takes_channel = False

    def _channel_works(self, act: Act) -> None:
        self._takes_channel = True

    def _change(self, act: Act, procedure: str, by: str) -> None:
        row = self._connection.execute(
            "select id from kith.connections where tenant_id = %s and sender_id = %s and receiver_id = %s",
            (TENANT, self.ids[act.who], self.ids[act.whom])).fetchone()
        if row is None:
            raise Refused("no connection")
        self._call(by, procedure, [str(row[0]), text(self.now)])

    def _block(self, act: Act) -> None:
        self._call(act.whom, "api.put_block(%s, %s)", [self.ids[act.who], text(self.now)])
        self.facts.blocked.add((act.whom, act.who))

    def _unblock(self, act: Act) -> None:
        self._call(act.whom, "api.delete_block(%s, %s)", [self.ids[act.who], text(self.now)])
        self.facts.blocked.discard((act.whom, act.who))

    def _end_sender(self, act: Act) -> None:
        self._call(act.who, "api.delete_sender_profile(%s)", [text(self.now)])
        self.facts.ended.add((act.who, "sender"))
        self.facts.ended_at[act.who] = self.now

    def _end_receiver(self, act: Act) -> None:
        self._call(act.who, "api.delete_receiver_profile(%s)", [text(self.now)])
        self.facts.ended.add((act.who, "receiver"))

    def _return(self, act: Act) -> None:
        """Everybody who has ended a profile comes back."""
        for name, role in sorted(self.facts.ended):
            if role == "receiver":
                self._codes[name] = self._call(name, "api.put_receiver_profile(%s::jsonb, %s)", ["{}", text(self.now)])["code"]
            else:
                self._put_profile(name, self._profiles[name])
        self.facts.ended.clear()

    # Time

    def _wait(self, act: Act) -> str:
        """Lets the worker work at each instant at which something is due, until the end."""
        if act.kind == "until":
            at = self.next_instant()
            if at is None:
                return "nothing is due"
            end = max(at + dt.timedelta(seconds=act.seconds), self.now)
        else:
            end = self.now + dt.timedelta(seconds=act.seconds)
        if not self.is_working:
            self.now = end
            return f"the worker is away until {end:%d %H:%M:%S}"
        instants = 0
        while True:
            self.work()
            at = self.next_instant()
            # A worker that has nothing to do looks again each hour: at breaks that begin, days that begin.
            at = min(at or end, self.now + dt.timedelta(minutes=30))
            if at >= end or instants > 3000:
                break
            self.now = max(at, self.now + MILLISECOND)
            instants += 1
        self.now = max(end, self.now)
        self.work()
        return f"until {self.now:%d %H:%M:%S}"

    def next_instant(self) -> dt.datetime | None:
        """When the next ping is asked, reminded or judged."""
        self._as_superuser()
        return self._connection.execute(NEXT, {"tenant": TENANT, "now": self.now}).fetchone()[0]

    def work(self) -> None:
        """One pass of the worker."""
        if not self.is_serving:
            self._as_worker()
            self._connection.execute("select worker.watch_server(%s)", (text(self.now),))
        for job in JOBS:
            self._as_worker()
            for _ in range(1000):
                if self._connection.execute(f"select worker.{job}(%s, %s)", (text(self.now), 500)).fetchone()[0] == 0:
                    break
            else:
                raise AssertionError(f"worker.{job} does not end")
        self._look()

    def _stop_or_return(self, act: Act) -> str:
        component, stops = ("worker" if act.kind.startswith("worker") else "server"), act.kind.endswith("stop") or act.kind.endswith("stops")
        runs = self.is_working if component == "worker" else self.is_serving
        if stops != runs:
            return "already so"
        periods = self.facts.worker_away if component == "worker" else self.facts.servers_away
        self._beat(component)
        if stops:
            periods.append([self.now, None])
        else:
            periods[-1][1] = self.now
            # With no heartbeat at all, the component counts as running.
            self._as_superuser()
            self._connection.execute("delete from kith.heartbeats where instance = 'truth'")
        if component == "worker":
            self.is_working = not stops
        else:
            self.is_serving = not stops
        return "done"

    def _beat(self, component: str) -> None:
        self._as_worker()
        self._connection.execute("select worker.beat(%s, 'truth', %s, null, %s)", (component, text(self.now), text(self.now)))

    # What there is

    def pings(self) -> list[dict]:
        """Every ping as it is now, with the sender's zone."""
        self._as_superuser()
        with self._connection.cursor(row_factory=dict_row) as cursor:
            return cursor.execute(
                "select ping.*, connection.status as connection_status from kith.pings as ping join kith.connections as connection "
                "on connection.tenant_id = ping.tenant_id and connection.id = ping.connection_id where ping.tenant_id = %s", (TENANT,)).fetchall()

    def connections(self) -> list[dict]:
        """Every connection as it is now."""
        self._as_superuser()
        with self._connection.cursor(row_factory=dict_row) as cursor:
            return cursor.execute("select * from kith.connections where tenant_id = %s", (TENANT,)).fetchall()

    def waits(self, who: str) -> list[dict]:
        """The requests for a sender's vault that silence has made."""
        self._as_superuser()
        with self._connection.cursor(row_factory=dict_row) as cursor:
            return cursor.execute(
                "select request.*, internal.emergency_status(request, %(now)s) as status_now, internal.over_at(request, %(now)s) as over_at_now "
                "from kith.emergency_requests as request where tenant_id = %(tenant)s and owner_id = %(owner)s and cause = 'silence' order by requested_at",
                {"tenant": TENANT, "owner": self.ids[who], "now": text(self.now)}).fetchall()

    def counted_days(self, who: str) -> int:
        """How many missed days Kith counts for emergency access."""
        self._as_superuser()
        return self._connection.execute(
            "select missed.days from internal.last_sign_of_life(%(tenant)s, %(owner)s, 'check_in') as sign (at) "
            "cross join lateral internal.missed_row(%(tenant)s, %(owner)s, internal.since_sign_of_life(sign.at, %(now)s), %(now)s) as missed",
            {"tenant": TENANT, "owner": self.ids[who], "now": text(self.now)}).fetchone()[0]

    def zone_of(self, who: str) -> str:
        self._as_superuser()
        row = self._connection.execute(
            "select time_zone from kith.sender_profiles where tenant_id = %s and user_id = %s", (TENANT, self.ids[who])).fetchone()
        return row[0] if row else "UTC"

    def _look(self) -> None:
        """Notes what is new: notifications, and what connections have become."""
        self._as_superuser()
        known = {told.id for told in self.facts.told}
        for id, user, type, body, at, data in self._connection.execute(
            "select told.id::text, told.user_id::text, told.type, words.body, told.created_at, told.data from kith.notifications as told"
            " cross join lateral internal.reader_of(told.tenant_id, told.user_id) as reader"
            " cross join lateral internal.told(told.tenant_id, told.user_id, told.type, told.data, told.created_at, told.body,"
            " told.person_name, reader.locale, reader.time_zone) as words where told.tenant_id = %s order by told.id", (TENANT,)
        ).fetchall():
            if id not in known:
                failed = not self._takes_channel and self.names[user] in SENDERS and type in ("ping_due", "ping_reminder")
                self.facts.told.append(Told(id, self.names[user], type, body, at, data, failed))
                if failed:
                    self._connection.execute("update kith.notifications set delivery_status = 'failed' where tenant_id = %s and id = %s", (TENANT, id))
        for id, date in self._connection.execute(
            "select connection_id::text, ping_on from kith.pings where tenant_id = %s and status = 'missed'", (TENANT,)
        ).fetchall():
            self.facts.missed_at.setdefault((id, date), self.now)
        for id, status in self._connection.execute("select id::text, status from kith.connections where tenant_id = %s", (TENANT,)).fetchall():
            history = self.facts.status.setdefault(id, [])
            if not history or history[-1][1] != status:
                history.append((self.now, status))

    # Calls

    def _call(self, who: str, procedure: str, values: list) -> dict:
        self._connection.execute("savepoint act")
        self._connection.execute(
            "select set_config('kith.tenant_id', %s, true), set_config('kith.user_id', %s, true), set_config('kith.actor', %s, true), set_config('kith.now', '', true)",
            (str(TENANT), self.ids[who], f"user:{self.ids[who]}"))
        self._connection.execute("set local role kith_api")
        try:
            body = self._connection.execute(f"select {procedure}", values).fetchone()[0]
        except psycopg.Error as refusal:
            if not (refusal.sqlstate or "").startswith("KT"):
                raise
            self._connection.execute("rollback to savepoint act")
            raise Refused(refusal.diag.message_primary) from None
        finally:
            if self._connection.info.transaction_status == psycopg.pq.TransactionStatus.INTRANS:
                self._connection.execute("release savepoint act")
                self._as_superuser()
        if isinstance(body, dict) and "problem" in body:
            raise Refused(body["problem"])
        return body["body"] if isinstance(body, dict) and "answer" in body else body

    def _as_worker(self) -> None:
        self._forget_caller()
        self._connection.execute("set local role kith_worker")

    def _as_superuser(self) -> None:
        self._connection.execute("reset role")

    def _forget_caller(self) -> None:
        self._connection.execute("reset role")
        self._connection.execute(
            "select set_config('kith.tenant_id', '', true), set_config('kith.user_id', '', true), set_config('kith.actor', '', true), set_config('kith.now', '', true)")


class Refused(Exception):
    """An act that Kith refuses."""


def _instant(value: str) -> dt.datetime:
    return dt.datetime.fromisoformat(value)
