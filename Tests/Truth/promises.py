"""What a family trusts, in the words of docs/product.md (P34, X23, X32 to X35, J07, E03), checked from what happened alone. Nothing here knows
how Kith decides."""

import datetime as dt
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import ping_rules as rules
from house import Facts, House, Told
from lives import SENDERS, Act
from ping_rules import ASKINGS, OPEN
from silence import broken_silences
from times import HOUR, MINUTE, SECOND, local_date

JUDGED_AFTER = rules.JUDGED_AFTER + SECOND
"""By then a miss must be reported."""


@dataclass
class Memory:
    """What was true before the act, so that a change can be seen."""

    seen: int = 0
    pings: dict[tuple, tuple[str, dt.datetime]] = field(default_factory=dict)
    #: Who has been alarmed about whom and has not heard since: (sender, receiver).
    alarmed: set[tuple[str, str]] = field(default_factory=set)
    #: Those among them who were removed, blocked or gone when the sender checked in. If they come back they may hear of it, and need not.
    absent: set[tuple[str, str]] = field(default_factory=set)


def broken(act: Act, answer: str, house: House, memory: Memory) -> list[str]:
    """The promises that an act broke, to which Kith gave this answer."""
    facts, now = house.facts, house.now
    new = facts.told[memory.seen :]
    pings = {(str(ping["connection_id"]), ping["ping_on"]): ping for ping in house.pings()}
    found = [
        *_no_alarm_for_a_sign(facts, pings, new, house),
        *_nobody_is_alarmed_unasked(facts, pings, new, house),
        *_a_sign_speaks_for_each_window(facts, pings, now, house),
        *_an_act_after_the_deadline_cancels_nothing(act, memory, pings, now),
        *_the_all_clear_reaches_whom_it_must(act, facts, memory, new, house),
        *_today_is_today(facts, pings, new, house),
        *_nobody_is_told_twice(facts, house),
        *broken_silences(facts, pings, now, house),
        *(_older_dates_are_over(act, pings, house) if answer == "done" else ()),
    ]
    if act.kind in ("wait", "until") and house.is_working:
        found += _silence_is_reported(facts, pings, now, house)
    memory.seen = len(facts.told)
    memory.pings = {key: (ping["status"], ping["deadline_at"]) for key, ping in pings.items()}
    return found


def _alarms(told: list[Told]) -> Iterator[tuple[Told, tuple[str, dt.date]]]:
    """What receivers were told of misses, with the ping that it is about."""
    for each in told:
        if each.type == "ping_missed" and each.to not in SENDERS:
            yield each, (each.data["connection_id"], dt.date.fromisoformat(each.data["date"]))


def _no_alarm_for_a_sign(facts: Facts, pings: dict, new: list[Told], house: House) -> Iterator[str]:
    """Nobody is alarmed for a window in which there was a sign of life (X32)."""
    for alarm, key in _alarms(new):
        ping = pings.get(key)
        if ping is None:
            yield f"{alarm.to} was alarmed about a ping that there is not: {key}"
            continue
        sender = house.names[str(ping["sender_id"])]
        for sign in facts.signs:
            if sign.who != sender or sign.known_at > alarm.at:
                continue
            if rules.holds(ping["scheduled_at"], ping["deadline_at"], sign.at):
                yield f"{alarm.to} was alarmed at {alarm.at} about {_shown(ping, house)}, although {sender} was safe at {sign.at}"
            elif key[1] in sign.spoke_for:
                yield f"{alarm.to} was alarmed about {_shown(ping, house)}, although {sender} had checked in early for that date at {sign.at}"


