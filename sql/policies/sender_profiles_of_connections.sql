-- Beside the own profile a receiver may look at those of the senders connected with them, whatever the connection's status but
-- deleted. This policy looks into another table, which a distributed database refuses; there it is left out, and the tenant
-- policy and the procedures' own joins remain. Names of other people come through the view internal.own_connections instead.

create policy "a receiver sees the profiles of senders connected with them" on kith.sender_profiles
  for select
  to kith_api
  using (
    (
      select true from kith.connections as connection
      where connection.tenant_id = sender_profiles.tenant_id and connection.sender_id = sender_profiles.user_id
        and connection.receiver_id = kith.user_id() and connection.status <> 'deleted'
    )
  );
comment on policy "a receiver sees the profiles of senders connected with them" on kith.sender_profiles is
  'For the sender''s local date. One look-up; EXISTS instead of the scalar subquery would become a hash of everybody connected.';
