"""The read that is measured: GET /v1/connections/{id}."""

import pgbench
import tokens
import wrk
from postgres import Cluster
from stage import Stage

READERS = 300
STATEMENT = (
    "select case when set_config('kith.tenant_id', :t{0}, true) is not null"
    " and set_config('kith.user_id', :u{0}, true) is not null and set_config('kith.actor', :a{0}, true) is not null"
    " then api.get_connection(:c{0}::uuid, :now::timestamptz) end;\n"
)
"""As Sources/API/Server/Service.swift makes it."""


PEOPLE = """
select tenant_id, case nth % 2 when 0 then sender_id else receiver_id end::text, id::text
from (select *, row_number() over (order by hashtext(id::text)) as nth from kith.connections) as shuffled
where nth <= %(readers)s
""".replace(" % ", " %% ")


class Reading:
    """Some hundred people of a database who look at one of their connections, half of them senders, half receivers."""

    def __init__(self, stage: Stage, database: str):
        self._cluster: Cluster = stage.cluster
        self._seconds = stage.size.round_seconds
        self._database = database
        self._walk = stage.folder / "reading.walk"
        self._script = stage.folder / "reading.pgbench"
        with stage.cluster.connect(database) as session:
            self._people: list[tuple[int, str, str]] = session.execute(PEOPLE, {"readers": READERS}).fetchall()

    def over_http(self, url: str, connections: int, seconds: int | None = None) -> wrk.Outcome:
        """What a server answers."""
        self._walk.write_text("".join(
            f"GET\t/v1/connections/{connection}\t{tokens.mint(tenant, user)}\t\n"
            for tenant, user, connection in self._people
        ))
        return wrk.load(url, self._walk, connections, seconds or self._seconds)

    def by_pgbench(self, clients: int, depth: int, seconds: int | None = None) -> float:
        """The same statement, `depth` of them in one pipeline: requests a second."""
        self._script.write_text(_script(self._people, depth))
        return pgbench.load(
            self._cluster, self._database, self._script, len(self._people), clients, seconds or self._seconds,
            {"begun": 0},
        )


def _script(people: list[tuple[int, str, str]], depth: int) -> str:
    # They stand in variables, as parameters do; each client sets its own once.
    values = (
        f"'{tenant}' as t{i}, '{user}' as u{i}, 'user:{user}' as a{i}, '{connection}' as c{i}"
        for i, (tenant, user, connection) in enumerate(people)
    )
    lines = [r"\if :begun = 0", f"select now(), {', '.join(values)}", r"\gset", r"\set begun 1", r"\endif"]
    statements = [STATEMENT.format(i) for i in range(len(people))]
    for first in range(0, len(people), depth):
        lines += [r"\startpipeline", "".join(statements[first:first + depth]), r"\endpipeline"]
    return "\n".join(lines) + "\n"
