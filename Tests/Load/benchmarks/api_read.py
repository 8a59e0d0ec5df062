"""Reads over HTTP, with token check, row-level security and JSON, against pgbench with the same statement."""

from reading import Reading
from result import report
from rounds import best, in_turns
from stage import Stage

TRIAL_SECONDS = 1


def run(stage: Stage) -> None:
    with stage.morning() as database:
        reading = Reading(stage, database)

        def tried(setting: tuple[int, int]) -> float:
            pool, connections = setting
            with stage.serving(database, read_connections=pool) as server:
                return reading.over_http(server.url, connections, TRIAL_SECONDS).rate

        pool, connections = best([(2, 64), (3, 32), (3, 64), (3, 128), (4, 64)], tried)
        clients, depth = best(
            [(clients, depth) for clients in (2, 3, 4, 8) for depth in (5, 20)],
            lambda setting: reading.by_pgbench(*setting, seconds=TRIAL_SECONDS),
        )
        with stage.serving(database, read_connections=pool) as server:
            ours, peer = in_turns(
                stage.size.rounds,
                lambda: reading.over_http(server.url, connections).rate,
                lambda: reading.by_pgbench(clients, depth),
            )
    report(
        "api-read", ours, peer,
        f"requests a second, {connections} HTTP connections over {pool} of the database"
        f" against pgbench with {clients} clients and pipelines of {depth}; target at least 0.80",
    )
