"""What the names of 100,000 tenants in three cells cost a server: at rest, and while strangers ask for hosts that nobody has."""

import contextlib
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from call import LOOK, Caller
from cell_house import DATABASE, Cell, CellHouse
from kith import Kith, Server
from process import processor_seconds
from reading import Reading
from result import at_most, report
from rounds import in_turns
from stage import Stage

CELLS = ["main", "east", "west"]
TENANTS = 99_999
"""With a host and two web origins each."""
CONNECTIONS = 4
STRANGERS = 16
"""Connections, each of which rests 20 ms between two requests: some 700 requests a second."""
SCRIPT = Path(__file__).parents[1] / "strangers.lua"
REST_SECONDS = 20
REST_TARGET = 20_000
"""Two hundredths of a processor."""


@dataclass(frozen=True)
class Cost:
    """What some seconds of reading cost."""

    p99: float
    """Of the readers, in milliseconds."""
    of_databases: float
    """Microseconds of the cells' PostgreSQL a second."""


def run(stage: Stage) -> None:
    folder = stage.folder / "cell-names"
    folder.mkdir(mode=0o755)
    kith = Kith(folder)
    size = replace(stage.size, senders=1000, connections=2000, tenants=10)
    with contextlib.ExitStack() as stack:
        house = CellHouse(stack, folder, kith, CELLS, size, shared_buffers="256MB")
        house.fill()
        for number, cell in enumerate(house.cells):
            _name(house, cell, range(number, TENANTS, len(CELLS)))
        # One loop, so that what it does for the names is seen by whoever waits for it.
        with kith.serve(house.directory.cluster.url(DATABASE, "kith_api"), loops=1) as server:
            time.sleep(5)
            _rest(house, server)
            _compare(house, server, stage.size.rounds)


def _rest(house: CellHouse, server: Server) -> None:
    before = [cell.cluster.processor_seconds for cell in house.cells], processor_seconds([server.pid])
    time.sleep(REST_SECONDS)
    databases = max(cell.cluster.processor_seconds - began for cell, began in zip(house.cells, before[0]))
    ours = processor_seconds([server.pid]) - before[1]
    what = f"microseconds a second %s at rest, with {TENANTS} tenants by name; the peer is the limit"
    report("cell-names-rest", [ours / REST_SECONDS * 1e6], [REST_TARGET], what % "of kith serve", at_most(1))
    report("cell-names-rest-database", [databases / REST_SECONDS * 1e6], [REST_TARGET], what % "of the busiest cell's PostgreSQL", at_most(1))


def _compare(house: CellHouse, server: Server, rounds: int) -> None:
    readers = []
    for cell in house.cells:
        with cell.cluster.connect(DATABASE) as session:
            readers += session.execute(
                "select tenant_id, user_id::text, '' from load.senders order by n limit %s", (CONNECTIONS,)
            ).fetchall()
    reading = Reading(house.directory, DATABASE, LOOK, [Caller(*reader) for reader in readers])
    reading.warm_up(server.url, CONNECTIONS)

    def measure(host: str) -> Cost:
        with _strangers(server, host):
            # The first of them find no name remembered.
            time.sleep(1)
            before = sum(cell.cluster.processor_seconds for cell in house.cells)
            outcome = reading.over_http(server.url, CONNECTIONS, 2 * house.directory.size.round_seconds)
            used = sum(cell.cluster.processor_seconds for cell in house.cells) - before
        return Cost(outcome.p99, used / outcome.seconds * 1e6)

    unknown, known = in_turns(rounds, lambda: measure("nobody%d.example.net"), lambda: measure("go%d.example.org"))
    what = f"while {STRANGERS} connections open /join at hosts that no tenant has, against hosts of the {TENANTS} tenants"
    report("cell-names-p99", [cost.p99 for cost in unknown], [cost.p99 for cost in known], f"p99 in milliseconds of GET /v1/me {what}", at_most(2))
    report(
        "cell-names-database", [cost.of_databases for cost in unknown], [cost.of_databases for cost in known],
        f"microseconds of the cells' PostgreSQL a second {what}", at_most(1.1),
    )


@contextlib.contextmanager
def _strangers(server: Server, host: str) -> Iterator[None]:
    """People who open pages at hosts, as long as the block runs; `%d` in the host is a number that is another one each time."""
    command = [
        "wrk", "--threads=1", f"--connections={STRANGERS}", "--duration=300s", f"--script={SCRIPT}", server.url, "--", host, str(TENANTS),
    ]
    flood = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield
        if flood.poll() is not None:
            raise RuntimeError(f"wrk ended with {flood.returncode}")
    finally:
        flood.terminate()
        flood.wait()


def _name(house: CellHouse, cell: Cell, numbers: range) -> None:
    """Gives a cell tenants with names, and enters them into the map."""
    values = {"first": numbers.start, "last": numbers.stop - 1, "step": numbers.step, "cell": cell.name}
    with cell.cluster.connect(DATABASE) as session, session.transaction():
        session.execute(NAMED, values)
    cell.cluster.execute(DATABASE, "vacuum analyze kith.tenants")
    with house.directory.cluster.connect(DATABASE) as session, session.transaction():
        session.execute(PLACED, values)


NAMED = """
insert into kith.tenants (tenant_id, slug, name, brand_name, universal_link_host, allowed_origins, created_at, updated_at)
select
  1000000 + n, 'named-' || n, 'Named', 'Named', 'go' || n || '.example.org',
  array['https://www' || n || '.example.org', 'https://app' || n || '.example.org'], now(), now()
from generate_series(%(first)s::integer, %(last)s::integer, %(step)s::integer) as n
"""

PLACED = """
insert into kith.tenant_cells (tenant_id, slug, cell, version)
select 1000000 + n, 'named-' || n, %(cell)s, map.version
from generate_series(%(first)s::integer, %(last)s::integer, %(step)s::integer) as n
cross join (select internal.next_map_version(true) as version) as map
"""
