"""A PostgreSQL server of the load tests' own."""

import contextlib
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import psycopg

from process import child_processes, family_processor_seconds

SETTINGS = {
    "listen_addresses": "",
    "shared_buffers": "1GB",
    "max_connections": "200",
    "fsync": "on",
    "synchronous_commit": "on",
    # A checkpoint or vacuum during a round would hit one side by chance; both happen between rounds.
    "max_wal_size": "8GB",
    "checkpoint_timeout": "1h",
    "autovacuum": "off",
    # As deploy/README.md has it.
    "wal_compression": "lz4",
    # The same setting as Kith's own connections.
    "jit": "off",
    "timezone": "UTC",
}


class Cluster:
    """A cluster in `folder` that runs while this context is entered. Both sides of a comparison use the same one."""

    def __init__(self, folder: Path, programs: Path | None = None, **settings: str):
        """`settings` are PostgreSQL's, and replace or join those of SETTINGS. `programs` is the folder of another PostgreSQL's programs."""
        self.folder = folder
        self.programs = programs or Path(program("postgres")).parent
        self.data = folder / "data"
        self._settings = {**SETTINGS, "unix_socket_directories": str(folder), **settings}
        self._server: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "Cluster":
        self.make()
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def make(self, *arguments: str) -> None:
        """Makes the data directory of an empty cluster, with arguments of initdb."""
        self.folder.mkdir()
        self.own(self.folder)
        self.run(
            str(self.programs / "initdb"), f"--pgdata={self.data}", "--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C",
            *arguments,
        )

    def start(self) -> None:
        """Starts the server on its data directory, and waits until it takes sessions."""
        self._server = subprocess.Popen(
            [str(self.programs / "postgres"), "-D", str(self.data), *(f"-c{name}={value}" for name, value in self._settings.items())],
            stdout=subprocess.DEVNULL, stderr=(self.folder / "log").open("ab"), **self._as_account,
        )
        try:
            self._await_start()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Stops the server, if it runs."""
        if self._server is None:
            return
        # First the fast shutdown, which ends the sessions; then the immediate one.
        for request in (signal.SIGINT, signal.SIGQUIT):
            self._server.send_signal(request)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._server.wait(30)
                return

    def kill(self) -> None:
        """Kills all processes of the server at once."""
        children = child_processes(self._server.pid)
        self._server.kill()
        self._server.wait()
        # The backends would notice the end of the server only when they next wait, and hold its shared memory until then.
        for child in children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        while any(Path(f"/proc/{child}").exists() for child in children):
            time.sleep(0.01)

    def url(self, database: str, user: str = "postgres", options: str = "") -> str:
        """A libpq URL; `options` are settings of its sessions, such as `-cjit%3Doff`."""
        return f"postgresql://{user}@/{database}?host={self.folder}" + (f"&options={options}" if options else "")

    def connect(self, database: str, user: str = "postgres") -> psycopg.Connection:
        """An autocommitting session, which the caller closes."""
        return psycopg.connect(self.url(database, user), autocommit=True)

    def execute(self, database: str, sql: str) -> None:
        """Runs statements as superuser."""
        with self.connect(database) as session:
            session.execute(sql)

    def create(self, database: str, template: str) -> None:
        """Creates a database as a copy of another one, which must have no connections."""
        self.execute("postgres", f"create database {database} template {template} strategy file_copy")

    def drop(self, database: str) -> None:
        """Drops a database and its connections."""
        self.execute("postgres", f"drop database {database} with (force)")

    def backends(self, application: str) -> list[int]:
        """The backend processes of a program's connections, by its application_name."""
        with self.connect("postgres") as session:
            rows = session.execute("select pid from pg_stat_activity where application_name = %s", (application,))
            return [pid for (pid,) in rows]

    @property
    def pid(self) -> int:
        """The server's first process."""
        return self._server.pid

    @property
    def processor_seconds(self) -> float:
        """The CPU time of the server, with all that it has done for its sessions so far."""
        return family_processor_seconds(self._server.pid)

    @property
    def _account(self) -> str | None:
        """PostgreSQL refuses to run as root."""
        return "postgres" if os.geteuid() == 0 else None

    @property
    def _as_account(self) -> dict[str, object]:
        # In a session of its own it does not get Ctrl-C: it is stopped after its clients.
        rights = {"user": self._account, "group": self._account, "extra_groups": []} if self._account else {}
        return {"cwd": self.folder, "start_new_session": True, **rights}

    def own(self, folder: Path) -> None:
        """Gives a folder with everything in it to the server's account."""
        if self._account:
            for path in (folder, *folder.rglob("*")):
                shutil.chown(path, self._account, self._account)

    def run(self, *command: str) -> str:
        """Runs a command as the server's account, to its end; its output."""
        done = subprocess.run(command, capture_output=True, text=True, **self._as_account)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)} failed: {done.stdout}{done.stderr}")
        return done.stdout

    def _await_start(self) -> None:
        while self._server.poll() is None:
            with contextlib.suppress(psycopg.OperationalError):
                self.connect("postgres").close()
                return
            time.sleep(0.05)
        raise RuntimeError(f"PostgreSQL does not start: {(self.folder / 'log').read_text()}")


class Standby(Cluster):
    """A streaming standby of a running server while this context is entered, with the same settings."""

    def __init__(self, primary: Cluster):
        super().__init__(primary.folder.with_name(f"{primary.folder.name}-standby"))
        self._primary = primary

    def __enter__(self) -> "Cluster":
        self.folder.mkdir()
        self.own(self.folder)
        self.run(
            program("pg_basebackup"), f"--host={self._primary.folder}", "--username=postgres", f"--pgdata={self.data}",
            "--write-recovery-conf", "--checkpoint=fast",
        )
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        super().__exit__(*error)
        shutil.rmtree(self.folder)


def program(name: str) -> str:
    """The path of one of PostgreSQL's programs; Debian keeps the server's out of PATH."""
    versions = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: float(path.parts[4]))
    found = str(versions[-1]) if versions else shutil.which(name)
    if not found:
        raise RuntimeError(f"PostgreSQL's {name} is missing: make setup")
    return found
