"""Check-ins over HTTP, compared with a conventional Python service."""

import python_service
from checking_in import CheckIns
from result import at_least, report
from rounds import best, in_turns
from stage import Stage

CONNECTIONS = 64


def run(stage: Stage) -> None:
    # Each measurement begins on a copy of the same morning.
    def by_kith() -> float:
        with stage.morning() as database, stage.serving(database) as server:
            check_ins = CheckIns(stage, database)
            check_ins.introduce(server.url, CONNECTIONS)
            check_ins.warm_up(server.url, CONNECTIONS)
            return check_ins.over_http(server.url, CONNECTIONS).rate

    def by_python(pool: int) -> float:
        with stage.morning() as database, python_service.serve(stage, database, pool) as url:
            check_ins = CheckIns(stage, database)
            check_ins.warm_up(url, CONNECTIONS)
            return check_ins.over_http(url, CONNECTIONS).rate

    pool = best([4, 8, 16], by_python)
    ours, peer = in_turns(stage.size.rounds, by_kith, lambda: by_python(pool))
    report(
        "api-write-python", ours, peer,
        f"check-ins a second against Starlette and asyncpg in {python_service.PROCESSES} processes,"
        f" {pool} connections each",
        at_least(3),
    )
