alter table kith.shared_issuers enable row level security;
alter table kith.shared_issuers force row level security;

create policy "the owner may do everything" on kith.shared_issuers
  to kith_owner
  using (true)
  with check (true);
comment on policy "the owner may do everything" on kith.shared_issuers is
  'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

create policy "an operator reads it" on kith.shared_issuers
  for select
  to kith_admin
  using (true);
comment on policy "an operator reads it" on kith.shared_issuers is
  'G01: operators change through the procedures of schema admin only.';

revoke all on kith.shared_issuers from kith_api, kith_worker, kith_admin;
grant select on kith.shared_issuers to kith_admin;
