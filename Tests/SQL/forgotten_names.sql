-- Deleting an account leaves no name behind (A04), whatever the person has done and whatever was done to them. After each kind of act the
-- worker delivers, and one of the two people deletes their account, at once or when 100 days have passed and the worker has swept. Then every
-- column of every table is searched for that person's name, contacts, vault and words.
begin;
\ir people.sql
\ir kinds_of_acts.sql

create function tests.sweep(p_now timestamptz) returns void
  language plpgsql
as $$
begin
  perform tests.as_role('kith_worker');
  for v_n in 1..5 loop
    perform worker.sweep_vault_invitations(p_now, 1000), worker.sweep_vaults(p_now, 1000), worker.sweep_invitations(p_now, 1000),
      worker.sweep_sign_in(p_now, 1000), worker.sweep_uploads(p_now, 1000), worker.sweep(p_now, 1000);
  end loop;
  perform tests.as_superuser();
end
$$;

-- What is left of a person in every table. Partitions are searched through their parents. Bytes are searched as text too.
create function tests.places(p_pattern text) returns text
  language plpgsql
as $$
declare
  v_table record;
  v_found boolean;
  v_places text[] := '{}';
begin
  for v_table in
    select class.relname, (
        select string_agg(format(' || encode(coalesce(row.%I, ''''), ''escape'')', attname), '')
        from pg_attribute where attrelid = class.oid and attnum > 0 and not attisdropped and atttypid = 'bytea'::regtype
      ) as bytes
    from pg_class as class
    where relnamespace = 'kith'::regnamespace and relkind in ('r', 'p') and not relispartition
    order by 1
  loop
    execute format('select exists (select from kith.%I as row where row::text %s ~* $1)', v_table.relname, v_table.bytes)
    into v_found using p_pattern;
    if v_found then
      v_places := v_places || v_table.relname::text;
    end if;
  end loop;
  return array_to_string(v_places, ' ');
end
$$;

-- Runs an act and rolls it back. Returns the types of notifications that the two got, and where the person is named before and after the
-- deletion.
create function tests.after(p_act text, p_person text, p_days integer) returns text
  language plpgsql
as $$
declare
  v_id uuid := case p_person when 'zoe' then tests.zoe() else tests.yan() end;
  v_pattern text := case p_person when 'zoe' then 'zander|0000077' else 'yarrow|0000088' end;
  v_leaves_at timestamptz := timestamptz '2026-03-11T11:00Z' + make_interval(days => p_days);
  v_types text;
  v_before text;
begin
  execute format('select tests.act_%s()', p_act);
  perform tests.work('2026-03-11T10:00Z');
  select string_agg(distinct type, ' ' order by type) into v_types from kith.notifications where user_id in (tests.zoe(), tests.yan());
  v_before := tests.places(v_pattern);
  if p_days > 0 then
    perform tests.sweep(v_leaves_at - interval '1 hour');
  end if;
  perform tests.as_id(v_id);
  perform api.delete_me('delete', v_leaves_at);
  perform tests.work(v_leaves_at + interval '1 minute');
  raise exception '%|%|%', v_types, v_before, tests.places(v_pattern) using errcode = 'KTEST';
exception when sqlstate 'KTEST' then
  return sqlerrm;
end
$$;

select plan((4 * count(*) + 3)::integer) from acts;
create temporary table results as
select act, person, days, split_part(answer, '|', 1) as types, split_part(answer, '|', 2) as before, split_part(answer, '|', 3) as after
from acts
cross join unnest(array['zoe', 'yan']) as person
cross join unnest(array[0, 100]) as days
cross join lateral tests.after(act, person, days) as answer;
select is(after, '', format('%s days after the act %s nothing is left of %s', days, act, person)) from results order by act, person, days;
select is_empty(
  -- A notification about a connection holds no name: the connection names its other side.
  $$
    select act from results
    group by act
    having not (bool_or(before ~ 'notifications') or act in ('connect', 'subscription', 'break', 'alarm')) or not bool_and(before ~ 'users')
  $$,
  'each act has left names, in notifications too'
);
select set_eq(
  $$ select distinct unnest(string_to_array(types, ' ')) from results $$, $$ select type from internal.notification_types() $$,
  'the acts cause every type of notification'
);

-- Paused nominees have accepted too.
create function tests.leave_with_a_paused_nominee() returns void
  language plpgsql
as $$
begin
  perform tests.let_yan_in();
  perform tests.as_id(tests.zoe());
  perform api.update_nominee(tests.kept('vault'), tests.kept('nominee'), '{"status": "inactive"}', '2026-03-10T08:03Z');
  perform api.delete_me(null, '2026-03-10T08:04Z');
end
$$;
select throws_ok(
  'select tests.leave_with_a_paused_nominee()', 'KT409', 'conflict', 'a vault with a paused nominee is not deleted unless the call says so'
);

select * from finish();
rollback;
