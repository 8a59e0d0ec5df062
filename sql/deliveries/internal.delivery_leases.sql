-- Leases of deliveries that a worker claims, and those that are dropped instead.

drop function if exists internal.lease_and_drop(integer[], uuid[], text, text, timestamptz);
create function internal.lease_and_drop(
  p_tenants integer[], p_ids uuid[], p_channel text, p_instance text, p_now timestamptz
)
  returns table (
    tenant_id integer, id uuid, channel text, purpose text, address text, subject text, body text, sealed_secret bytea, data text,
    collapse_id text, is_urgent boolean, attempts integer, expires_at timestamptz, public_key text, auth_secret text, environment text,
    locale text, inbound_token text, link_user_id uuid, link_on date, link_alarms uuid[]
  )
  language plpgsql
as $$
declare
  v_leased integer;
begin
  return query select leased.* from internal.lease_deliveries(p_tenants, p_ids, p_instance, p_now) as leased;
  get diagnostics v_leased = row_count;
  if v_leased < cardinality(p_ids) then
    perform internal.settle_dropped(p_tenants, p_ids, p_channel, p_instance, p_now);
  end if;
end
$$;
comment on function internal.lease_and_drop(integer[], uuid[], text, text, timestamptz) is
  'internal.lease_deliveries, and settles what that has dropped. For worker.claim_deliveries.';

drop function if exists internal.lease_deliveries(integer[], uuid[], text, timestamptz);
create function internal.lease_deliveries(p_tenants integer[], p_ids uuid[], p_instance text, p_now timestamptz)
  returns table (
    tenant_id integer, id uuid, channel text, purpose text, address text, subject text, body text, sealed_secret bytea, data text,
    collapse_id text, is_urgent boolean, attempts integer, expires_at timestamptz, public_key text, auth_secret text, environment text,
    locale text, inbound_token text, link_user_id uuid, link_on date, link_alarms uuid[]
  )
  language plpgsql
as $$
#variable_conflict use_column
begin
  return query
    with picked as materialized (
      select message.* from internal.messages_of_deliveries(p_tenants, p_ids) as message
    ), locked as materialized (
      -- Dropping a delivery also updates its notification. If that row is locked by another transaction, a later call drops the
      -- delivery.
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
        -- Add jitter to the next attempt, so that deliveries batched with one that crashes the worker are separated on retry.
        next_attempt_at = p_now + interval '1 minute' + case
            when delivery.unanswered = 0 then interval '0'
            else abs(hashtext(delivery.id::text || delivery.unanswered)::bigint) % 60 * interval '1 second'
          end,
        leased_until = case when picked.dropped_for is null then p_now + interval '1 minute' end,
        leased_by = case when picked.dropped_for is null then p_instance end
      from picked
      left join locked on locked.tenant_id = picked.tenant_id and locked.id = picked.id
      where delivery.tenant_id = picked.tenant_id and delivery.id = picked.id
        and (picked.dropped_for is null or not picked.is_notification or locked.id is not null)
      returning delivery.tenant_id, delivery.id, delivery.channel, delivery.purpose, delivery.address, picked.subject, picked.body,
        delivery.sealed_secret, picked.data, picked.collapse_id, delivery.is_urgent, delivery.attempts, delivery.expires_at,
        picked.public_key, picked.auth_secret, picked.environment, picked.locale, picked.inbound_token, picked.link_user_id,
        picked.link_on, picked.link_alarms, picked.dropped_for
    )
    select changed.tenant_id, changed.id, changed.channel, changed.purpose, changed.address, changed.subject, changed.body,
      changed.sealed_secret, changed.data, changed.collapse_id, changed.is_urgent, changed.attempts, changed.expires_at,
      changed.public_key, changed.auth_secret, changed.environment, changed.locale, changed.inbound_token, changed.link_user_id,
      changed.link_on, changed.link_alarms
    from changed
    where changed.dropped_for is null;
end
$$;
comment on function internal.lease_deliveries(integer[], uuid[], text, timestamptz) is
  'Leases the given deliveries to the instance for one minute, and returns them with their messages. Drops those that are pointless, or '
  'whose notification or device is gone. For worker.claim_deliveries, which has locked the deliveries.';

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
            on delivery.tenant_id = found.tenant_id and delivery.id = found.id and delivery.status = 'dropped' and delivery.purpose = 'invitation'
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
  'Settles the notifications and invitations of those among the given deliveries that have just been dropped, and counts them. For '
  'worker.claim_deliveries.';
