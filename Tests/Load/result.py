"""The result of a benchmark."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Literal


@dataclass(frozen=True)
class Target:
    """What a result should be."""

    relation: Literal["at least", "at most"]
    value: float
    of: Literal["ratio", "ours"]

    def __str__(self) -> str:
        return f"target{' of ours' if self.of == 'ours' else ''} {self.relation} {self.value:g}"

    def is_met(self, ours: float, ratio: float) -> bool:
        """Whether a result, as it is printed, meets the target."""
        value = round(ratio, 2) if self.of == "ratio" else ours
        return value >= self.value if self.relation == "at least" else value <= self.value


def at_least(ratio: float) -> Target:
    """The ratio should be at least this."""
    return Target("at least", ratio, "ratio")


def at_most(ratio: float) -> Target:
    """The ratio should be at most this."""
    return Target("at most", ratio, "ratio")


def ours_at_most(value: float) -> Target:
    """Our own number should be at most this, whatever the peer's is."""
    return Target("at most", value, "ours")


@dataclass(frozen=True)
class Result:
    """The measurements of both sides, a number for each round."""

    name: str
    what: str
    ours: list[float]
    peer: list[float]
    target: Target | None

    @property
    def ratio(self) -> float:
        """The median of ours over the peer's."""
        return median(self.ours) / median(self.peer)

    def __str__(self) -> str:
        spread = f" (rounds: ours {_span(self.ours)}, peer {_span(self.peer)})" if len(self.ours) > 1 else ""
        return (
            f"# {self.name}: {self.what}; {self.target or 'no target'}{spread}\n"
            f"bench {self.name} ours={number(median(self.ours))} peer={number(median(self.peer))} ratio={self.ratio:.2f}"
        )

    def as_json(self) -> dict[str, object]:
        """The result as values of JSON; `from_json` reads it."""
        return asdict(self)

    @staticmethod
    def from_json(value: dict) -> "Result":
        """A result that `as_json` gave."""
        return Result(**{**value, "target": Target(**value["target"]) if value["target"] else None})


on_result: list[Callable[[Result], None]] = []
"""Called with each result."""


def report(name: str, ours: Sequence[float], peer: Sequence[float], what: str, target: Target | None = None) -> None:
    """Prints a result: the medians, and the ratio of ours to the peer's.

    The line before it explains the numbers and gives the target and the spread of the rounds.
    """
    result = Result(name, what, list(ours), list(peer), target)
    print(result, flush=True)
    for take in on_result:
        take(result)


def number(value: float) -> str:
    """A measured number as people read it: three digits, or all before the decimal point."""
    return f"{value:.0f}" if value >= 1000 else f"{value:.3g}"


def _span(values: Sequence[float]) -> str:
    return f"{number(min(values))}…{number(max(values))}"
