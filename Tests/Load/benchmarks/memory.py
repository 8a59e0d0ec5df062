"""The memory of an idle `kith serve`."""

from process import resident_mebibytes
from result import report
from stage import Stage

TARGET = 64


def run(stage: Stage) -> None:
    with stage.people() as database, stage.serving(database) as server:
        idle = resident_mebibytes(server.pid)
    report("memory", [idle], [TARGET], "MiB of kith serve, ready and idle, against the target; at most 1")
