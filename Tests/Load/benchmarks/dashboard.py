"""The dashboard of a receiver with 200 senders over HTTP, compared with pgbench running the same statement."""

import population
from reading import WATCHED, Reading
from result import report
from rounds import in_turns
from stage import Stage


def run(stage: Stage) -> None:
    with stage.people() as database:
        reading = Reading.dashboards(stage, database)
        population.wake(stage.cluster, database)
        settings, ours, peer = reading.compare(
            [(2, 8), (3, 8), (3, 16), (4, 16)], [(clients, 1) for clients in (2, 3, 4, 8)]
        )
        with stage.serving(database) as server:
            reading.warm_up(server.url, 1)
            our_times, peer_times = in_turns(
                stage.size.rounds,
                lambda: 1000 / reading.over_http(server.url, 1).rate,
                lambda: 1000 / reading.by_pgbench(clients=1, depth=1),
            )
    what = f"dashboards of {WATCHED} senders"
    report("dashboard", ours, peer, f"{what} a second, {settings}")
    report("dashboard-alone", our_times, peer_times, f"milliseconds of one of the {what}, one at a time")
