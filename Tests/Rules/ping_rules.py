"""The rules of pings in docs/product.md, as functions of plain values. Tests/Model, Tests/Truth and Tests/Chaos judge Kith by them. Each cites its
row. None was read from the code of Kith."""

import datetime as dt
from typing import Optional

from times import DAY, MINUTE, SECOND, local_date, local_instant

OPEN = ("scheduled", "due")
"""P34: the statuses of a ping that can still be completed in time."""
ASKINGS = ("ping_due", "ping_reminder")
"""P34: the notifications that ask the sender to check in."""
JUDGED_AFTER = 10 * SECOND
"""C: a miss is judged this long after the deadline."""
AFTER_OUTAGE = 15 * MINUTE
"""C: after an outage nobody is alarmed for this long."""
CLEARED = ("active", "paused")
"""X35: the statuses of a connection whose receiver hears the all-clear. Nobody hears of a connection that was removed."""
EXPECTS_PINGS = ("active", "pending")
"""P28: the statuses of a connection that has pings."""


def is_grace(grace: int, reminder: int) -> bool:
    """C: the minutes of grace, and those of the reminder before the deadline, that a sender may choose."""
    return 5 <= grace < 720 and 0 < reminder < grace


def window(date: dt.date, time: dt.time, zone: str, grace: int) -> Optional[tuple[dt.datetime, dt.datetime]]:
    """X25: when the ping of a date is due, and its deadline. None for a date that the zone skipped."""
    scheduled_at = local_instant(date, time, zone)
    return None if scheduled_at is None else (scheduled_at, deadline(scheduled_at, grace))


def deadline(scheduled_at: dt.datetime, grace: int) -> dt.datetime:
    """C: the scheduled time and the grace, which is elapsed time and not the time of a clock on the wall."""
    return scheduled_at + grace * MINUTE


def reminder(deadline_at: dt.datetime, before: int, now: dt.datetime) -> Optional[dt.datetime]:
    """P34: when the sender is reminded. None if that time has passed."""
    remind_at = deadline_at - before * MINUTE
    return remind_at if remind_at > now else None


def has_come(scheduled_at: dt.datetime, at: dt.datetime) -> bool:
    """P34: a ping is due at its scheduled time."""
    return scheduled_at <= at


def holds(scheduled_at: dt.datetime, deadline_at: dt.datetime, at: dt.datetime) -> bool:
    """X32: whether a sign of life at an instant completes a ping. The deadline itself is too late."""
    return scheduled_at <= at < deadline_at


def answer(deadline_at: dt.datetime, at: dt.datetime) -> str:
    """P34, X34: what a check-in makes of a ping whose time has come."""
    return "completed" if at < deadline_at else "completed_late"


def is_on_break(date: dt.date, first: Optional[dt.date], last: Optional[dt.date]) -> bool:
    """C: a break covers its first and its last date."""
    return first is not None and first <= date <= last


def is_break(first: dt.date, last: dt.date, today: dt.date) -> bool:
    """C: whether a break has dates that are still ahead, 90 at most."""
    return first <= last and today <= last and last - first < 90 * DAY


def is_over(deadline_at: dt.datetime, now: dt.datetime) -> bool:
    """C: whether the deadline is far enough in the past to judge a miss."""
    return deadline_at + JUDGED_AFTER <= now


def waits_for_outage(deadline_at: dt.datetime, now: dt.datetime, began: dt.datetime, ended: Optional[dt.datetime]) -> bool:
    """C: whether an outage holds back the judgement of a deadline that passed in it or soon after it. One that goes on has no end."""
    return began < deadline_at and (ended is None or now < ended + AFTER_OUTAGE)


def judged_when_asked_late(asked_at: dt.datetime, scheduled_at: dt.datetime, deadline_at: dt.datetime) -> dt.datetime:
    """X35: a sender who was asked only after the deadline has the whole grace from then on."""
    return asked_at + (deadline_at - scheduled_at)


def is_today(date: dt.date, at: dt.datetime, zone: str) -> bool:
    """X35: "today" is the sender's local date."""
    return date == local_date(at, zone)
