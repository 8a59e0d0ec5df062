"""The first screen of a sender with 50 receivers and 3 vaults over HTTP, compared with pgbench running the same statement."""

import population
from reading import GUARDED, VAULTS_EACH, Reading
from result import at_least, report
from stage import Stage


def run(stage: Stage) -> None:
    with stage.people() as database:
        reading = Reading.homes(stage, database)
        population.wake(stage.cluster, database)
        settings, ours, peer = reading.compare(
            [(2, 8), (3, 8), (3, 16), (4, 16)], [(clients, 1) for clients in (2, 3, 4, 8)]
        )
    what = f"first screens of a sender with {GUARDED} receivers and {VAULTS_EACH} vaults"
    report("home-full", ours, peer, f"{what} a second, {settings}", at_least(0.8))
