"""The result of a benchmark."""

from collections.abc import Sequence
from statistics import median


def report(name: str, ours: Sequence[float], peer: Sequence[float], what: str) -> None:
    """Prints a result: the medians, and the ratio of ours to the peer's.

    The line before it explains the numbers and gives the spread of the rounds.
    """
    spread = f" (rounds: ours {_span(ours)}, peer {_span(peer)})" if len(ours) > 1 else ""
    print(f"# {name}: {what}{spread}")
    ratio = median(ours) / median(peer)
    print(f"bench {name} ours={_number(median(ours))} peer={_number(median(peer))} ratio={ratio:.2f}", flush=True)


def _span(values: Sequence[float]) -> str:
    return f"{_number(min(values))}…{_number(max(values))}"


def _number(value: float) -> str:
    return f"{value:.0f}" if value >= 1000 else f"{value:.3g}"
