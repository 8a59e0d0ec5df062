"""Load on the database alone, by pgbench with prepared statements."""

import re
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from journal import WARM_UP_SECONDS, Entry, Journal
from postgres import Cluster, program

PLAN_SETTINGS = "-cplan_cache_mode%3Dforce_generic_plan%20-cenable_seqscan%3Doff"


def load(
    cluster: Cluster, database: str, scripts: dict[Path, int], clients: int, seconds: int, variables: dict[str, int],
    warm_up: int = WARM_UP_SECONDS, is_plain: bool = False,
) -> Journal:
    """Runs scripts repeatedly, as kith_api; a journal with an entry per script, named after its file.

    `scripts` gives each script's weight. `variables` are the initial variables of each client.

    With `is_plain`, as a superuser, whose sessions have the settings that api.check_in has for its plans.

    Raises RuntimeError if a statement fails.
    """
    url = cluster.url(database, "postgres", PLAN_SETTINGS) if is_plain else cluster.url(database, "kith_api")
    with tempfile.TemporaryDirectory(dir=cluster.folder.parent) as folder:
        done = subprocess.run(
            [
                program("pgbench"), "--no-vacuum", "--protocol=prepared", "--jobs=1", f"--client={clients}",
                f"--time={warm_up + seconds}", "--log", f"--log-prefix={folder}/log",
                *(f"--file={script}@{weight}" for script, weight in scripts.items()),
                *(f"--define={name}={value}" for name, value in variables.items()), url,
            ],
            capture_output=True, text=True,
        )
        if done.returncode != 0 or re.search(r"aborted|ERROR", done.stderr):
            raise RuntimeError(f"pgbench failed: {done.stdout}{done.stderr}")
        # One thread writes one log.
        (log,) = Path(folder).iterdir()
        return Journal(_entries(log, [script.stem for script in scripts]), warm_up, seconds)


def _entries(log: Path, names: list[str]) -> Iterator[Entry]:
    for line in log.open():
        # The client, the transaction's number and its microseconds; the script's number; the instant when it ended.
        _, _, taken, script, seconds, microseconds = map(int, line.split())
        ended = seconds + microseconds / 1e6
        yield Entry(names[script], ended - taken / 1e6, ended)
