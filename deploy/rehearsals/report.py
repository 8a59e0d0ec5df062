"""The figures of a rehearsal: plain lines as they come, and a JSON file at the end."""

import datetime
import json
import os
import platform
import subprocess
import sys
from pathlib import Path

from rehearsals.arguments import ROOT


class Report:
    """The steps, figures and promises of one rehearsal."""

    def __init__(self, name: str, file: Path):
        self._name = name
        self._file = file
        self._began = datetime.datetime.now(datetime.timezone.utc)
        self._figures: dict[str, float | int | str] = {}
        self._promises: dict[str, bool] = {}

    def __enter__(self) -> "Report":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        ended = datetime.datetime.now(datetime.timezone.utc)
        self._file.parent.mkdir(parents=True, exist_ok=True)
        self._file.write_text(json.dumps({
            "rehearsal": self._name, "command": sys.argv[1:], "began_at": self._began.isoformat(), "ended_at": ended.isoformat(),
            "commit": _commit(), "processors": os.cpu_count(), "machine": platform.platform(),
            "figures": self._figures, "promises": self._promises, "error": None if error is None else f"{kind.__name__}: {error}",
        }, indent=2) + "\n")
        self.step(f"the report is in {self._file}")

    @property
    def is_kept(self) -> bool:
        """Whether every promise was kept."""
        return all(self._promises.values())

    def step(self, text: str) -> None:
        """Says what happens now."""
        print(f"{self._name}: {text}", flush=True)

    def figure(self, name: str, value: float | int | str, unit: str = "") -> None:
        """A figure; a number that is not whole gets three digits."""
        value = round(value, 3) if isinstance(value, float) else value
        self._figures[f"{name} ({unit})" if unit else name] = value
        print(f"{self._name}: {name} = {value} {unit}".rstrip(), flush=True)

    def promise(self, text: str, is_kept: bool) -> None:
        """A promise, and whether it was kept."""
        self._promises[text] = is_kept
        print(f"{self._name}: {'kept' if is_kept else 'BROKEN'}: {text}", flush=True)


def _commit() -> str | None:
    done = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"], capture_output=True, text=True)
    return done.stdout.strip() or None
