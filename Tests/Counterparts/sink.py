"""A web server whose path chooses the answer, valid or broken.

    /status/503              that status
    /retry-after/7/429       that status, with Retry-After
    /answer/{"id":1}         200 with that body
    /slow/0.5                200 after that many seconds
    /twice                   200, two times
    /never                   no answer
    /reset                   the connection is reset after the request
    /half                    the head of an answer and half of its body, then the connection closes
    /redirect/ADDRESS        302 to that address, percent-encoded
    /huge                    200 and a body without end
    /heads                   a head without end
    /interim                 interim answers without end
    /fail/2/PATH…            500 for the first two requests of each webhook-id or idempotency-key, then as PATH…
    /named/NAME              as the last `PUT /named/NAME` said, whose body is a path; 200 before any

Every request is a line of JSON on the standard output stream; the first line has the port.
"""

import argparse
import asyncio
import json
import socket
import ssl
import struct
import urllib.parse

arguments = argparse.ArgumentParser()
arguments.add_argument("--certificate", help="PEM of the certificate and its key; plain HTTP without it")
options = arguments.parse_args()

named = {}
failures = {}
connections = 0


def log(**what):
    print(json.dumps(what), flush=True)


class Sink:
    """One connection."""

    def __init__(self, reader, writer):
        global connections
        connections += 1
        self.number = connections
        self.reader = reader
        self.writer = writer

    async def run(self):
        try:
            while await self.exchange():
                pass
        except (ConnectionError, asyncio.IncompleteReadError, ssl.SSLError):
            pass
        finally:
            self.writer.close()

    async def exchange(self):
        """Reads a request and answers it; whether the connection stays open."""
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, target, _ = head[0].split(" ")
        headers = {}
        for line in head[1:]:
            if line:
                name, _, value = line.partition(":")
                headers[name.lower()] = value.strip()
        body = await self.reader.readexactly(int(headers.get("content-length", 0)))
        path = urllib.parse.unquote(target.partition("?")[0])
        log(
            method=method, path=target, headers=headers, body=body.decode("latin-1"), connection=self.number,
            **({"as": named.get(path.removeprefix("/named/"))} if path.startswith("/named/") else {}),
        )
        if method == "PUT" and path.startswith("/named/"):
            named[path.removeprefix("/named/")] = body.decode()
            return await self.answer(200)
        return await self.behave(path, headers)

    async def behave(self, path, headers):
        word, _, rest = path.lstrip("/").partition("/")
        match word:
            case "status":
                return await self.answer(int(rest))
            case "retry-after":
                seconds, _, status = rest.partition("/")
                return await self.answer(int(status), fields=[("Retry-After", seconds)])
            case "answer":
                return await self.answer(200, rest.encode())
            case "slow":
                await asyncio.sleep(float(rest))
                return await self.answer(200)
            case "twice":
                return await self.answer(200) and await self.answer(200)
            case "never":
                await self.reader.read()
                return False
            case "reset":
                # Without lingering, closing sends RST and drops unsent bytes.
                raw = self.writer.get_extra_info("socket")
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.writer.transport.abort()
                return False
            case "half":
                await self.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
                return False
            case "redirect":
                return await self.answer(302, fields=[("Location", rest)])
            case "huge":
                await self.write(b"HTTP/1.1 200 OK\r\nX-Kind: huge\r\n\r\n")
                return await self.forever(b"x" * 65536)
            case "heads":
                await self.write(b"HTTP/1.1 200 OK\r\n")
                return await self.forever(b"X-More: and more\r\n" * 100)
            case "interim":
                return await self.forever(b"HTTP/1.1 103 Early Hints\r\nLink: </>\r\n\r\n" * 100)
            case "fail":
                times, _, then = rest.partition("/")
                key = (path, headers.get("webhook-id") or headers.get("idempotency-key"))
                failures[key] = failures.get(key, 0) + 1
                return await (self.answer(500) if failures[key] <= int(times) else self.behave(then, headers))
            case "named":
                return await self.behave(named.get(rest, "/status/200"), headers)
            case _:
                return await self.answer(404)

    async def answer(self, status, body=b"{}", fields=()):
        lines = [f"HTTP/1.1 {status} As Asked", f"Content-Length: {len(body)}"]
        lines += [f"{name}: {value}" for name, value in fields]
        await self.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
        return True

    async def forever(self, piece):
        while not self.writer.transport.is_closing():
            await self.write(piece)
            # The loop must run once to learn that the other side is gone.
            await asyncio.sleep(0)
        return False

    async def write(self, piece):
        self.writer.write(piece)
        await self.writer.drain()


async def main():
    context = None
    if options.certificate:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(options.certificate)
    server = await asyncio.start_server(
        lambda reader, writer: Sink(reader, writer).run(), "127.0.0.1", 0, ssl=context, backlog=1024
    )
    log(port=server.sockets[0].getsockname()[1])
    await server.serve_forever()


asyncio.run(main())
