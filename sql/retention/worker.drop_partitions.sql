create or replace function worker.drop_partitions(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
as $$
begin
  p_now := internal.present(p_now);
  return internal.drop_partitions(p_now, p_batch);
end
$$;
comment on function worker.drop_partitions(timestamptz, integer) is
  'Drops at most p_batch partitions whose rows are past the longest retention of any tenant, and those of events after '
  '8 days. Call it with a batch of one, so that each partition is dropped in a transaction of its own. To be called at '
  'least daily until it returns 0, and only with the real time, never a simulated one. Returns how many it dropped.';
grant execute on function worker.drop_partitions(timestamptz, integer) to kith_worker;
