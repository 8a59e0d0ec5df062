create or replace function worker.drop_events(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
as $$
begin
  return internal.drop_events(p_now, p_batch);
end
$$;
comment on function worker.drop_events(timestamptz, integer) is
  'Drops the partitions of events older than 8 days, at most p_batch days. Call it with a batch of one, so that each partition is dropped in a transaction of its own. If there are none, deletes what those days left in the default partition. To be called at least daily until it returns 0, and only with the real time, never a simulated one. Returns how many days it dropped.';
revoke all on function worker.drop_events(timestamptz, integer) from public;
grant execute on function worker.drop_events(timestamptz, integer) to kith_worker;
