"""Thousands of clients of GET /v1/events in this process."""

import contextlib
import re
import select
import socket
import threading
import time
from urllib.parse import urlsplit

EVENT = re.compile(rb'event: notification\ndata: \{"id" : "([0-9a-f-]{36})"')
AT_ONCE = 64
"""The number of concurrent connection attempts: fewer than the server's accept queue and its database queue hold."""


class Listeners(contextlib.AbstractContextManager):
    """A stream for each token, open while this context is entered. It records when each notification arrived."""

    def __init__(self, url: str, tokens: list[str]):
        address = urlsplit(url)
        self._address = (address.hostname, address.port)
        self._tokens = tokens
        self._poll = select.epoll()
        self._clients: dict[int, socket.socket] = {}
        self._rests: dict[int, bytes] = {}
        self._ended = 0
        self._stopping = False
        self._thread = threading.Thread(target=self._listen)
        self.arrivals: dict[str, float] = {}
        """The time.monotonic() of each arrival, by the notification's id."""

    def __enter__(self) -> "Listeners":
        for first in range(0, len(self._tokens), AT_ONCE):
            self._open(self._tokens[first:first + AT_ONCE])
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._stopping = True
        self._thread.join()
        for client in self._clients.values():
            client.close()
        self._poll.close()

    def check(self) -> None:
        """Raises RuntimeError if a stream has ended."""
        if self._ended:
            raise RuntimeError(f"{self._ended} of {len(self._tokens)} streams have ended")

    def await_arrivals(self, ids: list[str]) -> list[float]:
        """The arrival time of each of these notifications; waits for all of them."""
        end = time.monotonic() + 60
        while not all(id in self.arrivals for id in ids):
            if time.monotonic() > end:
                raise RuntimeError(f"of {len(ids)} events only {sum(id in self.arrivals for id in ids)} came")
            time.sleep(0.01)
        return [self.arrivals[id] for id in ids]

    def _open(self, tokens: list[str]) -> None:
        clients = []
        for token in tokens:
            client = socket.create_connection(self._address, timeout=30)
            client.sendall(f"GET /v1/events HTTP/1.1\r\nHost: kith\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
            clients.append(client)
        for client in clients:
            head = b""
            while b"\r\n\r\n" not in head:
                piece = client.recv(4096)
                if not piece:
                    raise RuntimeError(f"a stream was not begun: {head!r}")
                head += piece
            if not head.startswith(b"HTTP/1.1 200"):
                raise RuntimeError(f"a stream was refused: {head!r}")
            client.setblocking(False)
            self._clients[client.fileno()] = client
            self._poll.register(client, select.EPOLLIN)

    def _listen(self) -> None:
        while not self._stopping:
            for number, _ in self._poll.poll(0.1, 256):
                now = time.monotonic()
                piece = self._clients[number].recv(65536)
                if not piece:
                    self._ended += 1
                    self._poll.unregister(number)
                    continue
                text = self._rests.pop(number, b"") + piece
                for match in EVENT.finditer(text):
                    self.arrivals[match.group(1).decode()] = now
                # An event may arrive in two pieces.
                whole = text.rfind(b"\n\n") + 2
                if 1 < whole < len(text):
                    self._rests[number] = text[whole:]
                elif whole <= 1:
                    self._rests[number] = text
