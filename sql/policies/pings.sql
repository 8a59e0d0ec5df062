alter table kith.pings enable row level security;
alter table kith.pings force row level security;

create policy "the owner may do everything" on kith.pings
  to kith_owner
  using (true)
  with check (true);
comment on policy "the owner may do everything" on kith.pings is
  'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

create policy "the owner stays within the tenant that is set" on kith.pings
  as restrictive
  to kith_owner
  using (tenant_id = coalesce(kith.tenant_id(), tenant_id))
  with check (tenant_id = coalesce(kith.tenant_id(), tenant_id));
comment on policy "the owner stays within the tenant that is set" on kith.pings is
  'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

create policy "a request sees its own tenant only" on kith.pings
  as restrictive
  to kith_api
  using (tenant_id = kith.tenant_id())
  with check (tenant_id = kith.tenant_id());
comment on policy "a request sees its own tenant only" on kith.pings is
  'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

create policy "both sides see the pings of their connection" on kith.pings
  for select
  to kith_api
  using (kith.user_id() in (sender_id, receiver_id));
comment on policy "both sides see the pings of their connection" on kith.pings is
  'While a connection is pending the procedures show them to the sender only (P29). Nobody changes one but through a definer.';

create policy "the worker sees every tenant" on kith.pings
  for select
  to kith_worker
  using (true);
comment on policy "the worker sees every tenant" on kith.pings is
  'It generates; it announces, reminds and misses through definers.';

create policy "the worker makes scheduled pings only" on kith.pings
  for insert
  to kith_worker
  with check (status = 'scheduled');
comment on policy "the worker makes scheduled pings only" on kith.pings is
  'Nobody is safe by the worker''s word: it writes no completed ping, and no time of completion.';

create policy "an operator reads every tenant" on kith.pings
  for select
  to kith_admin
  using (true);
comment on policy "an operator reads every tenant" on kith.pings is
  'G01: operators change through the procedures of schema admin only.';

revoke all on kith.pings from kith_api, kith_worker, kith_admin;
grant select on kith.pings to kith_api;
grant select (tenant_id, ping_on, connection_id),
  insert (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, remind_at, deadline_at)
on kith.pings to kith_worker;
grant select on kith.pings to kith_admin;
