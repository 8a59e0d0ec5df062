"""What two senders and three receivers may do, and a random life of them. A life is a list of acts that depend on nothing, so each part of
it can be played by itself."""

import datetime as dt
import random
from dataclasses import dataclass

from times import DAY, HOUR, MINUTE, SECOND, UTC

SENDERS, RECEIVERS = ("Alice", "Bob"), ("Carol", "Dave", "Erin")
NOMINEES = {"Alice": "Frank", "Bob": "Grace"}
"""Who gets into a sender's vault if that sender falls silent."""
ZONES = (
    "UTC", "Europe/Berlin", "Europe/London", "Europe/Istanbul", "Europe/Moscow", "Africa/Cairo", "Africa/Casablanca", "Africa/Lagos",
    "America/New_York", "America/Chicago", "America/Los_Angeles", "America/Santiago", "America/Sao_Paulo", "America/St_Johns",
    "America/Havana", "America/Nuuk", "Asia/Tokyo", "Asia/Kolkata", "Asia/Kathmandu", "Asia/Tehran", "Asia/Beirut", "Asia/Gaza",
    "Australia/Lord_Howe", "Australia/Sydney", "Pacific/Auckland", "Pacific/Chatham", "Pacific/Kiritimati", "Pacific/Apia",
    "Pacific/Pago_Pago", "Pacific/Easter",
)
"""Thirty zones: the changes of the clocks of both halves of the year, odd offsets, and both sides of the date line."""
STARTS = tuple(
    dt.datetime(*start, tzinfo=UTC)
    for start in (
        (2027, 3, 9, 12), (2027, 3, 13, 20), (2027, 3, 27, 21), (2027, 4, 3, 10), (2027, 4, 29, 18), (2027, 9, 4, 22), (2027, 10, 2, 12),
        (2027, 10, 30, 20), (2027, 11, 6, 23), (2027, 12, 30, 9), (2028, 2, 28, 8),
    )
)
TIMES = ("00:00", "00:30", "02:30", "09:00", "12:00", "17:45", "22:00", "23:20", "23:58")
GRACES = ((90, 15), (90, 15), (90, 15), (5, 1), (60, 30), (95, 15), (719, 60))
WAITS = (SECOND, 9 * SECOND, 11 * SECOND, MINUTE, 7 * MINUTE, 25 * MINUTE, HOUR, 2 * HOUR, 5 * HOUR, 11 * HOUR, 26 * HOUR, 3 * DAY)


@dataclass(frozen=True)
class Act:
    """Something that happens: its kind, and all that it needs."""

    kind: str
    who: str = ""
    whom: str = ""
    seconds: float = 0
    zone: str = ""
    time: str = ""
    grace: tuple[int, int] = (90, 15)
    days: tuple[int, int] = (0, 0)
    #: After how many missed days a right begins.
    after: int = 0

    def __str__(self) -> str:
        is_time = self.kind in ("wait", "until") or self.kind.startswith(("worker", "servers"))
        parts = [self.kind, "" if is_time else self.who, self.whom, self.zone, self.time]
        if self.kind in ("wait", "tap", "until"):
            parts.append(f"{self.seconds:+g} s" if self.kind == "until" else str(dt.timedelta(seconds=self.seconds)))
        if self.kind == "times":
            parts.append(f"grace {self.grace[0]}")
        if self.kind == "right":
            parts.append(f"to {NOMINEES[self.who]} after {self.after} days")
        if self.kind == "break":
            parts.append(f"{self.days}")
        return " ".join(part for part in parts if part)


KINDS = (
    ("wait", 22), ("until", 14), ("check in", 16), ("tap", 5), ("times", 6), ("zone", 5), ("connect", 7), ("pause", 5), ("resume", 5),
    ("remove by sender", 2), ("remove by receiver", 1), ("block", 1), ("unblock", 1), ("break", 4), ("end break", 3), ("end sender", 1),
    ("end receiver", 1), ("return", 2), ("worker stops", 2), ("worker returns", 4), ("servers stop", 1), ("servers return", 3),
)
QUIET_KINDS = tuple(
    (kind, {"wait": 40, "until": 8, "check in": 4, "tap": 4, "end sender": 0}.get(kind, weight)) for kind, weight in KINDS
) + (("right", 1), ("channel breaks", 2), ("channel works", 3))
"""Of lives in which silence may begin the wait for emergency access: the days pass, and hardly anybody checks in."""
QUIET_WAITS = (9 * SECOND, 11 * SECOND, MINUTE, 25 * MINUTE, 2 * HOUR, 11 * HOUR, 24 * HOUR, 25 * HOUR, 26 * HOUR, 50 * HOUR, 3 * DAY)


def life(seed: int, length: int) -> tuple[dt.datetime, list[Act]]:
    """When it begins, and what happens: first everybody is set up."""
    chance = random.Random(seed)
    start = chance.choice(STARTS)
    acts = [
        Act("times", who, zone=chance.choice(ZONES), time=chance.choice(TIMES), grace=chance.choice(GRACES)) for who in SENDERS
    ]
    acts += [Act("connect", "Alice", "Carol"), Act("connect", "Alice", "Dave"), Act("connect", "Bob", "Carol")]
    is_quiet = chance.random() < 0.4
    if is_quiet:
        acts += [Act("right", who, after=chance.choice((2, 2, 3))) for who in SENDERS]
    kinds, weights = zip(*(QUIET_KINDS if is_quiet else KINDS))
    for kind in chance.choices(kinds, weights, k=length):
        acts.append(_act(kind, QUIET_WAITS if is_quiet else WAITS, chance))
    return start, acts


def _act(kind: str, waits: tuple[dt.timedelta, ...], chance: random.Random) -> Act:
    first = chance.choice((-1, 0, 0, 1, 2))
    return Act(
        kind,
        who=chance.choice(RECEIVERS) if kind == "end receiver" else chance.choice(SENDERS + SENDERS[:1]),
        whom=chance.choice(RECEIVERS) if kind in ("connect", "pause", "resume", "remove by sender", "remove by receiver", "block", "unblock") else "",
        seconds=_seconds(kind, waits, chance),
        zone=chance.choice(ZONES) if kind in ("times", "zone") else "",
        time=chance.choice(TIMES) if kind == "times" else "",
        grace=chance.choice(GRACES),
        days=(first, first + chance.choice((0, 0, 1, 3))) if kind == "break" else (0, 0),
        after=chance.choice((2, 3)) if kind == "right" else 0,
    )


def _seconds(kind: str, waits: tuple[dt.timedelta, ...], chance: random.Random) -> float:
    if kind == "wait":
        return chance.choice(waits).total_seconds()
    if kind == "tap":
        return chance.choice((0, 20, 59, 61, 600, 5400, 50_000, 90_000, 200_000))
    if kind == "until":
        # Relative to the next instant at which something is due: just before, at it, and soon after.
        return chance.choice((-30, -1, 0, 1, 4, 9, 10, 11, 60, 600))
    return 0
