"""What acts cost: the measurements of costs.json, and the arithmetic that the simulation and its check share."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Cost:
    """What an act costs."""

    postgres: float
    """Microseconds of the processors of the cell's PostgreSQL, with its checkpointer and WAL writer."""

    kith: float
    """Microseconds of the processors of `kith serve` or `kith worker`."""

    wal: float
    """Bytes of WAL."""

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(self.postgres + other.postgres, self.kith + other.kith, self.wal + other.wal)

    def __mul__(self, times: float) -> "Cost":
        return Cost(self.postgres * times, self.kith * times, self.wal * times)


NOTHING = Cost(0, 0, 0)


class Costs:
    """The measured costs of each kind of act, of senders with any number of receivers."""

    def __init__(self, measured: dict):
        self.measured = measured
        self._by_receivers = {int(receivers): acts for receivers, acts in measured["acts"].items()}

    @staticmethod
    def read() -> "Costs":
        """The costs that Tests/Scale/measure wrote."""
        return Costs(json.loads((FOLDER / "costs.json").read_text()))

    def of(self, act: str, receivers: float) -> Cost:
        """One act of a sender with so many receivers, on the line through the two numbers of receivers that were measured."""
        (fewer, few), (more, many) = sorted(self._by_receivers.items())
        share = (receivers - fewer) / (more - fewer)
        low, high = Cost(**few[act]), Cost(**many[act])
        return low * (1 - share) + high * share

    def of_all(self, acts: Mapping[str, float], receivers: float) -> Cost:
        """Many acts: how many of each kind."""
        total = NOTHING
        for act, count in acts.items():
            total += self.of(act, receivers) * count
        return total
