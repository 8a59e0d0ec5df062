"""The network between two programs: a TCP proxy that loses, holds back or delays what passes through it."""

import asyncio
import contextlib
import threading
from collections.abc import Coroutine
from typing import Any

PASS, CUT, STALL, DEAF, DELAY = "pass", "cut", "stall", "deaf", "delay"
"""What a link does: everything passes; connections are reset, and new ones too; nothing passes, but everybody waits for it; requests
pass, but answers do not; everything comes later."""


class Network:
    """An event loop in a thread of its own, which all links share."""

    def __enter__(self) -> "Network":
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Runs a coroutine on the loop; its result."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(300)


class Link:
    """A proxy on a port of 127.0.0.1 that leads to `target`: an address and a port, or the path of a Unix socket."""

    def __init__(self, network: Network, name: str, target: tuple[str, int] | str):
        self.name = name
        self._network = network
        self._target = target
        self._mode = PASS
        self._delay = 0.0
        self._writers: set[asyncio.StreamWriter] = set()
        self.port = network.run(self._listen())

    def become(self, mode: str, delay: float = 0) -> None:
        """Changes what the link does from now on, also to connections that exist."""
        self._network.run(self._become(mode, delay))

    async def _listen(self) -> int:
        self._changed = asyncio.Condition()
        server = await asyncio.start_server(self._carry, "127.0.0.1", 0, backlog=512)
        return server.sockets[0].getsockname()[1]

    async def _become(self, mode: str, delay: float) -> None:
        # A partition that ends has lost nothing yet if TCP is patient. Every other one ends with a reset, as when it was not.
        async with self._changed:
            self._mode, self._delay = mode, delay
            self._changed.notify_all()
        if mode == CUT:
            for writer in self._writers:
                writer.transport.abort()

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            if self._mode == CUT:
                writer.transport.abort()
                return
            await self._passage(STALL)
            if isinstance(self._target, str):
                there = await asyncio.open_unix_connection(self._target)
            else:
                there = await asyncio.open_connection(*self._target)
            self._writers |= {writer, there[1]}
            try:
                await asyncio.gather(self._pump(reader, there[1], STALL), self._pump(there[0], writer, STALL, DEAF))
            finally:
                self._writers -= {writer, there[1]}
                there[1].transport.abort()
        writer.transport.abort()

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *waits: str) -> None:
        while data := await reader.read(65536):
            await self._passage(*waits)
            writer.write(data)
            await writer.drain()
        await self._passage(*waits)
        with contextlib.suppress(OSError, NotImplementedError):
            writer.write_eof()

    async def _passage(self, *waits: str) -> None:
        async with self._changed:
            await self._changed.wait_for(lambda: self._mode not in waits)
        if self._mode == DELAY:
            await asyncio.sleep(self._delay)
