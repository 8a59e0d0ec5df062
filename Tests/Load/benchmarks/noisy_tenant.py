"""The latency of a tenant's check-ins beside the worst load that another tenant can cause, compared with a quiet time."""

from noise import Noise
from result import at_most
from rounds import in_turns
from stage import Stage
from steady_check_ins import Latency, SteadyCheckIns, report_p99

ROUNDS = 3


def run(stage: Stage) -> None:
    with stage.morning() as database, stage.serving(database) as server:
        check_ins = SteadyCheckIns(stage, database, server.url)
        noise = Noise(stage.kith, stage.cluster.url(database), server.url)

        def measure_beside_noise() -> Latency:
            before = noise.answers
            with noise.making():
                outcome = check_ins.measure()
            if noise.answers == before:
                raise RuntimeError("the noisy tenant got no answer at all")
            return outcome

        ours, peer = in_turns(ROUNDS, measure_beside_noise, check_ins.measure)
    report_p99("noisy-tenant", ours, peer, "of quiet tenants beside another's imports, changes and lists", at_most(3))