def _nobody_is_alarmed_unasked(facts: Facts, pings: dict, new: list[Told], house: House) -> Iterator[str]:
    """Nobody is alarmed for a deadline that the sender could not know of (X35)."""
    for alarm, key in _alarms(new):
        ping = pings.get(key)
        if ping is None:
            continue
        sender = house.names[str(ping["sender_id"])]
        asked = [
            each.at for each in facts.told
            if each.to == sender and each.type in ASKINGS and each.data.get("date") == str(key[1]) and each.at <= alarm.at
        ]
        # Whoever connects, resumes or comes back within the window sees the ping in the answer.
        seen = any(rules.holds(ping["scheduled_at"], ping["deadline_at"], at) for at in facts.acted.get(sender, []))
        if not asked and not seen:
            yield f"{alarm.to} was alarmed about {_shown(ping, house)}, and {sender} was never asked"
            continue
        for began, ended in facts.worker_away:
            # An absence that the deadline passed in. A minute is no absence.
            if ended is None or ended - began <= 2 * MINUTE or not began < ping["deadline_at"] <= ended or ended > alarm.at:
                continue
            again = [at for at in asked if at >= ended]
            if not asked:
                continue
            if not again or alarm.at < rules.judged_when_asked_late(min(again), ping["scheduled_at"], ping["deadline_at"]) - MINUTE:
                yield f"{alarm.to} was alarmed at {alarm.at} about {_shown(ping, house)}: the worker was away until {ended}, and {sender} had not the whole grace again"


def _a_sign_speaks_for_each_window(facts: Facts, pings: dict, now: dt.datetime, house: House) -> Iterator[str]:
    """A ping whose window holds a sign of life is not open, nor missed, whenever it was made (X32, J07)."""
    for ping in pings.values():
        if ping["status"] not in (*OPEN, "missed") or ping["connection_status"] != "active":
            continue
        sender = house.names[str(ping["sender_id"])]
        for sign in facts.signs:
            if sign.who == sender and rules.holds(ping["scheduled_at"], ping["deadline_at"], sign.at) and sign.known_at <= now:
                yield f"{_shown(ping, house)} is {ping['status']}, although {sender} was safe at {sign.at}"


def _an_act_after_the_deadline_cancels_nothing(act: Act, memory: Memory, pings: dict, now: dt.datetime) -> Iterator[str]:
    """The miss stands, whenever the worker comes to it (X34)."""
    if act.kind in ("wait", "until"):
        return
    for key, (status, deadline_at) in memory.pings.items():
        if status in OPEN and deadline_at <= now and pings[key]["status"] == "cancelled":
            yield f"the ping of {key[1]} was {status} past its deadline of {deadline_at}, and was cancelled at {now}"


def _the_all_clear_reaches_whom_it_must(act: Act, facts: Facts, memory: Memory, new: list[Told], house: House) -> Iterator[str]:
    """Exactly those who were alarmed and are not removed, blocked or gone, once each (X35)."""
    cleared = [each for each in new if each.type == "ping_all_clear"]
    for each in new:
        if each.type == "ping_missed" and each.to not in SENDERS:
            sender = _sender_of(each.data["connection_id"], house)
            memory.alarmed.add((sender, each.to))
    for to, times in Counter(each.to for each in cleared).items():
        if times > 1 and act.kind in ("check in", "tap"):
            yield f"{to} got {times} all-clears of one check-in"
    if act.kind not in ("check in", "tap") or not facts.signs or facts.signs[-1].known_at != house.now:
        for each in cleared:
            yield f"{each.to} got an all-clear without a check-in"
        return
    sign = facts.signs[-1]
    present = {
        (house.names[str(row["sender_id"])], house.names[str(row["receiver_id"])])
        for row in house.connections() if row["status"] in rules.CLEARED
    }
    expected = {receiver for sender, receiver in memory.alarmed if sender == act.who and (sender, receiver) in present}
    got = {each.to for each in cleared}
    for receiver in sorted(got - {receiver for sender, receiver in memory.alarmed | memory.absent if sender == act.who}):
        yield f"{receiver} got an all-clear about {act.who} and had not been alarmed"
    is_now = sign.at == sign.known_at
    if is_now:
        for receiver in sorted(expected - got):
            yield f"{receiver} had been alarmed about {act.who} and got no all-clear"
    if is_now:
        memory.absent |= {pair for pair in memory.alarmed if pair[0] == act.who}
        memory.alarmed = {pair for pair in memory.alarmed if pair[0] != act.who}
    memory.alarmed -= {(act.who, receiver) for receiver in got}
    memory.absent -= {(act.who, receiver) for receiver in got}


