-- Rules that are right one by one, in pairs: each story ends with what would be wrong if one of them forgot the other.
begin;
\ir people.sql
\ir pairs_house.sql
select plan(28);

-- An account that ended after its deadline (A04, X34), while the workers were away (X35).
select is(
  tests.after(
    $$
      select tests.connect('mallory', 'bob'), tests.begin_day('2026-03-09'), tests.beat('worker', '2026-03-09T08:00Z');
      select tests.act('mallory', $a$ api.delete_me(null, '2026-03-09T11:00Z') $a$);
      select tests.beat('worker', '2026-03-09T11:05Z'), tests.work('2026-03-09T11:05:01Z')
    $$,
    $$ select count(*) from kith.pings where status = 'scheduled' and scheduled_at <= '2026-03-09T11:05Z' $$
  ), '0', 'the ping of an ended account does not stay scheduled, which would keep everybody else from being asked again'
);
select is(
  tests.after(
    $$
      select tests.connect('mallory', 'bob'), tests.begin_day('2026-03-09'), tests.work('2026-03-09T09:00:01Z');
      select tests.act('mallory', $a$ api.delete_me(null, '2026-03-09T11:00Z') $a$);
      set local role kith_worker;
      select worker.remind_senders('2026-03-09T11:05:01Z', 100)
    $$,
    $$ select worker.remind_senders('2026-03-09T11:05:02Z', 100) $$
  ), '0', 'nor does the loop of reminders go on for ever because of it'
);

-- The miss of the eighth day and the end of the alarm after seven (K00, K01).
create function tests.eight_days(p_first time, p_last time) returns void
  language plpgsql
as $$
begin
  for n in 0..7 loop
    perform tests.begin_day('2026-03-09'::date + n);
    perform tests.work(('2026-03-09'::date + n + time '09:00:01') at time zone 'UTC');
    perform tests.work(('2026-03-09'::date + n + case n when 0 then p_first when 7 then p_last else '10:30:10.5' end) at time zone 'UTC');
  end loop;
end
$$;
select is(
  tests.after(
    format('select tests.eight_days(%L, %L), tests.work(''2026-03-16T10:30:15Z'')', first, last),
    $$
      select concat_ws(', ', count(*) filter (where resolved_at is null), bool_or(resolved_at is null and expires_at > '2026-03-16T14:00Z'), bool_or(id = newest.alarm_id and resolved_at is null))
      from kith.alarms
      cross join (
        select (data ->> 'alarm_id')::uuid as alarm_id from kith.notifications where user_id = tests.id('bob') and type = 'ping_missed' order by id desc limit 1
      ) as newest
    $$
  ),
  '1, t, t', format('the miss of the eighth day has an alarm in which somebody can act (%s, then %s)', first, last)
)
from (values ('10:30:10.9'::time, '10:30:10.2'::time), ('10:30:10.2', '10:30:10.9')) as jitter (first, last);

-- A second tap on a link within a minute (J01), and what has been asked since the first (K06, E02).
create function tests.tap(p_now timestamptz) returns void
  language plpgsql
as $$
begin
  perform tests.as_role('kith_api');
  perform api.use_check_in_link(tests.tenant('acme'), sha256('x'), 'safe', null, p_now);
  perform tests.as_superuser();
end
$$;
create function tests.link() returns void
  language plpgsql
as $$
begin
  perform tests.begin_day('2026-03-09');
  perform tests.work('2026-03-09T09:00:01Z');
  perform tests.as_role('kith_worker');
  perform worker.keep_check_in_links(array[tests.tenant('acme')], array[tests.id('alice')], array['2026-03-09'::date], array[sha256('x')], '2026-03-09T09:00:05Z');
  perform tests.as_superuser();
  perform tests.tap('2026-03-09T09:10Z');
end
$$;
insert into kith.vaults (tenant_id, id, owner_id, name, created_at, updated_at)
values (tests.tenant('acme'), '0a000000-0000-7000-8000-000000000001', tests.id('alice'), 'Papers', '2026-03-01T08:00Z', '2026-03-01T08:00Z');
insert into kith.nominees (tenant_id, id, vault_id, owner_id, user_id, name, status, access_level, invited_at, invited_by_user_id, accepted_at, updated_at)
values (
  tests.tenant('acme'), '0b000000-0000-7000-8000-000000000001', '0a000000-0000-7000-8000-000000000001', tests.id('alice'), tests.id('carol'), 'Carol', 'accepted',
  'view', '2026-03-01T08:00Z', tests.id('alice'), '2026-03-01T08:00Z', '2026-03-01T08:00Z'
);
-- Carol may ask to get in, and waits so many hours; or Alice's silence of so many days begins the wait.
create function tests.right(p_hours integer, p_days integer default null) returns void
  language sql
