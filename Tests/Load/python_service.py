"""The Python service that Kith is compared with, as processes."""

import base64
import contextlib
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import tokens
from process import await_answer, free_port, running
from stage import Stage

FOLDER = Path(__file__).parent / "counterpart"
PROCESSES = 2


@contextlib.contextmanager
def serve(stage: Stage, database: str, pool: int) -> Iterator[str]:
    """Runs counterpart/service.py in two processes, each with that many connections; its URL."""
    keys = stage.folder / "keys.json"
    keys.write_text(json.dumps({
        tokens.key_id(tenant): {
            "secret": base64.b64encode(tokens.secret(tenant)).decode(), "audience": f"tenant-{tenant}"
        }
        for tenant in range(1, stage.size.tenants + 1)
    }))
    port = free_port()
    command = [
        sys.executable, "-m", "uvicorn", "service:app", f"--app-dir={FOLDER}", f"--port={port}",
        f"--workers={PROCESSES}", "--loop=uvloop", "--http=httptools", "--no-access-log", "--log-level=warning",
    ]
    environment = {
        **os.environ, "KEYS": str(keys), "POOL_SIZE": str(pool), "DATABASE_URL": stage.cluster.url(database, "kith_api")
    }
    with running(command, environment, stage.folder / "python.log") as process:
        url = f"http://127.0.0.1:{port}"
        await_answer(process, f"{url}/", status=404)
        yield url
