"""A day's pings of ten times the tenants with the same number of connections."""

import datetime

from generation import Generation
from result import note, report
from rounds import in_turns
from stage import Stage

DATE = datetime.date(2040, 1, 10)


def run(stage: Stage) -> None:
    with stage.people(stage.size.many_tenants) as many, stage.people() as few:

        def side(database: str) -> float:
            generation = Generation(stage.cluster, database)
            generation.make_room(DATE)
            generation.clear(DATE)
            return generation.by_worker(DATE)

        ours, peer = in_turns(stage.size.rounds, lambda: side(many), lambda: side(few))
    note(f"generate-tenants: pings a second, {stage.size.many_tenants} tenants against {stage.size.tenants}; target 0.9")
    report("generate-tenants", ours, peer)
