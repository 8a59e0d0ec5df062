"""A measured write that each user makes once."""

import abc
import random
from pathlib import Path

import pgbench
import wrk
from call import LOOK, Call, Caller
from journal import WARM_UP_SECONDS
from stage import Stage

BATCH = 50


class Writing(abc.ABC):
    """Users of a database who each make one call once: a second time it would take a shorter path."""

    call: Call

    def __init__(self, stage: Stage, database: str, numbers: range | None = None):
        """Uses the senders of these numbers, or as many as a round needs.

        Another measurement in the same database must use others.
        """
        self._stage = stage
        self._database = database
        seconds = WARM_UP_SECONDS + stage.size.round_seconds
        numbers = numbers or range(stage.size.calls_per_second * seconds)
        callers = [Caller(*caller) for caller in self.callers(numbers)]
        random.Random(0).shuffle(callers)
        self._callers = callers
        # Callers in the warm-up are not measured.
        first = len(callers) * WARM_UP_SECONDS // seconds
        self._looks = self._walk("looks", LOOK, callers)
        self._warm_up = self._walk("warm-up", self.call, callers[:first])
        self._calls = self._walk("calls", self.call, callers[first:])

    @abc.abstractmethod
    def callers(self, numbers: range) -> list[tuple[int, str, str]]:
        """The senders of these numbers, with the subjects of their calls."""

    @abc.abstractmethod
    def check(self) -> None:
        """Raises RuntimeError unless each call was its caller's first and took effect."""

    def introduce(self, url: str, connections: int) -> None:
        """Shows the server the callers' tokens, which it then caches for a minute: pgbench checks no tokens either."""
        wrk.once(url, self._looks, connections)

    def warm_up(self, url: str, connections: int) -> None:
        """Lets every database connection of the server make its plans and fill its caches."""
        wrk.once(url, self._warm_up, connections)

    def over_http(self, url: str, connections: int, rest: int = 0) -> wrk.Outcome:
        """The server's answers. `rest` is the pause of a connection between two calls, in milliseconds."""
        outcome = wrk.load(url, self._calls, connections, self._stage.size.round_seconds, rest)
        self.check()
        return outcome

    def by_pgbench(self, clients: int) -> float:
        """The same statement: calls per second.

        Each is a transaction of its own, like a request. A pipeline of pgbench is one transaction, so calls are not pipelined.
        """
        return self._by_pgbench(False, clients)

    def by_plain_sql(self, clients: int) -> float:
        """Plain SQL of the same effect by a superuser: calls per second, each a transaction."""
        return self._by_pgbench(True, clients)

    def _by_pgbench(self, is_plain: bool, clients: int) -> float:
        self._store_batches()
        statement = self.call.limit_statement if is_plain else self.call.statement
        script = self._stage.folder / "calls.pgbench"
        script.write_text("\n".join([
            r"\set batch :pass * :clients + :client_id",
            r"\set pass :pass + 1",
            "select clock_timestamp() as now, * from load.batches where n = :batch",
            r"\gset",
            *(statement(after=str(i)) + ";" for i in range(BATCH)),
        ]) + "\n")
        journal = pgbench.load(
            self._stage.cluster, self._database, {script: 1}, clients, self._stage.size.round_seconds,
            {"pass": 0, "clients": clients}, is_plain=is_plain,
        )
        self.check()
        return journal.rate * BATCH

    def _walk(self, name: str, call: Call, callers: list[Caller]) -> Path:
        walk = self._stage.folder / f"{name}.walk"
        walk.write_text("".join(call.request(caller) + "\n" for caller in callers))
        return walk

    def _store_batches(self) -> None:
        # A row holds a batch, so that pgbench rarely fetches its variables.
        columns = ", ".join(f"{letter}{i} text" for i in range(BATCH) for letter in self.call.variables)
        with self._stage.cluster.connect(self._database) as session:
            session.execute(f"create unlogged table load.batches (n integer primary key, {columns})")
            with session.cursor().copy("copy load.batches from stdin") as copy:
                for n in range(len(self._callers) // BATCH):
                    batch = self._callers[n * BATCH:(n + 1) * BATCH]
                    copy.write_row([n, *(value for caller in batch for value in self.call.values(caller))])
            session.execute("grant usage on schema load to kith_api")
            session.execute("grant select on load.batches to kith_api")
            session.execute("vacuum analyze load.batches")
