-- The notifications that the worker plans next.

create or replace function internal.claim_unplanned(p_now timestamptz, p_batch integer) returns kith.notifications[]
  language plpgsql
as $$
begin
  return array(
    select notification
    from kith.notifications as notification
    -- Written exactly as in the index's expression, so that the index is used.
    where notification.planned_at is null and not internal.is_of_alarm(notification.type)
      and case
        when notification.deliver_at is null then notification.created_at
        else notification.deliver_at
      end <= p_now
      and not exists (
        select from internal.shut_out('plan_deliveries', notification.tenant_id, notification.id::text, p_now)
      )
    order by case when notification.deliver_at is null then notification.created_at else notification.deliver_at end,
      notification.id
    limit p_batch
    for update of notification skip locked
  );
end
$$;
comment on function internal.claim_unplanned(timestamptz, integer) is
  'Locks at most p_batch new notifications whose time has come, without those of internal.claim_urgent. For '
  'worker.plan_deliveries.';

create or replace function internal.claim_urgent(p_now timestamptz, p_batch integer) returns kith.notifications[]
  language plpgsql
as $$
declare
  v_tenants integer[] := internal.tenants_in_turn(
    internal.urgent_tenants(p_now), (select last_value from kith.planned_tenants)
  );
  v_claimed kith.notifications[] := '{}';
begin
  for v_n in 1..cardinality(v_tenants) loop
    v_claimed := v_claimed || array(
      select notification
      from kith.notifications as notification
      where notification.tenant_id = v_tenants[v_n] and notification.planned_at is null
        and internal.is_of_alarm(notification.type)
        and case
          when notification.deliver_at is null then notification.created_at
          else notification.deliver_at
        end <= p_now
        and not exists (
          select from internal.shut_out('plan_deliveries', notification.tenant_id, notification.id::text, p_now)
        )
      order by case when notification.deliver_at is null then notification.created_at else notification.deliver_at end,
        notification.id
      limit internal.share_of_batch(p_batch - cardinality(v_claimed), cardinality(v_tenants) - v_n + 1)
      for update of notification skip locked
    );
    perform setval('kith.planned_tenants', v_tenants[v_n]);
    exit when cardinality(v_claimed) >= p_batch;
  end loop;
  return v_claimed;
end
$$;
comment on function internal.claim_urgent(timestamptz, integer) is
  'Locks at most p_batch new notifications that are about an alarm (internal.is_of_alarm). Each tenant that has some '
  'gets a share, and the next call begins with the tenants after those, so that none waits for what another one has '
  'caused. For worker.plan_deliveries.';

create or replace function internal.urgent_tenants(p_now timestamptz) returns integer[]
  language plpgsql
as $$
begin
  -- Skip from tenant to tenant in the index.
  return array(
    with recursive waiting (tenant_id) as (
      select 0
      union all
      select (
        select notification.tenant_id
        from kith.notifications as notification
        where notification.planned_at is null and internal.is_of_alarm(notification.type)
          and notification.tenant_id > waiting.tenant_id
        order by notification.tenant_id
        limit 1
      )
      from waiting
      where waiting.tenant_id is not null
    )
    select waiting.tenant_id
    from waiting
    where waiting.tenant_id > 0 and exists (
      select from kith.notifications as notification
      where notification.tenant_id = waiting.tenant_id and notification.planned_at is null
        and internal.is_of_alarm(notification.type)
        and case
          when notification.deliver_at is null then notification.created_at
          else notification.deliver_at
        end <= p_now
    )
  );
end
$$;
comment on function internal.urgent_tenants(timestamptz) is
  'The tenants with notifications about an alarm that are to be planned. They are few: what waits is planned within a '
  'second.';

create or replace function internal.tenants_in_turn(p_tenants integer[], p_after bigint) returns integer[]
  language plpgsql
  immutable
  parallel safe
as $$
begin
  return array(select tenant.id from unnest(p_tenants) as tenant (id) order by tenant.id <= p_after, tenant.id);
end
$$;
comment on function internal.tenants_in_turn(integer[], bigint) is
  'Tenants in the order of their turn: those after p_after, the last that had one, and then the others.';

create or replace function internal.share_of_batch(p_room integer, p_left integer) returns integer
  language sql
  immutable
  parallel safe
as $$
  select (p_room + p_left - 1) / p_left
$$;
comment on function internal.share_of_batch(integer, integer) is
  'How much of the room in a batch the next of p_left tenants may use, at least one row. What a tenant leaves goes to '
  'those after it.';

create or replace function internal.claim_unsent_alarms(p_now timestamptz, p_batch integer) returns kith.notifications[]
  language plpgsql
as $$
declare
  v_tenants integer[] := internal.tenants_in_turn(
    internal.unsent_tenants(p_now), (select last_value from kith.escalated_tenants)
  );
  v_claimed kith.notifications[] := '{}';
  v_away tstzrange := internal.workers_away(p_now);
begin
  for v_n in 1..cardinality(v_tenants) loop
    v_claimed := v_claimed || array(
      select notification
      from kith.notifications as notification
      where notification.tenant_id = v_tenants[v_n] and notification.escalates_at <= p_now
        and not v_away @> notification.escalates_at::timestamptz
        and not exists (
          select from internal.shut_out('plan_deliveries', notification.tenant_id, notification.id::text, p_now)
        )
      order by notification.escalates_at
      limit internal.share_of_batch(p_batch - cardinality(v_claimed), cardinality(v_tenants) - v_n + 1)
      for update of notification skip locked
    );
    perform setval('kith.escalated_tenants', v_tenants[v_n]);
    exit when cardinality(v_claimed) >= p_batch;
  end loop;
  return v_claimed;
end
$$;
comment on function internal.claim_unsent_alarms(timestamptz, integer) is
  'Locks at most p_batch alarms, and questions to senders, that were not sent in time or failed, by tenants in turn as '
  'internal.claim_urgent. While no worker ran, no channel has failed anybody: each has two minutes after that. For '
  'worker.plan_deliveries.';

create or replace function internal.unsent_tenants(p_now timestamptz) returns integer[]
  language plpgsql
as $$
begin
  -- Skip from tenant to tenant in the index.
  return array(
    with recursive waiting (tenant_id) as (
      select 0
      union all
      select (
        select notification.tenant_id
        from kith.notifications as notification
        where notification.escalates_at is not null and notification.tenant_id > waiting.tenant_id
        order by notification.tenant_id
        limit 1
      )
      from waiting
      where waiting.tenant_id is not null
    )
    select waiting.tenant_id
    from waiting
    where waiting.tenant_id > 0 and exists (
      select from kith.notifications as notification
      where notification.tenant_id = waiting.tenant_id and notification.escalates_at <= p_now
    )
  );
end
$$;
comment on function internal.unsent_tenants(timestamptz)
  is 'The tenants with alarms, or questions to senders, that were not sent in time or failed.';
