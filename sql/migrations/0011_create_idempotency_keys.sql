create table kith.idempotency_keys (
  tenant_id integer not null references kith.tenants,
  caller text not null,
  key text not null constraint idempotency_keys_key_is_short check (char_length(key) between 1 and 255),
  fingerprint bytea not null constraint idempotency_keys_fingerprint_is_sha256 check (octet_length(fingerprint) = 32),
  sealed_answer bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  constraint idempotency_keys_pkey primary key (tenant_id, caller, key)
);
create index idempotency_keys_by_end on kith.idempotency_keys (expires_at);
comment on table kith.idempotency_keys is 'The answers of POSTs that came with an Idempotency-Key, so that a repeat gets the same and does nothing (A07). Written in the transaction of the effect itself.';
comment on column kith.idempotency_keys.caller is 'Whose key it is: user:<id> or key:<api key id>. Two callers may choose the same.';
comment on column kith.idempotency_keys.fingerprint is 'SHA-256 of method, address and body: the same key with another request is an error of the client''s.';
comment on column kith.idempotency_keys.sealed_answer is 'Status and body, AES-256-GCM under the master key, bound to tenant, caller and key.';
comment on column kith.idempotency_keys.expires_at is '24 hours on; 10 minutes where the answer holds a secret.';
