create policy "users see only their own links" on kith.check_in_links
  for select
  to kith_api
  using (user_id = kith.user_id());
comment on policy "users see only their own links" on kith.check_in_links is
  'For the export. Only the procedures of sql/answers find a link by its token.';

-- Not the hash of the token: whoever may read it could try tokens without the server's limits.
grant select (tenant_id, user_id, ping_on, created_at, used_at) on kith.check_in_links to kith_api;
grant select (tenant_id, user_id, ping_on, created_at, used_at) on kith.check_in_links to kith_reader;
