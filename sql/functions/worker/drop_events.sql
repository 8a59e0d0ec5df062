create or replace function worker.drop_events(p_now timestamptz) returns integer
  language plpgsql
as $$
begin
  return internal.drop_events(p_now);
end
$$;
comment on function worker.drop_events(timestamptz) is
  'Drops events of more than 8 days ago; to be called daily at least, and never with another clock than the wall''s. Returns how many days are gone.';
revoke all on function worker.drop_events(timestamptz) from public;
grant execute on function worker.drop_events(timestamptz) to kith_worker;
