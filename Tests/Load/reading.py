"""The reads that are measured: GET /v1/connections/{id}, /v1/dashboard, /v1/home and /v1/vaults/{id}/nominees."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pgbench
import tokens
import wrk
from call import DASHBOARD, DOCUMENTS, GET, HOME, NOMINEES, Call, Caller
from journal import WARM_UP_SECONDS
from rounds import best, in_turns
from stage import Stage

TRIAL_SECONDS = 1
READERS = 300
WATCHERS = 20
WATCHED = 200
HOMES = 20
GUARDED = 50
VAULTS_EACH = 3
VAULTS = 20
NOMINATED = 100

CONNECTIONS = """
select tenant_id, case nth %% 2 when 0 then sender_id else receiver_id end::text, id::text
from (select *, row_number() over (order by hashtext(id::text)) as nth from kith.connections) as shuffled
where nth <= %s
"""

PAIRED = """
with chosen as (
  select tenant_id, user_id from load.senders order by hashtext(user_id::text) limit %s
), removed as (
  -- In a small database a sender has three.
  delete from kith.connections as connection
  using (
    select own.tenant_id, own.id, row_number() over (partition by own.tenant_id, own.sender_id order by own.id) as nth
    from chosen
    join kith.connections as own on own.tenant_id = chosen.tenant_id and own.sender_id = chosen.user_id
  ) as numbered
  where connection.tenant_id = numbered.tenant_id and connection.id = numbered.id and numbered.nth > 2
)
select tenant_id, user_id::text, '' from chosen
"""

GUESTS = """
select distinct on (vault_id) tenant_id, user_id::text, vault_id::text from kith.nominees order by vault_id, id
"""


class Reading:
    """Users of a database who each make one read-only call repeatedly."""

    def __init__(self, stage: Stage, database: str, call: Call, callers: list[tuple[int, str, str]]):
        self._stage = stage
        self._database = database
        self._call = call
        self._callers = [Caller(*caller) for caller in callers]
        self._walk = stage.folder / "reading.walk"

    @staticmethod
    def connections(stage: Stage, database: str) -> "Reading":
        """Some hundred users who read one of their connections, half of them senders and half receivers."""
        with stage.cluster.connect(database) as session:
            return Reading(stage, database, GET, session.execute(CONNECTIONS, (READERS,)).fetchall())

    @staticmethod
    def dashboards(stage: Stage, database: str) -> "Reading":
        """Some receivers who read their dashboards; each is given more senders in the database, up to WATCHED."""
        with stage.cluster.connect(database) as session:
            for name, value in {"watchers": WATCHERS, "watched": WATCHED}.items():
                session.execute("select set_config(%s, %s, false)", (f"load.{name}", str(value)))
            session.execute(Path(__file__).with_name("watchers.sql").read_text())
            callers = session.execute("select tenant_id, user_id::text, 'receiver' from load.watchers").fetchall()
            return Reading(stage, database, DASHBOARD, callers)

    @staticmethod
    def homes(stage: Stage, database: str) -> "Reading":
        """Some senders who load their first screen; each is given GUARDED receivers and VAULTS_EACH vaults in the database."""
        with stage.cluster.connect(database) as session:
            for name, value in {"homes": HOMES, "guarded": GUARDED, "vaults_each": VAULTS_EACH}.items():
                session.execute("select set_config(%s, %s, false)", (f"load.{name}", str(value)))
            session.execute(Path(__file__).with_name("homes.sql").read_text())
            session.execute("vacuum analyze kith.connections, kith.vaults, kith.nominees")
            callers = session.execute("select tenant_id, user_id::text, '' from load.homes").fetchall()
            return Reading(stage, database, HOME, callers)

    @staticmethod
    def small_homes(stage: Stage, database: str) -> "Reading":
        """Some senders of the morning who load their first screen, each with two receivers and no vault."""
        with stage.cluster.connect(database) as session:
            return Reading(stage, database, HOME, session.execute(PAIRED, (HOMES,)).fetchall())

    @staticmethod
    def nominees(stage: Stage, database: str) -> "Reading":
        """Some owners who list the nominees of their open vaults; each has NOMINATED nominees."""
        with stage.cluster.connect(database) as session:
            for name, value in {"first": 0, "last": VAULTS - 1, "nominees": NOMINATED}.items():
                session.execute("select set_config(%s, %s, false)", (f"load.{name}", str(value)))
            for script in ["vaults.sql", "nominees.sql"]:
                session.execute(Path(__file__).with_name(script).read_text())
            session.execute("vacuum analyze kith.vaults, kith.nominees, kith.vault_sessions, kith.history")
            callers = session.execute("select tenant_id, owner_id::text, id::text from load.vaults").fetchall()
            return Reading(stage, database, NOMINEES, callers)

    @staticmethod
    def documents(stage: Stage, database: str) -> "Reading":
        """A nominee of each of some open vaults, who lists its documents; there are none, so the access is what is measured."""
        Reading.nominees(stage, database)
        with stage.cluster.connect(database) as session:
            return Reading(stage, database, DOCUMENTS, session.execute(GUESTS).fetchall())

    def of_browsers(self, call: Call) -> "Reading":
        """The same users with browsers that are signed in, who load a page."""
        tokens.sign_in(self._stage.cluster, self._database, self._callers)
        browsers = Reading(self._stage, self._database, call, [])
        browsers._callers = self._callers
        browsers._walk = self._stage.folder / "browsing.walk"
        return browsers

    def warm_up(self, url: str, connections: int) -> None:
        """Lets every database connection of the server make its plans and fill its caches."""
        self.over_http(url, connections, WARM_UP_SECONDS)

    def over_http(self, url: str, connections: int, seconds: int | None = None) -> wrk.Outcome:
        """The server's answers."""
        self._walk.write_text("".join(self._call.request(caller) + "\n" for caller in self._callers))
        wrk.check(url, self._walk)
        return wrk.load(url, self._walk, connections, seconds or self._stage.size.round_seconds)

    def by_pgbench(self, clients: int, depth: int, seconds: int | None = None) -> float:
        """The same statement, `depth` of them in one pipeline: requests per second."""
        return self._by_pgbench(False, clients, depth, seconds)

    def by_plain_sql(self, clients: int, depth: int, seconds: int | None = None) -> float:
        """Plain SQL of the same effect by a superuser, `depth` statements in one pipeline: requests per second."""
        return self._by_pgbench(True, clients, depth, seconds)

    def _by_pgbench(self, is_plain: bool, clients: int, depth: int, seconds: int | None) -> float:
        script = self._stage.folder / "reading.pgbench"
        script.write_text(self._script(self._call.limit_statement if is_plain else self._call.statement, depth))
        journal = pgbench.load(
            self._stage.cluster, self._database, {script: 1}, clients, seconds or self._stage.size.round_seconds,
            {"begun": 0}, is_plain=is_plain,
        )
        return journal.rate * len(self._callers)

    def compare(
        self, ours: list[tuple[int, int]], *peers: list[tuple[int, int]]
    ) -> tuple[str, list[float], *tuple[list[float], ...]]:
        """Measures each side at the best of these settings, and returns which those are.

        Ours are pairs of pool size and HTTP connections, a peer's of clients and pipeline depth.
        """
        def tried(setting: tuple[int, int]) -> float:
            pool, connections = setting
            with self._stage.serving(self._database, read_connections=pool) as server:
                self.warm_up(server.url, connections)
                return self.over_http(server.url, connections, TRIAL_SECONDS).rate

        pool, connections = best(ours, tried)
        chosen = [best(peer, lambda setting: self.by_pgbench(*setting, seconds=TRIAL_SECONDS)) for peer in peers]
        with self._stage.serving(self._database, read_connections=pool) as server:
            self.warm_up(server.url, connections)
            rates = in_turns(
                self._stage.size.rounds,
                lambda: self.over_http(server.url, connections).rate,
                *(partial(self.by_pgbench, *setting) for setting in chosen),
            )
        against = " and ".join(f"{clients} clients and pipelines of {depth}" for clients, depth in chosen)
        return f"{connections} HTTP connections over {pool} of the database against pgbench with {against}", *rates

    def _script(self, statement: Callable[..., str], depth: int) -> str:
        # The values are variables, like parameters; each client sets its own once.
        values = (
            f"'{value}' as {letter}{i}"
            for i, caller in enumerate(self._callers)
            for letter, value in zip(self._call.variables, self._call.values(caller))
        )
        lines = [r"\if :begun = 0", f"select now(), {', '.join(values)}", r"\gset", r"\set begun 1", r"\endif"]
        statements = [statement(after=str(i)) + ";" for i in range(len(self._callers))]
        for first in range(0, len(statements), depth):
            lines += [r"\startpipeline", *statements[first:first + depth], r"\endpipeline"]
        return "\n".join(lines) + "\n"
