create or replace function internal.jwt_key_json(p_key kith.jwt_keys) returns json
  language sql
  stable
as $$
  select json_build_object(
    'id', (p_key).id,
    'kid', (p_key).kid,
    'algorithm', (p_key).algorithm,
    'issuer', (p_key).issuer,
    'audience', (p_key).audience,
    'public_key', (p_key).public_key,
    'created_at', internal.instant((p_key).created_at)
  )
$$;
comment on function internal.jwt_key_json(kith.jwt_keys)
  is 'A key of the tenant''s identity provider. Does not contain a shared secret.';
