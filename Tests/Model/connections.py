"""The model of codes, connections, blocks and aliases (section B of docs/product.md)."""

import dataclasses
import datetime as dt
import typing

from times import DAY, HOUR, text

FALLBACK = {"sender": "Your sender", "receiver": "Your receiver"}


def opposite(role):
    return "receiver" if role == "sender" else "sender"


@dataclasses.dataclass(eq=False)
class Code:
    text: str
    owner: object
    role: str
    permanent: bool
    created_at: dt.datetime
    expires_at: typing.Optional[dt.datetime] = None
    rotated_at: typing.Optional[dt.datetime] = None

    def ended_at(self):
        return min((at for at in (self.expires_at, self.rotated_at) if at), default=None)

    def is_free(self, now):
        return self.ended_at() is not None and self.ended_at() < now - 90 * DAY

    def is_live(self, now):
        return self.rotated_at is None and (self.expires_at is None or self.expires_at > now)


@dataclasses.dataclass(eq=False)
class Connection:
    sender: object
    receiver: object
    status: str
    code_owner: object
    created_at: dt.datetime
    activated_at: dt.datetime
    updated_at: dt.datetime
    id: typing.Optional[str] = None
    resting_status: typing.Optional[str] = None
    tells_resumed: bool = False
    aliases: dict = dataclasses.field(default_factory=dict)
    pings: dict = dataclasses.field(default_factory=dict)

    def is_live(self):
        return self.status in ("active", "pending")

    def role_of(self, person):
        return "sender" if person is self.sender else "receiver"

    def other(self, person):
        return self.receiver if person is self.sender else self.sender

    def name_for(self, person):
        """What a person reads in place of the other side's name (P37)."""
        return self.aliases.get(person) or self.other(person).name

    def __repr__(self):
        return f"{self.sender}→{self.receiver}"


