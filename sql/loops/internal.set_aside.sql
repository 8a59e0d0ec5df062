-- No row stops a loop of the worker (decision 37). A loop claims rows, and internal.work_off processes them: all at
-- once or, where that fails, by halves. A row that fails alone is set aside, so that the loop leaves it out until its
-- next try.

create or replace function internal.shut_out(p_loop text, p_tenant_id integer, p_key text, p_now timestamptz)
  returns table (tenant_id integer)
  language sql
  stable
as $$
  select aside.tenant_id
  from kith.set_aside as aside
  where aside.tenant_id = p_tenant_id and aside.loop = p_loop and aside.key = p_key and aside.retry_at > p_now
  union all
  select moved.tenant_id from kith.tenant_imports as moved where moved.tenant_id = p_tenant_id
$$;
comment on function internal.shut_out(text, integer, text, timestamptz) is
  'Returns a row if a loop must leave a row alone: it is set aside, or it belongs to a tenant whose import is not '
  'finished or was refused. p_key is as in internal.row_key. For the claim of every loop, as `not exists (select from '
  'internal.shut_out(…))`. Returns a table, which the planner can inline: it looks into two tables that are nearly '
  'empty.';
grant execute on function internal.shut_out(text, integer, text, timestamptz) to kith_worker;

create or replace function internal.shuts_out(p_loop text, p_now timestamptz) returns boolean
  language plpgsql
  stable
as $$
begin
  return exists (select from kith.set_aside where loop = p_loop and retry_at > p_now)
    or exists (select from kith.tenant_imports);
end
$$;
comment on function internal.shuts_out(text, timestamptz) is
  'Whether internal.shut_out may return anything for a loop. Nearly always it does not, and then a claim need not ask '
  'for each row: `not ((select internal.shuts_out(…)) and exists (select from internal.shut_out(…)))`. Stable, so that '
  'both see the same rows.';
grant execute on function internal.shuts_out(text, timestamptz) to kith_worker;

create or replace function internal.row_key(p_row jsonb, p_table oid) returns text
  language plpgsql
  stable
as $$
declare
  v_columns text[];
begin
  if p_row ?| array['unit', 'id'] then
    return coalesce(p_row ->> 'unit', p_row ->> 'id');
  end if;
  v_columns := array(
    select attribute.attname::text
    from pg_catalog.pg_index as index
    cross join unnest(index.indkey::smallint[]) with ordinality as part (number, position)
    join pg_catalog.pg_attribute as attribute on attribute.attrelid = index.indrelid and attribute.attnum = part.number
    where index.indrelid = p_table and index.indisprimary and attribute.attname <> 'tenant_id'
    order by part.position
  );
  -- A scope can name a phone number, and a caller chooses the key of a request.
  return (
    select string_agg(
      case when name in ('scope', 'key') then md5(p_row ->> name) else p_row ->> name end, ' ' order by position
    )
    from unnest(v_columns) with ordinality as part (name, position)
  );
end
$$;
comment on function internal.row_key(jsonb, oid) is
  'The key of a row in its loop: its id or, where the table has none, its primary key without the tenant. Work that is '
  'no row of a table has it as `unit`. It contains nothing about a person.';
grant execute on function internal.row_key(jsonb, oid) to kith_worker;

create or replace function internal.put_aside(
  p_loop text, p_tenant_id integer, p_key text, p_sqlstate text, p_place text, p_now timestamptz
) returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  insert into kith.set_aside as aside (tenant_id, loop, key, sqlstate, place, first_at, tries, retry_at)
  values (
    p_tenant_id, p_loop, left(p_key, 300), p_sqlstate, left(coalesce(p_place, ''), 300), p_now, 1,
    p_now + interval '1 minute'
  )
  on conflict (tenant_id, loop, key) do update
  set sqlstate = excluded.sqlstate, place = excluded.place, tries = aside.tries + 1, reported_at = null,
    retry_at = p_now + least(interval '1 minute' * 2 ^ least(aside.tries, 20), interval '4 hours');
end
$$;
comment on function internal.put_aside(text, integer, text, text, text, timestamptz) is
  'Sets a row aside for a loop, for a minute, or for twice as long as the last time, up to 4 hours. p_place is as in '
  'internal.error_place. Security definer, because the worker may not write the table directly.';
grant execute on function internal.put_aside(text, integer, text, text, text, timestamptz) to kith_worker;

