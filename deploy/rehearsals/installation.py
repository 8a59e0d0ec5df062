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
RECEIVERS_WITH_DEVICES = 300


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

    def __init__(self, folder: Path, cluster: Cluster, kith: Kith | None = None):
        """`folder` gets the programs' logs. The cluster runs, and has no database of Kith yet. `kith` is another release."""
        self.folder = folder
        self.cluster = cluster
        self.kith = kith or Kith(folder)

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

    @contextlib.contextmanager
    def working(self, file: Path) -> Iterator[None]:
        """A `kith worker`, which writes its messages to a file."""
        with self.kith.work_into(self.cluster.url(DATABASE, "kith_worker"), file):
            yield

    def add_devices(self) -> None:
        """Gives some receivers a device, so that they are told of check-ins by push."""
        self.cluster.execute(
            DATABASE,
            "insert into kith.devices (tenant_id, token, user_id, platform, environment, created_at, last_seen_at)"
            " select tenant_id, md5(n::text), user_id, 'ios', 'production', now(), now() from load.receivers"
            f" where n < {RECEIVERS_WITH_DEVICES}",
        )
