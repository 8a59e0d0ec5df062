"""Load over HTTP by wrk: persistent connections, each of which sends its next request when the last is answered."""

import http.client
import json
import subprocess
import urllib.parse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from journal import Entry, Journal

SCRIPT = Path(__file__).with_name("wrk.lua")


@dataclass(frozen=True)
class Outcome:
    """wrk's counts."""

    requests: int
    seconds: float
    p99: float
    """The p99 of the time from request to answer, in milliseconds."""

    @property
    def rate(self) -> float:
        """Requests per second."""
        return self.requests / self.seconds


def check(url: str, walk: Path) -> None:
    """Sends the first request of a file. Raises RuntimeError if its status is not 200: wrk counts a redirection as an answer."""
    method, path, token, body, *_ = walk.read_text().split("\n", 1)[0].split("\t")
    headers = {"Cookie": token} if token.startswith("kith=") else {"Authorization": f"Bearer {token}"}
    address = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(address.hostname, address.port)
    connection.request(method, path, body or None, headers)
    answer = connection.getresponse()
    if answer.status != 200:
        raise RuntimeError(f"{method} {path}: {answer.status} {answer.getheader('Location', '')}")


def load(url: str, walk: Path, connections: int, seconds: float, rest: int = 0) -> Outcome:
    """Sends the requests of a file repeatedly.

    `rest` is the pause of a connection between two requests, in milliseconds. Raises RuntimeError if a
    request fails or gets a status other than 2xx.
    """
    counted = _counted(_wrk(url, walk, connections, f"{seconds}s", str(rest)), walk)
    return Outcome(counted["requests"], counted["microseconds"] / 1e6, counted["p99"] / 1000)


def logged(url: str, walk: Path, connections: int, warm_up: int, seconds: int) -> Journal:
    """Sends the requests of a file, each of which names its kind; a journal of the answers.

    Raises RuntimeError like load().
    """
    log = walk.with_suffix(".log")
    _counted(_wrk(url, walk, connections, f"{warm_up + seconds}s", "log", str(log)), walk)
    return Journal(_entries(log), warm_up, seconds)


def once(url: str, walk: Path, connections: int) -> None:
    """Sends each request of a file once, and raises RuntimeError unless all are answered with 2xx."""
    done = _wrk(url, walk, connections, "60s", "once")
    if done.stdout.count('"requests"'):
        raise RuntimeError(f"not every request of {walk.name} was answered within a minute")


def _counted(done: subprocess.CompletedProcess[str], walk: Path) -> dict[str, int]:
    counted = json.loads(done.stdout.splitlines()[-1])
    if counted["failed"] or counted["refused"] or not counted["requests"]:
        raise RuntimeError(f"of the requests of {walk.name} some failed: {counted}")
    return counted


def _entries(log: Path) -> Iterator[Entry]:
    for line in log.open():
        kind, began, ended = line.split()
        yield Entry(kind, int(began) / 1e6, int(ended) / 1e6)


def _wrk(url: str, walk: Path, connections: int, duration: str, *mode: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [
            "wrk", "--threads=1", f"--connections={connections}", f"--duration={duration}", f"--script={SCRIPT}", url,
            "--", str(walk), *mode,
        ],
        capture_output=True, text=True,
    )
    if done.returncode != 0:
        raise RuntimeError(f"wrk failed: {done.stdout}{done.stderr}")
    return done
