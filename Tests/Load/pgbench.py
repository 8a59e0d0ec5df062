"""Load on the database alone, by pgbench with prepared statements."""

import re
import subprocess
from pathlib import Path

from postgres import Cluster, program


def load(
    cluster: Cluster, database: str, script: Path, requests: int, clients: int, seconds: int, variables: dict[str, int]
) -> float:
    """Runs a script of so many requests again and again, as kith_api; gives requests a second.

    `variables` are those that each client begins with.

    Raises RuntimeError when a statement fails.
    """
    done = subprocess.run(
        [
            program("pgbench"), "--no-vacuum", "--protocol=prepared", "--jobs=1", f"--client={clients}",
            f"--time={seconds}", f"--file={script}",
            *(f"--define={name}={value}" for name, value in variables.items()), cluster.url(database, "kith_api"),
        ],
        capture_output=True, text=True,
    )
    rate = re.search(r"^tps = ([0-9.]+)", done.stdout, re.MULTILINE)
    if done.returncode != 0 or not rate or re.search(r"aborted|ERROR", done.stderr):
        raise RuntimeError(f"pgbench failed: {done.stdout}{done.stderr}")
    return float(rate[1]) * requests