create or replace function internal.error_place(p_table text, p_constraint text, p_context text) returns text
  language plpgsql
  immutable
as $$
begin
  -- The message and the rest of the context quote values.
  return concat_ws(
    ', ', nullif(p_table, ''), nullif(p_constraint, ''), substring(p_context from 'PL/pgSQL function ([a-z_0-9.]+)\('),
    substring(p_context from 'PL/pgSQL function [^\n]* (line \d+)')
  );
end
$$;
comment on function internal.error_place(text, text, text) is
  'Where an error happened, without any value: the table, the constraint, and the function with its line. The '
  'arguments are those of GET STACKED DIAGNOSTICS.';
grant execute on function internal.error_place(text, text, text) to kith_worker;

create or replace function internal.put_row_aside(
  p_loop text, p_row jsonb, p_table oid, p_sqlstate text, p_place text, p_now timestamptz
) returns void
  language plpgsql
as $$
begin
  perform internal.put_aside(
    p_loop, coalesce((p_row ->> 'tenant_id')::integer, 0), internal.row_key(p_row, p_table), p_sqlstate, p_place, p_now
  );
end
$$;
comment on function internal.put_row_aside(text, jsonb, oid, text, text, timestamptz) is
  'internal.put_aside for a row as JSON, and its table.';
grant execute on function internal.put_row_aside(text, jsonb, oid, text, text, timestamptz) to kith_worker;

create or replace function internal.take_back(p_loop text, p_rows anyarray, p_now timestamptz) returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_table oid := (select typrelid from pg_catalog.pg_type where typarray = pg_typeof(p_rows));
begin
  delete from kith.set_aside as aside
  using (
    select coalesce((to_jsonb(one) ->> 'tenant_id')::integer, 0) as tenant_id,
      internal.row_key(to_jsonb(one), v_table) as key
    from unnest(p_rows) as one
  ) as done
  where aside.tenant_id = done.tenant_id and aside.loop = p_loop and aside.key = done.key and aside.retry_at <= p_now;
end
$$;
comment on function internal.take_back(text, anyarray, timestamptz) is
  'Forgets that rows were set aside, once their next try has succeeded. Those that have failed again are due later, '
  'and stay. Security definer, because the worker may not write the table directly.';
grant execute on function internal.take_back(text, anyarray, timestamptz) to kith_worker;

create or replace function internal.fans_out(p_step text) returns boolean
  language sql
  immutable
  parallel safe
as $$
  select p_step in (
    'tell_alarms.ask', 'tell_alarms.tell', 'turn_breaks.end', 'turn_breaks.begin', 'settle_subscriptions.restore',
    'settle_subscriptions.begin', 'settle_subscriptions.stop', 'tell_emergencies.tell', 'tell_emergencies.outage',
    'lock_expired_sessions', 'sweep_alarms.delete'
  )
$$;
comment on function internal.fans_out(text) is
  'Whether a row of this step of a loop may cost as much as thousands of others, because it tells, changes or deletes '
  'one row for each of somebody''s receivers, senders or nominees. Such rows are processed one by one, for half a '
  'second in a transaction.';
grant execute on function internal.fans_out(text) to kith_worker;

create or replace function internal.spent() returns interval
  language plpgsql
as $$
begin
  return clock_timestamp() - statement_timestamp();
end
$$;
comment on function internal.spent()
  is 'How long the statement of a loop has been running, by the database''s clock. For internal.work_off.';
grant execute on function internal.spent() to kith_worker;

create or replace function internal.name_cancelled(p_loop text, p_row jsonb, p_table oid, p_context text) returns void
  language plpgsql
as $$
begin
  raise exception 'cancelled' using errcode = '57014', detail = jsonb_build_object(
    'loop', p_loop, 'tenant_id', coalesce((p_row ->> 'tenant_id')::integer, 0), 'key', internal.row_key(p_row, p_table),
    'place', internal.error_place('', '', p_context)
  );
end
$$;
comment on function internal.name_cancelled(text, jsonb, oid, text) is
  'Raises that a statement was cancelled, with the row that was processed alone. Everything is rolled back, so the '
  'worker sets the row aside in another transaction (worker.set_aside_cancelled).';
grant execute on function internal.name_cancelled(text, jsonb, oid, text) to kith_worker;

create or replace function internal.is_of_a_row(p_state text, p_constraint text) returns boolean
  language sql
  immutable
