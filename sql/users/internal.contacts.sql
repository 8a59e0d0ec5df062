-- Phone numbers and e-mail addresses of users. A contact counts once a code sent to it has been entered (A03).

create or replace function internal.normalized_email(p_email text) returns text
  language sql
  immutable
  parallel safe
as $$
  select lower(p_email collate "C")
$$;
comment on function internal.normalized_email(text) is
  'The form in which e-mail addresses are compared: ASCII letters in lower case, everything else unchanged. Unicode lower-casing would map '
  'U+0130 to i and U+212A to k, and so turn one person''s address into another''s. The email_normalized columns use the same rule.';

create or replace function internal.normalized_address(p_channel text, p_address text) returns text
  language sql
  immutable
  parallel safe
as $$
  select case p_channel when 'email' then internal.normalized_email(p_address) else p_address end
$$;
comment on function internal.normalized_address(text, text) is
  'The form in which a channel''s addresses are compared and their codes are stored. A phone number is already normalized, as E.164.';

create or replace function internal.user_of_contact(p_channel text, p_address text) returns uuid
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid;
begin
  if p_channel = 'sms' then
    select id into v_user from kith.users
    where tenant_id = v_tenant and phone = p_address and deleted_at is null
    order by phone_verified_at is null, created_at, id limit 1;
  else
    select id into v_user from kith.users
    where tenant_id = v_tenant and email_normalized = internal.normalized_email(p_address) and deleted_at is null
    order by email_verified_at is null, created_at, id limit 1;
  end if;
  return v_user;
end
$$;
comment on function internal.user_of_contact(text, text) is
  'The user to whom a contact belongs: the one who has verified it, otherwise the oldest account for which the tenant''s server stated it, '
  'otherwise null. For definer procedures.';

create or replace function internal.named_user(p_phone text, p_email text) returns uuid
  language plpgsql
  stable
as $$
begin
  return coalesce(
    case when p_phone is not null then internal.user_of_contact('sms', p_phone) end,
    case when p_email is not null then internal.user_of_contact('email', p_email) end
  );
end
$$;
comment on function internal.named_user(text, text) is
  'The user whom somebody means who notes a name with these contacts, or null. It gives no right: only the deletion of their account uses '
  'it. For definer procedures.';

create or replace function internal.confirm_contact(p_user_id uuid, p_channel text, p_address text, p_now timestamptz) returns kith.users
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user kith.users;
begin
  if exists (
    select from kith.users
    where tenant_id = v_tenant and id = p_user_id
      and case p_channel when 'sms' then phone <> p_address else email_normalized <> internal.normalized_email(p_address) end
  ) then
    perform internal.end_links(p_user_id);
  end if;
  if p_channel = 'sms' then
    update kith.users
    set phone = p_address, phone_verified_at = p_now, pending_phone = nullif(pending_phone, p_address), updated_at = p_now
    where tenant_id = v_tenant and id = p_user_id and deleted_at is null
    returning * into v_user;
    perform internal.link_invitations_to(p_user_id, p_address, p_now);
    perform internal.emit_call_number(p_user_id, p_now);
  else
    update kith.users
    set email = p_address, email_verified_at = p_now,
      pending_email = case
        when internal.normalized_email(pending_email) <> internal.normalized_email(p_address) then pending_email
      end, updated_at = p_now
    where tenant_id = v_tenant and id = p_user_id and deleted_at is null
    returning * into v_user;
  end if;
  perform internal.emit_account(v_tenant, p_user_id, p_now);
  return v_user;
exception when unique_violation then
  raise exception 'conflict' using errcode = 'KT409', detail = 'Another account has this contact.';
end
$$;
comment on function internal.confirm_contact(uuid, text, text, timestamptz) is
  'Makes a contact the user''s verified one. Raises conflict if another user of the tenant has verified it. For definer procedures.';

