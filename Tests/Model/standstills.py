"""The model of what makes a wait for emergency access longer (E06): outages, suspensions, holds, and notices that reach nobody.

A wait is over when it has run for its hours. It does not run while the servers are down, the tenant is suspended, an operator holds the
request, or no notice reaches the owner. When it is over follows from these times alone, at each instant.
"""

import dataclasses
import datetime as dt
import typing

from times import DAY, HOUR, MINUTE


@dataclasses.dataclass(eq=False)
class Outage:
    began_at: dt.datetime
    ended_at: dt.datetime
    senders_told: bool = False
    owners_told: bool = False


@dataclasses.dataclass(eq=False)
class Stall:
    """A notice to the owner was lost. The wait stands still from it on, until one is delivered, but all stalls together no longer than the wait itself."""

    began_at: dt.datetime
    latest_end: dt.datetime
    #: When the worker looks next whether a notice has been delivered; None while it does not look.
    look_at: typing.Optional[dt.datetime]
    delivered_at: typing.Optional[dt.datetime] = None
    is_over: bool = False


def union(spans):
    """Spans of time in order, without overlaps."""
    merged = []
    for began, ended in sorted(spans):
        if merged and began <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], ended)
        else:
            merged.append([began, ended])
    return merged


def length(spans):
    return sum((ended - began for began, ended in union(spans)), dt.timedelta(0))


def within(spans, first, last):
    """The parts between two instants; a span without an end lasts."""
    cut = [(max(began, first), min(ended or last, last)) for began, ended in spans]
    return [(began, ended) for began, ended in cut if began < ended]


