"""The latency of check-ins while anonymous clients flood /readyz, compared with a quiet time; and whether heartbeats continue."""

import subprocess

from rounds import in_turns
from stage import Stage
from steady_check_ins import Latency, SteadyCheckIns, report_p99

ROUNDS = 3
FLOOD = 500
"""Connections that request /readyz, each again as soon as it is answered."""
LATEST = 15
"""Seconds within which a healthy server records a heartbeat."""


def run(stage: Stage) -> None:
    with stage.morning() as database, stage.serving(database) as server:
        check_ins = SteadyCheckIns(stage, database, server.url)

        def measure_in_flood() -> Latency:
            flood = subprocess.Popen(
                ["wrk", "--threads=1", f"--connections={FLOOD}", "--duration=300s", server.url + "/readyz"],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )
            try:
                outcome = check_ins.measure()
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

        ours, peer = in_turns(ROUNDS, measure_in_flood, check_ins.measure)
    report_p99("readyz-flood", ours, peer, f"while {FLOOD} connections ask /readyz")
