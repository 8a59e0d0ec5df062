create or replace function internal.confirm_contact(p_user_id uuid, p_channel text, p_address text, p_now timestamptz)
  returns kith.users
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user kith.users;
begin
  if exists (
    select from kith.users
    where tenant_id = v_tenant and id = p_user_id
      and case p_channel when 'sms' then phone <> p_address
        else email_normalized <> internal.normalized_email(p_address) end
  ) then
    perform internal.end_links(p_user_id);
  end if;
  if p_channel = 'sms' then
    update kith.users
    set phone = p_address, phone_verified_at = p_now, pending_phone = nullif(pending_phone, p_address),
      updated_at = p_now
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
  'Makes a contact the user''s verified one. Raises conflict if another user of the tenant has verified it. For '
  'definer procedures.';
