"""The additional peak memory of `kith serve` while 25 MiB are uploaded, and while they are downloaded."""

from pathlib import Path

from archive import Archive
from process import peak_mebibytes, resident_mebibytes
from result import at_most, report
from stage import Stage

SIZE = 25 << 20
TARGET = 8


def run(stage: Stage) -> None:
    with stage.people() as database, stage.serving(database) as server:
        archive = Archive(stage.cluster, database, server)
        # The first document causes the server's one-time allocations.
        archive.content(archive.add(1 << 20))
        ours = []
        before = resident_mebibytes(server.pid)
        _forget_peak(server.pid)
        document = archive.add(SIZE)
        ours.append(("up", peak_mebibytes(server.pid) - before))
        before = resident_mebibytes(server.pid)
        _forget_peak(server.pid)
        if len(archive.content(document)) != SIZE:
            raise RuntimeError("the document is not whole")
        ours.append(("down", peak_mebibytes(server.pid) - before))
    for way, growth in ours:
        report(
            f"document-memory-{way}", [max(growth, 0.01)], [TARGET],
            f"MiB more while 25 MiB go {way}; the peer is the limit",
            at_most(1),
        )


def _forget_peak(pid: int) -> None:
    """Resets the kernel's peak memory of a process (proc(5), clear_refs)."""
    Path(f"/proc/{pid}/clear_refs").write_text("5")
