"""A server that an app reads from as fast as it can: events without end, and one large document.

`app_server.py PORT FILE` makes the content of the document in FILE. It does as little as HTTP allows, so that the
client is measured.
"""

import os
import socketserver
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

SIZE = 100 << 20
ID = "019aa5c2-6a40-7d3b-9c11-000000000001"
PING = (
    f'{{"id":"{ID}","connection_id":"{ID}","date":"2026-11-21","status":"completed",'
    '"scheduled_at":"2026-11-21T09:00:00Z","deadline_at":"2026-11-21T09:30:00Z","completed_at":"2026-11-21T09:02:00Z",'
    '"note":null}'
)
EVENTS = 1000
"""How many events are sent at once."""


class Handler(BaseHTTPRequestHandler):
    """One connection of a client."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if self.path.startswith("/v1/events"):
            self._stream()
        elif self.path.endswith("/content"):
            self._send_file()
        else:
            body = f'{{"id":"{ID}"}}'.encode()
            self._head("application/json", len(body))
            self.wfile.write(body)

    def _head(self, kind: str, length: int | None) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        if length is not None:
            self.send_header("Content-Length", str(length))
            self.send_header("ETag", '"1"')
        self.end_headers()

    def _stream(self) -> None:
        self._head("text/event-stream", None)
        self.close_connection = True
        position = self.headers.get("Last-Event-ID", "0")
        number = int(position) if position.isdigit() else 0
        try:
            while True:
                last = number + EVENTS
                events = (f"id: {n}\nevent: ping\ndata: {PING}\n\n" for n in range(number + 1, last + 1))
                self.wfile.write("".join(events).encode())
                number = last
        except OSError:
            pass

    def _send_file(self) -> None:
        self._head("application/octet-stream", SIZE)
        self.wfile.flush()
        with open(sys.argv[2], "rb") as file:
            sent = 0
            while sent < SIZE:
                sent += os.sendfile(self.connection.fileno(), file.fileno(), sent, SIZE - sent)

    def log_message(self, *rest: object) -> None:
        pass


class Server(socketserver.ThreadingMixIn, HTTPServer):
    daemon_threads = True


if __name__ == "__main__":
    with open(sys.argv[2], "wb") as file:
        file.write(os.urandom(1 << 20) * (SIZE >> 20))
    Server(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
