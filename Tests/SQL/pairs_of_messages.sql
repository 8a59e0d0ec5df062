-- Rules of messages in pairs: what waits, is tried again or is sent late says only what is so when it leaves.
begin;
\ir people.sql
\ir pairs_house.sql
select plan(30);

create function tests.claim(p_channel text, p_now timestamptz) returns text
  language plpgsql
as $$
declare
  v_said text;
begin
  perform tests.as_role('kith_worker');
  select string_agg(split_part(claimed.body, e'\n', 1), ' | ' order by claimed.id) into v_said from worker.claim_deliveries(p_now, p_channel, 100, 100, 0, '{}', '{}', 'w1') as claimed;
  perform tests.as_superuser();
  return v_said;
end
$$;
create function tests.finish(p_channel text, p_outcome text, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_results jsonb := (
    select jsonb_agg(jsonb_build_object('tenant_id', tenant_id, 'id', id, 'outcome', p_outcome, 'error', 'x'))
    from kith.deliveries where channel = p_channel and status = 'sending'
  );
begin
  perform tests.as_role('kith_worker');
  perform worker.finish_deliveries(p_now, 'w1', v_results);
  perform tests.as_superuser();
end
$$;
-- Tries what is due, and the provider is away.
create function tests.fails(p_channel text, p_now timestamptz) returns void
  language sql
as $$
  select tests.claim(p_channel, p_now), tests.finish(p_channel, 'retry', p_now + interval '1 second')
$$;
create function tests.mail(p_person text) returns void
  language sql
as $$
  update kith.users set email = p_person || '@example.com', email_verified_at = '2026-01-05Z' where id = tests.id(p_person)
$$;
create function tests.phone(p_person text) returns void
  language sql
as $$
  insert into kith.devices (tenant_id, user_id, token, platform, environment, last_seen_at, created_at)
  values (tests.tenant('acme'), tests.id(p_person), p_person || '-token', 'ios', 'production', '2026-03-01Z', '2026-03-01Z')
$$;
create function tests.missed(p_plan boolean) returns void
  language plpgsql
as $$
begin
  perform tests.mail('bob');
  perform tests.begin_day('2026-03-09');
  perform tests.work('2026-03-09T09:00:01Z');
  perform tests.work('2026-03-09T10:30:11Z');
  if p_plan then
    perform tests.plan('2026-03-09T10:30:12Z');
  end if;
end
$$;

-- An act after the judgement (X34), while its message waits.
select is(
  tests.after(
    $$ select tests.missed(true), tests.act('alice', 'api.remove_connection(tests.id(''alice-bob''), ''2026-03-09T10:30:13Z'')') $$,
    $$ select tests.claim('email', '2026-03-09T10:30:15Z') $$
  ), 'nothing', 'whoever is removed after the judgement is told nothing any more (X34)'
);
select is(
  tests.after(
    $$ select tests.missed(false), tests.act('alice', 'api.remove_connection(tests.id(''alice-bob''), ''2026-03-09T10:30:13Z'')'), tests.plan('2026-03-09T10:30:14Z') $$,
    $$ select tests.claim('email', '2026-03-09T10:30:15Z') $$
  ), 'Alice has removed you as a receiver', 'also before the message is planned: only of the removal'
);
select is(
  tests.after(
    $$ select tests.connect('alice', 'carol'), tests.missed(true), tests.act('alice', 'api.put_block(tests.id(''bob''), ''2026-03-09T10:30:13Z'')') $$,
    $$ select tests.claim('email', '2026-03-09T10:30:15Z') $$
  ), 'nothing', 'nor is whoever is blocked'
);
select is(
  tests.after(
    $$ select tests.connect('alice', 'carol'), tests.missed(true), tests.act('alice', 'api.delete_me(null, ''2026-03-09T10:30:13Z'')') $$,
    $$ select tests.claim('email', '2026-03-09T10:30:15Z') $$
  ), 'nothing', 'nor is anybody of an account that has ended'
);
select is(
  tests.after(
    $$ select tests.missed(true), tests.as_role('kith_admin'), admin.end_alarm('acme', tests.alarm(), 'a test', p_now => '2026-03-09T10:30:13Z'), tests.as_superuser() $$,
    $$ select tests.claim('email', '2026-03-09T10:30:15Z') $$
  ), 'nothing', 'nor of an alarm that an operator has ended'
);

-- A key in a call (J03) of which the provider's answer was lost.
create function tests.called(p_key text, p_at timestamptz default '2026-03-09T09:01:10Z') returns text
  language plpgsql
as $$
begin
  return api.receive_call(
    tests.tenant('acme'), (select id from kith.deliveries where channel = 'voice'), array[sha256('a'), sha256('b'), sha256('c')], p_key, null, false, p_at
  ) ->> 'outcome';
exception when others then
  return sqlerrm;
end
$$;
create function tests.rings() returns void
  language plpgsql
as $$
begin
  update kith.users set phone = '+436641234567', phone_verified_at = '2026-01-05T08:00Z' where id = tests.id('alice');
  insert into kith.notification_preferences (tenant_id, user_id, type, channels, updated_at)
  values (tests.tenant('acme'), tests.id('alice'), 'ping_due', '{voice}', '2026-01-05Z');
  perform tests.begin_day('2026-03-09');
  perform tests.work('2026-03-09T09:00:01Z');
  perform tests.plan('2026-03-09T09:01:01Z');
end
$$;
select is(
  tests.after($$ select tests.rings(), tests.fails('voice', '2026-03-09T09:01:02Z'), tests.called('1') $$, $$ select status from tests.alice $$),
  'completed', 'a key counts, though the provider''s answer to the call was lost'
);
select is(
  tests.after($$ select tests.rings(), tests.fails('voice', '2026-03-09T09:01:02Z') $$, $$ select tests.called('1', '2026-03-09T10:02Z') $$),
  'unknown_call', 'for an hour'
);
select is(tests.after('select tests.rings()', $$ select tests.called('1') $$), 'unknown_call', 'but not of a call that was never made');

-- A word and its opposite, of which the first is sent again.
create function tests.paused() returns void
  language plpgsql
as $$
begin
  perform tests.phone('bob');
  perform tests.begin_day('2026-03-09');
  perform tests.act('alice', 'api.pause_connection(tests.id(''alice-bob''), ''2026-03-09T07:00Z'')');
  perform tests.plan('2026-03-09T07:00:01Z');
  perform tests.fails('apns', '2026-03-09T07:00:02Z');
end
$$;
select is(
  tests.after(
    $$ select tests.paused(), tests.act('alice', 'api.resume_connection(tests.id(''alice-bob''), ''2026-03-09T07:00:05Z'')'), tests.plan('2026-03-09T07:00:06Z') $$,
    $$ select tests.claim('apns', '2026-03-09T07:01Z') $$
  ), 'Alice has resumed their connection with you', 'the last word on a pause is the last act'
);
select matches(tests.after('select tests.paused()', $$ select tests.claim('apns', '2026-03-09T07:01Z') $$), 'has paused', 'while it lasts, it is told');
create function tests.on_break() returns void
  language plpgsql
as $$
begin
  perform tests.phone('bob');
  insert into kith.quiet_hours values (tests.tenant('acme'), tests.id('bob'), '22:00', '07:00', '2026-03-01Z');
  perform tests.act('alice', 'api.put_break(''{"from": "2026-03-09", "until": "2026-03-20"}'', ''2026-03-09T01:00Z'')');
  perform tests.plan('2026-03-09T01:00:01Z');
end
$$;
select is(
  tests.after(
    $$ select tests.on_break(), tests.act('alice', 'api.delete_break(''2026-03-09T05:00Z'')'), tests.plan('2026-03-09T05:00:01Z') $$,
    $$ select tests.claim('apns', '2026-03-09T07:00Z') $$
  ), 'Alice''s daily pings are on again.', 'of a break that ended in the night, only its end is told'
);
select matches(tests.after('select tests.on_break()', $$ select tests.claim('apns', '2026-03-09T07:00Z') $$), 'is taking a break', 'and one that lasts, in the morning');

-- Words of time, sent late (X35).
select is(
  tests.after(
    $$ select tests.phone('alice'), tests.begin_day('2026-03-09'), tests.work('2026-03-09T09:00:01Z'), tests.work('2026-03-09T10:15:01Z'), tests.plan('2026-03-09T10:15:01Z');
       delete from kith.deliveries as delivery using kith.notifications as note where note.id = delivery.notification_id and note.type = 'ping_due' $$,
    $$ select tests.claim('apns', '2026-03-09T10:27:01Z') $$
  ), '3 minutes left to check in.', 'a reminder that is late says the minutes that are left'
);
create function tests.missed_in_the_evening() returns void
  language plpgsql
as $$
begin
  perform tests.mail('bob');
  update kith.sender_profiles set ping_time = '20:00' where user_id = tests.id('alice') and tenant_id = tests.tenant('acme');
  perform tests.begin_day('2026-03-09');
  perform tests.work('2026-03-09T20:00:01Z');
  perform tests.work('2026-03-09T21:30:11Z');
  perform tests.plan('2026-03-09T21:30:12Z');
end
$$;
select is(
  tests.after('select tests.missed_in_the_evening()', $$ select tests.claim('email', '2026-03-10T06:00Z') $$), 'Alice did not check in on 9 March 2026.',
  'a miss that is told the next morning has its date'
);
select is(
  tests.after('select tests.missed_in_the_evening()', $$ select tests.claim('email', '2026-03-09T23:50Z') $$), 'Alice has not checked in today.',
  'and is of today until midnight'
);
create function tests.own_misses() returns void
  language plpgsql
as $$
begin
  perform tests.mail('alice');
  perform tests.begin_day('2026-03-09');
  perform tests.work('2026-03-09T09:00:01Z');
  perform tests.work('2026-03-09T10:30:11Z');
  perform tests.plan('2026-03-09T10:30:12Z');
  update kith.deliveries set status = 'failed', attempts = 30, error = 'x';
  update kith.notifications set delivery_status = 'failed';
  perform tests.begin_day('2026-03-11');
  perform tests.work('2026-03-11T09:00:01Z');
end
$$;
create function tests.replays() returns text
  language sql
as $$
  select string_agg(concat_ws(' ', what, verdict), '; ' order by what)
  from admin.replay_outage('email', '2026-03-09T10:00Z', '2026-03-09T11:00Z', 'back', 'acme', true, '2026-03-11T09:30Z') where what = 'ping_missed'
$$;
select is(
  tests.after($$ select tests.own_misses(), tests.act('alice', 'api.check_in(null, false, null, ''app'', ''2026-03-11T09:05Z'')') $$, 'select tests.replays()'),
  'ping_missed not sent: it was answered', 'whoever has checked in since is not told again to do so'
);
select is(tests.after('select tests.own_misses()', 'select tests.replays()'), 'ping_missed would be sent again', 'but whoever has not');

-- Quiet hours that begin while a message waits (F04).
create function tests.completed_before_the_night() returns void
  language plpgsql
as $$
begin
  perform tests.phone('bob');
  insert into kith.quiet_hours values (tests.tenant('acme'), tests.id('bob'), '22:00', '07:00', '2026-03-01Z');
  update kith.sender_profiles set ping_time = '20:00' where user_id = tests.id('alice') and tenant_id = tests.tenant('acme');
  perform tests.begin_day('2026-03-09');
  perform tests.work('2026-03-09T20:00:01Z');
  perform tests.act('alice', 'api.check_in(null, false, null, ''app'', ''2026-03-09T20:05Z'')');
  perform tests.plan('2026-03-09T20:05:01Z');
end
$$;
select is(
  tests.after('select tests.completed_before_the_night()', $$ select tests.claim('apns', '2026-03-10T02:00Z') $$), 'nothing',
  'what a pause of the channel kept back does not wake its reader'
);
select is(
  tests.after(
    $$ select tests.completed_before_the_night(), tests.claim('apns', '2026-03-10T02:00Z') $$,
    $$ select concat_ws(' ', status, attempts, next_attempt_at = '2026-03-10T07:00Z', expires_at = '2026-03-11T07:00Z') from kith.deliveries where channel = 'apns' and address = 'bob-token' $$
  ), 'queued 0 t t', 'but waits for the morning, as what is written in the night'
);
select is(
  tests.after($$ select tests.completed_before_the_night(), tests.claim('apns', '2026-03-10T02:00Z') $$, $$ select tests.claim('apns', '2026-03-10T07:00Z') $$),
  'Alice checked in.', 'and is sent then'
);
select is(
  tests.after(
    $$ select tests.completed_before_the_night(), tests.fails('apns', '2026-03-09T21:59:50Z') $$, $$ select tests.claim('apns', '2026-03-09T22:10Z') $$
  ), 'nothing', 'nor does what is tried again'
);
select is(
  tests.after(
    $$ select tests.completed_before_the_night(); update kith.users set time_zone = 'Asia/Tokyo' where id = tests.id('bob') $$,
    $$ select tests.claim('apns', '2026-03-09T20:05:02Z') $$
  ), 'nothing', 'and the hours are those of the zone where the reader is now'
);

-- A question to a sender whose chosen channel fails: a sender whom no question reaches would be reported missing.
create function tests.asked_in_vain(p_email boolean, p_outcome text) returns void
  language plpgsql
as $$
begin
  perform tests.phone('alice');
  if p_email then
    perform tests.mail('alice');
  end if;
  perform tests.begin_day('2026-03-09');
  perform tests.work('2026-03-09T09:00:01Z');
  perform tests.plan('2026-03-09T09:01:01Z');
  for v_second in 1..3 loop
    perform tests.claim('apns', '2026-03-09T09:01:02Z'::timestamptz + v_second * interval '3 minutes');
    perform tests.finish('apns', p_outcome, '2026-03-09T09:01:03Z'::timestamptz + v_second * interval '3 minutes');
  end loop;
  perform tests.plan('2026-03-09T09:10:10Z');
end
$$;
delete from kith.deliveries;
select matches(tests.after('select tests.asked_in_vain(true, ''retry'')', $$ select tests.claim('email', '2026-03-09T09:10:11Z') $$), 'know you''re safe', 'a question goes out on another channel');
select matches(tests.after('select tests.asked_in_vain(true, ''gone'')', $$ select tests.claim('email', '2026-03-09T09:10:11Z') $$), 'know you''re safe', 'it does so too where the only device is gone');
create function tests.asking() returns text
  language sql
as $$
  select string_agg(concat_ws(' ', note.delivery_status, escalates_at is null), ', ') from kith.notifications as note where note.type = 'ping_due'
$$;
select is(tests.after('select tests.asked_in_vain(false, ''gone'')', 'select tests.asking()'), 'failed t', 'it has failed where there is no other channel');
select is(tests.after('select tests.asked_in_vain(false, ''retry'')', 'select tests.asking()'), 'queued t', 'it has not while the chosen one is still tried');
select is(
  tests.after('select tests.asked_in_vain(true, ''retry''), tests.claim(''email'', ''2026-03-09T09:10:11Z''), tests.finish(''email'', ''failed'', ''2026-03-09T09:10:12Z'')', 'select tests.asking()'),
  'queued t', 'nor if only the other one has failed'
);

-- A device that is replaced while an alarm is tried on the old one (A05, F07).
create function tests.new_device() returns void
  language plpgsql
as $$
begin
  perform tests.phone('bob');
  perform tests.begin_day('2026-03-09');
  perform tests.work('2026-03-09T09:00:01Z');
  perform tests.work('2026-03-09T10:30:11Z');
  perform tests.plan('2026-03-09T10:30:12Z');
  perform tests.claim('apns', '2026-03-09T10:30:13Z');
  insert into kith.devices (tenant_id, user_id, token, platform, environment, last_seen_at, created_at)
  values (tests.tenant('acme'), tests.id('bob'), 'new-token', 'ios', 'production', '2026-03-09T10:30:14Z', '2026-03-09T10:30:14Z');
  perform tests.finish('apns', 'gone', '2026-03-09T10:30:15Z');
  perform tests.plan('2026-03-09T10:30:16Z');
end
$$;
select is(
  tests.after('select tests.new_device()', $$ select tests.claim('apns', '2026-03-09T10:30:17Z') $$), 'Alice has not checked in today.', 'the new device gets it too'
);

-- A device that the push service has forgotten (A05, P11).
select is(
  tests.after(
    $$ select tests.completed_before_the_night(), tests.claim('apns', '2026-03-09T20:05:02Z');
       delete from kith.events; select tests.finish('apns', 'gone', '2026-03-09T20:05:03Z') $$,
    $$ select string_agg(type, ' ') from kith.events where user_id = tests.id('bob') $$
  ), 'account', 'the end of a device reaches its user''s other screens'
);

-- Heartbeats of a server whose clock is wrong, where the database's counts.
select is(
  tests.after(
    $$ drop table internal.development; delete from kith.heartbeats; delete from kith.outages;
       select tests.as_role('kith_api'), api.beat('s1', now(), 'x', now() - interval '3 minutes'), tests.as_role('kith_worker'), worker.watch_server(now()) $$,
    $$ select concat_ws(' ', (select now() - beat_at < interval '1 minute' from kith.heartbeats), (select clock_ahead_ms < -170000 from kith.heartbeats), (select count(*) from kith.outages)) $$
  ), 't t 0', 'a server whose clock is behind is no outage'
);

select * from finish();
rollback;
