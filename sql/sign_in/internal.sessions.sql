-- Sign-ins: a family of single-use refresh tokens, and the access tokens that name it.

create or replace function internal.begin_session(
  p_user_id uuid, p_family_id uuid, p_secret_hash bytea, p_now timestamptz
)
  returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  perform internal.refuse_hidden_person(p_user_id);
  insert into kith.token_families (tenant_id, id, user_id, created_at, refreshed_at, expires_at)
  values (v_tenant, p_family_id, p_user_id, p_now, p_now, p_now + interval '60 days');
  perform internal.add_refresh_token(p_family_id, null, p_secret_hash, p_now);
end
$$;
comment on function internal.begin_session(uuid, uuid, bytea, timestamptz) is
  'Creates a token family and its first refresh token, of which only the SHA-256 reaches the database. For definer '
  'procedures.';

create or replace function internal.user_of_repeated_sign_in(p_family_id uuid, p_secret_hash bytea, p_now timestamptz)
  returns uuid
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  return (
    select family.user_id
    from kith.token_families as family
    join kith.refresh_tokens as token on token.tenant_id = family.tenant_id and token.family_id = family.id
    join kith.users as account
      on account.tenant_id = family.tenant_id and account.id = family.user_id and account.deleted_at is null
    where family.tenant_id = v_tenant and family.id = p_family_id and family.ended_at is null
      and family.created_at > p_now - interval '60 seconds' and token.secret_hash = p_secret_hash
  );
end
$$;
comment on function internal.user_of_repeated_sign_in(uuid, bytea, timestamptz) is
  'The person whom a browser has signed in within the last minute by the form that it sends again, because the answer '
  'was lost or the button was pressed twice; else null. The same form of the same browser has the same id and the same '
  'secret. For api.sign_in and api.begin_linked_session.';

create or replace function internal.add_refresh_token(
  p_family_id uuid, p_predecessor_id uuid, p_secret_hash bytea, p_now timestamptz
) returns uuid
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_id uuid := internal.uuid7(p_now);
begin
  insert into kith.refresh_tokens (tenant_id, id, family_id, predecessor_id, secret_hash, created_at, expires_at)
  values (v_tenant, v_id, p_family_id, p_predecessor_id, p_secret_hash, p_now, p_now + interval '60 days');
  return v_id;
end
$$;
comment on function internal.add_refresh_token(uuid, uuid, bytea, timestamptz) is
  'Adds a token to a family, valid for 60 days. Returns its id. For definer procedures.';

create or replace function internal.end_sessions(p_user_id uuid, p_family_id uuid, p_reason text, p_now timestamptz)
  returns integer
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_ended integer;
begin
  update kith.token_families set ended_at = p_now, end_reason = p_reason
  where tenant_id = v_tenant and user_id = p_user_id and id = coalesce(p_family_id, id) and ended_at is null;
  get diagnostics v_ended = row_count;
  return v_ended;
end
$$;
comment on function internal.end_sessions(uuid, uuid, text, timestamptz) is
  'Ends one sign-in of a user, or all of them if the family is null. The refresh tokens are void at once, the access '
  'tokens within a minute. Returns how many ended. For definer procedures.';

create or replace function internal.sign_out_everywhere(
  p_user_id uuid, p_now timestamptz, out sign_ins integer, out devices integer
)
  returns record
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  -- The user's row comes first: a sign-in by a link that begins now takes turns there, and is ended too or finds itself
  -- too late. Tokens carry whole seconds. One that was issued within this second must end too.
  update kith.users set tokens_valid_from = date_trunc('second', p_now) + interval '1 second', updated_at = p_now
  where tenant_id = v_tenant and id = p_user_id;
  sign_ins := internal.end_sessions(p_user_id, null, 'signed_out_everywhere', p_now);
  -- A phone on which nobody is signed in any more must not show names in pushes (A05). An app registers its device when
  -- it starts.
  delete from kith.devices where tenant_id = v_tenant and user_id = p_user_id;
  get diagnostics devices = row_count;
