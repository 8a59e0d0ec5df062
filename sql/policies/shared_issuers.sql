alter table kith.shared_issuers enable row level security;
alter table kith.shared_issuers force row level security;

create policy "the owner may do everything" on kith.shared_issuers
  to kith_owner
  using (true)
  with check (true);
comment on policy "the owner may do everything" on kith.shared_issuers is
  'Lets definer procedures and migrations, which run as kith_owner, reach the rows. Without a permissive policy they would change 0 rows and raise no error.';

create policy "operators read every row" on kith.shared_issuers
  for select
  to kith_admin
  using (true);
comment on policy "operators read every row" on kith.shared_issuers is
  'G01: operators change data only through the procedures of schema admin.';

revoke all on kith.shared_issuers from kith_api, kith_worker, kith_admin;
grant select on kith.shared_issuers to kith_admin;
