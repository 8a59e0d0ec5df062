"""Reads over HTTP, with token check, row-level security and JSON, compared with pgbench running the same statement."""

from reading import Reading
from result import at_least, report
from stage import Stage


def run(stage: Stage) -> None:
    with stage.morning() as database:
        settings, ours, peer = Reading.connections(stage, database).compare(
            [(2, 64), (3, 32), (3, 64), (3, 128), (4, 64)], [(clients, 1) for clients in (2, 3, 4, 8)]
        )
    report("api-read-transaction", ours, peer, f"requests a second, each a transaction, {settings}", at_least(0.95))
