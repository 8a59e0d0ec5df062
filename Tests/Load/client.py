"""The client library as a program of its own.

Where Kith itself would be the limit, it speaks with a server that does nothing else.
"""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from process import await_answer, free_port, running

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Measured:
    """What one run of the program did."""

    count: int
    seconds: float
    before_kib: int
    peak_kib: int

    @property
    def rate(self) -> float:
        """How often a second."""
        return self.count / self.seconds


def measure(what: str, url: str, token: str, limit: object) -> Measured:
    """Runs the program once: `check-in`, `events` or `download` by the library, or `bare-…` without it."""
    program = Path(os.environ["KITH_BINARY"]).with_name("ClientProcess")
    done = subprocess.run(
        [program, "measure", what, url, token, str(limit)], stdout=subprocess.PIPE, check=True, text=True,
    )
    return Measured(**json.loads(done.stdout))


@contextlib.contextmanager
def counterpart(folder: Path) -> Iterator[str]:
    """The address of `counterpart/app_server.py`."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    command = [sys.executable, str(FOLDER / "counterpart" / "app_server.py"), str(port), str(folder / "content")]
    with running(command, dict(os.environ), folder / "app_server.log") as process:
        await_answer(process, f"{url}/livez")
        yield url
