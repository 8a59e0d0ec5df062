"""An SMS provider that accepts everything: any POST gets 200 and an id. GET / returns the count.

It does as little as HTTPS allows, so that the sender is measured. `sink.py PORT FILE`: the file holds its certificate and key.
"""

import asyncio
import ssl
import sys

import uvloop

ANSWER = b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 15\r\n\r\n{"id":"000001"}'
taken = 0


class Provider(asyncio.Protocol):
    """One connection with successive requests."""

    def __init__(self) -> None:
        self._buffer = b""

    def connection_made(self, transport: asyncio.Transport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        global taken
        self._buffer += data
        while True:
            end = self._buffer.find(b"\r\n\r\n")
            if end < 0:
                return
            head = self._buffer[:end].lower()
            if head.startswith(b"get "):
                body = str(taken).encode()
                self._transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
                self._buffer = self._buffer[end + 4:]
                continue
            at = head.find(b"content-length:")
            length = int(head[at + 15:].split(b"\r\n", 1)[0])
            if len(self._buffer) < end + 4 + length:
                return
            self._buffer = self._buffer[end + 4 + length:]
            taken += 1
            self._transport.write(ANSWER)


async def main(port: int, certificate: str) -> None:
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(certificate)
    server = await asyncio.get_running_loop().create_server(Provider, "127.0.0.1", port, backlog=1000, ssl=tls)
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(main(int(sys.argv[1]), sys.argv[2]))
