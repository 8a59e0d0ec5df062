"""What is known when everything is quiet: what people did, what the database has, and what the providers took."""

import dataclasses
import email
import hashlib
import json
import re
import urllib.parse
import urllib.request
from datetime import datetime

import tokens
from house import SERVERS, TENANTS, House
from people import Act, People
from streams import FEED, Place, Stream

UUID = re.compile("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclasses.dataclass(frozen=True)
class Taken:
    """A message that a provider took. `is_answered` says whether it also said so; a provider that hangs takes and is silent."""

    channel: str
    delivery: str | None
    """The id of the delivery. Web Push carries none."""
    notification: str | None
    address: str
    is_answered: bool


@dataclasses.dataclass(frozen=True)
class Post:
    """A request to a tenant's webhook."""

    id: str
    body: str
    notifications: tuple[str, ...]
    is_taken: bool


@dataclasses.dataclass
class Facts:
    """The rows are dictionaries with the names of the columns. Instants are datetimes with a zone, except in acts."""

    acts: list[Act] = dataclasses.field(default_factory=list)
    expected: list[dict] = dataclasses.field(default_factory=list)
    """The connections that must have a ping: tenant_id, connection_id, time_zone."""
    touched: set[str] = dataclasses.field(default_factory=set)
    """The connections that somebody paused or resumed, or tried to."""
    silences: list[tuple[datetime, datetime]] = dataclasses.field(default_factory=list)
    """The spans of more than a minute in which nobody could check in, although somebody tried."""
    pings: list[dict] = dataclasses.field(default_factory=list)
    check_ins: list[dict] = dataclasses.field(default_factory=list)
    """With `committed_at`: when the transaction was committed, by the clock of PostgreSQL."""
    connections: list[dict] = dataclasses.field(default_factory=list)
    vaults: list[dict] = dataclasses.field(default_factory=list)
    sessions: list[dict] = dataclasses.field(default_factory=list)
    notifications: list[dict] = dataclasses.field(default_factory=list)
    """With `told_at`: when the transaction that wrote it was committed, by the clock of PostgreSQL, which never jumps."""
    deliveries: list[dict] = dataclasses.field(default_factory=list)
    dead_letters: set[str] = dataclasses.field(default_factory=set)
    outages: list[dict] = dataclasses.field(default_factory=list)
    released_at: datetime | None = None
    """When the clock's hand let the 15 minutes after the outages pass."""
    routes: dict[str, set[tuple[str, str]]] = dataclasses.field(default_factory=dict)
    """The channels and addresses at which each user is reached by default."""
    taken: list[Taken] = dataclasses.field(default_factory=list)
    posts: list[Post] = dataclasses.field(default_factory=list)
    requests: list[dict] = dataclasses.field(default_factory=list)
    """The requests for emergency access, with `delays`: how often the grant has moved, and `begun_at`: the instant
    in its id, which the clock's hand does not move."""
    rights: list[dict] = dataclasses.field(default_factory=list)
    """The rights to emergency access that begin by silence."""
    documents: list[dict] = dataclasses.field(default_factory=list)
    """With `stored`: the bytes of content in the chunks of its version."""
    contents: dict[str, str] = dataclasses.field(default_factory=dict)
    """For each document that is there: the SHA-256 of what a download gives, or why there is none."""
    loose_versions: int = 0
    """Versions that are the content of no document, and neither replaced nor unfinished."""
    messages: dict[str, datetime] = dataclasses.field(default_factory=dict)
    """When each text message that a provider forwarded was committed, by the SHA-256 of its id."""
    phones: dict[str, str] = dataclasses.field(default_factory=dict)
    alarms: list[dict] = dataclasses.field(default_factory=list)
    alarm_receivers: list[dict] = dataclasses.field(default_factory=list)
    entries: list[dict] = dataclasses.field(default_factory=list)
    """The timelines of the alarms, with `committed_at`."""
    streams: list[Stream] = dataclasses.field(default_factory=list)
    feed: dict[str, list[Place]] = dataclasses.field(default_factory=dict)
    """The events of each reader of a stream."""


QUERIES = {
    "pings": "select * from kith.pings where tenant_id = any (%s)",
    "check_ins": "select *, pg_xact_commit_timestamp(xmin) as committed_at from kith.check_ins where tenant_id = any (%s)",
    "alarms": "select * from kith.alarms where tenant_id = any (%s)",
    "alarm_receivers": "select * from kith.alarm_receivers where tenant_id = any (%s)",
    "entries": "select *, pg_xact_commit_timestamp(xmin) as committed_at from kith.alarm_entries where tenant_id = any (%s)",
    "connections": "select * from kith.connections where tenant_id = any (%s)",
    "vaults": "select * from kith.vaults where tenant_id = any (%s)",
    "sessions": "select * from kith.vault_sessions where tenant_id = any (%s)",
    "requests": (
        "select request.*, (select count(*) from kith.emergency_delays as delay where delay.request_id = request.id) as delays,"
        " to_timestamp(internal.uuid7_ms(id) / 1000.0) as begun_at"
        " from kith.emergency_requests as request where tenant_id = any (%s)"
    ),
    "rights": "select * from kith.emergency_settings where tenant_id = any (%s) and after_missed_days is not null",
    "documents": (
        "select document.*, (select coalesce(sum(octet_length(sealed) - 29), 0) from kith.document_chunks as chunk"
        " where chunk.tenant_id = document.tenant_id and chunk.version_id = document.version_id) as stored"
        " from kith.documents as document where tenant_id = any (%s)"
    ),
    "deliveries": "select * from kith.deliveries where tenant_id = any (%s)",
    "notifications": (
        "select *, pg_xact_commit_timestamp(xid::xid) as told_at from kith.notifications where tenant_id = any (%s)"
    ),
}

MESSAGES = """
select encode(message_hash, 'hex') as hash, pg_xact_commit_timestamp(xmin) as committed_at
from kith.inbound_messages where tenant_id = any (%s) and channel = 'sms'
"""
"""Rows of these, of check-ins and of timelines are never changed, so that `xmin` is the transaction that wrote them."""


def gather(house: House, people: People, outages: list[dict], released_at: datetime | None) -> Facts:
    """Reads everything."""
    facts = Facts(
        acts=list(people.acts), touched=set(people.touched), silences=people.silences(), outages=outages, released_at=released_at,
    )
    with house.database.session() as session:
        for name, query in QUERIES.items():
            rows = session.execute(query, (list(TENANTS),)).fetchall()
            setattr(facts, name, [{key: _plain(value) for key, value in row.items()} for row in rows])
        for row in session.execute(MESSAGES, (list(TENANTS),)).fetchall():
            facts.messages[row["hash"]] = row["committed_at"]
        for row in session.execute("select id, phone from kith.users where tenant_id = any (%s)", (list(TENANTS),)).fetchall():
            facts.phones[str(row["id"])] = row["phone"]
        facts.dead_letters = {str(row["id"]) for row in session.execute("select id from admin.dead_letters").fetchall()}
        for row in session.execute("select user_id, platform, token from kith.devices").fetchall():
            channel = "apns" if row["platform"] == "ios" else "web_push"
            facts.routes.setdefault(str(row["user_id"]), set()).add((channel, row["token"]))
        facts.streams = [reader.stream for reader in people.readers]
        for row in session.execute(FEED, {"users": [stream.user for stream in facts.streams]}).fetchall():
            facts.feed.setdefault(row["user_id"], []).append((row["xid"], row["id"]))
        facts.loose_versions = session.execute(
            "select count(*) from kith.document_versions as version where state = 'current' and not exists ("
            " select from kith.documents as document where document.tenant_id = version.tenant_id and document.version_id = version.id)"
        ).fetchone()["count"]
    facts.contents = {row["id"]: _content(house, row) for row in facts.documents if row["deleted_at"] is None}
    facts.expected = [
        {"tenant_id": wave.tenant, "connection_id": connection, "time_zone": wave.zone}
        for wave in people.waves for connection, *_ in wave.connections
    ]
    facts.taken = [*_pushes(house), *_mails(house), *_texts(house)]
    facts.posts = list(_posts(house))
    return facts


def _content(house: House, document: dict) -> str:
    """What the owner downloads: its SHA-256, or why there is nothing."""
    base = f"{house.urls[SERVERS[0]]}/v1/vaults/{document['vault_id']}"
    headers = {"Authorization": f"Bearer {tokens.mint(document['tenant_id'], document['owner_id'])}"}
    try:
        urllib.request.urlopen(urllib.request.Request(f"{base}/open", method="POST", headers=headers), timeout=60).close()
        path = f"{base}/documents/{document['id']}/content"
        with urllib.request.urlopen(urllib.request.Request(path, headers=headers), timeout=60) as answer:
            return hashlib.sha256(answer.read()).hexdigest()
    except OSError as error:
        return str(error)


def _plain(value: object) -> object:
    return str(value) if type(value).__name__ == "UUID" else value


def _pushes(house: House):
    for line in house.log("apns"):
        if line.get("status") == 200:
            yield Taken(
                "apns", line["headers"]["apns-id"], None, line["path"].removeprefix("/3/device/"),
                line["trick"] in ("", "goaway"),
            )
    for line in house.log("web_push"):
        if line.get("status") == 201:
            address = f"https://127.0.0.1:{house.links['workers – web_push'].port}{line['path']}"
            yield Taken("web_push", None, line["payload"]["data"]["notification_id"], address, line["trick"] == "")


def _mails(house: House):
    for line in house.log("mail"):
        if "data" in line:
            found = UUID.search(email.message_from_string(line["data"])["Message-ID"])
            yield Taken("email", found[0], None, line["recipients"][0], True)


def _texts(house: House):
    for line in house.log("sink"):
        if line["method"] == "POST" and line["path"] == "/named/sms" and _is_taken(line):
            address = urllib.parse.parse_qs(line["body"]).get("to", [""])[0]
            yield Taken("sms", line["headers"]["idempotency-key"], None, address, True)


def _posts(house: House):
    for line in house.log("sink"):
        if line["method"] == "POST" and line["path"] == "/named/webhook":
            events = json.loads(line["body"])["data"]["events"]
            told = tuple(event["data"]["id"] for event in events if event["type"] == "notification")
            yield Post(line["headers"]["webhook-id"], json.dumps(events), told, _is_taken(line))


def _is_taken(line: dict) -> bool:
    return line["as"].startswith(("/status/200", "/slow/", "/twice"))
