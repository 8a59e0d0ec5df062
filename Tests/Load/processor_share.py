"""Threads and servers that are held to a part of a processor each, by control groups (cgroups(7), version 1)."""

import contextlib
import time
from pathlib import Path

from process import child_processes

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


class ServerShare:
    """Holds a server with all of its processes, also those that it starts later, together to `share` of a processor.

    Within that share it goes before other work on the machine. Raises RuntimeError like ProcessorShare.
    """

    WEIGHT = 100_000

    def __init__(self, process: int, share: float):
        self._process = process
        self._share = share
        self._group = CONTROLLER / f"kith-load-{process}"

    def __enter__(self) -> "ServerShare":
        try:
            self._group.mkdir()
            (self._group / "cpu.cfs_period_us").write_text(str(PERIOD))
            (self._group / "cpu.cfs_quota_us").write_text(str(int(PERIOD * self._share)))
            (self._group / "cpu.shares").write_text(str(self.WEIGHT))
            (self._group / "cgroup.procs").write_text(str(self._process))
            for process in child_processes(self._process):
                # A session may end meanwhile.
                with contextlib.suppress(ProcessLookupError):
                    (self._group / "cgroup.procs").write_text(str(process))
        except OSError as error:
            self.__exit__()
            raise RuntimeError(f"this needs the root of a machine with {CONTROLLER}: {error}") from error
        return self

    def __exit__(self, *error: object) -> None:
        # A process that ends meanwhile cannot be moved, and one that began meanwhile is in the group too.
        for _ in range(100):
            for process in (self._group / "cgroup.procs").read_text().split():
                with contextlib.suppress(OSError):
                    (CONTROLLER / "cgroup.procs").write_text(process)
            try:
                self._group.rmdir()
                return
            except OSError:
                time.sleep(0.05)

