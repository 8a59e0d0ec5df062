alter table kith.check_ins enable row level security;
alter table kith.check_ins force row level security;

create policy "the owner may do everything" on kith.check_ins
  to kith_owner
  using (true)
  with check (true);
comment on policy "the owner may do everything" on kith.check_ins is
  'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

create policy "the owner stays within the tenant that is set" on kith.check_ins
  as restrictive
  to kith_owner
  using (tenant_id = coalesce(kith.tenant_id(), tenant_id))
  with check (tenant_id = coalesce(kith.tenant_id(), tenant_id));
comment on policy "the owner stays within the tenant that is set" on kith.check_ins is
  'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

create policy "a request sees its own tenant only" on kith.check_ins
  as restrictive
  to kith_api
  using (tenant_id = kith.tenant_id())
  with check (tenant_id = kith.tenant_id());
comment on policy "a request sees its own tenant only" on kith.check_ins is
  'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

create policy "a sender sees the own check-ins" on kith.check_ins
  for select
  to kith_api
  using (user_id = kith.user_id());
comment on policy "a sender sees the own check-ins" on kith.check_ins is
  'A note is the sender''s own; receivers see when through sender_profiles.last_check_in_at. Only api.check_in writes one.';

create policy "an operator reads every tenant" on kith.check_ins
  for select
  to kith_admin
  using (true);
comment on policy "an operator reads every tenant" on kith.check_ins is
  'G01: operators change through the procedures of schema admin only.';

revoke all on kith.check_ins from kith_api, kith_worker, kith_admin;
grant select on kith.check_ins to kith_api;
grant select (tenant_id, id, user_id, received_at, created_at) on kith.check_ins to kith_admin;
