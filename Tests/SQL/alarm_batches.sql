-- The misses of many senders in one batch: each does to its sender's alarm what it would do alone.
begin;
\ir people.sql
\ir alarm_house.sql
select plan(9);

-- Six senders with two receivers each, who miss 2 March: the first has no alarm, and those of the others have come to different points.
create function tests.sender(p_n integer) returns uuid
  language sql immutable
  return format('0a11ce00-0000-7000-8000-0000000001%s', lpad(p_n::text, 2, '0'))::uuid;
insert into kith.users (tenant_id, id, display_name, time_zone, created_at, updated_at, tokens_valid_from)
select tenant_id, tests.sender(n), 'Sender ' || n, time_zone, created_at, updated_at, tokens_valid_from
from kith.users, generate_series(1, 6) as n
where id = tests.id('alice');
insert into kith.sender_profiles
select (jsonb_populate_record(null::kith.sender_profiles, to_jsonb(profile) || jsonb_build_object('user_id', tests.sender(n)))).*
from kith.sender_profiles as profile, generate_series(1, 6) as n
where profile.user_id = tests.id('alice');
insert into kith.connections (tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at)
select tests.tenant('acme'), internal.uuid7('2026-01-05Z'), tests.sender(n), tests.id(receiver), 'active', tests.sender(n), '2026-01-05Z', '2026-01-05Z', '2026-01-05Z'
from generate_series(1, 6) as n, unnest(array['bob', 'carol']) as receiver;
insert into kith.alarms (
  tenant_id, id, sender_id, kind, opened_at, counts_from, called_at, take_minutes, repeats_at, expires_at, next_at, taken_by, taken_at, taken_until,
  checked_at
)
select tests.tenant('acme'), internal.uuid7(opened_at), tests.sender(n), kind, opened_at, opened_at, case kind when 'help' then opened_at end, 30,
  array[opened_at + interval '30 minutes', opened_at + interval '2 hours'], opened_at + interval '7 days', opened_at + interval '30 minutes',
  case when taken_at is not null then tests.id('bob') end, taken_at, taken_at + interval '30 minutes', checked_at
from (
  values
    (2, 'missed', '2026-03-01T10:30:10Z'::timestamptz, null::timestamptz, null::timestamptz),
    (3, 'help', '2026-03-02T10:00Z', '2026-03-02T10:05Z', null),
    (4, 'missed', '2026-03-01T10:30:10Z', '2026-03-02T09:00Z', '2026-03-02T09:30Z'),
    (5, 'missed', '2026-02-23T10:31Z', null, null),
    (6, 'unanswered', '2026-03-02T10:20Z', null, null)
) as alarm (n, kind, opened_at, taken_at, checked_at);
-- Carol waits for her tier in the last one, and has left the second.
insert into kith.alarm_receivers (tenant_id, alarm_id, receiver_id, connection_id, tier, tell_at, told_at, left_at)
select alarm.tenant_id, alarm.id, connection.receiver_id, connection.id, 1, alarm.opened_at,
  case when alarm.sender_id <> tests.sender(6) or connection.receiver_id = tests.id('bob') then alarm.opened_at end,
  case when alarm.sender_id = tests.sender(2) and connection.receiver_id = tests.id('carol') then alarm.opened_at end
from kith.alarms as alarm
join kith.connections as connection on connection.sender_id = alarm.sender_id;
insert into kith.alarm_plans (
  tenant_id, user_id, after_minutes, repeat_minutes, take_minutes, answer_minutes, receivers_know_each_other, updated_at
)
select tests.tenant('acme'), tests.sender(n), '{0,60}', '{10}', 30, 30, false, '2026-02-01Z' from unnest(array[1, 6]) as n;
insert into kith.alarm_plan_receivers (tenant_id, user_id, connection_id, tier)
select tenant_id, sender_id, id, case receiver_id when tests.id('bob') then 1 else 2 end
from kith.connections
where sender_id in (tests.sender(1), tests.sender(6));
insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at, asked_at)
select tenant_id, '2026-03-02', id, internal.uuid7('2026-03-02T09:00Z'), sender_id, receiver_id, 'due', '2026-03-02T09:00Z', '2026-03-02T10:30Z', '2026-03-02T09:00Z'
from kith.connections
where sender_id between tests.sender(1) and tests.sender(6);

