"""Codes redeemed over HTTP, 16 at once, compared with pgbench running the same statement."""

from connecting import Connecting
from result import report
from rounds import best, in_turns
from stage import Stage

AT_ONCE = 16


def run(stage: Stage) -> None:
    # Each measurement begins on a copy of the same morning.
    def over_http(pool: int) -> float:
        with stage.morning() as database, stage.serving(database, write_connections=pool) as server:
            connecting = Connecting(stage, database)
            connecting.introduce(server.url, AT_ONCE)
            connecting.warm_up(server.url, AT_ONCE)
            return connecting.over_http(server.url, AT_ONCE).rate

    def by_pgbench(clients: int) -> float:
        with stage.morning() as database:
            return Connecting(stage, database).by_pgbench(clients)

    pool = best([8, 12, AT_ONCE], over_http)
    clients = best([8, 12, AT_ONCE], by_pgbench)
    ours, peer = in_turns(stage.size.rounds, lambda: over_http(pool), lambda: by_pgbench(clients))
    report(
        "connect", ours, peer,
        f"codes redeemed a second, each a connection with its ping and notification, {AT_ONCE} HTTP connections"
        f" over {pool} of the database against pgbench with {clients} clients",
    )
