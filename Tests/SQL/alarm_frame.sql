-- What every page says of alarms and questions (internal.page_frame.sql), and how receivers can call.
begin;
\ir people.sql
\ir alarm_house.sql
select plan(24);

create function tests.frame(p_person text, p_now timestamptz) returns jsonb
  language plpgsql
as $$
declare
  v_answer jsonb;
begin
  perform tests.as_user('acme', p_person);
  v_answer := api.page_frame(p_now);
  perform tests.as_superuser();
  return v_answer;
end
$$;
create function tests.banners(p_person text, p_now timestamptz) returns text
  language sql stable
  return (
    select string_agg(
      format('%s %s %s of %s taken by %s', alarm ->> 'kind', alarm ->> 'status', alarm ->> 'role', alarm #>> '{sender,display_name}',
        case when alarm ->> 'taken_by_me' = 'true' then 'me' else coalesce(alarm #>> '{taken_by,display_name}', 'nobody') end), '; ' order by n
    )
    from jsonb_array_elements(tests.frame(p_person, p_now) -> 'alarms') with ordinality as alarms (alarm, n)
  );
create function tests.does(p_person text, p_verb text, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_id uuid := tests.alarm_id();
begin
  perform tests.as_user('acme', p_person);
  case p_verb
    when 'take' then perform api.take_alarm(v_id, '{}', p_now);
    when 'resolve' then perform api.resolve_alarm(v_id, 'safe', null, null, p_now);
    when 'drill' then perform api.drill_alarm(p_now);
    when 'ask' then perform api.ask_sender(tests.id('alice-bob'), p_now);
  end case;
  perform tests.as_superuser();
end
$$;
create function tests.call(p_person text, p_now timestamptz) returns text
  language plpgsql
as $$
declare
  v_id uuid := tests.alarm_id();
  v_answer json;
begin
  perform tests.as_user('acme', p_person);
  v_answer := api.get_alarm(v_id, p_now);
  perform tests.as_superuser();
  return format('%s %s', v_answer #>> '{call,phone}', v_answer ->> 'connection_id' = tests.id('alice-bob')::text);
end
$$;

select is(tests.frame('bob', '2026-03-02T10:00Z') -> 'alarms', '[]'::jsonb, 'without an alarm there is nothing to say');
update kith.sender_profiles set share_phone = true where user_id = tests.id('alice');
update kith.users set phone = '+4915112345678' where id = tests.id('alice');
select tests.help('alice', '2026-03-02T10:00Z') \g /dev/null
select is(tests.banners('bob', '2026-03-02T10:01Z'), 'help open receiver of Alice taken by nobody', 'whoever was told reads it on every page');
select is(tests.banners('alice', '2026-03-02T10:01Z'), 'help open sender of Alice taken by nobody', 'so does its sender');
select is(tests.banners('mallory', '2026-03-02T10:01Z'), null, 'and nobody else');
select is(tests.call('bob', '2026-03-02T10:01Z'), '+4915112345678 t', 'a receiver can call where the sender shares the number');
select is(tests.call('alice', '2026-03-02T10:01Z'), ' ', 'the sender has no connection with themselves, and nobody to call');
update kith.sender_profiles set share_phone = false where user_id = tests.id('alice');
select is(tests.call('bob', '2026-03-02T10:01Z'), ' t', 'a number that is not shared is not shown');
update kith.sender_profiles set share_phone = true where user_id = tests.id('alice');
select tests.does('bob', 'take', '2026-03-02T10:02Z');
select is(tests.banners('bob', '2026-03-02T10:03Z'), 'help taken receiver of Alice taken by me', 'the taker is reminded');
select is(tests.banners('carol', '2026-03-02T10:03Z'), 'help taken receiver of Alice taken by another receiver', 'the others read that somebody has it');
select is(tests.banners('alice', '2026-03-02T10:03Z'), 'help taken sender of Alice taken by Bob', 'the sender reads who');
select is(tests.banners('carol', '2026-03-02T10:43Z'), 'help open receiver of Alice taken by nobody', 'a lapsed take counts no more, before the worker comes');
update kith.alarm_receivers set left_at = '2026-03-02T10:04Z' where receiver_id = tests.id('carol');
select is(tests.banners('carol', '2026-03-02T10:05Z'), null, 'whoever has left reads nothing more');
select tests.does('bob', 'resolve', '2026-03-02T10:06Z');
select is(tests.banners('bob', '2026-03-02T10:07Z'), null, 'when it is over, no page speaks of it');
select is(tests.call('bob', '2026-03-02T10:07Z'), ' t', 'nor of the number');
select tests.does('alice', 'drill', '2026-03-02T11:00Z');
select tests.help('alice', '2026-03-02T11:01Z') \g /dev/null
select is(
  tests.banners('bob', '2026-03-02T11:02Z'), 'help open receiver of Alice taken by nobody',
  'a real alarm ends a drill, of which no page speaks any more'
);
select tests.as_superuser();
select matches(
  (select internal.alarm_json(drill, tests.id('alice'), '2026-03-02T11:02Z') ->> 'state' from kith.alarms as drill where drill.kind = 'drill'),
  'Your drill.*The drill is over', 'whose last word is not that nobody is told of the real one'
);
select is(tests.banners('bob', '2026-03-20T11:02Z'), null, 'after its seven days nothing is left, before the worker comes');
select tests.check_in('alice', '2026-03-02T12:00Z') \g /dev/null

select tests.does('bob', 'ask', '2026-03-02T12:10Z');
select is(
  (select format('%s %s', ask #>> '{receiver,display_name}', ask ->> 'answer_by') from jsonb_array_elements(tests.frame('alice', '2026-03-02T12:11Z') #> '{waiting,asks}') as ask),
  'Bob 2026-03-02T12:40:00.000000Z', 'a question stands on every page of the sender'
);
select is(tests.frame('bob', '2026-03-02T12:11Z') #> '{waiting,asks}', '[]'::jsonb, 'and on none of the asker');
select tests.check_in('alice', '2026-03-02T12:12Z') \g /dev/null
select is(tests.frame('alice', '2026-03-02T12:13Z') #> '{waiting,asks}', '[]'::jsonb, 'until they check in');

-- An alarm of which a receiver of a later tier was not told.
select tests.help('alice', '2026-03-02T13:00Z') \g /dev/null
create function tests.kind(p_now timestamptz) returns text
  language plpgsql
as $$
declare
  v_kind text;
begin
  perform tests.as_user('acme', 'carol');
  v_kind := api.get_connection('0c000000-0000-7000-8000-000000000002', p_now) #>> '{state,kind}';
  perform tests.as_superuser();
  return v_kind;
end
$$;
select is(tests.kind('2026-03-02T13:01Z'), 'help', 'whoever was told has the alarm itself');
update kith.alarm_receivers set told_at = null where alarm_id = tests.alarm_id() and receiver_id = tests.id('carol');
select is(
  tests.kind('2026-03-02T13:01Z'), 'unknown', 'nobody else calls the sender safe either'
);
select is(tests.banners('carol', '2026-03-02T13:01Z'), null, 'and reads nothing of the alarm');
select tests.does('bob', 'resolve', '2026-03-02T13:02Z');
select isnt(tests.kind('2026-03-02T13:03Z'), 'help', 'until it is over');
select * from finish();
rollback;
