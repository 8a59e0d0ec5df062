create or replace function worker.make_partitions(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
as $$
begin
  return internal.make_partitions(p_now, p_batch);
end
$$;
comment on function worker.make_partitions(timestamptz, integer) is
  'Makes the partitions of the months to come, at most p_batch: where anybody reads or writes, one a transaction. To be called until it returns 0, daily at least. Returns how many are new.';
revoke all on function worker.make_partitions(timestamptz, integer) from public;
grant execute on function worker.make_partitions(timestamptz, integer) to kith_worker;
