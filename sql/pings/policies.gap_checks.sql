create policy "the worker sees the check" on kith.gap_checks
  to kith_worker
  using (true);
comment on policy "the worker sees the check" on kith.gap_checks is
  'The worker moves the cursor of the hourly check.';

grant select, update on kith.gap_checks to kith_worker;
grant select on kith.gap_checks to kith_reader;
