alter table kith.heartbeats enable row level security;
alter table kith.heartbeats force row level security;

create policy "the owner may do everything" on kith.heartbeats
  to kith_owner
  using (true)
  with check (true);
comment on policy "the owner may do everything" on kith.heartbeats is
  'Lets definer procedures and migrations, which run as kith_owner, reach the rows. Without a permissive policy they would change 0 rows and raise no error.';

create policy "operators read every row" on kith.heartbeats
  for select
  to kith_admin
  using (true);
comment on policy "operators read every row" on kith.heartbeats is
  'G01: operators change data only through the procedures of schema admin.';

revoke all on kith.heartbeats from kith_api, kith_worker, kith_admin;
grant select on kith.heartbeats to kith_admin;
