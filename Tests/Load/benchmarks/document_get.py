"""Documents of one MiB over HTTP, decrypted chunk by chunk, compared with COPY of the same bytes by psql."""

import subprocess
import time
from pathlib import Path

import wrk
from archive import Archive, Document
from postgres import program
from result import report
from rounds import in_turns
from stage import Stage

CLIENTS = 4
DOCUMENTS = 32
SIZE = 1 << 20
COPIES = 100
"""How often each psql copies every document in a round: some seconds, so that its start matters little."""


def run(stage: Stage) -> None:
    with stage.people() as database, stage.serving(database) as server:
        archive = Archive(stage.cluster, database, server)
        documents = [archive.add(SIZE) for _ in range(DOCUMENTS)]
        walk = stage.folder / "documents.walk"
        walk.write_text("".join(
            f"GET\t{archive.path}/{document.id}/content\t{archive.token}\t\n" for document in documents
        ))
        script = _script(stage, archive.tenant, documents)
        wrk.load(server.url, walk, CLIENTS, 1)
        ours, peer = in_turns(
            stage.size.rounds,
            lambda: wrk.load(server.url, walk, CLIENTS, stage.size.round_seconds).rate * SIZE / (1 << 20),
            lambda: _by_psql(stage, database, script),
        )
        one, one_peer = in_turns(
            stage.size.rounds,
            lambda: wrk.load(server.url, walk, 1, stage.size.round_seconds).rate * SIZE / (1 << 20),
            lambda: _by_psql(stage, database, script, clients=1),
        )
    what = "MiB a second of documents of 1 MiB, checked, opened and sent over HTTP, and copied sealed by psql"
    report("document-get", ours, peer, f"{what}; {CLIENTS} clients")
    report("document-get-alone", one, one_peer, f"{what}; one client")


def _script(stage: Stage, tenant: int, documents: list[Document]) -> Path:
    script = stage.folder / "documents.sql"
    script.write_text("".join(
        f"copy (select sealed from kith.document_chunks where tenant_id = {tenant} and version_id = '{document.version}'"
        " order by n) to stdout (format binary);\n"
        for document in documents
    ) * COPIES)
    return script


def _by_psql(stage: Stage, database: str, script: Path, clients: int = CLIENTS) -> float:
    command = [program("psql"), "--no-psqlrc", "--quiet", "--file", str(script), stage.cluster.url(database)]
    began = time.monotonic()
    running = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(clients)]
    if any(process.wait() for process in running):
        raise RuntimeError("psql failed")
    return clients * DOCUMENTS * COPIES * SIZE / (1 << 20) / (time.monotonic() - began)
