"""The latency of each kind of call in a mixed load, compared with pgbench running the same mix."""

from journal import Journal
from mixed_load import CLIENTS, SHARES, Mix
from result import ours_at_most, report
from rounds import in_turns
from stage import Stage

LIMITS = {"preview": 1000, "connect": 2000, "pause": 1000, "resume": 1000, "remove": 1000}
"""Milliseconds, from the product's requirements."""


def run(stage: Stage) -> None:
    # Each measurement begins on a copy of the same morning.
    def over_http() -> Journal:
        with stage.morning() as database, stage.serving(database) as server:
            return Mix(stage, database).over_http(server.url)

    def by_pgbench() -> Journal:
        with stage.morning() as database:
            return Mix(stage, database).by_pgbench()

    ours, peer = in_turns(stage.size.rounds, over_http, by_pgbench)
    report(
        "mixed", [journal.rate for journal in ours], [journal.rate for journal in peer],
        f"calls of all kinds a second, {CLIENTS} HTTP connections against as many of pgbench",
    )
    for kind in SHARES:
        report(
            f"mixed-{kind}", [journal.p99(kind) for journal in ours], [journal.p99(kind) for journal in peer],
            "p99 in milliseconds in the mix",
            ours_at_most(LIMITS[kind]) if kind in LIMITS else None,
        )
