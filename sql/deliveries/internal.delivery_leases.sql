-- Leases of deliveries that a worker claims, and those that are dropped instead.

create or replace function internal.lease_and_drop(
  p_tenants integer[], p_ids uuid[], p_channel text, p_instance text, p_now timestamptz
)
  returns table (
    tenant_id integer, id uuid, channel text, purpose text, address text, subject text, body text, sealed_secret bytea,
    data text, collapse_id text, is_urgent boolean, attempts integer, expires_at kith.instant, public_key text,
    auth_secret text, environment text,
    locale text, inbound_token text, link_user_id uuid, link_on date, link_alarms uuid[]
  )
  language plpgsql
as $$
declare
  v_leased integer;
  v_held uuid[] := internal.hold_for_quiet_hours(p_tenants, p_ids, p_now);
begin
  if internal.goes_to_contact(p_channel) then
    perform internal.follow_contacts(p_tenants, p_ids);
  end if;
  if v_held <> '{}' then
    select coalesce(array_agg(found.tenant_id order by found.n), '{}'),
      coalesce(array_agg(found.id order by found.n), '{}')
    into p_tenants, p_ids
    from unnest(p_tenants, p_ids) with ordinality as found (tenant_id, id, n)
    where found.id <> all (v_held);
  end if;
  return query select leased.* from internal.lease_deliveries(p_tenants, p_ids, p_instance, p_now) as leased;
  get diagnostics v_leased = row_count;
  if v_leased < cardinality(p_ids) then
    perform internal.settle_dropped(p_tenants, p_ids, p_channel, p_instance, p_now);
  end if;
end
$$;
comment on function internal.lease_and_drop(integer[], uuid[], text, text, timestamptz) is
  'internal.lease_deliveries, and settles what that has dropped. What its reader''s quiet hours hold is not leased. '
  'For worker.claim_deliveries.';

create or replace function internal.follow_contacts(p_tenants integer[], p_ids uuid[]) returns void
  language plpgsql
as $$
begin
  with moved as materialized (
    select found.tenant_id, found.id,
      case waiting.channel when 'email' then reader.email else reader.phone end as address
    from unnest(p_tenants, p_ids) as found (tenant_id, id)
    cross join lateral (
      select one.channel, one.address, one.notification_id
      from kith.deliveries as one
      where one.tenant_id = found.tenant_id and one.id = found.id
      offset 0
    ) as waiting
    cross join lateral (
      select one.user_id from kith.notifications as one
      where one.tenant_id = found.tenant_id and one.id = waiting.notification_id offset 0
    ) as notification
    cross join lateral (
      select * from kith.users as one where one.tenant_id = found.tenant_id and one.id = notification.user_id offset 0
    ) as reader
    where case waiting.channel
        when 'email'
          then reader.email_verified_at is not null
            and reader.email_normalized <> internal.normalized_email(waiting.address)
        else reader.phone_verified_at is not null and reader.phone <> waiting.address
      end
  )
  update kith.deliveries as delivery
  set address = moved.address
  from moved
  where delivery.tenant_id = moved.tenant_id and delivery.id = moved.id;
end
$$;
comment on function internal.follow_contacts(integer[], uuid[]) is
  'Addresses those of the given deliveries of notifications, which the caller has locked, to their reader''s present '
  'contact whose contact has changed while they waited: the former one may be somebody else''s. For '
  'internal.lease_and_drop.';

create or replace function internal.hold_for_quiet_hours(p_tenants integer[], p_ids uuid[], p_now timestamptz)
  returns uuid[]
  language plpgsql
as $$
declare
  v_held uuid[];
begin
  with held as materialized (
    select delivery.tenant_id, delivery.id, leaves.at, serves.until
    from unnest(p_tenants, p_ids) as found (tenant_id, id)
    cross join lateral (
      select one.tenant_id, one.id, one.notification_id
      from kith.deliveries as one
      where one.tenant_id = found.tenant_id and one.id = found.id and not one.is_urgent
      offset 0
    ) as delivery
    cross join lateral (
      select * from kith.notifications as one
      where one.tenant_id = found.tenant_id and one.id = delivery.notification_id offset 0
    ) as notification
    cross join lateral (
      select one as hours from kith.quiet_hours as one
      where one.tenant_id = found.tenant_id and one.user_id = notification.user_id offset 0
    ) as quiet
    cross join lateral (
      select one.time_zone from kith.users as one
      where one.tenant_id = found.tenant_id and one.id = notification.user_id offset 0
    ) as reader
    cross join lateral (
      select known.if_held_past, internal.serves_until(known.deadline_key, notification.data) as until
      from internal.notification_types() as known where known.type = notification.type
      offset 0
    ) as serves
    cross join lateral (
      select internal.leaves_at(
        p_now, p_now, quiet.hours, reader.time_zone, serves.if_held_past, serves.until
      ) as at offset 0
    ) as leaves
    where leaves.at > p_now
  ), changed as (
    update kith.deliveries as delivery
    set status = 'queued', leased_until = null, leased_by = null, next_attempt_at = held.at,
      expires_at = least(held.until, held.at + interval '1 day')
    from held
    where delivery.tenant_id = held.tenant_id and delivery.id = held.id
    returning delivery.id
  )
  select coalesce(array_agg(changed.id), '{}') into v_held from changed;
  return v_held;
