"""The people of the run: who they are, what they do, and what they were told had happened."""

import dataclasses
import datetime
import hashlib
import heapq
import http.client
import itertools
import json
import random
import threading
import time
import uuid
from collections.abc import Callable

import psycopg

import alarms
import estates
import texts
import tokens
from database import LOST
from estates import Estate
from house import SERVERS, TENANTS, House
from streams import FEED, NOWHERE, OLDEST, Reader, Stream

RECEIVERS = 16
"""Receivers of each tenant, who are there from the beginning."""
SENDERS = 6
"""Senders that join each tenant with each wave, each connected to two receivers."""
CLIENTS = 4
"""Threads that act for people. Each person belongs to one, so that nobody does two things at once."""
READERS = 3
"""Receivers of each tenant who read the stream of events. They are also the nominees."""
STORED = 96 << 20
"""Bytes of documents in a run, because the file systems of PostgreSQL are small."""
TEXTERS = 2
"""Senders of each wave who check in by text messages alone."""
WATCHERS = 3
"""Threads that act for the receivers of each tenant, so that two receivers of a sender answer at the same time."""
FRIENDS = 8
"""How many of the last receivers without an app still answer."""
PATIENCE = 90
"""Seconds for which an act is repeated, with the same idempotency key or as the same text message, until it is acknowledged."""
CHECK_INS = ("check-in", "text")
"""The kinds of acts by which a sender says that they are safe."""
LOOKS = ("look", "alarms")
"""Acts that change nothing, are not repeated and are not kept."""


@dataclasses.dataclass
class Act:
    """Something that somebody did through the API, or wrote in a text message that the provider forwarded. Instants are seconds since 1970
    by the machine's clock."""

    id: str
    kind: str
    tenant: int
    user: str
    subject: str | None
    began: float
    ended: float = 0
    status: int | None = None
    answer: dict | None = None
    digest: str | None = None
    """The SHA-256 of the content of an upload."""
    repeats: list = dataclasses.field(default_factory=list)
    tries: int = 0

    @property
    def is_acknowledged(self) -> bool:
        """Whether the person was told that it had happened."""
        return self.status is not None and 200 <= self.status < 300


WHIMS = {
    "look": 4, "vault": 1, "open": 2, "lock": 2, "connect": 1, "pause": 1, "check-in": 1, "upload": 2, "delete": 0.6, "help": 0.3, "false alarm": 0.3,
}
"""What a sender does, and how often."""
VAULT_ACTS = ("ask", "take", "enter", "read")
"""Acts whose subject is the vault."""


class Wave:
    """Senders of a zone in which today's ping is hours away, until the clock's hand is moved (clock_hand.py)."""

    def __init__(self, chance: random.Random, number: int, tenant: int, zone: str, receivers: list[str]):
        self.tenant = tenant
        self.zone = zone
        self.senders = [str(_uuid7(chance)) for _ in range(SENDERS)]
        self.texters = self.senders[-TEXTERS:]
        self.connections = [
            (str(_uuid7(chance)), sender, receiver) for sender in self.senders for receiver in chance.sample(receivers, 2)
        ]
        # Nobody ever hears of this sender. One of the two who must look after them has no app.
        self.silent, self.friend = str(_uuid7(chance)), str(_uuid7(chance))
        self.connections += [(str(_uuid7(chance)), self.silent, receiver) for receiver in (self.friend, chance.choice(receivers))]
        owner, user = self.senders[0], chance.choice(receivers[:READERS])
        vault, nominee, connection, ping = (str(_uuid7(chance)) for _ in range(4))
        # Two people are never connected twice.
        connected = {receiver for _, sender, receiver in self.connections if sender == owner}
        former = chance.choice([receiver for receiver in receivers if receiver not in connected])
        self.estate = Estate(number, tenant, owner, user, vault, nominee, former, connection, ping)