class Standstills:
    """A part of World. `outages` are those of the servers, `suspensions` those of the first tenant, as pairs of instants."""

    def begin_standstills(self):
        self.outages, self.suspensions, self.down_since = [], [], None

    # The servers

    def stop_servers(self):
        self.down_since = self.now

    def is_outage(self):
        """Less than a minute without a heartbeat is none."""
        return self.down_since is not None and self.now - self.down_since > MINUTE

    def return_servers(self):
        if self.is_outage():
            self.outages.append(Outage(self.down_since, self.now))
        self.down_since = None

    def outage_spans(self):
        return [(outage.began_at, outage.ended_at) for outage in self.outages] + ([(self.down_since, None)] if self.is_outage() else [])

    def tell_after_outage(self):
        """The worker, once the servers are back: the people of each wait that has become longer."""
        new = [outage for outage in self.outages if not outage.owners_told]
        if new and not self.is_outage():
            for outage in new:
                outage.owners_told = True
            for request in self.requests:
                if request.waits_from is not None and request.waits_from < new[-1].ended_at:
                    self.tell_of_move(request)

    def was_unreachable(self, tenant, first, last):
        """Whether nobody could check in at some time between the two instants."""
        return bool(within(self.outage_spans() + (self.suspensions if tenant == "acme" else []), first, last))

    # The tenant

    def is_suspended(self, tenant="acme"):
        return tenant == "acme" and bool(self.suspensions) and self.suspensions[-1][1] is None

    def suspend(self):
        if self.is_suspended():
            self.refuse("invalid_transition")
        self.suspensions.append((self.now, None))

    def resume_tenant(self):
        if not self.is_suspended():
            self.refuse("invalid_transition")
        self.suspensions[-1] = (self.suspensions[-1][0], self.now)
        for request in self.requests:
            if request.owner.tenant == "acme":
                self.tell_of_move(request)

    # The operator's hold

    def is_held(self, request, at=None):
        at = at or self.now
        return any(began <= at and (until is None or at < until) for began, until in request.holds)

    def hold(self, request, until):
        if until is not None and until <= self.now:
            self.refuse("validation_failed")
        if not self.is_open(request) or self.is_held(request):
            self.refuse("invalid_transition")
        for held in self.open_requests_of(request.nominee):
            if not self.is_held(held):
                self.hold_one(held, until)

    def hold_one(self, request, until):
        self.note_end_of_hold(request)
        request.holds.append((self.now, until))
        request.has_hold = True
        session = request.nominee.session
        if session is not None and session.request is request and session.locked_at is None:
            session.locked_at = min(self.now, session.expires_at)

    def release(self, request):
        if not self.is_open(request) or not self.is_held(request):
            self.refuse("invalid_transition")
        for held in self.open_requests_of(request.nominee):
            if self.is_held(held):
                held.holds[-1], held.has_hold = (held.holds[-1][0], self.now), False
                self.tell_of_move(held)
        return self.grants_at(request)

    def note_end_of_hold(self, request):
        """A hold that has run out, which nobody has told of yet."""
        if request.has_hold and not self.is_held(request):
            request.has_hold = False
            self.tell_of_move(request)

    # Notices that reach nobody

    def lose_notice(self, request):
        """All channels have failed for the owner's newest notice."""
        if request.delivered_notice != request.noticed_at:
            request.lost_notice = request.noticed_at

    def deliver_notice(self, request):
        """The newest one gets through after all."""
        request.lost_notice, request.delivered_notice = None, request.noticed_at
        if request.stall and request.stall.delivered_at is None:
            request.stall.delivered_at = self.now

    def stall_span(self, stall):
        return stall.began_at, min(stall.delivered_at or stall.latest_end, stall.latest_end)

    def find_stalls(self):
        """The worker: the time since a lost notice does not count, if that is still the newest notice. In all it is no longer than the wait."""
        for request in self.requests:
            lost = request.lost_notice is not None and request.lost_notice == request.noticed_at
            left = request.right.wait_hours * HOUR - sum((ended - began for began, ended in map(self.stall_span, request.stalls)), dt.timedelta(0))
            stands = request.stall is not None and not request.stall.is_over
            if lost and self.status(request) == "waiting" and self.grants_at(request) > self.now and not stands and left > dt.timedelta(0):
                began = max(request.noticed_at, request.waits_from)
                request.stalls.append(Stall(began, began + left, self.now + 5 * MINUTE))

    def look_after_stall(self, request):
        """The worker, every five minutes: the owner is told again each day, and the wait goes on once a notice has arrived."""
        stall = request.stall
        if stall is None or stall.is_over or stall.look_at is None or stall.look_at > self.now:
            return
        if self.stall_span(stall)[1] <= self.now:
            self.tell_of_move(request)
            return
        if request.noticed_at <= self.now - DAY:
            request.noticed_at = self.now
            self.tell_owner_of(request, "emergency_requested", self.asks_text(request))
        stall.look_at = request.holds[-1][1] if self.is_held(request) else self.now + 5 * MINUTE

    # When a wait is over

    def stops(self, request):
        """When the wait of a request did not run, as far as is known now."""
        spans = self.outage_spans() + list(request.holds)
        if request.owner.tenant == "acme":
            spans += self.suspensions
        return spans + [self.stall_span(stall) for stall in request.stalls]

    def grants_at(self, request, at=None):
        """When a wait has run for its hours, if nothing more stops it after `at`. One that stands still then has its rest before it."""
        if request.waits_from is None or request.approved_at is not None:
            return request.approved_at
        at = min(at or self.now, request.ended_at or self.now)
        instant, left = request.waits_from, request.right.wait_hours * HOUR
        for began, ended in union(within(self.stops(request), request.waits_from, at)):
            if began >= instant + left:
                break
            instant, left = ended, left - (began - instant)
        return instant + left

    def ends_at(self, request, at=None):
        grants_at = self.grants_at(request, at)
        return grants_at and grants_at + request.right.grant_hours * HOUR

    def stands_still(self, request):
        return any(
            began <= self.now and (ended is None or ended > self.now) and (began < self.grants_at(request) or self.is_held(request))
            for began, ended in self.stops(request)
        )

    def tell_of_move(self, request):
        """Once a wait goes on, its people are told when it is over now."""
        if request.ended_at is not None or request.waits_from is None:
            return
        grants_at, stall = self.grants_at(request), request.stall
        if stall is not None and self.stall_span(stall)[1] <= self.now:
            stall.is_over = True
        if self.stands_still(request):
            if stall is not None and not stall.is_over:
                stall.look_at = self.now
        elif grants_at > max(self.now, request.told_grants_at):
            # In the first minute of an outage, which nobody knows of yet, the worker may have told of a grant.
            request.told_grants_at, request.noticed_at, request.grant_told = grants_at, self.now, False
            self.tell_owner_of(request, "emergency_requested", self.asks_text(request, has_moved=True), "moved")
            if self.knows(request):
                self.tell_nominee_of(request, "emergency_requested", self.gets_in_text(request, has_moved=True), "moved")
