alter table kith.pings enable row level security;
alter table kith.pings force row level security;

create policy "the owner may do everything" on kith.pings
  to kith_owner
  using (true)
  with check (true);
comment on policy "the owner may do everything" on kith.pings is
  'Lets definer procedures and migrations, which run as kith_owner, reach the rows. Without a permissive policy they would change 0 rows and raise no error.';

create policy "the owner stays within the tenant that is set" on kith.pings
  as restrictive
  to kith_owner
  using (tenant_id = coalesce(kith.tenant_id(), tenant_id))
  with check (tenant_id = coalesce(kith.tenant_id(), tenant_id));
comment on policy "the owner stays within the tenant that is set" on kith.pings is
  'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

create policy "a request sees only its own tenant" on kith.pings
  as restrictive
  to kith_api
  using (tenant_id = kith.tenant_id())
  with check (tenant_id = kith.tenant_id());
comment on policy "a request sees only its own tenant" on kith.pings is
  'A01: a request with no tenant set sees no rows. The condition is a plain comparison, so that an index can serve it.';

create policy "both sides see the pings of their connection" on kith.pings
  for select
  to kith_api
  using (kith.user_id() in (sender_id, receiver_id));
comment on policy "both sides see the pings of their connection" on kith.pings is
  'While a connection is pending, the procedures show its pings to the sender only (P29). Only definer procedures change pings for users.';

create policy "the worker sees every tenant" on kith.pings
  for select
  to kith_worker
  using (true);
comment on policy "the worker sees every tenant" on kith.pings is
  'The worker generates pings. It announces, reminds and marks pings missed through definer procedures.';

create policy "the worker inserts only scheduled pings" on kith.pings
  for insert
  to kith_worker
  with check (status = 'scheduled');
comment on policy "the worker inserts only scheduled pings" on kith.pings is
  'The worker cannot declare a sender safe: it inserts no completed ping and no time of completion.';

create policy "operators read every tenant" on kith.pings
  for select
  to kith_admin
  using (true);
comment on policy "operators read every tenant" on kith.pings is
  'G01: operators change data only through the procedures of schema admin.';

revoke all on kith.pings from kith_api, kith_worker, kith_admin;
grant select on kith.pings to kith_api;
grant select (tenant_id, ping_on, connection_id),
  insert (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, remind_at, deadline_at)
on kith.pings to kith_worker;
grant select on kith.pings to kith_admin;
