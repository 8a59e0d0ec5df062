"""A day's pings of ten times as many tenants, with the same number of connections."""

import datetime

from generation import Generation
from result import at_least, report
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
    tenants = f"{stage.size.many_tenants} tenants against {stage.size.tenants}"
    report("generate-tenants", ours, peer, f"pings a second, the same connections of {tenants}", at_least(0.9))
