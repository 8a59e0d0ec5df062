"""The memory of an idle `kith serve`."""

from process import resident_mebibytes
from result import at_most, report
from stage import Stage

TARGET = 64


def run(stage: Stage) -> None:
    with stage.people() as database, stage.serving(database) as server:
        idle = resident_mebibytes(server.pid)
    report("memory", [idle], [TARGET], "MiB of kith serve, ready and idle; the peer is the limit", at_most(1))
