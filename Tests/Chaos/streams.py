"""Readers of GET /v1/events, who go on after the last event whenever their connection is cut."""

import dataclasses
import http.client
import random
import re
import sys
import threading
import time

import tokens
from house import SERVERS, House

POSITION = re.compile("[0-9]+-([0-9]+)(?:-([0-9a-f-]{36}))?$")
SILENCE = 25
"""Seconds without a byte after which a reader takes the connection for dead. Kith sends a comment more often."""
LINES = 20
"""The mean number of lines after which a reader breaks off by itself. An event has four."""
Place = tuple[int, str]
"""A place in the feed: a transaction, and the id of an event. Places are in the order of the feed."""
NOWHERE: Place = (0, "")
"""The place before all events."""


def place(position: str) -> Place:
    """The place that an id of an event names."""
    found = POSITION.match(position)
    return int(found[1]), found[2] or ""


@dataclasses.dataclass
class Stream:
    """What a person has read."""

    tenant: int
    user: str
    since: Place | None = None
    """The first position that the server named. Nothing is promised of what came before it."""
    events: list[Place] = dataclasses.field(default_factory=list)
    resets: list[str] = dataclasses.field(default_factory=list)
    connections: int = 0
    attempts: list[str] = dataclasses.field(default_factory=list)
    """When each connection was asked of which server, and how it ended."""

    def has_reached(self, place: Place) -> bool:
        """Whether everything up to a place was read. A transaction may have many events of a person, so its number alone says too little."""
        return self.since is not None and max([self.since, *self.events]) >= place


class Reader(threading.Thread):
    """Somebody who reads their stream until told to stop."""

    def __init__(self, house: House, stream: Stream, seed: str):
        super().__init__(daemon=True)
        self.stream = stream
        self._house = house
        self._chance = random.Random(seed)
        self._position: str | None = None
        self._stops = threading.Event()
        self._stays = threading.Event()

    def stop(self) -> None:
        """Ends the reading. The thread ends with the next line of the server."""
        self._stops.set()

    def stay(self) -> None:
        """From the next connection on, breaks none off by itself. So how soon it is up to date depends on Kith alone."""
        self._stays.set()

    def run(self) -> None:
        while not self._stops.is_set():
            server = self._chance.choice(SERVERS)
            client = http.client.HTTPConnection("127.0.0.1", self._house.links[f"clients – {server}"].port, timeout=SILENCE)
            began = time.time()
            try:
                ended = self._read(client)
            except (OSError, http.client.HTTPException, ValueError) as error:
                ended = repr(error)
            finally:
                client.close()
            self.stream.attempts.append(f"{began:.1f}-{time.time():.1f} {server} after {self._position}: {ended}")
            self._stops.wait(self._chance.uniform(0.2, 1))

    def _read(self, client: http.client.HTTPConnection) -> str:
        headers = {"Authorization": f"Bearer {tokens.mint(self.stream.tenant, self.stream.user)}"}
        if self._position:
            headers["Last-Event-ID"] = self._position
        client.request("GET", "/v1/events", headers=headers)
        answer = client.getresponse()
        if answer.status != 200:
            return str(answer.status)
        self.stream.connections += 1
        fields: dict[str, str] = {}
        # An app goes to the background, in the middle of an event or not.
        lines = sys.maxsize if self._stays.is_set() else int(self._chance.expovariate(1 / LINES))
        while not self._stops.is_set() and lines > 0 and (line := answer.readline()):
            lines -= 1
            text = line.decode().rstrip("\r\n")
            if text:
                name, _, value = text.partition(":")
                fields[name] = value.removeprefix(" ")
            else:
                # Only a blank line ends an event; what was cut off before it never came.
                self._take(fields)
                fields = {}
        return f"{lines} lines before it breaks off"

    def _take(self, fields: dict[str, str]) -> None:
        if not fields.get("id"):
            return
        self._position = fields["id"]
        if self.stream.since is None:
            self.stream.since = place(self._position)
        if fields.get("event") == "reset":
            self.stream.resets.append(fields.get("data", ""))
        elif fields.get("data"):
            self.stream.events.append(place(self._position))


FEED = """
select xid::text::bigint as xid, id::text, user_id::text from kith.events where user_id = any (%(users)s) and type <> 'alarm_undelivered'
union all
select xid::text::bigint, id::text, user_id::text from kith.notifications where user_id = any (%(users)s)
"""
"""Every event of the readers."""
OLDEST = """
select pid, application_name, state, xact_start, backend_xid::text, wait_event, left(query, 80) from pg_stat_activity
where pid <> pg_backend_pid() and (backend_xid is not null or backend_xmin is not null) order by xact_start limit 5
"""
"""What may hold the feed back: readers get nothing that is newer than a transaction which has written and is open."""
