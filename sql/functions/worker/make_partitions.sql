create or replace function worker.make_partitions(p_now timestamptz) returns integer
  language plpgsql
as $$
begin
  return internal.make_partitions(p_now);
end
$$;
comment on function worker.make_partitions(timestamptz) is
  'Makes the partitions of the months to come; to be called daily at least. Returns how many are new.';
revoke all on function worker.make_partitions(timestamptz) from public;
grant execute on function worker.make_partitions(timestamptz) to kith_worker;
