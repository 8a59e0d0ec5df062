"""Check-ins and pings with one, two and three cells, and what a request costs by the number of cells in the map.

Each cell's PostgreSQL is held to the same part of a processor by a control group; the server and the load generators are outside. So two
processors show what three machines would: whether anything that the cells share holds them up.
"""

import contextlib
import datetime
import itertools
import time
from concurrent import futures
from dataclasses import replace

import population
from call import LOOK, Caller
from cell_house import DATABASE, Cell, CellHouse
from checking_in import CheckIns
from generation import Generation
from kith import Kith, Server
from process import precise_processor_seconds
from processor_share import ServerShare
from reading import Reading
from result import at_least, at_most, report
from stage import Stage

NAMES = ["main", "east", "west"]
SHARE = 0.2
"""The part of a processor that each cell may use. Three leave enough of two processors for the server and the load."""
SENDERS = 30_000
MOST_ROUNDS = 3
CONNECTIONS = 16
"""Of the load generator, to each cell."""
CHECK_INS_PER_SECOND = 1000
"""More than a cell of such a part does."""
DATE = datetime.date(2040, 1, 10)
CELLS_IN_MAP = (1, 10, 100)
TENANTS_IN_MAP = 100_000
IDLE_SECONDS = 10
IDLE_TARGET = 20_000
"""Two hundredths of a processor."""
SETTINGS = {"shared_buffers": "256MB", "max_wal_size": "2GB"}


def run(stage: Stage) -> None:
    folder = stage.folder / "cells"
    folder.mkdir(mode=0o755)
    kith = Kith(folder)
    size = replace(
        stage.size, senders=SENDERS, connections=2 * SENDERS, tenants=stage.size.tenants // 10 * 10, calls_per_second=CHECK_INS_PER_SECOND,
    )
    with contextlib.ExitStack() as stack:
        house = CellHouse(stack, folder, kith, NAMES, size, **SETTINGS)
        house.fill()
        rounds = min(MOST_ROUNDS, stage.size.rounds)
        _generate(house, rounds)
        with kith.serve(house.directory.cluster.url(DATABASE, "kith_api")) as server:
            _check_in(house, server, rounds)
        _read_by_map(house, kith, rounds)


def _generate(house: CellHouse, rounds: int) -> None:
    generations = [Generation(cell.cluster, DATABASE) for cell in house.cells]
    for generation in generations:
        generation.make_room(DATE)
    rates: dict[int, list[float]] = {count: [] for count in range(1, len(NAMES) + 1)}
    for _ in range(rounds):
        for count in rates:
            plans = []
            for generation in generations[:count]:
                generation.clear(DATE)
                plans.append(generation.plan(DATE))
            with _held(house.cells[:count]), futures.ThreadPoolExecutor(count) as threads:
                rates[count].append(sum(threads.map(lambda pair: pair[0].work(pair[1]), zip(generations, plans))))
    for generation in generations:
        generation.clear(DATE)
    _report("generate", "pings a second by one session of the worker's procedure in each cell", rates)


def _check_in(house: CellHouse, server: Server, rounds: int) -> None:
    rates: dict[int, list[float]] = {count: [] for count in range(1, len(NAMES) + 1)}
    # A second check-in costs less, so each round has senders of its own.
    seconds = 1 + house.directory.size.round_seconds
    each = CHECK_INS_PER_SECOND * seconds
    first = dict.fromkeys(NAMES, 0)
    for _, count in itertools.product(range(rounds), rates):
        loads = []
        for cell in house.cells[:count]:
            if first[cell.name] + each > SENDERS:
                _start_over(cell)
                first[cell.name] = 0
            loads.append(CheckIns(cell, DATABASE, range(first[cell.name], first[cell.name] + each)))
            first[cell.name] += each
        for load in loads:
            load.introduce(server.url, CONNECTIONS)
            load.warm_up(server.url, CONNECTIONS)
        with _held(house.cells[:count]), futures.ThreadPoolExecutor(count) as threads:
            rates[count].append(sum(outcome.rate for outcome in threads.map(lambda load: load.over_http(server.url, CONNECTIONS), loads)))
    _report("check-in", "check-ins a second over HTTP through one server", rates)


def _start_over(cell: Cell) -> None:
    """Lets all senders of a cell check in for the first time again."""
    with cell.cluster.connect(DATABASE) as session:
        session.execute("set session_replication_role = replica")
        session.execute("truncate kith.check_ins, kith.notifications, kith.pings, kith.ping_runs cascade")
        session.execute("update kith.sender_profiles set last_check_in_at = now() - interval '1 day'")
    population.wake(cell.cluster, DATABASE)


