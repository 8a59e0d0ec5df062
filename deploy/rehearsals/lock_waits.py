"""How long sessions wait for locks: samples of a running server."""

import threading
from pathlib import Path

from postgres import Cluster

SETTINGS = {"log_lock_waits": "on", "deadlock_timeout": "1s"}
"""What PostgreSQL needs so that its log names each wait of more than a second."""


class LockWaits:
    """Samples the waits while the block lasts."""

    def __init__(self, cluster: Cluster):
        self._cluster = cluster
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)
        self.longest = 0.0
        """Seconds. A wait that is shorter than the 20 ms between two samples may be missed."""
        self.longest_of = ""
        """The statement that waited."""

    def __enter__(self) -> "LockWaits":
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._stop.set()
        self._thread.join()

    @property
    def logged(self) -> list[str]:
        """The lines of PostgreSQL's log about waits of more than a second."""
        return [line for line in Path(self._cluster.folder / "log").read_text(errors="replace").splitlines() if "still waiting for" in line]

    def _sample(self) -> None:
        with self._cluster.connect("postgres") as session:
            while not self._stop.wait(0.02):
                seconds, statement = session.execute(
                    "select coalesce(extract(epoch from clock_timestamp() - lock.waitstart), 0)::float, activity.query"
                    " from pg_locks as lock join pg_stat_activity as activity using (pid) where not lock.granted"
                    " order by 1 desc limit 1"
                ).fetchone() or (0.0, "")
                if seconds > self.longest:
                    self.longest, self.longest_of = seconds, " ".join(statement.split())[:200]