as $$
  insert into kith.emergency_settings (tenant_id, nominee_id, vault_id, owner_id, wait_hours, access_level, on_request, after_missed_days, created_at, updated_at)
  values (
    tests.tenant('acme'), '0b000000-0000-7000-8000-000000000001', '0a000000-0000-7000-8000-000000000001', tests.id('alice'), p_hours, 'view', p_days is null, p_days,
    '2026-03-01T08:00Z', '2026-03-01T08:00Z'
  );
  insert into kith.signs_of_life (tenant_id, user_id) values (tests.tenant('acme'), tests.id('alice')) on conflict do nothing
$$;
create function tests.request(p_now timestamptz) returns void
  language sql
as $$
  select tests.act('carol', format('api.request_emergency_access(%L, null, %L)', '0a000000-0000-7000-8000-000000000001', p_now))
$$;
select is(
  tests.after('select tests.link(), tests.tap(''2026-03-09T09:10:45Z'')', 'select count(*) from kith.check_ins'), '1', 'a second tap within a minute is the same check-in'
);
select is(
  tests.after(
    $$
      select tests.link(), tests.act('bob', $a$ api.ask_sender(tests.id('alice-bob'), '2026-03-09T09:10:20Z') $a$);
      select tests.tap('2026-03-09T09:10:45Z')
    $$,
    'select is_answered from kith.asks'
  ), 'true', 'but answers what somebody has asked in between'
);
select is(
  tests.after(
    $$ select tests.right(1), tests.link(); select tests.request('2026-03-09T09:10:20Z'); select tests.tap('2026-03-09T09:10:45Z') $$,
    'select end_reason from kith.emergency_requests'
  ), 'owner_returned', 'and ends a wait for emergency access'
);

-- "1" by text (J02) while the judgement of one's own ping waits (X35), and somebody else's alarm is open (K02).
create function tests.text_one(p_now timestamptz) returns void
  language plpgsql
as $$
begin
  perform api.receive_text(tests.tenant('acme'), array[sha256('m1')], '+436641234567', '{"en": "one"}', p_now);
  perform tests.as_superuser();
end
$$;
create function tests.texted(p_at timestamptz) returns void
  language sql
as $$
  insert into kith.deliveries (tenant_id, id, channel, purpose, address, notification_id, is_urgent, status, sent_at, next_attempt_at, expires_at, created_at, offers_keys)
  select note.tenant_id, internal.uuid7(p_at), 'sms', 'notification', '+436641234567', note.id, true, 'sent', p_at, p_at, p_at + interval '90 minutes', p_at,
    true
  from kith.notifications as note
  where note.user_id = tests.id('alice') and internal.answers_alarm(note.type, note.data)
$$;
create function tests.neighbour() returns void
  language plpgsql
as $$
begin
  perform tests.connect('mallory', 'alice');
  update kith.users set phone = '+436641234567', phone_verified_at = '2026-01-05T08:00Z' where id = tests.id('alice');
  update kith.sender_profiles set ping_time = '06:00', grace_minutes = 60 where user_id = tests.id('mallory');
  perform tests.begin_day('2026-03-09');
  perform tests.work('2026-03-09T06:00:01Z');
  perform tests.work('2026-03-09T07:00:11Z');
  perform tests.work('2026-03-09T09:00:01Z');
