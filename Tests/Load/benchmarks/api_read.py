"""Reads over HTTP, with token check, row-level security and JSON, compared with pgbench running the same statement."""

from reading import Reading
from result import report
from stage import Stage


def run(stage: Stage) -> None:
    with stage.morning() as database:
        settings, ours, peer = Reading.connections(stage, database).compare(
            [(2, 64), (3, 32), (3, 64), (3, 128), (4, 64)],
            [(clients, depth) for clients in (2, 3, 4, 8) for depth in (5, 20)],
        )
    report("api-read", ours, peer, f"requests a second, {settings}; target at least 0.80")
