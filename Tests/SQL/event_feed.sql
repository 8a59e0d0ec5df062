-- What the tests of events use, included after people.sql: tests.feed gives the events since its last call.
-- Run by itself, outside a transaction, this file must leave nothing behind.
select now() = statement_timestamp() as alone \gset
\if :alone
  \echo 1..0 # SKIP what the tests of events use
  \q
\endif

-- A reader sees the events of finished transactions, and this test is a single unfinished one. So each call moves the new events to an
-- old transaction, a different one each time.
create sequence tests.transactions start 10;
create function tests.commit() returns xid8
  language plpgsql
as $$
declare
  v_xid xid8 := nextval('tests.transactions')::text::xid8;
begin
  update kith.events set xid = v_xid where xid = pg_current_xact_id();
  update kith.notifications set xid = v_xid where xid = pg_current_xact_id();
  return v_xid;
end
$$;
create function tests.person(p_id uuid) returns text
  language sql
as $$
  select person from unnest(array['alice', 'bob', 'carol', 'mallory', 'globex-alice', 'globex-bob']) as person where tests.id(person) = p_id
$$;
-- The events since the last call: the user, the type, and the state that the event gives. Those of the account, which only the user sees,
-- are left to events_of_acts.sql.
create function tests.feed(p_now timestamptz) returns text[]
  language plpgsql
as $$
declare
  v_xid xid8 := tests.commit();
  v_events jsonb;
  v_feed text[];
begin
  perform tests.as_role('kith_api');
  select jsonb_agg(to_jsonb(tail)) into v_events from api.tail_events(v_xid::text, null, 1000) as tail where tail.id is not null and tail.type <> 'account';
  select array_agg(told.line order by told.line collate "C") into v_feed
  from (
    select concat_ws(
        ' ', tests.person((event.value ->> 'user_id')::uuid), event.value ->> 'type',
        rendered.data::json ->> case event.value ->> 'type'
          when 'notification' then 'type' when 'notifications_read' then 'unread_count' when 'session' then 'lock_reason' else 'status'
        end
      ) as line
    from api.render_events(p_now, v_events) as rendered
    join jsonb_array_elements(v_events) with ordinality as event (value, n) on event.n = rendered.n
  ) as told;
  perform tests.as_superuser();
  return v_feed;
end
$$;
create temporary table kept (name text primary key, id uuid);
grant select, insert on kept to public;
create function tests.kept(p_name text) returns uuid language sql stable return (select id from kept where name = p_name);