def _today_is_today(facts: Facts, pings: dict, new: list[Told], house: House) -> Iterator[str]:
    """"Today" is said only of the sender's local date (X35)."""
    for each in new:
        if each.type != "ping_missed" or "date" not in each.data:
            continue
        date = dt.date.fromisoformat(each.data["date"])
        ping = pings.get((each.data.get("connection_id"), date))
        if ping is None:
            continue
        sender = house.names[str(ping["sender_id"])]
        if facts.changed_at[sender] > ping["scheduled_at"]:
            continue
        zone = house.zone_of(sender)
        if ("today" in each.body) != rules.is_today(date, each.at, zone):
            yield f"{each.to} read “{each.body}” about {date} on {local_date(each.at, zone)}"


def _nobody_is_told_twice(facts: Facts, house: House) -> Iterator[str]:
    """One miss is told once to each."""
    for (to, connection, date), times in Counter((alarm.to, *key) for alarm, key in _alarms(facts.told)).items():
        if times > 1:
            yield f"{to} was alarmed {times} times about {date}"


def _older_dates_are_over(act: Act, pings: dict, house: House) -> Iterator[str]:
    """After a change of zone or time, no older date is still to come (X33)."""
    if act.kind not in ("zone", "times"):
        return
    today = local_date(house.now, house.zone_of(act.who))
    for (_, date), ping in pings.items():
        # One whose time has come stays, also while the worker is late (X33, X34).
        if ping["status"] == "scheduled" and date < today and ping["scheduled_at"] > house.now and house.names[str(ping["sender_id"])] == act.who:
            yield f"{_shown(ping, house)} is still to come, and for {act.who} it is {today}"


def _silence_is_reported(facts: Facts, pings: dict, now: dt.datetime, house: House) -> Iterator[str]:
    """Silence through a window that the sender was asked in is reported, once to each, 10 s after the deadline."""
    for key, ping in pings.items():
        deadline = ping["deadline_at"]
        if deadline + JUDGED_AFTER > now or _was_away(facts, ping["scheduled_at"] - HOUR, now):
            continue
        sender, receiver = house.names[str(ping["sender_id"])], house.names[str(ping["receiver_id"])]
        if ping["status"] in OPEN:
            yield f"{_shown(ping, house)} is still {ping['status']} at {now}"
        if ping["status"] != "missed" or _status_between(facts, key[0], deadline, deadline + JUDGED_AFTER) != {"active"}:
            continue
        if not any(each.to == receiver for each, about in _alarms(facts.told) if about == key):
            yield f"{receiver} was never told of {_shown(ping, house)}, which {sender} missed"


def _was_away(facts: Facts, since: dt.datetime, until: dt.datetime) -> bool:
    """Whether a worker or the servers were away, with the quarter of an hour after it."""
    return any(
        began < until and (ended is None or ended + rules.AFTER_OUTAGE + MINUTE > since)
        for began, ended in (*facts.worker_away, *facts.servers_away)
    )


def _status_between(facts: Facts, connection: str, since: dt.datetime, until: dt.datetime) -> set[str]:
    """What a connection was in that time."""
    history = facts.status[connection]
    before = [status for at, status in history if at <= since]
    return set(before[-1:]) | {status for at, status in history if since < at <= until}


def _sender_of(connection: str, house: House) -> str:
    return next(house.names[str(row["sender_id"])] for row in house.connections() if str(row["id"]) == connection)


def _shown(ping: dict, house: House) -> str:
    sender, receiver = house.names[str(ping["sender_id"])], house.names[str(ping["receiver_id"])]
    return f"{sender}'s ping to {receiver} of {ping['ping_on']} ({ping['scheduled_at']:%d %H:%M} to {ping['deadline_at']:%d %H:%M})"