end
$$;
select is(
  tests.after(
    format('select tests.neighbour(), tests.texted(''2026-03-09T07:00:30Z''), tests.beat(%L, %L, %L); select tests.work(%3$L); select tests.text_one(%L)', component, began_at, ended_at, at),
    $$ select concat_ws(' ', (select count(*) from kith.check_ins), (select count(*) from kith.alarms where taken_by is not null)) $$
  ), '1 0', '"1" answers one''s own ping after an outage of the ' || component || ', and takes nobody''s alarm'
)
from (
  values ('worker', '2026-03-09T09:30Z', '2026-03-09T11:05Z', '2026-03-09T11:10Z'), ('server', '2026-03-09T10:20Z', '2026-03-09T10:35Z', '2026-03-09T10:37Z')
) as outages (component, began_at, ended_at, at);
select is(
  tests.after(
    $$
      select tests.neighbour(), tests.texted('2026-03-09T07:00:30Z'), tests.act('alice', $a$ api.check_in(null, false, null, 'app', '2026-03-09T09:05Z') $a$);
      select tests.text_one('2026-03-09T10:31Z')
    $$,
    'select count(*) from kith.alarms where taken_by = tests.id(''alice'')'
  ), '1', 'without a question of one''s own it takes the alarm'
);

-- A new grace (X33) while the judgement waits (X35).
select is(
  tests.after(
    $$
      update kith.sender_profiles set grace_minutes = 20, reminder_minutes = 5 where user_id = tests.id('alice');
      select tests.begin_day('2026-03-09'), tests.beat('worker', '2026-03-09T08:00Z', '2026-03-09T09:15Z'), tests.work('2026-03-09T09:15:01Z');
      select tests.act('alice', $a$ api.put_sender_profile('{"ping_time": "09:00", "grace_minutes": 120}', '2026-03-09T09:16Z') $a$);
      select tests.work('2026-03-09T09:45:01Z')
    $$,
    $$ select concat_ws(' ', status, to_char(deadline_at at time zone 'UTC', 'HH24:MI'), to_char(judge_at at time zone 'UTC', 'HH24:MI')) from tests.alice $$
  ), 'due 11:00 11:00', 'nobody is judged before the deadline that a new grace gives'
);

-- Days on which no channel took a notice (E03), and the end of their deliveries (G04).
create function tests.unheard_days() returns void
  language plpgsql
as $$
declare
  v_messages jsonb;
  v_on date;
begin
  insert into kith.devices (tenant_id, user_id, token, platform, environment, last_seen_at, created_at)
  values (tests.tenant('acme'), tests.id('alice'), 'tok', 'ios', 'production', '2026-03-01Z', '2026-03-01Z');
  for v_on in select date '2026-03-09' + n from generate_series(0, 2) as n loop
    perform tests.begin_day(v_on);
    perform tests.work((v_on + time '09:00:01') at time zone 'UTC');
    perform tests.work((v_on + time '10:16') at time zone 'UTC');
    perform tests.plan((v_on + time '10:16:01') at time zone 'UTC');
    perform tests.as_role('kith_worker');
    select jsonb_agg(jsonb_build_object('tenant_id', claimed.tenant_id, 'id', claimed.id, 'outcome', 'retry', 'error', 'x')) into v_messages
    from worker.claim_deliveries((v_on + time '10:17') at time zone 'UTC', 'apns', 100, 100, 0, '{}', '{}', 'w1') as claimed;
    perform worker.finish_deliveries((v_on + time '10:17') at time zone 'UTC', 'w1', v_messages);
    perform tests.work((v_on + time '10:30:11') at time zone 'UTC');
    perform tests.as_role('kith_worker');
    perform worker.drop_expired_deliveries((v_on + time '10:40') at time zone 'UTC', 100);
    perform tests.as_superuser();
  end loop;
end
$$;
create function tests.silent_days() returns text
  language sql
as $$
  select days::text from internal.missed_row(tests.tenant('acme'), tests.id('alice'), '2026-03-08T12:00Z', '2026-04-20T12:00Z')
$$;
select is(tests.after('select tests.right(24, 4), tests.unheard_days()', 'select tests.silent_days()'), '0', 'a day whose notices no channel took is no silence');
select is(
  tests.after(
    $$ select tests.right(24, 4), tests.unheard_days(); delete from kith.deliveries; delete from kith.notifications where user_id = tests.id('alice') $$,
    'select tests.silent_days()'
  ), '0', 'nor does it become one when its notices are deleted'
);
select is(
  tests.after(
    $$ select tests.right(24, 4), tests.unheard_days(); update kith.pings set is_unreached = null; delete from kith.deliveries $$, 'select tests.silent_days()'
  ), '3', 'which the ping itself remembers'
);

-- A wait for emergency access (E04) whose owner nobody has told, because the workers are away (E06).
create function tests.enter(p_now timestamptz) returns text
  language plpgsql
