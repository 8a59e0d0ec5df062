"""What was done, call by call."""

import math
from collections.abc import Iterable
from typing import NamedTuple

WARM_UP_SECONDS = 1
"""In which every connection to the database makes its plans and fills its caches, where it is always the same call."""


class Entry(NamedTuple):
    """A call, or several in a row. The instants are in seconds, of whatever clock."""

    kind: str
    began: float
    ended: float


class Journal:
    """The entries of a load that went on for a warm-up and some seconds more; only the latter count."""

    def __init__(self, entries: Iterable[Entry], warm_up: float, seconds: float):
        entries = list(entries)
        self._seconds = seconds
        self._since = min(entry.began for entry in entries) + warm_up
        self._until = self._since + seconds
        self._entries = [entry for entry in entries if self._since < entry.ended and entry.began < self._until]

    @property
    def rate(self) -> float:
        """Entries a second. Of one that began before or ended after, the part counts that its time within is of it."""
        return sum(
            (min(ended, self._until) - max(began, self._since)) / (ended - began) for _, began, ended in self._entries
        ) / self._seconds

    def p99(self, *kinds: str) -> float:
        """Milliseconds within which 99 of 100 entries of these kinds were done, of those that began in time."""
        taken = sorted(
            entry.ended - entry.began for entry in self._entries if entry.kind in kinds and entry.began >= self._since
        )
        if not taken:
            raise RuntimeError(f"nothing was done of: {' '.join(kinds)}")
        return taken[math.ceil(len(taken) * 0.99) - 1] * 1000
