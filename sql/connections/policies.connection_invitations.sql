create policy "senders see only their own invitations" on kith.connection_invitations
  for select
  to kith_api
  using (user_id = kith.user_id());
comment on policy "senders see only their own invitations" on kith.connection_invitations is
  'Nobody else learns whom a sender invites.';

grant select on kith.connection_invitations to kith_api;
grant select (tenant_id, id, user_id, recipients, created_at) on kith.connection_invitations to kith_reader;
