create policy "both sides see the pings of their connection" on kith.pings
  for select
  to kith_api
  using (kith.user_id() in (sender_id, receiver_id));
comment on policy "both sides see the pings of their connection" on kith.pings is
  'While a connection is pending, the procedures show its pings to the sender only (P29). Only definer procedures '
  'change pings for users.';

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

grant select on kith.pings to kith_api;
grant select (tenant_id, ping_on, connection_id, sender_id),
  insert (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, remind_at, deadline_at)
on kith.pings to kith_worker;
-- Not the notes.
grant select (
  tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, remind_at, deadline_at,
  completed_at, check_in_id, asked_at, judge_at, alarmed_at, is_unreached
) on kith.pings to kith_reader;
