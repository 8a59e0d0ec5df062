create policy "the worker sees every tenant" on kith.ping_gaps
  to kith_worker
  using (true);
comment on policy "the worker sees every tenant" on kith.ping_gaps is
  'The worker records the gaps that it finds.';

grant select, insert, update on kith.ping_gaps to kith_worker;
grant select on kith.ping_gaps to kith_reader;
