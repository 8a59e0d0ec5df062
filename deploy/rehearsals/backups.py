"""Back-ups of a rehearsal's cluster with deploy/pgbackrest.conf."""

import configparser
import datetime
import json
import shutil
from pathlib import Path

from postgres import Cluster
from rehearsals.arguments import ROOT, Missing

PROGRAM = "/usr/bin/pgbackrest"
SEGMENT_BYTES = 16 << 20


class Backups:
    """The repository of a cluster, and what the configuration of an operator would do with it."""

    def __init__(self, folder: Path):
        """`folder` is created, and gets repository, spool, locks and logs."""
        if not Path(PROGRAM).exists():
            raise Missing("pgBackRest is missing: ./setup rehearse")
        self._folder = folder
        self._configuration = folder / "pgbackrest.conf"

    @property
    def settings(self) -> dict[str, str]:
        """What postgresql.conf needs, as README.md has it, except for archive_timeout."""
        return {"archive_mode": "on", "archive_command": f"{PROGRAM} --config={self._configuration} --stanza=kith archive-push %p"}

    def prepare(self, cluster: Cluster) -> None:
        """Writes the configuration with this cluster's paths. The cluster's folder must exist; the server need not run."""
        configuration = configparser.ConfigParser(interpolation=None)
        configuration.read(ROOT / "deploy" / "pgbackrest.conf")
        configuration["global"].update({
            "repo1-path": str(self._folder / "repository"), "spool-path": str(self._folder / "spool"),
            "lock-path": str(self._folder / "locks"), "log-path": str(self._folder / "logs"), "repo1-cipher-pass": "rehearsal",
        })
        configuration["kith"].update({
            "pg1-path": str(cluster.data), "pg1-socket-path": str(cluster.folder), "pg1-user": "postgres",
        })
        for name in ("repository", "spool", "locks", "logs"):
            (self._folder / name).mkdir(parents=True)
        with self._configuration.open("w") as file:
            configuration.write(file, space_around_delimiters=False)
        cluster.own(self._folder)

    def create(self, cluster: Cluster) -> None:
        """Creates the repository, and checks that the archive takes a segment."""
        self._run(cluster, "stanza-create")
        self._run(cluster, "check")

    def back_up(self, cluster: Cluster, kind: str) -> None:
        """Makes a back-up: full, diff or incr."""
        self._run(cluster, "backup", f"--type={kind}")

    def restore(self, cluster: Cluster, until: float | None = None) -> None:
        """Restores the data directory, whose server must not run, to an instant (seconds since 1970) or to the archive's end."""
        target = []
        if until is not None:
            instant = datetime.datetime.fromtimestamp(until, datetime.timezone.utc).isoformat(sep=" ", timespec="microseconds")
            target = ["--type=time", f"--target={instant}", "--target-action=promote"]
        self._run(cluster, "restore", *target)

    def archived_until(self, cluster: Cluster) -> int:
        """The position in the WAL up to which the archive has all of it."""
        archive = json.loads(self._run(cluster, "info", "--output=json"))[0]["archive"][-1]["max"]
        return ((int(archive[8:16], 16) << 32) // SEGMENT_BYTES + int(archive[16:24], 16) + 1) * SEGMENT_BYTES

    def _run(self, cluster: Cluster, command: str, *options: str) -> str:
        return cluster.run(PROGRAM, f"--config={self._configuration}", "--stanza=kith", *options, command)


def lose_data(cluster: Cluster) -> None:
    """The disaster: all processes die at once, and the data directory is gone."""
    cluster.kill()
    shutil.rmtree(cluster.data)
