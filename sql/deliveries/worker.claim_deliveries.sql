-- Claims deliveries for a worker, which sends them outside any transaction; worker.finish_deliveries.sql records the
-- results. worker.claim_deliveries is a security definer because a message is assembled from notifications, devices and
-- pings, and the worker may not read texts or push tokens itself.

create or replace function worker.claim_deliveries(
  p_now timestamptz, p_channel text, p_batch integer, p_share integer, p_after_tenant integer, p_tenants integer[],
  p_room integer[], p_instance text
)
  returns table (
    tenant_id integer, id uuid, channel text, purpose text, address text, subject text, body text, sealed_secret bytea,
    data text, collapse_id text, is_urgent boolean, attempts integer, expires_at kith.instant, public_key text,
    auth_secret text, environment text,
    locale text, inbound_token text, link_user_id uuid, link_on date, link_alarms uuid[]
  )
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  -- A batch is small compared with the tables, which the planner cannot know. Access by key is always right here, and
  -- one plan is kept.
  set plan_cache_mode = 'force_generic_plan'
  set jit = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set enable_material = off
  set enable_seqscan = off
  -- Only one index has the order requested below.
  set enable_sort = off
  set enable_incremental_sort = off
as $$
declare
  v_skipped integer[] := internal.deleted_tenants()
    || array(select pause.tenant_id from kith.channel_pauses as pause where pause.channel = p_channel);
  v_tenants integer[];
  v_ids uuid[];
  v_table text;
  v_constraint text;
  v_context text;
begin
  p_now := internal.present(p_now);
  if 0 = any (v_skipped) or internal.awaits_confirmation() then
    return;
  end if;
  if 0 = any (p_room) then
    perform internal.leave_silent_channel(p_channel, p_tenants, p_room, p_now);
  end if;
  select found.tenants, found.ids into v_tenants, v_ids
  from internal.find_due_deliveries(
    p_channel, p_batch, p_share, p_after_tenant, p_tenants, p_room, v_skipped, p_now
  ) as found;
  if v_ids = '{}' then
    return;
  end if;
  begin
    -- The function's whole result is there before the first row is returned, so a failure returns none.
    return query select leased.* from internal.lease_and_drop(v_tenants, v_ids, p_channel, p_instance, p_now) as leased;
    return;
  exception when others then
    if not internal.is_of_data(sqlstate) then
      raise;
    end if;
  end;
  -- One at a time, without the deliveries of which no message can be made.
  for v_n in 1..cardinality(v_ids) loop
    begin
      return query
        select leased.*
        from internal.lease_and_drop(v_tenants[v_n:v_n], v_ids[v_n:v_n], p_channel, p_instance, p_now) as leased;
    exception when others then
      if not internal.is_of_data(sqlstate) then
        raise;
      end if;
      get stacked diagnostics v_table = table_name, v_constraint = constraint_name, v_context = pg_exception_context;
      perform internal.put_aside(
        'claim_deliveries', v_tenants[v_n], v_ids[v_n]::text, sqlstate,
        internal.error_place(v_table, v_constraint, v_context), p_now
      );
    end;
  end loop;
end
$$;
comment on function worker.claim_deliveries(timestamptz, text, integer, integer, integer, integer[], integer[], text) is
  'Leases the due deliveries of a channel for one minute and counts the attempt. Concurrent workers get different '
  'deliveries. After the minute, a delivery can be claimed again. A worker that crashed may have sent some already, so '
  'the channel may see a delivery twice, with the same id. A delivery that was claimed 5 times in a row without a '
  'result is left to worker.give_up_deliveries. Tenants are visited in turn, starting after p_after_tenant and '
  'wrapping around, with at most p_batch deliveries in all. p_room[i] is the limit of tenant p_tenants[i] (0 is '
  'allowed; questions that wait for such a tenant leave the channel after two minutes). Every other tenant''s limit is '
  'p_share. Urgent deliveries come first. A paused channel gets none. A delivery that has become pointless (F04, '
  'internal.pointless), or whose notification or device is gone, is dropped instead. Security definer, because the '
  'worker may not read texts and push tokens.';
