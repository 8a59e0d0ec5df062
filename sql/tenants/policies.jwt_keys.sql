grant select (tenant_id, id, kid, algorithm, own, issuer, audience, public_key, created_at, revoked_at)
  on kith.jwt_keys to kith_reader;
