"""The model of profiles, pings, check-ins, breaks and the worker that moves them (section C of docs/product.md)."""

import dataclasses
import datetime as dt
import math
import typing

from times import DAY, HOUR, MINUTE, SECOND, UTC, day_begins_at, local_date, local_instant, midnight, text

OPEN = ("scheduled", "due")
RANK = {"missed": 0, "due": 1, "scheduled": 2, "completed_late": 3, "completed": 4}


@dataclasses.dataclass(eq=False)
class Ping:
    connection: object
    date: dt.date
    status: str
    scheduled_at: dt.datetime
    remind_at: typing.Optional[dt.datetime]
    deadline_at: dt.datetime
    completed_at: typing.Optional[dt.datetime] = None
    note: typing.Optional[str] = None

    def json(self):
        return {
            "connection_id": self.connection.id,
            "date": self.date.isoformat(),
            "status": self.status,
            "scheduled_at": text(self.scheduled_at),
            "deadline_at": text(self.deadline_at),
            "completed_at": text(self.completed_at),
            "note": self.note,
        }

    def about(self):
        return {"connection_id": self.connection.id, "date": self.date.isoformat()}


@dataclasses.dataclass(eq=False)
class Break:
    from_on: dt.date
    until_on: dt.date
    starts_at: dt.datetime
    ends_at: dt.datetime
    told_until: typing.Optional[dt.date] = None


def a_year_after(date):
    """The same day of the next year; 28 February after a leap day."""
    try:
        return date.replace(year=date.year + 1)
    except ValueError:
        return date.replace(year=date.year + 1, day=28)


def is_within(date, first, last):
    return first is not None and first <= date <= last


