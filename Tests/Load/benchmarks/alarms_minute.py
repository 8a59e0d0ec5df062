"""A minute in which alarms open while every ping becomes due: how long until the receivers are told, and what that costs the others."""

import datetime
import time
from dataclasses import dataclass

from benchmarks.due_minute import AHEAD, DUE
from provider import Provider, provider
from result import at_most, report
from rounds import in_turns
from stage import Stage

JUDGED_AFTER = datetime.timedelta(seconds=10)
"""internal.judging_delay(): an alarm opens that long after the deadline of its ping."""
LONGEST = 900
"""The seconds after which a run is given up."""

MISSED = """
with missing as (
  select tenant_id, user_id, %(at)s + (row_number() over (order by md5(user_id::text)) - 1) * interval '1 minute' / %(alarms)s - %(delay)s as deadline_at
  from (
    select tenant_id, user_id from kith.sender_profiles order by user_id desc offset %(senders)s limit %(alarms)s
  ) as chosen
), moved as (
  update kith.pings as ping
  set scheduled_at = missing.deadline_at - interval '90 minutes', remind_at = null, deadline_at = missing.deadline_at,
    asked_at = missing.deadline_at - interval '90 minutes'
  from missing
  where ping.tenant_id = missing.tenant_id and ping.sender_id = missing.user_id
  returning ping.tenant_id, ping.receiver_id
), reached as (
  select tenant_id, receiver_id, row_number() over (order by receiver_id) as n from moved group by tenant_id, receiver_id
), telephones as (
  update kith.users as account
  set phone = '+4916' || lpad(reached.n::text, 9, '0'), phone_verified_at = now()
  from reached
  where account.tenant_id = reached.tenant_id and account.id = reached.receiver_id
), preferences as (
  insert into kith.notification_preferences (tenant_id, user_id, type, channels, updated_at)
  select tenant_id, receiver_id, 'ping_missed', array['sms'], now() from reached
)
select count(*) from moved
"""
"""The newest senders but those whose pings come due. Their deadlines are spread over the minute."""

TOLD = """
select count(*) filter (where delivery.sent_at is not null), count(distinct alarm.id),
  coalesce(max(extract(epoch from delivery.sent_at - ping.deadline_at - %(delay)s)), 0)::float
from kith.alarms as alarm
join kith.pings as ping on ping.tenant_id = alarm.tenant_id and ping.sender_id = alarm.sender_id and ping.status = 'missed'
join kith.notifications as note on note.tenant_id = ping.tenant_id and note.user_id = ping.receiver_id and note.type = 'ping_missed'
  and note.data ->> 'connection_id' = ping.connection_id::text
left join kith.deliveries as delivery on delivery.tenant_id = note.tenant_id and delivery.notification_id = note.id
"""

REMINDED = """
select count(*), coalesce(max(extract(epoch from delivery.sent_at - %(at)s)), 0)::float
from kith.notifications as note
join kith.deliveries as delivery on delivery.tenant_id = note.tenant_id and delivery.notification_id = note.id
where note.type = 'ping_due' and delivery.sent_at is not null
"""


@dataclass(frozen=True)
class Minute:
    """What became of one minute."""

    receivers: int
    """The receivers of the alarms, counted once for each alarm."""
    alarmed: float
    """The longest time from an instant at which an alarm was to open until one of its receivers was told, in seconds."""
    due: float
    """The seconds until the last sender was told that the pings are due."""


def run(stage: Stage) -> None:
    senders = stage.size.senders // 5
    alarms = stage.size.senders // 50
    with provider(stage) as sink:
        with_alarms, without = in_turns(
            min(3, stage.size.rounds),
            lambda: _minute(stage, sink, senders, alarms),
            lambda: _minute(stage, sink, senders, 0),
        )
    receivers = with_alarms[0].receivers
    report(
        "alarms-minute", [minute.alarmed for minute in with_alarms], [60 for _ in with_alarms],
        f"seconds until the last of {receivers} receivers was told by text message of the alarm of one of {alarms} senders, counted from the instant"
        f" at which it opens, all in the minute in which {senders} senders are told that their pings are due",
        at_most(1),
    )
    report(
        "alarms-minute-due", [minute.due for minute in with_alarms], [minute.due for minute in without],
        f"seconds until the last of these {senders} senders was told, against the same without alarms; the alarms are"
        f" {100 * receivers / senders:.0f} % more messages",
        at_most(1.5),
    )


def _minute(stage: Stage, sink: Provider, senders: int, alarms: int) -> Minute:
    # Each measurement begins on a copy of the same morning. Nobody is missed while no server is there to check in.
    with stage.morning() as database, stage.serving(database), stage.cluster.connect(database) as session:
        sink.serve(stage, database, stage.size.tenants)
        at = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0) + AHEAD
        session.execute(DUE, {"senders": senders, "at": at})
        receivers = 0
        if alarms:
            (receivers,) = session.execute(
                MISSED, {"at": at, "senders": senders, "alarms": alarms, "delay": JUDGED_AFTER},
            ).fetchone()
        session.execute("vacuum analyze")
        session.execute("checkpoint")
        with stage.working(database, sink.certificate):
            ahead = (at - datetime.datetime.now(datetime.timezone.utc)).total_seconds()
            if ahead < AHEAD.total_seconds() / 4:
                raise RuntimeError(f"the preparation left the worker {ahead:.0f} s")
            time.sleep(ahead)
            end = time.monotonic() + LONGEST
            while True:
                time.sleep(1)
                told, opened, alarmed = session.execute(TOLD, {"delay": JUDGED_AFTER}).fetchone()
                reminded, due = session.execute(REMINDED, {"at": at}).fetchone()
                if told >= receivers and reminded >= senders:
                    return Minute(receivers, alarmed, due)
                if time.monotonic() > end:
                    raise RuntimeError(
                        f"in {LONGEST} s {opened} alarms of {alarms} opened, {told} receivers of {receivers} were told,"
                        f" and {reminded} senders of {senders}"
                    )
