"""Inviting 1,000 people in one call, compared with inserting the same rows by one raw statement."""

import http.client
import json
import time
import uuid
from urllib.parse import urlsplit

import tokens
from result import report
from rounds import in_turns
from stage import Stage

RECIPIENTS = 1000
CALLS = 20
"""Calls per round, each by a different sender, because the daily limit allows only two."""

RAW = """
with invitation as (
  insert into kith.connection_invitations (tenant_id, id, user_id, message, code, url, recipients, created_at)
  values (%(tenant)s, %(id)s, %(user)s, %(message)s, '123456', 'https://pruuf.app/join?code=123456', %(recipients)s, now())
  returning tenant_id, id, user_id, created_at
)
insert into kith.connection_invitation_recipients (
  tenant_id, invitation_id, n, user_id, given_phone, phone, status, updated_at
)
select tenant_id, id, n, user_id, '0151 ' || 10000000 + n, '+49151' || 10000000 + n, 'pending', created_at
from invitation, generate_series(1, %(recipients)s) as n
"""
MESSAGE = (
    "Alice wants to send you daily pings on PRUUF to let you know they're safe. Download the app and use code 123456 to"
    " connect: https://pruuf.app/join"
)


def run(stage: Stage) -> None:
    body = json.dumps({"recipients": [{"phone": f"0151 {10_000_000 + n}"} for n in range(1, RECIPIENTS + 1)]})
    rounds = stage.size.rounds
    with stage.people() as database, stage.serving(database) as server:
        with stage.cluster.connect(database) as session:
            senders: list[tuple[int, str]] = session.execute(
                "select tenant_id, user_id::text from kith.sender_profiles order by user_id limit %s", (rounds * CALLS,)
            ).fetchall()
            session.execute("update kith.tenants set default_region = 'DE'")
        callers = iter(senders)
        ours, peer = in_turns(
            rounds,
            lambda: _by_call(server.url, body, callers),
            lambda: _by_statement(stage, database, senders),
        )
    milliseconds = sorted(RECIPIENTS * 1000 / rate for rate in ours)[len(ours) // 2]
    what = (
        f"recipients a second by POST /v1/connection-invitations of {RECIPIENTS} ({milliseconds:.0f} ms a call, numbers"
        " read and the answer given) and by one raw insert of the same rows"
    )
    report("invite-1000", ours, peer, what)


def _by_call(url: str, body: str, callers) -> float:
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=20)
    spent = 0.0
    for _ in range(CALLS):
        tenant, user = next(callers)
        headers = {"Authorization": f"Bearer {tokens.mint(tenant, user)}", "Content-Type": "application/json"}
        began = time.monotonic()
        connection.request("POST", "/v1/connection-invitations", body, headers)
        answer = connection.getresponse()
        text = answer.read()
        spent += time.monotonic() - began
        made = json.loads(text)
        if answer.status != 201 or any(recipient["status"] != "pending" for recipient in made["recipients"]):
            raise RuntimeError(f"not everybody was invited: {answer.status} {text[:300]!r}")
    connection.close()
    return RECIPIENTS * CALLS / spent


def _by_statement(stage: Stage, database: str, senders: list[tuple[int, str]]) -> float:
    with stage.cluster.connect(database) as session:
        session.prepare_threshold = 0
        spent = 0.0
        for tenant, user in senders[:CALLS]:
            values = {
                "tenant": tenant, "id": str(uuid.uuid4()), "user": user, "message": MESSAGE, "recipients": RECIPIENTS,
            }
            began = time.monotonic()
            session.execute(RAW, values)
            spent += time.monotonic() - began
    return RECIPIENTS * CALLS / spent
