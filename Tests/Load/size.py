"""How large and how long the load tests are."""

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Size:
    """Two sizes: `full` gives the results that count, `small` shows in seconds that a benchmark works."""

    senders: int
    connections: int
    """A multiple of senders, which are a multiple of the tenants."""
    tenants: int
    many_tenants: int
    history_days: int
    round_seconds: int
    """How long one side is measured in one round of an HTTP benchmark."""
    rounds: int
    """How often each side is measured; the result is the median."""
    calls_per_second: int
    """More than any side makes of a call that each person makes once only: there must always be one more."""

    @staticmethod
    def chosen() -> "Size":
        """The one that the environment variable SIZE names; `full` where it names none."""
        name = os.environ.get("SIZE", "full")
        if name not in SIZES:
            raise SystemExit(f"load: SIZE={name} must be one of: {' '.join(SIZES)}")
        return SIZES[name]


SIZES = {
    "full": Size(
        senders=500_000, connections=1_000_000, tenants=100, many_tenants=1000, history_days=30,
        round_seconds=4, rounds=5, calls_per_second=10_000,
    ),
    "small": Size(
        senders=100_000, connections=300_000, tenants=10, many_tenants=100, history_days=3,
        round_seconds=1, rounds=1, calls_per_second=10_000,
    ),
}
