create policy "the worker sees every tenant" on kith.ping_runs
  to kith_worker
  using (true);
comment on policy "the worker sees every tenant" on kith.ping_runs is
  'The worker claims runs and advances their cursors.';

grant select, insert, update on kith.ping_runs to kith_worker;
grant select on kith.ping_runs to kith_reader;
