"""Answers by text message that a provider forwards, compared with check-ins over the API by the same senders."""

import json
from pathlib import Path

from call import Call, Caller
from checking_in import CheckIns
from result import at_least, report
from rounds import in_turns
from stage import Stage

SECRET = "the secret of the provider"
POOL, CONNECTIONS = 12, 32
"""What serves check-ins best on two processors (api_write.py)."""

NUMBERS = """
update kith.users as account
set phone = '+4915' || lpad(sender.n::text, 9, '0'), phone_verified_at = now()
from load.senders as sender
where account.tenant_id = sender.tenant_id and account.id = sender.user_id
"""


class Answers(CheckIns):
    """Senders who each answer "OK" once, instead of checking in over the API."""

    def callers(self, numbers: range) -> list[tuple[int, str, str]]:
        with self._stage.cluster.connect(self._database) as session:
            session.execute(NUMBERS)
            self._tokens = dict(
                session.execute("select tenant_id, inbound_token from kith.channel_credentials where channel = 'sms'").fetchall()
            )
            return session.execute(
                "select tenant_id, user_id::text, '+4915' || lpad(n::text, 9, '0') from load.senders where n between %s and %s",
                (numbers[0], numbers[-1]),
            ).fetchall()

    def _walk(self, name: str, call: Call, callers: list[Caller]) -> Path:
        walk = self._stage.folder / f"{name}.walk"
        walk.write_text("".join(
            f"POST\t/v1/inbound/sms/{self._tokens[caller.tenant]}\t{SECRET}\t"
            + json.dumps({"From": caller.subject, "Body": "OK", "MessageSid": f"{name}-{caller.subject}"}) + "\n"
            for caller in callers
        ))
        return walk


def run(stage: Stage) -> None:
    # Each measurement begins on a copy of the same morning.
    def answers() -> float:
        with stage.morning() as database:
            _take_answers(stage, database)
            with stage.serving(database, check_in_connections=POOL, inbound_limit=0) as server:
                texts = Answers(stage, database)
                texts.warm_up(server.url, CONNECTIONS)
                return texts.over_http(server.url, CONNECTIONS).rate

    def check_ins() -> float:
        with stage.morning() as database, stage.serving(database, check_in_connections=POOL) as server:
            calls = CheckIns(stage, database)
            calls.introduce(server.url, CONNECTIONS)
            calls.warm_up(server.url, CONNECTIONS)
            return calls.over_http(server.url, CONNECTIONS).rate

    ours, peer = in_turns(stage.size.rounds, answers, check_ins)
    report(
        "inbound", ours, peer,
        "answers by text message a second, each signed, understood, a check-in, and answered, against check-ins a second over the API",
        at_least(0.6),
    )


def _take_answers(stage: Stage, database: str) -> None:
    settings = json.dumps({
        "url": "https://127.0.0.1:1/", "from": "Kith", "inbound": {"signature": "bearer", "secret": SECRET},
    })
    for tenant in range(1, stage.size.tenants + 1):
        stage.kith.command(
            stage.cluster.url(database), "tenant", "channel", "set", f"tenant-{tenant}", "sms", "-", text=settings,
        )
