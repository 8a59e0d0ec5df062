grant select (tenant_id, id, purpose, address, user_id, tries, created_at, expires_at, ended_at)
  on kith.otp_codes to kith_reader;
