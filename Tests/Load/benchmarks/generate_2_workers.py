"""A day's pings by two concurrent workers, compared with one."""

import datetime

from generation import Generation
from result import at_least, report
from rounds import in_turns
from stage import Stage

DATE = datetime.date(2040, 1, 10)


def run(stage: Stage) -> None:
    with stage.people() as database:
        generation = Generation(stage.cluster, database)
        generation.make_room(DATE)

        def by(workers: int) -> float:
            generation.clear(DATE)
            return generation.by_worker(DATE, workers)

        ours, peer = in_turns(stage.size.rounds, lambda: by(2), lambda: by(1))
    report("generate-2-workers", ours, peer, "pings a second, two sessions against one", at_least(1.7))
