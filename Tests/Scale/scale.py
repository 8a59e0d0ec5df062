"""Writes the tables of docs/scale.md and its plot from the measured costs and a simulated day.

The tables stand between comments that name them, so that the text around them is written by people and no figure is.
"""

import argparse
import json
import re
import sys
from collections.abc import Iterable
from dataclasses import fields, replace
from pathlib import Path

import numpy
from model import FOLDER, Costs
from simulation import DISK_FULL, MINUTES, Assumptions, Day, Machine, Scenario, Simulation, regions

DOCUMENT = FOLDER.parents[1] / "docs" / "scale.md"
PLOT = DOCUMENT.with_suffix(".svg")
SEED = 1

SCENARIOS = (
    Scenario(10_000, 3, Machine(2, 0.1, 1), 1),
    Scenario(1_000_000, 100, Machine(16, 2, 10), 1),
    Scenario(100_000_000, 5_000, Machine(32, 8, 25), None),
)
LARGER = (Machine(32, 8, 25), Machine(64, 16, 50), Machine(128, 30, 100))
SERVER = Machine(8, 0, 10)
"""A machine of `kith serve`."""
STREAMS_OF_A_SERVER = 20_000
"""KITH_STREAMS."""
MORE_STREAMS = 200_000
"""The same on a server that has the memory and the open files for it."""
CONNECTIONS_OF_A_CELL = 1_000
"""The connections that a PostgreSQL of this size is given."""
WAL_OF_A_DISK = 1e9
"""Bytes a second that an NVMe disk writes in sequence, half of what data sheets say."""