class People:
    """Everybody, and the threads that act for them."""

    def __init__(self, house: House, seed: int):
        self.house = house
        self.acts: list[Act] = []
        self.waves: list[Wave] = []
        self.touched: set[str] = set()
        self.answered: list[tuple[float, float]] = []
        self.failed: list[float] = []
        self._chance = random.Random(seed)
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._stops = threading.Event()
        self._plans: list[list] = [[] for _ in range(CLIENTS)]
        self._own: list[list] = [[] for _ in range(CLIENTS)]
        self._threads: list[threading.Thread] = []
        self.receivers: dict[int, list[str]] = {}
        self.codes: dict[int, list[tuple[str, str]]] = {}
        self.vaults: dict[str, str] = {}
        self.documents: dict[str, list[str]] = {}
        self.calls: dict[str, str] = {}
        self.phones: dict[str, str] = {}
        self.languages: dict[str, str] = {}
        self.readers: list[Reader] = []
        self._stored = 0

    def settle(self) -> None:
        """Brings the receivers."""
        with self.house.database.session() as session:
            zones = session.execute(ZONES).fetchall()
            self.zones = [row["name"] for row in zones]
            self._chance.shuffle(self.zones)
            for tenant in TENANTS:
                people = [str(_uuid7(self._chance)) for _ in range(RECEIVERS)]
                self.receivers[tenant] = people
                self.codes[tenant] = []
                for number, person in enumerate(people):
                    self._join(session, tenant, person, "receiver", sms=number % 4 == 0)
                    code = f"{self._chance.randrange(10 ** 6):06}"
                    session.execute(
                        "insert into kith.unique_codes (tenant_id, code, user_id, role, permanent, created_at)"
                        " values (%s, %s, %s, 'receiver', true, now()) on conflict do nothing",
                        (tenant, code, person),
                    )
                    self.codes[tenant].append((person, code))

    def begin(self) -> None:
        """Starts the threads."""
        for tenant in TENANTS:
            for person in self.receivers[tenant][:READERS]:
                reader = Reader(self.house, Stream(tenant, person), person)
                self.readers.append(reader)
                reader.start()
        for number in range(CLIENTS):
            self._begin(self._act, number)
        for tenant in TENANTS:
            for number in range(WATCHERS):
                self._begin(self._look_after, tenant, self.receivers[tenant][number::WATCHERS], number == 0)

    def _begin(self, work: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(target=work, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def end(self) -> None:
        """Lets the acts under way end."""
        self._stops.set()
        for thread in self._threads:
            thread.join()

    def stop_reading(self, seconds: float) -> None:
        """Lets the readers of streams read what there is, for as long as they need, and ends them."""
        end = time.monotonic() + seconds
        users = [reader.stream.user for reader in self.readers]
        for reader in self.readers:
            reader.stay()
        while time.monotonic() < end:
            with self.house.database.session() as session:
                rows = session.execute(FEED, {"users": users}).fetchall()
            last = {user: max(((row["xid"], row["id"]) for row in rows if row["user_id"] == user), default=NOWHERE) for user in users}
            if all(reader.stream.has_reached(last[reader.stream.user]) for reader in self.readers):
                break
            time.sleep(0.5)
        else:
            with self.house.database.session() as session:
                print("chaos: readers are behind; the oldest transactions:", session.execute(OLDEST).fetchall())
        # What comes twice may come late.
        time.sleep(1)
        for reader in self.readers:
            reader.stop()

    def arrive(self) -> None:
        """Brings a wave of senders to each tenant, whose pings the worker then makes."""
        for tenant in TENANTS:
            number = len(self.waves)
            # A zone that a tenant has used has had its run of the day, and a second wave in it would get no pings.
            if number // len(TENANTS) >= len(self.zones):
                return
            wave = Wave(self._chance, number, tenant, self.zones[number // len(TENANTS)], self.receivers[tenant])
            while not self._arrive(wave):
                time.sleep(0.2)
            self.waves.append(wave)
            self.touched.add(wave.estate.connection)
            self._play(wave.estate)
            for sender in wave.senders[1:]:
                client = self._chance.randrange(CLIENTS)
                self._own[client].append((tenant, sender, wave))
                # Two thirds check in between the ping's time and its deadline, some of the others much later.
                mood = self._chance.random()
                wait = self._chance.uniform(3, 14) if mood < 0.65 else self._chance.uniform(25, 60) if mood < 0.8 else None
                if wait:
                    with self._lock:
                        heapq.heappush(self._plans[client], (time.monotonic() + wait, next(self._numbers), (tenant, sender, wave)))

    def _play(self, estate: Estate) -> None:
        self._begin(estates.play, self, estate, random.Random(f"{estate.number} {self._chance.random()}"))

    def silences(self) -> list[tuple[datetime.datetime, datetime.datetime]]:
        """The spans of well over a minute in which nobody could check in, although somebody tried all the time."""
        spans = [
            (last[1], next[0]) for last, next in itertools.pairwise(sorted(self.answered))
            if next[0] - last[1] > 75 and sum(last[1] < at < next[0] for at in self.failed) >= 20
        ]
        return [tuple(datetime.datetime.fromtimestamp(at, datetime.timezone.utc) for at in span) for span in spans]

    def _arrive(self, wave: Wave) -> bool:
        """Whether the wave is in the database."""
        try:
            with self.house.database.session(1) as session:
                if session.execute("select from kith.users where id = %s", (wave.senders[0],)).fetchone():
                    return True
                with session.transaction():
                    for sender in (*wave.senders, wave.silent):
                        self._join(session, wave.tenant, sender, "sender", sms=False)
                        session.execute(PROFILE, {"tenant": wave.tenant, "user": sender, "zone": wave.zone})
                    self._join(session, wave.tenant, wave.friend, "receiver", sms=True)
                    for connection, sender, receiver in wave.connections:
                        session.execute(CONNECTION, (wave.tenant, connection, sender, receiver, receiver))
                    wave.estate.found(session, wave.zone)
                    session.execute(RUN, {"tenant": wave.tenant, "zone": wave.zone})
                return True
        except LOST:
            return False

    def _join(self, session: psycopg.Connection, tenant: int, person: str, role: str, sms: bool) -> None:
        number = next(self._numbers)
        self.phones[person], self.languages[person] = f"+49151{number:08}", "de" if number % 3 == 0 else "en"
        session.execute(USER, (
            tenant, person, f"{role} {number}", f"p{number}@example.org", self.phones[person], "UTC", self.languages[person],
        ))
        kind = "ios" if role == "receiver" else "web"
        keys = self.house.browser if kind == "web" else {"p256dh": None, "auth": None}
        session.execute(DEVICE, (tenant, self.house.device(kind, tenant, number), person, kind, keys["p256dh"], keys["auth"]))
        if role == "receiver":
            session.execute(
                "insert into kith.receiver_profiles (tenant_id, user_id, created_at, updated_at) values (%s, %s, now(), now())",
                (tenant, person),
            )
        if sms:
            session.execute(
                "insert into kith.notification_preferences (tenant_id, user_id, type, channels, updated_at)"
                " values (%s, %s, 'ping_missed', '{push,email,sms}', now()), (%s, %s, 'ping_all_clear', '{sms}', now())",
                (tenant, person, tenant, person),
            )

    def _act(self, number: int) -> None:
        chance = random.Random(f"{number} {self._chance.random()}")
        while not self._stops.is_set():
            with self._lock:
                plans = self._plans[number]
                planned = heapq.heappop(plans)[2] if plans and plans[0][0] <= time.monotonic() else None
            if planned:
                self._check_in(chance, *planned)
            elif self._own[number]:
                # People of the last waves do the most.
                own = self._own[number][-40:]
                tenant, person, wave = chance.choice(own)
                self._do_something(chance, tenant, person, wave)
                self._stops.wait(chance.uniform(0.02, 0.25))
            else:
                self._stops.wait(0.1)

    def _check_in(self, chance: random.Random, tenant: int, person: str, wave: Wave) -> None:
        if person not in wave.texters:
            self.do(chance, "check-in", tenant, person)
        else:
            # Some write more than the one word that counts, before or instead.
            if chance.random() < 0.3:
                self._say(chance, "chatter", tenant, person, texts.NOTHING)
            if chance.random() < 0.8:
                self._say(chance, "text", tenant, person, texts.SAFE)

    def _say(self, chance: random.Random, kind: str, tenant: int, person: str, words: dict[str, tuple[str, ...]]) -> None:
        self.write(chance, kind, tenant, person, chance.choice(words[self.languages[person]]))

    def _look_after(self, tenant: int, receivers: list[str], has_friends: bool) -> None:
        chance = random.Random(f"{receivers[0]} {self._chance.random()}")
        while not self._stops.is_set():
            friends = [wave.friend for wave in self.waves if wave.tenant == tenant][-FRIENDS:] if has_friends else []
            by_text = bool(friends) and chance.random() < 0.5
            alarms.look(self, chance, tenant, chance.choice(friends if by_text else receivers), by_text)
            self._stops.wait(chance.uniform(0.05, 0.4))

    def _do_something(self, chance: random.Random, tenant: int, person: str, wave: Wave) -> None:
        kind = chance.choices(list(WHIMS), list(WHIMS.values()))[0]
        vault = self.vaults.get(person)
        if kind == "vault":
            act = self.do(chance, "vault", tenant, person)
            if act.is_acknowledged:
                self.vaults.setdefault(person, act.answer["id"])
        elif kind in ("open", "lock") and vault:
            self.do(chance, kind, tenant, person, vault)
        elif kind == "upload" and vault:
            self._upload(chance, tenant, person, vault)
        elif kind == "delete" and self.documents.get(person):
            self.do(chance, "open", tenant, person, vault)
            self.do(chance, "delete", tenant, person, vault, self.documents[person].pop())
        elif kind == "connect":
            receiver, code = chance.choice(self.codes[tenant])
            self.do(chance, "connect", tenant, person, code, receiver)
        elif kind == "pause":
            connection = chance.choice([c for c, sender, _ in wave.connections if sender == person])
            self.touched.add(connection)
            self.do(chance, chance.choice(["pause", "resume"]), tenant, person, connection)
        elif kind == "check-in" or kind == "look" and person in wave.texters and chance.random() < 0.5:
            self._check_in(chance, tenant, person, wave)
        elif kind == "help":
            act = self.do(chance, "help", tenant, person)
            if act.is_acknowledged:
                self.calls[person] = act.answer["id"]
        elif kind == "false alarm" and person in self.calls:
            self.do(chance, "false alarm", tenant, person, self.calls.pop(person))
        else:
            self.do(chance, "look", tenant, person)

    def _upload(self, chance: random.Random, tenant: int, person: str, vault: str) -> None:
        size = int(1024 * chance.choices([chance.uniform(0, 64), chance.uniform(64, 1024), chance.uniform(1024, 3072)], [6, 3, 1])[0])
        if self._stored > STORED:
            return
        self._stored += size
        self.do(chance, "open", tenant, person, vault)
        act = self.do(chance, "upload", tenant, person, vault, content=chance.randbytes(size))
        if act.is_acknowledged:
            self.documents.setdefault(person, []).append(act.answer["id"])

    def do(
        self, chance: random.Random, kind: str, tenant: int, person: str, subject: str | None = None, other: str | None = None,
        content: bytes | None = None,
    ) -> Act:
        """Somebody does something, and tries until they have an answer."""
        act = Act(str(uuid.UUID(int=chance.getrandbits(128))), kind, tenant, person, other or subject, time.time())
        method, path, body = {
            "check-in": ("POST", "/v1/pings/check-in", {"note": act.id}),
            "vault": ("POST", "/v1/vaults", {"name": act.id}),
            "open": ("POST", f"/v1/vaults/{subject}/open", None),
            "lock": ("POST", f"/v1/vaults/{subject}/lock", None),
            "connect": ("POST", "/v1/connections", {"code": subject}),
            "pause": ("POST", f"/v1/connections/{subject}/pause", None),
            "resume": ("POST", f"/v1/connections/{subject}/resume", None),
            "look": ("GET", "/v1/home", None),
            "ask": ("POST", f"/v1/vaults/{subject}/emergency/requests", {"reason": act.id}),
            "approve": ("POST", f"/v1/vaults/{subject}/emergency/requests/{other}/approve", None),
            "reject": ("POST", f"/v1/vaults/{subject}/emergency/requests/{other}/reject", None),
            "withdraw": ("POST", f"/v1/vaults/{subject}/emergency/requests/{other}/withdraw", None),
            "take": ("DELETE", f"/v1/vaults/{subject}/nominees/{other}/emergency", None),
            "enter": ("POST", f"/v1/vaults/{subject}/emergency/enter", None),
            "read": ("GET", f"/v1/vaults/{subject}/documents", None),
            "upload": ("POST", f"/v1/vaults/{subject}/documents?name={act.id}", content),
            "delete": ("DELETE", f"/v1/vaults/{subject}/documents/{other}", None),
            "alarms": ("GET", "/v1/alarms?role=receiver&limit=4", None),
            "help": ("POST", "/v1/alarms", {"note": act.id}),
            "false alarm": ("POST", f"/v1/alarms/{subject}/resolve", {"outcome": "false_alarm", "note": act.id}),
            "take alarm": ("POST", f"/v1/alarms/{subject}/take", {"minutes": 60}),
            "release alarm": ("POST", f"/v1/alarms/{subject}/release", None),
            "resolve alarm": ("POST", f"/v1/alarms/{subject}/resolve", {"outcome": "safe", "note": act.id}),
            "reopen alarm": ("POST", f"/v1/alarms/{subject}/reopen", {"note": act.id}),
            "note alarm": ("POST", f"/v1/alarms/{subject}/notes", {"body": act.id}),
        }[kind]
        if kind in VAULT_ACTS:
            act.subject = subject
        if content is not None:
            act.digest = hashlib.sha256(content).hexdigest()
        return self._finish(chance, act, lambda: self._send(chance, method, path, body, act), method == "POST")

    def write(self, chance: random.Random, kind: str, tenant: int, person: str, text: str) -> Act:
        """Somebody writes a text message, and the provider forwards it until it is taken."""
        act = Act(str(uuid.UUID(int=chance.getrandbits(128))), kind, tenant, person, text, time.time())
        body = texts.form(self.phones[person], text, act.id)
        return self._finish(
            chance, act, lambda: self._exchange(chance, "POST", self.house.inbound[tenant], body, texts.headers(tenant, body)), True
        )

    def _finish(self, chance: random.Random, act: Act, send: Callable[[], tuple[int | None, dict | None]], may_repeat: bool) -> Act:
        """Tries until there is an answer, and sends some acknowledged requests once more."""
        end = time.monotonic() + (PATIENCE if act.kind not in (*LOOKS, "read") else 0)
        while True:
            act.tries += 1
            act.status, act.answer = send()
            is_final = act.status is not None and act.status < 500 and act.status not in (401, 429)
            if is_final or time.monotonic() > end:
                break
            if act.kind in CHECK_INS:
                self.failed.append(time.time())
            time.sleep(chance.uniform(0.05, 0.5))
        act.ended = time.time()
        if act.kind in LOOKS:
            return act
        if act.is_acknowledged and may_repeat and chance.random() < 0.1:
            act.repeats.append(send())
        with self._lock:
            self.acts.append(act)
            if act.is_acknowledged and act.kind in CHECK_INS:
                self.answered.append((act.began, act.ended))
        return act

    def _send(self, chance: random.Random, method: str, path: str, body: dict | bytes | None, act: Act) -> tuple[int | None, dict | None]:
        headers = {"Authorization": f"Bearer {tokens.mint(act.tenant, act.user)}"}
        if method == "POST":
            headers["Idempotency-Key"] = act.id
        if body is not None:
            headers["Content-Type"] = "application/pdf" if isinstance(body, bytes) else "application/json"
        return self._exchange(chance, method, path, json.dumps(body).encode() if isinstance(body, dict) else body, headers)

    def _exchange(
        self, chance: random.Random, method: str, path: str, body: bytes | None, headers: dict[str, str],
    ) -> tuple[int | None, dict | None]:
        """The status and the JSON of an answer; None if there was none."""
        link = self.house.links[f"clients – {chance.choice(SERVERS)}"]
        client = http.client.HTTPConnection("127.0.0.1", link.port, timeout=6)
        try:
            client.request(method, path, body, headers)
            answer = client.getresponse()
            return answer.status, json.loads(answer.read() or b"null")
        except (OSError, http.client.HTTPException, ValueError):
            return None, None
        finally:
            client.close()


def _uuid7(chance: random.Random) -> uuid.UUID:
    """A version 7 UUID of now."""
    bits = int(time.time() * 1000) << 80 | chance.getrandbits(80)
    return uuid.UUID(int=bits & ~(0xF << 76) & ~(0x3 << 62) | 7 << 76 | 2 << 62)


ZONES = """
select name from internal.time_zone_names
where zone = name and (now() at time zone name)::time between '00:20' and '20:00'
order by name
"""
"""The zones in which a ping in two hours is still today's."""

USER = """
insert into kith.users
  (tenant_id, id, display_name, email, email_verified_at, phone, phone_verified_at, time_zone, locale, tokens_valid_from, created_at, updated_at)
select %s, %s, %s, %s, past.at, %s, past.at, %s, %s, past.at, past.at, past.at
from (select now() - interval '1 year') as past (at)
"""

DEVICE = """
insert into kith.devices (tenant_id, token, user_id, platform, environment, public_key, auth_secret, created_at, last_seen_at)
values (%s, %s, %s, %s, 'production', %s, %s, now(), now())
"""

PROFILE = """
insert into kith.sender_profiles
  (tenant_id, user_id, time_zone, ping_time, grace_minutes, reminder_minutes, timed_at, created_at, updated_at)
values (
  %(tenant)s, %(user)s, %(zone)s, ((now() at time zone %(zone)s) + interval '2 hours')::time, 90, 15, now() - interval '1 year', now(), now()
)
"""

CONNECTION = """
insert into kith.connections
  (tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at)
values (%s, %s, %s, %s, 'active', %s, now() - interval '1 day', now() - interval '1 day', now() - interval '1 day')
"""

RUN = """
insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at)
select %(tenant)s, %(zone)s, today.date, internal.midnight(today.date, %(zone)s)
from (select (now() at time zone %(zone)s)::date) as today (date)
on conflict do nothing
"""
