"""A quiet tenant's calls for help, repeats and check-ins beside the most alarms that another tenant can cause, compared with a quiet time."""

import contextlib
import datetime
import http.client
import time
import urllib.parse
from concurrent import futures
from dataclasses import dataclass

import tokens
from alarm_noise import AlarmNoise, TENANT
from provider import Provider, provider
from result import at_most, report
from rounds import in_turns
from stage import Stage
from steady_check_ins import Latency, SteadyCheckIns, report_p99

ROUNDS = 3
PEOPLE = 100
"""The quiet senders who call for help, and as many whose alarms repeat."""
EVERY = 0.2
"""The seconds between two of each."""
AHEAD = datetime.timedelta(seconds=60)
"""Enough to prepare the round, and for a worker that has just started to be idle."""
LONGEST = 300
"""The seconds after which a round is given up."""

QUIET = """
create table load.quiet as
select row_number() over (order by n) as nth, tenant_id, user_id from (
  select * from load.senders where tenant_id <> %(noisy)s order by n desc limit 2 * %(people)s
) as chosen;
with reached as (
  select tenant_id, receiver_id, row_number() over (order by receiver_id) as n
  from (
    select distinct connection.tenant_id, connection.receiver_id
    from load.quiet as sender
    join kith.connections as connection on connection.tenant_id = sender.tenant_id and connection.sender_id = sender.user_id
  ) as receiver
), telephones as (
  update kith.users as account set phone = '+4916' || lpad(reached.n::text, 9, '0'), phone_verified_at = now()
  from reached
  where account.tenant_id = reached.tenant_id and account.id = reached.receiver_id
)
insert into kith.notification_preferences (tenant_id, user_id, type, channels, updated_at)
select tenant_id, receiver_id, type, array['sms'], now() from reached cross join unnest(array['help_requested', 'alarm_repeat']) as type;
with alarm as (
  insert into kith.alarms (tenant_id, id, sender_id, kind, opened_at, counts_from, called_at, take_minutes, repeats_at, expires_at, next_at)
  select tenant_id, internal.uuid7(made.at), user_id, 'help', made.at, made.at, made.at, 30, array[made.at + interval '30 minutes'],
    made.at + interval '7 days', made.at + interval '30 minutes'
  from load.quiet
  cross join lateral (select %(at)s - interval '30 minutes' + (nth - %(people)s) * %(every)s * interval '1 second') as made (at)
  where nth > %(people)s
  returning tenant_id, id, sender_id, opened_at
)
insert into kith.alarm_receivers (tenant_id, alarm_id, receiver_id, connection_id, tier, tell_at, told_at)
select alarm.tenant_id, alarm.id, connection.receiver_id, connection.id, 1, alarm.opened_at, alarm.opened_at
from alarm
join kith.connections as connection on connection.tenant_id = alarm.tenant_id and connection.sender_id = alarm.sender_id;
"""
"""The newest senders of other tenants: the first half calls for help, and the alarms of the others repeat one after the other."""

TOLD = """
select note.type, count(*), count(delivery.sent_at),
  percentile_disc(0.99) within group (order by extract(epoch from delivery.sent_at - case note.type when 'alarm_repeat' then alarm.repeats_at[1] else note.created_at end))
from load.quiet as sender
join kith.alarms as alarm on alarm.tenant_id = sender.tenant_id and alarm.sender_id = sender.user_id
join kith.notifications as note on note.tenant_id = alarm.tenant_id and note.data ->> 'alarm_id' = alarm.id::text
left join kith.deliveries as delivery on delivery.tenant_id = note.tenant_id and delivery.notification_id = note.id
where note.type in ('help_requested', 'alarm_repeat')
group by note.type
"""


@dataclass(frozen=True)
class Round:
    """The p99 of a round."""

    help: float
    """The milliseconds from a call for help until its receivers were told by text message."""
    repeat: float
    """The milliseconds from the instant of a repeat until its receivers were told again."""
    check_in: Latency


