"""The time from the start of `kith serve` to its first answer."""

import http.client
import time
from urllib.parse import urlsplit

from result import at_most, report
from stage import Stage

TARGET = 100
ROUNDS = 10


def run(stage: Stage) -> None:
    with stage.people() as database:
        for path in ("livez", "readyz"):
            ours = [_milliseconds(stage, database, f"/{path}") for _ in range(ROUNDS)]
            what = f"milliseconds from exec to the first 200 of /{path}; the peer is the limit"
            report(f"start-{path}", ours, [TARGET] * ROUNDS, what, at_most(1))


def _milliseconds(stage: Stage, database: str, path: str) -> float:
    began = time.monotonic()
    with stage.serving(database, is_awaited=False) as server:
        address = urlsplit(server.url).netloc
        while not _answers(address, path):
            if time.monotonic() - began > 20:
                raise RuntimeError(f"kith serve does not answer {path}")
            time.sleep(0.0005)
        return (time.monotonic() - began) * 1000


def _answers(address: str, path: str) -> bool:
    connection = http.client.HTTPConnection(address, timeout=1)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()
