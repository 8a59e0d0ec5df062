grant select (
  tenant_id, id, channel, purpose, address, subject, notification_id, is_urgent, status, attempts, next_attempt_at,
  leased_until, leased_by, expires_at, sent_at, provider_id, error, failures, created_at
) on kith.deliveries to kith_reader;
