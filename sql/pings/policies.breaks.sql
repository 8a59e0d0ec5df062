create policy "senders see only their own breaks" on kith.breaks
  for select
  to kith_api
  using (user_id = kith.user_id());
comment on policy "senders see only their own breaks" on kith.breaks is
  'Receivers see the current break through internal.own_connections. Only internal.replace_break writes breaks.';

grant select on kith.breaks to kith_api;
grant select on kith.breaks to kith_reader;
