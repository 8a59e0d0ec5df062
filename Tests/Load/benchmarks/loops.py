"""Reads by a server with two event loops, compared with one of one loop: on the same processors, and with a tenth of a processor a loop."""

from pathlib import Path

from processor_share import ProcessorShare
from reading import Reading
from result import at_least, report
from rounds import in_turns
from stage import Stage

LOOPS = 2
READ_CONNECTIONS = 4
CONNECTIONS = 64
SHARE = 0.1
"""The part of a processor that each loop may use, so that PostgreSQL and the client have enough left on a small machine."""


def run(stage: Stage) -> None:
    with stage.morning() as database:
        reading = Reading.connections(stage, database)

        def rate(loops: int, share: float | None = None) -> float:
            with stage.serving(database, read_connections=READ_CONNECTIONS, loops=loops) as server:
                reading.warm_up(server.url, CONNECTIONS)
                if share is None:
                    return reading.over_http(server.url, CONNECTIONS).rate
                with ProcessorShare(threads(server.pid), share):
                    return reading.over_http(server.url, CONNECTIONS).rate

        together = in_turns(stage.size.rounds, lambda: rate(LOOPS), lambda: rate(1))
        apart = in_turns(stage.size.rounds, lambda: rate(LOOPS, SHARE), lambda: rate(1, SHARE))
    what = f"requests a second with {LOOPS} loops, against 1"
    report("loops", *together, what, at_least(0.97))
    report("loops-apart", *apart, f"{what}, with {SHARE:.0%} of a processor for each loop", at_least(1.7))


def threads(process: int) -> list[int]:
    """The threads of a process."""
    return [int(thread.name) for thread in Path(f"/proc/{process}/task").iterdir()]