end
$$;
comment on function internal.hold_for_quiet_hours(integer[], uuid[], timestamptz) is
  'Puts off those of the given deliveries, which the caller has locked, whose reader''s quiet hours have begun, or '
  'were changed, since they were planned: after a pause of the channel, between two attempts, or after a change of '
  'zone (F04). Returns their ids. For internal.lease_and_drop.';

create or replace function internal.lease_deliveries(
  p_tenants integer[], p_ids uuid[], p_instance text, p_now timestamptz
)
  returns table (
    tenant_id integer, id uuid, channel text, purpose text, address text, subject text, body text, sealed_secret bytea,
    data text, collapse_id text, is_urgent boolean, attempts integer, expires_at kith.instant, public_key text,
    auth_secret text, environment text,
    locale text, inbound_token text, link_user_id uuid, link_on date, link_alarms uuid[]
  )
  language plpgsql
as $$
#variable_conflict use_column
begin
  return query
    with picked as materialized (
      select message.* from internal.messages_of_deliveries(p_tenants, p_ids, p_now) as message
    ), locked as materialized (
      -- Dropping a delivery also updates its notification. If that row is locked by another transaction, a later call
      -- drops the delivery.
      select picked.tenant_id, picked.id
      from picked
      join kith.notifications as notification
        on notification.tenant_id = picked.tenant_id and notification.id = picked.notification_id
      where picked.dropped_for is not null
      for no key update of notification skip locked
    ), changed as (
      update kith.deliveries as delivery
      set status = case when picked.dropped_for is null then 'sending' else 'dropped' end,
        attempts = delivery.attempts + case when picked.dropped_for is null then 1 else 0 end,
        unanswered = delivery.unanswered + case when picked.dropped_for is null then 1 else 0 end,
        error = coalesce(picked.dropped_for, delivery.error),
        -- An earlier attempt may have arrived.
        offers_keys = delivery.offers_keys or picked.dropped_for is null and picked.offers_keys,
        -- Add jitter to the next attempt, so that deliveries batched with one that crashes the worker are separated on
        -- retry.
        next_attempt_at = p_now + case
            when picked.dropped_for is not null then interval '0'
            when delivery.unanswered = 0 then interval '1 minute'
            else interval '1 minute' + abs(
              hashtext(delivery.id::text || delivery.unanswered)::bigint
            ) % 60 * interval '1 second'
          end,
        leased_until = case when picked.dropped_for is null then p_now + interval '1 minute' end,
        leased_by = case when picked.dropped_for is null then p_instance end
      from picked
      left join locked on locked.tenant_id = picked.tenant_id and locked.id = picked.id
      where delivery.tenant_id = picked.tenant_id and delivery.id = picked.id
        and (picked.dropped_for is null or not picked.is_notification or locked.id is not null)
      returning delivery.tenant_id, delivery.id, delivery.channel, delivery.purpose, delivery.address, picked.subject,
        picked.body, delivery.sealed_secret, picked.data, picked.collapse_id, delivery.is_urgent, delivery.attempts,
        delivery.expires_at, picked.public_key, picked.auth_secret, picked.environment, picked.locale,
        picked.inbound_token, picked.link_user_id, picked.link_on, picked.link_alarms, picked.dropped_for
    )
    select changed.tenant_id, changed.id, changed.channel, changed.purpose, changed.address, changed.subject,
      changed.body,
      changed.sealed_secret, changed.data, changed.collapse_id, changed.is_urgent, changed.attempts, changed.expires_at,
      changed.public_key, changed.auth_secret, changed.environment, changed.locale, changed.inbound_token,
      changed.link_user_id, changed.link_on, changed.link_alarms
    from changed
    where changed.dropped_for is null;
end
$$;
comment on function internal.lease_deliveries(integer[], uuid[], text, timestamptz) is
  'Leases the given deliveries to the instance for one minute, and returns them with their messages. Drops those that '
  'are pointless, or whose notification or device is gone. For worker.claim_deliveries, which has locked the '
  'deliveries.';

create or replace function internal.settle_dropped(
  p_tenants integer[], p_ids uuid[], p_channel text, p_instance text, p_now timestamptz
) returns void
  language plpgsql
as $$
declare
  v_tenants integer[];
  v_notifications uuid[];
begin
  select array_agg(delivery.tenant_id), array_agg(delivery.notification_id) into v_tenants, v_notifications
  from unnest(p_tenants, p_ids) as found (tenant_id, id)
  join kith.deliveries as delivery
    on delivery.tenant_id = found.tenant_id and delivery.id = found.id and delivery.status = 'dropped';
  if v_notifications is not null then
    perform internal.settle_notifications(v_tenants, v_notifications, p_now);
    if p_channel = 'sms' then
      perform internal.settle_invitations(
        (
          select jsonb_agg(jsonb_build_object('tenant_id', delivery.tenant_id, 'id', delivery.id, 'status', 'dropped'))
          from unnest(p_tenants, p_ids) as found (tenant_id, id)
          join kith.deliveries as delivery
            on delivery.tenant_id = found.tenant_id and delivery.id = found.id and delivery.status = 'dropped'
              and delivery.purpose = 'invitation'
        ),
        p_now
      );
    end if;
    perform internal.count_deliveries(
      p_instance, jsonb_build_array(jsonb_build_object('channel', p_channel, 'dropped', cardinality(v_notifications)))
    );
  end if;
end
$$;
comment on function internal.settle_dropped(integer[], uuid[], text, text, timestamptz) is
  'Settles the notifications and invitations of those among the given deliveries that have just been dropped, and '
  'counts them. For worker.claim_deliveries.';
