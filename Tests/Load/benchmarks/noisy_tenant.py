"""The latency of a tenant's check-ins beside the worst load that another tenant can cause, compared with a quiet time."""

import itertools

from checking_in import CheckIns
from noise import Noise
from result import at_most, report
from rounds import in_turns
from stage import Stage

CONNECTIONS = 32
REST = 40
ROUNDS = 3
SENDERS = 8000
"""More than the check-ins of one round."""


def run(stage: Stage) -> None:
    with stage.morning() as database, stage.serving(database) as server:
        numbers = (range(first, first + SENDERS) for first in itertools.count(step=SENDERS))
        noise = Noise(stage.kith, stage.cluster.url(database), server.url)

        def p99() -> float:
            check_ins = CheckIns(stage, database, next(numbers))
            check_ins.introduce(server.url, CONNECTIONS)
            check_ins.warm_up(server.url, CONNECTIONS)
            return check_ins.over_http(server.url, CONNECTIONS, REST).p99

        def p99_beside_noise() -> float:
            before = noise.answers
            with noise.making():
                outcome = p99()
            if noise.answers == before:
                raise RuntimeError("the noisy tenant got no answer at all")
            return outcome

        ours, peer = in_turns(ROUNDS, p99_beside_noise, p99)
    report(
        "noisy-tenant", ours, peer,
        f"p99 in milliseconds of some {1000 * CONNECTIONS // REST} check-ins a second of quiet tenants beside another's"
        " imports, changes and lists, against a quiet time",
        at_most(3),
    )
