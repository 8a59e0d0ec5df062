"""Requests that all begin at the same instant, each on a connection of its own."""

import asyncio
import math
import time
from collections.abc import Sequence
from urllib.parse import urlsplit

import uvloop

from call import Call, Caller


def race(url: str, call: Call, fields: Sequence[Sequence[Caller]]) -> list[list[tuple[int, float]]]:
    """Runs one race after another: the callers of each send their request at once, over connections that are open already.

    For each race, the status and the milliseconds of each answer. Raises RuntimeError if the server closes a connection.
    """
    return uvloop.run(_races(url, call, fields))


def p99(milliseconds: Sequence[float]) -> float:
    """The p99 of some times."""
    return sorted(milliseconds)[math.ceil(len(milliseconds) * 0.99) - 1]


async def _races(url: str, call: Call, fields: Sequence[Sequence[Caller]]) -> list[list[tuple[int, float]]]:
    address = urlsplit(url)
    lanes = [await asyncio.open_connection(address.hostname, address.port) for _ in max(fields, key=len)]
    try:
        return [
            await asyncio.gather(*(_answer(*lane, call, caller) for lane, caller in zip(lanes, field)))
            for field in fields
        ]
    finally:
        for _, writer in lanes:
            writer.close()


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, call: Call, caller: Caller) -> tuple[int, float]:
    method, path, token, body = call.request(caller).split("\t")
    began = time.perf_counter()
    writer.write(
        f"{method} {path} HTTP/1.1\r\nHost: kith\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n{body}".encode()
    )
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        length = next((line for line in head.splitlines() if line.startswith("content-length:")), "content-length: 0")
        await reader.readexactly(int(length.partition(":")[2]))
    except asyncio.IncompleteReadError as error:
        raise RuntimeError(f"the server closed the connection of {caller.user}") from error
    return int(head.split(maxsplit=2)[1]), 1000 * (time.perf_counter() - began)
