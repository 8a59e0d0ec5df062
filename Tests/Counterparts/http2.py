"""An HTTP/2 server with TLS, as far as a push service needs one: requests with small bodies, each answered by one function."""

import asyncio
import json
import re
import ssl
from dataclasses import dataclass, field

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.exceptions
import h2.settings


@dataclass
class Request:
    connection: "Connection"
    stream: int
    method: str
    authority: str
    path: str
    headers: list
    body: bytearray = field(default_factory=bytearray)

    def header(self, name):
        """The value of a header that occurs exactly once, else None."""
        values = [value for given, value in self.headers if given == name]
        return values[0] if len(values) == 1 else None


@dataclass
class Answer:
    status: int
    headers: list = field(default_factory=list)
    body: bytes = b""
    # A fault: "reset" ends the stream without an answer, "close" ends the connection, "goaway" ends the connection after the
    # answer, "silent" never answers.
    trick: str = ""


class Connection(asyncio.Protocol):
    """One connection of a client. `state` belongs to the service."""

    def __init__(self, server):
        self.server = server
        self.state = {}
        self.requests = {}
        self.h2 = h2.connection.H2Connection(
            h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))

    def connection_made(self, transport):
        self.transport = transport
        self.server.connections += 1
        self.number = self.server.connections
        self.h2.local_settings = h2.settings.Settings(
            client=False, initial_values={h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS: 1000})
        self.h2.initiate_connection()
        self.server.service.opened(self)
        self.flush()

    def allow(self, streams):
        """Sets how many requests the client may have in flight."""
        self.h2.update_settings({h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS: streams})

    def flush(self):
        self.transport.write(self.h2.data_to_send())

    def data_received(self, data):
        try:
            for event in self.h2.receive_data(data):
                self.happened(event)
        except h2.exceptions.ProtocolError as error:
            log(protocol_error=f"{type(error).__name__}: {error}", connection=self.number)
        self.flush()

    def happened(self, event):
        if isinstance(event, h2.events.RequestReceived):
            headers = list(event.headers)
            given = dict(headers)
            self.requests[event.stream_id] = Request(
                self, event.stream_id, given[":method"], given[":authority"], given[":path"],
                [h for h in headers if h[0][0] != ":"])
        elif isinstance(event, h2.events.DataReceived):
            self.requests[event.stream_id].body += event.data
            self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
        elif isinstance(event, h2.events.StreamReset):
            self.requests.pop(event.stream_id, None)
        elif isinstance(event, h2.events.StreamEnded):
            # In a task of its own: requests that arrive together are answered concurrently, in no particular order.
            asyncio.get_running_loop().create_task(self.answer(event.stream_id))

    async def answer(self, stream):
        request = self.requests.get(stream)
        if request is None:
            return
        under_way = len(self.requests)
        answer = await self.server.service.answer(request)
        log(
            connection=self.number, under_way=under_way, path=request.path, status=answer.status, trick=answer.trick,
            **self.server.service.record(request))
        # The client may have cancelled the request meanwhile.
        if self.requests.pop(stream, None) is None or self.transport.is_closing():
            return
        if answer.trick == "close":
            self.transport.abort()
            return
        if answer.trick == "silent":
            return
        if answer.trick == "reset":
            self.h2.reset_stream(stream, h2.errors.ErrorCodes.INTERNAL_ERROR)
        else:
            self.h2.send_headers(stream, [(":status", str(answer.status)), *answer.headers], end_stream=not answer.body)
            if answer.body:
                self.h2.send_data(stream, answer.body, end_stream=True)
        if answer.trick == "goaway":
            self.h2.close_connection(additional_data=b'{"reason":"Shutdown"}', last_stream_id=stream)
        self.flush()
        if answer.trick == "goaway":
            self.transport.close()


def log(**what):
    print(json.dumps(what), flush=True)


class Server:
    """Serves `service`, which has opened(connection), answer(request), and record(request), which returns what to log.

    Every request is a line of JSON on the standard output stream; the first line has the port.
    """

    def __init__(self, service):
        self.service = service
        self.connections = 0

    async def run(self, certificate, more=None):
        """Listens on a free port of 127.0.0.1, and serves until the process ends. `more` is the log's second line."""
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(certificate)
        context.set_alpn_protocols(["h2"])
        server = await asyncio.get_running_loop().create_server(lambda: Connection(self), "127.0.0.1", 0, ssl=context)
        log(port=server.sockets[0].getsockname()[1])
        if more:
            log(**more)
        await server.serve_forever()


class Script:
    """The answers to the messages of one device: one step for each message in turn, and the last step for all later ones. `503
    ServiceUnavailable after=2, 200` refuses the first. A step is a status, then optionally a reason, `after=` for Retry-After,
    `trick=`, and `wait=` in seconds. While the file `mood` is not empty, its one step answers everybody."""

    def __init__(self, mood=None):
        self.turns = {}
        self.mood = mood

    @staticmethod
    def steps(text):
        steps = []
        for step in text.split(","):
            status, *words = step.split()
            if not re.fullmatch("[1-5][0-9]{2}", status):
                raise ValueError(status)
            named = dict(word.split("=", 1) for word in words if "=" in word)
            reason = next((word for word in words if "=" not in word), "")
            steps.append((int(status), reason, named))
        return steps

    async def next(self, device, text, otherwise):
        """The status, reason and options of the next step of a device's script; the status `otherwise` if it has none."""
        try:
            steps = self.steps(text)
        except ValueError:
            return otherwise, "", {}
        turn = self.turns.get(device, 0)
        self.turns[device] = turn + 1
        mood = open(self.mood).read() if self.mood else ""
        status, reason, named = self.steps(mood)[0] if mood else steps[min(turn, len(steps) - 1)]
        if "wait" in named:
            await asyncio.sleep(float(named["wait"]))
        return status, reason, named
