-- Who read a person's data: an audit of its own, apart from the acts.

create or replace function internal.transaction_lasts() returns boolean
  language sql
  volatile
as $$
  select clock_timestamp() - transaction_timestamp() > interval '10 seconds'
    or statement_timestamp() - transaction_timestamp() > interval '1 second'
$$;
comment on function internal.transaction_lasts() is
  'Whether the transaction has lasted: its first statement has run for 10 s, or it had begun a second before this one.';

create or replace function internal.note_read(p_statement text, p_tenants text[], p_subjects text[]) returns void
  language plpgsql
as $$
begin
  -- A transaction that writes holds back everybody's events until it ends. One that somebody has left open, such as in
  -- psql, must not begin to.
  if current_setting('transaction_read_only') = 'on' or internal.transaction_lasts() then
    raise log 'kith read: % by %, tenant %, subject %', p_statement, session_user, array_to_string(p_tenants, ' '),
      array_to_string(p_subjects, ' ');
  else
    -- From now on it may not stay open idly either.
    perform set_config('idle_in_transaction_session_timeout', '10s', true);
    perform internal.count_reads(session_user, p_statement, p_tenants, p_subjects, clock_timestamp());
  end if;
end
$$;
comment on function internal.note_read(text, text[], text[]) is
  'Notes that the operator who logged in has read data of persons by a procedure of schema admin: p_subjects[i] of '
  'p_tenants[i]. In a transaction that reads only, has lasted, or on a standby it writes a line "kith read" into '
  'PostgreSQL''s log instead. Call it last. For definer procedures.';

create or replace function internal.note_read_of(p_statement text, p_tenant text, p_subjects uuid[]) returns void
  language plpgsql
as $$
declare
  v_subjects text[] := array(
    select distinct subject::text from unnest(p_subjects) as subject where subject is not null
  );
begin
  perform internal.note_read(p_statement, array_fill(p_tenant, array[cardinality(v_subjects)]), v_subjects);
end
$$;
comment on function internal.note_read_of(text, text, uuid[]) is
  'Notes, as internal.note_read, that an operator has read a row of a tenant: p_subjects is its id with those of the '
  'persons whom it shows. Nulls and duplicates are left out.';

create or replace function internal.count_reads(
  p_login text, p_statement text, p_tenants text[], p_subjects text[], p_at timestamptz
)
  returns void
  language plpgsql
as $$
declare
  v_hour timestamptz := date_trunc('hour', p_at, 'UTC');
  v_is_full boolean := (select count(*) >= 1000 from kith.operator_reads where login = p_login and hour = v_hour);
begin
  insert into kith.operator_reads as known (login, hour, statement, tenant, subject, reads, last_at)
  select p_login, v_hour, p_statement, coalesce(seen.tenant, ''),
    case when v_is_full then '' else coalesce(seen.subject, '') end, count(*), p_at
  from unnest(p_tenants, p_subjects) as seen (tenant, subject)
  group by 4, 5
  order by 4, 5
  on conflict (login, hour, statement, tenant, subject) do update set reads = known.reads + excluded.reads,
    last_at = excluded.last_at;
end
$$;
comment on function internal.count_reads(text, text, text[], text[], timestamptz) is
  'Counts reads of an operator in the rows of the hour. Beyond 1,000 rows of a login it counts by procedure and tenant '
  'alone. For internal.note_read.';
