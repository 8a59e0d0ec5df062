-- Whose an issuer is, and whose its tokens for an audience are. All for definer procedures, under a lock on the tenant.

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
  'Whether the tokens of an issuer for an audience are the tenant''s; with an empty audience, whether the issuer itself is.';
revoke all on function internal.claims(text, text) from public;

create or replace function internal.claim_issuers(p_keys jsonb, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_key record;
  v_is_shared boolean;
begin
  -- In one order, so that two tenants that claim the same at this moment do not wait for each other.
  for v_key in
    select distinct issuer, audience from jsonb_populate_recordset(null::kith.jwt_issuers, p_keys) order by issuer, audience
  loop
    -- Also what a tenant had before issuers were one tenant's, beside the one that owns the issuer now.
    continue when internal.claims(v_key.issuer, v_key.audience);
    v_is_shared := exists (select from kith.shared_issuers where issuer = v_key.issuer);
    -- Waits for another tenant that is claiming the same.
    insert into kith.jwt_issuers (tenant_id, issuer, audience, claimed_at)
    select v_tenant, v_key.issuer, claimed.audience, p_now
    from unnest(array['', v_key.audience]) as claimed (audience)
    where claimed.audience <> '' or not v_is_shared
    on conflict do nothing;
    -- Statements of their own: they see what is the tenant's, and nothing of another one.
    if not internal.claims(v_key.issuer, v_key.audience) or not v_is_shared and not internal.claims(v_key.issuer, '') then
      raise exception 'conflict' using errcode = 'KT409', detail = format(
        'Tokens of the issuer %L for the audience %L are another tenant''s. If they are yours, or the issuer signs for everybody, ask the operator.',
        v_key.issuer, v_key.audience
      );
    end if;
  end loop;
end
$$;
comment on function internal.claim_issuers(jsonb, timestamptz) is
  'Makes each issuer of an array of keys the tenant''s, or of a shared issuer the audience, and raises conflict for one that is another tenant''s: whoever could register it too would take over the tokens of its users, or make it uncertain whose they are.';
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
    where key.tenant_id = v_tenant and key.issuer = claimed.issuer and claimed.audience in ('', key.audience) and key.revoked_at is null
  );
end
$$;
comment on function internal.release_issuers() is 'Gives up what the tenant has no live key of any more; then it is anybody''s.';
revoke all on function internal.release_issuers() from public;