def _read_by_map(house: CellHouse, kith: Kith, rounds: int) -> None:
    """`GET /v1/me` of tenants in two cells, with a map of more and more cells. All but the real ones lead nowhere."""
    readers = []
    for cell in house.cells[:2]:
        with cell.cluster.connect(DATABASE) as session:
            readers += session.execute(
                "select tenant_id, user_id::text, '' from load.senders order by n limit %s", (CONNECTIONS,)
            ).fetchall()
    costs: dict[int, list[float]] = {count: [] for count in CELLS_IN_MAP}
    waits: dict[int, list[float]] = {count: [] for count in CELLS_IN_MAP}
    idles: dict[int, list[float]] = {count: [] for count in CELLS_IN_MAP}
    for count in CELLS_IN_MAP:
        _extend(house, count)
        for _ in range(rounds):
            # One loop, so that what each request waits for is seen.
            with kith.serve(house.directory.cluster.url(DATABASE, "kith_api"), loops=1) as server:
                known = readers if count > 1 else readers[:CONNECTIONS]
                reading = Reading(house.directory, DATABASE, LOOK, [Caller(*reader) for reader in known])
                time.sleep(5)
                reading.warm_up(server.url, CONNECTIONS)
                # What the server does besides, such as asking the cells that lead nowhere, is no part of a request.
                began = precise_processor_seconds(server.pid)
                time.sleep(IDLE_SECONDS)
                idle = (precise_processor_seconds(server.pid) - began) / IDLE_SECONDS
                before = precise_processor_seconds(server.pid)
                outcome = reading.over_http(server.url, CONNECTIONS)
                used = precise_processor_seconds(server.pid) - before - idle * outcome.seconds
            costs[count].append(used / outcome.requests * 1e6)
            waits[count].append(outcome.p99)
            idles[count].append(idle * 1e6)
    base = CELLS_IN_MAP[0]
    for count in CELLS_IN_MAP[1:]:
        what = f"with {count} cells and {TENANTS_IN_MAP} tenants in the map, against one database without a map"
        report(f"cells-map-{count}", costs[count], costs[base], f"microseconds of kith serve for GET /v1/me {what}", at_most(1.1))
        report(f"cells-map-{count}-p99", waits[count], waits[base], f"p99 in milliseconds of it {what}")
        report(
            f"cells-map-{count}-idle", idles[count], [IDLE_TARGET],
            f"microseconds a second of an idle kith serve with {count} cells, all but {len(NAMES)} of which lead nowhere; the peer is the limit", at_most(1),
        )


def _extend(house: CellHouse, count: int) -> None:
    """Lets the map have so many cells, with tenants for all of them; for one, none at all."""
    with house.directory.cluster.connect(DATABASE) as session:
        if count == 1:
            session.execute("create table load.cells as select * from kith.cells")
            session.execute("create table load.tenant_cells as select * from kith.tenant_cells")
            session.execute("set session_replication_role = replica")
            session.execute("delete from kith.tenant_cells")
            session.execute("delete from kith.cells")
            return
        session.execute("set session_replication_role = replica")
        with session.transaction():
            session.execute("delete from kith.tenant_cells")
            session.execute("delete from kith.cells")
            session.execute("insert into kith.cells select * from load.cells")
            session.execute("insert into kith.tenant_cells select * from load.tenant_cells")
            session.execute(SIMULATED, {"cells": count, "real": len(NAMES)})
            session.execute(PLACED, {"cells": count, "real": len(NAMES), "tenants": TENANTS_IN_MAP})
            session.execute("select internal.next_map_version(true)")


SIMULATED = """
insert into kith.cells (name, address, cluster, database, is_open, added_at)
select 'cell-' || n, 'postgresql:///kith?host=/nowhere', n::text, n, true, now()
from generate_series(%(real)s::integer + 1, %(cells)s::integer) as n
"""

PLACED = """
insert into kith.tenant_cells (tenant_id, slug, cell, version)
select 1000000 + n, 'simulated-' || n, 'cell-' || %(real)s::integer + 1 + n %% (%(cells)s::integer - %(real)s::integer), (select version from kith.cell_map)
from generate_series(1, %(tenants)s::integer) as n
"""


def _report(act: str, what: str, rates: dict[int, list[float]]) -> None:
    for count in list(rates)[1:]:
        report(
            f"cells-{act}-{count}", rates[count], [count * rate for rate in rates[1]],
            f"{what} with {count} cells, against {count} times those with one, {SHARE:.0%} of a processor for the PostgreSQL of each",
            at_least(0.9),
        )


@contextlib.contextmanager
def _held(cells: list[Cell]):
    with contextlib.ExitStack() as stack:
        for cell in cells:
            stack.enter_context(ServerShare(cell.cluster.pid, SHARE))
        yield
