"""The nominees of a vault with a hundred of them over HTTP, compared with pgbench running the same statement."""

from reading import NOMINATED, Reading
from result import report
from stage import Stage


def run(stage: Stage) -> None:
    with stage.people() as database:
        settings, ours, peer = Reading.nominees(stage, database).compare(
            [(2, 8), (3, 8), (3, 16), (4, 16)], [(clients, 1) for clients in (2, 3, 4, 8)]
        )
    report("nominees-list", ours, peer, f"lists of {NOMINATED} nominees a second, {settings}")
