"""What a benchmark found."""

from statistics import median


def note(text: str) -> None:
    """Prints a line that explains the result after it."""
    print(f"# {text}", flush=True)


def report(name: str, ours: list[float], peer: list[float], higher_is_better: bool = True) -> None:
    """Prints the result: the medians and their ratio, ours to the peer's. Says first how far the rounds lay apart."""
    if len(ours) > 1:
        note(f"{name}: rounds ours {_span(ours)}, peer {_span(peer)}")
    better, ratio = "higher" if higher_is_better else "lower", median(ours) / median(peer)
    note(f"{name}: {better} is better")
    print(f"bench {name} ours={_number(median(ours))} peer={_number(median(peer))} ratio={ratio:.2f}", flush=True)


def _span(values: list[float]) -> str:
    return f"{_number(min(values))}…{_number(max(values))}"


def _number(value: float) -> str:
    return f"{value:.0f}" if value >= 1000 else f"{value:.3g}"
