"""A mixed load: what people do in a morning, by how often they do it."""

import itertools
import random

import psycopg

import connecting
import pgbench
import wrk
from call import CHECK_IN, CONNECT, DASHBOARD, GET, LOOK, PAUSE, PREVIEW, REMOVE, RESUME, Call, Caller
from journal import WARM_UP_SECONDS, Journal
from stage import Stage

SHARES: dict[str, tuple[int, Call]] = {
    "get": (60, GET),
    "dashboard": (20, DASHBOARD),
    "check-in": (10, CHECK_IN),
    "preview": (4, PREVIEW),
    "connect": (3, CONNECT),
    "pause": (1, PAUSE),
    "resume": (1, RESUME),
    "remove": (1, REMOVE),
}
"""Of a hundred calls. Who only looks does so again and again; everybody else makes their call once."""
LOOKS = ("get", "dashboard")
LOOKERS = 2000
CLIENTS = 64

CONNECTIONS = """
select connection.tenant_id, connection.sender_id::text, connection.receiver_id::text, connection.id::text
from load.senders as sender
cross join lateral (
  select * from kith.connections
  where tenant_id = sender.tenant_id and sender_id = sender.user_id
  order by id limit 1
) as connection
where sender.n between %s and %s
"""


class Mix:
    """People of a database who make all kinds of calls, each kind by senders of its own and about their connections."""

    def __init__(self, stage: Stage, database: str):
        self._stage = stage
        self._database = database
        self._seconds = 2 * stage.size.round_seconds
        self._calls = stage.size.calls_per_second * (WARM_UP_SECONDS + self._seconds)
        self._callers: dict[str, list[Caller]] = {}
        first = 0
        with stage.cluster.connect(database) as session:
            for kind, (share, _) in SHARES.items():
                numbers = range(first, first + (LOOKERS if kind in LOOKS else self._calls * share // 100))
                first = numbers.stop
                self._callers[kind] = _callers(session, kind, numbers)
                if kind == "connect":
                    self._connecting = numbers
            _pause(session, self._callers["resume"])

    def over_http(self, url: str) -> Journal:
        """What a server answers over 64 connections; it is shown the tokens first, as pgbench has none to check."""
        looks = self._stage.folder / "looks.walk"
        looks.write_text("".join(
            LOOK.request(caller) + "\n" for caller in itertools.chain.from_iterable(self._callers.values())
        ))
        walk = self._stage.folder / "mix.walk"
        walk.write_text("".join(self._requests()))
        wrk.once(url, looks, CLIENTS)
        journal = wrk.logged(url, walk, CLIENTS, self._seconds)
        self._check()
        return journal

    def by_pgbench(self) -> Journal:
        """The same statements, each a transaction of its own; 64 clients, as so many requests are under way at once.

        What a call is about is looked up within its statement, because a round trip for that would count as its time.
        """
        self._store_calls()
        scripts = {}
        for number, (kind, (share, call)) in enumerate(SHARES.items()):
            script = self._stage.folder / f"{kind}.pgbench"
            again = f" % {len(self._callers[kind])}" if kind in LOOKS else ""
            script.write_text("\n".join([
                rf"\set n (:client_id + {CLIENTS} * :made_{number}){again}",
                rf"\set made_{number} :made_{number} + 1",
                call.statement(before="call.", now="clock_timestamp()") + " as answer",
                f"from load.calls as call where kind = '{kind}' and n = :n",
                # It refuses what is not one row: the callers have come to their end.
                r"\gset",
            ]) + "\n")
            scripts[script] = share
        journal = pgbench.load(
            self._stage.cluster, self._database, scripts, CLIENTS, self._seconds,
            {f"made_{number}": 0 for number in range(len(SHARES))},
        )
        self._check()
        return journal

    def _requests(self) -> list[str]:
        """Enough of them, in the same order for each database."""
        requests = []
        for kind, (share, call) in SHARES.items():
            lines = [f"{call.request(caller)}\t{kind}\n" for caller in self._callers[kind]]
            requests += itertools.islice(itertools.cycle(lines), self._calls * share // 100)
        random.Random(0).shuffle(requests)
        return requests

    def _store_calls(self) -> None:
        with self._stage.cluster.connect(self._database) as session:
            session.execute(
                "create table load.calls (kind text, n integer, t text, u text, a text, s text, primary key (kind, n))"
            )
            with session.cursor().copy("copy load.calls from stdin") as copy:
                for kind, callers in self._callers.items():
                    for n, (tenant, user, subject) in enumerate(callers):
                        copy.write_row([kind, n, str(tenant), user, f"user:{user}", subject])
            session.execute("grant usage on schema load to kith_api")
            session.execute("grant select on load.calls to kith_api")
            session.execute("vacuum analyze load.calls")

    def _check(self) -> None:
        with self._stage.cluster.connect(self._database) as session:
            connecting.check(session, self._connecting)


def _callers(session: psycopg.Connection, kind: str, numbers: range) -> list[Caller]:
    """The senders of these numbers or their receivers, and what they call about."""
    if kind in ("preview", "connect"):
        return [Caller(*pair) for pair in connecting.pairs(session, numbers)]
    callers = []
    for tenant, sender, receiver, connection in session.execute(CONNECTIONS, (numbers[0], numbers[-1])):
        # Only senders check in, pause and resume; all else both sides do, one half each.
        is_sender = kind in ("check-in", "pause", "resume") or len(callers) % 2 == 0
        role = "sender" if is_sender else "receiver"
        callers.append(Caller(tenant, sender if is_sender else receiver, role if kind == "dashboard" else connection))
    return callers


def _pause(session: psycopg.Connection, callers: list[Caller]) -> None:
    """Pauses the connections of those who are going to resume them."""
    statement = PAUSE.statement(before="call.", now="now()") + " from (values (%s, %s, %s, %s)) as call (t, u, a, s)"
    session.execute("set synchronous_commit = off")
    session.cursor().executemany(statement, [PAUSE.values(caller) for caller in callers])
    session.execute("reset synchronous_commit")
    session.execute("vacuum analyze kith.connections, kith.pings, kith.notifications")
