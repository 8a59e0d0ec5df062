"""Which position in the WAL was written when: samples of a running server."""

import threading
import time

import psycopg
from postgres import Cluster


class WALClock:
    """Samples the server's WAL while the block lasts, or until the server is gone."""

    def __init__(self, cluster: Cluster):
        self._cluster = cluster
        self._samples: list[tuple[float, int]] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)

    def __enter__(self) -> "WALClock":
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._stop.set()
        self._thread.join()

    def when(self, position: int) -> float:
        """The last instant (seconds since 1970) at which all WAL written lay before a position: what was acknowledged by then is before it."""
        return max((at for at, written in self._samples if written <= position), default=0)

    def _sample(self) -> None:
        try:
            with self._cluster.connect("postgres") as session:
                while not self._stop.wait(0.02):
                    at = time.time()
                    written = session.execute("select pg_current_wal_insert_lsn() - '0/0'::pg_lsn").fetchone()[0]
                    self._samples.append((at, int(written)))
        except psycopg.OperationalError:
            return
