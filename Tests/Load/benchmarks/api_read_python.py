"""Reads over HTTP, compared with a conventional Python service."""

import python_service
from reading import TRIAL_SECONDS, Reading
from result import at_least, report
from rounds import best, in_turns
from stage import Stage

CONNECTIONS = 64


def run(stage: Stage) -> None:
    with stage.morning() as database:
        reading = Reading.connections(stage, database)

        def by_python(pool: int, seconds: int | None = None) -> float:
            with python_service.serve(stage, database, pool) as url:
                reading.warm_up(url, CONNECTIONS)
                return reading.over_http(url, CONNECTIONS, seconds).rate

        pool = best([2, 4, 8], lambda pool: by_python(pool, TRIAL_SECONDS))
        with stage.serving(database) as server:
            reading.warm_up(server.url, CONNECTIONS)
            ours, peer = in_turns(
                stage.size.rounds, lambda: reading.over_http(server.url, CONNECTIONS).rate, lambda: by_python(pool)
            )
    report(
        "api-read-python", ours, peer,
        f"requests a second against Starlette and asyncpg in {python_service.PROCESSES} processes,"
        f" {pool} connections each",
        at_least(6),
    )