class Pings:
    # Profiles

    def local_date_of(self, sender):
        return local_date(self.now, sender.sender.zone)

    def put_sender_profile(self, person, zone, time, grace, reminder):
        from world import SenderProfile

        if not 5 <= grace <= 719 or not 1 <= reminder < grace:
            self.refuse("validation_failed")
        is_back = person.profile("sender") is None
        back = self.reopen_profile(person, "sender")
        # Days before somebody is a sender again do not count as missed in a row with those after.
        if is_back and person in self.answered_at:
            self.answered_at[person] = self.now
        old = person.sender
        new = (zone, time, grace, reminder)
        if old is None:
            person.sender = SenderProfile(*new, self.now, self.now, self.now)
            is_new = True
        else:
            is_new = (old.zone, old.time, old.grace, old.reminder) != new
            if (old.zone, old.time, old.grace) != new[:3]:
                old.timed_at = self.now
            old.zone, old.time, old.grace, old.reminder = new
            old.updated_at, old.ended_at = self.now, None
        if is_new or back is not None:
            self.plan_run(person, zone)
            self.retime(person)
        return back or []

    def put_receiver_profile(self, person):
        from world import ReceiverProfile

        back = self.reopen_profile(person, "receiver")
        if person.receiver is None:
            person.receiver = ReceiverProfile(self.now, self.now)
        return back or []

    def end_profile(self, person, role):
        profile = person.profile(role)
        if profile is None:
            self.refuse("not_found")
        for code in self.codes:
            if code.owner is person and code.role == role and code.is_live(self.now):
                code.rotated_at = self.now
        profile.ended_at = self.now
        if role == "sender":
            profile.last_note, profile.updated_at = None, self.now
        for connection in self.connections_of(person, role):
            status = connection.status
            self.remove(person, connection)
            connection.resting_status = status

    def reopen_profile(self, person, role):
        """The connections that come back with an ended profile (P39); None if it has not ended."""
        profile = person.sender if role == "sender" else person.receiver
        if profile is None or profile.ended_at is None:
            return None
        ended_at, profile.ended_at = profile.ended_at, None
        resting = [
            known for known in self.connections
            if known.resting_status and person is (known.sender if role == "sender" else known.receiver)
        ]
        if ended_at > self.now - 30 * DAY:
            for code in self.codes:
                if code.owner is person and code.role == role and code.rotated_at == ended_at:
                    code.rotated_at = None
            return resting
        for connection in resting:
            connection.resting_status = None
        if role == "sender":
            person.sender.break_from = person.sender.break_until = person.open_break = None
        return []

    def return_connections(self, person, resting):
        for connection in resting:
            if (
                connection.receiver.profile("receiver") and connection.sender.profile("sender")
                and connection.sender not in connection.receiver.blocked and connection.receiver not in connection.sender.blocked
            ):
                connection.status, connection.activated_at, connection.updated_at = connection.resting_status, self.now, self.now
                self.bring_ping(connection, person)
                if connection.status == "active":
                    self.tell_of_connection(
                        connection, connection.other(person), "connection_request", "New Connection",
                        {"receiver": " is now sending you pings", "sender": " is now receiving your pings"},
                    )
            connection.resting_status = None

    # The making of pings

    def plan_run(self, person, zone):
        self.runs.setdefault((person.tenant, zone), {}).setdefault(local_date(self.now, zone), False)

    def planned(self, sender, date):
        """The times of a ping of this date, if its deadline is ahead."""
        profile = sender.sender
        scheduled_at = local_instant(date, profile.time, profile.zone)
        if scheduled_at is None or is_within(date, profile.break_from, profile.break_until):
            return None
        deadline_at = scheduled_at + profile.grace * MINUTE
        if deadline_at <= self.now:
            return None
        remind_at = deadline_at - profile.reminder * MINUTE
        return scheduled_at, remind_at if remind_at > self.now else None, deadline_at

    def put_ping(self, connection, date, by_sender, replaced):
        planned = self.planned(connection.sender, date)
        if planned is None:
            return
        status = "due" if by_sender and planned[0] <= self.now else "scheduled"
        ping = connection.pings.get(date)
        if ping is None:
            connection.pings[date] = Ping(connection, date, status, *planned)
        elif ping.status in replaced:
            ping.status, (ping.scheduled_at, ping.remind_at, ping.deadline_at) = status, planned

    def bring_ping(self, connection, by):
        """P13: today's ping of a connection that has just become live, and yesterday's if it was cancelled while it was open."""
        if not connection.is_live():
            return
        today = self.local_date_of(connection.sender)
        self.put_ping(connection, today, by is connection.sender, ("cancelled", "scheduled"))
        yesterday = connection.pings.get(today - DAY)
        if yesterday is not None and yesterday.status == "cancelled":
            self.put_ping(connection, today - DAY, by is connection.sender, ("cancelled", "scheduled"))

    def retime(self, sender):
        """X25: the pings of today and tomorrow move to the sender's new times."""
        if sender.open_break:
            sender.open_break.starts_at = day_begins_at(sender.open_break.from_on, sender.sender.zone)
            sender.open_break.ends_at = day_begins_at(sender.open_break.until_on + DAY, sender.sender.zone)
        self.retime_pings(sender)

    def retime_pings(self, sender):
        today = self.local_date_of(sender)
        for connection in self.connections_of(sender, "sender"):
            if connection.is_live():
                self.put_ping(connection, today, True, ("cancelled", "scheduled"))
                if today + DAY in connection.pings:
                    self.put_ping(connection, today + DAY, True, ("cancelled", "scheduled"))

    def near(self, date):
        """Whether a ping of this date can be open now in any zone. Older ones, which a worker that was down has not judged, the server leaves
        alone: they are missed later, and alarm nobody once the sender has checked in."""
        return -2 <= (date - self.now.astimezone(UTC).date()).days <= 1

    def cancel_pings(self, connection):
        for ping in connection.pings.values():
            if ping.status in OPEN and self.near(ping.date):
                ping.status, ping.remind_at = "cancelled", None

    # Breaks

    def put_break(self, person, first, last):
        if person.profile("sender") is None:
            self.refuse("profile_required")
        today = self.local_date_of(person)
        if last < first or last < today or (last - first).days >= 90 or first > a_year_after(today):
            self.refuse("validation_failed")
        self.replace_break(person, first, last)
        return {"from": first.isoformat(), "until": last.isoformat()}

    def delete_break(self, person):
        if person.sender is None:
            self.refuse("not_found")
        self.replace_break(person, None, None)

    def replace_break(self, person, first, last):
        profile, old, today = person.sender, person.open_break, self.local_date_of(person)
        if first is None and (old is None or old.until_on < today):
            self.refuse("not_found")
        continues = old is not None and old.told_until is not None and first is not None and first <= today
        new = None
        if first is not None:
            new = Break(first, last, day_begins_at(first, profile.zone), day_begins_at(last + DAY, profile.zone), old.told_until if continues else None)
        begins = new is not None and new.starts_at <= self.now and new.told_until != last
        if begins:
            self.refuse_many_breaks(person)
        if old is not None and old.told_until is not None and not continues:
            self.tell_of_break(person, old, "break_ended")
        kept = (first, last)
        if old is not None and first is None:
            left = min(old.until_on, today - DAY)
            kept = (old.from_on, left) if left >= old.from_on else (None, None)
        was_on, is_on = old is not None and old.from_on <= today <= old.until_on, is_within(today, *kept)
        profile.break_from, profile.break_until = kept
        profile.updated_at, person.open_break = self.now, new
        if was_on and not is_on:
            profile.timed_at = self.now
        if first is not None:
            for connection in self.connections:
                for ping in connection.pings.values() if connection.sender is person else ():
                    if ping.status in OPEN and first <= ping.date <= last and self.near(ping.date):
                        ping.status, ping.remind_at = "cancelled", None
        if old is not None and old.from_on <= today + DAY:
            self.retime_pings(person)
        if begins:
            self.begin_break(person)

    def refuse_many_breaks(self, person):
        active = [connection for connection in self.connections_of(person, "sender") if connection.status == "active"]
        if active:
            told = [
                told for told in active[0].receiver.told
                if told.type == "break_started" and told.data["connection_id"] == active[0].id and told.at >= self.now - HOUR
            ]
            if len(told) >= 10:
                self.refuse("too_many_requests")

    def begin_break(self, person):
        person.open_break.told_until = person.open_break.until_on
        self.tell_of_break(person, person.open_break, "break_started")

    def tell_of_break(self, person, told, type):
        title, body = ("On a Break", f" is taking a break until {told.until_on}.") if type == "break_started" else ("Back From a Break", "'s daily pings are on again.")
        for connection in self.connections_of(person, "sender"):
            if connection.status == "active":
                self.tell(
                    connection.receiver, type, title, connection.name_for(connection.receiver) + body,
                    {"connection_id": connection.id, "from": told.from_on.isoformat(), "until": told.until_on.isoformat()},
                )

    # Checking in

    def check_in(self, person, note, shares_note):
        profile = person.profile("sender")
        if profile is None:
            self.refuse("profile_required")
        shared = note if shares_note and note else None
        since, profile.last_check_in_at, profile.last_note = profile.last_check_in_at, self.now, shared
        mine = [ping for connection in self.connections if connection.sender is person for ping in connection.pings.values()]
        done, late = [], []
        for ping in mine:
            if ping.status in OPEN and ping.scheduled_at <= self.now and self.near(ping.date):
                self.complete(ping, shared)
                done.append(ping)
        # Of the missed pings since the last check-in, the newest of each connection becomes completed_late.
        for connection in self.connections:
            missed = [
                ping for ping in connection.pings.values()
                if connection.sender is person and connection.status != "deleted" and ping.status == "missed" and (since is None or ping.deadline_at > since)
            ]
            if missed:
                newest = max(missed, key=lambda ping: ping.date)
                self.complete(newest, shared if connection.status == "active" else None)
                late.append(newest)
        if not any(ping.status == "completed" for ping in done + late):
            answered = any(
                ping.status in ("completed", "completed_late") and ping.scheduled_at <= self.now < ping.deadline_at and self.near(ping.date) for ping in mine
            )
            for ping in mine:
                if not answered and ping.date == self.local_date_of(person) and ping.status == "scheduled" and ping.scheduled_at > self.now:
                    self.complete(ping, shared)
                    done.append(ping)
        for ping in late:
            if self.was_told(ping.connection.receiver, "ping_missed", ping.deadline_at, **ping.about()):
                self.tell_of_ping(ping, "ping_all_clear")
        for ping in done:
            if ping.connection.status == "active":
                self.tell_of_ping(ping, "ping_completed" if ping.status == "completed" else "ping_all_clear")
        self.owner_checks_in(person)
        all = sorted(late + done, key=lambda ping: (ping.date, ping.connection.id))
        return {
            "completed": sum(ping.status == "completed" for ping in all),
            "late": sum(ping.status == "completed_late" for ping in all),
            "pings": [ping.json() for ping in all],
        }

    def complete(self, ping, note):
        ping.status = "completed" if ping.deadline_at > self.now else "completed_late"
        ping.completed_at, ping.note, ping.remind_at = self.now, note, None

    def tell_of_ping(self, ping, type):
        receiver = ping.connection.receiver
        title, body = {
            "ping_completed": ("Safe", " checked in."),
            "ping_all_clear": ("All Clear", " checked in late. They're safe."),
            "ping_missed": ("Missed Check-In", " has not checked in today."),
        }[type]
        self.tell(receiver, type, title, ping.connection.name_for(receiver) + body, ping.about())

    def call_sender(self, pings, type, before, since, title, body):
        """Tells each sender once for a date, unless an earlier batch has."""
        calls = {}
        for ping in pings:
            calls.setdefault((ping.connection.sender, ping.date), ping)
        for (sender, date), ping in calls.items():
            if not ((sender, date) in before and self.was_told(sender, type, since(ping), date=date.isoformat())):
                self.tell(sender, type, title, body(ping), ping.about())

    # The worker

    def all_pings(self):
        return [ping for connection in self.connections for ping in connection.pings.values()]

    def generate(self):
        """P28: the pings of each local date that has begun, once."""
        while True:
            due = [
                (midnight(date, key[1]), *key, date)
                for key, runs in self.runs.items() for date, is_finished in runs.items()
                if not is_finished and midnight(date, key[1]) <= self.now
            ]
            if not due:
                return
            _, tenant, zone, date = min(due)
            for connection in self.connections:
                sender = connection.sender
                if sender.tenant == tenant and sender.sender.zone == zone and connection.is_live() and date not in connection.pings:
                    planned = self.planned(sender, date)
                    if planned:
                        scheduled_at, _, deadline_at = planned
                        connection.pings[date] = Ping(connection, date, "scheduled", scheduled_at, deadline_at - sender.sender.reminder * MINUTE, deadline_at)
            self.runs[tenant, zone][date] = True
            date += DAY
            while midnight(date, zone) is None:
                date += DAY
            self.runs[tenant, zone].setdefault(date, False)

    def find_gaps(self):
        """No connection is ever without a ping that it should have: the check finds nothing. It restarts runs that fell behind."""
        for person in self.people:
            if person.sender:
                runs = self.runs.setdefault((person.tenant, person.sender.zone), {})
                today = self.local_date_of(person)
                if not any(date >= today for date in runs):
                    runs[today] = False

    def announce(self):
        before = {(ping.connection.sender, ping.date) for ping in self.all_pings() if ping.status == "due"}
        calls = []
        for ping in self.all_pings():
            if ping.status != "scheduled" or ping.scheduled_at > self.now:
                continue
            connection, profile = ping.connection, ping.connection.sender.sender
            answered_at = profile.last_check_in_at
            if not connection.is_live():
                ping.status, ping.remind_at = "cancelled", None
            elif answered_at and ping.scheduled_at <= answered_at < ping.deadline_at:
                ping.status, ping.completed_at, ping.remind_at = "completed", answered_at, None
                if connection.status == "active":
                    ping.note = profile.last_note if answered_at >= connection.activated_at else None
                    self.tell_of_ping(ping, "ping_completed")
            else:
                ping.status = "due"
                if ping.deadline_at <= self.now:
                    ping.remind_at = None
                elif connection.status == "active":
                    calls.append(ping)
        self.call_sender(calls, "ping_due", before, lambda ping: ping.scheduled_at, "Time to Check In", lambda ping: "Let your receivers know you're safe.")

    def remind(self):
        before = {(ping.connection.sender, ping.date) for ping in self.all_pings() if ping.status == "due" and ping.remind_at is None}
        due = [ping for ping in self.all_pings() if ping.status == "due" and ping.remind_at and ping.remind_at <= self.now]
        calls = [ping for ping in due if ping.connection.status == "active" and ping.deadline_at > self.now]

        def body(ping):
            minutes = math.ceil((ping.deadline_at - self.now) / MINUTE)
            return f"{minutes} minute{'' if minutes == 1 else 's'} left to check in."

        self.call_sender(calls, "ping_reminder", before, lambda ping: ping.remind_at, "Check-In Reminder", body)
        for ping in due:
            ping.remind_at = None

    def miss(self):
        """Nobody can check in during an outage, so nobody has missed anything. After one, senders have 15 minutes more, and are told first."""
        if self.is_outage() or not self.tell_senders_after_outage():
            return
        judged_until = min([self.now - 10 * SECOND] + [outage.began_at for outage in self.outages if outage.ended_at > self.now - 15 * MINUTE])
        if self.down_since is not None:
            judged_until = min(judged_until, self.down_since)
        before = {(ping.connection.sender, ping.date) for ping in self.all_pings() if ping.status == "missed"}
        told, judged = [], []
        for ping in self.all_pings():
            if ping.status == "due" and ping.deadline_at <= judged_until:
                ping.status, ping.remind_at = "missed" if ping.connection.is_live() else "cancelled", None
                judged.append(ping)
                # Whoever has checked in since the deadline is safe: after days without a worker, nobody is alarmed about the first of them.
                answered_at = ping.connection.sender.sender.last_check_in_at
                if ping.connection.status == "active" and (answered_at is None or answered_at < ping.deadline_at):
                    told.append(ping)
                    self.tell_of_ping(ping, "ping_missed")
        self.call_sender(
            told, "ping_missed", before, lambda ping: ping.deadline_at, "Missed Check-In",
            lambda ping: "You missed today's check-in. Check in now to let your receivers know you're safe.",
        )
        self.note_misses(judged)

    def tell_senders_after_outage(self):
        """False if pings whose time has come must be announced first."""
        for outage in self.outages:
            extended = outage.ended_at + 15 * MINUTE
            if outage.senders_told or extended <= self.now:
                outage.senders_told = True
                continue
            if any(ping.status == "scheduled" and ping.scheduled_at <= self.now for ping in self.all_pings()):
                return False
            outage.senders_told = True
            calls = {}
            for ping in self.all_pings():
                if ping.status == "due" and ping.connection.status == "active" and outage.began_at < ping.deadline_at < extended:
                    first = calls.setdefault((ping.connection.sender, ping.date), ping)
                    if ping.connection.id < first.connection.id:
                        calls[ping.connection.sender, ping.date] = ping
                    if ping.remind_at is not None and ping.remind_at <= self.now:
                        ping.remind_at = None
            for (sender, date), ping in calls.items():
                if not self.was_told(sender, "ping_reminder", outage.ended_at, date=date.isoformat()):
                    left = math.ceil(((ping.deadline_at if ping.deadline_at > self.now else extended) - self.now) / MINUTE)
                    self.tell(sender, "ping_reminder", "Check-In Reminder", f"{left} minute{'' if left == 1 else 's'} left to check in.", ping.about())
        return True

    def turn_breaks(self):
        for person in self.people:
            if person.open_break and person.open_break.ends_at <= self.now:
                if person.open_break.told_until is not None:
                    self.tell_of_break(person, person.open_break, "break_ended")
                person.open_break = None
        for person in self.people:
            on = person.open_break
            if on and on.starts_at <= self.now < on.ends_at and on.told_until != on.until_on:
                self.begin_break(person)

    def instants(self):
        """When something happens: a ping is due, reminded or missed, a date begins, a break begins or ends, a session expires."""
        for ping in self.all_pings():
            if ping.status in OPEN:
                yield from (at for at in (ping.scheduled_at, ping.remind_at, ping.deadline_at) if at)
        for (_, zone), runs in self.runs.items():
            yield from (midnight(date, zone) for date, is_finished in runs.items() if not is_finished)
        yield from self.session_ends()
        yield from self.emergency_instants()
        for person in self.people:
            if person.open_break:
                yield person.open_break.starts_at
                yield person.open_break.ends_at

    # What a person sees

    def today_ping(self, connection, role):
        """The open due ping, else the one of the sender's local date; none for the receiver of a pending connection (P29)."""
        if role == "receiver" and connection.status == "pending":
            return None
        today = self.local_date_of(connection.sender)
        pings = connection.pings
        if today in pings and pings[today].status == "due":
            return pings[today]
        # One that the worker has not judged although its deadline has passed is shown until about the time of the next one.
        late = today not in pings or pings[today].deadline_at > self.now + 22 * HOUR or connection.sender.sender.timed_at > self.now - 2 * DAY
        for date in (today - DAY, today + DAY):
            if date in pings and pings[date].status == "due" and (pings[date].deadline_at > self.now or late):
                return pings[date]
        return pings.get(today)

    def dashboard(self, person, role, order):
        mine = self.connections_of(person, role)
        today = {connection: self.today_ping(connection, role) for connection in mine}
        if order == "missed":
            mine.sort(key=lambda connection: (RANK.get(today[connection].status, 5), today[connection].deadline_at, connection.id) if today[connection] else (5, dt.datetime.min.replace(tzinfo=UTC), connection.id))
        pings = [ping for ping in today.values() if ping]
        is_open = [ping for ping in pings if ping.status in OPEN and ping.scheduled_at <= self.now < ping.deadline_at]
        deadlines = [ping.deadline_at for ping in is_open] or [ping.deadline_at for ping in pings if ping.status == "scheduled"]
        return {
            "role": role,
            "date": local_date(self.now, person.sender.zone if role == "sender" and person.sender else person.zone).isoformat(),
            "items": [self.connection_json(person, connection) for connection in mine],
            "open_pings": len(is_open),
            "deadline_at": text(min(deadlines, default=None)),
        }

    def pings_of(self, person, date=None):
        """The pings of one date, or of each sender's local date."""
        return [
            connection.pings[on].json()
            for connection in self.connections_of(person)
            for on in [date or self.local_date_of(connection.sender)]
            if on in connection.pings and not (connection.receiver is person and connection.status == "pending")
        ]
