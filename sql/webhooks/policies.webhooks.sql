grant select (
  tenant_id, id, types, taken_xid, taken_id, taken_at, has_news, batch_id, attempts, next_attempt_at, leased_by,
  last_success_at, last_error, disabled_at, disabled_reason, created_at, updated_at
) on kith.webhooks to kith_reader;
