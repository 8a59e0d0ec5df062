-- Whose tokens of an issuer for an audience are. Both for definer procedures, under a lock on the tenant.

create or replace function internal.claim_issuers(p_keys jsonb, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_taken kith.jwt_issuers;
begin
  -- Waits for another tenant that is claiming the same at this moment. In one order, so that two do not wait for each other.
  insert into kith.jwt_issuers (tenant_id, issuer, audience, claimed_at)
  select distinct v_tenant, key.issuer, key.audience, p_now
  from jsonb_populate_recordset(null::kith.jwt_issuers, p_keys) as key
  order by key.issuer, key.audience
  on conflict do nothing;
  -- A statement of its own: it sees what is the tenant's, and nothing of another one.
  select * into v_taken
  from jsonb_populate_recordset(null::kith.jwt_issuers, p_keys) as key
  where not exists (
    select from kith.jwt_issuers as claimed
    where claimed.tenant_id = v_tenant and claimed.issuer = key.issuer and claimed.audience = key.audience
  )
  limit 1;
  if found then
    raise exception 'conflict' using errcode = 'KT409', detail = format(
      'Tokens of the issuer %L for the audience %L are another tenant''s. If they are yours, ask the operator.',
      v_taken.issuer, v_taken.audience
    );
  end if;
end
$$;
comment on function internal.claim_issuers(jsonb, timestamptz) is
  'Makes each issuer and audience of an array of keys the tenant''s, or raises conflict for one that is another tenant''s: whoever could register it too would take over the tokens of its users.';
revoke all on function internal.claim_issuers(jsonb, timestamptz) from public;

create or replace function internal.release_issuers() returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  delete from kith.jwt_issuers as claimed
  where claimed.tenant_id = v_tenant and not exists (
    select from kith.jwt_keys as key
    where key.tenant_id = v_tenant and key.issuer = claimed.issuer and key.audience = claimed.audience and key.revoked_at is null
  );
end
$$;
comment on function internal.release_issuers() is 'Gives up what the tenant has no live key of any more; then it is anybody''s.';
revoke all on function internal.release_issuers() from public;
