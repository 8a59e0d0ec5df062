"""An installation of Kith for a rehearsal: a scratch folder, a PostgreSQL of its own, people who are due to check in, and servers."""

import contextlib
import dataclasses
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import population
from kith import Kith, Server
from postgres import Cluster
from size import SIZES

SENDERS = 20_000
SIZE = dataclasses.replace(SIZES["small"], senders=SENDERS, connections=2 * SENDERS)
DATABASE = "kith"


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    """A folder on a disk, where an fsync costs what it costs; deleted afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="kith-rehearsal-", dir="/var/tmp"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class Installation:
    """Kith over one cluster, with 20,000 senders of 10 tenants, whose pings are due for some hours."""

    def __init__(self, folder: Path, cluster: Cluster):
        """`folder` gets the programs' logs. The cluster runs, and has no database of Kith yet."""
        self.folder = folder
        self.cluster = cluster
        self.kith = Kith(folder)

    def create(self) -> None:
        """Creates the database, migrates it and fills it."""
        self.cluster.create(DATABASE, "template0")
        self.kith.migrate(self.cluster.url(DATABASE))
        population.fill(self.cluster, DATABASE, SIZE, SIZE.tenants)
        population.wake(self.cluster, DATABASE)

    @contextlib.contextmanager
    def serving(self, **settings: int) -> Iterator[Server]:
        """A `kith serve`, with settings such as `write_connections=3`."""
        with self.kith.serve(self.cluster.url(DATABASE, "kith_api"), **settings) as server:
            yield server
