create policy "the worker sees every tenant" on kith.set_aside
  for select
  to kith_worker
  using (true);
comment on policy "the worker sees every tenant" on kith.set_aside is
  'The claims of generation, which run as the worker, leave out what is set aside.';

grant select on kith.set_aside to kith_worker, kith_reader;
