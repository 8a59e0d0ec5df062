"""The database of a walk: people with contacts, their acts, the worker's loops and the providers. It calls the procedures as the server and
the worker do and knows nothing of their rules. A walk is one transaction, which is rolled back."""

import json
from datetime import datetime, timedelta

import psycopg

from axes import NOON, Cell

TENANTS = {"texts": 1999999201, "calls": 1999999202, "both": 1999999203}
CREDENTIALS = {"texts": ["sms"], "calls": ["voice"], "both": ["sms", "voice"]}
CHANNELS = ["apns", "web_push", "email", "sms", "voice"]
ROLES = ["sender", "receiver", "other"]
ANALYZED = [
    "users", "devices", "connections", "sender_profiles", "receiver_profiles", "quiet_hours", "pings", "alarms", "alarm_receivers", "notifications", "deliveries",
]
LOOPS = [
    "turn_breaks", "settle_subscriptions", "announce_due_pings", "remind_senders", "miss_pings", "tell_alarms", "tell_emergencies",
    "lock_expired_sessions",
]

# One act: the caller's settings, as the server makes them, and a call in which {alarm} and its like are ids.
ACTS = r"""
create function pg_temp.act(p_tenant integer, p_people jsonb, p_role text, p_call text, p_now timestamptz) returns text language plpgsql as $$
declare
  v_sender uuid := p_people ->> 'sender';
  v_name text;
  v_answer text;
  v_call text := p_call;
begin
  for v_name in select distinct match[1] from regexp_matches(p_call, '\{([a-z ]+)\}', 'g') as match loop
    v_call := replace(v_call, '{' || v_name || '}', quote_nullable(case v_name
      when 'now' then p_now::text
      when 'tenant' then p_tenant::text
      when 'today' then internal.local_date(p_now, 'UTC')::text
      when 'connection' then (
        select id::text from kith.connections where tenant_id = p_tenant and sender_id = v_sender and receiver_id = (p_people ->> 'receiver')::uuid)
      when 'alarm' then (select id::text from kith.alarms where tenant_id = p_tenant and sender_id = v_sender order by id desc limit 1)
      when 'vault' then (select id::text from kith.vaults where tenant_id = p_tenant and owner_id = v_sender)
      when 'nominee' then (select id::text from kith.nominees where tenant_id = p_tenant and owner_id = v_sender order by id desc limit 1)
      when 'transfer' then (select id::text from kith.transfers where tenant_id = p_tenant and owner_id = v_sender)
      when 'request' then (select id::text from kith.emergency_requests where tenant_id = p_tenant and owner_id = v_sender)
      when 'code' then (select code from kith.unique_codes where tenant_id = p_tenant and user_id = (p_people ->> 'receiver')::uuid)
      when 'device' then (select token from kith.devices where tenant_id = p_tenant and user_id = (p_people ->> p_role)::uuid order by token desc limit 1)
      else case split_part(v_name, ' of the ', 1)
        when 'phone' then (select phone from kith.users where tenant_id = p_tenant and id = (p_people ->> split_part(v_name, ' of the ', 2))::uuid)
        when 'email' then (select email from kith.users where tenant_id = p_tenant and id = (p_people ->> split_part(v_name, ' of the ', 2))::uuid)
        else p_people ->> v_name
      end
    end));
  end loop;
  perform set_config('kith.tenant_id', p_tenant::text, true), set_config('kith.now', '', true), set_config('role', 'kith_api', true);
  if p_role = 'server' then
    perform set_config('kith.user_id', '', true), set_config('kith.actor', 'key:server', true);
  else
    perform set_config('kith.user_id', p_people ->> p_role, true), set_config('kith.actor', 'user:' || (p_people ->> p_role), true);
  end if;
  begin
    execute 'select ' || v_call into v_answer;
  exception when others then
    v_answer := 'refused: ' || sqlerrm || ' (' || v_call || ')';
  end;
  perform set_config('role', 'none', true), set_config('kith.tenant_id', '', true), set_config('kith.user_id', '', true),
    set_config('kith.actor', '', true), set_config('kith.now', '', true);
  return v_answer;
end
$$
"""


def text(at: datetime) -> str:
    return at.isoformat()