-- All that the judgement leaves, without the ids that it makes.
create function tests.traces() returns text
  language sql
as $$
  select string_agg(trace, e'\n' order by trace collate "C")
  from (
    select format('alarm %s', to_jsonb(alarm) - 'id') from kith.alarms as alarm
    union all
    select format('receiver %s %s', alarm.sender_id, to_jsonb(receiver) - 'alarm_id')
    from kith.alarm_receivers as receiver
    join kith.alarms as alarm on alarm.id = receiver.alarm_id
    union all
    select format('entry %s %s %s', alarm.sender_id, alarm.opened_at, to_jsonb(entry) - 'id' - 'alarm_id')
    from kith.alarm_entries as entry
    join kith.alarms as alarm on alarm.id = entry.alarm_id
    union all
    select format('event %s %s %s %s', event.user_id, event.type, alarm.sender_id, entry.kind)
    from kith.events as event
    left join kith.alarms as alarm on alarm.id = event.subject_id
    left join kith.alarm_entries as entry on entry.id = event.parent_id
    union all
    select format('notification %s %s %s', note.user_id, note.type, note.data - 'alarm_id') from kith.notifications as note
    union all
    select format('ping %s %s %s %s', connection_id, ping_on, status, alarmed_at) from kith.pings
  ) as left_behind (trace)
$$;
create function tests.alarm_of(p_n integer, p_columns text[]) returns jsonb
  language sql
as $$
  select jsonb_agg(alarm.value order by alarm.opened_at)
  from (
    select one.opened_at, array(select to_jsonb(one) ->> name from unnest(p_columns) with ordinality as wanted (name, n) order by n) as value
    from kith.alarms as one
    where one.sender_id = tests.sender(p_n)
  ) as alarm
$$;

savepoint batch;
do $$ begin
  while tests.run('miss_pings', '2026-03-02T10:40Z', 1) > 0 loop
  end loop;
end $$;
select tests.traces() as alone \gset
rollback to batch;
select is(tests.run('miss_pings', '2026-03-02T10:40Z', 1000), 12, 'one batch judges the pings of all of them');
select is(tests.traces(), :'alone', 'and leaves what it would leave if each were judged alone');
select is(tests.alarm_of(1, '{kind,next_at}'), '[["missed", "2026-03-02T10:40:00+00:00"]]', 'who has none gets one');
select is(
  tests.alarm_of(2, '{repeats_at,repeats_told,next_at}'),
  '[["[\"2026-03-01T11:00:10+00:00\", \"2026-03-01T12:30:10+00:00\", \"2026-03-02T11:10:00+00:00\", \"2026-03-02T12:40:00+00:00\"]", "2", "2026-03-02T11:10:00+00:00"]]',
  'where no repeat is left, two follow'
);
select is(
  tests.alarm_of(3, '{kind,taken_until,next_at}'), '[["help", "2026-03-02T10:35:00+00:00", "2026-03-02T10:35:00+00:00"]]', 'what is taken stays taken'
);
select is(tests.alarm_of(4, '{taken_at,repeats_told}'), '[[null, "2"]]', 'a take that has lapsed ends first');
select is(tests.alarm_of(5, '{outcome}'), '[["expired"], [null]]', 'one that ends within three hours ends now, and another one opens');
select is(
  (
    select string_agg(
      case receiver_id when tests.id('bob') then 'Bob' else 'Carol' end || coalesce(to_char(told_at, ' HH24:MI'), ' not yet') || to_char(tell_at, ' HH24:MI'), ', '
      order by receiver_id
    )
    from kith.alarm_receivers
    where alarm_id = (select id from kith.alarms where sender_id = tests.sender(6))
  ),
  'Bob 10:20 10:20, Carol not yet 11:20', 'who waits for a tier goes on waiting'
);
select is(
  (
    select string_agg(entry.kind, ' ' order by alarm.sender_id, entry.kind)
    from kith.alarm_entries as entry
    join kith.alarms as alarm on alarm.id = entry.alarm_id
  ),
  'missed missed lapsed missed expired missed', 'each timeline says that a miss has come'
);

select * from finish();
rollback;
