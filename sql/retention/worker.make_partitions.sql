create or replace function worker.make_partitions(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
as $$
begin
  p_now := internal.present(p_now);
  return internal.make_partitions(p_now, p_batch);
end
$$;
comment on function worker.make_partitions(timestamptz, integer) is
  'Creates at most p_batch partitions for the coming months. While others read and write, call it with a batch of one, '
  'so that each partition has a transaction of its own. To be called at least daily until it returns 0. Returns how '
  'many it created.';
grant execute on function worker.make_partitions(timestamptz, integer) to kith_worker;
