"""100,000 events read by the library, and their lines counted by a bare URLSession; and the memory of the former."""

import client
from result import at_least, at_most, report
from rounds import in_turns
from stage import Stage

COUNT = 100_000
FEW = 10_000
FLAT = 2
"""MiB that ten times as many events may take more."""


def run(stage: Stage) -> None:
    with client.counterpart(stage.folder) as url:
        ours, peer = in_turns(
            stage.size.rounds,
            lambda: client.measure("events", url, "token", COUNT),
            lambda: client.measure("bare-events", url, "token", COUNT),
        )
        few = [client.measure("events", url, "token", FEW).peak_kib for _ in ours]
    report(
        "client-events", [each.rate for each in ours], [each.rate for each in peer],
        "events a second as values, and their lines counted", at_least(0.5),
    )
    growth = [max(many.peak_kib - less, 10) / 1024 for many, less in zip(ours, few, strict=True)]
    report(
        "client-events-memory", growth, [FLAT] * len(growth),
        f"MiB that {COUNT:,} events take more than {FEW:,}; the peer is the limit", at_most(1),
    )
