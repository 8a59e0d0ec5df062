"""Threads that are held to a part of a processor each, by control groups (cgroups(7), version 1)."""

import contextlib
from pathlib import Path

CONTROLLER = Path("/sys/fs/cgroup/cpu")
PERIOD = 10_000
"""Microseconds. Short, so that a thread is never stopped for long."""


class ProcessorShare:
    """Holds each thread to `share` of a processor until the end of the `with` statement.

    Raises RuntimeError if the machine has no such controller or the caller may not use it.
    """

    def __init__(self, threads: list[int], share: float):
        self._threads = threads
        self._share = share
        self._groups: list[Path] = []

    def __enter__(self) -> "ProcessorShare":
        try:
            for thread in self._threads:
                group = CONTROLLER / f"kith-load-{thread}"
                group.mkdir()
                self._groups.append(group)
                (group / "cpu.cfs_period_us").write_text(str(PERIOD))
                (group / "cpu.cfs_quota_us").write_text(str(int(PERIOD * self._share)))
                (group / "tasks").write_text(str(thread))
        except OSError as error:
            self.__exit__()
            raise RuntimeError(f"this needs the root of a machine with {CONTROLLER}: {error}") from error
        return self

    def __exit__(self, *error: object) -> None:
        for thread, group in zip(self._threads, self._groups):
            with contextlib.suppress(OSError):
                (CONTROLLER / "tasks").write_text(str(thread))
            group.rmdir()
