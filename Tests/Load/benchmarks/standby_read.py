"""Reads with a streaming standby, compared with reads without: what they cost the primary, and how many there are a second."""

from collections.abc import Callable

from kith import Server
from postgres import Standby
from reading import Reading
from result import at_most, report
from rounds import in_turns
from stage import Stage

CONNECTIONS = 64


def run(stage: Stage) -> None:
    with stage.morning() as database, Standby(stage.cluster) as standby:
        url = standby.url(database, "kith_api")
        with stage.serving(database, read_database_url=url) as ours, stage.serving(database) as peer:
            reading = Reading.connections(stage, database)

            def measure(server: Server) -> Callable[[], tuple[float, float]]:
                def once() -> tuple[float, float]:
                    before = stage.cluster.processor_seconds
                    outcome = reading.over_http(server.url, CONNECTIONS)
                    return (stage.cluster.processor_seconds - before) / outcome.requests * 1e6, outcome.rate

                reading.warm_up(server.url, CONNECTIONS)
                return once

            sides = in_turns(stage.size.rounds, measure(ours), measure(peer))
    costs, rates = zip(*(zip(*side) for side in sides))
    report(
        "standby-read", *costs, "microseconds of the primary's PostgreSQL a read with a standby, against without", at_most(0.5)
    )
    report("standby-read-rate", *rates, "the same reads a second, both servers on this machine")
