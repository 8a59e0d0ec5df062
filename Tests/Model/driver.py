"""Plays acts on the database, with the statements by which the server and the worker call their procedures."""

import itertools
import json

import psycopg

from times import text

# The acts that a suspension of the tenant does not refuse (A02).
WHILE_SUSPENDED = {"POST /v1/pings/check-in"}

# For each call the procedure that the server calls, and its arguments: a value of the path, the query or the body, or a constant.
PROCEDURES = {
    "PUT /v1/me/sender-profile": ("api.put_sender_profile", "body:jsonb now"),
    "PUT /v1/me/receiver-profile": ("api.put_receiver_profile", "body:jsonb now"),
    "DELETE /v1/me/sender-profile": ("api.delete_sender_profile", "now"),
    "DELETE /v1/me/receiver-profile": ("api.delete_receiver_profile", "now"),
    "GET /v1/me/codes": ("api.list_codes", "now"),
    "POST /v1/me/codes": ("api.create_code", "body:jsonb now"),
    "PUT /v1/me/break": ("api.put_break", "body:jsonb now"),
    "DELETE /v1/me/break": ("api.delete_break", "now"),
    "PUT /v1/me/blocks/{}": ("api.put_block", "path.0:uuid now"),
    "DELETE /v1/me/blocks/{}": ("api.delete_block", "path.0:uuid now"),
    "GET /v1/codes/{}": ("api.preview_code", "path.0:text now"),
    "POST /v1/connections": ("api.create_connection", "body.code:text now"),
    "GET /v1/connections": ("api.list_connections", "query.role:text null:text =200:integer null:uuid now"),
    "GET /v1/connections/{}": ("api.get_connection", "path.0:uuid now"),
    "PATCH /v1/connections/{}": ("api.update_connection", "path.0:uuid body:jsonb now"),
    "POST /v1/connections/{}/pause": ("api.pause_connection", "path.0:uuid now"),
    "POST /v1/connections/{}/resume": ("api.resume_connection", "path.0:uuid now"),
    "POST /v1/connections/{}/consent": ("api.consent_connection", "path.0:uuid now"),
    "DELETE /v1/connections/{}": ("api.remove_connection", "path.0:uuid now"),
    "GET /v1/dashboard": ("api.get_dashboard", "query.role:text query.order:text null:integer null:text now"),
    "POST /v1/pings/check-in": ("api.check_in", "body.note:text body.share_note:boolean null:text =app:text now"),
    "GET /v1/pings": ("api.list_pings", "query.date:date null:date null:date null:text =200:integer null:text now"),
    "POST /v1/vaults": ("api.create_vault", "body:jsonb now"),
    "GET /v1/vaults": ("api.list_vaults", "null:text query.deleted:boolean =200:integer null:uuid now"),
    "GET /v1/vaults/{}": ("api.get_vault", "path.0:uuid now"),
    "PATCH /v1/vaults/{}": ("api.update_vault", "path.0:uuid body:jsonb now"),
    "DELETE /v1/vaults/{}": ("api.delete_vault", "path.0:uuid now"),
    "POST /v1/vaults/{}/restore": ("api.restore_vault", "path.0:uuid now"),
    "POST /v1/vaults/{}/open": ("api.open_vault", "path.0:uuid now"),
    "POST /v1/vaults/{}/lock": ("api.lock_vault", "path.0:uuid now"),
    "POST /v1/vaults/{}/activity": ("api.note_vault_activity", "path.0:uuid now"),
    "GET /v1/vaults/{}/nominees": ("api.list_nominees", "path.0:uuid null:text[] null:text[] =200:integer null:uuid now"),
    "POST /v1/vaults/{}/nominees": ("api.invite_nominees", "path.0:uuid list:jsonb =https://kith.example:text now"),
    "PATCH /v1/vaults/{}/nominees/{}": ("api.update_nominee", "path.0:uuid path.1:uuid body:jsonb now"),
    "DELETE /v1/vaults/{}/nominees/{}": ("api.revoke_nominee", "path.0:uuid path.1:uuid now"),
    "POST /v1/vaults/{}/nominees/{}/confirm": ("api.confirm_nominee", "path.0:uuid path.1:uuid now"),
    "POST /v1/vaults/{}/nominees/{}/resend": ("api.resend_nominee_invitation", "path.0:uuid path.1:uuid null:text =https://kith.example:text now"),
    "POST /v1/invitations/{}/accept": ("api.accept_invitation", "path.0:uuid now"),
    "POST /v1/invitations/{}/decline": ("api.decline_invitation", "path.0:uuid now"),
    "GET /v1/vaults/{}/documents": ("api.list_documents", "path.0:uuid null:boolean =200:integer null:uuid now"),
    "POST /v1/vaults/{}/transfer": ("api.create_transfer", "path.0:uuid body:jsonb =https://kith.example:text now"),
    "GET /v1/vaults/{}/nominees/{}/emergency": ("api.get_emergency_settings", "path.0:uuid path.1:uuid now"),
    "PUT /v1/vaults/{}/nominees/{}/emergency": ("api.set_emergency_settings", "path.0:uuid path.1:uuid body:jsonb now"),
    "DELETE /v1/vaults/{}/nominees/{}/emergency": ("api.remove_emergency_settings", "path.0:uuid path.1:uuid now"),
    "GET /v1/vaults/{}/emergency/quorum": ("api.get_emergency_quorum", "path.0:uuid now"),
    "PUT /v1/vaults/{}/emergency/quorum": ("api.set_emergency_quorum", "path.0:uuid body:jsonb now"),
    "DELETE /v1/vaults/{}/emergency/quorum": ("api.remove_emergency_quorum", "path.0:uuid now"),
    "GET /v1/vaults/{}/emergency/requests": ("api.list_emergency_requests", "path.0:uuid query.status:text =200:integer null:uuid now"),
    "POST /v1/vaults/{}/emergency/requests": ("api.request_emergency_access", "path.0:uuid body.reason:text now"),
    "GET /v1/vaults/{}/emergency/requests/{}": ("api.get_emergency_request", "path.0:uuid path.1:uuid now"),
    "POST /v1/vaults/{}/emergency/requests/{}/approve": ("api.approve_emergency_request", "path.0:uuid path.1:uuid now"),
    "POST /v1/vaults/{}/emergency/requests/{}/reject": ("api.reject_emergency_request", "path.0:uuid path.1:uuid now"),
    "POST /v1/vaults/{}/emergency/requests/{}/withdraw": ("api.withdraw_emergency_request", "path.0:uuid path.1:uuid now"),
    "POST /v1/vaults/{}/emergency/enter": ("api.enter_emergency", "path.0:uuid now"),
    "GET /v1/me/emergency": ("api.my_emergency", "now"),
    "GET /v1/me/emergency/rehearsal": ("api.rehearse_emergency", "query.from:timestamptz null:timestamptz =1000:integer now"),
    # What the server calls when it has accepted a token, whatever the request.
    "uses the app": ("api.note_use", "tenant:integer path.0:uuid now"),
    "GET /v1/notifications": ("api.list_notifications", "null:boolean null:text =200:integer null:uuid"),
}


