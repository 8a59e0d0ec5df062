"""The statement of a read by the API's role, compared with hand-tuned plain SQL of a superuser: what the procedures cost."""

from functools import partial

from reading import TRIAL_SECONDS, Reading
from result import at_least, report
from rounds import best, in_turns
from stage import Stage


def run(stage: Stage) -> None:
    with stage.morning() as database:
        reading = Reading.connections(stage, database)
        sides = [reading.by_pgbench, reading.by_plain_sql]
        clients = [best([1, 2, 3, 4], lambda clients: side(clients, 1, TRIAL_SECONDS)) for side in sides]
        ours, peer = in_turns(stage.size.rounds, *(partial(side, count, 1) for side, count in zip(sides, clients)))
    report(
        "read-limit", ours, peer,
        f"reads a second, each a transaction, by {clients[0]} and {clients[1]} clients of pgbench",
        at_least(0.8),
    )
