alter table kith.outages enable row level security;
alter table kith.outages force row level security;

create policy "the owner may do everything" on kith.outages
  to kith_owner
  using (true)
  with check (true);
comment on policy "the owner may do everything" on kith.outages is
  'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

create policy "an operator reads it" on kith.outages
  for select
  to kith_admin
  using (true);
comment on policy "an operator reads it" on kith.outages is
  'G01: operators change through the procedures of schema admin only.';

revoke all on kith.outages from kith_api, kith_worker, kith_admin;
grant select on kith.outages to kith_admin;
