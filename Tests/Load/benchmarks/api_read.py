"""Reads over HTTP, with token check, row-level security and JSON, compared with pgbench running the same statement."""

from reading import Reading
from result import at_least, report
from stage import Stage


def run(stage: Stage) -> None:
    with stage.morning() as database:
        settings, ours, pipelined, single = Reading.connections(stage, database).compare(
            [(2, 64), (3, 32), (3, 64), (3, 128), (4, 64)],
            [(clients, depth) for clients in (2, 3, 4, 8) for depth in (5, 20)],
            [(clients, 1) for clients in (2, 3, 4, 8)],
        )
    report("api-read", ours, pipelined, f"requests a second, {settings}", at_least(0.8))
    report("api-read-transaction", ours, single, "the same, against a transaction for each call", at_least(1))
