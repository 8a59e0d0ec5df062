"""The processes that faults hit: each can be killed, stopped, continued and started again."""

import contextlib
import os
import signal
import struct
import subprocess
from collections.abc import Mapping
from pathlib import Path


class Machine:
    """What the processes that were started with it take for their machine: its clock, and how slow its disk is (machine.c)."""

    def __init__(self, file: Path, library: Path):
        self._file = file
        self._library = library
        self.is_ahead(0)
        file.chmod(0o644)

    @property
    def environment(self) -> dict[str, str]:
        """The variables of a process on this machine."""
        return {"LD_PRELOAD": str(self._library), "CHAOS_MACHINE": str(self._file)}

    def is_ahead(self, seconds: float) -> None:
        """Sets the clock, relative to the right time."""
        self._write(seconds, 0)

    def flushes_late(self, seconds: float) -> None:
        """Makes each flush to the disk take this much longer."""
        self._write(0, seconds)

    def _write(self, ahead: float, late: float) -> None:
        # Not truncated first: the file is mapped.
        with self._file.open("r+b" if self._file.exists() else "wb") as file:
            file.write(struct.pack("qq", int(ahead * 1e6), int(late * 1e6)))


class Program:
    """A process that is started as often as needed. Its output is appended to a log."""

    def __init__(self, name: str, command: list[str], environment: Mapping[str, str], log: Path, machine: Machine):
        self.name = name
        self.machine = machine
        self._command = command
        self._environment = {**environment, **machine.environment}
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Starts it unless it runs."""
        if self.is_running:
            return
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command, env=self._environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
            )

    @property
    def is_running(self) -> bool:
        """Whether it has been started and has not ended. A stopped process runs."""
        return self._process is not None and self._process.poll() is None

    def signal(self, number: int) -> None:
        """Sends a signal to the process, if it runs."""
        if self.is_running:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._process.pid, number)

    def kill(self) -> None:
        """Kills it, and waits until it has ended."""
        self.signal(signal.SIGKILL)
        if self._process is not None:
            self._process.wait()
