grant select (
  tenant_id, channel, summary, created_at, updated_at, checked_at, tested_at, next_try_at, error, refused_since,
  inbound_token
)
  on kith.channel_credentials to kith_reader;
