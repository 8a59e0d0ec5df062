"""A mail server that keeps the subjects of what it accepts, without encryption or a password."""

import socketserver
import threading


class MailServer:
    """Accepts every message within the block."""

    def __init__(self, address: str, port: int):
        self.subjects: list[str] = []
        subjects = self.subjects

        class Session(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                self._say("220 rehearsal")
                while line := self.rfile.readline():
                    match line.split(b" ")[0].strip().upper():
                        case b"DATA":
                            self._say("354 go on")
                            self._read_message()
                            self._say("250 accepted")
                        case b"QUIT":
                            self._say("221 bye")
                            return
                        case _:
                            self._say("250 rehearsal")

            def _read_message(self) -> None:
                while (line := self.rfile.readline()).rstrip(b"\r\n") not in (b".", b"") or line == b"\r\n":
                    if line.lower().startswith(b"subject:"):
                        subjects.append(line[8:].decode(errors="replace").strip())

            def _say(self, line: str) -> None:
                self.wfile.write(f"{line}\r\n".encode())

        self._server = socketserver.ThreadingTCPServer((address, port), Session)
        self._server.daemon_threads = True

    def __enter__(self) -> "MailServer":
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._server.server_close()
