"""A day's pings by the worker's procedure, compared with one raw `insert … select` of the same rows into the same table."""

import datetime

from generation import BATCH, Generation
from result import at_least, report
from rounds import in_turns
from stage import Stage

DATE = datetime.date(2040, 1, 10)


def run(stage: Stage) -> None:
    with stage.people() as database:
        generation = Generation(stage.cluster, database)
        generation.make_room(DATE)

        def by_worker() -> float:
            generation.clear(DATE)
            return generation.by_worker(DATE)

        def by_statement() -> float:
            generation.clear(DATE)
            return generation.by_statement(DATE)

        ours, peer = in_turns(stage.size.rounds, by_worker, by_statement)
    report(
        "generate", ours, peer,
        f"pings a second, one session of kith_worker in batches of {BATCH} against one statement of a superuser",
        at_least(0.85),
    )
