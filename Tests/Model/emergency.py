"""The model of emergency access (section E of docs/product.md).

It holds the rules about rights, quorums, requests, the wait, the grant, the ends and the silence. Each method is one act or one
question, with the same refusals as the API. What makes a wait longer is in standstills.py.
"""

import dataclasses
import datetime as dt
import math
import typing
import zoneinfo

from ping_rules import AFTER_OUTAGE
from times import DAY, HOUR, MINUTE, SECOND, text

LATE_NOTICES = (2 * DAY, DAY, HOUR)
LEVELS = ["view", "edit", "full"]


@dataclasses.dataclass(eq=False)
class Right:
    """What an owner allows one nominee (E01)."""

    wait_hours: int
    level: str
    grant_hours: int
    on_request: bool
    after_missed_days: typing.Optional[int]
    reject_on_check_in: bool
    sign_of_life: str
    visible: bool
    given_at: typing.Optional[dt.datetime] = None
    visible_since: typing.Optional[dt.datetime] = None
    updated_at: typing.Optional[dt.datetime] = None
    ended_at: typing.Optional[dt.datetime] = None

    def body(self):
        return {
            "wait_hours": self.wait_hours, "access_level": self.level, "grant_hours": self.grant_hours, "on_request": self.on_request,
            "after_missed_days": self.after_missed_days, "reject_on_check_in": self.reject_on_check_in, "sign_of_life": self.sign_of_life,
            "visible": self.visible,
        }

    def json(self):
        return self.body() | {"ended_at": text(self.ended_at), "updated_at": text(self.updated_at)}

    def terms(self):
        """What a nominee may see of it."""
        body = self.body()
        return {key: body[key] for key in ("wait_hours", "access_level", "grant_hours", "on_request", "after_missed_days")}


@dataclasses.dataclass(eq=False)
class Request:
    """One request for access, with the conditions of the right as they were when it was made."""

    nominee: object
    owner: object
    cause: str
    right: Right
    required: int
    asked_at: dt.datetime
    reason: typing.Optional[str] = None
    missed_days: typing.Optional[int] = None
    stopped_at: typing.Optional[dt.datetime] = None
    waits_from: typing.Optional[dt.datetime] = None
    approved_at: typing.Optional[dt.datetime] = None
    ended_at: typing.Optional[dt.datetime] = None
    end_reason: typing.Optional[str] = None
    noticed_at: typing.Optional[dt.datetime] = None
    #: The instant of the grant that its people know.
    told_grants_at: typing.Optional[dt.datetime] = None
    grant_told: bool = False
    #: When an operator holds it, each with its end or None; what is known of notices that reached nobody.
    holds: list = dataclasses.field(default_factory=list)
    has_hold: bool = False
    lost_notice: typing.Optional[dt.datetime] = None
    delivered_notice: typing.Optional[dt.datetime] = None
    stalls: list = dataclasses.field(default_factory=list)
    was_entered: bool = False
    id: typing.Optional[str] = None

    @property
    def stall(self):
        """The newest."""
        return self.stalls[-1] if self.stalls else None


