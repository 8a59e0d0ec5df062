-- Assigns each issuer, or the tokens of a shared issuer for one audience, to one tenant. All functions are for definer
-- procedures that have locked the tenant.

create or replace function internal.claims(p_issuer text, p_audience text) returns boolean
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  return exists (
    select from kith.jwt_issuers where tenant_id = v_tenant and issuer = p_issuer and audience = p_audience
  );
end
$$;
comment on function internal.claims(text, text) is
  'Whether the tenant owns an issuer''s tokens for an audience, or, with an empty audience, the issuer itself.';

create or replace function internal.claim_issuers(p_keys jsonb, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_key record;
  v_is_shared boolean;
begin
  -- In a fixed order, so that two tenants that claim the same issuers at once do not deadlock.
  for v_key in
    select distinct issuer, audience from jsonb_populate_recordset(null::kith.jwt_issuers, p_keys)
    order by issuer, audience
  loop
    -- This also keeps claims that a tenant made before issuers became exclusive, although another tenant owns the
    -- issuer now.
    continue when internal.claims(v_key.issuer, v_key.audience);
    v_is_shared := exists (select from kith.shared_issuers where issuer = v_key.issuer);
    -- The insert waits for another tenant that is claiming the same issuer.
    insert into kith.jwt_issuers (tenant_id, issuer, audience, claimed_at)
    select v_tenant, v_key.issuer, claimed.audience, p_now
    from unnest(array['', v_key.audience]) as claimed (audience)
    where claimed.audience <> '' or not v_is_shared
    on conflict do nothing;
    -- Check in separate statements, which see only the tenant's own claims.
    if not internal.claims(v_key.issuer, v_key.audience)
      or not v_is_shared and not internal.claims(v_key.issuer, '')
    then
      raise exception 'conflict' using errcode = 'KT409', detail = format(
        'Tokens of the issuer %L for the audience %L are another tenant''s. If they are yours, or the issuer signs for '
        'everybody, ask the operator.', v_key.issuer, v_key.audience
      );
    end if;
  end loop;
end
$$;
comment on function internal.claim_issuers(jsonb, timestamptz) is
  'Claims for the tenant each issuer in an array of keys, or only the audience if the issuer is shared. Raises '
  'conflict if another tenant owns it: a second tenant that registers an issuer could take over its users'' tokens, or '
  'make their owner ambiguous.';

create or replace function internal.release_issuers() returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  delete from kith.jwt_issuers as claimed
  where claimed.tenant_id = v_tenant and not exists (
    select from kith.jwt_keys as key
    where key.tenant_id = v_tenant and key.issuer = claimed.issuer and claimed.audience in ('', key.audience)
      and key.revoked_at is null
  );
end
$$;
comment on function internal.release_issuers() is
  'Releases the claims for which the tenant has no live key. Any tenant can then claim them.';
