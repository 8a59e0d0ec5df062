"""The environment that the benchmarks of one run share."""

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import population
from kith import Kith, Server
from postgres import Cluster
from size import Size


class Stage:
    """A scratch folder with a PostgreSQL of its own, and databases that several benchmarks of the run start from.

    Such a database is filled once and copied for each benchmark; everything is deleted at the end.
    """

    def __init__(self, size: Size):
        self.size = size
        self._exits = contextlib.ExitStack()
        self._filled: set[str] = set()

    def __enter__(self) -> "Stage":
        with contextlib.ExitStack() as exits:
            # Not /tmp, which may be in memory, where an fsync costs nothing.
            self.folder = Path(tempfile.mkdtemp(prefix="kith-load-", dir="/var/tmp"))
            exits.callback(shutil.rmtree, self.folder, ignore_errors=True)
            self.folder.chmod(0o755)
            self.kith = Kith(self.folder)
            self.cluster = exits.enter_context(Cluster(self.folder / "postgres"))
            self._exits = exits.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._exits.close()

    @contextlib.contextmanager
    def people(self, tenants: int | None = None) -> Iterator[str]:
        """The name of a database of users and connections, without a single ping; dropped afterwards."""
        tenants = tenants or self.size.tenants
        template = f"people_{tenants}"
        if template not in self._filled:
            with self._filling(template) as database:
                self.kith.migrate(self.cluster.url(database))
                population.fill(self.cluster, database, self.size, tenants)
        with self._copy(template) as database:
            yield database

    @contextlib.contextmanager
    def morning(self) -> Iterator[str]:
        """The name of a database where each connection also has a ping that is due now; dropped afterwards."""
        template = "morning"
        if template not in self._filled:
            with self.people() as people, self._filling(template, people) as database:
                population.wake(self.cluster, database)
        with self._copy(template) as database:
            yield database

    @contextlib.contextmanager
    def serving(self, database: str, **settings: int | str) -> Iterator[Server]:
        """A `kith serve` of a database, with settings such as `read_connections=3`."""
        with self.kith.serve(self.cluster.url(database, "kith_api"), **settings) as server:
            yield server

    @contextlib.contextmanager
    def working(self, database: str, certificate: Path) -> Iterator[int]:
        """A `kith worker` of a database, which sends to a server with this certificate; its process."""
        with self.kith.work(self.cluster.url(database, "kith_worker"), certificate) as worker:
            yield worker

    @contextlib.contextmanager
    def _filling(self, name: str, template: str = "template0") -> Iterator[str]:
        self.cluster.create(name, template)
        yield name
        self._filled.add(name)

    @contextlib.contextmanager
    def _copy(self, template: str) -> Iterator[str]:
        name = f"{template}_copy"
        self.cluster.create(name, template)
        try:
            yield name
        finally:
            self.cluster.drop(name)