grant execute
  on function worker.claim_deliveries(
    timestamptz, text, integer, integer, integer, integer[], integer[], text
  ) to kith_worker;

create or replace function internal.leave_silent_channel(
  p_channel text, p_tenants integer[], p_room integer[], p_now timestamptz
)
  returns void
  language plpgsql
as $$
begin
  with waiting as materialized (
    select delivery.tenant_id, delivery.notification_id, delivery.is_urgent
    from kith.deliveries as delivery
    where delivery.channel = p_channel and delivery.status in ('queued', 'sending') and delivery.attempts >= 0
      and delivery.next_attempt_at <= p_now - interval '2 minutes'
    -- Those that have just become late: the others were found before.
    order by delivery.next_attempt_at desc
    limit 500
  ), silent as materialized (
    select notification.tenant_id, notification.id
    from waiting
    join kith.notifications as notification
      on notification.tenant_id = waiting.tenant_id and notification.id = waiting.notification_id
    where waiting.is_urgent and p_room[array_position(p_tenants, waiting.tenant_id)] = 0
      and internal.escalates(notification.type)
      and notification.delivery_status = 'queued' and notification.escalates_at is null
      and notification.escalated_at is null
    for no key update of notification skip locked
  )
  update kith.notifications as notification
  set escalates_at = p_now
  from silent
  where notification.tenant_id = silent.tenant_id and notification.id = silent.id;
end
$$;
comment on function internal.leave_silent_channel(text, integer[], integer[], timestamptz) is
  'Lets the questions go out on their readers'' other channels that have waited for two minutes for a channel on which '
  'the worker sends nothing of their tenant now (its room is 0), because the provider fails or is slow (X37). Alarms '
  'do so by themselves. Reads one row of an index while nothing is late. For worker.claim_deliveries.';

create or replace function internal.find_due_deliveries(
  p_channel text, p_batch integer, p_share integer, p_after_tenant integer, p_tenants integer[], p_room integer[],
  p_skipped integer[], p_now timestamptz, out tenants integer[], out ids uuid[]
)
  language plpgsql
as $$
declare
  v_due integer;
  v_near integer[];
  v_next refcursor;
  v_tenant integer;
  v_from integer;
  v_to integer;
  v_share integer;
  v_found uuid[];
begin
  tenants := '{}';
  ids := '{}';
  select count(*), array_agg(distinct due.tenant_id) into v_due, v_near
  from (
    select delivery.tenant_id
    from kith.deliveries as delivery
    where delivery.channel = p_channel and delivery.status in ('queued', 'sending') and delivery.attempts >= 0
      and delivery.next_attempt_at <= p_now
    order by delivery.next_attempt_at
    limit 500
  ) as due;
  if v_due = 0 then
    return;
  end if;
  -- Visit one tenant after another, starting after p_after_tenant and wrapping around once.
  for v_round in 0..1 loop
    v_from := case v_round when 0 then coalesce(p_after_tenant, 0) else 0 end;
    v_to := case v_round when 0 then 2147483647 else coalesce(p_after_tenant, 0) end;
    -- If fewer than 500 are due, only their tenants are visited, however many deliveries wait for a later time.
    v_next := internal.due_tenants(p_channel, v_from, v_to, case when v_due < 500 then v_near end, p_now);
    loop
      fetch v_next into v_tenant;
      exit when not found;
      continue when v_tenant <= v_from or v_tenant = any (p_skipped);
      v_share := least(coalesce(p_room[array_position(p_tenants, v_tenant)], p_share), p_batch - cardinality(ids));
      continue when v_share <= 0;
      v_found := internal.lock_due_deliveries(p_channel, v_tenant, v_share, p_now);
      ids := ids || v_found;
      tenants := tenants || array_fill(v_tenant, array[cardinality(v_found)]);
      exit when cardinality(ids) >= p_batch;
    end loop;
    close v_next;
    exit when cardinality(ids) >= p_batch;
  end loop;
