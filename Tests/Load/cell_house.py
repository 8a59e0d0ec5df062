"""An installation with several cells, each a PostgreSQL of its own on this machine."""

import contextlib
from dataclasses import dataclass
from pathlib import Path

import population
from kith import Kith
from postgres import Cluster
from size import Size

DATABASE = "kith"
DIRECTORY = "main"
NUMBERS = 1000
"""How many numbers of tenants each cell gets. Every cell is filled with the same people, under numbers of its own."""


@dataclass
class Cell:
    """A cell, which the load tests use as they use a stage: its server, its size, and a folder for their files."""

    name: str
    folder: Path
    cluster: Cluster
    size: Size
    first: int
    """The number before that of its first tenant."""


class CellHouse:
    """The cells, the directory first. They run until the stack is closed."""

    def __init__(self, stack: contextlib.ExitStack, folder: Path, kith: Kith, names: list[str], size: Size, **settings: str):
        """`settings` are those of each PostgreSQL."""
        self._kith = kith
        self.cells = []
        for number, name in enumerate(names):
            own = folder / name
            own.mkdir()
            # PostgreSQL's account must reach its folder.
            own.chmod(0o755)
            cluster = stack.enter_context(Cluster(own / "postgres", **settings))
            self.cells.append(Cell(name, own, cluster, size, number * NUMBERS))

    @property
    def directory(self) -> Cell:
        """The cell that has the map."""
        return self.cells[0]

    def fill(self) -> None:
        """Creates and joins the databases, with people of whom each has a ping that is due."""
        for cell in self.cells:
            cell.cluster.create(DATABASE, "template0")
            self._kith.migrate(cell.cluster.url(DATABASE))
            if cell is not self.directory:
                # Without the user: programs log in there as in the directory.
                self.command("cell", "add", cell.name, cell.cluster.url(DATABASE).replace("postgres@", ""))
            population.fill(cell.cluster, DATABASE, cell.size, cell.size.tenants, first=cell.first)
            population.wake(cell.cluster, DATABASE)
            if cell is not self.directory:
                self._place(cell)

    def command(self, *arguments: str) -> str:
        """Runs a command of the installation to its end; its output."""
        return self._kith.command(self.directory.cluster.url(DATABASE), *arguments)

    def _place(self, cell: Cell) -> None:
        """Enters the tenants of a cell into the map, as kith tenant create does before it creates one."""
        with self.directory.cluster.connect(DATABASE) as session, session.transaction():
            (version,) = session.execute("select internal.next_map_version(false)").fetchone()
            session.execute(
                "insert into kith.tenant_cells (tenant_id, slug, cell, version)"
                " select n, 'tenant-' || n, %s, %s from generate_series(%s::integer, %s::integer) as n",
                (cell.name, version, cell.first + 1, cell.first + cell.size.tenants),
            )
