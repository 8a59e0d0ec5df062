"""What all promises share: how one is added to those that the checker holds, and how instants compare."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone

from facts import Facts

Promise = Callable[[Facts], Iterator[str]]
PROMISES: list[Promise] = []
SLACK = timedelta(seconds=0.5)
"""The difference between the instants of two programs on one machine that mean the same."""
LATE = timedelta(minutes=1)
"""How far behind the clock of a server or worker may be before Kith overrules it (decision 33)."""


def promise(check: Promise) -> Promise:
    """Adds a promise to those that are checked."""
    PROMISES.append(check)
    return check


def instant(seconds: float) -> datetime:
    """The instant of an act."""
    return datetime.fromtimestamp(seconds, timezone.utc)