class Report:
    """The tables, by name."""

    def __init__(self, simulation: Simulation):
        self._simulation = simulation
        self._costs = simulation.costs
        self._days: dict[int, tuple[Scenario, int, Day]] = {}
        for scenario in SCENARIOS:
            cells = scenario.cells or simulation.cells_needed(scenario.users, scenario.cell)
            day = simulation.day(simulation.place(scenario.users, scenario.tenants, cells))
            self._days[scenario.users] = (scenario, cells, day)

    @property
    def largest(self) -> tuple[Scenario, int, Day]:
        """The day of the most users."""
        return self._days[max(self._days)]

    def tables(self) -> dict[str, str]:
        """Each table as Markdown."""
        return {
            "conditions": self._conditions(), "acts": self._acts(), "calls": self._calls(), "standing": self._standing(), "ping-day": self._ping_day(),
            "assumptions": self._assumptions(), "sizes": self._sizes(), "first": self._first(), "tenant": self._tenant(),
            "regions": self._regions(), "check": self._check(),
        }

    def _conditions(self) -> str:
        it = self._costs.measured["conditions"]
        return (
            f"Measured on {it['measured_on']} with {it['senders']:,} senders in {it['tenants']} tenants, on {it['processors']} processors"
            f" ({it['processor']}, {it['system']}), with a load average of {it['load']:g}: whatever else ran meanwhile makes these costs too high"
            " rather than too low."
        )

    def _acts(self) -> str:
        names = {
            "generate": "make a sender's pings of a day", "announce": "tell a sender that they are due", "first-call": "the first call of an app that was closed, whose token is checked",
            "home": "`GET /v1/home`", "check-in": "`POST /v1/pings/check-in`", "message-of-check-in": "plan and send one message of a check-in to a receiver",
            "dashboard": "`GET /v1/dashboard`", "connection": "`GET /v1/connections/{id}`", "remind": "remind a sender", "miss": "judge a sender's pings missed",
            "message": "plan and send one message to a sender", "vacuum": "vacuum and analyze after a sender's day",
        }
        rows = []
        for act, text in names.items():
            few, many = (self._costs.of(act, receivers) for receivers in (1, 3))
            cost = self._costs.of(act, self._simulation.assumptions.receivers)
            rows.append((text, _whole(few.postgres), _whole(cost.postgres), _whole(many.postgres), _whole(cost.kith), _whole(cost.wal)))
        streams = self._costs.measured["streams"]
        for text, name in (("open a stream of events", "to_open"), ("an event on a stream", "an_event")):
            rows.append((text, "", _whole(streams[f"postgres_us_{name}"]), "", _whole(streams[f"kith_us_{name}"]), ""))
        return _table(("act", "PostgreSQL, 1 receiver (µs)", "2 receivers", "3 receivers", "Kith (µs)", "WAL (bytes)"), rows)

    def _calls(self) -> str:
        sizes = self._costs.measured["network_bytes"]
        return _table(
            ("call", "request (bytes)", "answer (bytes)"),
            [(name, _whole(size["request"]), _whole(size["answer"])) for name, size in sizes.items()],
        )

    def _standing(self) -> str:
        connections, idle, streams = (self._costs.measured[name] for name in ("connections", "idle", "streams"))
        rows = [
            ("connections of a server with one loop to a cell", f"{connections['of_a_server_to_a_cell']}"),
            ("connections of a worker to a cell", f"{connections['of_a_worker_to_a_cell']}"),
            ("memory of such a connection that PostgreSQL shares with no other", f"{connections['private_kib_of_a_backend'] / 1024:.1f} MiB"),
            ("an idle server, in each cell", _a_second(idle["server"])),
            ("an idle worker, in each cell", _a_second(idle["worker"])),
            ("an open stream, in the server's memory", f"{streams['kib']:.0f} KiB"),
        ]
        return _table(("what", "costs"), rows)

    def _ping_day(self) -> str:
        cost = self._simulation.ping_day()
        counts = self._simulation.of_a_sender()
        rows = [(act, f"{count:.2f}", _whole(count * self._simulation.cost(act).postgres), _whole(count * self._simulation.cost(act).kith)) for act, count in counts.items()]
        rows.append(("vacuum", "1.00", _whole(self._costs.of("vacuum", self._simulation.assumptions.receivers).postgres), "0"))
        rows.append(("**in all**", "", f"**{_whole(cost.postgres)}**", f"**{_whole(cost.kith)}**"))
        return _table(("act", "times a day", "PostgreSQL (µs)", "Kith (µs)"), rows)

    def _assumptions(self) -> str:
        it = self._simulation.assumptions
        return _table(("value", "assumption"), [(f"{getattr(it, field.name):g}", field.metadata["text"]) for field in fields(it)])

    def _sizes(self) -> str:
        columns = []
        for scenario, cells, day in self._days.values():
            servers = self._servers(day)
            columns.append((
                f"{cells}", _machine(scenario.cell), f"{servers}", f"{day.peak(day.acts['check-in']) / 60:,.1f}", f"{day.peak(day.acts['announce']) / 60:,.1f}",
                f"{day.peak(day.acts['message'] + day.acts['message-of-check-in']) / 60:,.1f}",
                f"{day.peak(day.postgres):,.2f}", f"{day.postgres.mean(axis=1).sum():,.2f}", f"{day.peak(day.kith):,.2f}", f"{day.peak(day.wal) / 1e6:,.2f} MB/s",
                f"{day.wal.mean(axis=1).sum() * 86400 / 1e9:,.1f} GB", f"{day.peak(day.network) * 8 / 1e6:,.1f} Mbit/s", f"{day.peak(day.streams):,.0f}",
                _bytes(self._simulation.kept_bytes(scenario.users)), f"{self._connections(servers):,}",
                f"{self._servers(day, MORE_STREAMS)}", f"{self._connections(self._servers(day, MORE_STREAMS)):,}",
                f"{2 * self._simulation.largest_tenant(scenario.users, scenario.tenants):,.0f}",
            ))
        names = (
            "cells", "machine of a cell", f"servers of {SERVER.processors} processors", "check-ins a second in the busiest minute", "senders told a second in the busiest minute",
            "messages a second in the busiest minute", "processors of PostgreSQL in the busiest minute", "the same, mean of the day",
            "processors of Kith in the busiest minute", "WAL in the busiest minute", "WAL of a day", "network in the busiest minute", "streams open at most",
            "disk once the retentions have passed", "connections to each cell", f"servers with KITH_STREAMS={MORE_STREAMS}",
            "connections to each cell then", "users of the largest tenant",
        )
        return _table(("", *(f"{scenario.users:,} users" for scenario, _, _ in self._days.values())), list(zip(names, *columns)))

    def _first(self) -> str:
        columns = []
        for scenario, cells, day in self._days.values():
            used = self._used(scenario, cells, day)
            columns.append([f"{name}: {share:.1%}" for name, share in sorted(used.items(), key=lambda item: -item[1])])
        rows = [(f"{place + 1}", *row) for place, row in enumerate(zip(*columns))]
        return _table(("", *(f"{scenario.users:,} users" for scenario, _, _ in self._days.values())), rows)

    def _used(self, scenario: Scenario, cells: int, day: Day) -> dict[str, float]:
        """How much of each limit is used, the busiest cell's."""
        busy = self._simulation.assumptions.busy
        servers = self._servers(day)
        most = day.senders.max() / day.senders.sum()
        return {
            "processors of the busiest cell": day.postgres.max() / (scenario.cell.processors * busy),
            "disk of the fullest cell": self._simulation.kept_bytes(scenario.users) * most / (scenario.cell.disk_terabytes * 1e12 * DISK_FULL),
            "connections to a cell": self._connections(servers) / CONNECTIONS_OF_A_CELL,
            "WAL of a cell": day.wal.max() / WAL_OF_A_DISK,
            "network of a cell for one standby": day.wal.max() * 8 / (scenario.cell.network_gigabits * 1e9),
            "processors of the servers": day.peak(day.kith) / (servers * SERVER.processors * busy),
            "streams of the servers": day.peak(day.streams) / (servers * STREAMS_OF_A_SERVER),
        }

    def _servers(self, day: Day, streams: int = STREAMS_OF_A_SERVER) -> int:
        """The servers that the busiest minute needs, and one more for the loss of one."""
        by_processors = day.peak(day.kith) / (SERVER.processors * self._simulation.assumptions.busy)
        by_streams = day.peak(day.streams) / streams
        return int(numpy.ceil(max(by_processors, by_streams))) + 1

    def _connections(self, servers: int) -> int:
        it = self._costs.measured["connections"]
        return servers * it["of_a_server_to_a_cell"] + 2 * it["of_a_worker_to_a_cell"]

    def _tenant(self) -> str:
        rows = []
        simulation = self._simulation
        for machine in LARGER:
            columns = [_machine(machine)]
            for shares in (simulation.world.shares(), self._one_zone()):
                million = simulation.day(1e6 * simulation.assumptions.senders * shares[None, :])
                by_processors = 1e6 * machine.processors * simulation.assumptions.busy / million.postgres.max()
                by_disk = 1e6 * machine.disk_terabytes * 1e12 * DISK_FULL / simulation.kept_bytes(1e6)
                columns += [f"{by_processors / 1e6:,.1f} million", f"{min(by_processors, by_disk) / 1e6:,.1f} million, by {'disk' if by_disk < by_processors else 'processors'}"]
            rows.append(columns)
        return _table(
            ("machine of the cell", "people all over the world, by processors alone", "by processors and disk", "people in one time zone, by processors alone", "by processors and disk"), rows,
        )

    def _one_zone(self) -> numpy.ndarray:
        shares = numpy.zeros(len(self._simulation.world.offsets))
        shares[self._simulation.world.people.argmax()] = 1
        return shares

    def _regions(self) -> str:
        simulation = self._simulation
        scenario, everywhere, day = self.largest
        rows, total, peaks = [], 0, 0.0
        for region in regions():
            users = round(scenario.users * simulation.world.region_share(region))
            cells = simulation.cells_needed(users, scenario.cell, region)
            here = simulation.day(users * simulation.assumptions.senders * simulation.world.shares(region)[None, :])
            total, peaks = total + cells, peaks + here.postgres.max()
            minute = int(here.postgres.sum(axis=0).argmax())
            rows.append((region, f"{users / 1e6:,.1f} million", f"{here.postgres.max():,.0f}", f"{minute // 60:02}:{minute % 60:02} UTC", f"{cells}"))
        rows.append(("**all regions**", f"{scenario.users / 1e6:,.0f} million", f"{peaks:,.0f}", "each at its own time", f"{total}"))
        rows.append(("**cells without regions**", f"{scenario.users / 1e6:,.0f} million", f"{day.peak(day.postgres):,.0f}", _at(day), f"{everywhere}"))
        return _table(("region", "users", "processors of PostgreSQL in the busiest minute", "which is", "cells"), rows)

    def _check(self) -> str:
        found = json.loads((FOLDER / "check.json").read_text())
        rows = [
            (part["act"], f"{part['predicted_us']:,.0f}", f"{part['measured_us']:,.0f}", f"{part['predicted_us'] / part['measured_us']:.2f}") for part in found["parts"]
        ]
        counts = self._simulation.of_a_sender() | {"vacuum": 1.0}
        predicted, measured = (
            sum(part[side] * counts.get(part["act"], 0) for part in found["parts"]) for side in ("predicted_us", "measured_us")
        )
        rows.append(("**a sender's day**", f"**{predicted:,.0f}**", f"**{measured:,.0f}**", f"**{predicted / measured:.2f}**"))
        return (
            f"{found['senders']:,} senders with {found['receivers']} receivers each in {found['tenants']} tenants:\n\n"
            + _table(("act", "predicted (µs)", "measured (µs)", "ratio"), rows)
        )


