create or replace function worker.note_current_pings(p_now timestamptz) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  -- A month more than is needed, in case the clock of the database is set back.
  v_since date := date_trunc('month', internal.present(p_now) at time zone 'UTC') - interval '2 months';
begin
  -- A development database may go back to any time. Two concurrent calls would replace the same function.
  if to_regclass('internal.development') is not null or internal.current_pings_since() = v_since
    or not pg_try_advisory_xact_lock(hashtext('worker.note_current_pings'))
  then
    return 0;
  end if;
  -- Plans that contain the function's former body are made again.
  execute format(
    'create or replace function internal.current_pings_since() returns date language sql immutable parallel safe as %L',
    -- The form of ISO 8601, which every session reads the same, whatever its DateStyle.
    format('select date %L', to_char(v_since, 'YYYY-MM-DD'))
  );
  return 1;
end
$$;
comment on function worker.note_current_pings(timestamptz) is
  'Lets internal.current_pings_since return the first day of the second month before p_now. Returns 1 if the date '
  'changed, else 0. To be called every minute: if the database''s clock was wrong by more than that, the next call '
  'after its correction restores the date. Definer: only the owner may replace a function.';
grant execute on function worker.note_current_pings(timestamptz) to kith_worker;
