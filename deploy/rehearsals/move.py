"""A large tenant moves to another installation, which has another master key, and every command is killed on the way."""

import argparse
import dataclasses
import hashlib
import json
import os
import re
import subprocess
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

import population
import tokens
from archive import Archive
from kith import Kith
from postgres import Cluster
from rehearsals.installation import DATABASE, scratch
from rehearsals.report import Report
from size import SIZES

OTHER = "other"
KEYS = {DATABASE: tokens.MASTER_KEY.hex(), OTHER: "6b" * 32}
"""The master keys of the two installations."""
TENANT = "tenant-1"
DOCUMENTS = 200
DOCUMENT_BYTES = 1 << 20
PARTS_OF_IMPORT = (0.2, 0.5, 0.8)
"""After which parts of an export's files its import is killed."""


def rehearse(options: argparse.Namespace, report: Report) -> None:
    """Runs the rehearsal."""
    with scratch() as folder, Cluster(folder / "postgres", autovacuum="on") as cluster:
        _Rehearsal(options.senders, report, folder, cluster).run()


class _Rehearsal:
    def __init__(self, senders: int, report: Report, folder: Path, cluster: Cluster):
        self._senders = senders
        self._report = report
        self._folder = folder
        self._export = folder / "export"
        self._cluster = cluster
        self._kith = Kith(folder)

    def run(self) -> None:
        self._report.step(f"a tenant with {self._senders:,} senders and {DOCUMENTS} documents, and an installation without tenants")
        self._prepare()
        (self._folder / "key").write_text("ab" * 32)
        export = ("export", TENANT, str(self._export), "--key", str(self._folder / "key"))
        importing = ("import", str(self._export), "--key", str(self._folder / "key"))
        self._report.step("the tenant is exported; the first export is killed on the way")
        self._kill(DATABASE, export, lambda: any(self._export.glob("users.*.rows")))
        exported = self._finish("export", DATABASE, export)
        rows, size = re.search(r"([0-9]+) rows, ([0-9]+) bytes", exported).groups()
        self._report.figure("rows", int(rows))
        self._report.figure("content of the files", int(size), "bytes")
        files = len(json.loads((self._export / "manifest.json").read_text())["files"])
        self._report.figure("files", files)
        self._report.step("it is imported; three imports are killed on the way")
        for part in PARTS_OF_IMPORT:
            self._kill(OTHER, importing, lambda part=part: self._written() >= part * files)
        imported = self._finish("the rest of the import", OTHER, importing)
        self._report.promise(
            "every row that was exported is there, as its digest says",
            exported.removeprefix("exported") == imported.removeprefix("imported"),
        )
        self._report.promise("the tenant is active there", self._ask(OTHER, "select status from kith.tenants where deleted_at is null") == "active")
        self._read_documents()
        self._purge()

    def _prepare(self) -> None:
        for database in (DATABASE, OTHER):
            self._cluster.create(database, "template0")
            self._kith.migrate(self._cluster.url(database))
        size = dataclasses.replace(SIZES["small"], senders=self._senders, connections=2 * self._senders)
        population.fill(self._cluster, DATABASE, size, 1)
        population.wake(self._cluster, DATABASE)
        with self._kith.serve(self._cluster.url(DATABASE, "kith_api")) as server:
            archive = Archive(self._cluster, DATABASE, server)
            documents = [archive.add(DOCUMENT_BYTES) for _ in range(DOCUMENTS)]
            self._paths = [f"{archive.path}/{document.id}/content" for document in documents]
            self._contents = [hashlib.sha256(archive.content(document)).digest() for document in documents]
            self._owner = archive.user
        self._run(DATABASE, "delete", TENANT, "--reason", "moves")
        # As if an operator had waited for the 5 minutes in which servers may still write.
        self._cluster.execute(
            DATABASE, "update kith.tenants set deleted_at = deleted_at - interval '1 hour', suspended_at = suspended_at - interval '1 hour'",
        )

    def _begin(self, database: str, *arguments: str) -> subprocess.Popen[str]:
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("KITH_", "PG"))}
        return subprocess.Popen(
            [os.environ["KITH_BINARY"], "tenant", *arguments], text=True,
            stdout=subprocess.PIPE, stderr=(self._folder / "kith.log").open("a"),
            env={**environment, "KITH_DATABASE_URL": self._cluster.url(database), "KITH_MASTER_KEY": KEYS[database]},
        )

    def _kill(self, database: str, arguments: tuple[str, ...], is_time: Callable[[], bool]) -> None:
        process = self._begin(database, *arguments)
        while not is_time():
            if process.poll() is not None:
                raise RuntimeError(f"kith tenant {arguments[0]} ended before it was killed: {(self._folder / 'kith.log').read_text()}")
            time.sleep(0.01)
        process.kill()
        process.wait()
        # Its session ends when it notices. Until then an import holds the lock against a second one.
        sessions = "select count(*) from pg_stat_activity where datname = %s and backend_type = 'client backend'"
        with self._cluster.connect("postgres") as watch:
            while watch.execute(sessions, (database,)).fetchone()[0]:
                time.sleep(0.01)

    def _run(self, database: str, *arguments: str) -> str:
        return self._await(self._begin(database, *arguments))[0]

    def _await(self, process: subprocess.Popen[str]) -> tuple[str, int]:
        """The output of a command, and the most memory that it had, in bytes."""
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise RuntimeError(f"{' '.join(process.args)} failed: {(self._folder / 'kith.log').read_text()}")
        return output, usage.ru_maxrss << 10

    def _finish(self, what: str, database: str, arguments: tuple[str, ...]) -> str:
        began = time.monotonic()
        output, memory = self._await(self._begin(database, *arguments))
        self._report.figure(f"{what}: time", time.monotonic() - began, "s")
        self._report.figure(f"{what}: memory at most", memory, "bytes")
        return output

    def _written(self) -> int:
        return int(self._ask(OTHER, "select coalesce(max(files), 0) from kith.tenant_imports"))

    def _ask(self, database: str, query: str) -> str:
        with self._cluster.connect(database) as session:
            return str(session.execute(query).fetchone()[0])

    def _read_documents(self) -> None:
        secret = json.loads(self._run(OTHER, "key", "create", TENANT, "--scopes", "all", "--name", "rehearsal", "--json"))["secret_key"]
        with self._kith.serve(self._cluster.url(OTHER, "kith_api"), master_key=KEYS[OTHER]) as server:

            def ask(path: str, credential: str, body: dict[str, object] | None = None) -> bytes:
                request = urllib.request.Request(
                    server.url + path, json.dumps(body).encode() if body is not None else None,
                    {"Authorization": f"Bearer {credential}", "Content-Type": "application/json"},
                )
                with urllib.request.urlopen(request, timeout=60) as answer:
                    return answer.read()

            token = json.loads(ask("/v1/tokens", secret, {"user_id": self._owner}))["access_token"]
            ask(self._paths[0].split("/documents")[0] + "/open", token, {})
            same = all(hashlib.sha256(ask(path, token)).digest() == content for path, content in zip(self._paths, self._contents))
        self._report.promise("every document opens there", same)

    def _purge(self) -> None:
        self._report.step("the tenant is purged where it was")
        began = time.monotonic()
        self._run(DATABASE, "purge", TENANT, "--confirm", TENANT)
        self._report.figure("purge: time", time.monotonic() - began, "s")
