"""A day's pings after a month of history, compared with the first day."""

import datetime

from generation import Generation
from result import at_least, report
from rounds import in_turns
from stage import Stage

ROUNDS = 3
LAST = datetime.date(2040, 1, 31)
FIRST = datetime.date(2040, 3, 1)


def run(stage: Stage) -> None:
    days = [LAST - datetime.timedelta(n) for n in range(ROUNDS)][::-1]
    with stage.people() as database:
        generation = Generation(stage.cluster, database)
        generation.make_room(LAST)
        generation.make_room(FIRST)
        for n in range(stage.size.history_days, 0, -1):
            generation.by_statement(days[0] - datetime.timedelta(n), "completed")
        stage.cluster.execute(database, "vacuum analyze kith.pings")
        later = iter(days)

        def first_day() -> float:
            generation.clear(FIRST)
            return generation.by_worker(FIRST)

        ours, peer = in_turns(ROUNDS, lambda: generation.by_worker(next(later)), first_day)
    history = f"{stage.size.history_days} days of history, nearly all in the month's partition,"
    report("generate-history", ours, peer, f"pings a second, {history} against an empty partition", at_least(0.9))