end
$$;
comment on function internal.sign_out_everywhere(uuid, timestamptz) is
  'Ends all sign-ins of a user, all tokens issued until now, also those that the tenant''s server has asked for, and '
  'the registrations of all devices. Returns how many sign-ins and devices. For definer procedures.';

create or replace function internal.forget_sign_ins(p_user_id uuid) returns uuid[]
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_codes uuid[];
  v_addresses text[];
  v_verified text[];
begin
  select array[phone, pending_phone, email_normalized, internal.normalized_email(pending_email)],
    array[
      case when phone_verified_at is not null then phone end,
        case when email_verified_at is not null then email_normalized end
    ]
  into v_addresses, v_verified
  from kith.users
  where tenant_id = v_tenant and id = p_user_id;
  delete from kith.token_families where tenant_id = v_tenant and user_id = p_user_id;
  -- These rows must keep counting. Otherwise a user could delete the account, create the next one, and have another ten
  -- codes sent or tried.
  update kith.otp_tries set address = internal.hashed_address(address)
  where tenant_id = v_tenant and address = any (v_addresses);
  -- An unverified address may belong to somebody else who is signing in now.
  with codes as (
    update kith.otp_codes set address = internal.hashed_address(address), address_is_hashed = true, user_id = null
    where tenant_id = v_tenant and (user_id = p_user_id or user_id is null and address = any (v_verified))
    returning id
  )
  select array_agg(id) into v_codes from codes;
  return v_codes;
end
$$;
comment on function internal.forget_sign_ins(uuid) is
  'Removes the traces of a user''s sign-ins: deletes the sign-ins, and hashes the addresses of the codes, which become '
  'void and only count for another day. Returns the ids of the codes, which are also the ids of their deliveries. Call '
  'it before the contacts are cleared, because they identify the codes. For definer procedures.';

create or replace function internal.sessions_json() returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  perform internal.require_user();
  return (
    select coalesce(
      json_agg(
        json_build_object(
          'id', id, 'created_at', internal.instant(created_at), 'refreshed_at', internal.instant(refreshed_at),
          'expires_at', internal.instant(expires_at), 'ended_at', internal.instant(ended_at), 'end_reason', end_reason
        )
        order by created_at, id
      ),
      '[]'
    )
    from kith.token_families
    where tenant_id = v_tenant and user_id = v_user
  );
end
$$;
comment on function internal.sessions_json() is
  'The current user''s sign-ins, for the export, without tokens. Definer: nobody may read sign-ins.';
grant execute on function internal.sessions_json() to kith_api;

create or replace function internal.judge_refresh(p_token kith.refresh_tokens, p_now timestamptz) returns text
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_successors integer;
  v_is_continued boolean;
begin
  -- The states of a refresh token (decision 38):
  --   new  --used-->  repeatable (60 s, at most 10 successors)  --a successor is used, or 60 s pass-->  spent
  --   new  --a sibling has been in use for a day-->  spent
  -- Whoever presents a spent token shows that two parties have the family's tokens, and nobody knows which of them is
  -- the thief.
  if p_token.used_at is null then
    return case
      when exists (
        select from kith.refresh_tokens
        where tenant_id = v_tenant and family_id = p_token.family_id and predecessor_id = p_token.predecessor_id
          and used_at <= p_now - interval '24 hours'
      ) then 'spent'
      else 'exchanged'
    end;
  end if;
  select count(*), bool_or(used_at is not null) into v_successors, v_is_continued
  from kith.refresh_tokens
  where tenant_id = v_tenant and family_id = p_token.family_id and predecessor_id = p_token.id;
  return case
    when v_is_continued or p_token.used_at <= p_now - interval '60 seconds' then 'spent'
    when v_successors >= 10 then 'refused'
    else 'exchanged'
  end;
end
$$;
comment on function internal.judge_refresh(kith.refresh_tokens, timestamptz) is
  'What becomes of a refresh token of a live sign-in that is presented now: exchanged for a successor; refused, if it '
  'has ten successors that nobody has used; or spent, which ends the sign-in. For api.refresh_session, which has '
  'locked the family.';