def plot(day: Day, path: Path) -> None:
    """Draws what the day needs by the hour."""
    import matplotlib

    # Text stays text, and ids do not change from one drawing to the next.
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "kith", "font.family": "sans-serif", "font.size": 9})
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 5.5), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True)
    hours = numpy.arange(MINUTES) / 60
    above.plot(hours, day.postgres.sum(axis=0), color="#0b6e4f", linewidth=0.9, label="PostgreSQL, all cells")
    above.plot(hours, day.kith.sum(axis=0), color="#b3261e", linewidth=0.9, label="servers and workers")
    above.set_ylabel("busy processors")
    below.plot(hours, day.acts["announce"].sum(axis=0) / 60, color="#9aa0a6", linewidth=0.9, label="senders told that a ping is due")
    below.plot(hours, day.acts["check-in"].sum(axis=0) / 60, color="#0b6e4f", linewidth=0.9, label="check-ins")
    below.set_ylabel("a second")
    below.set_xlabel("hour of the day in UTC")
    below.set_xlim(0, 24)
    below.set_xticks(range(0, 25, 3))
    for part in (above, below):
        part.set_ylim(0)
        part.grid(alpha=0.3)
        part.legend(loc="upper right", frameon=False)
    figure.savefig(path, metadata={"Date": None, "Creator": None})
    # A tenth of a point is more than anybody sees.
    path.write_text(re.sub(r"(?<=[ ML])-?\d+\.\d{2,}", lambda found: f"{float(found[0]):.1f}", path.read_text()))