# Calls a procedure, keeps its answer, and undoes the rest.
PROBE = """
create function pg_temp.probe(p_calls jsonb) returns jsonb language plpgsql as $$
declare
  v_call jsonb;
  v_answer jsonb;
  v_answers jsonb := '[]';
begin
  for v_call in select value from jsonb_array_elements(p_calls) loop
    begin
      perform set_config('kith.tenant_id', v_call -> 'caller' ->> 0, true), set_config('kith.user_id', v_call -> 'caller' ->> 1, true),
        set_config('kith.actor', v_call -> 'caller' ->> 2, true), set_config('kith.now', '', true);
      execute 'select ' || (v_call ->> 'call') into v_answer;
      raise exception 'undo' using errcode = 'ZZ000';
    exception
      when sqlstate 'ZZ000' then
        v_answers := v_answers || jsonb_build_object('body', v_answer);
      when others then
        if left(sqlstate, 2) <> 'KT' then
          raise;
        end if;
        v_answers := v_answers || jsonb_build_object('code', sqlerrm);
    end;
  end loop;
  return v_answers;
end
$$
"""


class Call:
    """A request: `Call(alice, "GET /v1/connections/{}", id)`."""

    def __init__(self, person, route, *path, query=None, body=None):
        self.person, self.route, self.path, self.query, self.body = person, route, path, query or {}, body


class Answer:
    def __init__(self, status, body=None, code=None):
        self.status, self.body, self.code = status, body, code


