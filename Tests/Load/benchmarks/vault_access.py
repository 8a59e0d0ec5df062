"""A nominee's access to an open vault, compared with the same without the rules of emergency access."""

import re

from reading import TRIAL_SECONDS, Reading
from result import at_least, report
from rounds import best, in_turns
from stage import Stage

RULE = re.compile(r"  if role = 'nominee' then\n    select \* into v_emergency .*?\n  end if;\n", re.DOTALL)
"""The look for an emergency session in internal.vault_access."""
DEFINITION = "select pg_get_functiondef('internal.vault_access(uuid, timestamptz)'::regprocedure)"


def run(stage: Stage) -> None:
    with stage.people() as database:
        reading = Reading.documents(stage, database)
        with stage.cluster.connect(database) as session:
            (with_rule,) = session.execute(DEFINITION).fetchone()
        without, count = RULE.subn("", with_rule)
        if count != 1:
            raise RuntimeError("internal.vault_access looks for an emergency session in another way: adapt RULE")

        def measured(definition: str, clients: int, seconds: int | None = None) -> float:
            stage.cluster.execute(database, definition)
            return reading.by_pgbench(clients, 1, seconds)

        clients = best([1, 2, 4], lambda clients: measured(with_rule, clients, TRIAL_SECONDS))
        ours, peer = in_turns(
            2 * stage.size.rounds, lambda: measured(with_rule, clients), lambda: measured(without, clients)
        )
    report("vault-access", ours, peer, f"lists of documents a second by {clients} clients of pgbench", at_least(0.95))