def main() -> int:
    options = argparse.ArgumentParser(prog="Tests/Scale/run", description=__doc__.splitlines()[0])
    options.add_argument("--check", action="store_true", help="write nothing, and fail if the document is stale")
    is_check = options.parse_args().check
    report = Report(Simulation(Costs.read(), Assumptions(), SEED))
    text = DOCUMENT.read_text()
    written = text
    for name, table in report.tables().items():
        block = re.compile(rf"(<!-- {name}: written by make scale -->\n).*?(<!-- end of {name} -->)", re.DOTALL)
        if not block.search(written):
            print(f"scale: {DOCUMENT.name} has no place for {name}", file=sys.stderr)
            return 1
        written = block.sub(lambda found: f"{found[1]}\n{table}\n\n{found[2]}", written)
    if is_check:
        if written != text:
            print(f"scale: {DOCUMENT} is stale: make scale", file=sys.stderr)
        return int(written != text)
    DOCUMENT.write_text(written)
    plot(report.largest[2], PLOT)
    return 0


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = tuple(head)
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _whole(value: float) -> str:
    return f"{value:,.0f}"


def _a_second(idle: dict[str, int]) -> str:
    return f"{idle['postgres_us_a_second'] / 1e4:.2f} % of a processor of PostgreSQL, {idle['kith_us_a_second'] / 1e4:.2f} % of Kith's"


def _bytes(count: float) -> str:
    return f"{count / 1e12:,.1f} TB" if count >= 1e12 else f"{count / 1e9:,.1f} GB"


def _machine(machine: Machine) -> str:
    disk = f"{machine.disk_terabytes:g} TB" if machine.disk_terabytes >= 1 else f"{machine.disk_terabytes * 1000:g} GB"
    return f"{machine.processors} processors, {disk}"


def _at(day: Day) -> str:
    minute = int(day.postgres.sum(axis=0).argmax())
    return f"{minute // 60:02}:{minute % 60:02} UTC"


if __name__ == "__main__":
    sys.exit(main())
