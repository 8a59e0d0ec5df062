create or replace function worker.analyze_tables(p_now timestamptz) returns integer
  language plpgsql
as $$
begin
  p_now := internal.present(p_now);
  return internal.analyze_grown_tables(p_now);
end
$$;
comment on function worker.analyze_tables(timestamptz) is
  'Gathers statistics of tables that have grown a lot, so that plans made for an empty table are replaced. To be '
  'called every few seconds, because autovacuum comes minutes later. Returns how many tables it analyzed.';
grant execute on function worker.analyze_tables(timestamptz) to kith_worker;