as $$ select internal.is_of_data(p_state) and not (p_state = '23514' and p_constraint = '') $$;
comment on function internal.is_of_a_row(text, text) is
  'Whether an error is about one of the rows that are processed. A check without a name is that of a partition: one '
  'was attached while rows waited to go into the default one. They go into the new one next time.';
grant execute on function internal.is_of_a_row(text, text) to kith_worker;

create or replace function internal.work_off(
  p_step text, p_rows anyarray, p_detail text, p_now timestamptz, p_call text default 'internal.delete_rows($1)'
) returns integer
  language plpgsql
as $$
declare
  v_loop text := split_part(p_step, '.', 1);
  v_of oid := (select typrelid from pg_catalog.pg_type where typarray = pg_typeof(p_rows));
  v_all integer := coalesce(cardinality(p_rows), 0);
  v_ends_after interval := case when internal.fans_out(p_step) then internal.spent() + interval '0.5 seconds' end;
  -- The parts that are still to be done. The next one is the last of the arrays.
  v_firsts integer[] := case
    when v_ends_after is null then array[1]
    else array(select n from generate_series(v_all, 1, -1) as n)
  end;
  v_lasts integer[] := case when v_ends_after is null then array[v_all] else v_firsts end;
  v_first integer;
  v_last integer := 0;
  v_left integer := case when v_ends_after is null then sign(v_all) else v_all end;
  v_done integer := 0;
  v_part integer;
  v_state text;
  v_table text;
  v_constraint text;
  v_context text;
begin
  while v_left > 0 loop
    exit when v_last > 0 and internal.spent() >= v_ends_after;
    v_first := v_firsts[v_left];
    v_last := v_lasts[v_left];
    v_left := v_left - 1;
    begin
      execute 'select ' || p_call into v_part using p_rows[v_first:v_last], p_detail, p_now;
      v_done := v_done + coalesce(v_part, 0);
    exception when query_canceled then
      get stacked diagnostics v_context = pg_exception_context;
      if v_first = v_last and coalesce(p_detail ~ '^0*1$|[^0-9]', true) then
        perform internal.name_cancelled(v_loop, to_jsonb(p_rows[v_first]), v_of, v_context);
      end if;
      -- The worker takes half a batch the next time.
      raise;
    when others then
      get stacked diagnostics v_state = returned_sqlstate, v_table = table_name, v_constraint = constraint_name,
        v_context = pg_exception_context;
      if not internal.is_of_a_row(v_state, v_constraint) then
        raise;
      end if;
      if v_first < v_last then
        v_firsts[v_left + 1] := (v_first + v_last) / 2 + 1;
        v_lasts[v_left + 1] := v_last;
        v_firsts[v_left + 2] := v_first;
        v_lasts[v_left + 2] := (v_first + v_last) / 2;
        v_left := v_left + 2;
      else
        perform internal.put_row_aside(
          v_loop, to_jsonb(p_rows[v_first]), v_of, v_state, internal.error_place(v_table, v_constraint, v_context),
          p_now
        );
        v_done := v_done + 1;
      end if;
    end;
  end loop;
  if v_all > 0
    and exists (select from kith.set_aside as aside where aside.loop = v_loop and aside.retry_at <= p_now)
  then
    perform internal.take_back(v_loop, p_rows[1:v_last], p_now);
  end if;
  return v_done;
end
$$;
comment on function internal.work_off(text, anyarray, text, timestamptz, text) is
  'Processes the rows that a loop has claimed, by p_call, in one subtransaction: a call of a function of the loop''s '
  'own, in which $1 is the rows, $2 p_detail and $3 p_now, and which returns a number. If that fails because of a row, '
  'each half is processed by itself, and so on, until the rows that fail alone are found. They are set aside, and all '
  'others are done. Returns the sum of what the processing returned, plus the rows that it has set aside, so that the '
  'loop goes on. p_step is the name of the loop or, for a loop with several steps, that name, a dot and the step; '
  'p_detail is what the step needs besides, or the room in its batch. The rows of a step that fans out '
  '(internal.fans_out) are processed one by one until half a second is over, and the loop claims the others again. If '
  'the statement is cancelled while a single row is processed, the error names the row in its detail. Variables '
  'survive the rollback of a subtransaction, so nothing is claimed again.';
grant execute on function internal.work_off(text, anyarray, text, timestamptz, text) to kith_worker;
