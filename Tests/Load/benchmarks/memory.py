"""How much memory an idle `kith serve` holds."""

from process import resident_mebibytes
from result import note, report
from stage import Stage

TARGET = 64


def run(stage: Stage) -> None:
    with stage.people() as database, stage.serving(database) as server:
        idle = resident_mebibytes(server.pid)
    note("memory: MiB of kith serve, ready and idle, against the target")
    report("memory", [idle], [TARGET], higher_is_better=False)
