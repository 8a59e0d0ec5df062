"""The first screen of a sender with two receivers and no vault, compared with plain SQL of a superuser that reads the same rows."""

from functools import partial

from reading import TRIAL_SECONDS, Reading
from result import at_least, report
from rounds import best, in_turns
from stage import Stage


def run(stage: Stage) -> None:
    with stage.morning() as database:
        reading = Reading.small_homes(stage, database)
        sides = [reading.by_pgbench, reading.by_plain_sql]
        clients = [best([1, 2, 3], lambda clients: side(clients, 1, TRIAL_SECONDS)) for side in sides]
        ours, peer = in_turns(stage.size.rounds, *(partial(side, count, 1) for side, count in zip(sides, clients)))
    report(
        "home", ours, peer,
        f"first screens of a sender with two receivers and no vault a second, by {clients[0]} and {clients[1]} clients of pgbench",
        at_least(0.6),
    )
