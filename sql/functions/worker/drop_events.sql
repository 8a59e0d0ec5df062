create or replace function worker.drop_events(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
as $$
begin
  return internal.drop_events(p_now, p_batch);
end
$$;
comment on function worker.drop_events(timestamptz, integer) is
  'Drops events of more than 8 days ago, at most p_batch days: one a transaction. To be called until it returns 0, daily at least, and never with another clock than the wall''s. Returns how many days are gone.';
revoke all on function worker.drop_events(timestamptz, integer) from public;
grant execute on function worker.drop_events(timestamptz, integer) to kith_worker;
