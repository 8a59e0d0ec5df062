alter table kith.event_readers enable row level security;
alter table kith.event_readers force row level security;

create policy "the owner may do everything" on kith.event_readers
  to kith_owner
  using (true)
  with check (true);
comment on policy "the owner may do everything" on kith.event_readers is
  'Lets definer procedures and migrations, which run as kith_owner, reach the rows. Without a permissive policy they would change 0 rows and raise no error.';

create policy "operators read every tenant" on kith.event_readers
  for select
  to kith_admin
  using (true);
comment on policy "operators read every tenant" on kith.event_readers is
  'G01: operators change data only through the procedures of schema admin.';

revoke all on kith.event_readers from kith_api, kith_worker, kith_admin;
grant select on kith.event_readers to kith_admin;
