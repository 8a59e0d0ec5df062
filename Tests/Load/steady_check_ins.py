"""The latency of check-ins at a steady rate."""

import contextlib
import itertools
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from checking_in import CheckIns
from result import Target, number, report
from stage import Stage

CONNECTIONS = 32
REST = 40
"""The pause of a connection between two check-ins, in milliseconds."""
RATE = 1000 * CONNECTIONS // REST
"""About the check-ins a second."""
SENDERS = 8000
"""More than the check-ins of one round."""
SYNC_EVERY = 0.05
"""The seconds between two writes by which the disk is watched."""


@dataclass(frozen=True)
class Latency:
    """A round's, in milliseconds."""

    p99: float
    longest_sync: float
    """The longest time for which the disk took to write one page of another file. Every check-in waits for such a write."""


class SteadyCheckIns:
    """Check-ins in a database by a server, in rounds. Each round has senders of its own, because a second check-in costs less."""

    def __init__(self, stage: Stage, database: str, url: str):
        self._stage = stage
        self._database = database
        self._url = url
        self._numbers = (range(first, first + SENDERS) for first in itertools.count(step=SENDERS))

    def measure(self) -> Latency:
        """Prepares a round and runs it."""
        return self.prepare()()

    def prepare(self) -> Callable[[], Latency]:
        """Prepares a round, and returns what runs it."""
        check_ins = CheckIns(self._stage, self._database, next(self._numbers))
        check_ins.introduce(self._url, CONNECTIONS)
        check_ins.warm_up(self._url, CONNECTIONS)

        def run() -> Latency:
            with _watching_disk(self._stage.folder) as syncs:
                outcome = check_ins.over_http(self._url, CONNECTIONS, REST)
            return Latency(outcome.p99, 1000 * max(syncs))

        return run


def report_p99(
    name: str, ours: Sequence[Latency], peer: Sequence[Latency], meanwhile: str, target: Target | None = None
) -> None:
    """Reports the p99 of check-ins while something happens, against a quiet time."""
    longest = [number(max(latency.longest_sync for latency in side)) for side in (ours, peer)]
    report(
        name, [latency.p99 for latency in ours], [latency.p99 for latency in peer],
        f"p99 in milliseconds of some {RATE} check-ins a second {meanwhile}, against a quiet time; to write one page, the disk"
        f" took at most {longest[0]} ms, and {longest[1]} in the quiet time",
        target,
    )


@contextlib.contextmanager
def _watching_disk(folder: Path) -> Iterator[list[float]]:
    """Writes a page to a file of the folder now and then; the seconds of each write."""
    seconds: list[float] = []
    stopped = threading.Event()
    file = os.open(folder / "page", os.O_CREAT | os.O_WRONLY)

    def write() -> None:
        while not stopped.wait(SYNC_EVERY):
            began = time.monotonic()
            os.pwrite(file, bytes(4096), 0)
            os.fdatasync(file)
            seconds.append(time.monotonic() - began)

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield seconds
    finally:
        stopped.set()
        thread.join()
        os.close(file)