end
$$;
comment on function internal.find_due_deliveries(
  text, integer, integer, integer, integer[], integer[], integer[], timestamptz
) is
  'Locks the due deliveries that worker.claim_deliveries leases, with the share of each tenant. p_skipped names the '
  'tenants that get nothing.';

create or replace function internal.due_tenants(
  p_channel text, p_from integer, p_to integer, p_near integer[], p_now timestamptz
)
  returns refcursor
  language plpgsql
as $$
declare
  v_next refcursor;
begin
  if p_near is not null then
    open v_next for
      select near.tenant_id
      from unnest(p_near) as near (tenant_id)
      where near.tenant_id > p_from and near.tenant_id <= p_to
      order by near.tenant_id;
    return v_next;
  end if;
  -- Skip from tenant to tenant in the index and test whether each has something due. This takes one step per tenant
  -- with open deliveries, however many deliveries each of them has.
  open v_next for
    with recursive waiting (tenant_id) as (
      select p_from
      union all
      select (
        select delivery.tenant_id
        from kith.deliveries as delivery
        where delivery.channel = p_channel and delivery.status in ('queued', 'sending')
          and delivery.tenant_id > waiting.tenant_id and delivery.tenant_id <= p_to
        order by delivery.tenant_id, delivery.is_urgent, delivery.next_attempt_at
        limit 1
      )
      from waiting
      where waiting.tenant_id is not null
    )
    select waiting.tenant_id
    from waiting
    -- Not EXISTS, which may be planned as a scan of everything that is due for all tenants.
    where coalesce(
      (
        select true from kith.deliveries as delivery
        where delivery.channel = p_channel and delivery.tenant_id = waiting.tenant_id
          and delivery.status in ('queued', 'sending')
          and delivery.is_urgent and delivery.next_attempt_at <= p_now
        limit 1
      ), (
        select true from kith.deliveries as delivery
        where delivery.channel = p_channel and delivery.tenant_id = waiting.tenant_id
          and delivery.status in ('queued', 'sending')
          and not delivery.is_urgent and delivery.next_attempt_at <= p_now
        limit 1
      ), false
    );
  return v_next;
end
$$;
comment on function internal.due_tenants(text, integer, integer, integer[], timestamptz) is
  'A cursor over the tenants after p_from up to p_to that have deliveries of the channel due, in the order of their '
  'ids, and possibly p_from itself. If p_near is given, only those tenants are considered. A cursor, because a batch '
  'is usually full before all tenants were visited.';

create or replace function internal.lock_due_deliveries(
  p_channel text, p_tenant_id integer, p_share integer, p_now timestamptz
) returns uuid[]
  language plpgsql
as $$
declare
  v_ids uuid[] := '{}';
begin
  -- Urgent deliveries come first.
  for v_urgency in reverse 1..0 loop
    v_ids := v_ids || array(
      select delivery.id
      from kith.deliveries as delivery
      where delivery.channel = p_channel and delivery.tenant_id = p_tenant_id
        and delivery.status in ('queued', 'sending')
        and delivery.is_urgent = (v_urgency = 1) and delivery.next_attempt_at <= p_now
        and delivery.expires_at > p_now and delivery.unanswered < 5
        and not exists (select from internal.shut_out('claim_deliveries', delivery.tenant_id, delivery.id::text, p_now))
      order by delivery.next_attempt_at
      limit p_share - cardinality(v_ids)
      for update of delivery skip locked
    );
    exit when cardinality(v_ids) >= p_share;
  end loop;
  return v_ids;
end
$$;
comment on function internal.lock_due_deliveries(text, integer, integer, timestamptz) is
  'Locks at most p_share due deliveries of a tenant on a channel, unless they have expired or are left to '
  'worker.give_up_deliveries.';
