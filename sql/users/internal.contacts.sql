-- Phone numbers and e-mail addresses of users. A contact counts once a code sent to it has been entered (A03).

create or replace function internal.normalized_email(p_email text) returns text
  language sql
  immutable
  parallel safe
as $$
  select lower(p_email collate "C")
$$;
comment on function internal.normalized_email(text) is
  'The form in which e-mail addresses are compared: ASCII letters in lower case, everything else unchanged. Unicode '
  'lower-casing would map U+0130 to i and U+212A to k, and so turn one person''s address into another''s. The '
  'email_normalized columns use the same rule.';

create or replace function internal.normalized_address(p_channel text, p_address text) returns text
  language sql
  immutable
  parallel safe
as $$
  select case p_channel when 'email' then internal.normalized_email(p_address) else p_address end
$$;
comment on function internal.normalized_address(text, text) is
  'The form in which a channel''s addresses are compared and their codes are stored. A phone number is already '
  'normalized, as E.164.';

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
  'The user to whom a contact belongs: the one who has verified it, otherwise the oldest account for which the '
  'tenant''s server stated it, otherwise null. For definer procedures.';

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
  'The user whom somebody means who notes a name with these contacts, or null. It gives no right: only the deletion of '
  'their account uses it. For definer procedures.';

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
      and (
        phone = p_phone and phone_verified_at is not null
        or email_normalized = internal.normalized_email(p_email) and email_verified_at is not null
      )
  );
end
$$;
comment on function internal.same_contact(uuid, text, text) is
  'Whether the given phone number or e-mail address is a verified contact of this user; one match is enough. For '
  'definer procedures.';

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
    where tenant_id = v_tenant and email_normalized = internal.normalized_email(p_email)
      and email_verified_at is not null and deleted_at is null;
  end if;
  return v_user;
end
$$;
comment on function internal.user_of_verified_contact(text, text) is
  'The user who has verified a phone number, or otherwise an e-mail address. Null if there is none. It does not say '
  'which of the two matched: a caller must not tell anybody who has an account. For definer procedures.';

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
    select from kith.api_keys
    where tenant_id = v_tenant and 'key:' || id = kith.caller() and scopes && array['tokens', 'all']
  ) then
    raise exception 'forbidden' using errcode = 'KT403',
      detail = format(
        'This key lacks the scope tokens, which a change of this user''s %s needs: whoever has a contact can sign in '
        'with it.',
        v_fields
      );
  end if;
end
$$;
comment on function internal.require_contact_scope(kith.users, jsonb) is
  'Raises forbidden if the calling key may not mint tokens and a body changes how a user signs in: a contact of a user '
  'who has verified one, or the external_id of a user who has one or a verified contact. Otherwise a key with the '
  'scope users could give the user a contact of its own, and sign in with it. The contacts of a user who has verified '
  'none can still be set (SECURITY.md). For api.update_user.';

create or replace function internal.users_of_contact(p_phone text, p_email text) returns table (user_id uuid)
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_email text := internal.normalized_email(p_email);
begin
  return query
  select account.id from kith.users as account
  where account.tenant_id = v_tenant and account.phone = p_phone and account.phone_verified_at is not null
    and account.deleted_at is null
  union
  select account.id from kith.users as account
  where account.tenant_id = v_tenant and account.email_normalized = v_email and account.email_verified_at is not null
    and account.deleted_at is null;
end
$$;
comment on function internal.users_of_contact(text, text) is
  'Everybody for whom an invitation to a phone number and an e-mail address waits: who has verified the one or the '
  'other. For definer procedures.';
