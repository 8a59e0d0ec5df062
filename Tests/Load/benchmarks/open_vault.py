"""Vaults of 100 nominees opened over HTTP, 16 at once, compared with pgbench running the same statement."""

from vault_opening import NOMINEES, Openings
from result import report
from rounds import best, in_turns
from stage import Stage

AT_ONCE = 16


def run(stage: Stage) -> None:
    # Each measurement begins with unopened vaults.
    def over_http(pool: int) -> float:
        with stage.people() as database:
            openings = Openings(stage, database)
            with stage.serving(database, write_connections=pool) as server:
                openings.introduce(server.url, AT_ONCE)
                openings.warm_up(server.url, AT_ONCE)
                return openings.over_http(server.url, AT_ONCE).rate

    def by_pgbench(clients: int) -> float:
        with stage.people() as database:
            return Openings(stage, database).by_pgbench(clients)

    pool = best([4, 8, AT_ONCE], over_http)
    clients = best([4, 8, AT_ONCE], by_pgbench)
    ours, peer = in_turns(stage.size.rounds, lambda: over_http(pool), lambda: by_pgbench(clients))
    report(
        "open-vault", ours, peer,
        f"vaults opened a second, each telling {NOMINEES} nominees, {AT_ONCE} HTTP connections over {pool} of the"
        f" database against pgbench with {clients} clients",
    )
