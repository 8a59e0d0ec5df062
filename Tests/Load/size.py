"""The size and the duration of the load tests."""

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Size:
    """A size: `full` gives valid results, `small` shows in seconds that a benchmark works.

    `large` is what one database is meant to hold.
    """

    name: str
    senders: int
    connections: int
    """A multiple of the senders, which are a multiple of the tenants."""
    tenants: int
    many_tenants: int
    history_days: int
    round_seconds: int
    """The seconds for which one side is measured in one round of an HTTP benchmark."""
    rounds: int
    """The number of measurements of each side; the result is their median."""
    calls_per_second: int
    """More than either side makes of a call that each user makes only once, so that callers never run out."""

    @staticmethod
    def chosen() -> "Size":
        """The size named by the environment variable SIZE; `full` by default."""
        name = os.environ.get("SIZE", "full")
        if name not in SIZES:
            raise SystemExit(f"load: SIZE={name} must be one of: {' '.join(SIZES)}")
        return SIZES[name]


SIZES = {
    "full": Size(
        name="full", senders=500_000, connections=1_000_000, tenants=100, many_tenants=1000, history_days=30,
        round_seconds=4, rounds=5, calls_per_second=10_000,
    ),
    # For `scale` alone: it takes most of an hour and 40 GB of disk.
    "large": Size(
        name="large", senders=5_000_000, connections=10_000_000, tenants=1000, many_tenants=1000, history_days=30,
        round_seconds=4, rounds=5, calls_per_second=10_000,
    ),
    "small": Size(
        name="small", senders=100_000, connections=300_000, tenants=10, many_tenants=100, history_days=3,
        round_seconds=1, rounds=1, calls_per_second=10_000,
    ),
}
