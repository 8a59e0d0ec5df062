-- Not the hash of the token: whoever may read it could try tokens without the server's limits.
grant select (tenant_id, user_id, ping_on, created_at, used_at) on kith.check_in_links to kith_admin;
