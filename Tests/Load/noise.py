"""The worst load that one tenant can cause with its key: idempotent imports, changes that wait for them, and long lists."""

import contextlib
import http.client
import json
import os
import threading
import time
import urllib.parse
import uuid
from collections.abc import Callable, Iterator

from kith import Kith

IMPORTERS = 4
CHANGERS = 24
READERS = 8
LINES = 1000
"""The limit for an import with an Idempotency-Key, which is one transaction."""


class Noise:
    """A tenant of a running server that keeps as many requests in flight as it can."""

    def __init__(self, kith: Kith, owner_url: str, url: str):
        made = json.loads(kith.command(owner_url, "tenant", "create", "noisy", "--name", "Noisy", "--json"))
        self._address = urllib.parse.urlsplit(url).netloc
        self._headers = {"Authorization": f"Bearer {made['secret_key']}"}
        self._stopped = threading.Event()
        """Set between two rounds of noise."""
        self.answers = 0
        """The number of requests answered, whatever the answer."""
        lines = [json.dumps({"external_id": f"user-{n}", "display_name": f"User {n}"}) for n in range(LINES)]
        self._import = "\n".join(lines).encode()
        answer = self._send(self._connect(), "POST", "/v1/users:import", self._import, "application/x-ndjson")
        self._user = json.loads(answer.splitlines()[0])["id"]

    @contextlib.contextmanager
    def making(self) -> Iterator[None]:
        """Makes noise for the duration of the block."""
        work = [self._imports] * IMPORTERS + [self._changes] * CHANGERS + [self._lists] * READERS
        threads = [threading.Thread(target=self._repeat, args=(each,), daemon=True) for each in work]
        self._stopped.clear()
        for thread in threads:
            thread.start()
        try:
            # Until requests of every kind are in flight.
            time.sleep(1)
            yield
        finally:
            self._stopped.set()
            for thread in threads:
                thread.join()

    def _repeat(self, request: Callable[[http.client.HTTPConnection], None]) -> None:
        # The tenant's client would run on another machine, so it gets only the processor time that nobody else wants.
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
        connection = self._connect()
        while not self._stopped.is_set():
            try:
                request(connection)
                self.answers += 1
            except (OSError, http.client.HTTPException):
                connection = self._connect()
                time.sleep(0.01)

    def _imports(self, connection: http.client.HTTPConnection) -> None:
        self._send(
            connection, "POST", "/v1/users:import", self._import, "application/x-ndjson", key=str(uuid.uuid4())
        )

    def _changes(self, connection: http.client.HTTPConnection) -> None:
        body = json.dumps({"display_name": f"User {uuid.uuid4().hex[:8]}"}).encode()
        self._send(connection, "PATCH", f"/v1/users/{self._user}", body, "application/json")

    def _lists(self, connection: http.client.HTTPConnection) -> None:
        self._send(connection, "GET", "/v1/users?external_id=user-1", None, None)

    def _connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(self._address, timeout=60)

    def _send(
        self, connection: http.client.HTTPConnection, method: str, path: str, body: bytes | None, type: str | None,
        key: str | None = None,
    ) -> bytes:
        headers = dict(self._headers)
        if type:
            headers["Content-Type"] = type
        if key:
            headers["Idempotency-Key"] = key
        connection.request(method, path, body, headers)
        return connection.getresponse().read()
