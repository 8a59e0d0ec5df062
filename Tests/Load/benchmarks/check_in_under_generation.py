"""The latency of check-ins while a day's pings are generated, compared with a quiet time."""

import datetime
import itertools
from concurrent import futures

from checking_in import CheckIns
from generation import Generation
from result import at_most, report
from rounds import in_turns
from stage import Stage

DATE = datetime.date(2040, 1, 10)
CONNECTIONS = 32
REST = 40
ROUNDS = 3
SENDERS = 8000
"""More than the check-ins of one round."""


def run(stage: Stage) -> None:
    with stage.morning() as database, stage.serving(database) as server:
        generation = Generation(stage.cluster, database)
        generation.make_room(DATE)
        numbers = (range(first, first + SENDERS) for first in itertools.count(step=SENDERS))

        def next_check_ins() -> CheckIns:
            check_ins = CheckIns(stage, database, next(numbers))
            check_ins.introduce(server.url, CONNECTIONS)
            check_ins.warm_up(server.url, CONNECTIONS)
            return check_ins

        def p99() -> float:
            return next_check_ins().over_http(server.url, CONNECTIONS, REST).p99

        def p99_meanwhile() -> float:
            generation.clear(DATE)
            now = generation.plan(DATE)
            check_ins = next_check_ins()
            with futures.ThreadPoolExecutor(1) as threads:
                generating = threads.submit(generation.work, now, yields=True)
                outcome = check_ins.over_http(server.url, CONNECTIONS, REST)
                if generating.done():
                    raise RuntimeError("the pings were made before the check-ins ended: round_seconds is too long")
                generating.result()
            return outcome.p99

        ours, peer = in_turns(ROUNDS, p99_meanwhile, p99)
    report(
        "check-in-under-generation", ours, peer,
        f"p99 in milliseconds of some {1000 * CONNECTIONS // REST} check-ins a second,"
        f" while {stage.size.connections} pings are made against a quiet time",
        at_most(1.5),
    )
