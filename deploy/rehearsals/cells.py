"""Three cells under load: each of their databases, a server and the worker are killed in turn, and the directory is away for a while. A tenant
moves to another cell and back, and a move is killed and taken back."""

import argparse
import contextlib
import dataclasses
import os
import re
import signal
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from cell_house import DIRECTORY, CellHouse
from kith import Kith
from process import free_port
from rehearsals import check_ins, installation
from rehearsals.check_ins import CheckIns
from rehearsals.installation import DATABASE
from rehearsals.journal import Journal
from rehearsals.report import Report
from size import SIZES

CELLS = (DIRECTORY, "east", "west")
SERVERS = 2


def rehearse(options: argparse.Namespace, report: Report) -> None:
    """Runs the rehearsal."""
    with installation.scratch() as folder, contextlib.ExitStack() as stack:
        kith = Kith(folder)
        size = dataclasses.replace(SIZES["small"], senders=options.senders, connections=2 * options.senders, tenants=options.tenants)
        house = CellHouse(stack, folder, kith, list(CELLS), size, max_wal_size="1GB", shared_buffers="256MB", wal_level="logical")
        _Rehearsal(options, report, folder, kith, house).run()


class _Rehearsal:
    def __init__(self, options: argparse.Namespace, report: Report, folder: Path, kith: Kith, house: CellHouse):
        self._options = options
        self._report = report
        self._folder = folder
        self._kith = kith
        self._house = house
        self._clusters = {cell.name: cell.cluster for cell in house.cells}
        self._directory = house.directory.cluster
        self._ports = [free_port() for _ in range(SERVERS)]

    def run(self) -> None:
        self._report.step(f"three cells with {self._options.senders:,} senders in {self._options.tenants} tenants each, {SERVERS} servers and a worker")
        self._house.fill()
        with contextlib.ExitStack() as stack:
            processes = [stack.enter_context(_Killable(self._serving, port)) for port in self._ports]
            worker = stack.enter_context(_Killable(self._working))
            loads = {name: stack.enter_context(self._load(name)) for name in CELLS}
            for load in loads.values():
                load.await_acts(60)
            spans = [self._span(*act) for act in self._acts(processes[0], worker)]
            for load in loads.values():
                load.__exit__()
            self._show({name: load.journal() for name, load in loads.items()}, spans)

    def _acts(self, server: "_Killable", worker: "_Killable") -> Iterator[tuple[str, str | None, Callable[[], None]]]:
        """What happens under load, one after the other: its name, the cell whose tenants it may fail, and the act itself."""
        yield "nothing", None, lambda: time.sleep(self._options.seconds)
        if not self._options.moves:
            for name in CELLS:
                yield f"kill -9 of the database of {name}", name, partial(self._kill_database, name)
            yield "kill -9 of a server", None, partial(self._kill, server)
            yield "kill -9 of the worker", None, partial(self._kill, worker)
        yield "a move to west and back", "east", self._move
        yield "kill -9 of a move", "east", self._kill_move

    def _load(self, name: str) -> CheckIns:
        with self._clusters[name].connect(DATABASE) as database:
            callers = check_ins.callers(database)
        urls = [f"http://127.0.0.1:{port}" for port in self._ports]
        return CheckIns(self._folder, callers, urls, max(self._options.clients // len(CELLS), 1))

    def _span(self, name: str, cell: str | None, act: Callable[[], None]) -> tuple[str, str | None, float, float]:
        self._report.step(name)
        began = time.time()
        act()
        ended = time.time()
        # Until everything is as before.
        time.sleep(self._options.seconds / 2)
        return name, cell, began, ended

    def _kill_database(self, name: str) -> None:
        self._clusters[name].kill()
        time.sleep(self._options.seconds)
        if name == DIRECTORY:
            self._report.promise("no tenant is created while the directory is away", self._is_refused("tenant", "create", "new", "--name", "New"))
        self._clusters[name].start()

    def _move(self) -> None:
        """Moves a tenant there and back, so that each cell has its own tenants at the end."""
        for cell in ("west", "east"):
            said = self._house.command("tenant", "move", self._mover, "--to", cell)
            held = int(re.search(r"waited for (\d+) ms", said)[1]) / 1000
            self._report.figure(f"writes wait while a tenant moves to {cell}", held, "s")
            self._report.promise(f"writes wait for at most 2 s while a tenant moves to {cell}", held <= 2)

    def _kill_move(self) -> None:
        """Kills a move in the middle of its copy, and takes it back."""
        with self._kith.start(self._directory.url(DATABASE), "tenant", "move", self._mover, "--to", "west") as move:
            with self._clusters["west"].connect(DATABASE) as database:
                while not database.execute("select from pg_subscription").fetchall():
                    time.sleep(0.01)
            move.send_signal(signal.SIGKILL)
        self._house.command("tenant", "move", self._mover, "--abort")

    @property
    def _mover(self) -> str:
        return f"tenant-{self._house.cells[1].first + 1}"

    def _is_refused(self, *arguments: str) -> bool:
        try:
            self._house.command(*arguments)
        except RuntimeError:
            return True
        return False

    def _kill(self, process: "_Killable") -> None:
        process.kill()
        time.sleep(self._options.seconds / 2)
        process.run()

    def _show(self, journals: dict[str, Journal], spans: list[tuple[str, str | None, float, float]]) -> None:
        for name, cell, began, ended in spans:
            for other, journal in journals.items():
                part = journal.between(began, ended)
                self._report.figure(f"{other} with {name}: check-ins a second", len(part.acknowledged) / (ended - began), "1/s")
                self._report.figure(f"{other} with {name}: longest pause", part.longest_pause, "s")
                self._report.figure(f"{other} with {name}: p99 of a check-in", part.p99, "s")
                if cell and other != cell:
                    self._report.promise(f"{name} fails no check-in of {other}", not part.failed)
                    self._report.promise(f"{name} holds up nobody in {other} for a second", part.longest_pause < 1)
                elif cell:
                    self._report.promise(f"{name} answers its tenants' check-ins by 503", {act.status for act in part.failed} <= {503})
        lost = doubled = 0
        for name, journal in journals.items():
            with self._clusters[name].connect(DATABASE) as database:
                found = journal.reconcile(database)
            lost, doubled = lost + len(found.lost), doubled + found.doubled
            self._report.figure(f"{name}: check-ins acknowledged", len(journal.acknowledged))
            self._report.figure(f"{name}: done without an answer", found.unanswered_but_done)
        self._report.promise("no acknowledged check-in is lost", lost == 0)
        self._report.promise("nobody is told twice", doubled == 0)
        self._report.promise("each cell has only the check-ins of its own tenants", not self._strays())
        findings = self._kith.doctor(self._directory.url(DATABASE), None)
        self._report.promise("kith doctor finds every cell", all(f"cell {name}: its database is the one in the map" in findings for name in CELLS[1:]))

    def _strays(self) -> int:
        strays = 0
        for cell in self._house.cells:
            with cell.cluster.connect(DATABASE) as database:
                (count,) = database.execute(
                    "select count(*) from kith.check_ins where tenant_id not between %s and %s", (cell.first + 1, cell.first + cell.size.tenants),
                ).fetchone()
            strays += count
        return strays

    @contextlib.contextmanager
    def _serving(self, port: int) -> Iterator[int]:
        with self._kith.serve(self._directory.url(DATABASE, "kith_api"), port=port) as server:
            yield server.pid

    @contextlib.contextmanager
    def _working(self) -> Iterator[int]:
        with self._kith.work_into(self._directory.url(DATABASE, "kith_worker"), self._folder / "messages") as process:
            yield process


class _Killable(contextlib.AbstractContextManager):
    """A process that can be killed and started again."""

    def __init__(self, running: Callable[..., contextlib.AbstractContextManager], *arguments: object):
        self._running = running
        self._arguments = arguments
        self._stack = contextlib.ExitStack()
        self._process = 0

    def __enter__(self) -> "_Killable":
        self.run()
        return self

    def run(self) -> None:
        """Starts the process."""
        self._process = self._stack.enter_context(self._running(*self._arguments))

    def kill(self) -> None:
        """Kills the process at once."""
        os.kill(self._process, signal.SIGKILL)
        self._stack.close()

    def __exit__(self, *error: object) -> None:
        self._stack.close()