def run(stage: Stage) -> None:
    with provider(stage) as sink:
        ours, peer = in_turns(min(ROUNDS, stage.size.rounds), lambda: _round(stage, sink, True), lambda: _round(stage, sink, False))
    beside = "beside another tenant's 500 alarms of 200 receivers that repeat at once, and its calls for help without pause, against a quiet time"
    report(
        "noisy-alarms-help", [one.help for one in ours], [one.help for one in peer],
        f"p99 in milliseconds until the receivers of a quiet tenant's call for help were told by text message, {beside}", at_most(3),
    )
    report(
        "noisy-alarms-repeat", [one.repeat for one in ours], [one.repeat for one in peer],
        f"p99 in milliseconds from the instant of a repeat until its receivers were told again, {beside}", at_most(3),
    )
    report_p99("noisy-alarms-check-in", [one.check_in for one in ours], [one.check_in for one in peer], "beside the same", at_most(3))


def _round(stage: Stage, sink: Provider, is_noisy: bool) -> Round:
    with stage.morning() as database, stage.serving(database) as server, stage.cluster.connect(database) as session:
        sink.serve(stage, database, stage.size.tenants)
        at = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0) + AHEAD
        session.execute("set session_replication_role = replica")
        for statement in QUIET.split(";\n")[:-1]:
            session.execute(statement, {"noisy": TENANT, "people": PEOPLE, "every": EVERY, "at": at})
        check_ins = SteadyCheckIns(stage, database, server.url)
        noise = AlarmNoise(stage, database, server.url, at) if is_noisy else None
        session.execute("vacuum analyze kith.alarms, kith.alarm_receivers, kith.users, kith.connections")
        callers = session.execute("select tenant_id, user_id::text from load.quiet where nth <= %s order by nth", (PEOPLE,)).fetchall()
        with stage.working(database, sink.certificate):
            measure = check_ins.prepare()
            ahead = (at - datetime.datetime.now(datetime.timezone.utc)).total_seconds()
            if ahead < 5:
                raise RuntimeError(f"the preparation left the worker {ahead:.0f} s")
            time.sleep(ahead)
            with noise.making() if noise else contextlib.nullcontext(), futures.ThreadPoolExecutor() as threads:
                calls = threads.submit(_call, server.url, callers)
                latency = measure()
                calls.result()
                told = _await(session)
            if noise and noise.answers == 0:
                raise RuntimeError("the noisy tenant got no answer at all")
    return Round(told["help_requested"], told["alarm_repeat"], latency)


def _call(url: str, callers: list[tuple[int, str]]) -> None:
    """Lets each caller call for help, one after the other at a steady rate."""
    began = time.monotonic()
    connection = http.client.HTTPConnection(urllib.parse.urlsplit(url).netloc, timeout=60)
    for n, (tenant, user) in enumerate(callers):
        time.sleep(max(0.0, began + n * EVERY - time.monotonic()))
        headers = {"Authorization": f"Bearer {tokens.mint(tenant, user)}", "Content-Type": "application/json"}
        connection.request("POST", "/v1/alarms", "{}", headers)
        answer = connection.getresponse()
        answer.read()
        if answer.status not in (200, 201):
            raise RuntimeError(f"a quiet tenant's call for help was answered {answer.status}")


def _await(session) -> dict[str, float]:
    """Waits until everybody was told; the p99 in milliseconds by type."""
    end = time.monotonic() + LONGEST
    while True:
        rows = session.execute(TOLD).fetchall()
        if len(rows) == 2 and all(sent == told for _, told, sent, _ in rows):
            return {kind: 1000 * float(p99) for kind, _, _, p99 in rows}
        if time.monotonic() > end:
            raise RuntimeError(f"in {LONGEST} s not everybody was told: {rows}")
        time.sleep(0.5)
