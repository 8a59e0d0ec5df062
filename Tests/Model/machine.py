"""Random acts by random people at random times: after each, the server's answers must be the model's."""

import collections
import datetime as dt
import json

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from driver import WHILE_SUSPENDED, Call
from times import DAY, HOUR, MINUTE, SECOND, UTC, local_date, midnight, parsed, text
from emergency import Right
from standstills import length, within
from vaults import LEVELS
from world import Person, Refusal, World

MILLISECOND = dt.timedelta(milliseconds=1)
SINCE = dt.datetime(2026, 12, 1, tzinfo=UTC)
ZONES = [
    "UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Kiritimati", "Pacific/Pago_Pago", "Australia/Lord_Howe",
    "Africa/Cairo", "America/Santiago",
]
# Around the changes of the clocks in these zones, the ends of months and years, and a leap day.
STARTS = [
    dt.datetime(2027, 3, 9, 12, tzinfo=UTC), dt.datetime(2027, 3, 13, 20, tzinfo=UTC), dt.datetime(2027, 3, 27, 21, tzinfo=UTC),
    dt.datetime(2027, 4, 3, 10, tzinfo=UTC), dt.datetime(2027, 4, 29, 18, tzinfo=UTC), dt.datetime(2027, 9, 4, 22, tzinfo=UTC),
    dt.datetime(2027, 10, 2, 12, tzinfo=UTC), dt.datetime(2027, 10, 28, 18, tzinfo=UTC), dt.datetime(2027, 10, 30, 20, tzinfo=UTC),
    dt.datetime(2027, 11, 6, 23, tzinfo=UTC), dt.datetime(2027, 12, 30, 9, tzinfo=UTC), dt.datetime(2028, 2, 28, 8, tzinfo=UTC),
]
TIMES = [dt.time(0, 0), dt.time(0, 30), dt.time(2, 30), dt.time(9, 0), dt.time(12, 0), dt.time(17, 45), dt.time(22, 0), dt.time(23, 58)]
GRACES = [(90, 15), (5, 1), (60, 30), (719, 718), (240, 60)]
WAITS = [SECOND, 11 * SECOND, MINUTE, 10 * MINUTE, HOUR, 3 * HOUR, 8 * HOUR, DAY, 2 * DAY, 4 * DAY, 31 * DAY, 95 * DAY]
JOBS = [
    "generate_daily_pings", "find_gaps", "announce_due_pings", "remind_senders", "miss_pings", "turn_breaks", "lock_expired_sessions",
    "begin_emergency_waits", "tell_emergencies",
]
# What is in the table of requests, and the times that are recorded as not counting towards their waits.
REQUESTS = """
select request.id::text, request.nominee_id::text, request.requested_at, request.wait_hours, request.waits_from, request.grants_at, request.ends_at,
  request.approved_at, request.ended_at, request.end_reason,
  array(
    select array[delay.began_at::timestamptz, delay.ended_at] from kith.emergency_delays as delay
    where delay.tenant_id = request.tenant_id and delay.request_id = request.id and delay.began_at >= request.waits_from
  )
from kith.emergency_requests as request where request.tenant_id = any (%s)
"""
# What stops a request, or all, and may not be recorded with it yet.
STOPS = """
select id::text, held_at, held_until from kith.emergency_requests where tenant_id = any (%s) and held_at is not null
union all
select request.id::text, undelivered_since, least(
  undelivered_since + make_interval(hours => wait_hours) - coalesce(
    (
      select sum(ended_at - began_at) from kith.emergency_delays as delay
      where delay.request_id = request.id and cause = 'undelivered' and began_at >= waits_from and began_at < undelivered_since
    ),
    interval '0'
  ),
  (select min(sent_at) from kith.notifications as notice where data ->> 'request_id' = request.id::text and notice.created_at >= undelivered_since)
) from kith.emergency_requests as request where undelivered_since is not null
union all
select 'all', suspended_at, null from kith.tenants where slug = 'model-acme' and suspended_at is not null
union all
select 'all', began_at, ended_at from kith.outages
"""

NAMES = ["Alice", "Bob", "Carol", "Mallory", "Trudy"]
who = st.sampled_from(NAMES)
roles = st.sampled_from(["sender", "receiver"])
number = st.integers(0, 5)


def people():
    """Four people of one tenant, and Trudy of another."""
    return [
        Person(name, "globex" if name == "Trudy" else "acme", f"0{n}000000-0000-7000-8000-00000000000{n}")
        for n, name in enumerate(NAMES, 1)
    ]


def about(*topics):
    """A rule of the examples about this, or about everything."""
    return precondition(lambda machine: machine.world is not None and machine.about in (*topics, "everything"))


