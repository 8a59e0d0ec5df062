"""The model of profiles, pings, check-ins, breaks and the worker that moves them (section C of docs/product.md)."""

import dataclasses
import datetime as dt
import math
import typing

import ping_rules as rules
from ping_rules import OPEN
from times import DAY, HOUR, MINUTE, UTC, day_begins_at, local_date, local_instant, local_text, midnight, text

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
    #: When the sender was asked, until when the judgement waits for a late asking, and when the receiver was alarmed.
    asked_at: typing.Optional[dt.datetime] = None
    judge_at: typing.Optional[dt.datetime] = None
    alarmed_at: typing.Optional[dt.datetime] = None

    def is_open(self):
        return self.status in OPEN

    def has_come(self, now):
        return self.status == "due" or self.status == "scheduled" and rules.has_come(self.scheduled_at, now)

    def json(self):
        return {
            "connection_id": self.connection.id,
            "date": self.date.isoformat(),
            "status": self.status,
            "scheduled_at": text(self.scheduled_at),
            "deadline_at": text(self.deadline_at),
            "completed_at": text(self.completed_at),
            "told_at": text(self.alarmed_at),
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


class Pings:
    # Profiles

    def local_date_of(self, sender):
        return local_date(self.now, sender.sender.zone)

    def put_sender_profile(self, person, zone, time, grace, reminder):
        from world import SenderProfile

        if not rules.is_grace(grace, reminder):
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
        window = rules.window(date, profile.time, profile.zone, profile.grace)
        if window is None or rules.is_on_break(date, profile.break_from, profile.break_until) or window[1] <= self.now:
            return None
        return window[0], rules.reminder(window[1], profile.reminder, self.now), window[1]

    def sign_for(self, sender, date, scheduled_at, deadline_at):
        """X32: the newest check-in in the window of a ping, or an early one that has completed another ping of its date."""
        signs = [sign for sign in sender.signs if rules.holds(scheduled_at, deadline_at, sign[0])]
        early = [
            (ping.completed_at, ping.note) for connection in self.connections for ping in connection.pings.values()
            if connection.sender is sender and ping.date == date and ping.status == "completed" and ping.completed_at < ping.scheduled_at
            and ping.completed_at < deadline_at
        ]
        return max(signs or early, key=lambda sign: sign[0], default=None)

    def answer(self, ping, sign):
        """A sign of life that came before the ping, or before it was announced."""
        at = sign[0]
        ping.status, ping.completed_at, ping.remind_at = rules.answer(ping.deadline_at, at), at, None
        active = ping.connection.status == "active" and at >= ping.connection.activated_at
        ping.note = next((note for when, note in ping.connection.sender.signs if when == at), None) if active else None

    def settle(self, connection, asked, retimed=False):
        """What the pings of a connection have to be after an act (P13, X23, X32 to X34)."""
        sender, profile, now = connection.sender, connection.sender.sender, self.now
        today = self.local_date_of(sender)
        on_break = rules.is_on_break(today, profile.break_from, profile.break_until)
        near = [ping for ping in connection.pings.values() if self.near(ping.date)]
        left = next(
            (
                ping for ping in sorted(near, key=lambda ping: ping.date)
                if ping.date != today and ping.has_come(now) and ping.deadline_at > now
                and ping.scheduled_at != local_instant(ping.date, profile.time, profile.zone)
            ),
            None,
        )
        for ping in near:
            if ping.is_open() and ping.deadline_at > now:
                if (
                    connection.status not in rules.EXPECTS_PINGS or rules.is_on_break(ping.date, profile.break_from, profile.break_until)
                    or ping is left and on_break
                ):
                    ping.status, ping.remind_at = "cancelled", None
                elif ping.has_come(now):
                    self.keep(ping, asked, retimed)
                elif ping.date < today or left is not None and ping is not left and not on_break:
                    ping.status, ping.remind_at = "cancelled", None
        if connection.status not in rules.EXPECTS_PINGS:
            return
        for date in sorted({today} | {ping.date for ping in near if ping.date >= today - DAY}):
            ping, planned = connection.pings.get(date), self.planned(sender, date)
            if planned is None or ping is not None and (ping.status not in ("scheduled", "cancelled") or ping.has_come(now)):
                continue
            if ping is None:
                ping = connection.pings[date] = Ping(connection, date, "scheduled", *planned)
            elif ping.status == "scheduled" and not retimed and (ping.scheduled_at, ping.deadline_at) == (planned[0], planned[2]):
                continue
            ping.scheduled_at, ping.remind_at, ping.deadline_at = planned
            ping.asked_at = ping.judge_at = None
            sign = self.sign_for(sender, date, ping.scheduled_at, ping.deadline_at)
            if left is not None and date != left.date and not on_break:
                ping.status, ping.remind_at = "cancelled", None
            elif sign:
                self.answer(ping, sign)
            elif asked and ping.scheduled_at <= now:
                ping.status, ping.asked_at = "due", now
            else:
                ping.status = "scheduled"

    def keep(self, ping, asked, retimed):
        """A ping whose time has come. A new grace moves its deadline, but not into the past; a consent asks about it first."""
        profile = ping.connection.sender.sender
        deadline_at = rules.deadline(ping.scheduled_at, profile.grace)
        if retimed and deadline_at > self.now and deadline_at != ping.deadline_at:
            ping.deadline_at, ping.remind_at = deadline_at, rules.reminder(deadline_at, profile.reminder, self.now)
        if ping.status == "due" and ping.asked_at is None and ping.connection.status == "active":
            ping.status, ping.asked_at = ("due", self.now) if asked else ("scheduled", None)

    def follow(self, pings, asked):
        """X33: once a ping of a date that the calendar has left is completed or judged, that of the new date is made."""
        for connection in {
            ping.connection for ping in pings
            if ping.connection.sender.sender.timed_at > ping.scheduled_at and ping.date != self.local_date_of(ping.connection.sender)
        }:
            self.settle(connection, asked)

    def bring_ping(self, connection, by):
        """P13: today's ping of a connection that has just become live, and yesterday's if it was cancelled while it was open."""
        if connection.is_live():
            self.settle(connection, by is connection.sender)

    def retime(self, sender):
        """X25, X33: the pings move to the sender's new times. Nobody was asked for a ping that a move brings."""
        if sender.open_break:
            sender.open_break.starts_at = day_begins_at(sender.open_break.from_on, sender.sender.zone)
            sender.open_break.ends_at = day_begins_at(sender.open_break.until_on + DAY, sender.sender.zone)
        self.settle_all(sender, False, True)

    def settle_all(self, sender, asked, retimed=False):
        for connection in self.connections_of(sender, "sender"):
            if connection.is_live():
                self.settle(connection, asked, retimed)

    def near(self, date):
        """Whether a ping of this date can be open now in any zone."""
        return -2 <= (date - self.now.astimezone(UTC).date()).days <= 2

    def cancel_pings(self, connection):
        self.settle(connection, False)

    # Breaks

    def put_break(self, person, first, last):
        if person.profile("sender") is None:
            self.refuse("profile_required")
        today = self.local_date_of(person)
        if not rules.is_break(first, last, today) or first > a_year_after(today):
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
        kept = (first, last)
        if old is not None and first is None:
            left = min(old.until_on, today - DAY)
            kept = (old.from_on, left) if left >= old.from_on else (None, None)
        was_on, is_on = old is not None and old.from_on <= today <= old.until_on, rules.is_on_break(today, *kept)
        profile.break_from, profile.break_until = kept
        profile.updated_at, person.open_break = self.now, new
        if was_on and not is_on:
            profile.timed_at = self.now
        if old is not None and not continues:
            self.tell_of_break_end(person, old)
        self.settle_all(person, True)
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

    def pings_flow(self, connection):
        profile = connection.sender.sender
        return connection.status == "active" and not rules.is_on_break(self.local_date_of(connection.sender), profile.break_from, profile.break_until)

    def tell_of_break_end(self, person, ended):
        """Whose connection was resumed during the break has heard of a pause, and hears that it is over (X35)."""
        resumed = [connection for connection in self.connections if connection.sender is person and connection.tells_resumed and self.pings_flow(connection)]
        for connection in resumed:
            connection.tells_resumed = False
            self.tell(
                connection.receiver, "connection_resumed", "Connection Resumed",
                lambda connection=connection: connection.name_for(connection.receiver) + " has resumed their connection with you",
                {"connection_id": connection.id},
            )
        if ended.told_until is not None:
            self.tell_of_break(person, ended, "break_ended", resumed)

    def tell_of_break(self, person, told, type, but=()):
        title, body = ("On a Break", f" is taking a break until {told.until_on}.") if type == "break_started" else ("Back From a Break", "'s daily pings are on again.")
        for connection in self.connections_of(person, "sender"):
            if connection.status == "active" and connection not in but:
                self.tell(
                    connection.receiver, type, title, lambda connection=connection: connection.name_for(connection.receiver) + body,
                    {"connection_id": connection.id, "from": told.from_on.isoformat(), "until": told.until_on.isoformat()},
                )

    # Checking in

    def check_in(self, person, note, shares_note):
        profile = person.profile("sender")
        shared = note if shares_note and note else None
        person.signs.append((self.now, shared))
        if profile is None:
            # X36: anybody may say so.
            self.owner_checks_in(person)
            if person in self.answered_at:
                self.answered_at[person] = self.now
            return {"completed": 0, "late": 0, "pings": []}
        since, profile.last_check_in_at, profile.last_note = profile.last_check_in_at, self.now, shared
        mine = [ping for connection in self.connections if connection.sender is person for ping in connection.pings.values()]
        done, late = [], []
        for ping in mine:
            if ping.has_come(self.now) and -2 <= (ping.date - self.now.astimezone(UTC).date()).days <= 1:
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
                ping.status in ("completed", "completed_late") and rules.holds(ping.scheduled_at, ping.deadline_at, self.now)
                and -2 <= (ping.date - self.now.astimezone(UTC).date()).days <= 1 for ping in mine
            )
            # Half an hour after midnight, somebody answers for the evening before, not for the next one.
            late_at = max((ping.deadline_at for ping in done + late if ping.deadline_at <= self.now), default=None)
            for ping in mine:
                is_near = late_at is None or ping.scheduled_at - self.now <= self.now - late_at
                if not answered and is_near and ping.date == self.local_date_of(person) and ping.status == "scheduled" and ping.scheduled_at > self.now:
                    self.complete(ping, shared)
                    done.append(ping)
        self.follow(done, True)
        # X35: the all-clear is for those who were alarmed. One fact is told once.
        cleared = [ping for ping in late if ping.alarmed_at and ping.connection.status in rules.CLEARED]
        for ping in cleared:
            self.tell_of_ping(ping, "ping_all_clear")
        louder = {ping.connection for ping in done if ping.status == "completed"} | {ping.connection for ping in late if ping.alarmed_at}
        for ping in done:
            if ping.connection.status == "active" and (ping.status == "completed" or ping.connection not in louder):
                self.tell_of_ping(ping, "ping_completed")
        self.owner_checks_in(person)
        all = sorted(late + done, key=lambda ping: (ping.date, ping.connection.id))
        return {
            "completed": sum(ping.status == "completed" for ping in all),
            "late": sum(ping.status == "completed_late" for ping in all),
            "pings": [ping.json() for ping in all],
        }

    def complete(self, ping, note):
        ping.status = rules.answer(ping.deadline_at, self.now)
        ping.completed_at, ping.note, ping.remind_at = self.now, note, None

    def missed_text(self, ping, is_late):
        """X35: "today" is said only of the sender's local date."""
        connection, profile = ping.connection, ping.connection.sender.sender
        if is_late:
            zone = connection.receiver.zone
            last = profile.last_check_in_at
            return (
                f"Kith could not ask {{name}} from {local_text(ping.scheduled_at, zone)} to "
                f"{local_text(ping.asked_at, zone)}." + (f" Their last check-in was {local_text(last, zone)}." if last else "")
            )
        if rules.is_today(ping.date, self.now, profile.zone):
            return "{name} has not checked in today."
        return f"{{name}} did not check in on {ping.date:%-d %B %Y}."

    def tell_of_ping(self, ping, type):
        receiver = ping.connection.receiver
        if type == "ping_missed":
            text = self.missed_text(ping, ping.judge_at is not None)
            self.tell(receiver, type, "Missed Check-In", lambda: text.format(name=ping.connection.name_for(receiver)), ping.about())
            return
        title, body = {
            "ping_completed": ("Safe", " checked in."),
            "ping_all_clear": ("All Clear", " checked in late. They're safe."),
        }[type]
        self.tell(receiver, type, title, lambda: ping.connection.name_for(receiver) + body, ping.about())

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
            connection, sender = ping.connection, ping.connection.sender
            last = sender.sender.last_check_in_at
            midnight_or_so = ping.scheduled_at - dt.timedelta(hours=sender.sender.time.hour + 2, minutes=sender.sender.time.minute)
            sign = self.sign_for(sender, ping.date, ping.scheduled_at, ping.deadline_at) if last and last >= midnight_or_so else None
            if not self.is_awaited(ping):
                ping.status, ping.remind_at = "cancelled", None
            elif sign:
                self.answer(ping, sign)
                if connection.status == "active":
                    self.tell_of_ping(ping, "ping_completed")
            else:
                ping.status = "due"
                if connection.status == "active":
                    ping.asked_at = self.now
                    calls.append(ping)
                if ping.deadline_at <= self.now:
                    # X35: asked too late, the sender has the full grace from now.
                    reminder = ping.deadline_at - ping.remind_at if ping.remind_at else None
                    ping.judge_at = rules.judged_when_asked_late(self.now, ping.scheduled_at, ping.deadline_at) if ping.asked_at else None
                    ping.remind_at = ping.judge_at - reminder if ping.judge_at and reminder else None
        self.call_sender(calls, "ping_due", before, lambda ping: ping.scheduled_at, "Time to Check In", lambda ping: "Let your receivers know you're safe.")

    def is_awaited(self, ping):
        """X34: a pause or a removal after the deadline cancels nothing."""
        return ping.connection.status in rules.EXPECTS_PINGS or ping.connection.updated_at >= ping.deadline_at

    def remind(self):
        before = {(ping.connection.sender, ping.date) for ping in self.all_pings() if ping.status == "due" and ping.remind_at is None}
        due = [ping for ping in self.all_pings() if ping.status == "due" and ping.remind_at and ping.remind_at <= self.now]
        calls = [ping for ping in due if ping.connection.status == "active" and (ping.judge_at or ping.deadline_at) > self.now]

        def body(ping):
            minutes = math.ceil(((ping.judge_at or ping.deadline_at) - self.now) / MINUTE)
            return f"{minutes} minute{'' if minutes == 1 else 's'} left to check in."

        self.call_sender(calls, "ping_reminder", before, lambda ping: ping.remind_at, "Check-In Reminder", body)
        for ping in due:
            ping.remind_at = None

    def miss(self):
        """Nobody can check in during an outage, so nobody has missed anything. After one, senders have 15 minutes more, and are told first."""
        if self.is_outage() or not self.tell_senders_after_outage():
            return
        outages = [(outage.began_at, outage.ended_at) for outage in self.outages]
        if self.down_since is not None:
            outages.append((self.down_since, None))
        before = {(ping.connection.sender, ping.date) for ping in self.all_pings() if ping.status == "missed"}
        told, judged = [], []
        for ping in self.all_pings():
            ends = ping.judge_at or ping.deadline_at
            if ping.status == "due" and rules.is_over(ends, self.now) and not any(rules.waits_for_outage(ends, self.now, *outage) for outage in outages):
                connection, profile = ping.connection, ping.connection.sender.sender
                judged.append(ping)
                last = profile.last_check_in_at
                if not self.is_awaited(ping):
                    ping.status, ping.remind_at = "cancelled", None
                elif last and last >= ping.scheduled_at:
                    # A sender who has checked in since is safe.
                    sign = self.sign_for(connection.sender, ping.date, ping.scheduled_at, ping.deadline_at) or (last, None)
                    ping.completed_at, ping.remind_at = sign[0], None
                    ping.status = rules.answer(ping.deadline_at, sign[0])
                else:
                    ping.status, ping.remind_at = "missed", None
                    if self.is_told_of_miss(ping):
                        ping.alarmed_at = self.now
                        told.append(ping)
                        self.tell_of_ping(ping, "ping_missed")
        self.call_sender(
            told, "ping_missed", before, lambda ping: ping.deadline_at, "Missed Check-In",
            lambda ping: (
                "You missed today's check-in. Check in now to let your receivers know you're safe."
                if ping.date == self.local_date_of(ping.connection.sender) else f"You missed the check-in on {ping.date:%-d %B %Y}. Check in now to let your receivers know you're safe."
            ),
        )
        self.note_misses([ping for ping in judged if ping.status == "missed"])
        self.follow(judged, False)

    def is_told_of_miss(self, ping):
        """Nobody is alarmed for a deadline that the sender could not know of. A removal after it hides nothing, except from somebody blocked."""
        connection = ping.connection
        if connection.status == "active":
            return ping.asked_at is not None or connection.activated_at < ping.deadline_at
        return (
            ping.asked_at is not None and connection.status != "pending"
            and connection.receiver not in connection.sender.blocked and connection.sender not in connection.receiver.blocked
        )

    def tell_senders_after_outage(self):
        """False if pings whose time has come must be announced first."""
        for outage in self.outages:
            extended = outage.ended_at + rules.AFTER_OUTAGE
            if outage.senders_told or extended <= self.now:
                outage.senders_told = True
                continue
            if any(ping.status == "scheduled" and ping.scheduled_at <= self.now for ping in self.all_pings()):
                return False
            outage.senders_told = True
            calls = {}
            for ping in self.all_pings():
                if ping.status == "due" and ping.connection.status == "active" and outage.began_at < (ping.judge_at or ping.deadline_at) < extended:
                    first = calls.setdefault((ping.connection.sender, ping.date), ping)
                    if ping.connection.id < first.connection.id:
                        calls[ping.connection.sender, ping.date] = ping
                    ping.asked_at = self.now
                    if ping.remind_at is not None and ping.remind_at <= self.now:
                        ping.remind_at = None
            for (sender, date), ping in calls.items():
                if not self.was_told(sender, "ping_reminder", outage.ended_at, date=date.isoformat()):
                    ends = ping.judge_at or ping.deadline_at
                    left = math.ceil(((ends if ends > self.now else extended) - self.now) / MINUTE)
                    self.tell(sender, "ping_reminder", "Check-In Reminder", f"{left} minute{'' if left == 1 else 's'} left to check in.", ping.about())
        return True

    def turn_breaks(self):
        for person in self.people:
            if person.open_break and person.open_break.ends_at <= self.now:
                ended, person.open_break = person.open_break, None
                self.tell_of_break_end(person, ended)
        for person in self.people:
            on = person.open_break
            if on and on.starts_at <= self.now < on.ends_at and on.told_until != on.until_on:
                self.begin_break(person)

    def instants(self):
        """When something happens: a ping is due, reminded or missed, a date begins, a break begins or ends, a session expires."""
        for ping in self.all_pings():
            if ping.status in OPEN:
                yield from (at for at in (ping.scheduled_at, ping.remind_at, ping.judge_at or ping.deadline_at) if at)
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

    def missed_ping(self, connection, role):
        """The newest missed ping of which the receiver was told and after which the sender has not checked in."""
        if role == "receiver" and connection.status == "pending":
            return None
        answered = connection.sender.sender.last_check_in_at
        found = [
            ping
            for ping in connection.pings.values()
            if ping.status == "missed" and ping.alarmed_at and (answered is None or ping.deadline_at > answered)
        ]
        return max(found, key=lambda ping: ping.deadline_at, default=None)

    def dashboard(self, person, role, order):
        mine = self.connections_of(person, role)
        today = {connection: self.today_ping(connection, role) for connection in mine}
        shown = {connection: self.missed_ping(connection, role) or today[connection] for connection in mine}
        if order == "missed":
            mine.sort(key=lambda connection: (RANK.get(shown[connection].status, 5), shown[connection].deadline_at, connection.id) if shown[connection] else (5, dt.datetime.min.replace(tzinfo=UTC), connection.id))
        pings = [ping for ping in today.values() if ping]
        is_open = [ping for ping in pings if ping.status in OPEN and rules.holds(ping.scheduled_at, ping.deadline_at, self.now)]
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
