"""Check-ins at full rate over HTTP: several processes with several threads, each of which begins its next when one is answered."""

import contextlib
import itertools
import json
import multiprocessing
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import tokens
from rehearsals.journal import Journal

PROCESSES = 2
TIMEOUT_SECONDS = 30
"""Longer than the server's own limits, so that a request counts as unanswered only if the server gave none."""


class CheckIns:
    """A running load. Users check in turn by turn, each with a note that is the check-in's id in the journal."""

    def __init__(self, folder: Path, callers: list[tuple[int, str]], urls: list[str], clients: int):
        """`callers` are tenants and users. A client keeps to one of `urls`, and goes on to the next when it gets no answer."""
        self._folder = folder
        self._context = multiprocessing.get_context("spawn")
        self._stop = self._context.Event()
        self._number = next(_numbers)
        self._files = [folder / f"journal-{self._number}-{n}" for n in range(min(PROCESSES, clients))]
        self._processes = [
            self._context.Process(
                target=_run, daemon=True,
                args=(self._stop, file, f"{self._number}-{n}", callers[n::len(self._files)], urls,
                      clients // len(self._files) + (n < clients % len(self._files))),
            )
            for n, file in enumerate(self._files)
        ]

    def __enter__(self) -> "CheckIns":
        for file in self._files:
            file.touch()
        for process in self._processes:
            process.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._stop.set()
        for process in self._processes:
            process.join(TIMEOUT_SECONDS + 10)
            process.kill()

    def journal(self) -> Journal:
        """What was written to the journal up to now; complete after the block."""
        return Journal.read(self._files)

    def await_acts(self, seconds: float = 30) -> None:
        """Waits until acts are acknowledged; raises RuntimeError if none is."""
        known = len(self.journal().acknowledged)
        end = time.monotonic() + seconds
        while len(self.journal().acknowledged) == known:
            if time.monotonic() > end:
                raise RuntimeError(f"no check-in was acknowledged in {seconds} s; the last acts: {self.journal().acts[-3:]}")
            time.sleep(0.1)


_numbers = itertools.count(1)


def callers(database: psycopg.Connection) -> list[tuple[int, str]]:
    """All senders of a database that Tests/Load/population.sql has filled."""
    return database.execute("select tenant_id, user_id::text from load.senders order by n").fetchall()


def _run(stop: threading.Event, file: Path, name: str, users: list[tuple[int, str]], urls: list[str], threads: int) -> None:
    turns = enumerate(itertools.cycle(users))
    lock = threading.Lock()
    with file.open("a", buffering=1) as journal:
        clients = [
            threading.Thread(target=_check_in, args=(stop, name, turns, lock, urls[n % len(urls):] + urls[:n % len(urls)], journal.write))
            for n in range(threads)
        ]
        with contextlib.suppress(KeyboardInterrupt):
            for client in clients:
                client.start()
            for client in clients:
                client.join()


def _check_in(
    stop: threading.Event, name: str, turns: Iterator[tuple[int, tuple[int, str]]], lock: threading.Lock, urls: list[str],
    write: Callable[[str], object],
) -> None:
    addresses = itertools.cycle(urls)
    connection = None
    while not stop.is_set():
        with lock:
            number, (tenant, user) = next(turns)
        act, began, status = f"{name}-{number}", time.time(), 0
        try:
            connection = connection or _Connection(next(addresses))
            status = connection.post("/v1/pings/check-in", tokens.mint(tenant, user), {"note": act})
        except OSError:
            connection = connection and connection.close()
        write(f"{act}\t{tenant}\t{user}\t{began:.6f}\t{time.time():.6f}\t{status}\n")
        if not 200 <= status < 300:
            # Refused or without an answer: try elsewhere, and not without pause.
            connection = connection and connection.close()
            stop.wait(0.05)


class _Connection:
    """A persistent connection. A client of the standard library would take more of the processor than the server."""

    def __init__(self, url: str):
        parts = urlsplit(url)
        self._host = parts.netloc
        self._socket = socket.create_connection((parts.hostname, parts.port), TIMEOUT_SECONDS)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def close(self) -> None:
        self._socket.close()

    def post(self, path: str, token: str, body: dict[str, str]) -> int:
        """The status of the answer, which has arrived whole. Raises OSError if the connection ends before."""
        text = json.dumps(body).encode()
        self._socket.sendall(
            f"POST {path} HTTP/1.1\r\nHost: {self._host}\r\nAuthorization: Bearer {token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(text)}\r\n\r\n".encode() + text
        )
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += self._receive()
        head, _, rest = answer.partition(b"\r\n\r\n")
        length = next(
            (int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")), 0,
        )
        while len(rest) < length:
            rest += self._receive()
        return int(head[9:12])

    def _receive(self) -> bytes:
        piece = self._socket.recv(65536)
        if not piece:
            raise ConnectionResetError("the connection ended before the answer")
        return piece
