drop view if exists internal.ways_to_tell;
create view internal.ways_to_tell as
select person.tenant_id, person.id as user_id, way.channel, way.n, way.has_contact and exists (
    select from kith.channel_credentials as known
    where known.tenant_id = person.tenant_id and known.channel = any (way.sent_by)
      and (
        way.channel <> 'push' or exists (
          select from kith.devices as device
          where device.tenant_id = person.tenant_id and device.user_id = person.id
            and case known.channel when 'apns' then device.platform = 'ios' else device.public_key is not null end
        )
      )
  ) as has
from kith.users as person
cross join lateral (
  values ('push', 1, '{apns,web_push}'::text[], true), ('email', 2, '{email}', person.email_verified_at is not null),
    (
      'sms', 3, '{sms}', person.phone_verified_at is not null and not exists (
        select from kith.text_numbers as number
        where number.tenant_id = person.tenant_id and number.phone = person.phone and number.stopped_at is not null
      )
    ),
    ('voice', 4, '{voice}', person.phone_verified_at is not null)
) as way (channel, n, sent_by, has_contact)
where person.deleted_at is null;
comment on view internal.ways_to_tell is
  'Each way of telling somebody of an alarm, from quiet to loud, and whether they have it: a device or a confirmed '
  'contact for a channel that the tenant has, and no STOP. For internal.own_connections and internal.reachable.';

create or replace function internal.reachable(p_tenant integer, p_users uuid[], p_by_phone boolean) returns uuid[]
  language plpgsql
  stable
as $$
begin
  -- If Kith sends nothing, the tenant's own server does.
  if not exists (select from kith.channel_credentials where tenant_id = p_tenant) then
    return p_users;
  end if;
  return array(
    select distinct way.user_id
    from internal.ways_to_tell as way
    where way.tenant_id = p_tenant and way.user_id = any (p_users) and way.has
      and (p_by_phone or way.channel in ('push', 'email'))
  );
end
$$;
comment on function internal.reachable(integer, uuid[], boolean) is
  'Those of some people to whom an alarm can be sent at all: they have a device or a confirmed contact for a channel '
  'that the tenant has; p_by_phone: texts and calls count. Of a tenant without a channel, everybody.';

create or replace function internal.can_be_asked(p_tenant_id integer, p_user_id uuid) returns boolean
  language plpgsql
  stable
as $$
declare
  v_chosen text[] := (
    select channels from kith.notification_preferences
    where tenant_id = p_tenant_id and user_id = p_user_id and type = 'ping_due'
  );
begin
  -- Whoever has turned off all channels is asked in the app alone. If Kith sends nothing, the tenant's own server does.
  return coalesce(v_chosen = '{}', false)
    or not exists (select from kith.channel_credentials where tenant_id = p_tenant_id) or exists (
    select from internal.ways_to_tell as way
    join kith.users as person on person.tenant_id = p_tenant_id and person.id = p_user_id
    where way.tenant_id = p_tenant_id and way.user_id = p_user_id and way.has
      and (
        way.channel <> 'voice' or 'voice' = any (v_chosen) or not internal.has_stopped_texts(p_tenant_id, person.phone)
      )
  );
end
$$;
comment on function internal.can_be_asked(integer, uuid) is
  'Whether a message that a ping is due can be sent to somebody at all: to a device or a confirmed contact, for a '
  'channel that the tenant has. After STOP only those whom they chose to be called by remain of a phone. Whoever chose '
  'the app alone can be asked.';
