create or replace function internal.pings_not_made(p_now timestamptz) returns bigint
  language plpgsql
  stable
as $$
begin
  return (
    select coalesce(sum(lost.pings), 0)
    from (
      select count(*) as pings from kith.ping_gaps
      where found_at > p_now - interval '1 day' and found_at <= p_now and not mended
      union all
      -- With the condition of the index, which has those few runs.
      select sum(skipped) from kith.ping_runs
      where skipped > 0 and starts_at > p_now - interval '3 days' and finished_at > p_now - interval '1 day'
        and finished_at <= p_now
    ) as lost
  );
end
$$;
comment on function internal.pings_not_made(timestamptz) is
  'How many pings were never made in the last 24 hours: the hourly check found them too late, or their run came after '
  'their deadline. Nobody was asked, and nobody is told of a miss.';