class House:
    """People in pairs, one pair for each cell, and everything that happens to them."""

    def __init__(self, url: str, changes: tuple[str, ...] = ()):
        #: The words with which each delivery left last.
        self._bodies: dict = {}
        self._connection = psycopg.connect(
            url, autocommit=True, options="-c jit=off -c client_min_messages=error -c timezone=UTC -c statement_timeout=0")
        self._changes = changes

    def begin(self, cells: list[Cell]) -> None:
        self.cells = cells
        self._people = {cell.n: {role: f"{n:x}a000000-0000-7000-8000-{cell.n:012d}" for n, role in enumerate(ROLES, 1)} for cell in cells}
        self._connection.execute("begin")
        for change in self._changes:
            self._connection.execute(change)
        self._connection.execute(ACTS)
        # Operators' acts happen now, except in a database that says it is for development.
        self._connection.execute("create table if not exists internal.development ()")
        since = text(NOON - timedelta(days=60))
        for slug, id in TENANTS.items():
            self._connection.execute(
                "insert into kith.tenants (tenant_id, slug, name, brand_name, requires_subscription, created_at, updated_at) values (%s, %s, %s, 'PRUUF', true, %s, %s)",
                (id, "matrix-" + slug, slug, since, since))
            for channel in ["apns", "web_push", "email", *CREDENTIALS[slug]]:
                self._connection.execute(
                    "insert into kith.channel_credentials (tenant_id, channel, summary, sealed, created_at, updated_at) values (%s, %s, '{}', '\\x00', %s, %s)",
                    (id, channel, since, since))
        self._connection.execute("create temporary table person (tenant_id integer, id uuid, name text, email text, phone text, role text)")
        with self._connection.cursor() as cursor:
            cursor.executemany("insert into person values (%s, %s, %s, %s, %s, %s)", [row for cell in cells for row in self._persons(cell)])
            self._connection.execute(
                """
                insert into kith.users (tenant_id, id, display_name, email, email_verified_at, phone, phone_verified_at, time_zone, tokens_valid_from, created_at, updated_at)
                select tenant_id, id, name, email, case when email is not null then %(since)s::timestamptz end, phone,
                  case when phone is not null then %(since)s::timestamptz end, 'UTC', %(since)s, %(since)s, %(since)s from person
                """, {"since": since})
            self._connection.execute(
                """
                insert into kith.sender_profiles (tenant_id, user_id, time_zone, ping_time, grace_minutes, reminder_minutes, timed_at, created_at, updated_at)
                select tenant_id, id, 'UTC', '11:00', 90, 15, %(since)s, %(since)s, %(since)s from person where role = 'sender'
                """, {"since": since})
            self._connection.execute(
                """
                insert into kith.receiver_profiles (tenant_id, user_id, created_at, updated_at)
                select tenant_id, id, %(since)s, %(since)s from person where role <> 'sender'
                """, {"since": since})
            self._connection.execute(
                """
                insert into kith.unique_codes (tenant_id, code, user_id, role, permanent, created_at)
                select tenant_id, lpad((100000 + row_number() over (partition by tenant_id))::text, 6, '0'), id, 'receiver', true, %s from person where role = 'receiver'
                """, (since,))
            cursor.executemany(
                "insert into kith.connections (tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at) "
                "values (%s, %s, %s, %s, 'active', %s, %s, %s, %s)",
                [(TENANTS[cell.tenant], f"{n}c000000-0000-7000-8000-{cell.n:012d}", ids["sender"], ids[role], ids[role], since, since, since)
                 for cell in cells for n, role in enumerate(("receiver", "other")) if role == "other" or cell.cause.connected for ids in (self._people[cell.n],)])
            cursor.executemany(
                "insert into kith.devices (tenant_id, token, user_id, platform, environment, public_key, auth_secret, created_at, last_seen_at) "
                "values (%s, %s, %s, %s, 'production', %s, %s, %s, %s)",
                [(TENANTS[cell.tenant], token, self._people[cell.n][role], platform, key, key, since, since)
                 for cell in cells for role, token, platform, key in self._devices(cell)])
            cursor.executemany(
                "insert into kith.quiet_hours (tenant_id, user_id, starts_at, ends_at, updated_at) values (%s, %s, '11:00', '20:00', %s)",
                [(TENANTS[cell.tenant], self._people[cell.n][cell.cause.reader], since) for cell in cells if cell.hours == "night"])
            cursor.executemany(
                "insert into kith.text_numbers (tenant_id, phone, stopped_at, answers_since, updated_at) values (%s, %s, %s, %s, %s)",
                [(TENANTS[cell.tenant], self._phone(cell, cell.cause.reader), since, since, since) for cell in cells if "stopped" in cell.has])

    def require_consent(self, is_required: bool) -> None:
        """Whether new connections wait for the consent of the code's owner."""
        self._connection.execute("update kith.tenants set requires_consent = %s where tenant_id = any (%s)", (is_required, list(TENANTS.values())))

    def analyze(self) -> None:
        """The planner's figures, as an installation has them: without, each statement takes ten times as long."""
        for table in ANALYZED:
            self._connection.execute(f"analyze kith.{table}")

    def end(self) -> None:
        self._connection.execute("rollback")

    def _has(self, cell: Cell, role: str) -> tuple[str, ...]:
        """What somebody can be reached by: the reader as the cell says, the others by a push."""
        if role == cell.cause.reader:
            return cell.has
        return ("phone",) if role == cell.cause.texts_to else ("dead",) if role == "sender" and not cell.cause.is_asked else ("push",)

    def _persons(self, cell: Cell):
        for role, id in self._people[cell.n].items():
            has = self._has(cell, role)
            yield (
                TENANTS[cell.tenant], id, {"sender": "Alice", "receiver": "Bob", "other": "Carol"}[role],
                f"p{cell.n}@example.org" if "email" in has else None, self._phone(cell, role) if {"phone", "stopped"} & set(has) else None, role)

    def _devices(self, cell: Cell):
        for role in ROLES:
            for kind in self._has(cell, role):
                if kind in ("push", "dead", "web"):
                    yield role, f"{'https://push.example/' if kind == 'web' else ''}{kind}-{cell.n}-{role}", *(("web", "k") if kind == "web" else ("ios", None))

    @staticmethod
    def _phone(cell: Cell, role: str) -> str:
        return f"+4915{ROLES.index(role)}{cell.n + 10000000}"

    def rows(self, statement: str, cells: list[Cell], **values) -> None:
        """Runs a statement for the pairs of some cells, with their people as `pair`."""
        pairs = [{"tenant_id": TENANTS[cell.tenant], **self._people[cell.n], "connection": f"0c000000-0000-7000-8000-{cell.n:012d}"} for cell in cells]
        if pairs:
            self._connection.execute(
                "with pair as (select * from jsonb_to_recordset(%(pairs)s::jsonb) as pair (tenant_id integer, sender uuid, receiver uuid, other uuid, connection uuid)) "
                + statement, {"pairs": json.dumps(pairs), **{name: text(value) if isinstance(value, datetime) else value for name, value in values.items()}})

    def act(self, cell: Cell, role: str, call: str, now: datetime) -> str:
        """One act of somebody of a cell's pair, or of the tenant's server."""
        answer = self._connection.execute(
            "select pg_temp.act(%s, %s::jsonb, %s, %s, %s)", (TENANTS[cell.tenant], json.dumps(self._people[cell.n]), role, call, text(now))).fetchone()[0]
        return answer or ""

    def work(self, now: datetime, loops: list[str] = LOOPS) -> None:
        """One pass of the worker's loops, without the deliveries."""
        self._connection.execute("set local role kith_worker")
        for loop in loops:
            for _ in range(10000):
                if self._connection.execute(f"select worker.{loop}(%s, 100)", (text(now),)).fetchone()[0] == 0:
                    break
            else:
                raise AssertionError(f"worker.{loop} does not end")
        self._connection.execute("reset role")

    def beat(self, now: datetime) -> None:
        """The heartbeat of the worker: the first one after a pause records the outage."""
        self._connection.execute("select worker.beat('worker', 'matrix', %s, null, %s)", (text(NOON - timedelta(days=60)), text(now)))

    def plan(self, now: datetime) -> None:
        self._connection.execute("set local role kith_worker")
        while self._connection.execute("select worker.plan_deliveries(%s, 100, false)", (text(now),)).fetchone()[0] > 0:
            pass
        self._connection.execute("reset role")

    def deliver(self, now: datetime, answers) -> None:
        """Claims what is due and finishes it as `answers(cell, channel, address, asked_at)` says; None leaves it in the provider's hands."""
        self._connection.execute("set local role kith_worker")
        for channel in CHANNELS:
            while True:
                claimed = self._connection.execute(
                    "select tenant_id, id, address, body from worker.claim_deliveries(%s, %s, 100, 100, 0, '{}', '{}', 'matrix')", (text(now), channel)).fetchall()
                if not claimed:
                    break
                results = []
                for tenant, id, address, body in claimed:
                    self._bodies[id] = body
                    answer = answers(self._cell_of(address), channel, address, now)
                    if answer is not None:
                        results.append({"tenant_id": tenant, "id": str(id), **answer})
                if results:
                    self._connection.execute("select worker.finish_deliveries(%s, 'matrix', %s::jsonb)", (text(now), json.dumps(results)))
        for loop in ("drop_expired_deliveries", "give_up_deliveries", "alarm_operator"):
            self._connection.execute(f"select worker.{loop}(%s, 5000)", (text(now),))
        self._connection.execute("reset role")

    def hang_up(self, now: datetime, is_unanswered) -> None:
        """What the provider of calls reports of those of the last minutes that nobody has answered, as `is_unanswered(cell)` says."""
        called = self._connection.execute(
            "select tenant_id, id, address from kith.deliveries where tenant_id = any (%s) and channel = 'voice' and status = 'sent' and error is null and sent_at > %s",
            (list(TENANTS.values()), text(now - timedelta(minutes=5)))).fetchall()
        self._connection.execute("set local role kith_api")
        for tenant, id, address in called:
            if is_unanswered(self._cell_of(address)):
                self._connection.execute(
                    "select api.receive_call(%s, %s, array[sha256('call'), sha256(%s::text::bytea), sha256('end')], null, 'no_answer', true, %s)",
                    (tenant, id, str(id), text(now)))
        self._connection.execute("select set_config('role', 'none', true), set_config('kith.tenant_id', '', true), set_config('kith.user_id', '', true)")

    def _cell_of(self, address: str) -> int:
        if address.startswith("+"):
            return int(address[6:]) - 10000000
        if "@" in address:
            return int(address.split("@")[0][1:])
        return int(address.rsplit("-", 2)[1])

    def told(self) -> dict[int, list[tuple[str, datetime, str]]]:
        """For each cell the channels that took its message, when, and with which words."""
        found = self._connection.execute(
            """
            select right(note.user_id::text, 12)::integer, left(note.user_id::text, 1)::integer, note.type, note.created_at, delivery.channel, delivery.sent_at, delivery.id
            from kith.notifications as note
            join kith.deliveries as delivery on delivery.tenant_id = note.tenant_id and delivery.notification_id = note.id
            where note.tenant_id = any (%s) and delivery.status = 'sent' and not internal.is_unheard(delivery.status, delivery.error) order by delivery.sent_at
            """, (list(TENANTS.values()),)).fetchall()
        return self._of_cells((n, role, type, created_at, (channel, at, self._bodies[id] or "")) for n, role, type, created_at, channel, at, id in found)

    def caused(self) -> set[int]:
        """The cells whose message is written."""
        found = self._connection.execute(
            "select right(user_id::text, 12)::integer, left(user_id::text, 1)::integer, type, created_at, true from kith.notifications where tenant_id = any (%s)",
            (list(TENANTS.values()),)).fetchall()
        return set(self._of_cells(found))

    def others(self) -> dict[int, frozenset]:
        """For each cell the types of which its reader was told after noon, whatever made them."""
        found = self._connection.execute(
            """
            select right(note.user_id::text, 12)::integer, left(note.user_id::text, 1)::integer, note.type
            from kith.notifications as note
            where note.tenant_id = any (%s) and note.created_at > %s and note.delivery_status = 'sent'
            """, (list(TENANTS.values()), NOON)).fetchall()
        by_cell = {cell.n: cell for cell in self.cells}
        result: dict[int, frozenset] = {}
        for n, role, type in found:
            if ROLES[role - 1] == by_cell[n].cause.reader:
                result[n] = result.get(n, frozenset()) | {type}
        return result

    def reported(self) -> set[int]:
        """The cells whose message stands in the list of what reached nobody."""
        found = self._connection.execute(
            """
            select right(alarm.user_id::text, 12)::integer, left(alarm.user_id::text, 1)::integer, alarm.type, note.created_at, true
            from kith.undelivered_alarms as alarm
            join kith.notifications as note on note.tenant_id = alarm.tenant_id and note.id = alarm.notification_id
            where alarm.tenant_id = any (%s) and alarm.resolved_at is null
            """, (list(TENANTS.values()),)).fetchall()
        return set(self._of_cells(found))

    def _of_cells(self, found) -> dict[int, list]:
        by_cell = {cell.n: cell for cell in self.cells}
        result: dict[int, list] = {}
        for n, role, type, created_at, value in found:
            cell = by_cell[n]
            # What came before is history, and what came of the act meanwhile is another message.
            if ROLES[role - 1] == cell.cause.reader and type == cell.cause.type and created_at == NOON:
                result.setdefault(n, []).append(value)
        return result

    def types(self):
        """The rows of the table of types."""
        return self._connection.execute("select type, traits, relation, channels from internal.notification_types()").fetchall()
