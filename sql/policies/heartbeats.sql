alter table kith.heartbeats enable row level security;
alter table kith.heartbeats force row level security;

create policy "the owner may do everything" on kith.heartbeats
  to kith_owner
  using (true)
  with check (true);
comment on policy "the owner may do everything" on kith.heartbeats is
  'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

create policy "an operator reads it" on kith.heartbeats
  for select
  to kith_admin
  using (true);
comment on policy "an operator reads it" on kith.heartbeats is
  'G01: operators change through the procedures of schema admin only.';

revoke all on kith.heartbeats from kith_api, kith_worker, kith_admin;
grant select on kith.heartbeats to kith_admin;
