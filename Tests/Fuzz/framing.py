"""Sends chunked bodies that no HTTP library would send, with any sizes, extensions and trailers: valid ones, and ones with one mistake.

A valid body gets the answer of its call, and the next request on the connection gets its own; an invalid one gets one problem document, and
the connection closes. Exits with status 1 at the first different answer. The seed and the number of bodies are arguments.
"""

import os
import random
import socket
import sys
from urllib.parse import urlsplit

SERVER = urlsplit(os.environ["KITH_URL"])
#: The limit for the extensions and trailers of one body together, in bytes. Sizes near it are not tried: it counts some further bytes.
ROOM = 8 << 10
HEAD = b"POST /v1/auth/refresh HTTP/1.1\r\nHost: kith\r\nX-Kith-Tenant: nobody\r\nTransfer-Encoding: chunked\r\n\r\n"
NEXT = b"GET /livez HTTP/1.1\r\nHost: kith\r\nConnection: close\r\n\r\n"
TOKEN = b"abcXYZ019!#$%&'*+-.^_`|~"
VISIBLE = bytes(range(0x20, 0x7F)) + b"\t\xe9"


def text(chance, letters, most):
    """A random text of at most `most` letters, mostly short."""
    return bytes(chance.choices(letters, k=int(most * chance.random() ** 8)))


def chunked(chance, content):
    """The content in chunks: pairs of bytes and their kind."""
    parts, room = [], chance.choice([0, ROOM // 2, ROOM // 2, 6 * ROOM])
    while content:
        size = min(len(content), chance.choice([1, 2, 15, 16, 17, 255, 4096]))
        extension = b";" + text(chance, VISIBLE, room) if chance.random() < 0.3 else b""
        digits = b"%0*x" % (chance.choice([1, 1, 1, 8, 17]), size)
        parts += [(digits.upper() if chance.random() < 0.5 else digits, "size"), (extension, "extension"), (b"\r\n", "end")]
        parts += [(content[:size], "content"), (b"\r\n", "end")]
        room -= min(room, len(extension) + 16)
        content = content[size:]
    parts += [(b"0" * chance.choice([1, 1, 5]), "size"), (b"\r\n", "end")]
    for _ in range(chance.choice([0, 0, 1, 3])):
        parts += [(b"X" + text(chance, TOKEN, 40), "name"), (b": " + text(chance, VISIBLE, room), "value"), (b"\r\n", "end")]
        room -= min(room, len(parts[-2][0]) + 64)
    return parts + [(b"\r\n", "end")]


def spoil(chance, parts):
    """Breaks one place."""
    place = chance.randrange(len(parts))
    part, kind = parts[place]
    if kind == "end":
        part = chance.choice([b"\n", b"\r", b"\r\r\n", b"\n\r"])
    elif kind == "size":
        part = chance.choice([b"", b"x", b"-" + part, b"+" + part, b"0x" + part, b" " + part, part + b" \r", b"f" * 17])
    elif kind in ("extension", "value"):
        part += chance.choice([b"\0", b"\x7f", b"\r", b"\n", b"\x01"]) + b"x"
        part = part if kind == "value" else b";" + part
    elif kind == "name":
        part = chance.choice([b"", b" " + part, part + b" ", b"X\0Y", b"X(Y)"])
    else:
        part += b"xx"
    return parts[:place] + [(part, kind)] + parts[place + 1 :]


def overhead(parts):
    return sum(len(part) for part, kind in parts if kind in ("extension", "name", "value")) + sum(
        max(0, len(part) - 1) for part, kind in parts if kind == "size"
    )


def exchange(chance, request):
    """Everything that the server sends until it closes the connection."""
    with socket.create_connection((SERVER.hostname, SERVER.port), timeout=20) as connection:
        try:
            while request:
                size = chance.choice([1, 7, 100, 1 << 20])
                connection.sendall(request[:size])
                request = request[size:]
        except OSError:
            pass  # The connection may be closed before everything is sent.
        said = b""
        while piece := connection.recv(1 << 16):
            said += piece
        return said


def answers(said):
    """The answers in `said`: pairs of status and content type."""
    while said:
        head, rest = said.split(b"\r\n\r\n", 1)
        lines = head.decode().split("\r\n")
        fields = dict(line.lower().split(": ", 1) for line in lines[1:])
        length = int(fields["content-length"])
        assert lines[0].startswith("HTTP/1.1 ") and len(rest) >= length, lines
        yield int(lines[0].split()[1]), fields["content-type"]
        said = rest[length:]


def main():
    chance = random.Random(int(sys.argv[1]))
    for number in range(int(sys.argv[2])):
        content = b'{"refresh_token":"' + text(chance, b"abc", 12000) + b'"}'
        parts = chunked(chance, content)
        isWrong = chance.random() < 0.5
        if isWrong:
            parts = spoil(chance, parts)
        size = overhead(parts)
        if ROOM - 512 < size < ROOM + 512:
            continue
        said = exchange(chance, HEAD + b"".join(part for part, _ in parts) + NEXT)
        try:
            found = list(answers(said))
        except (AssertionError, KeyError, ValueError) as fault:
            sys.exit(f"framing: body {number} gets {said!r}: {fault!r}")
        statuses = [status for status, _ in found]
        isRefused = len(found) == 1 and statuses[0] in (400, 413) and found[0][1] == "application/problem+json"
        isAnswered = len(found) == 2 and statuses[0] in (401, 404, 422, 429) and statuses[1] == 200
        if not (isRefused if isWrong or size > ROOM else isAnswered):
            sys.exit(f"framing: body {number} ({'wrong' if isWrong else 'right'}, {size} bytes besides) gets {statuses}: {parts!r:.3000}")
    print(f"framing: {number + 1} bodies in chunks")


main()
