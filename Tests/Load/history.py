"""The results of all runs in a checkout, kept in .build/bench/history.jsonl."""

import datetime
import json
import os
import platform
import subprocess
from dataclasses import asdict, dataclass, field
from pathlib import Path

from postgres import program
from result import Result

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".build" / "bench"


@dataclass(frozen=True)
class Machine:
    """What was measured on. Machines with the same processors and memory count as the same one, whatever runs on them."""

    processor: str
    processors: int
    memory_gib: int
    system: str = field(compare=False)
    postgres: str = field(compare=False)

    @staticmethod
    def this() -> "Machine":
        """The machine on which this runs."""
        models = [
            line.partition(":")[2].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")
        ]
        return Machine(
            models[0] if models else platform.machine(),
            len(os.sched_getaffinity(0)),
            round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30),
            f"{platform.system()} {platform.release()}",
            _output(program("postgres"), "--version"),
        )

    def __str__(self) -> str:
        return f"{self.processor}, {self.processors} processors, {self.memory_gib} GiB, {self.system}, {self.postgres}"


@dataclass(frozen=True)
class Record:
    """A result, and what was measured."""

    at: str
    """The instant of the run's start, in UTC as ISO 8601 writes it."""
    commit: str
    """The commit in short, with + if the checkout differs from it."""
    size: str
    machine: Machine
    result: Result


class History:
    """The file of all results. Each is appended as soon as it is known, so that a run that fails keeps the others."""

    def __init__(self, size: str, folder: Path = FOLDER):
        self._file = folder / "history.jsonl"
        self._at = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        self._commit = _commit()
        self._size = size
        self._machine = Machine.this()

    def append(self, result: Result) -> None:
        """Keeps a result of this run."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        line = {
            "at": self._at, "commit": self._commit, "size": self._size, "machine": asdict(self._machine),
            "result": result.as_json(),
        }
        with self._file.open("a") as file:
            file.write(json.dumps(line) + "\n")

    def records(self) -> list[Record]:
        """All results on this machine with this run's size, oldest first. Others cannot be compared with them.

        Raises ValueError if the file has a line that is no record.
        """
        if not self._file.exists():
            return []
        records = [self._record(line, number) for number, line in enumerate(self._file.read_text().splitlines(), 1)]
        return [record for record in records if record.size == self._size and record.machine == self._machine]

    def _record(self, line: str, number: int) -> Record:
        try:
            value = json.loads(line)
            return Record(
                value["at"], value["commit"], value["size"], Machine(**value["machine"]),
                Result.from_json(value["result"]),
            )
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{self._file}, line {number} is no record: delete the line") from error


def _commit() -> str:
    """The checkout's commit; `unknown` outside of one."""
    try:
        short = _output("git", "-C", str(ROOT), "rev-parse", "--short=10", "HEAD")
        return short + ("+" if _output("git", "-C", str(ROOT), "status", "--porcelain") else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _output(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
