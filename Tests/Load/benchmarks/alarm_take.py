"""A hundred receivers who take the same alarm at once, compared with a hundred senders who check in at once."""

from pathlib import Path

import racing
from call import CHECK_IN, LOOK, TAKE, Caller
from result import ours_at_most, report
from rounds import in_turns
from stage import Stage

TAKERS = 100
ALARMS = 20
"""The races of a round; their answers together have the percentile."""
WARM_UP = 2
"""The races of a round that do not count: the database connections make their plans in them."""

HELP = """
select set_config('kith.tenant_id', %(tenant)s::text, true), set_config('kith.user_id', %(sender)s::text, true),
  set_config('kith.actor', 'user:' || %(sender)s::text, true)
"""
TAKEN = """
select count(*) filter (where alarm.taken_by is not null), count(*), (
  select count(*) from kith.alarm_entries where kind = 'taken'
), (select count(*) from kith.notifications where type = 'alarm_taken')
from kith.alarms as alarm
"""


def run(stage: Stage) -> None:
    # Each measurement begins on a copy of the same morning. Both kinds of calls have as many connections of the database.
    def takes() -> float:
        with stage.morning() as database:
            fields = _alarms(stage, database)
            with stage.serving(database, write_connections=8) as server:
                _introduce(server.url, fields)
                answers = racing.race(server.url, TAKE, fields)
            _check(stage, database, answers)
            return _p99(answers)

    def check_ins() -> float:
        with stage.morning() as database, stage.serving(database, check_in_connections=8) as server:
            fields = _senders(stage, database)
            _introduce(server.url, fields)
            answers = racing.race(server.url, CHECK_IN, fields)
            if any(status != 200 for field in answers for status, _ in field):
                raise RuntimeError("a check-in was refused")
            return _p99(answers)

    ours, peer = in_turns(stage.size.rounds, takes, check_ins)
    report(
        "alarm-take", ours, peer,
        f"p99 in milliseconds of {TAKERS} receivers who take the same alarm at the same instant, of whom one gets it, against as many senders who"
        f" check in at the same instant, {ALARMS} times a round",
        ours_at_most(1000),
    )


def _alarms(stage: Stage, database: str) -> list[list[Caller]]:
    """Senders who have called for help, each with TAKERS receivers who were told; the takers of each."""
    races = ALARMS + WARM_UP
    with stage.cluster.connect(database) as session:
        session.execute("set session_replication_role = replica")
        for name, value in {"first": 0, "last": races - 1, "crowd": TAKERS}.items():
            session.execute("select set_config(%s, %s, false)", (f"load.{name}", str(value)))
        session.execute((Path(__file__).parents[1] / "crowds.sql").read_text())
        session.execute("vacuum analyze kith.connections")
        senders = session.execute("select distinct n, tenant_id, sender_id from load.crowds order by n").fetchall()
    with stage.cluster.connect(database, "kith_api") as session:
        for _, tenant, sender in senders:
            with session.transaction():
                session.execute(HELP, {"tenant": tenant, "sender": sender})
                session.execute("select api.call_for_help(null, null, 'app', now())")
    with stage.cluster.connect(database) as session:
        session.execute("vacuum analyze kith.alarms, kith.alarm_receivers, kith.notifications")
        rows = session.execute(
            "select crowd.n, crowd.tenant_id, crowd.receiver_id::text, alarm.id::text from load.crowds as crowd"
            " join kith.alarms as alarm on alarm.tenant_id = crowd.tenant_id and alarm.sender_id = crowd.sender_id"
        ).fetchall()
    return [[Caller(*row[1:]) for row in rows if row[0] == n] for n in range(races)]


def _senders(stage: Stage, database: str) -> list[list[Caller]]:
    """As many crowds of senders who have not checked in yet."""
    with stage.cluster.connect(database) as session:
        rows = session.execute(
            "select tenant_id, user_id::text from load.senders where n < %s order by n", ((ALARMS + WARM_UP) * TAKERS,),
        ).fetchall()
    callers = [Caller(*row) for row in rows]
    return [callers[at:at + TAKERS] for at in range(0, len(callers), TAKERS)]


def _introduce(url: str, fields: list[list[Caller]]) -> None:
    """Shows the server the callers' tokens, which it then caches."""
    racing.race(url, LOOK, fields)


def _p99(answers: list[list[tuple[int, float]]]) -> float:
    return racing.p99([milliseconds for field in answers[WARM_UP:] for _, milliseconds in field])


def _check(stage: Stage, database: str, answers: list[list[tuple[int, float]]]) -> None:
    """Raises RuntimeError unless each alarm was taken by one, the others were refused, and everybody else was told once."""
    for field in answers:
        statuses = sorted(status for status, _ in field)
        if statuses != [200] + [409] * (TAKERS - 1):
            raise RuntimeError(f"the takers of an alarm were answered {statuses}")
    with stage.cluster.connect(database) as session:
        taken, alarms, entries, told = session.execute(TAKEN).fetchone()
    # The other receivers and the sender.
    if not taken == alarms == entries == len(answers) or told != alarms * TAKERS:
        raise RuntimeError(f"of {alarms} alarms {taken} are taken, with {entries} entries and {told} notifications")
