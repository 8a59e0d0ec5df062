"""A mixed load: the calls of a morning, weighted by their frequency."""

import itertools
import random

import psycopg

import connecting
import pgbench
import wrk
from call import CHECK_IN, CONNECT, DASHBOARD, GET, LOOK, PAUSE, PREVIEW, REMOVE, RESUME, Call, Caller
from journal import Journal
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
"""The share of each call in a hundred. Callers that only read do so repeatedly; all others make their call once."""
LOOKS = ("get", "dashboard")
LOOKERS = 2000
CLIENTS = 64
WARM_UP_SECONDS = 8
WARM_UP_CALLS = 6
"""Per kind and connection: PostgreSQL plans a statement five times before it may keep a generic plan."""

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
    """Users of a database who make all kinds of calls; each kind has senders of its own, who call about their connections."""

    def __init__(self, stage: Stage, database: str):
        self._stage = stage
        self._database = database
        self._seconds = 2 * stage.size.round_seconds
        self._calls = stage.size.calls_per_second * (WARM_UP_SECONDS + self._seconds)
        self._callers: dict[str, list[Caller]] = {}
        first = 0
        with stage.cluster.connect(database) as session:
            for kind, (share, _) in SHARES.items():
                many = WARM_UP_CALLS * CLIENTS + self._calls * share // 100
                numbers = range(first, first + (LOOKERS if kind in LOOKS else many))
                first = numbers.stop
                self._callers[kind] = _callers(session, kind, numbers)
                if kind == "connect":
                    self._connecting = numbers
            _pause(session, self._callers["resume"])

    def over_http(self, url: str) -> Journal:
        """The server's answers over 64 connections. It sees the tokens before the measurement, because pgbench checks none."""
        looks = self._stage.folder / "looks.walk"
        looks.write_text("".join(
            LOOK.request(caller) + "\n" for caller in itertools.chain.from_iterable(self._callers.values())
        ))
        walk = self._stage.folder / "mix.walk"
        walk.write_text("".join(self._requests()))
        wrk.once(url, looks, CLIENTS)
        journal = wrk.logged(url, walk, CLIENTS, WARM_UP_SECONDS, self._seconds)
        self._check()
        return journal

    def by_pgbench(self) -> Journal:
        """The same statements, each a transaction of its own, by 64 clients: as many requests are in flight on the server.

        A call's subject is looked up within its statement, because a separate round trip would count as its time.
        """
        self._store_calls()
        calls = {kind: self._script(kind) for kind in SHARES}
        warm_up = [r"\if :begun = 0", *list(calls.values()) * WARM_UP_CALLS, r"\set begun 1", r"\endif"]
        scripts = {}
        for kind, (share, _) in SHARES.items():
            script = self._stage.folder / f"{kind}.pgbench"
            script.write_text("\n".join([*warm_up, calls[kind]]) + "\n")
            scripts[script] = share
        journal = pgbench.load(
            self._stage.cluster, self._database, scripts, CLIENTS, self._seconds,
            {"begun": 0, **{_counter(kind): 0 for kind in SHARES}}, WARM_UP_SECONDS,
        )
        self._check()
        return journal

    def _requests(self) -> list[str]:
        """Enough calls, in the same order for each database; the warm-up has equally many of each kind."""
        begin, mix = [], []
        for kind, (share, call) in SHARES.items():
            lines = itertools.cycle(f"{call.request(caller)}\t{kind}\n" for caller in self._callers[kind])
            # The server has fewer connections than there are clients.
            begin += itertools.islice(lines, WARM_UP_CALLS * CLIENTS)
            mix += itertools.islice(lines, self._calls * share // 100)
        chance = random.Random(0)
        chance.shuffle(begin)
        chance.shuffle(mix)
        return begin + mix

    def _script(self, kind: str) -> str:
        """The call of the client's next caller."""
        again = f" % {len(self._callers[kind])}" if kind in LOOKS else ""
        made = _counter(kind)
        return "\n".join([
            rf"\set n (:client_id + {CLIENTS} * :{made}){again}",
            rf"\set {made} :{made} + 1",
            SHARES[kind][1].statement(before="call.", now="clock_timestamp()") + " as answer",
            f"from load.calls as call where kind = '{kind}' and n = :n",
            # It fails unless there is exactly one row: no caller is left.
            r"\gset",
        ])

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


def _counter(kind: str) -> str:
    return "made_" + kind.replace("-", "_")


def _callers(session: psycopg.Connection, kind: str, numbers: range) -> list[Caller]:
    """The senders of these numbers or their receivers, with the subjects of their calls."""
    if kind in ("preview", "connect"):
        return [Caller(*pair) for pair in connecting.pairs(session, numbers)]
    callers = []
    for tenant, sender, receiver, connection in session.execute(CONNECTIONS, (numbers[0], numbers[-1])):
        # Only senders check in, pause and resume; each side makes half of the other calls.
        is_sender = kind in ("check-in", "pause", "resume") or len(callers) % 2 == 0
        role = "sender" if is_sender else "receiver"
        callers.append(Caller(tenant, sender if is_sender else receiver, role if kind == "dashboard" else connection))
    return callers


def _pause(session: psycopg.Connection, callers: list[Caller]) -> None:
    """Pauses the connections that are going to be resumed."""
    statement = PAUSE.statement(before="call.", now="now()") + " from (values (%s, %s, %s, %s)) as call (t, u, a, s)"
    session.execute("set synchronous_commit = off")
    session.cursor().executemany(statement, [PAUSE.values(caller) for caller in callers])
    session.execute("reset synchronous_commit")
    session.execute("vacuum analyze kith.connections, kith.pings, kith.notifications")
