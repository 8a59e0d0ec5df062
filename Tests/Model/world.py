"""The world of the model: people of two tenants, a clock, and what each person was told."""

import dataclasses
import datetime as dt
import typing

from connections import Connections
from emergency import Emergency, Request
from pings import Pings
from standstills import Standstills
from times import text
from vaults import Vaults


class Refusal(Exception):
    """The problem code with which the server must refuse an act."""

    def __init__(self, code):
        super().__init__(code)
        self.code = code


@dataclasses.dataclass
class SenderProfile:
    zone: str
    time: dt.time
    grace: int
    reminder: int
    timed_at: dt.datetime
    created_at: dt.datetime
    updated_at: dt.datetime
    ended_at: typing.Optional[dt.datetime] = None
    break_from: typing.Optional[dt.date] = None
    break_until: typing.Optional[dt.date] = None
    last_check_in_at: typing.Optional[dt.datetime] = None
    last_note: typing.Optional[str] = None


@dataclasses.dataclass
class ReceiverProfile:
    created_at: dt.datetime
    updated_at: dt.datetime
    ended_at: typing.Optional[dt.datetime] = None


@dataclasses.dataclass(eq=False)
class Person:
    name: str
    tenant: str
    id: str
    zone: str = "UTC"
    sender: typing.Optional[SenderProfile] = None
    receiver: typing.Optional[ReceiverProfile] = None
    open_break: typing.Optional["Break"] = None
    attempts: list = dataclasses.field(default_factory=list)
    blocked: set = dataclasses.field(default_factory=set)
    told: list = dataclasses.field(default_factory=list)
    #: The check-ins, each with its note if it was shared.
    signs: list = dataclasses.field(default_factory=list)

    def profile(self, role):
        found = self.sender if role == "sender" else self.receiver
        return found if found is not None and found.ended_at is None else None

    def __repr__(self):
        return self.name


@dataclasses.dataclass
class Notification:
    type: str
    title: str
    #: The text, or a function of it where it names somebody as the reader calls them now.
    body: typing.Union[str, typing.Callable[[], str]]
    data: dict
    at: dt.datetime

    def json(self):
        # The server chooses the id of a request after it was told of.
        data = {key: value.id if isinstance(value, Request) else value for key, value in self.data.items()}
        return {"type": self.type, "title": self.title, "body": self.body() if callable(self.body) else self.body, "data": data, "created_at": text(self.at)}


class World(Connections, Pings, Vaults, Emergency, Standstills):
    """Applies acts as docs/product.md describes them. An act returns the answer, or raises Refusal and changes nothing else."""

    def __init__(self, people, start, requires_consent=False):
        self.people = people
        self.now = start
        self.requires_consent = requires_consent
        self.codes, self.connections, self.runs = [], [], {}
        self.vaults = []
        #: Pairs of which one has given the other a vault, both ways round.
        self.handed_over = set()
        self.begin_emergencies()
        self.begin_standstills()

    def refuse(self, code):
        raise Refusal(code)

    def person(self, id):
        return next(person for person in self.people if person.id == id)

    def tell(self, person, type, title, body, data, at=None):
        person.told.append(Notification(type, title, body, data, at or self.now))

    def was_told(self, person, type, since, **data):
        return any(
            told.type == type and told.at >= since and all(told.data.get(key) == value for key, value in data.items())
            for told in person.told
        )
