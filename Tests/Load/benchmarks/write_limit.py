"""The statement of a check-in by the API's role, compared with hand-tuned plain SQL of a superuser: what the procedures cost."""

from collections.abc import Callable
from functools import partial

from checking_in import CheckIns
from result import at_least, report
from rounds import best, in_turns
from stage import Stage


def run(stage: Stage) -> None:
    # Each measurement begins on a copy of the same morning.
    def measured(side: Callable[[CheckIns, int], float], clients: int) -> float:
        with stage.morning() as database:
            rate = side(CheckIns(stage, database), clients)
            check(stage, database)
            return rate

    sides = [CheckIns.by_pgbench, CheckIns.by_plain_sql]
    clients = [best([8, 16, 32], partial(measured, side)) for side in sides]
    ours, peer = in_turns(stage.size.rounds, *(partial(measured, side, count) for side, count in zip(sides, clients)))
    report(
        "write-limit", ours, peer,
        f"check-ins a second, each a transaction, by {clients[0]} and {clients[1]} clients of pgbench",
        at_least(0.85),
    )


def check(stage: Stage, database: str) -> None:
    """Raises RuntimeError unless every check-in completed its pings, told each receiver and emitted an event to both sides."""
    with stage.cluster.connect(database) as session:
        wrong = session.execute("""
            select count(*)
            from kith.check_ins as done
            cross join lateral (
              select count(*) as pings, count(*) filter (where ping.check_in_id = done.id and ping.status = 'completed') as completed
              from kith.pings as ping
              where ping.tenant_id = done.tenant_id and ping.sender_id = done.user_id
            ) as ping
            where ping.completed <> ping.pings
        """).fetchone()[0]
        told, shown, completed = session.execute("""
            select (select count(*) from kith.notifications where type = 'ping_completed'), (select count(*) from kith.events),
              (select count(*) from kith.pings where status = 'completed')
        """).fetchone()
    if wrong or told != completed or shown != 2 * completed or not completed:
        raise RuntimeError(f"{wrong} check-ins left pings, and {completed} pings came with {told} notifications and {shown} events")
