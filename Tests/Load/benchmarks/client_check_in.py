"""Check-ins of one client a second, by the library and by a bare URLSession, one after the other."""

import client
import tokens
from result import at_least, report
from rounds import in_turns
from stage import Stage


def run(stage: Stage) -> None:
    with stage.people() as database, stage.serving(database) as server:
        with stage.cluster.connect(database) as session:
            tenant, user = session.execute(
                "select tenant_id, user_id::text from kith.sender_profiles order by user_id limit 1"
            ).fetchone()
        token = tokens.mint(tenant, user)
        seconds = stage.size.round_seconds
        ours, peer = in_turns(
            stage.size.rounds,
            lambda: client.measure("check-in", server.url, token, seconds).rate,
            lambda: client.measure("bare-check-in", server.url, token, seconds).rate,
        )
    report("client-check-in", ours, peer, "check-ins a second of one client", at_least(0.85))