create or replace function internal.emit_call_number(p_user_id uuid, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  if exists (
    select from kith.sender_profiles
    where tenant_id = v_tenant and user_id = p_user_id and share_phone and ended_at is null
  ) then
    perform internal.emit_connections_of_sender(v_tenant, p_user_id, p_now);
  end if;
end
$$;
comment on function internal.emit_call_number(uuid, timestamptz) is
  'P11: a sender''s phone number, which their receivers may call, has changed on the dashboards. Emits nothing unless the sender shares '
  'it. '
  'For definer procedures.';

create or replace function internal.propose_contacts(p_body jsonb, p_codes jsonb, p_now timestamptz) returns kith.users
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_id uuid := kith.user_id();
  v_user kith.users;
  v_phone text := p_body ->> 'phone';
  v_email text := p_body ->> 'email';
begin
  perform internal.require_user();
  select * into v_user from kith.users where tenant_id = v_tenant and id = v_id and deleted_at is null for no key update;
  if not found then
    perform internal.refuse_not_found();
  end if;
  if p_body ? 'phone' and v_phone is null and v_user.phone is not null then
    perform internal.emit_call_number(v_id, p_now);
  end if;
  if p_body ? 'phone' and v_phone is null and v_user.phone is not null or p_body ? 'email' and v_email is null and v_user.email is not null then
    perform internal.end_links(v_id);
  end if;
  if p_body ? 'phone' then
    v_user.pending_phone := case when v_phone is distinct from v_user.phone or v_user.phone_verified_at is null then v_phone end;
    if v_phone is null then
      v_user.phone := null;
      v_user.phone_verified_at := null;
    elsif v_user.pending_phone is not null then
      perform internal.send_otp('contact', 'sms', v_phone, v_id, false, v_user.locale, null, p_codes -> 'phone', p_now);
    end if;
  end if;
  if p_body ? 'email' then
    v_user.pending_email := case
      when internal.normalized_email(v_email) is distinct from v_user.email_normalized or v_user.email_verified_at is null then v_email
    end;
    if v_email is null then
      v_user.email := null;
      v_user.email_verified_at := null;
    elsif v_user.pending_email is not null then
      perform internal.send_otp('contact', 'email', v_email, v_id, false, v_user.locale, null, p_codes -> 'email', p_now);
    end if;
  end if;
  update kith.users
  set phone = v_user.phone, phone_verified_at = v_user.phone_verified_at, pending_phone = v_user.pending_phone, email = v_user.email,
    email_verified_at = v_user.email_verified_at, pending_email = v_user.pending_email, updated_at = p_now
  where tenant_id = v_tenant and id = v_id
  returning * into v_user;
  perform internal.emit_account(v_tenant, v_id, p_now);
  return v_user;
end
$$;
comment on function internal.propose_contacts(jsonb, jsonb, timestamptz) is
  'Stores the phone and e-mail that the current user wants as pending, and sends a code to each (p_codes: {phone?, email?} of {id, hash, '
  'sealed}). Null clears a contact at once. For definer procedures.';

create or replace function internal.set_contacts(p_user kith.users, p_body jsonb, p_now timestamptz) returns kith.users
  language plpgsql
as $$
declare
  v_user kith.users := p_user;
begin
  if p_body ? 'phone' and p_body ->> 'phone' is distinct from v_user.phone then
    v_user.phone := p_body ->> 'phone';
    v_user.phone_verified_at := null;
    v_user.pending_phone := null;
  end if;
  if p_body ? 'email' and p_body ->> 'email' is distinct from v_user.email then
    if internal.normalized_email(p_body ->> 'email') is distinct from v_user.email_normalized then
      v_user.email_verified_at := null;
      v_user.pending_email := null;
    end if;
    v_user.email := p_body ->> 'email';
  end if;
  update kith.users
  set phone = v_user.phone, phone_verified_at = v_user.phone_verified_at, pending_phone = v_user.pending_phone, email = v_user.email,
    email_verified_at = v_user.email_verified_at, pending_email = v_user.pending_email, updated_at = p_now
  where tenant_id = v_user.tenant_id and id = v_user.id
  returning * into v_user;
  if internal.user_json(v_user)::jsonb <> internal.user_json(p_user)::jsonb then
    perform internal.emit_account(v_user.tenant_id, v_user.id, p_now);
  end if;
  if v_user.phone is distinct from p_user.phone then
    perform internal.emit_call_number(v_user.id, p_now);
  end if;
  if v_user.phone <> p_user.phone or v_user.phone is null and p_user.phone is not null
    or v_user.email_normalized <> p_user.email_normalized or v_user.email is null and p_user.email is not null
  then
    perform internal.end_links(v_user.id);
  end if;
  return v_user;
end
$$;
comment on function internal.set_contacts(kith.users, jsonb, timestamptz) is
  'Sets contacts on the word of the tenant''s server, at once. A contact becomes unverified unless it is the one already verified. For '
  'definer procedures.';

create or replace function internal.same_contact(p_user_id uuid, p_phone text, p_email text) returns boolean
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  return exists (
    select from kith.users
    where tenant_id = v_tenant and id = p_user_id and deleted_at is null
      and (phone = p_phone and phone_verified_at is not null or email_normalized = internal.normalized_email(p_email) and email_verified_at is not null)
  );
end
$$;
comment on function internal.same_contact(uuid, text, text) is
  'Whether the given phone number or e-mail address is a verified contact of this user; one match is enough. For definer procedures.';

create or replace function internal.user_of_verified_contact(p_phone text, p_email text) returns uuid
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid;
begin
  select id into v_user
  from kith.users
  where tenant_id = v_tenant and phone = p_phone and phone_verified_at is not null and deleted_at is null;
  if not found then
    select id into v_user
    from kith.users
    where tenant_id = v_tenant and email_normalized = internal.normalized_email(p_email) and email_verified_at is not null and deleted_at is null;
  end if;
  return v_user;
end
$$;
comment on function internal.user_of_verified_contact(text, text) is
  'The user who has verified a phone number, or otherwise an e-mail address. Null if there is none. It does not say which of the two '
  'matched: a caller must not tell anybody who has an account. For definer procedures.';

create or replace function internal.require_contact_scope(p_user kith.users, p_body jsonb) returns void
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_is_verified boolean := coalesce(p_user.phone_verified_at, p_user.email_verified_at) is not null;
  v_fields text := concat_ws(
    ', ',
    case when v_is_verified and p_body ? 'phone' and p_body ->> 'phone' is distinct from p_user.phone then 'phone' end,
    case
      when v_is_verified and p_body ? 'email'
        and internal.normalized_email(p_body ->> 'email') is distinct from p_user.email_normalized then 'email'
    end,
    case
      when p_body ? 'external_id' and p_body ->> 'external_id' is distinct from p_user.external_id
        and (v_is_verified or p_user.external_id is not null) then 'external_id'
    end
  );
begin
  if v_fields <> '' and not exists (
    select from kith.api_keys where tenant_id = v_tenant and 'key:' || id = kith.caller() and scopes && array['tokens', 'all']
  ) then
    raise exception 'forbidden' using errcode = 'KT403',
      detail = format('This key lacks the scope tokens, which a change of this user''s %s needs: whoever has a contact can sign in with it.', v_fields);
  end if;
end
$$;
comment on function internal.require_contact_scope(kith.users, jsonb) is
  'Raises forbidden if the calling key may not mint tokens and a body changes how a user signs in: a contact of a user who has verified '
  'one, or the external_id of a user who has one or a verified contact. Otherwise a key with the scope users could give the user a contact '
  'of its own, and sign in with it. The contacts of a user who has verified none can still be set (SECURITY.md). For api.update_user.';
