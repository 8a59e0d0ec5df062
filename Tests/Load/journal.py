"""A journal of the calls that were made."""

import math
from collections.abc import Iterable
from typing import NamedTuple

WARM_UP_SECONDS = 1
"""Enough for every database connection to make its plans and fill its caches, if it always makes the same call."""


class Entry(NamedTuple):
    """A call, or several in a row. The instants are in seconds of any clock."""

    kind: str
    began: float
    ended: float


class Journal:
    """The entries of a load of a warm-up and some more seconds; only the latter count."""

    def __init__(self, entries: Iterable[Entry], warm_up: float, seconds: float):
        entries = list(entries)
        self._seconds = seconds
        self._since = min(entry.began for entry in entries) + warm_up
        self._until = self._since + seconds
        self._entries = [entry for entry in entries if self._since < entry.ended and entry.began < self._until]

    @property
    def rate(self) -> float:
        """Entries per second. An entry partly outside the measured time counts in proportion to its time within."""
        return sum(
            (min(ended, self._until) - max(began, self._since)) / (ended - began) for _, began, ended in self._entries
        ) / self._seconds

    def p99(self, *kinds: str) -> float:
        """The p99 in milliseconds of the entries of these kinds that began within the measured time."""
        taken = sorted(
            entry.ended - entry.began for entry in self._entries if entry.kind in kinds and entry.began >= self._since
        )
        if not taken:
            raise RuntimeError(f"nothing was done of: {' '.join(kinds)}")
        return taken[math.ceil(len(taken) * 0.99) - 1] * 1000
