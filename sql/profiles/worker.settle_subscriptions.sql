create or replace function worker.settle_subscriptions(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  -- Access by key is always right here: each statement has a partial index of the rows left to do.
  set plan_cache_mode = 'force_generic_plan'
  set jit = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set enable_material = off
  set enable_seqscan = off
as $$
declare
  v_restored integer;
begin
  p_now := internal.present(p_now);
  if not pg_try_advisory_xact_lock(hashtext('worker.settle_subscriptions')) or internal.awaits_confirmation() then
    return 0;
  end if;
  v_restored := internal.restore_subscriptions(p_now, p_batch);
  if v_restored > 0 then
    -- Leave the rest to the next call, because profiles are locked before connections.
    return v_restored;
  end if;
  return internal.begin_lapses(p_now, p_batch) + internal.stop_lapsed_pings(p_now, p_batch);
end
$$;
comment on function worker.settle_subscriptions(timestamptz, integer) is
  'X28: tells receivers whose subscription has lapsed, and their senders, when pings stop; stops the pings when that '
  'time has come; and undoes both where the tenant no longer requires subscriptions. Handles at most p_batch of each, '
  'in one worker at a time. Returns how many. Security definer, because no role may write notifications except '
  'together with their cause.';
grant execute on function worker.settle_subscriptions(timestamptz, integer) to kith_worker;

create or replace function internal.restore_subscriptions(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
as $$
begin
  -- Where the tenant no longer requires subscriptions, none counts as lapsed. Renewed subscriptions were restored when
  -- they were renewed; one that was not, for whatever reason, is restored here.
  return internal.work_off('settle_subscriptions.restore', array(
    select receiver
    from kith.tenants as tenant
    join kith.receiver_profiles as receiver
      on receiver.tenant_id = tenant.tenant_id and receiver.pings_stop_at is not null
    where tenant.deleted_at is null
      and (not tenant.requires_subscription or receiver.good_until is null or receiver.good_until > p_now)
      and not exists (
        select from internal.shut_out('settle_subscriptions', receiver.tenant_id, receiver.user_id::text, p_now)
      )
    limit p_batch
    for no key update of receiver skip locked
  ), null, p_now, 'internal.restore_receivers($1, $3)');
end
$$;
comment on function internal.restore_subscriptions(timestamptz, integer) is
  'Reverts at most p_batch lapses of subscriptions that are good again, or that the tenant no longer requires. Returns '
  'how many. For worker.settle_subscriptions.';

create or replace function internal.restore_receivers(p_receivers kith.receiver_profiles[], p_now timestamptz)
  returns integer
  language plpgsql
as $$
declare
  v_receiver kith.receiver_profiles;
begin
  foreach v_receiver in array p_receivers loop
    perform set_config('kith.tenant_id', v_receiver.tenant_id::text, true);
    perform internal.restore_pings(v_receiver.user_id, p_now);
    perform internal.emit_account(v_receiver.tenant_id, v_receiver.user_id, p_now);
  end loop;
  perform internal.leave_tenant();
  return cardinality(p_receivers);
end
$$;
comment on function internal.restore_receivers(kith.receiver_profiles[], timestamptz) is
  'Reverts the lapses of the given receivers, who are locked. Returns how many. For internal.restore_subscriptions.';

create or replace function internal.begin_lapses(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
as $$
begin
  return internal.work_off('settle_subscriptions.begin', array(
    select receiver.profile
    from kith.tenants as tenant
    cross join lateral (
      select profile
      from kith.receiver_profiles as profile
      where profile.tenant_id = tenant.tenant_id and profile.good_until <= p_now and profile.pings_stop_at is null
        and not exists (
          select from internal.shut_out('settle_subscriptions', profile.tenant_id, profile.user_id::text, p_now)
        )
      order by profile.good_until
      limit p_batch
    ) as receiver
    where tenant.requires_subscription and tenant.deleted_at is null
    limit p_batch
  ), null, p_now, 'internal.lapse_receivers($1, $3)');
end
$$;
comment on function internal.begin_lapses(timestamptz, integer) is
  'Sets the time at which pings stop for at most p_batch receivers whose subscription has lapsed, and tells them and '
  'their senders. Returns how many. For worker.settle_subscriptions.';

create or replace function internal.lapse_receivers(p_receivers kith.receiver_profiles[], p_now timestamptz)
  returns integer
  language plpgsql
as $$
declare
  v_tenants integer[];
  v_receivers uuid[];
  v_stop_at timestamptz[];
begin
  with changed as (
    update kith.receiver_profiles as profile
    set pings_stop_at = internal.pings_stop_at(profile.good_until, tenant.subscription_grace_days, p_now)
    from unnest(p_receivers) as lapsed
    join kith.tenants as tenant on tenant.tenant_id = lapsed.tenant_id
    where profile.tenant_id = lapsed.tenant_id and profile.user_id = lapsed.user_id and profile.good_until <= p_now
      and profile.pings_stop_at is null
    returning profile.tenant_id, profile.user_id, profile.pings_stop_at
  )
  select array_agg(changed.tenant_id), array_agg(changed.user_id), array_agg(changed.pings_stop_at)
  into v_tenants, v_receivers, v_stop_at
  from changed;
  perform internal.tell_of_lapses(v_tenants, v_receivers, v_stop_at, p_now);
  perform internal.emit_account(lapsed.tenant_id, lapsed.user_id, p_now)
  from unnest(v_tenants, v_receivers) as lapsed (tenant_id, user_id);
  return coalesce(cardinality(v_receivers), 0);
end
$$;
comment on function internal.lapse_receivers(kith.receiver_profiles[], timestamptz) is
  'Sets the time at which pings stop for the given receivers, and tells of it. Returns how many. For '
  'internal.begin_lapses.';

create or replace function internal.tell_of_lapses(
  p_tenants integer[], p_receivers uuid[], p_stop_at timestamptz[], p_now timestamptz
) returns void
  language plpgsql
as $$
begin
  -- Dates are in the recipient's time zone. A receiver without connections is not told, because there are no pings to
  -- stop.
  perform internal.notify(
    'subscription_lapsing', array_agg(lapsed.tenant_id), array_agg(recipient.user_id),
    array_agg(
      recipient.data || jsonb_build_object(
        'pings_stop_at', internal.instant(lapsed.stop_at),
        'date', (lapsed.stop_at at time zone recipient.time_zone)::date
      )
    ),
    p_now
  )
  from unnest(p_tenants, p_receivers, p_stop_at) as lapsed (tenant_id, receiver_id, stop_at)
  join kith.users as receiver on receiver.tenant_id = lapsed.tenant_id and receiver.id = lapsed.receiver_id
  cross join lateral (
    select receiver.id as user_id, receiver.time_zone,
      jsonb_build_object('receiver_id', receiver.id, 'user_id', receiver.id) as data
    where exists (
      select from kith.connections as connection
      where connection.tenant_id = lapsed.tenant_id and connection.receiver_id = lapsed.receiver_id
        and connection.status <> 'deleted'
    )
    union all
    select connection.sender_id, sender.time_zone,
      jsonb_build_object('connection_id', connection.id, 'user_id', receiver.id)
    from kith.connections as connection
    join kith.sender_profiles as sender
      on sender.tenant_id = connection.tenant_id and sender.user_id = connection.sender_id
    where connection.tenant_id = lapsed.tenant_id and connection.receiver_id = lapsed.receiver_id
      and connection.status = 'active'
  ) as recipient;
end
$$;
comment on function internal.tell_of_lapses(integer[], uuid[], timestamptz[], timestamptz) is
  'Tells receivers whose subscription has lapsed, and their senders, when pings stop (X28). For internal.begin_lapses.';

create or replace function internal.stop_lapsed_pings(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
as $$
begin
  return internal.work_off('settle_subscriptions.stop', array(
    select receiver
    from kith.receiver_profiles as receiver
    join kith.tenants as tenant
      on tenant.tenant_id = receiver.tenant_id and tenant.requires_subscription and tenant.deleted_at is null
    where receiver.pings_stop_at <= p_now and receiver.pings_stopped_at is null
      and not exists (
        select from internal.shut_out('settle_subscriptions', receiver.tenant_id, receiver.user_id::text, p_now)
      )
    order by receiver.pings_stop_at
    limit p_batch
  ), null, p_now, 'internal.stop_receivers($1, $3)');
end
$$;
comment on function internal.stop_lapsed_pings(timestamptz, integer) is
  'Stops the pings to at most p_batch receivers whose grace period is over. Returns how many. For '
  'worker.settle_subscriptions.';

create or replace function internal.stop_receivers(p_receivers kith.receiver_profiles[], p_now timestamptz)
  returns integer
  language plpgsql
as $$
declare
  v_stopped integer;
  v_tenants integer[];
  v_connections uuid[];
begin
  with changed as (
    update kith.receiver_profiles as profile
    set pings_stopped_at = p_now
    from unnest(p_receivers) as due
    where profile.tenant_id = due.tenant_id and profile.user_id = due.user_id and profile.pings_stop_at <= p_now
      and profile.pings_stopped_at is null and profile.good_until <= p_now
    returning profile.tenant_id, profile.user_id
  ), receiving as materialized (
    select connection.tenant_id, connection.id, connection.sender_id, connection.receiver_id
    from changed
    join kith.connections as connection
      on connection.tenant_id = changed.tenant_id and connection.receiver_id = changed.user_id
        and connection.status <> 'deleted'
    order by connection.tenant_id, connection.id
    for no key update of connection
  ), stopped as (
    -- Pings that exist already run their course; the next date has none.
    update kith.connections as connection
    set pings_stopped_at = p_now, updated_at = p_now
    from receiving
    where connection.tenant_id = receiving.tenant_id and connection.id = receiving.id
  ), shown as (
    insert into kith.events (tenant_id, id, user_id, type, subject_id)
    select receiving.tenant_id, internal.uuid7(p_now), side.user_id, 'connection', receiving.id
    from receiving
    cross join lateral (values (receiving.sender_id), (receiving.receiver_id)) as side (user_id)
    union all
    select changed.tenant_id, internal.uuid7(p_now), changed.user_id, 'account', changed.user_id from changed
  )
  select (select count(*) from changed), (select array_agg(tenant_id) from receiving),
    (select array_agg(id) from receiving)
  into v_stopped, v_tenants, v_connections;
  perform internal.tell_of_stopped_pings(v_tenants, v_connections, p_now);
  return v_stopped;
end
$$;
comment on function internal.stop_receivers(kith.receiver_profiles[], timestamptz) is
  'Stops the pings to the given receivers, and tells their senders. Returns how many. For internal.stop_lapsed_pings.';

create or replace function internal.tell_of_stopped_pings(p_tenants integer[], p_connections uuid[], p_now timestamptz)
  returns void
  language plpgsql
as $$
begin
  perform internal.notify(
    'subscription_lapsing', array_agg(connection.tenant_id), array_agg(connection.sender_id),
    array_agg(
      jsonb_build_object('connection_id', connection.id, 'user_id', connection.receiver_id, 'stopped', last.what)
    ),
    p_now
  )
  from unnest(p_tenants, p_connections) as stopped (tenant_id, id)
  join kith.connections as connection
    on connection.tenant_id = stopped.tenant_id and connection.id = stopped.id and connection.status = 'active'
  cross join lateral (
    select case
      when exists (
        select from kith.emergency_settings as given
        where given.tenant_id = connection.tenant_id and given.owner_id = connection.sender_id
          and given.after_missed_days is not null and given.ended_at is null
      ) and not exists (
        select from kith.connections as other
        where other.tenant_id = connection.tenant_id and other.sender_id = connection.sender_id
          and other.status = 'active' and other.pings_stopped_at is null
      ) then 'last'
      else 'stopped'
    end as what
  ) as last;
end
$$;
comment on function internal.tell_of_stopped_pings(integer[], uuid[], timestamptz) is
  'X28: tells the senders of connections whose pings have just stopped that none flow there, and, where these were the '
  'last and the sender has given somebody emergency access by silence, that this rests. For internal.stop_receivers.';