as $$
begin
  perform tests.act('carol', format('api.enter_emergency(%L, %L)', '0a000000-0000-7000-8000-000000000001', p_now));
  return 'is in';
exception
  when sqlstate 'KT423' then
    perform tests.as_superuser();
    return 'must wait';
end
$$;
create function tests.untold_request() returns void
  language plpgsql
as $$
begin
  perform tests.right(2);
  perform tests.beat('worker', '2026-03-09T08:59Z');
  perform tests.beat('server', '2026-03-09T08:59Z');
  perform tests.request('2026-03-09T09:00Z');
  for n in 1..240 loop
    perform tests.beat('server', '2026-03-09T08:59Z'::timestamptz + n * interval '1 minute');
  end loop;
end
$$;
select is(
  tests.after('select tests.untold_request()', 'select tests.enter(''2026-03-09T11:00:05Z'')'), 'must wait', 'a wait of which the owner has not been told stands still'
);
select is(
  tests.after(
    $$ select tests.untold_request(), tests.beat('worker', '2026-03-09T10:00Z'), tests.plan('2026-03-09T10:00Z') $$,
    $$ select concat_ws(', ', tests.enter('2026-03-09T11:59:59Z'), tests.enter('2026-03-09T12:00Z')) $$
  ), 'must wait, is in', 'until the workers come back and tell them'
);
select is(
  tests.after(
    $$
      select tests.right(2), tests.beat('server', '2026-03-09T08:59Z'), tests.beat('worker', '2026-03-09T08:59Z'), tests.request('2026-03-09T09:00Z'), tests.plan('2026-03-09T09:00:01Z');
      do $d$ begin for n in 1..122 loop perform tests.beat('server', '2026-03-09T08:59Z'::timestamptz + n * interval '1 minute'); end loop; end $d$
    $$,
    'select tests.enter(''2026-03-09T11:00:05Z'')'
  ), 'is in', 'once the owner has been told, no worker is needed'
);

-- A tenant that is deleted by mistake and restored (G01), and the day's pings (P13).
create function tests.mistake(p_restored_at timestamptz) returns void
  language plpgsql
as $$
begin
  perform tests.begin_day('2026-03-09');
  perform tests.as_role('kith_admin');
  perform admin.delete_tenant('acme', 'by mistake', '2026-03-09T08:55Z');
  perform tests.as_superuser();
  perform tests.work('2026-03-09T09:00:01Z');
  perform tests.as_role('kith_admin');
  perform admin.restore_tenant('acme', 'a mistake', p_restored_at);
  perform tests.as_superuser();
  perform tests.work(p_restored_at + interval '1 second');
end
$$;
select is(
  tests.after('select tests.mistake(''2026-03-09T09:05Z'')', 'select status || '', '' || tests.hears(''alice'') from tests.alice'),
  'due, Let your receivers know you''re safe.', 'a restored tenant gets the day''s pings back'
);
select is(
  tests.after('select tests.mistake(''2026-03-09T10:35Z'')', 'select concat_ws('', '', status, tests.hears(''bob'')) from tests.alice'), 'cancelled',
  'but none whose deadline has passed'
);
select is(
  tests.after(
    $$ select tests.act('alice', $a$ api.put_break('{"from": "2026-03-09", "until": "2026-03-10"}', '2026-03-08T20:00Z') $a$), tests.mistake('2026-03-09T09:05Z') $$,
    'select string_agg(status, '', '') from tests.alice'
  ), 'nothing', 'and none of a break'
);

-- A consent (P29) after the deadline of a ping of which the workers, who were away, have told nobody (X35).
create function tests.late_consent(p_at timestamptz) returns void
  language plpgsql
as $$
begin
  update kith.connections set status = 'pending' where id = tests.id('alice-bob');
  perform tests.begin_day('2026-03-09');
  perform tests.beat('worker', '2026-03-09T08:30Z');
  perform tests.act('bob', format('api.consent_connection(tests.id(''alice-bob''), %L)', p_at));
  perform tests.beat('worker', '2026-03-09T11:05Z');
  perform tests.work('2026-03-09T11:05:01Z');
  perform tests.work('2026-03-09T12:35:12Z');