class Connections:
    # Codes

    def permanent_code(self, person, role):
        return next((code for code in self.codes if code.owner is person and code.role == role and code.permanent and not code.rotated_at), None)

    def live_code(self, person, role):
        return next((code for code in self.codes if code.owner is person and code.role == role and code.is_live(self.now)), None)

    def bind_code(self, person, role, given, permanent=True, expires_at=None):
        """Takes over a code that the server has chosen."""
        if permanent and self.permanent_code(person, role):
            assert self.permanent_code(person, role).text == given, f"the permanent code changed to {given}"
            return
        clash = [code for code in self.codes if code.text == given and code.owner.tenant == person.tenant]
        assert all(code.is_free(self.now) for code in clash), f"the code {given} was given twice"
        self.codes = [code for code in self.codes if code not in clash]
        self.codes.append(Code(given, person, role, permanent, self.now, expires_at))

    def rotate_code(self, person, role):
        if person.profile(role) is None:
            self.refuse("profile_required")
        self.permanent_code(person, role).rotated_at = self.now

    def extra_code(self, person, role):
        if person.profile(role) is None:
            self.refuse("profile_required")

    def codes_json(self, person):
        live = sorted((code for code in self.codes if code.owner is person and code.is_live(self.now)), key=lambda code: (not code.permanent, code.created_at, code.text))
        return [{"code": code.text, "role": code.role, "permanent": code.permanent, "expires_at": text(code.expires_at)} for code in live]

    def attempt(self, person, given):
        """Finds the owner of a code, and counts the attempt (A08)."""
        recent = sorted((at, outcome) for at, outcome in person.attempts if at > self.now - HOUR)
        misses = [at for at, outcome in recent if outcome != "found"]
        if len(misses) >= 10 or len(recent) >= 20:
            blocked = sorted((at for at, outcome in recent if outcome == "blocked"), reverse=True)
            if len(blocked) >= 10:
                person.attempts.remove((blocked[9], "blocked"))
            person.attempts.append((self.now, "blocked"))
            self.refuse("too_many_requests")
        code = next((code for code in self.codes if code.text == given and code.owner.tenant == person.tenant), None)
        problem = None
        if code is None or code.is_free(self.now):
            problem = "invalid_code"
        elif not code.is_live(self.now):
            problem = "expired_code"
        elif code.owner is person:
            problem = "self_connection"
        elif person in code.owner.blocked:
            problem = "invalid_code"
        elif code.owner in person.blocked:
            problem = "conflict"
        person.attempts.append((self.now, "missed" if problem in ("invalid_code", "expired_code") else "found"))
        if problem:
            self.refuse(problem)
        return code

    def preview(self, person, given):
        code = self.attempt(person, given)
        return {"role": opposite(code.role), "counterpart": {"display_name": code.owner.name}}

    # Connections

    def own(self, person, connection):
        if connection is None or connection.status == "deleted" or person not in (connection.sender, connection.receiver):
            self.refuse("not_found")
        return connection

    def connections_of(self, person, role=None):
        return [
            connection
            for connection in self.connections
            if connection.status != "deleted" and person in (connection.sender, connection.receiver)
            and role in (None, connection.role_of(person))
        ]

    def connect(self, person, given):
        code = self.attempt(person, given)
        role = opposite(code.role)
        if person.profile(role) is None:
            self.refuse("profile_required")
        sender, receiver = (person, code.owner) if role == "sender" else (code.owner, person)
        known = next((known for known in self.connections if known.sender is sender and known.receiver is receiver), None)
        if known is not None and known.status != "deleted":
            self.refuse("connection_exists")
        status = "pending" if self.requires_consent else "active"
        if known is None:
            known = Connection(sender, receiver, status, code.owner, self.now, self.now, self.now)
            self.connections.append(known)
        else:
            known.status, known.code_owner, known.resting_status = status, code.owner, None
            known.activated_at = known.updated_at = self.now
        self.bring_ping(known, person)
        if status == "pending":
            self.tell_of_connection(known, code.owner, "connection_requested", "Connection Request", {"receiver": " wants to send you pings", "sender": " wants to receive your pings"})
        else:
            self.tell_of_connection(known, known.other(person), "connection_request", "New Connection", {"receiver": " is now sending you pings", "sender": " is now receiving your pings"})
        return known

    def tell_of_connection(self, connection, to, type, title, bodies):
        body = bodies[connection.role_of(to)] if isinstance(bodies, dict) else bodies
        self.tell(to, type, title, lambda: connection.name_for(to) + body, {"connection_id": connection.id})

    def may_tell_of_pauses(self, connection):
        told = [
            told for told in connection.receiver.told
            if told.type in ("connection_paused", "connection_resumed") and told.data["connection_id"] == connection.id and told.at >= self.now - HOUR
        ]
        if len(told) >= 20:
            self.refuse("too_many_requests")

    def pause(self, person, connection):
        self.own(person, connection)
        if connection.sender is not person:
            self.refuse("forbidden")
        if connection.status != "active":
            self.refuse("invalid_transition")
        self.may_tell_of_pauses(connection)
        connection.status, connection.updated_at, connection.tells_resumed = "paused", self.now, False
        self.cancel_pings(connection)
        self.tell_of_connection(connection, connection.receiver, "connection_paused", "Connection Paused", " has paused their connection with you")
        return connection

    def resume(self, person, connection):
        self.own(person, connection)
        if connection.sender is not person:
            self.refuse("forbidden")
        if connection.status != "paused":
            self.refuse("invalid_transition")
        self.may_tell_of_pauses(connection)
        connection.status, connection.activated_at, connection.updated_at = "active", self.now, self.now
        self.bring_ping(connection, person)
        if self.pings_flow(connection):
            self.tell_of_connection(connection, connection.receiver, "connection_resumed", "Connection Resumed", " has resumed their connection with you")
        else:
            # X35: said when pings flow.
            connection.tells_resumed = True
        return connection

    def consent(self, person, connection):
        self.own(person, connection)
        if connection.code_owner is not person:
            self.refuse("forbidden")
        if connection.status != "pending":
            self.refuse("invalid_transition")
        connection.status, connection.activated_at, connection.updated_at = "active", self.now, self.now
        for ping in connection.pings.values():
            ping.note = None
        self.bring_ping(connection, person)
        self.tell_of_connection(connection, connection.other(connection.code_owner), "connection_accepted", "Connection Accepted", " accepted your connection")
        return connection

    def close(self, connection):
        connection.status, connection.updated_at = "deleted", self.now
        self.cancel_pings(connection)

    def remove(self, person, connection):
        self.own(person, connection)
        self.close(connection)
        other = connection.other(person)
        self.tell_of_connection(connection, other, "connection_removed", "Connection Removed", {"sender": " has removed your connection", "receiver": " has removed you as a receiver"})

    def rename(self, person, connection, alias):
        self.own(person, connection)
        connection.aliases[person] = alias
        return connection

    def block(self, person, other):
        if not any({person, other} == {known.sender, known.receiver} for known in self.connections) and not self.knows_of(person, other):
            self.refuse("not_found")
        person.blocked.add(other)
        for connection in self.connections:
            if connection.status != "deleted" and {person, other} == {connection.sender, connection.receiver}:
                self.close(connection)
        self.end_rights_of_blocked(person, other)

    def unblock(self, person, other):
        if other not in person.blocked:
            self.refuse("not_found")
        person.blocked.remove(other)

    # What a person sees

    def connection_json(self, person, connection):
        mine, sender = connection.role_of(person), connection.sender.sender
        knows = mine == "sender" or connection.status == "active"
        ping = self.today_ping(connection, mine)
        missed = self.missed_ping(connection, mine)
        noted = mine == "sender" or connection.status == "active" and sender.last_check_in_at and sender.last_check_in_at >= connection.activated_at
        on_break = knows and sender.break_until is not None and sender.break_until >= self.local_date_of(connection.sender)
        return {
            "id": connection.id,
            "role": mine,
            "status": connection.status,
            "consent_by": None if connection.status != "pending" else "me" if connection.code_owner is person else "counterpart",
            "counterpart": {"id": connection.other(person).id, "display_name": connection.other(person).name},
            "alias": connection.aliases.get(person),
            "sender_id": connection.sender.id,
            "receiver_id": connection.receiver.id,
            "created_at": text(connection.created_at),
            "updated_at": text(connection.updated_at),
            "today_ping": ping and ping.json(),
            "missed_ping": missed and missed.json(),
            "last_check_in_at": text(sender.last_check_in_at) if knows else None,
            "last_check_in_note": sender.last_note if noted else None,
            "ping_time": sender.time.strftime("%H:%M") if knows else None,
            "time_zone": sender.zone if knows else None,
            "break": {"from": sender.break_from.isoformat(), "until": sender.break_until.isoformat()} if on_break else None,
        }