class Emergency:
    """A part of World. `rights` maps a nominee to a Right, `quorums` a vault to (required, nominees), `requests` has all that ever were."""

    def begin_emergencies(self):
        self.rights, self.quorums, self.requests = {}, {}, []
        #: The newest approval or rejection and the newest use of the app that counted, and the owners who have just missed a ping.
        self.answered_at, self.seen_at, self.recounts = {}, {}, set()

    # Rights (E01)

    def put_right(self, person, nominee, given):
        self.require_owner(person, nominee.vault)
        if nominee.status == "revoked":
            self.refuse("invalid_transition")
        days = given.after_missed_days
        if not (1 <= given.wait_hours <= 2160 and given.level in ("view", "edit") and 1 <= given.grant_hours <= 720):
            self.refuse("validation_failed")
        if days is not None and not 2 <= days <= 30 or not (given.on_request or days):
            self.refuse("validation_failed")
        if nominee.user in person.blocked:
            self.refuse("conflict")
        if nominee.status in ("accepted", "inactive"):
            # The owner sees who it is.
            nominee.bound_by_link = False
        old = self.rights.get(nominee)
        # Rejections count from the day on which the right was given, or given anew after three of them had ended it.
        given.given_at = old.given_at if old and old.ended_at is None else self.now
        given.updated_at = self.now
        given.visible_since = (old and old.visible_since or self.now) if given.visible else None
        self.rights[nominee] = given
        # Whoever gives a right is alive: no day before it counts.
        self.answered_at[person] = self.now
        self.return_to_quorum(nominee)
        return given.json()

    def remove_right(self, person, nominee):
        self.require_owner(person, nominee.vault)
        # A grant can outlive a right that was used up.
        self.end_requests_of(nominee, "right_ended")
        self.rights.pop(nominee, None)

    def awaits_owner(self, nominee):
        """A right sleeps while only a link says who the nominee is."""
        return nominee.bound_by_link and nominee in self.rights and self.rights[nominee].ended_at is None and nominee.status != "revoked"

    def carries_emergency(self, nominee):
        """Only the owner moves a nominee on whom emergency access hangs."""
        return nominee in self.rights or nominee in self.quorums.get(nominee.vault, (1, []))[1] or any(
            request.nominee is nominee and request.ended_at is None for request in self.requests
        )

    def end_rights_of_blocked(self, owner, person):
        """A block is a no, and ends the right until the owner gives it anew (E07)."""
        for vault in self.vaults:
            for nominee in vault.nominees if vault.owner is owner else ():
                if nominee.user is person and nominee.status != "revoked":
                    right = self.rights.get(nominee)
                    if right is not None and right.ended_at is None:
                        right.ended_at = right.updated_at = self.now
                    self.end_requests_of(nominee, "blocked")

    def right_seen(self, person, nominee):
        """What the owner reads, and what the nominee reads where the owner lets them see it."""
        role, _ = self.access(person, nominee.vault)
        right = self.rights.get(nominee)
        if role == "owner" and right is not None:
            return right.json()
        if role == "owner" or self.nominee_of(person, nominee.vault) is not nominee or right is None or not right.visible or right.ended_at or nominee.bound_by_link:
            self.refuse("not_found")
        return right.terms()

    # Quorum (E05)

    def put_quorum(self, person, vault, required, nominees):
        self.require_owner(person, vault)
        if not 2 <= required <= len(set(nominees)) or any(nominee.vault is not vault or nominee.status == "revoked" for nominee in nominees):
            self.refuse("validation_failed")
        self.quorums[vault] = (required, nominees)
        self.ease_quorum(vault, required, nominees)
        return self.quorum_seen(person, vault)

    def remove_quorum(self, person, vault):
        self.require_owner(person, vault)
        if self.quorums.pop(vault, None):
            self.ease_quorum(vault, 1, [])

    def ease_quorum(self, vault, required, nominees):
        """Open requests get a lower number, never a higher one. Who is not in the list needs nobody else."""
        eased = [
            request for request in self.requests
            if request.nominee.vault is vault and request.ended_at is None and request.cause == "request" and request.required > 1
        ]
        for request in eased:
            request.required = min(request.required, required) if request.nominee in nominees else 1
        for request in eased:
            if self.status(request) == "gathering" and request.required == 1:
                self.begin_wait(request, None)
        if eased:
            self.settle_quorum(vault)

    def return_to_quorum(self, nominee):
        """Somebody who was revoked, and whom the owner lets in again, has their place again."""
        required, members = self.quorums.get(nominee.vault, (1, []))
        if nominee.status in ("accepted", "inactive") and nominee.user is not None and nominee not in members:
            for n, member in enumerate(members):
                if member.status == "revoked" and member.user is nominee.user:
                    self.quorums[nominee.vault] = (required, [*members[:n], nominee, *members[n + 1:]])

    def quorum_seen(self, person, vault):
        self.require_owner(person, vault)
        if vault not in self.quorums:
            self.refuse("not_found")
        required, nominees = self.quorums[vault]
        return {"required": required, "nominees": [nominee.id for nominee in nominees]}

    def asked_together(self, vault):
        """Those who wait for one another."""
        return [request for request in self.open_requests(vault) if request.cause == "request" and request.required > 1]

    def count_asked(self, request):
        """Once the wait has begun, somebody whose grant has run out meanwhile still counts: they took nothing back."""
        vault = request.nominee.vault
        members = self.quorums[vault][1] if vault in self.quorums else None
        asked = [
            asked.nominee for asked in self.requests
            if asked.nominee.vault is vault and asked.cause == "request" and asked.required > 1
            and asked.nominee.status == "accepted" and (self.is_open(asked) or self.ran_out_during(asked, request))
        ]
        listed = {nominee.user for nominee in asked if members is None or nominee in members}
        others = {nominee.user for nominee in asked if members is not None and nominee not in members and self.empty_places(vault, nominee.bound_since)}
        return len(listed) + min(len(others - listed), self.empty_places(vault))

    def empty_places(self, vault, until=None):
        """How many members of the quorum have left. Their places stay in the list."""
        return sum(
            member.status == "revoked" and (until is None or member.revoked_at <= until) for member in self.quorums.get(vault, (1, []))[1]
        )

    def required_nominees(self, nominee):
        """Whoever came after a member had left may be that member under another account."""
        required, members = self.quorums.get(nominee.vault, (1, []))
        return required if nominee in members or self.empty_places(nominee.vault, nominee.bound_since) else 1

    def ran_out_during(self, asked, request):
        if request.waits_from is None or asked.end_reason not in (None, "expired") or asked.waits_from is None:
            return False
        return (asked.ended_at or self.over_at(asked)) > request.waits_from

    def settle_quorum(self, vault, by=None):
        """The wait begins when the last one needed has asked, and stops when too few are left."""
        for request in self.asked_together(vault):
            if request.waits_from is None and self.count_asked(request) >= request.required:
                self.begin_wait(request, by)
            elif self.status(request) == "waiting" and self.grants_at(request) > self.now and self.count_asked(request) < request.required:
                request.waits_from, request.stalls, request.stopped_at = None, [], self.now

    # Requests (E02)

    def status(self, request):
        """Computed from the instants, never stored."""
        if request.ended_at is not None:
            return {"rejected": "rejected", "owner_returned": "rejected", "blocked": "rejected", "withdrawn": "withdrawn"}.get(request.end_reason, "ended")
        if request.waits_from is None:
            return "gathering" if self.now < self.over_at(request) else "ended"
        if self.now < self.grants_at(request):
            return "waiting"
        if self.now >= self.ends_at(request):
            return "ended"
        # Whoever holds a granted request locks its nominee out; the grant ends when it would have.
        return "waiting" if self.is_held(request) else "granted"

    def over_at(self, request):
        """When it ends by itself: the grant runs out, or the quorum has not gathered in 30 days."""
        return self.ends_at(request) or (request.stopped_at or request.asked_at) + 30 * DAY

    def is_open(self, request):
        return self.status(request) in ("gathering", "waiting", "granted")

    def open_requests(self, vault):
        return [request for request in self.requests if request.nominee.vault is vault and self.is_open(request)]

    def open_requests_of(self, nominee):
        """At most one by which the nominee asked, and one of a silence."""
        return [request for request in self.requests if request.nominee is nominee and self.is_open(request)]

    def was_refused(self, request):
        """An owner who returns from a silence has not said no to anybody."""
        return request.end_reason == "rejected" or request.end_reason == "owner_returned" and request.cause == "request"

    def knows(self, request):
        """Whether the nominee may know of it: not of a wait that a silence has begun, unless the owner shows the right, before the grant."""
        at = request.ended_at or self.now
        right = self.rights.get(request.nominee)
        return (
            request.cause == "request" or right is not None and right.visible and (request.ended_at is None or request.ended_at > right.visible_since)
            or request.waits_from is not None and self.grants_at(request, at) <= at
        )

    def knows_of_end(self, request):
        """E09: whoever was told of it, before the owner hid the right, is told of its end."""
        return self.knows(request) or any(told.data.get("request_id") is request for told in request.nominee.user.told if told.at >= request.asked_at)

    def ask(self, person, vault, reason):
        if self.access(person, vault)[0] == "owner":
            self.refuse("forbidden")
        nominee = self.nominee_of(person, vault)
        right = self.rights.get(nominee)
        if right is None or right.ended_at or not right.on_request or person in vault.owner.blocked:
            self.refuse("forbidden")
        if nominee.bound_by_link:
            # The invitation has shown a visible one.
            self.refuse("nominee_pending" if right.visible and vault.owner not in person.blocked else "forbidden")
        mine = [request for request in self.requests if request.nominee is nominee]
        if any(self.was_refused(request) and self.knows(request) and request.ended_at > self.now - DAY for request in mine):
            self.refuse("too_many_requests")
        if sum(request.cause == "request" and request.asked_at > self.now - DAY for request in mine) >= 3:
            self.refuse("too_many_requests")
        withdrawn = sorted((request.ended_at for request in mine if request.end_reason == "withdrawn"), reverse=True)
        if len(withdrawn) >= 5 and withdrawn[4] > self.now - 30 * DAY:
            self.refuse("too_many_requests")
        if any(self.knows(request) for request in self.open_requests_of(nominee)):
            self.refuse("invalid_transition")
        self.note_ends(nominee)
        request = Request(nominee, vault.owner, "request", dataclasses.replace(right), self.required_nominees(nominee), self.now, reason)
        self.requests.append(request)
        if request.required == 1:
            self.begin_wait(request, person)
        else:
            self.settle_quorum(vault, person)
            if request.waits_from is None:
                first = self.first_grant(request)
                then = "The wait begins when more of your nominees ask." if first is None else f"They get in on {local_text(first, request.owner.zone)} unless you say no."
                self.tell_owner_of(request, "emergency_requested", f"{nominee.name} asks for emergency access to {vault.name}. {then}")
        return request

    def note_ends(self, nominee):
        """What was over earlier ended then. A quorum that was not reached is told."""
        for request in self.requests:
            if request.nominee is nominee and request.ended_at is None and self.status(request) == "ended":
                request.ended_at, request.end_reason = self.over_at(request), "expired" if request.waits_from else "quorum_not_reached"
                if request.waits_from is None:
                    name = nominee.vault.name
                    self.tell_owner_of(
                        request, "emergency_rejected",
                        f"{nominee.name} no longer asks for emergency access to {name}: not enough of your nominees asked within 30 days.",
                    )
                    self.tell_nominee_of(
                        request, "emergency_rejected",
                        f"Your request for emergency access to {name} has ended, because not enough nominees asked within 30 days.",
                    )

    def first_grant(self, request):
        """When the nominee gets in first, by this request or by their other one: the owner is told no later instant."""
        others = [self.grants_at(other) for other in self.requests if other.nominee is request.nominee and other is not request and other.ended_at is None]
        return min([at for at in [self.grants_at(request), *(at for at in others if at and at > self.now)] if at], default=None)

    def begin_wait(self, request, by=None):
        """`by` has the answer to their own call, and needs no notice."""
        request.waits_from = request.noticed_at = self.now
        request.lost_notice = None
        request.told_grants_at = self.grants_at(request)
        self.tell_owner_of(request, "emergency_requested", self.asks_text(request, request.missed_days))
        if request.nominee.user is not by and self.knows(request):
            self.tell_nominee_of(request, "emergency_requested", self.gets_in_text(request))

    def held_request(self, person, request, role):
        self.access(person, request.nominee.vault)
        if person not in (request.owner, request.nominee.user) or person is not request.owner and not self.knows(request):
            self.refuse("not_found")
        if (person is request.owner) != (role == "owner"):
            self.refuse("forbidden")
        if self.access(person, request.nominee.vault)[0] != role:
            self.refuse("not_found")
        if role == "nominee" and self.nominee_of(person, request.nominee.vault) is not request.nominee:
            self.refuse("not_found")

    def approve(self, person, request):
        self.held_request(person, request, "owner")
        if not self.is_open(request) or self.is_held(request):
            self.refuse("invalid_transition")
        if self.status(request) != "granted":
            self.answered_at[person] = self.now
            request.waits_from = request.waits_from or self.now
            request.approved_at, request.grant_told, request.stalls = self.now, True, []
            self.tell_nominee_of(request, "emergency_approved", self.can_enter_text(request))
            for other in self.open_requests_of(request.nominee):
                if request.cause == "request" and other.cause == "silence" and self.status(other) == "waiting":
                    self.end_request(other, "owner_returned")
        return request

    def reject(self, person, request):
        """At any time, also after the grant, which ends at this instant. The third in 30 days ends the right."""
        self.held_request(person, request, "owner")
        if self.is_open(request):
            self.answered_at[person] = self.now
            # One no is one rejection. It ends the silence, too.
            both = sorted(self.open_requests_of(request.nominee), key=lambda other: other.cause == "silence")
            for other in both:
                self.end_request(other, "owner_returned" if other.cause == "silence" and both[0].cause == "request" else "rejected")
            self.tell_of_stops(request.nominee.vault)
        elif self.status(request) != "rejected":
            self.refuse("invalid_transition")
        return request

    def withdraw(self, person, request):
        self.held_request(person, request, "nominee")
        if self.is_open(request):
            self.end_request(request, "withdrawn")
            self.tell_of_stops(request.nominee.vault)
        elif self.status(request) != "withdrawn":
            self.refuse("invalid_transition")
        return request

    def request_seen(self, person, request):
        self.access(person, request.nominee.vault)
        if not self.sees(person, request):
            self.refuse("not_found")
        return self.request_json(person, request)

    def sees(self, person, request):
        nominee, vault = request.nominee, request.nominee.vault
        if vault.owner is person:
            return request.owner is person
        return nominee.user is person and nominee.status == "accepted" and self.knows(request)

    # What ends it (E03, E07)

    def end_request(self, request, reason):
        nominee, vault = request.nominee, request.nominee.vault
        if self.status(request) == "ended":
            self.note_ends(nominee)
            return
        request.ended_at, request.end_reason = self.now, reason
        if nominee.session is not None and nominee.session.request is request and nominee.session.locked_at is None:
            nominee.session.locked_at = min(self.now, nominee.session.expires_at)
        if reason in ("rejected", "owner_returned", "right_ended", "blocked") and self.knows_of_end(request) and not self.hears_end(request):
            self.tell_nominee_of(
                request, "emergency_rejected",
                f"{request.owner.name} is safe. Your emergency access to {vault.name} has ended."
                if reason == "owner_returned"
                else f"{request.owner.name} said no to your emergency access to {vault.name}.",
            )
        elif reason == "withdrawn":
            self.tell_owner_of(request, "emergency_rejected", f"{nominee.name} no longer asks for emergency access to {vault.name}.")
            # Or the owner would take it for the end of both.
            for other in self.open_requests_of(nominee):
                if self.status(other) == "waiting" and not self.stands_still(other):
                    self.tell_owner_of(other, "emergency_reminder", self.reminder_text(other))
        elif reason == "left":
            self.tell_owner_of(request, "emergency_rejected", f"{nominee.name}'s emergency access to {vault.name} has ended.")
        elif reason in ("vault_deleted", "transferred") and self.knows_of_end(request):
            self.tell_nominee_of(request, "emergency_rejected", f"Your emergency access to {vault.name} has ended.")
        right = self.rights.get(nominee)
        if reason in ("rejected", "owner_returned") and right is not None and right.ended_at is None:
            refused = [
                other for other in self.requests
                if other.nominee is nominee and other.owner is request.owner and self.was_refused(other) and self.knows(other)
                and other.ended_at > self.now - 30 * DAY and other.asked_at >= right.given_at
            ]
            if len(refused) >= 3:
                right.ended_at = right.updated_at = self.now
        if request.required > 1:
            self.settle_quorum(vault)

    def hears_end(self, request):
        """E09: their other request has just ended, or was approved, by the same act."""
        return any(
            self.was_told(request.nominee.user, type, self.now, nominee_id=request.nominee.id, detail=None)
            for type in ("emergency_rejected", "emergency_approved")
        )

    def end_requests_of(self, nominee, reason):
        """The ends of one nominee's requests, and the waits that stop with them."""
        mine = [request for request in self.requests if request.nominee is nominee and request.ended_at is None]
        self.end_requests(lambda request: request in mine, reason)
        # A grant that has run out had a voice, too.
        self.settle_quorum(nominee.vault)
        self.tell_of_stops(nominee.vault)

    def tell_of_stops(self, vault):
        for request in self.requests:
            if request.nominee.vault is vault and request.ended_at is None and request.waits_from is None and request.stopped_at is not None and request.stopped_at >= self.now:
                self.tell_owner_of(
                    request, "emergency_rejected",
                    f"{request.nominee.name}'s wait for emergency access to {vault.name} has stopped. It begins anew when enough of your nominees ask.", "stopped",
                )
                self.tell_nominee_of(
                    request, "emergency_rejected",
                    f"Your wait for emergency access to {vault.name} has stopped, because another nominee no longer asks. It begins anew when enough do.", "stopped",
                )

    def end_requests(self, which, reason):
        for request in list(self.requests):
            if request.ended_at is None and which(request):
                self.end_request(request, reason)

    def owner_checks_in(self, owner):
        """A check-in ends what waits and what was granted, where the owner chose so; else the owner is asked, unless they have just been told."""
        vaults = {request.nominee.vault for request in self.requests if request.owner is owner and request.ended_at is None}
        for request in list(self.requests):
            if request.owner is not owner or request.ended_at is not None:
                continue
            if request.right.reject_on_check_in:
                self.end_request(request, "owner_returned")
            elif self.status(request) in ("waiting", "granted") and request.noticed_at <= self.now - 10 * MINUTE:
                request.noticed_at = self.now
                if self.status(request) == "granted":
                    self.tell_owner_of(request, "emergency_opened", self.stays_text(request, "can enter {} now"))
                else:
                    self.tell_owner_of(request, "emergency_reminder", self.reminder_text(request))
        for vault in vaults:
            self.tell_of_stops(vault)

    def owner_is_seen(self, owner):
        """Any signed-in use, where that counts as a sign of life. It is noted once a minute."""
        rights = any(nominee.vault.owner is owner and right.sign_of_life == "any_use" and not right.ended_at for nominee, right in self.rights.items())
        mine = [request for request in self.requests if request.owner is owner and request.ended_at is None and request.right.sign_of_life == "any_use"]
        if not rights and not mine or owner in self.seen_at and self.seen_at[owner] > self.now - MINUTE:
            return
        self.end_requests(lambda request: request in mine and request.right.reject_on_check_in, "owner_returned")
        for vault in {request.nominee.vault for request in mine}:
            self.tell_of_stops(vault)
        self.seen_at[owner] = self.now

    def end_rights_of_vault(self, vault, reason):
        self.end_requests(lambda request: request.nominee.vault is vault, reason)
        self.quorums.pop(vault, None)
        for nominee in vault.nominees:
            self.rights.pop(nominee, None)

    # The grant (E04)

    def emergency_session(self, nominee):
        """The open session of a nominee's own."""
        session = nominee.session if nominee is not None else None
        return session if session is not None and session.locked_at is None and session.expires_at > self.now else None

    def entry(self, nominee):
        """The request by which a nominee gets in: the one that grants, or else the one that grants first."""
        known = [request for request in self.requests if request.nominee is nominee and request.ended_at is None and self.knows(request)]
        return min(
            known, default=None,
            key=lambda request: (self.status(request) != "granted", self.over_at(request) <= self.now, request.waits_from is None, self.grants_at(request) or self.now),
        )

    def may_enter_emergency(self, person, vault):
        """On time to the second at this access, whether or not a worker runs. The end of the session that it would be."""
        if self.access(person, vault)[0] == "owner":
            self.refuse("forbidden")
        nominee = self.nominee_of(person, vault)
        request = self.entry(nominee)
        if request is None or self.status(request) == "ended":
            self.refuse("forbidden")
        if self.status(request) != "granted":
            self.refuse("vault_locked")
        return {"kind": "emergency", "request_id": request.id, "expires_at": text(self.ends_at(request)), "vault_id": vault.id}

    def enter_emergency(self, person, vault):
        from vaults import Session

        self.may_enter_emergency(person, vault)
        nominee = self.nominee_of(person, vault)
        request, session = self.entry(nominee), self.emergency_session(nominee)
        if session is None or session.request is not request:
            if session is not None:
                session.locked_at = self.now
            nominee.session = Session(person, self.now, self.ends_at(request), self.ends_at(request), self.now, [person], request=request)
            nominee.last_active_at = self.now
            if not request.was_entered:
                self.tell_owner_of(request, "emergency_opened", self.stays_text(request, "has entered {}"))
            request.was_entered = True
        return nominee.session

    # Telling (E02, E10)

    def tell_owner_of(self, request, type, body, detail=None):
        self.tell_of_request(request.owner, request, type, body, "owner", detail)

    def tell_nominee_of(self, request, type, body, detail=None):
        if request.cause != "silence" or request.owner not in request.nominee.user.blocked:
            self.tell_of_request(request.nominee.user, request, type, body, "nominee", detail)

    def tell_of_request(self, person, request, type, body, to, detail):
        vault = request.nominee.vault
        self.tell(
            person, type, "Emergency Access", body,
            {"vault_id": vault.id, "request_id": request, "nominee_id": request.nominee.id, "to": to, "user_id": (request.nominee.user if to == "owner" else request.owner).id} | ({"detail": detail} if detail else {}),
        )

    def asks_text(self, request, missed_days=None, has_moved=False):
        """What the owner is told of a wait: at its beginning, and when its end has moved."""
        nominee, vault, at = request.nominee.name, request.nominee.vault.name, local_text(self.first_grant(request), request.owner.zone)
        if has_moved or request.cause == "silence" and not missed_days:
            return f"{nominee}'s emergency access to {vault} moves to {at}."
        if request.cause == "request":
            return f"{nominee} asks for emergency access to {vault}. They get in on {at} unless you say no."
        return f"You have not checked in for {missed_days} days. {nominee} gets into {vault} on {at} unless you {'check in' if request.right.reject_on_check_in else 'say no'}."

    def gets_in_text(self, request, has_moved=False):
        at = local_text(self.grants_at(request), request.nominee.user.zone)
        if has_moved:
            return f"Your emergency access to {request.nominee.vault.name} moves to {at}."
        return f"You get into {request.nominee.vault.name} on {at} unless {request.owner.name} says no."

    def can_enter_text(self, request):
        return f"You can enter {request.nominee.vault.name} now, until {local_text(self.ends_at(request), request.nominee.user.zone)}."

    def stays_text(self, request, does):
        what = does.format(request.nominee.vault.name)
        return f"{request.nominee.name} {what} and can stay until {local_text(self.ends_at(request), request.owner.zone)}. Say no to end it."

    def reminder_text(self, request):
        left = time_left_text(self.first_grant(request) - self.now)
        return f"{request.nominee.name} gets into {request.nominee.vault.name} in {left}. {'Check in or say' if request.right.reject_on_check_in else 'Say'} no to stop it."

    def notice_instants(self, request):
        """E02: weekly, then 2 days, 1 day and 1 hour before; a weekly one within 12 hours of one of the three is left out."""
        grants_at = self.grants_at(request)
        late = [grants_at - before for before in LATE_NOTICES if grants_at - before > request.waits_from]
        weekly, at = [], request.waits_from + 7 * DAY
        while at < grants_at:
            if all(abs(at - other) >= 12 * HOUR for other in late):
                weekly.append(at)
            at += 7 * DAY
        return sorted([*weekly, *late])

    def tell_emergencies(self):
        """The worker: the new instant of a wait that goes on; one reminder, however many instants it has missed; then the grant, and its end."""
        self.tell_after_outage()
        self.find_stalls()
        for request in self.requests:
            if request.ended_at is None:
                self.note_end_of_hold(request)
            if request.ended_at is None and request.waits_from is None and self.status(request) == "ended":
                self.note_ends(request.nominee)
            elif request.ended_at is None and request.waits_from is not None:
                self.look_after_stall(request)
                # A notice that has arrived is found at the next look.
                if request.stall is None or request.stall.is_over or self.ends_at(request) <= self.now:
                    self.advance(request)

    def advance(self, request):
        grants_at = self.grants_at(request)
        if self.ends_at(request) <= self.now:
            self.note_ends(request.nominee)
        elif self.stands_still(request):
            return
        elif grants_at > self.now:
            if any(request.noticed_at + SECOND < at <= self.now for at in self.notice_instants(request)):
                request.noticed_at = self.now
                self.tell_owner_of(request, "emergency_reminder", self.reminder_text(request))
        elif not request.grant_told:
            request.grant_told = True
            if not request.was_entered:
                request.noticed_at = self.now
                self.tell_nominee_of(request, "emergency_opened", self.can_enter_text(request))
                since = local_text(grants_at, request.owner.zone)
                does = f"has been able to enter {{}} since {since}" if self.now > grants_at + 10 * MINUTE else "can enter {} now"
                self.tell_owner_of(request, "emergency_opened", self.stays_text(request, does))

    def emergency_instants(self):
        for request in self.requests:
            if request.ended_at is None:
                yield from (until for _, until in request.holds if until)
            if request.ended_at is None and request.waits_from is None:
                yield self.over_at(request)
            elif request.ended_at is None:
                yield from self.notice_instants(request)
                yield self.grants_at(request)
                yield self.ends_at(request)
        for outage in self.outages:
            yield outage.ended_at + AFTER_OUTAGE

    # Silence (E03)

    def signs(self, owner, sign_of_life):
        return [owner.sender.last_check_in_at, self.answered_at.get(owner), self.seen_at.get(owner) if sign_of_life == "any_use" else None]

    def silence(self, owner, sign_of_life):
        """How many local days in a row, newest first, the owner has missed every ping that counts since the last sign of life; and the newest deadline."""
        since = max((at for at in self.signs(owner, sign_of_life) if at), default=None)
        days = {}
        for connection in self.connections:
            for ping in connection.pings.values() if connection.sender is owner else ():
                if ping.status != "cancelled" and (since is None or ping.deadline_at > since):
                    days.setdefault(ping.date, []).append(ping)
        count, newest = 0, None
        for date in sorted(days, reverse=True):
            statuses = {ping.status for ping in days[date]}
            if statuses & {"completed", "completed_late"}:
                break
            first, last = min(ping.scheduled_at for ping in days[date]), max(ping.deadline_at for ping in days[date])
            was_asked = any(ping.asked_at and not ping.judge_at for ping in days[date])
            if statuses == {"missed"} and was_asked and not self.was_unreachable(owner.tenant, first, last):
                count += 1
                newest = max([ping.deadline_at for ping in days[date]] + ([newest] if newest else []))
        return min(count, 40), newest

    def note_misses(self, pings):
        for owner in {ping.connection.sender for ping in pings if ping.status == "missed"}:
            if any(nominee.vault.owner is owner and right.after_missed_days and not right.ended_at for nominee, right in self.rights.items()):
                self.recounts.add(owner)

    def begin_emergency_waits(self):
        """The worker, after a miss: where the silence is long enough, the wait begins by itself. After an end it takes a new missed day."""
        if self.is_outage():
            return
        for nominee, right in list(self.rights.items()):
            owner = nominee.vault.owner
            if owner not in self.recounts or owner.profile("sender") is None or self.is_suspended(owner.tenant) or nominee.vault.deleted_at or nominee.status != "accepted":
                continue
            if nominee.bound_by_link or nominee.user in owner.blocked:
                continue
            if right.ended_at or right.after_missed_days is None:
                continue
            if any(self.status(request) in ("waiting", "granted") for request in self.open_requests_of(nominee)):
                continue
            # A change of zone makes dates pass faster, but not days.
            sign = max((at for at in self.signs(owner, right.sign_of_life) if at), default=None)
            if sign is not None and sign >= self.now - (right.after_missed_days - 1) * DAY + 2 * HOUR:
                continue
            days, newest = self.silence(owner, right.sign_of_life)
            ended_at = max((past.ended_at or self.over_at(past) for past in self.requests if past.nominee is nominee and not self.is_open(past)), default=None)
            if days < right.after_missed_days or ended_at is not None and newest <= ended_at:
                continue
            self.note_ends(nominee)
            # Whoever has asked and waits for others goes on waiting for them.
            self.requests.append(Request(nominee, owner, "silence", dataclasses.replace(right), 1, self.now, missed_days=days))
            self.begin_wait(self.requests[-1])
        self.recounts.clear()

    # What a person sees

    def request_json(self, person, request):
        status, is_owner = self.status(request), person is request.owner
        asked = {request.nominee.id} if request.cause == "request" else set()
        if is_owner and request.required > 1 and request.ended_at is None:
            asked |= {other.nominee.id for other in self.requests if other.nominee.vault is request.nominee.vault and other.ended_at is None and other.cause == "request" and other.required > 1}
        return {
            "id": request.id,
            "vault_id": request.nominee.vault.id,
            "nominee_id": request.nominee.id,
            "nominee": {"id": request.nominee.id, "display_name": request.nominee.name},
            "cause": request.cause,
            "status": status,
            "reason": request.reason,
            "missed_days": request.missed_days if is_owner else None,
            "access_level": request.right.level,
            "requested_at": text(request.asked_at),
            "grants_at": text(self.grants_at(request)),
            "ends_at": text(self.ends_at(request)),
            "asked": [{"id": id} for id in sorted(asked)],
            "required": request.required,
            "held": request.ended_at is None and self.is_held(request),
            "held_until": text(request.holds[-1][1]) if request.ended_at is None and self.is_held(request) else None,
            "ended_at": text(request.ended_at or (self.over_at(request) if status == "ended" else None)),
        }

    def requests_of(self, person, which):
        shown = [request for request in self.requests if which(request)]
        return [self.request_json(person, request) for request in sorted(shown, key=lambda request: request.id, reverse=True)]

    def requests_seen(self, person, vault, status=None):
        role, _ = self.access(person, vault)
        nominee = self.nominee_of(person, vault)
        return {"items": self.requests_of(person, lambda request: request.nominee.vault is vault and (status is None or self.status(request) == status) and (
            request.owner is person if role == "owner" else request.nominee is nominee and self.knows(request)
        ))}

    def my_emergency(self, person):
        def is_recent(request):
            return request.ended_at is None or request.ended_at > self.now - 30 * DAY

        own = [nominee for vault in self.vaults if vault.owner is person and vault.deleted_at is None for nominee in vault.nominees if nominee in self.rights]
        theirs = [
            nominee for vault in self.vaults if vault.deleted_at is None for nominee in vault.nominees
            if nominee.user is person and nominee.status == "accepted" and nominee in self.rights
            and self.rights[nominee].visible and not self.rights[nominee].ended_at and not nominee.bound_by_link
        ]
        return {
            "as_owner": {
                "rights": [{"nominee_id": nominee.id, "vault": {"id": nominee.vault.id, "name": nominee.vault.name}} | self.rights[nominee].json() for nominee in own],
                "requests": self.requests_of(person, lambda request: request.owner is person and request.nominee.vault.owner is person and is_recent(request)),
            },
            "as_nominee": {
                "rights": [
                    {"nominee_id": nominee.id, "vault": {"id": nominee.vault.id, "name": nominee.vault.name}, "owner": {"id": nominee.vault.owner.id}} | self.rights[nominee].terms()
                    for nominee in theirs
                ],
                "requests": self.requests_of(
                    person, lambda request: request.nominee.user is person and request.nominee.status != "revoked" and is_recent(request) and self.knows(request)
                ),
            },
        }


def local_text(at, zone):
    """An instant as a notification names it (E10): 14 March 2027, 08:30."""
    local = at.astimezone(zoneinfo.ZoneInfo(zone))
    return f"{local.day} {local:%B %Y, %H:%M}"


def time_left_text(left):
    """12 days, 2 days, 30 hours, 1 day, 1 hour, 10 minutes."""
    minutes = math.ceil(left / MINUTE)
    if minutes >= 2850 or 1410 <= minutes <= 1470:
        n, unit = math.floor(minutes / 1440 + 0.5), "day"
    elif minutes >= 55:
        n, unit = math.floor(minutes / 60 + 0.5), "hour"
    else:
        n, unit = max(minutes, 1), "minute"
    return f"{n} {unit}{'' if n == 1 else 's'}"
