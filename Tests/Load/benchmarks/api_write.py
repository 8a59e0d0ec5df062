"""Check-ins over HTTP, with token check, row-level security and JSON, compared with pgbench running the same statement."""

from checking_in import CheckIns
from result import at_least, report
from rounds import best, in_turns
from stage import Stage


def run(stage: Stage) -> None:
    # Each measurement begins on a copy of the same morning.
    def over_http(pool: int, connections: int) -> float:
        with stage.morning() as database, stage.serving(database, check_in_connections=pool) as server:
            check_ins = CheckIns(stage, database)
            check_ins.introduce(server.url, connections)
            check_ins.warm_up(server.url, connections)
            return check_ins.over_http(server.url, connections).rate

    def by_pgbench(clients: int) -> float:
        with stage.morning() as database:
            return CheckIns(stage, database).by_pgbench(clients)

    pool, connections = best([(8, 32), (12, 32), (12, 64), (16, 64)], lambda setting: over_http(*setting))
    clients = best([8, 16, 32], by_pgbench)
    ours, peer = in_turns(stage.size.rounds, lambda: over_http(pool, connections), lambda: by_pgbench(clients))
    report(
        "api-write", ours, peer,
        f"check-ins a second, {connections} HTTP connections over {pool} of the database"
        f" against pgbench with {clients} clients",
        at_least(0.9),
    )
