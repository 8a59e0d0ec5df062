alter table kith.delivery_totals enable row level security;
alter table kith.delivery_totals force row level security;

create policy "the owner may do everything" on kith.delivery_totals
  to kith_owner
  using (true)
  with check (true);
comment on policy "the owner may do everything" on kith.delivery_totals is
  'Lets definer procedures and migrations, which run as kith_owner, reach the rows. Without a permissive policy they would change 0 rows and raise no error.';

create policy "operators read every row" on kith.delivery_totals
  for select
  to kith_admin
  using (true);
comment on policy "operators read every row" on kith.delivery_totals is
  'G01: operators change data only through the procedures of schema admin.';

revoke all on kith.delivery_totals from kith_api, kith_worker, kith_admin;
grant select on kith.delivery_totals to kith_admin;
