-- Stored phone numbers. SQL does not know the numbering plans, so the program (kith contacts) says which form a number
-- should have.

drop view if exists admin.phone_numbers;
create view admin.phone_numbers with (security_barrier, security_invoker) as
select tenant.slug as tenant, stored.phone, stored.kind, stored.user_id, stored.is_verified, stored.created_at
from (
  select tenant_id, phone, 'user' as kind, id as user_id, phone_verified_at is not null as is_verified, created_at
  from kith.users where phone is not null and deleted_at is null
  union all
  select tenant_id, pending_phone, 'pending', id, false, updated_at from kith.users
  where pending_phone is not null and deleted_at is null
  union all
  select tenant_id, phone, 'nominee', user_id, false, invited_at from kith.nominees where phone is not null
  union all
  select tenant_id, phone, 'transfer', null, false, created_at from kith.transfers where phone is not null
  union all
  select recipient.tenant_id, recipient.phone, 'invitation', invitation.user_id, false, invitation.created_at
  from kith.connection_invitation_recipients as recipient
  join kith.connection_invitations as invitation
    on invitation.tenant_id = recipient.tenant_id and invitation.id = recipient.invitation_id
  where recipient.phone is not null
) as stored
join kith.tenants as tenant on tenant.tenant_id = stored.tenant_id;
comment on view admin.phone_numbers is 'Every stored phone number and where it is, for kith contacts.';
comment on column admin.phone_numbers.tenant is 'The tenant''s slug.';
comment on column admin.phone_numbers.phone is 'The number as it is stored.';
comment on column admin.phone_numbers.kind is
  'user: the account''s number; pending: the number to which a user wants to change; nominee, transfer or invitation: '
  'a person who is named by it.';
comment on column admin.phone_numbers.user_id
  is 'The account: the number''s own, the nominee''s if there is one, or the inviter''s.';
comment on column admin.phone_numbers.is_verified is 'Whether a code sent to the number was entered.';
comment on column admin.phone_numbers.created_at is 'Since when the account, or the row that names the number, exists.';
grant select on admin.phone_numbers to kith_reader;

create or replace function internal.is_respelling(p_stored text, p_phone text) returns boolean
  language sql
  immutable
  parallel safe
as $$
  select p_phone ~ '^\+[1-9][0-9]{6,14}$' and internal.calling_code(p_stored) = internal.calling_code(p_phone)
    and substr(p_stored, 2 + char_length(internal.calling_code(p_stored)))
      ~ ('^[0-9]{1,3}' || substr(p_phone, 2 + char_length(internal.calling_code(p_phone))) || '$')
$$;
comment on function internal.is_respelling(text, text) is
  'Whether p_phone is p_stored without a prefix of one to three digits after its calling code, such as the 0 of '
  '+4407700900123. SQL does not know the numbering plans. But whoever has a number can sign in with it, so nobody may '
  'write just any number in the place of a person''s.';

create or replace function admin.respell_phone(
  p_tenant text, p_stored text, p_phone text, p_reason text, p_now timestamptz default now()
) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := internal.enter_tenant(p_tenant);
  v_changed integer;
  v_all integer := 0;
  v_nominees uuid[];
begin
  perform internal.require_present(p_now);
  if not coalesce(internal.is_respelling(p_stored, p_phone), false) then
    perform internal.refuse_fields(internal.field_error(
      'p_phone',
        'must be the stored number without the prefix after its country code; have the tenant''s server correct any '
        'other number'
    ));
  end if;
  -- In the order of sql/README.md: users, invitations, vaults'' rows.
  perform from kith.users
  where tenant_id = v_tenant and (phone in (p_stored, p_phone) or pending_phone = p_stored) and deleted_at is null
  order by id for no key update;
  if (
    select count(*) from kith.users where tenant_id = v_tenant and phone in (p_stored, p_phone) and deleted_at is null
  ) > 1
  then
    raise exception 'conflict' using errcode = 'KT409', detail = 'Several accounts have this number.';
  end if;
  update kith.users set phone = p_phone, updated_at = p_now
  where tenant_id = v_tenant and phone = p_stored and deleted_at is null;
  get diagnostics v_changed = row_count;
  v_all := v_all + v_changed;
  update kith.users set pending_phone = p_phone, updated_at = p_now
  where tenant_id = v_tenant and pending_phone = p_stored and deleted_at is null;
  get diagnostics v_changed = row_count;
  v_all := v_all + v_changed;
  update kith.connection_invitation_recipients set phone = p_phone where tenant_id = v_tenant and phone = p_stored;
  get diagnostics v_changed = row_count;
  v_all := v_all + v_changed;
  with changed as (
    update kith.nominees set phone = p_phone, updated_at = p_now where tenant_id = v_tenant and phone = p_stored
    returning id
  )
  select array_agg(id), count(*) into v_nominees, v_changed from changed;
  v_all := v_all + v_changed;
  if v_nominees is not null then
    perform internal.emit_nominees(v_nominees, p_now);
  end if;
  update kith.transfers set phone = p_phone where tenant_id = v_tenant and phone = p_stored;
  get diagnostics v_changed = row_count;
  v_all := v_all + v_changed;
  perform internal.record_act(
    v_tenant, internal.operator(), 'phone.respell', null, jsonb_build_object('reason', p_reason, 'rows', v_all)
  );
  perform internal.leave_tenant();
  return v_all;
end
$$;
comment on function admin.respell_phone(text, text, text, text, timestamptz) is
  'Writes a phone number without a prefix that does not belong to it (internal.is_respelling), in every row of a '
  'tenant that has it, and returns how many. Raises validation_failed for any other number, and conflict if two '
  'accounts have the number in the one form and the other: nothing can tell which of them the person means. kith '
  'contacts fix calls it. The reason is kept in the audit and must not contain names or numbers.';
grant execute on function admin.respell_phone(text, text, text, text, timestamptz) to kith_admin;
