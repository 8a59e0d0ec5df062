create policy "senders see only the people they invited" on kith.connection_invitation_recipients
  for select
  to kith_api
  using (user_id = kith.user_id());
comment on policy "senders see only the people they invited" on kith.connection_invitation_recipients is
  'The phone numbers belong to people who may not be users.';

grant select on kith.connection_invitation_recipients to kith_api;
grant select (
  tenant_id, invitation_id, n, user_id, phone, problem, status, delivery_id, connection_id, updated_at
) on kith.connection_invitation_recipients to kith_reader;
