create or replace function internal.new_api_key(p_tenant_id integer, p_name text, p_now timestamptz, out id uuid, out secret text) returns record
  language plpgsql
as $$
begin
  id := internal.uuid7(p_now);
  -- Two random UUIDs are 244 random bits. A plain SHA-256 is therefore safe, and an index can find it.
  secret := 'kith_sk_' || translate(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');
  insert into kith.api_keys (tenant_id, id, name, secret_hash, created_at)
  values (p_tenant_id, id, p_name, sha256(convert_to(secret, 'UTF8')), p_now);
end
$$;
comment on function internal.new_api_key(integer, text, timestamptz) is
  'Creates an API key. The secret is returned once: only its hash is stored.';
revoke all on function internal.new_api_key(integer, text, timestamptz) from public;
