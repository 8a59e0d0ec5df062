"""The latency of check-ins while a day's pings are generated, compared with a quiet time."""

import datetime
from concurrent import futures

from generation import Generation
from result import at_most
from rounds import in_turns
from stage import Stage
from steady_check_ins import Latency, SteadyCheckIns, report_p99

DATE = datetime.date(2040, 1, 10)
ROUNDS = 3


def run(stage: Stage) -> None:
    with stage.morning() as database, stage.serving(database) as server:
        generation = Generation(stage.cluster, database)
        generation.make_room(DATE)
        check_ins = SteadyCheckIns(stage, database, server.url)

        def measure_meanwhile() -> Latency:
            generation.clear(DATE)
            now = generation.plan(DATE)
            run = check_ins.prepare()
            with futures.ThreadPoolExecutor(1) as threads:
                generating = threads.submit(generation.work, now, yields=True)
                outcome = run()
                if generating.done():
                    raise RuntimeError("the pings were made before the check-ins ended: round_seconds is too long")
                generating.result()
            return outcome

        ours, peer = in_turns(ROUNDS, measure_meanwhile, check_ins.measure)
    report_p99("check-in-under-generation", ours, peer, f"while {stage.size.connections} pings are made", at_most(1.5))
