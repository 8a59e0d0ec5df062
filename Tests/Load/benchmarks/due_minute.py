"""A minute in which every ping becomes due: the time until the last sender is told, and the latency of check-ins meanwhile."""

import datetime
import json
import time
from concurrent import futures
from dataclasses import dataclass

from provider import provider
from result import at_most, report
from stage import Stage
from steady_check_ins import Latency, SteadyCheckIns, report_p99

AHEAD = datetime.timedelta(seconds=60)
"""Enough to prepare the round, and for a worker that has just started to be idle: its hourly check is no part of the minute."""

DUE = """
with due as (
  select tenant_id, user_id, row_number() over (order by user_id) as n
  from kith.sender_profiles
  order by user_id desc
  limit %(senders)s
), telephones as (
  update kith.users as account
  set phone = '+4915' || lpad(due.n::text, 9, '0'), phone_verified_at = now()
  from due
  where account.tenant_id = due.tenant_id and account.id = due.user_id
), preferences as (
  insert into kith.notification_preferences (tenant_id, user_id, type, channels, updated_at)
  select tenant_id, user_id, 'ping_due', array['sms'], now() from due
)
update kith.pings as ping
set status = 'scheduled', scheduled_at = %(at)s, remind_at = %(at)s + interval '75 minutes', deadline_at = %(at)s + interval '90 minutes'
from due
where ping.tenant_id = due.tenant_id and ping.sender_id = due.user_id
"""
"""The newest senders, so that others check in meanwhile. All other pings of the day are due already."""


REMINDERS = """
update kith.sender_profiles
set reminders = %(reminders)s::jsonb, first_reminder_minutes = (%(reminders)s::jsonb -> 0 ->> 'before_minutes')::integer,
  reminder_minutes = (%(reminders)s::jsonb -> -1 ->> 'before_minutes')::integer
where user_id in (select user_id from kith.sender_profiles order by user_id desc limit %(senders)s)
"""
"""The first reminder is a quarter of an hour before the deadline, as the pings of `DUE` have it."""


@dataclass(frozen=True)
class Minute:
    """A minute in which every ping came due."""

    senders: int
    pings: int
    seconds: float
    """Until the last sender was told."""
    busy: Latency
    quiet: Latency
    """Of check-ins in that minute and before it."""


def run(stage: Stage) -> None:
    minute = pass_minute(stage)
    report(
        "due-minute", [minute.seconds], [60],
        f"seconds until the last of {minute.senders} senders was told by text message that their {minute.pings} pings are due, all at"
        " the same minute, over which they are spread",
    )
    report_p99("due-minute-check-in", [minute.busy], [minute.quiet], "meanwhile", at_most(3))


def pass_minute(stage: Stage, reminders: list[dict] | None = None) -> Minute:
    """Lets the minute pass for senders with these reminders of their own, or with the usual one."""
    senders = stage.size.senders // 5
    with stage.morning() as database, provider(stage) as sink, stage.serving(database) as server:
        sink.serve(stage, database, stage.size.tenants)
        check_ins = SteadyCheckIns(stage, database, server.url)
        quiet = check_ins.measure()
        with stage.cluster.connect(database) as session:
            at = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0) + AHEAD
            pings = session.execute(DUE, {"senders": senders, "at": at}).rowcount
            if reminders:
                session.execute(REMINDERS, {"reminders": json.dumps(reminders), "senders": senders})
            session.execute("vacuum analyze")
            session.execute("checkpoint")
            check_in_meanwhile = check_ins.prepare()
            with stage.working(database, sink.certificate), futures.ThreadPoolExecutor(1) as threads:
                ahead = (at - datetime.datetime.now(datetime.timezone.utc)).total_seconds()
                if ahead < AHEAD.total_seconds() / 4:
                    raise RuntimeError(f"the preparation left the worker {ahead:.0f} s")
                time.sleep(ahead)
                began = time.monotonic()
                telling = threads.submit(_until_told, sink, sink.taken + senders)
                sink.await_first(sink.taken)
                busy = check_in_meanwhile()
                if telling.done():
                    raise RuntimeError("everybody was told before the check-ins ended: there are too few pings")
                seconds = telling.result() - began
                told = session.execute(
                    "select count(distinct notification_id) from kith.deliveries where status in ('sending', 'sent')"
                ).fetchone()[0]
    if told < senders:
        raise RuntimeError(f"{told} senders were told of {senders}")
    return Minute(senders, pings, seconds, busy, quiet)


def _until_told(sink, goal: int) -> float:
    end = time.monotonic() + 900
    while sink.taken < goal:
        if time.monotonic() > end:
            raise RuntimeError(f"{goal - sink.taken} senders were not told in 15 minutes")
        time.sleep(0.2)
    return time.monotonic()