end
$$;
select is(
  tests.after('select tests.late_consent(''2026-03-09T10:40Z'')', 'select concat_ws('', '', (select count(*) from kith.alarms), tests.hears(''bob''))'), '0',
  'nobody is alarmed for a window that had ended before the consent'
);
select is(
  tests.after('select tests.late_consent(''2026-03-09T10:20Z'')', 'select count(*) from kith.alarms'), '1', 'but for one that had not, after the sender was asked'
);

-- A removal between the deadline and the judgement (X34), and the alarm (K01).
create function tests.removed(p_act text) returns void
  language plpgsql
as $$
begin
  perform tests.begin_day('2026-03-09');
  perform tests.work('2026-03-09T09:00:01Z');
  perform tests.act(split_part(p_act, ' ', 1), substr(p_act, strpos(p_act, ' ') + 1));
  perform tests.work('2026-03-09T10:30:11Z');
end
$$;
select is(
  tests.after(
    format('select tests.removed(%L)', act),
    $$
      select concat_ws(', ', (select count(*) from kith.alarms where resolved_at is null), (select count(*) from internal.untold_alarms('2026-03-09T10:40Z')),
        coalesce(tests.hears('bob') like '%Alice has not checked in today.%', false))
    $$
  ), '0, 0, f', 'whoever is removed after the deadline hears of no miss, and no alarm without anybody is open: ' || act
)
from unnest(
  array[$a$bob api.remove_connection(tests.id('alice-bob'), '2026-03-09T10:30:05Z')$a$, $a$alice api.delete_sender_profile('2026-03-09T10:30:05Z')$a$]
) as act;
select is(
  tests.after(
    $$ select tests.connect('alice', 'carol'), tests.removed($a$bob api.remove_connection(tests.id('alice-bob'), '2026-03-09T10:30:05Z')$a$) $$,
    'select count(*) from kith.alarms where resolved_at is null'
  ), '1', 'one that concerns somebody else does'
);

-- A take whose taker Kith could not ask (K02), because of its own outage, and a block, which ends without a word (X22).
create function tests.taken(p_is_blocked boolean) returns void
  language plpgsql
as $$
begin
  perform tests.connect('alice', 'carol');
  perform tests.begin_day('2026-03-09');
  perform tests.work('2026-03-09T09:00:01Z');
  perform tests.work('2026-03-09T10:30:11Z');
  perform tests.act('bob', format('api.take_alarm(%L, ''{}'', ''2026-03-09T10:35Z'')', tests.alarm()));
  perform tests.beat('server', '2026-03-09T11:00Z', '2026-03-09T11:16Z');
  perform tests.work('2026-03-09T11:17Z');
  if p_is_blocked then
    perform tests.act('alice', 'api.put_block(tests.id(''carol''), ''2026-03-09T11:18Z'')');
  end if;
end
$$;
select is(
  tests.after(
    'select tests.taken(true)',
    $$
      select concat_ws(', ', (select count(*) from kith.notifications where user_id = tests.id('carol') and type = 'alarm_reopened'),
        (select count(*) from kith.alarm_entries where kind = 'lapsed'), (select taken_by = tests.id('bob') from kith.alarms))
    $$
  ), '0, 0, t', 'whoever is blocked hears nothing, and nobody loses an alarm unasked'
);

-- The only receiver, who looks after the alarm (K02), deletes their account (A04).
create function tests.deserted(p_taker text) returns void
  language plpgsql
as $$
begin
  perform tests.begin_day('2026-03-09');
  perform tests.work('2026-03-09T09:00:01Z');
  perform tests.work('2026-03-09T10:30:11Z');
  if p_taker is not null then
    perform tests.act(p_taker, format('api.take_alarm(%L, ''{}'', ''2026-03-09T10:35Z'')', tests.alarm()));
  end if;
  perform tests.act('bob', 'api.delete_me(null, ''2026-03-09T10:40Z'')');
end
$$;
create function tests.ending_told() returns text
  language sql
as $$
  select string_agg(body, ' | ' order by id) from tests.notifications where user_id = tests.id('alice') and type = 'alarm_resolved'
$$;
select is(
  tests.after('select tests.deserted(''bob'')', 'select tests.ending_told()'), 'Nobody who was told is connected with you any more, so nobody is looking after you now.',
  'who has read that somebody looks after them reads that nobody does any more'
);
select is(tests.after('select tests.deserted(null)', 'select tests.ending_told()'), 'nothing', 'and only they do');

select * from finish();
rollback;
