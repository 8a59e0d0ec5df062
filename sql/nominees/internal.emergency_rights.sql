create or replace function internal.emergency_settings_of(p_tenant_id integer, p_nominee_id uuid) returns jsonb
  language plpgsql
  stable
as $$
begin
  return (
    select internal.emergency_settings_json(settings)
    from kith.emergency_settings as settings
    where settings.tenant_id = p_tenant_id and settings.nominee_id = p_nominee_id
  );
end
$$;
comment on function internal.emergency_settings_of(integer, uuid) is
  'The right of a nominee as the owner sees it, or null. For definer procedures that have checked who asks.';

create or replace function internal.emergency_settings_json(p_settings kith.emergency_settings) returns jsonb
  language sql
  stable
as $$
  select jsonb_build_object(
    'wait_hours', (p_settings).wait_hours,
    'access_level', (p_settings).access_level,
    'grant_hours', (p_settings).grant_hours,
    'on_request', (p_settings).on_request,
    'after_missed_days', (p_settings).after_missed_days,
    'reject_on_check_in', (p_settings).reject_on_check_in,
    'sign_of_life', (p_settings).sign_of_life,
    'sources', to_jsonb((p_settings).sources),
    'visible', (p_settings).visible,
    'ended_at', internal.instant((p_settings).ended_at),
    'updated_at', internal.instant((p_settings).updated_at)
  )
$$;
comment on function internal.emergency_settings_json(kith.emergency_settings)
  is 'A right to emergency access as the owner sees it.';
grant execute on function internal.emergency_settings_json(kith.emergency_settings) to kith_api;

create or replace function internal.visible_emergency(p_tenant_id integer, p_nominee_id uuid) returns jsonb
  language plpgsql
  stable
as $$
begin
  return (
    select jsonb_build_object(
      'wait_hours', wait_hours, 'access_level', access_level, 'grant_hours', grant_hours, 'on_request', on_request,
      'after_missed_days', after_missed_days
    )
    from kith.emergency_settings as given
    where given.tenant_id = p_tenant_id and given.nominee_id = p_nominee_id and given.visible and given.ended_at is null
      and exists (
        select from kith.nominees as nominee
        where nominee.tenant_id = p_tenant_id and nominee.id = p_nominee_id and not nominee.bound_by_link
      )
  );
end
$$;
comment on function internal.visible_emergency(integer, uuid) is
  'The right of a nominee as they see it: only while it exists and does not sleep, and only where the owner shows it '
  '(E01). Otherwise null. For definer procedures.';

create or replace function internal.is_named_contact(p_nominee kith.nominees, p_user_id uuid) returns boolean
  language plpgsql
  stable
as $$
begin
  -- Null if nobody here wrote the contact.
  return p_nominee.contact_named_by is not distinct from p_nominee.owner_id
    and internal.same_contact(p_user_id, p_nominee.phone, p_nominee.email);
end
$$;
comment on function internal.is_named_contact(kith.nominees, uuid) is
  'Whether a user has verified the phone number or e-mail address by which the vault''s owner named a nominee. What a '
  'nominee with level full, a sharing service or an import wrote does not count. For definer procedures.';

create or replace function internal.awaits_owner(p_nominee kith.nominees) returns boolean
  language plpgsql
  stable
as $$
declare
  v_tenant integer := p_nominee.tenant_id;
  v_nominee uuid := p_nominee.id;
begin
  return p_nominee.status <> 'revoked' and (
    p_nominee.needs_confirmation
    or p_nominee.bound_by_link and exists (
      select from kith.emergency_settings where tenant_id = v_tenant and nominee_id = v_nominee and ended_at is null
    )
  );
end
$$;
comment on function internal.awaits_owner(kith.nominees) is
  'Whether the owner has to confirm a nominee: before they have any access (X30), or before their right to emergency '
  'access counts. Only the owner may learn of the second. For definer procedures.';
