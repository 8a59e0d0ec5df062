-- Not the hash of the token: whoever may read it could try tokens without the server's limits.
grant select (tenant_id, alarm_id, receiver_id, channel, created_at) on kith.alarm_links to kith_reader;
