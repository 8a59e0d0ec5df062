create policy "receivers see only their own profile" on kith.receiver_profiles
  for select
  to kith_api
  using (user_id = kith.user_id());
comment on policy "receivers see only their own profile" on kith.receiver_profiles is
  'Only internal.accepts_connections tells whether another receiver is in good standing.';

grant select on kith.receiver_profiles to kith_api;
grant select on kith.receiver_profiles to kith_reader;
