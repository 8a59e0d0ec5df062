create policy "senders see only their own check-ins" on kith.check_ins
  for select
  to kith_api
  using (user_id = kith.user_id());
comment on policy "senders see only their own check-ins" on kith.check_ins is
  'A note belongs to the sender. Receivers see the time of the last check-in, and its note if it is shared, through '
  'internal.own_connections. Only api.check_in writes check-ins.';

grant select on kith.check_ins to kith_api;
grant select (tenant_id, id, user_id, received_at, created_at, shares_note, tapped_at, source)
  on kith.check_ins to kith_reader;
