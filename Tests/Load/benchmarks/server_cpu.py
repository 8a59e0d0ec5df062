"""The server's own CPU time per request, compared with that of PostgreSQL's backends."""

from collections.abc import Callable

import wrk
from checking_in import CheckIns
from kith import Server
from process import processor_seconds
from reading import Reading
from result import at_most, report
from stage import Stage

CONNECTIONS = 64
ROUNDS = 3


def run(stage: Stage) -> None:
    with stage.morning() as database, stage.serving(database) as server:
        reading = Reading.connections(stage, database)
        reading.warm_up(server.url, CONNECTIONS)
        reads = [_shares(stage, server, lambda: reading.over_http(server.url, CONNECTIONS)) for _ in range(ROUNDS)]
    writes = []
    for _ in range(ROUNDS):
        with stage.morning() as database, stage.serving(database) as server:
            check_ins = CheckIns(stage, database)
            check_ins.introduce(server.url, CONNECTIONS)
            check_ins.warm_up(server.url, CONNECTIONS)
            writes.append(_shares(stage, server, lambda: check_ins.over_http(server.url, CONNECTIONS)))
    for name, shares, target in (("read", reads, 0.35), ("write", writes, 0.20)):
        ours, peer = zip(*shares)
        what = f"microseconds a request, kith serve against its PostgreSQL backends"
        report(f"server-cpu-{name}", ours, peer, what, at_most(target))


def _shares(stage: Stage, server: Server, load: Callable[[], wrk.Outcome]) -> tuple[float, float]:
    """The CPU time of the server and of its backends per request, in microseconds."""
    backends = stage.cluster.backends("kith serve")
    before = processor_seconds([server.pid]), processor_seconds(backends)
    requests = load().requests
    after = processor_seconds([server.pid]), processor_seconds(backends)
    ours, peer = ((end - start) / requests * 1e6 for start, end in zip(before, after))
    return ours, peer
