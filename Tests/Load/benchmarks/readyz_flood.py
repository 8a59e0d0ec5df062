"""The latency of check-ins while anonymous clients flood /readyz, compared with a quiet time; and whether heartbeats continue."""

import itertools
import subprocess

from checking_in import CheckIns
from result import report
from rounds import in_turns
from stage import Stage

CONNECTIONS = 32
REST = 40
ROUNDS = 3
FLOOD = 500
"""Connections that request /readyz, each again as soon as it is answered."""
SENDERS = 8000
"""More than the check-ins of one round."""
LATEST = 15
"""Seconds within which a healthy server records a heartbeat."""


def run(stage: Stage) -> None:
    with stage.morning() as database, stage.serving(database) as server:
        numbers = (range(first, first + SENDERS) for first in itertools.count(step=SENDERS))

        def p99() -> float:
            check_ins = CheckIns(stage, database, next(numbers))
            check_ins.introduce(server.url, CONNECTIONS)
            check_ins.warm_up(server.url, CONNECTIONS)
            return check_ins.over_http(server.url, CONNECTIONS, REST).p99

        def p99_in_flood() -> float:
            flood = subprocess.Popen(
                ["wrk", "--threads=1", f"--connections={FLOOD}", "--duration=300s", server.url + "/readyz"],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )
            try:
                outcome = p99()
                with stage.cluster.connect(database) as session:
                    age = session.execute(
                        "select extract(epoch from clock_timestamp() - max(beat_at)) from kith.heartbeats"
                    ).fetchone()[0]
            finally:
                flood.terminate()
                flood.wait()
            if age is None or age > LATEST:
                raise RuntimeError(f"the server's last beat was {age} seconds ago")
            return outcome

        ours, peer = in_turns(ROUNDS, p99_in_flood, p99)
    report(
        "readyz-flood", ours, peer,
        f"p99 in milliseconds of some {1000 * CONNECTIONS // REST} check-ins a second while {FLOOD} connections ask"
        " /readyz, against a quiet time",
    )