def without_ids(value):
    """An answer without the ids that the model does not know."""
    if isinstance(value, list):
        return [without_ids(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {key: without_ids(item) for key, item in value.items() if not (key == "ping_id" or key == "id" and "deadline_at" in value)}


def differences(expected, found, path=""):
    """The members of what the model expects that the server's answer has otherwise; members that the model does not know are left out."""
    if isinstance(expected, dict) and isinstance(found, dict):
        return [line for key in expected for line in differences(expected[key], found.get(key, "absent"), f"{path}.{key}")]
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        return [line for n, pair in enumerate(zip(expected, found)) for line in differences(*pair, f"{path}[{n}]")]
    if isinstance(expected, list) and isinstance(found, list):
        return [f"{path}: the model has {len(expected)}, the server {len(found)}", *(f"  model: {item}" for item in expected), *(f"  server: {item}" for item in found)]
    return [] if expected == found else [f"{path}: the model has {expected!r}, the server {found!r}"]


class Machine(RuleBasedStateMachine):
    driver = None
    #: What all examples are about; by default each of one of several things.
    only = None
    #: How many acts and jumps were made in all, and how often each had which outcome.
    steps = 0
    outcomes = collections.Counter()

    def __init__(self):
        super().__init__()
        self.world, self.story, self.names, self.about, self.known_requests = None, [], {}, None, {}

    def teardown(self):
        if self.world is not None:
            self.driver.end()

    # The story, and how an act is compared

    def named(self, value):
        line = value if isinstance(value, str) else json.dumps(value, default=str)
        for id, name in self.names.items():
            line = line.replace(id, name)
        return line

    def fail(self, lines):
        told = "\n".join(self.story)
        raise AssertionError(self.named(f"\n{told}\nDISAGREEMENT:\n" + "\n".join(lines)))

    def tick(self):
        """No two acts happen at the same instant."""
        type(self).steps += 1
        self.world.now += MILLISECOND

    def tell_story(self, line):
        self.story.append(self.named(f"{self.world.now:%Y-%m-%d %H:%M:%S.%f}"[:-3] + f"Z  {line}"))

    def act(self, name, route, *path, query=None, body=None, model, then=None):
        """Plays one request on both. `model` returns what the server must answer, a None for anything; `then` sees the answer and the model's result."""
        self.return_servers()
        if self.world.is_suspended() and len(self.story) % 3:
            self.resume_tenant()
        self.tick()
        person = self.find(name)
        answer = self.driver.act(Call(person, route, *path, query=query, body=body), self.world.now)
        self.outcomes[f"{route} {answer.code or answer.status}"] += 1
        shown = route.format(*path) + ("" if body is None else " " + json.dumps(body, default=str))
        self.tell_story(f"{name}: {shown}  →  {answer.code or answer.status}")
        try:
            if self.world.is_suspended(person.tenant) and not route.startswith("GET") and route not in WHILE_SUSPENDED:
                self.world.refuse("tenant_suspended")
            result = model(person)
        except Refusal as refusal:
            if answer.code != refusal.code:
                self.fail([f"the model refuses it: {refusal.code}"])
            return None
        if answer.code is not None:
            self.fail([f"the model allows it, the server refuses it: {answer.code}"])
        if then is not None:
            result = then(answer.body, result)
        if result is not None:
            wrong = differences(result, without_ids(answer.body))
            if wrong:
                self.fail(wrong)
        return answer.body

    def find(self, name):
        return next(person for person in self.world.people if person.name == name)

    def connection(self, n):
        """The n-th connection that there is; removed ones too."""
        return self.world.connections[n % len(self.world.connections)]

    def has_connection(self):
        return bool(self.world and self.world.connections)

    # Beginning

    @initialize(start=st.sampled_from(STARTS), consent=st.sampled_from([False, False, True]), zone=st.sampled_from(ZONES), time=st.sampled_from(TIMES), about=st.sampled_from(["pings", "vaults", "emergency", "emergency", "everything"]), level=st.sampled_from(LEVELS))
    def begin(self, start, consent, zone, time, about, level):
        about = self.only or about
        self.world = World(people(), start, consent)
        self.names = {person.id: person.name for person in self.world.people}
        self.driver.begin(self.world.people, consent)
        self.story.append(f"A tenant {'with' if consent else 'without'} consent. Trudy is another tenant's.")
        self.put_sender_profile("Alice", zone, time, GRACES[0])
        self.put_receiver_profile("Bob")
        self.connect("Alice", "Bob", "receiver")
        self.about = about
        if about != "pings":
            self.make_vault("Alice", False, level == "full")
            self.invite("Alice", 0, "owner", level, "Bob")
        if about == "emergency":
            self.invite("Alice", 0, "owner", level, "Carol")
            for n in range(2):
                self.give_right("Alice", n, "owner", [1, 72][n], "view", 24, True, 2, True, "check_in", consent)

    # Profiles and codes

    def put_sender_profile(self, name, zone, time, minutes):
        body = {"ping_time": time.strftime("%H:%M"), "time_zone": zone, "grace_minutes": minutes[0], "reminder_minutes": minutes[1]}
        back = []

        def model(person):
            back.extend(self.world.put_sender_profile(person, zone, time, *minutes))
            return body

        def then(answer, expected):
            self.world.bind_code(self.find(name), "sender", answer["code"])
            self.world.return_connections(self.find(name), back)
            return expected

        self.act(name, "PUT /v1/me/sender-profile", body=body, model=model, then=then)

    def put_receiver_profile(self, name):
        back = []

        def then(answer, _):
            self.world.bind_code(self.find(name), "receiver", answer["code"])
            self.world.return_connections(self.find(name), back)

        self.act(name, "PUT /v1/me/receiver-profile", body={}, model=lambda person: back.extend(self.world.put_receiver_profile(person)), then=then)

    def end_profile(self, name, role):
        self.act(name, f"DELETE /v1/me/{role}-profile", model=lambda person: self.world.end_profile(person, role))

    def rotate_code(self, name, role):
        def then(answer, _):
            self.world.bind_code(self.find(name), role, answer["code"])

        self.act(name, "POST /v1/me/codes", body={"role": role, "rotate": True}, model=lambda person: self.world.rotate_code(person, role), then=then)

    def make_code(self, name, role, seconds):
        def then(answer, _):
            self.world.bind_code(self.find(name), role, answer["code"], False, self.world.now + seconds * SECOND)

        body = {"role": role, "expires_in_seconds": seconds}
        self.act(name, "POST /v1/me/codes", body=body, model=lambda person: self.world.extra_code(person, role), then=then)

    @about("pings")
    @rule(name=who, role=roles, zone=st.sampled_from(ZONES), time=st.sampled_from(TIMES), minutes=st.sampled_from(GRACES), ends=st.sampled_from([False, False, False, True]))
    def set_up(self, name, role, zone, time, minutes, ends):
        """Somebody becomes a sender or a receiver, changes their times, or stops."""
        if ends:
            self.end_profile(name, role)
        elif role == "sender":
            self.put_sender_profile(name, zone, time, minutes)
        else:
            self.put_receiver_profile(name)

    @about("pings")
    @precondition(has_connection)
    @rule(n=number, zone=st.sampled_from(ZONES), time=st.sampled_from(TIMES), minutes=st.sampled_from(GRACES))
    def travel(self, n, zone, time, minutes):
        """A sender with a connection changes zone and times."""
        self.put_sender_profile(self.connection(n).sender.name, zone, time, minutes)

    @about("pings")
    @rule(name=who, role=roles, seconds=st.sampled_from([None, 60, 3600, 86400]))
    def take_code(self, name, role, seconds):
        if seconds is None:
            self.rotate_code(name, role)
        else:
            self.make_code(name, role, seconds)

    # Connections

    def code_of(self, owner, role, n=0):
        """A code of this person and role, ended ones too; with none, one that nobody has."""
        codes = [code for code in self.world.codes if code.owner.name == owner and code.role == role]
        codes.sort(key=lambda code: (code.rotated_at is not None, not code.permanent, code.created_at))
        if codes:
            return codes[n % len(codes)].text
        return next(text for text in map("{:06}".format, range(10)) if all(code.text != text for code in self.world.codes))

    def connect(self, name, owner, role, n=0):
        given = self.code_of(owner, role, n)
        self.names[given] = f"<{owner}'s {role} code>"

        def model(person):
            return self.world.connect(person, given)

        def then(answer, connection):
            self.bind(connection, answer["id"])
            return self.world.connection_json(self.find(name), connection)

        self.act(name, "POST /v1/connections", body={"code": given}, model=model, then=then)

    @about("pings")
    @rule(name=who, owner=who, role=roles, n=st.sampled_from([0, 0, 0, 1, 2]), looks=st.sampled_from([False, False, False, True]))
    def meet(self, name, owner, role, n, looks):
        (self.preview if looks else self.connect)(name, owner, role, n)

    @about("pings")
    @rule(name=who, owner=who, role=roles)
    def come_together(self, name, owner, role):
        """Two people get the profiles they need, and connect."""
        for person, needed in ((name, "receiver" if role == "sender" else "sender"), (owner, role)):
            if self.find(person).profile(needed) is None:
                self.set_up(person, needed, ZONES[len(self.story) % len(ZONES)], TIMES[len(self.story) % len(TIMES)], GRACES[0], False)
        self.connect(name, owner, role)

    def bind(self, connection, id):
        assert connection.id in (None, id), "another connection came back"
        connection.id = id
        self.names[id] = f"<{connection}>"
        for told in connection.sender.told + connection.receiver.told:
            if "connection_id" in told.data and told.data["connection_id"] is None:
                told.data["connection_id"] = id

    def preview(self, name, owner, role, n):
        given = self.code_of(owner, role, n)
        self.names[given] = f"<{owner}'s {role} code>"
        self.act(name, "GET /v1/codes/{}", given, model=lambda person: self.world.preview(person, given))

    def change(self, name, n, change):
        connection = self.connection(n)

        def then(answer, _):
            return self.world.connection_json(self.find(name), connection)

        self.act(name, "POST /v1/connections/{}/" + change, connection.id, model=lambda person: getattr(self.world, change)(person, connection), then=then)

    def remove(self, name, n):
        connection = self.connection(n)
        self.act(name, "DELETE /v1/connections/{}", connection.id, model=lambda person: self.world.remove(person, connection))

    def rename(self, name, n, alias):
        connection = self.connection(n)

        def then(answer, _):
            return self.world.connection_json(self.find(name), connection)

        self.act(name, "PATCH /v1/connections/{}", connection.id, body={"alias": alias}, model=lambda person: self.world.rename(person, connection, alias), then=then)

    def block(self, name, other):
        self.act(name, "PUT /v1/me/blocks/{}", self.find(other).id, model=lambda person: self.world.block(person, self.find(other)))

    def unblock(self, name, other):
        self.act(name, "DELETE /v1/me/blocks/{}", self.find(other).id, model=lambda person: self.world.unblock(person, self.find(other)))

    @about("pings")
    @precondition(has_connection)
    @rule(name=who, n=number, change=st.sampled_from(["pause", "resume", "consent"]), by_right=st.sampled_from([True, True, True, False]))
    def change_connection(self, name, n, change, by_right):
        """Pauses, resumes or consents: whoever may, or anybody."""
        connection = self.connection(n)
        if by_right:
            name = (connection.code_owner if change == "consent" else connection.sender).name
        self.change(name, n, change)

    @precondition(has_connection)
    @rule(name=who, n=number, role=st.sampled_from(["sender", "receiver", None]), act=st.sampled_from(["remove", "alias", "no alias", "block", "unblock"]))
    def change_relation(self, name, n, role, act):
        connection = self.connection(n)
        if role is not None:
            name = (connection.sender if role == "sender" else connection.receiver).name
        other = connection.other(self.find(name)).name
        if act == "remove":
            self.remove(name, n)
        elif "alias" in act:
            self.rename(name, n, "Mum" if act == "alias" else None)
        elif other != name:
            (self.block if act == "block" else self.unblock)(name, other)

    # Pings

    @about("pings", "emergency")
    @rule(name=who, n=number, as_sender=st.sampled_from([True, True, True, False]), note=st.sampled_from([None, "On the train"]), share=st.booleans())
    def say_i_am_safe(self, name, n, as_sender, note, share):
        if as_sender and self.world.connections:
            name = self.connection(n).sender.name
        self.check_in(name, note, share)

    @about("pings")
    @rule(name=st.sampled_from(["Alice", "Alice", "Bob", "Carol", "Trudy"]), first=st.integers(-3, 3), days=st.sampled_from([None, 0, 1, 2, 6, 89, 90, -1]))
    def take_a_break(self, name, first, days):
        if days is None:
            self.delete_break(name)
        else:
            self.put_break(name, first, days)

    def check_in(self, name, note, share):
        self.act(name, "POST /v1/pings/check-in", body={"note": note, "share_note": share}, model=lambda person: self.world.check_in(person, note, share))

    def put_break(self, name, first, days):
        person = self.find(name)
        begin = local_date(self.world.now, person.sender.zone if person.sender else "UTC") + first * DAY
        body = {"from": begin.isoformat(), "until": (begin + days * DAY).isoformat()}
        self.act(name, "PUT /v1/me/break", body=body, model=lambda person: self.world.put_break(person, begin, begin + days * DAY))

    def delete_break(self, name):
        self.act(name, "DELETE /v1/me/break", model=lambda person: self.world.delete_break(person))

    # Vaults

    def has_vault(self):
        return bool(self.world and self.world.vaults)

    def has_nominee(self):
        return bool(self.world and any(vault.nominees for vault in self.world.vaults))

    def vault(self, n):
        return self.world.vaults[n % len(self.world.vaults)]

    def nominee(self, n):
        """The n-th newest nominee, and one of the vault's people by `role`."""
        nominees = [nominee for vault in self.world.vaults for nominee in vault.nominees]
        return nominees[-1 - n % len(nominees)]

    def inside(self, vault, name, role):
        """The owner, a nominee, or whoever was named."""
        nominees = [nominee.user.name for nominee in vault.nominees if nominee.user is not None]
        if role == "owner":
            return vault.owner.name
        return nominees[-1] if role == "nominee" and nominees else name

    @about("vaults")
    @rule(name=who, strict=st.booleans(), may_open=st.booleans())
    def make_vault(self, name, strict, may_open):
        if len(self.world.vaults) >= 4:
            return
        called = f"Papers {len(self.world.vaults) + 1}"
        body = {"name": called, "require_confirmation": strict, "full_may_open": may_open}

        def then(answer, vault):
            vault.id = answer["id"]
            self.names[vault.id] = f"<{called}>"
            self.driver.add_document(vault, self.find(name), self.world.now)
            return self.world.vault_json(self.find(name), vault)

        self.act(name, "POST /v1/vaults", body=body, model=lambda person: self.world.create_vault(person, called, strict, may_open), then=then)

    @about("vaults", "emergency")
    @precondition(has_vault)
    @rule(name=who, n=number, role=st.sampled_from(["owner", "owner", "nominee", "anybody"]), act=st.sampled_from(["delete", "restore", "restore", "strict", "lax", "may open"]))
    def change_vault(self, name, n, role, act):
        vault = self.vault(n)
        name = self.inside(vault, name, role)

        def then(answer, result):
            return self.world.vault_json(self.find(name), vault) if result is not None else None

        if act == "delete":
            self.act(name, "DELETE /v1/vaults/{}", vault.id, model=lambda person: self.world.delete_vault(person, vault))
        elif act == "restore":
            self.act(name, "POST /v1/vaults/{}/restore", vault.id, model=lambda person: self.world.restore_vault(person, vault), then=then)
        else:
            body = {"full_may_open": True} if act == "may open" else {"require_confirmation": act == "strict"}
            self.act(name, "PATCH /v1/vaults/{}", vault.id, body=body, model=lambda person: self.world.change_vault(person, vault, body), then=then)

    @about("vaults", "emergency")
    @precondition(has_vault)
    @rule(name=who, n=number, role=st.sampled_from(["owner", "nominee", "anybody"]), act=st.sampled_from(["open", "open", "open", "lock", "activity", "activity"]))
    def go_in(self, name, n, role, act):
        vault = self.vault(n)
        name = self.inside(vault, name, role)
        model = {"open": self.world.enter, "lock": self.world.lock, "activity": self.world.be_active}[act]

        def then(answer, session):
            assert session.id in (None, answer["id"])
            session.id = answer["id"]
            if session.request is not None:
                return self.world.session_json(self.find(name), vault, session, False)
            self.names[session.id] = f"<session of {vault.name}>"
            is_managed = self.world.may_manage(self.find(name), vault)
            return self.world.session_json(self.find(name), vault, session, is_managed)

        self.act(name, "POST /v1/vaults/{}/" + act, vault.id, model=lambda person: model(person, vault), then=then)

    @about("vaults")
    @precondition(has_vault)
    @rule(name=who, n=number, role=st.sampled_from(["nominee", "anybody"]))
    def look_in(self, name, n, role):
        vault = self.vault(n)
        name = self.inside(vault, name, role)
        self.act(name, "GET /v1/vaults/{}/nominees", vault.id, model=lambda person: {"items": self.world.nominees_seen(person, vault)})

    @about("vaults")
    @precondition(has_vault)
    @rule(name=who, n=number, role=st.sampled_from(["owner", "owner", "nominee", "anybody"]), level=st.sampled_from(["view", "edit", "full"]), accepts=st.sampled_from(NAMES + [None]))
    def invite(self, name, n, role, level, accepts):
        vault = self.vault(n)
        name = self.inside(vault, name, role)
        called = f"Friend {sum(len(vault.nominees) for vault in self.world.vaults) + 1}"

        def then(answer, nominee):
            nominee.id = answer["id"]
            self.names[nominee.id] = f"<{called} in {vault.name}>"
            self.take_token(nominee, answer)
            return self.world.nominee_json(nominee)

        if self.act(name, "POST /v1/vaults/{}/nominees", vault.id, body={"name": called, "access_level": level}, model=lambda person: self.world.invite(person, vault, called, level), then=then):
            if accepts is not None:
                self.answer(accepts, 0, 0, "accept")

    def take_token(self, nominee, answer):
        invitation = nominee.invitations[-1]
        invitation.token = answer["invitation"]["token"]
        self.names[invitation.token] = f"<token {len(nominee.invitations)} of {nominee.name}>"

    @about("vaults")
    @precondition(has_nominee)
    @rule(name=who, n=number, which=st.sampled_from([0, 0, 0, 1]), answer=st.sampled_from(["accept", "accept", "decline"]))
    def answer(self, name, n, which, answer):
        nominee = self.nominee(n)
        if not nominee.invitations:
            # An owner who hands over a vault and stays needs no invitation.
            return
        token = nominee.invitations[-1 - which % len(nominee.invitations)].token
        model = self.world.accept if answer == "accept" else self.world.decline

        def then(_, result):
            return self.world.nominee_json(result) if result is not None else None

        self.act(name, "POST /v1/invitations/{}/" + answer, token, model=lambda person: model(person, token), then=then)

    @about("vaults", "emergency")
    @precondition(has_nominee)
    @rule(name=who, n=number, role=st.sampled_from(["owner", "owner", "owner", "nominee", "anybody"]), act=st.sampled_from(["confirm", "confirm", "resend", "revoke", "inactive", "accepted", "accepted", "view", "full"]))
    def change_nominee(self, name, n, role, act):
        nominee = self.nominee(n)
        vault = nominee.vault
        name = self.inside(vault, name, role)

        def then(answer, result):
            if act == "resend":
                self.take_token(nominee, answer)
            return self.world.nominee_json(nominee) if result is not None else None

        if act == "revoke":
            self.act(name, "DELETE /v1/vaults/{}/nominees/{}", vault.id, nominee.id, model=lambda person: self.world.revoke(person, nominee))
        elif act in ("confirm", "resend"):
            model = self.world.confirm if act == "confirm" else self.world.resend
            self.act(name, "POST /v1/vaults/{}/nominees/{}/" + act, vault.id, nominee.id, body={}, model=lambda person: model(person, nominee), then=then)
        else:
            status, level = (None, act) if act in ("view", "full") else (act, None)
            body = {"status": status} if status else {"access_level": level}
            self.act(name, "PATCH /v1/vaults/{}/nominees/{}", vault.id, nominee.id, body=body, model=lambda person: self.world.change_nominee(person, nominee, status, level), then=then)

    # Emergency access

    @about("emergency")
    @precondition(has_nominee)
    @rule(
        name=who, n=number, role=st.sampled_from(["owner", "owner", "owner", "owner", "nominee", "anybody"]), wait=st.sampled_from([1, 1, 24, 72, 400, 0]),
        level=st.sampled_from(LEVELS[:2] * 3 + ["full"]), grant=st.sampled_from([1, 24, 72, 721]), on_request=st.sampled_from([True, True, False]),
        days=st.sampled_from([None, 2, 2, 3, 1]), rejects=st.sampled_from([True, True, False]), sign=st.sampled_from(["check_in", "any_use"]), visible=st.booleans(),
    )
    def give_right(self, name, n, role, wait, level, grant, on_request, days, rejects, sign, visible):
        nominee = self.nominee(n)
        given = Right(wait, level, grant, on_request, days, rejects, sign, visible)
        self.act(
            self.inside(nominee.vault, name, role), "PUT /v1/vaults/{}/nominees/{}/emergency", nominee.vault.id, nominee.id, body=given.body(),
            model=lambda person: self.world.put_right(person, nominee, given),
        )

    @about("emergency")
    @precondition(has_nominee)
    @rule(name=who, n=number, role=st.sampled_from(["owner", "owner", "nominee", "anybody"]), act=st.sampled_from(["right", "quorum", "read", "read"]))
    def take_right(self, name, n, role, act):
        nominee = self.nominee(n)
        vault = nominee.vault
        name = self.inside(vault, name, role)
        if act == "right":
            self.act(name, "DELETE /v1/vaults/{}/nominees/{}/emergency", vault.id, nominee.id, model=lambda person: self.world.remove_right(person, nominee))
        elif act == "quorum":
            self.act(name, "DELETE /v1/vaults/{}/emergency/quorum", vault.id, model=lambda person: self.world.remove_quorum(person, vault))
        else:
            self.act(name, "GET /v1/vaults/{}/nominees/{}/emergency", vault.id, nominee.id, model=lambda person: self.world.right_seen(person, nominee))
            self.act(name, "GET /v1/vaults/{}/emergency/quorum", vault.id, model=lambda person: self.world.quorum_seen(person, vault))

    @about("emergency")
    @precondition(has_vault)
    @rule(name=who, n=number, role=st.sampled_from(["owner", "owner", "owner", "nominee"]), required=st.sampled_from([2, 2, 2, 3, 1]), left_out=st.integers(0, 3))
    def set_quorum(self, name, n, role, required, left_out):
        vault = self.vault(n)
        nominees = [nominee for nominee in vault.nominees if nominee.status != "revoked" or left_out == 3]
        if len(nominees) > 2 and left_out < 2:
            del nominees[left_out]
        body = {"required": required, "nominees": [nominee.id for nominee in nominees]}
        self.act(self.inside(vault, name, role), "PUT /v1/vaults/{}/emergency/quorum", vault.id, body=body, model=lambda person: self.world.put_quorum(person, vault, required, nominees))

    def shown(self, request, answer, name):
        assert request.id in (None, answer["id"]), "another request came back"
        if request.id is None:
            request.id = answer["id"]
            self.names[request.id] = f"<request {len(self.world.requests)} of {request.nominee.name}>"
        return self.world.request_json(self.find(name), request)

    @about("emergency")
    @precondition(has_nominee)
    @rule(name=who, n=number, role=st.sampled_from(["this", "this", "this", "this", "owner", "anybody"]), reason=st.sampled_from([None, "I cannot reach her"]))
    def ask(self, name, n, role, reason):
        nominee = self.nominee(n)
        name = nominee.user.name if role == "this" and nominee.user else self.inside(nominee.vault, name, role)
        self.act(
            name, "POST /v1/vaults/{}/emergency/requests", nominee.vault.id, body={"reason": reason},
            model=lambda person: self.world.ask(person, nominee.vault, reason), then=lambda answer, request: self.shown(request, answer, name),
        )

    @about("emergency")
    @precondition(lambda machine: machine.world is not None and machine.world.requests)
    @rule(name=who, n=st.sampled_from([0, 0, 0, 1, 2]), by_right=st.sampled_from([True, True, True, True, False]), act=st.sampled_from(["approve", "reject", "withdraw", "enter", "enter", "read"]))
    def decide(self, name, n, by_right, act):
        """Approves, rejects, withdraws, enters or reads: whoever may, or anybody."""
        request = self.world.requests[-1 - n % len(self.world.requests)]
        vault = request.nominee.vault
        if by_right:
            name = request.owner.name if act in ("approve", "reject") else request.nominee.user.name
        if act == "enter":
            def entered(answer, session):
                assert session.id in (None, answer["id"])
                session.id = answer["id"]
                self.names[session.id] = f"<emergency session of {request.nominee.name}>"
                return self.world.session_json(self.find(name), vault, session, False)

            self.act(name, "POST /v1/vaults/{}/emergency/enter", vault.id, model=lambda person: self.world.enter_emergency(person, vault), then=entered)
        elif act == "read":
            self.act(name, "GET /v1/vaults/{}/emergency/requests/{}", vault.id, request.id, model=lambda person: self.world.request_seen(person, request))
        else:
            self.act(
                name, "POST /v1/vaults/{}/emergency/requests/{}/" + act, vault.id, request.id,
                model=lambda person: getattr(self.world, act)(person, request), then=lambda answer, request: self.shown(request, answer, name),
            )

    @about("emergency")
    @precondition(has_nominee)
    @rule(n=number, other=number, wait=st.sampled_from([HOUR - MINUTE, HOUR, 2 * HOUR, 25 * HOUR, 73 * HOUR]), act=st.sampled_from(["enter", "enter", "reject", "approve", "withdraw", "check in"]))
    def get_help(self, n, other, wait, act):
        """Two ask, time goes by, and somebody acts."""
        for asks in {n, other}:
            self.ask("Bob", asks, "this", None)
        self.wait(wait, True)
        if act == "check in":
            self.check_in(self.nominee(n).vault.owner.name, None, False)
        elif self.world.requests:
            self.decide("Bob", 0, True, act)

    @about("emergency")
    @precondition(lambda machine: machine.world is not None and machine.world.requests)
    @rule(act=st.sampled_from(["approve", "reject", "reject", "withdraw", "enter", "enter"]), works=st.booleans(), offset=st.sampled_from([-SECOND, dt.timedelta(0), SECOND]))
    def decide_in_time(self, act, works, offset):
        """The clock goes to the next instant of a request, and somebody decides."""
        still = [request for request in reversed(self.world.requests) if self.world.is_open(request)]
        request = still[0] if still else self.world.requests[-1]
        coming = sorted(at + offset for at in (self.world.grants_at(request), self.world.ends_at(request)) if at and at + offset > self.world.now)
        if coming:
            self.tick()
            self.world.now = max(self.world.now, coming[0])
            self.tell_story("the next instant of a request")
            if works:
                self.work(1000)
        self.decide("Bob", len(self.world.requests) - 1 - self.world.requests.index(request), True, act)

    # What makes a wait longer

    def operate(self, procedure, arguments, model, line):
        """Plays an operator's act on both. `model` returns the answer, a None for anything."""
        self.tick()
        answer = self.driver.operate(procedure, [*arguments, text(self.world.now)])
        self.outcomes[f"{procedure} {answer.code or answer.status}"] += 1
        self.tell_story(f"an operator {line}  →  {answer.code or answer.status}")
        try:
            result = model()
        except Refusal as refusal:
            if answer.code != refusal.code:
                self.fail([f"the model refuses it: {refusal.code}"])
            return
        if answer.code is not None:
            self.fail([f"the model allows it, the server refuses it: {answer.code}"])
        if result is not None and result != answer.body:
            self.fail([f"the model has {result}, the server {answer.body}"])

    def newest_request(self, n):
        """An open one, if there is any."""
        still = [request for request in self.world.requests if self.world.is_open(request)] or self.world.requests
        return still[-1 - n % len(still)]

    def has_open_request(self):
        """Or, now and then, one that has ended."""
        return bool(self.world and self.world.requests) and (
            len(self.story) % 7 == 0 or any(self.world.is_open(request) for request in self.world.requests)
        )

    def often_has_open_request(self):
        return self.world is not None and (len(self.story) % 3 == 0 or self.has_open_request())

    @about("emergency")
    @precondition(has_open_request)
    @rule(n=st.sampled_from([0, 0, 1]), hours=st.sampled_from([None, None, 1, 30, -1]), releases=st.booleans(), instants=st.integers(0, 2))
    def hold(self, n, hours, releases, instants):
        """An operator holds a request, or releases the one that is held."""
        request = self.newest_request(n)
        if not self.world.is_held(request):
            until = None if hours is None else self.world.now + hours * HOUR + 10 * MINUTE
            self.operate(
                "admin.hold_emergency", ["model-acme", request.id, "a fight at home", text(until)], lambda: self.world.hold(request, until),
                f"holds {request.id} " + (f"until {until}" if until else "without an end"),
            )
            if not releases:
                return
            self.wait_for_something(dt.timedelta(0), instants)
        self.operate(
            "admin.release_emergency", ["model-acme", request.id, "settled"], lambda: self.world.release(request), f"releases {request.id}"
        )

    @about("emergency")
    @precondition(often_has_open_request)
    @rule(wait=st.sampled_from([MINUTE, HOUR, 5 * HOUR, DAY, 3 * DAY]), works=st.booleans(), instants=st.integers(0, 3), resumes=st.booleans())
    def suspend(self, wait, works, instants, resumes):
        """The tenant is suspended for a time. Somebody's next act may still be refused."""
        if not self.world.is_suspended():
            self.operate("admin.suspend_tenant", ["model-acme", "unpaid"], self.world.suspend, "suspends the tenant")
        self.wait(wait, works)
        self.wait_for_something(dt.timedelta(0), instants)
        if resumes:
            self.resume_tenant()

    def go_on(self):
        """What keeps everybody from using the app is over."""
        self.return_servers()
        if self.world.is_suspended():
            self.resume_tenant()

    def resume_tenant(self):
        self.operate("admin.resume_tenant", ["model-acme"], self.world.resume_tenant, "resumes the tenant")

    @about("emergency")
    @precondition(often_has_open_request)
    @rule(waits=st.lists(st.sampled_from([30 * SECOND, 61 * SECOND, 20 * MINUTE, 3 * HOUR, 2 * DAY]), max_size=2), instants=st.integers(-1, 2), return_=st.booleans())
    def lose_servers(self, waits, instants, return_):
        """All servers are down until somebody can use one again. The worker and the operator go on."""
        if self.world.down_since is None:
            self.tick()
            self.driver.stop_servers(self.world.now)
            self.world.stop_servers()
            self.tell_story("the servers stop")
        for wait in waits:
            self.wait(wait, True)
        if instants >= 0:
            self.wait_for_something(dt.timedelta(0), instants)
        if return_:
            self.return_servers()

    def return_servers(self):
        if self.world.down_since is not None:
            self.tick()
            self.driver.return_servers(self.world.now)
            self.world.return_servers()
            self.tell_story("the servers are back")

    @about("emergency")
    @precondition(has_open_request)
    @rule(n=st.sampled_from([0, 0, 1]), after=st.sampled_from([dt.timedelta(0), 10 * MINUTE, 50 * MINUTE]), works=st.booleans(), arrives=st.booleans(), instants=st.integers(0, 2))
    def lose_notice(self, n, after, works, arrives, instants):
        """A notice to the owner reaches them on no channel, which is known after some minutes. Perhaps it arrives later."""
        request = self.newest_request(n)
        # A request that the owner approved while it gathered has no notice that could be lost.
        if request.waits_from is None or request.noticed_at is None:
            return
        if self.world.now > request.noticed_at + HOUR:
            coming = [at for at in self.world.notice_instants(request) if at > self.world.now]
            if not coming:
                return
            self.world.now = min(coming)
            self.tell_story("the next notice of a request")
            self.work(1000)
            if self.world.now > request.noticed_at + HOUR:
                return
        self.wait(after, works)
        self.driver.lose_notice(request, self.world.now)
        self.world.lose_notice(request)
        self.tell_story(f"no channel takes the newest notice of {request.id}")
        self.wait(MINUTE, works)
        self.wait_for_something(dt.timedelta(0), instants)
        if arrives:
            self.tick()
            self.driver.deliver_notice(request, self.world.now)
            self.world.deliver_notice(request)
            self.tell_story(f"the newest notice of {request.id} arrives")

    @about("emergency")
    @rule(name=who)
    def use_the_app(self, name):
        self.act(name, "uses the app", self.find(name).id, model=lambda person: self.world.owner_is_seen(person))

    @about("emergency")
    @precondition(has_nominee)
    @rule(n=number, keeps=st.booleans(), does=st.integers(0, 4))
    def hand_over(self, n, keeps, does):
        """A vault is offered to a nominee, who accepts."""
        if does:
            return
        self.go_on()
        nominee = self.nominee(n)
        vault, former = nominee.vault, nominee.vault.owner
        if nominee.status not in ("accepted", "inactive") or vault.deleted_at or sum("transfer" in line for line in self.story) >= 4:
            return
        if former in nominee.user.blocked or nominee.user in former.blocked:
            return
        body = {"nominee_id": nominee.id, "keep_access": keeps}
        offered = self.act(former.name, "POST /v1/vaults/{}/transfer", vault.id, body=body, model=lambda person: self.world.offer(person, nominee))
        token = offered["invitation"]["token"]
        self.names[token] = f"<offer of {vault.name}>"
        self.act(nominee.user.name, "POST /v1/invitations/{}/accept", token, model=lambda person: self.world.take_over(person, nominee, keeps))
        if keeps:
            kept = vault.nominees[-1]
            kept.id = self.driver.read([Call(vault.owner, "GET /v1/vaults/{}/nominees", vault.id)], self.world.now)[0]["items"][-1]["id"]
            self.names[kept.id] = f"<{former} in {vault.name}>"

    @about("emergency")
    @rule(days=st.integers(1, 3))
    def fall_silent(self, days):
        """Some days go by, and nobody does anything."""
        self.wait_for_something(11 * SECOND, 4 * days)

    @about("emergency")
    @rule(name=st.sampled_from(["Alice", "Alice", "Alice", "Bob"]), instants=st.integers(3, 12))
    def rehearse(self, name, instants):
        """What the rehearsal announces is what happens when nobody does anything (E08)."""
        self.go_on()
        self.work(1000)
        # It supposes that notices arrive from now on, and an operator's hold without an end says nothing of the time after it.
        if any(request.ended_at is None and (request.stall or request.lost_notice or self.world.is_held(request)) for request in self.world.requests):
            return
        person = self.find(name)
        began = self.world.now
        rehearsal = self.driver.read([Call(person, "GET /v1/me/emergency/rehearsal")], began)[0]
        self.tell_story(f"{name} rehearses: {len(rehearsal['steps'])} steps")
        if not rehearsal["steps"]:
            return
        until = began
        for _ in range(instants):
            coming = [at for at in [*map(parsed, (step["at"] for step in rehearsal["steps"])), *self.world.instants()] if at > until]
            if not coming:
                break
            until = min(coming)
            self.world.now = max(until, self.world.now + MILLISECOND)
            self.tell_story("nobody does anything")
            for job in JOBS:
                self.run(job, 1000)
        types = {"wait_begins": "emergency_requested", "notice": "emergency_reminder", "grant": "emergency_opened", "receiver_told": "ping_missed"}
        # A receiver reads the name that they have given to the sender, which is nobody else's business.
        announced = [
            (parsed(step["at"]), step["person"]["id"], "ping_missed", None) if step["kind"] == "receiver_told"
            else (parsed(step["at"]), person.id, types.get(step["kind"], step["kind"]), step["text"])
            for step in rehearsal["steps"] if step["kind"] not in ("grant_ends", "right_sleeps") and parsed(step["at"]) <= until
        ]
        missed = {connection.id: connection.receiver for connection in self.world.connections if connection.sender is person}
        happened = [
            (told.at, reader.id, told.type, told.body if reader is person else None) for reader in self.world.people for told in reader.told
            if told.at > began and (
                told.type == "ping_missed" and missed.get(told.data["connection_id"]) is reader
                or reader is person and (told.data.get("to") == "owner" or told.data.get("connection_id") in missed and told.type in ("ping_due", "ping_reminder", "ping_missed"))
            )
        ]
        self.outcomes[f"a rehearsal of {len(announced)} steps that come true"] += 1
        lacking = [step for step in announced if not any(self.is_same(step, other) for other in happened)]
        extra = [step for step in happened if not any(self.is_same(step, other) for other in announced)]
        if lacking or extra:
            self.fail([f"the rehearsal of {name}:", *(f"  announced: {step}" for step in lacking), *(f"  happened: {step}" for step in extra)])

    @staticmethod
    def is_same(one, other):
        return one[1:] == other[1:] and abs(one[0] - other[0]) <= SECOND

    # Time, and the worker

    @rule(wait=st.sampled_from(WAITS), works=st.booleans())
    def wait(self, wait, works):
        self.tick()
        self.world.now += wait
        self.tell_story(f"{wait} passed")
        if works:
            self.work(1000)

    @rule(offset=st.sampled_from([-SECOND, dt.timedelta(0), dt.timedelta(0), SECOND, 10 * SECOND]), n=st.integers(0, 2))
    def wait_for_something(self, offset, n):
        """The clock goes to the next instants at which something happens, while the worker works; or a little before or after."""
        for _ in range(n + 1):
            coming = sorted(at for at in self.world.instants() if at + offset > self.world.now)
            if not coming:
                return
            self.tick()
            self.world.now = max(self.world.now, coming[0] + offset)
            self.tell_story("something was to happen" + (f" {offset} ago" if offset > dt.timedelta(0) else f" in {-offset}" if offset else " now"))
            self.work(1000)

    @rule(n=st.integers(1, 12))
    def live_on(self, n):
        """Nothing but the clock and the worker, through many instants."""
        self.wait_for_something(dt.timedelta(0), n)
        self.wait_for_something(10 * SECOND, 0)

    @rule(batch=st.sampled_from([1000, 1, 2]))
    def work(self, batch):
        """The worker does everything that is due, as it does every second."""
        self.tick()
        self.tell_story(f"the worker works, {batch} at a time")
        for job in JOBS:
            self.run(job, batch)

    @about("pings")
    @rule(job=st.sampled_from(JOBS), batch=st.sampled_from([1000, 1]))
    def work_a_part(self, job, batch):
        """A worker may die between any two jobs."""
        self.tick()
        self.tell_story(f"the worker runs {job}, {batch} at a time")
        self.run(job, batch)

    def run(self, job, batch):
        if self.world.down_since is not None:
            self.driver.watch_servers(self.world.now)
        done = self.driver.find_gaps(self.world.now, batch) if job == "find_gaps" else self.driver.work(job, self.world.now, batch)
        self.outcomes[f"{job} {'some' if done else 'none'}"] += 1
        if job == "find_gaps" and done:
            self.fail([f"{done} connections had no ping although they should have had one"])
        model = {
            "generate_daily_pings": self.world.generate, "find_gaps": self.world.find_gaps, "announce_due_pings": self.world.announce,
            "remind_senders": self.world.remind, "miss_pings": self.world.miss, "turn_breaks": self.world.turn_breaks,
            "lock_expired_sessions": self.world.lock_expired_sessions, "begin_emergency_waits": self.world.begin_emergency_waits,
            "tell_emergencies": self.world.tell_emergencies,
        }
        model[job]()
        self.find_new_requests()

    def find_new_requests(self):
        """Takes over the ids of the requests that the worker has made."""
        new = [request for request in self.world.requests if request.id is None]
        if new:
            known = {request.id for request in self.world.requests}
            found = {(nominee, at): id for id, nominee, at, *_ in self.driver.rows(REQUESTS) if id not in known}
            for request in new:
                request.id = found.get((request.nominee.id, request.asked_at))
                if request.id is None:
                    self.fail([f"the model has a request of {request.nominee.name} after {request.missed_days} missed days, the server has none"])
                self.names[request.id] = f"<silence {self.world.requests.index(request) + 1} for {request.nominee.name}>"

    # What must never be

    @invariant()
    def nobody_is_inside_without_right(self):
        """From the tables alone: who can read a document is the owner or an accepted nominee, in an open session or by a grant of this instant."""
        if self.world is None or not self.world.vaults or self.about not in ("emergency", "everything"):
            return
        now, rows, stops = self.world.now, self.driver.rows(REQUESTS), self.driver.rows(STOPS)
        granted = set()
        for id, nominee, asked_at, hours, waits_from, grants_at, ends_at, approved_at, ended_at, reason, delays in rows:
            before = self.known_requests.get(id)
            if before is not None:
                if before[2] is not None and before[2:] != (ended_at, reason):
                    self.fail([f"{id} had ended at {text(before[2])}, and is changed"])
                if before[0] == waits_from is not None and before[1] > grants_at and approved_at is None:
                    self.fail([f"{id} grants at {text(grants_at)}, it was {text(before[1])}"])
            self.known_requests[id] = (waits_from, grants_at, ended_at, reason)
            if waits_from is None:
                continue
            recorded = length(delays)
            if approved_at is None and grants_at != waits_from + hours * HOUR + recorded:
                self.fail([f"{id} grants at {text(grants_at)}, with a wait of {hours} hours and {recorded} that are recorded as not counting"])
            spans = [(began, ended) for of, began, ended in stops if of in (id, "all")]
            ran = now - waits_from - length(within(delays + spans, waits_from, now))
            is_stopped = any(of == id and began <= now and (ended is None or now < ended) for of, began, ended in stops)
            is_over = now >= ends_at + length(within(spans, waits_from, now))
            if ended_at is None and (ran >= hours * HOUR or approved_at is not None) and not is_stopped and not is_over:
                granted.add(nominee)
        gone = self.known_requests.keys() - {row[0] for row in rows}
        if gone:
            self.fail([f"requests are gone: {gone}"])
        calls = [(person, vault, Call(person, "GET /v1/vaults/{}/documents", vault.id)) for person in self.world.people for vault in self.world.vaults]
        people = {
            (vault, user): (nominee, status)
            for nominee, vault, user, status in self.driver.rows(
                "select id::text, vault_id::text, user_id::text, status from kith.nominees where tenant_id = any (%s) and user_id is not null order by status <> 'revoked', id"
            )
        }
        shared = {
            vault: owner for vault, owner, is_open in self.driver.rows(
                "select vault.id::text, vault.owner_id::text, exists (select from kith.vault_sessions as open where open.tenant_id = vault.tenant_id and open.vault_id = vault.id "
                f"and open.kind = 'shared' and open.locked_at is null and open.expires_at > '{text(now)}') from kith.vaults as vault where vault.tenant_id = any (%s) and deleted_at is null"
            ) if is_open
        }
        reads = self.driver.probe([call for _, _, call in calls], now)
        enters = [(nominee, Call(nominee.user, "POST /v1/vaults/{}/emergency/enter", nominee.vault.id)) for nominee in {request.nominee for request in self.world.requests}]
        for (person, vault, call), answer in zip(calls, reads):
            nominee, status = people.get((vault.id, person.id), (None, None))
            may = status == "accepted" and (vault.id in shared or nominee in granted) or shared.get(vault.id) == person.id
            if "body" in answer and not may:
                self.fail([f"{person} reads the documents of {vault.name}, without an open session or a grant"])
            self.compare_probe(call, answer, lambda: self.world.documents_seen(person, vault))
        for (nominee, call), answer in zip(enters, self.driver.probe([call for _, call in enters], now)):
            if "body" in answer and nominee.id not in granted and self.world.nominee_of(nominee.user, nominee.vault) is nominee:
                self.fail([f"{nominee.name} can enter {nominee.vault.name} without a grant"])
            self.compare_probe(call, answer, lambda: self.world.may_enter_emergency(nominee.user, nominee.vault))

    def compare_probe(self, call, answer, model):
        try:
            wanted = {"body": model()}
        except Refusal as refusal:
            wanted = {"code": refusal.code}
        if wanted.get("code") != answer.get("code") or wanted.get("body") and differences(wanted["body"], answer["body"]):
            self.fail([f"{call.person} would get from {call.route.format(*call.path)}: in the model {wanted}, from the server {answer}"])

    # What everybody sees

    @invariant()
    def everybody_sees_what_the_model_says(self):
        if self.world is None:
            return
        calls, expected = [], []
        orders = ["missed", "connection"]
        for n, person in enumerate(self.world.people):
            for role in ("sender", "receiver"):
                order = orders[(len(self.story) + n) % 2]
                calls.append(Call(person, "GET /v1/dashboard", query={"role": role, "order": order}))
                expected.append(self.world.dashboard(person, role, order))
            # What a dashboard does not show is read by one after the other.
            if (len(self.story) + n) % len(NAMES) == 0:
                calls.append(Call(person, "GET /v1/connections"))
                expected.append({"items": [self.world.connection_json(person, connection) for connection in self.world.connections_of(person)]})
                calls.append(Call(person, "GET /v1/pings"))
                expected.append({"items": self.world.pings_of(person)})
                day = self.world.now.date() - (len(self.story) // 5 % 3 - 1) * DAY
                calls.append(Call(person, "GET /v1/pings", query={"date": day.isoformat()}))
                expected.append({"items": self.world.pings_of(person, day)})
                calls.append(Call(person, "GET /v1/me/codes"))
                expected.append({"items": self.world.codes_json(person)})
            for deleted in ("false", "true"):
                calls.append(Call(person, "GET /v1/vaults", query={"deleted": deleted}))
                expected.append({"items": self.world.vaults_of(person, deleted == "true")})
            for vault in self.world.vaults:
                try:
                    seen = self.world.nominees_seen(person, vault)
                except Refusal:
                    continue
                calls.append(Call(person, "GET /v1/vaults/{}/nominees", vault.id))
                expected.append({"items": seen})
            if self.about in ("emergency", "everything"):
                calls.append(Call(person, "GET /v1/me/emergency"))
                expected.append(self.world.my_emergency(person))
                for n, vault in enumerate(self.world.vaults):
                    status = [None, "gathering", "waiting", "granted", "ended", "rejected", "withdrawn"][(len(self.story) + n) % 7]
                    try:
                        seen = self.world.requests_seen(person, vault, status)
                    except Refusal:
                        continue
                    calls.append(Call(person, "GET /v1/vaults/{}/emergency/requests", vault.id, query={"status": status}))
                    expected.append(seen)
            calls.append(Call(person, "GET /v1/notifications"))
            expected.append(None)
        for call, wanted, found in zip(calls, expected, self.driver.read(calls, self.world.now)):
            found = without_ids(found)
            if call.route == "GET /v1/notifications":
                wrong = self.compare_notifications(call.person, found)
            else:
                wrong = differences(wanted, found)
            if wrong:
                self.fail([f"{call.person} reads {call.route} {call.query or ''}:", *wrong])

    def compare_notifications(self, person, found):
        """The newest 200; those of one instant in any order."""
        wanted, got = [told.json() for told in person.told], found["items"]
        if len(wanted) > 200:
            oldest = min(item["created_at"] for item in got)
            wanted, got = ([item for item in items if item["created_at"] > oldest] for items in (wanted, got))
        lacking, extra = [], list(got)
        for item in sorted(wanted, key=lambda item: item["created_at"], reverse=True):
            same = next((other for other in extra if item["created_at"] == other["created_at"] and not differences(item, other)), None)
            if same is None:
                lacking.append(item)
            else:
                extra.remove(same)
        wrong = [f"  only in the model: {item}" for item in lacking] + [f"  only on the server: {item}" for item in extra]
        if found["unread_count"] != len(person.told):
            wrong.append(f"  {len(person.told)} in the model, {found['unread_count']} on the server")
        return wrong
