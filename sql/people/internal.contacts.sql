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
  select * into v_user from kith.users
  where tenant_id = v_tenant and id = v_id and deleted_at is null for no key update;
  if not found then
    perform internal.refuse_not_found();
  end if;
  if p_body ? 'phone' and v_phone is null and v_user.phone is not null then
    perform internal.emit_call_number(v_id, p_now);
  end if;
  if p_body ? 'phone' and v_phone is null and v_user.phone is not null
    or p_body ? 'email' and v_email is null and v_user.email is not null
  then
    perform internal.end_links(v_id);
  end if;
  if p_body ? 'phone' then
    v_user.pending_phone := case
      when v_phone is distinct from v_user.phone or v_user.phone_verified_at is null then v_phone
    end;
    if v_phone is null then
      v_user.phone := null;
      v_user.phone_verified_at := null;
    elsif v_user.pending_phone is not null then
      perform internal.send_otp('contact', 'sms', v_phone, v_id, false, v_user.locale, null, p_codes -> 'phone', p_now);
    end if;
  end if;
  if p_body ? 'email' then
    v_user.pending_email := case
      when internal.normalized_email(v_email) is distinct from v_user.email_normalized
        or v_user.email_verified_at is null
        then v_email
    end;
    if v_email is null then
      v_user.email := null;
      v_user.email_verified_at := null;
    elsif v_user.pending_email is not null then
      perform internal.send_otp(
        'contact', 'email', v_email, v_id, false, v_user.locale, null, p_codes -> 'email', p_now
      );
    end if;
  end if;
  update kith.users
  set phone = v_user.phone, phone_verified_at = v_user.phone_verified_at, pending_phone = v_user.pending_phone,
    email = v_user.email,
    email_verified_at = v_user.email_verified_at, pending_email = v_user.pending_email, updated_at = p_now
  where tenant_id = v_tenant and id = v_id
  returning * into v_user;
  perform internal.emit_account(v_tenant, v_id, p_now);
  return v_user;
end
$$;
comment on function internal.propose_contacts(jsonb, jsonb, timestamptz) is
  'Stores the phone and e-mail that the current user wants as pending, and sends a code to each (p_codes: {phone?, '
  'email?} of {id, hash, sealed}). Null clears a contact at once. For definer procedures.';

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
  set phone = v_user.phone, phone_verified_at = v_user.phone_verified_at, pending_phone = v_user.pending_phone,
    email = v_user.email,
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
  'Sets contacts on the word of the tenant''s server, at once. A contact becomes unverified unless it is the one '
  'already verified. For definer procedures.';
