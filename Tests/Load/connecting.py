"""Connecting by code: POST /v1/connections."""

from pathlib import Path

import psycopg

from call import CONNECT
from writing import Writing

DONE = """
select count(distinct attempt.id), count(distinct ping.connection_id), count(distinct told.id)
from kith.code_attempts as attempt
join load.pairs as pair on pair.tenant_id = attempt.tenant_id and pair.sender_id = attempt.user_id
left join kith.connections as connection
  on connection.tenant_id = pair.tenant_id and connection.sender_id = pair.sender_id
  and connection.receiver_id = pair.receiver_id
left join kith.pings as ping on ping.tenant_id = connection.tenant_id and ping.connection_id = connection.id
left join kith.notifications as told
  on told.tenant_id = pair.tenant_id and told.user_id = pair.receiver_id and told.type = 'connection_request'
where pair.n between %s and %s
"""


class Connecting(Writing):
    """Senders who each redeem the code of a different receiver."""

    call = CONNECT

    def callers(self, numbers: range) -> list[tuple[int, str, str]]:
        self._numbers = numbers
        with self._stage.cluster.connect(self._database) as session:
            return pairs(session, numbers)

    def check(self) -> None:
        with self._stage.cluster.connect(self._database) as session:
            check(session, self._numbers)


def pairs(session: psycopg.Connection, numbers: range) -> list[tuple[int, str, str]]:
    """Gives each of these senders the code of a receiver to whom they are not connected yet."""
    for name, number in {"first": numbers[0], "last": numbers[-1]}.items():
        session.execute("select set_config(%s, %s, false)", (f"load.{name}", str(number)))
    session.execute(Path(__file__).with_name("pairs.sql").read_text())
    session.execute("vacuum analyze load.pairs, kith.sender_profiles, kith.unique_codes")
    return session.execute(
        "select tenant_id, sender_id::text, code from load.pairs where n between %s and %s", (numbers[0], numbers[-1])
    ).fetchall()


def check(session: psycopg.Connection, numbers: range) -> None:
    """Raises RuntimeError unless every code that these senders redeemed made a connection, a ping and a notification."""
    redeemed, connected, told = session.execute(DONE, (numbers[0], numbers[-1])).fetchone()
    if not redeemed == connected == told:
        raise RuntimeError(f"{redeemed} codes made {connected} connections with a ping and {told} notifications")
