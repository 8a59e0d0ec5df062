"""How many days a sender was asked and silent, and when that begins a wait (E03), counted from what happened alone."""

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass

from house import Facts, House
from lives import SENDERS
from ping_rules import AFTER_OUTAGE, ASKINGS, OPEN, holds
from times import DAY, HOUR, MINUTE, SECOND

ABSENCE = MINUTE
"""A component that is silent for less is not away."""


@dataclass(frozen=True)
class Row:
    """Missed days in a row: their dates, newest first, and when the newest of them was over and known to be missed."""

    dates: tuple[dt.date, ...]
    over_at: dt.datetime | None = None
    missed_at: dt.datetime | None = None


def row_of(who: str, facts: Facts, pings: dict, now: dt.datetime, house: House) -> Row:
    """The days in which a sender was asked and silent, since they last gave a sign of life. A day that was not asked, or is not over,
    neither counts nor ends the row. One that they answered ends it."""
    since = max([sign.at for sign in facts.signs if sign.who == who] + facts.answered.get(who, []), default=None)
    windows: dict[dt.date, list[dict]] = {}
    for ping in pings.values():
        if house.names[str(ping["sender_id"])] == who and ping["status"] != "cancelled" and (since is None or ping["deadline_at"] > since):
            windows.setdefault(ping["ping_on"], []).append(ping)
    counted = []
    for date in sorted(windows, reverse=True):
        answered = any(_is_answered(ping, who, facts) for ping in windows[date])
        if answered and any(ping["status"] == "missed" for ping in windows[date]):
            break
        if answered or any(ping["status"] in OPEN for ping in windows[date]) or not _was_asked(windows[date], who, facts):
            continue
        counted.append(date)
    if not counted:
        return Row(())
    newest = windows[counted[0]]
    return Row(
        tuple(counted), max(ping["deadline_at"] for ping in newest),
        max(facts.missed_at[str(ping["connection_id"]), ping["ping_on"]] for ping in newest))


def _is_answered(ping: dict, who: str, facts: Facts) -> bool:
    return any(
        sign.who == who and (holds(ping["scheduled_at"], ping["deadline_at"], sign.at) or ping["ping_on"] in sign.spoke_for) for sign in facts.signs
    )


def _was_asked(windows: list[dict], who: str, facts: Facts) -> bool:
    """Whether the sender was told in time, by a channel that took it, that one of the day's pings was due, and could have checked in."""
    begins, ends = min(ping["scheduled_at"] for ping in windows), max(ping["deadline_at"] for ping in windows)
    if any(began < ends and (ended is None or ended > begins) for began, ended in _absences(facts.servers_away)):
        return False
    told = [each for each in facts.told if each.to == who and each.type in ASKINGS and each.data.get("date") == str(windows[0]["ping_on"])]
    if told and all(each.failed for each in told):
        return False
    return any(_asked_in_time(ping, told, who, facts) for ping in windows)


def _asked_in_time(ping: dict, told: list, who: str, facts: Facts) -> bool:
    deadline = ping["deadline_at"]
    # Whoever connects or comes back at the screen within the window sees the ping there.
    asked = [each.at for each in told if each.at < deadline]
    asked += [at for at in facts.acted.get(who, []) if holds(ping["scheduled_at"], deadline, at)]
    for began, ended in _absences(facts.worker_away):
        if began < deadline and (ended is None or deadline <= ended):
            return False
        # Asked only after a return, shortly before the deadline: that was no whole grace, so it is given anew.
        if ended is not None and ended < deadline <= ended + AFTER_OUTAGE:
            asked = [at for at in asked if at < ended]
    return bool(asked)


def _absences(periods: list) -> Iterator[tuple[dt.datetime, dt.datetime | None]]:
    for began, ended in periods:
        if ended is None or ended - began > ABSENCE:
            yield began, ended


def broken_silences(facts: Facts, pings: dict, now: dt.datetime, house: House) -> Iterator[str]:
    """The emergency count equals the days in which the owner was asked and silent, and the wait begins when the last of them is missed."""
    for who in SENDERS:
        after = facts.rights.get(who)
        if after is None:
            continue
        row = row_of(who, facts, pings, now, house)
        counted = house.counted_days(who)
        if counted != len(row.dates):
            yield f"{counted} missed days count for {who}, who was asked and silent on {[str(date) for date in row.dates]}"
            continue
        waits = house.waits(who)
        yield from _wait_begins_in_time(who, after, row, waits, facts, now, house)


def _wait_begins_in_time(who: str, after: int, row: Row, waits: list[dict], facts: Facts, now: dt.datetime, house: House) -> Iterator[str]:
    begun = [wait for wait in waits if row.missed_at is not None and wait["requested_at"] >= row.missed_at]
    since = max([sign.at for sign in facts.signs if sign.who == who] + facts.answered.get(who, []))
    for wait in waits:
        if wait["requested_at"] == now and (len(row.dates) < after or wait["missed_days"] != len(row.dates) or wait["waits_from"] != now):
            yield f"a wait for {who}'s vault began after {wait['missed_days']} days, and {len(row.dates)} were missed"
    # What began earlier holds back another one.
    is_held = any(
        wait["requested_at"] < (row.missed_at or now) and (wait["ended_at"] or wait["over_at_now"] or now + DAY) >= (row.over_at or now) for wait in waits
    )
    if len(row.dates) < after or is_held or (who, "sender") in facts.ended or facts.ended_at.get(who, since) > since:
        return
    # The dates of somebody who travels pass faster than days do.
    if since >= row.missed_at - (after - 1) * DAY + 2 * HOUR:
        return
    if any(began <= row.missed_at and (ended is None or ended > row.missed_at - AFTER_OUTAGE) for began, ended in facts.servers_away):
        return
    if not begun:
        yield f"no wait for {who}'s vault has begun, although {len(row.dates)} days were missed, the last of them at {row.missed_at}"
    elif begun[0]["requested_at"] > row.missed_at + SECOND:
        yield f"the wait for {who}'s vault began at {begun[0]['requested_at']}, and the last day was missed at {row.missed_at}"
