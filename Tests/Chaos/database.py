"""The PostgreSQL of the run, which can be killed, and whose disks can be full or slow."""

import contextlib
import os
import random
import subprocess
import threading
import time
from pathlib import Path

import psycopg
import psycopg.rows

from postgres import Cluster, program
from program import Machine

SIZES = {"data": 768, "wal": 160}
"""The sizes of the file systems in MiB."""
LOST = (psycopg.OperationalError, psycopg.InterfaceError)
"""What a statement raises because of a fault: the connection was lost, a disk was full, or a lock or a time-out was in the way. Any other
error is a mistake of the run, and would come again however often the statement is repeated."""


class Database(Cluster):
    """A cluster that is started again whenever it has ended, as systemd would do, until this context is left.

    Its data and its WAL are on two small file systems in memory, if this process may mount them.
    """

    def __init__(self, folder: Path, machine: Machine):
        super().__init__(
            folder, shared_buffers="64MB", max_wal_size="64MB", min_wal_size="32MB", checkpoint_timeout="5min", autovacuum="on",
            track_commit_timestamp="on", restart_after_crash="on", log_line_prefix="%m [%p] %u ",
        )
        self.machine = machine
        # initdb needs an empty folder, so the cluster stands in the root of its file system, beside the ballast.
        self.data = folder / "data" / "cluster"
        self._wal = folder / "wal"
        self._is_down = threading.Event()
        self._ends = threading.Event()
        self.can_fill = False

    def __enter__(self) -> "Database":
        with contextlib.ExitStack() as exits:
            self.folder.mkdir()
            exits.callback(self._unmount)
            self.can_fill = self._mount()
            self.own(self.folder)
            self.run(
                program("initdb"), f"--pgdata={self.data}", f"--waldir={self._wal / 'pg_wal'}", "--username=postgres", "--auth=trust",
                "--encoding=UTF8", "--locale=C",
            )
            self._start()
            exits.callback(super().__exit__)
            self._await_start()
            threading.Thread(target=self._keep_running, daemon=True).start()
            exits.callback(self._ends.set)
            self._exits = exits.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._exits.close()

    @property
    def socket(self) -> str:
        """The path of its Unix socket."""
        return str(self.folder / ".s.PGSQL.5432")

    def kill(self) -> None:
        """Kills the whole cluster, which stays down until `restart`."""
        self._is_down.set()
        super().kill()

    def restart(self) -> None:
        """Lets it be started again."""
        self._is_down.clear()

    def backend(self, chance: random.Random) -> int | None:
        """The process of one of Kith's sessions."""
        backends = [pid for pid in self._children() if b"kith_" in _command_line(pid)]
        return chance.choice(sorted(backends)) if backends else None

    def fill(self, name: str) -> None:
        """Fills the file system `name` to the last byte."""
        with (self._filled(name) / "ballast").open("wb", buffering=0) as file, contextlib.suppress(OSError):
            while file.write(bytes(1 << 16)):
                pass
        # PostgreSQL has a few segments in reserve, which a light load would not use up.
        if name == "wal":
            with contextlib.suppress(*LOST), self.session(0.5) as session:
                for _ in range(8):
                    session.execute("select pg_logical_emit_message(false, 'chaos', 'full'), pg_switch_wal()")

    def empty(self, name: str) -> None:
        """Makes the space free again."""
        (self._filled(name) / "ballast").unlink(missing_ok=True)

    def session(self, seconds: float = 300) -> psycopg.Connection:
        """A session of the superuser with rows as dictionaries, as soon as there can be one."""
        end = time.monotonic() + seconds
        while True:
            try:
                return psycopg.connect(self.url("kith"), autocommit=True, row_factory=psycopg.rows.dict_row, connect_timeout=5)
            except psycopg.OperationalError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.1)

    def _filled(self, name: str) -> Path:
        return self._wal if name == "wal" else self.data.parent

    def _mount(self) -> bool:
        for name, size in SIZES.items():
            (self.folder / name).mkdir()
            if os.geteuid() != 0:
                continue
            command = ["mount", "-t", "tmpfs", "-o", f"size={size}m", "tmpfs", str(self.folder / name)]
            if subprocess.run(command, capture_output=True).returncode != 0:
                return False
        return os.geteuid() == 0

    def _unmount(self) -> None:
        for name in SIZES:
            if os.path.ismount(self.folder / name):
                subprocess.run(["umount", "--lazy", str(self.folder / name)], check=True)

    def _start(self) -> None:
        with (self.folder / "log").open("ab") as log:
            self._server = subprocess.Popen(
                [program("postgres"), "-D", str(self.data), *(f"-c{name}={value}" for name, value in self._settings.items())],
                env={**os.environ, **self.machine.environment}, stdout=subprocess.DEVNULL, stderr=log, **self._as_account,
            )

    def _keep_running(self) -> None:
        while not self._ends.wait(0.2):
            if self._server.poll() is not None and not self._is_down.is_set():
                (self.data / "postmaster.pid").unlink(missing_ok=True)
                self._start()

    def _children(self) -> list[int]:
        with contextlib.suppress(OSError):
            return [int(pid) for pid in Path(f"/proc/{self._server.pid}/task/{self._server.pid}/children").read_text().split()]
        return []


def _command_line(pid: int) -> bytes:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""