class Database:
    """Everything that an example does is one transaction, which is rolled back at its end. Each act is a savepoint."""

    TENANTS = {"acme": 1999999001, "globex": 1999999002}

    def __init__(self, url, since):
        self.connection = psycopg.connect(
            url, autocommit=True, prepare_threshold=0, options="-c plan_cache_mode=force_generic_plan -c jit=off -c client_min_messages=error"
        )
        # A statement for each call and each job.
        self.connection.prepared_max = 1000
        self.since = since
        self.connection.execute(PROBE)

    def begin(self, people, requires_consent):
        self.connection.execute("begin")
        with self.connection.pipeline():
            for slug, id in self.TENANTS.items():
                self.connection.execute(
                    "insert into kith.tenants (tenant_id, slug, name, brand_name, requires_consent, created_at, updated_at) values (%s, %s, %s, 'PRUUF', %s, %s, %s)",
                    (id, f"model-{slug}", slug, requires_consent, self.since, self.since),
                )
            for person in people:
                self.connection.execute(
                    "insert into kith.users (tenant_id, id, display_name, tokens_valid_from, created_at, updated_at) values (%s, %s, %s, %s, %s, %s)",
                    (self.TENANTS[person.tenant], person.id, person.name, self.since, self.since, self.since),
                )
            # Operators' acts happen now, except in a database that says it is for development.
            self.connection.execute("create table if not exists internal.development ()")
            self.connection.execute("set local role kith_api")

    def end(self):
        self.connection.execute("rollback")

    #: The settings that the server makes in the same statement. kith.now is one that procedures set for their transaction.
    SETTINGS = (
        "set_config('kith.tenant_id', %s, true) is not null and set_config('kith.user_id', %s, true) is not null "
        "and set_config('kith.actor', %s, true) is not null and set_config('kith.now', '', true) is not null"
    )

    def caller(self, person):
        return [str(self.TENANTS[person.tenant]), person.id, f"user:{person.id}"]

    def procedure(self, call, now):
        """The call of a procedure, and its arguments."""
        procedure, arguments = PROCEDURES[call.route]
        types, values = [], []
        for argument in arguments.split():
            name, _, type = argument.rpartition(":") if ":" in argument else (argument, "", "timestamptz")
            source, _, key = name.partition(".")
            if source == "now":
                value = now
            elif source == "tenant":
                value = self.TENANTS[call.person.tenant]
            elif source == "path":
                value = call.path[int(key)]
            elif source == "query":
                value = call.query.get(key)
            elif source == "body":
                value = (call.body or {}).get(key) if key else json.dumps(call.body or {})
            elif source == "list":
                value = json.dumps([call.body])
            else:
                value = None if source == "null" else source[1:]
            types.append(f"%s::{type}")
            values.append(None if value is None else str(value))
        returns = f"to_jsonb({procedure}({', '.join(types)})::text)" if procedure == "api.note_use" else f"{procedure}({', '.join(types)})::jsonb"
        return returns, values

    def statement(self, call, now):
        procedure, values = self.procedure(call, text(now))
        check = "" if call.route.startswith("GET") or call.route in WHILE_SUSPENDED else " and api.require_caller()"
        return f"select case when {self.SETTINGS}{check} then {procedure} end", self.caller(call.person) + values

    def act(self, call, now):
        """One request, which may be refused."""
        self.connection.execute("savepoint act")
        try:
            body = self.connection.execute(*self.statement(call, now)).fetchone()[0]
        except psycopg.Error as refusal:
            if not (refusal.sqlstate or "").startswith("KT"):
                raise
            self.connection.execute("rollback to savepoint act")
            return Answer(int(refusal.sqlstate[2:]), code=refusal.diag.message_primary)
        finally:
            if self.connection.info.transaction_status == psycopg.pq.TransactionStatus.INTRANS:
                self.connection.execute("release savepoint act")
        if call.route == "POST /v1/vaults/{}/nominees":
            # A result for each of several, of which one alone is the answer.
            if "nominee" not in body[0]:
                return Answer(None, code=body[0]["message"])
            body = body[0]["nominee"]
        if isinstance(body, dict) and "problem" in body:
            return Answer(None, code=body["problem"])
        if isinstance(body, dict) and "answer" in body:
            return Answer(body["answer"], body["body"])
        return Answer(204 if body is None else 200, body)

    def read(self, calls, now):
        """Requests that are not refused, in one round trip: those of one person in one statement."""
        with self.connection.pipeline():
            cursors = []
            for person, theirs in itertools.groupby(calls, lambda call: call.person):
                procedures = [self.procedure(call, text(now)) for call in theirs]
                called = ", ".join(procedure for procedure, _ in procedures)
                values = self.caller(person) + [value for _, values in procedures for value in values]
                cursors.append(self.connection.execute(f"select case when {self.SETTINGS} then jsonb_build_array({called}) end", values))
        return [answer for cursor in cursors for answer in cursor.fetchone()[0]]

    def probe(self, calls, now):
        """What these requests would answer: a body or the code of a refusal for each. None of them leaves anything behind."""
        if not calls:
            return []
        probed = []
        for call in calls:
            procedure, values = self.procedure(call, text(now))
            probed.append({"caller": self.caller(call.person), "call": psycopg.ClientCursor(self.connection).mogrify(procedure, values)})
        return self.connection.execute("select pg_temp.probe(%s)", [json.dumps(probed)]).fetchone()[0]

    def add_document(self, vault, owner, now):
        """Puts a document into a vault without opening it."""
        self.connection.execute("reset role")
        self.connection.execute(
            "insert into kith.documents (tenant_id, id, vault_id, owner_id, version_id, name, content_type, size, sha256, created_at, created_by, updated_at) "
            "values (%s, gen_random_uuid(), %s, %s, gen_random_uuid(), 'Will.pdf', 'application/pdf', 0, sha256(''), %s, %s, %s)",
            (self.TENANTS[owner.tenant], vault.id, owner.id, text(now), owner.id, text(now)),
        )
        self.connection.execute("set local role kith_api")

    def rows(self, query):
        """What is in the tables, whatever the procedures say."""
        self.connection.execute("reset role")
        rows = self.connection.execute(query, [list(self.TENANTS.values())]).fetchall()
        self.connection.execute("set local role kith_api")
        return rows

    def operate(self, procedure, arguments):
        """An operator's call in psql, which may be refused: the answer's first column, or the code of the refusal."""
        self.connection.execute("savepoint act")
        self.forget_caller()
        self.connection.execute("set local role kith_admin")
        try:
            values = ", ".join(["%s"] * len(arguments))
            return Answer(200, self.connection.execute(f"select {procedure}({values})", arguments).fetchone()[0])
        except psycopg.Error as refusal:
            if not (refusal.sqlstate or "").startswith("KT"):
                raise
            self.connection.execute("rollback to savepoint act")
            return Answer(int(refusal.sqlstate[2:]), code=refusal.diag.message_primary)
        finally:
            if self.connection.info.transaction_status == psycopg.pq.TransactionStatus.INTRANS:
                self.connection.execute("release savepoint act")
                self.connection.execute("set local role kith_api")

    def stop_servers(self, now):
        """The last heartbeat of a server."""
        self.connection.execute("set local role kith_worker")
        self.connection.execute("select worker.beat('server', 'model', %s, null, %s)", (text(self.since), text(now)))
        self.connection.execute("set local role kith_api")

    def return_servers(self, now):
        """The first heartbeat afterwards. Where there is none at all, the servers count as running, so the machine need not send any."""
        self.stop_servers(now)
        self.connection.execute("reset role")
        self.connection.execute("delete from kith.heartbeats where instance = 'model'")
        self.connection.execute("set local role kith_api")

    def watch_servers(self, now):
        """What the worker does before each round."""
        self.connection.execute("set local role kith_worker")
        self.connection.execute("select worker.watch_server(%s)", (text(now),))
        self.connection.execute("set local role kith_api")

    NEWEST_NOTICE = (
        "(select id from kith.notifications where tenant_id = %s and data ->> 'request_id' = %s and data ->> 'to' = 'owner' order by id desc limit 1)"
    )

    def lose_notice(self, request, now):
        """All channels have failed for the newest notice of a request to its owner, as worker.finish_deliveries records it."""
        tenant = self.TENANTS[request.owner.tenant]
        self.connection.execute("reset role")
        self.connection.execute(
            "insert into kith.undelivered_alarms (tenant_id, notification_id, user_id, type, at) "
            f"select tenant_id, id, user_id, type, %s from kith.notifications where tenant_id = %s and id = {self.NEWEST_NOTICE} on conflict do nothing",
            (text(now), tenant, tenant, request.id),
        )
        self.connection.execute("set local role kith_api")

    def deliver_notice(self, request, now):
        tenant = self.TENANTS[request.owner.tenant]
        self.connection.execute("reset role")
        self.connection.execute(
            f"update kith.notifications set sent_at = %s where sent_at is null and tenant_id = %s and id = {self.NEWEST_NOTICE}", (text(now), tenant, tenant, request.id)
        )
        self.connection.execute("set local role kith_api")

    def forget_caller(self):
        self.connection.execute("select set_config('kith.tenant_id', '', true), set_config('kith.user_id', '', true), set_config('kith.actor', '', true), set_config('kith.now', '', true)")

    def find_gaps(self, now, batch):
        """The whole hourly check, even if the last one was less than an hour ago; the number of gaps found."""
        self.connection.execute("reset role")
        before = self.connection.execute("select count(*) from kith.ping_gaps").fetchone()[0]
        self.connection.execute("update kith.gap_checks set began_at = '1970-01-01Z', finished_at = '1970-01-01Z'")
        self.work("find_gaps", now, batch)
        self.connection.execute("reset role")
        found = self.connection.execute("select count(*) from kith.ping_gaps").fetchone()[0] - before
        self.connection.execute("set local role kith_api")
        return found

    def work(self, procedure, now, batch):
        """Calls a procedure of the worker until it has nothing left to do; the number of things done."""
        done = 0
        self.forget_caller()
        self.connection.execute("set local role kith_worker")
        while True:
            more = self.connection.execute(f"select worker.{procedure}(%s, %s)", (text(now), batch)).fetchone()[0]
            done += more
            if more == 0:
                break
            assert done < 10_000, f"worker.{procedure} does not end"
        self.connection.execute("set local role kith_api")
        return done
