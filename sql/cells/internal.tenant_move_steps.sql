-- The steps of a move (decision 51). Each can be repeated. kith tenant move calls them as a superuser, which the
-- policies do not confine.

create or replace function internal.begin_move(p_slug text, p_target text, p_now timestamptz) returns kith.tenant_moves
  language plpgsql
as $$
declare
  v_placed kith.tenant_cells;
  v_move kith.tenant_moves;
begin
  perform internal.refuse_in_member();
  select * into v_move from kith.tenant_moves where slug = p_slug;
  if found and v_move.target <> p_target then
    raise exception 'conflict'
      using errcode = 'KT409', detail = format('%L is being moved to %s already.', p_slug, v_move.target),
      hint = format('kith tenant move %s --to %s goes on with it, and --abort takes it back.', p_slug, v_move.target);
  elsif found and v_move.step = 'abort' then
    raise exception 'conflict' using errcode = 'KT409', detail = format('The move of %L is being taken back.', p_slug),
      hint = format('kith tenant move %s --abort goes on with that.', p_slug);
  elsif found then
    return v_move;
  end if;
  select * into v_placed from kith.tenant_cells where slug = p_slug;
  if not found then
    raise exception 'not_found' using errcode = 'KT404', detail = format('There is no tenant %L in the map.', p_slug),
      hint = 'A tenant can move if the installation has several cells: kith cell list';
  end if;
  if not (internal.require_cell(p_target)).is_open then
    raise exception 'conflict'
      using errcode = 'KT409', detail = format('The cell %s is closed for new tenants.', p_target),
      hint = format('kith cell open %s', p_target);
  elsif v_placed.cell = p_target then
    raise exception 'conflict'
      using errcode = 'KT409', detail = format('%L lives in the cell %s already.', p_slug, p_target);
  end if;
  insert into kith.tenant_moves (tenant_id, slug, source, target, began_at, began_by)
  values (v_placed.tenant_id, p_slug, v_placed.cell, p_target, p_now, internal.operator())
  returning * into v_move;
  perform internal.record_act(
    0, internal.operator(), 'tenant.move_begin', p_slug,
    jsonb_build_object('tenant_id', v_move.tenant_id, 'from', v_move.source, 'to', p_target)
  );
  return v_move;
end
$$;
comment on function internal.begin_move(text, text, timestamptz) is
  'In the directory: enters a move, or returns the one that goes on. Refused if the tenant lives there already, moves '
  'elsewhere, or if the cell is unknown or closed.';

create or replace function internal.point_tenant(p_tenant_id integer, p_cell text, p_step text) returns void
  language plpgsql
as $$
begin
  update kith.tenant_cells set cell = p_cell, version = internal.next_map_version(false) where tenant_id = p_tenant_id;
  update kith.tenant_moves set step = p_step where tenant_id = p_tenant_id;
end
$$;
comment on function internal.point_tenant(integer, text, text) is
  'In the directory: lets the map name a cell for a tenant, and notes the step of its move. Also a step alone is news '
  'for the servers (internal.cell_map).';

create or replace function internal.end_move(p_tenant_id integer) returns void
  language plpgsql
as $$
declare
  v_move kith.tenant_moves;
begin
  delete from kith.tenant_moves where tenant_id = p_tenant_id returning * into v_move;
  if found then
    perform internal.record_act(
      0, internal.operator(), case v_move.step when 'abort' then 'tenant.move_abort' else 'tenant.move' end,
      v_move.slug, jsonb_build_object('tenant_id', p_tenant_id, 'from', v_move.source, 'to', v_move.target)
    );
  end if;
end
$$;
comment on function internal.end_move(integer)
  is 'In the directory: forgets a move that is over, which the audit keeps.';

create or replace function internal.begin_leaving(p_tenant_id integer, p_now timestamptz) returns void
  language plpgsql
as $$
begin
  if exists (select from kith.tenant_purges where tenant_id = p_tenant_id)
    or exists (select from kith.tenant_imports where tenant_id = p_tenant_id)
      and not exists (select from kith.moving_tenants where tenant_id = p_tenant_id)
  then
    raise exception 'conflict'
      using errcode = 'KT409', detail = 'The tenant is being imported or purged, so it is not whole.';
  end if;
  insert into kith.moving_tenants (tenant_id, state, changed_at) values (p_tenant_id, 'leaving', p_now)
  on conflict (tenant_id) do update set state = 'leaving', changed_at = p_now where moving_tenants.state = 'here';
end
$$;
comment on function internal.begin_leaving(integer, timestamptz)
  is 'In the source: notes that a tenant leaves. Refused for one that is not whole.';

create or replace function internal.begin_arriving(p_tenant_id integer, p_now timestamptz) returns void
  language plpgsql
as $$
begin
  if exists (select from kith.tenants where tenant_id = p_tenant_id)
    and not exists (select from kith.moving_tenants where tenant_id = p_tenant_id)
  then
    raise exception 'conflict'
      using errcode = 'KT409', detail = 'The target has a tenant of this number, which no move has brought there.';
  end if;
  -- A tenant that has left this cell comes back. Until it is served here, servers with the map of before it left must
  -- still learn that it has.
  insert into kith.moving_tenants (tenant_id, state, changed_at) values (p_tenant_id, 'arriving', p_now)
  on conflict (tenant_id) do update set state = 'arriving', changed_at = p_now where moving_tenants.state = 'gone';
  -- The tenant itself comes by replication.
  set local session_replication_role = replica;
  insert into kith.tenant_imports (tenant_id, began_at, manifest)
  select p_tenant_id, p_now, '{"move": true}' from kith.moving_tenants
  where tenant_id = p_tenant_id and state = 'arriving'
  on conflict (tenant_id) do nothing;
end
$$;
comment on function internal.begin_arriving(integer, timestamptz) is
  'In the target: notes that a tenant arrives. As for one that is being imported, no loop of the worker does anything '
  'for it.';

create or replace function internal.quiet_leaving(p_tenant_id integer, p_is_quiet boolean, p_now timestamptz)
  returns void
  language plpgsql
as $$
begin
  if p_is_quiet then
    perform pg_advisory_lock(internal.move_lock() + 2, p_tenant_id);
    insert into kith.tenant_imports (tenant_id, began_at, manifest)
    values (p_tenant_id, p_now, '{"move": true}') on conflict (tenant_id) do nothing;
    -- Outages are a database's. In the target, the days on which nobody could check in here must not count as a
    -- silence.
    insert into kith.suspensions (tenant_id, began_at, ended_at)
    select p_tenant_id, outage.began_at, outage.ended_at
    from internal.outages_of(p_tenant_id) as outage
    where outage.component = 'server' and outage.ended_at > p_now - interval '401 days'
      and exists (select from kith.moving_tenants where tenant_id = p_tenant_id and state = 'leaving')
    on conflict do nothing;
  else
    perform internal.end_quiet(p_tenant_id);
  end if;
end
$$;
comment on function internal.quiet_leaving(integer, boolean, timestamptz) is
  'In the source: keeps the loops of the worker from the tenant before its writes are held, so that no message is '
  'claimed there that the target would send too, and enters the outages of this database with the tenant''s '
  'suspensions, which follow it; or lets the loops go on.';

create or replace function internal.end_quiet(p_tenant_id integer) returns void
  language plpgsql
as $$
begin
  if not exists (select from kith.moving_tenants where tenant_id = p_tenant_id and state = 'leaving') then
    return;
  end if;
  delete from kith.tenant_imports where tenant_id = p_tenant_id and manifest ? 'move';
  -- internal.wake_webhooks has gone on without the tenant's endpoints.
  update kith.webhooks set has_news = true where tenant_id = p_tenant_id and not has_news and disabled_at is null;
end
$$;
comment on function internal.end_quiet(integer) is
  'In the source: lets the worker''s loops serve a tenant again, and look for events that its endpoints have not got '
  'meanwhile. Does nothing once the source refuses the tenant''s writes.';

create or replace function internal.unsettled_outage(p_tenant_id integer, p_now timestamptz) returns text
  language plpgsql
  stable
as $$
declare
  v_component text := (
    select coalesce(
      (select outage.component from kith.outages as outage where outage.ended_at is null limit 1),
      (
        select beat.component from kith.heartbeats as beat group by beat.component
        having max(beat.beat_at) < p_now - interval '60 seconds' limit 1
      )
    )
  );
  v_ended_at timestamptz := (select max(outage.ended_at) from kith.outages as outage);
begin
  return case
    when not exists (select from kith.moving_tenants where tenant_id = p_tenant_id and state = 'leaving') then null
    when v_component is not null then format('no %s has run there for a minute', v_component)
    when v_ended_at > p_now - interval '15 minutes'
      then format(
        'no missed check-in is judged there until 15 minutes after the outage that ended at %s',
        internal.shown_instant(v_ended_at)
      )
    when exists (
      select from kith.emergency_requests as request
      where request.tenant_id = p_tenant_id and request.ended_at is null
        and request.counted_to < (
          select max(outage.ended_at) from kith.outages as outage where outage.component = 'server'
        )
    ) then 'the worker has not added the last outage to a wait for emergency access yet'
  end;
end
$$;
comment on function internal.unsettled_outage(integer, timestamptz) is
  'In the source: why its outages keep a tenant there that leaves, null if they do not. Another database knows nothing '
  'of them: it would report everybody as missed who could not check in, and grant emergency access without the time in '
  'which its owner could not say no.';

create or replace function internal.end_orphaned_quiet() returns void
  language plpgsql
as $$
begin
  perform internal.end_quiet(moved.tenant_id)
  from kith.tenant_imports as quiet
  join kith.moving_tenants as moved on moved.tenant_id = quiet.tenant_id and moved.state = 'leaving'
  where quiet.manifest ? 'move' and pg_try_advisory_xact_lock(internal.move_lock() + 2, moved.tenant_id);
end
$$;
comment on function internal.end_orphaned_quiet() is
  'In the source: lets the worker''s loops serve a tenant again whose kith tenant move was killed. While the command '
  'runs, it holds the lock.';

create or replace function internal.release_leaving(p_tenant_id integer, p_left_version bigint, p_now timestamptz)
  returns void
  language plpgsql
as $$
begin
  update kith.moving_tenants
  set state = case when p_left_version is null then 'leaving' else 'gone' end, left_version = p_left_version,
    changed_at = p_now
  where tenant_id = p_tenant_id and state in ('leaving', 'gone');
end
$$;
comment on function internal.release_leaving(integer, bigint, timestamptz) is
  'In the source: from the commit on it refuses the tenant''s writes, and tells servers whose map is older than '
  'p_left_version that the tenant has left. With null, while the target has not taken any writes, it serves the tenant '
  'again.';

create or replace function internal.leases_of_tenant(p_tenant_id integer, p_now timestamptz) returns bigint
  language plpgsql
  stable
as $$
begin
  return (
    select count(*) from kith.deliveries where tenant_id = p_tenant_id and status = 'sending' and leased_until > p_now
  ) + (
    select count(*) from kith.webhooks
    where tenant_id = p_tenant_id and leased_by is not null and next_attempt_at > p_now
  );
end
$$;
comment on function internal.leases_of_tenant(integer, timestamptz) is
  'In the source: how many messages and calls of webhooks workers are sending now. Their results come within the '
  'lease, or never.';

create or replace function internal.settle_arrival(p_tenant_id integer, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant kith.tenants;
begin
  update kith.moving_tenants set state = 'here', changed_at = p_now, came_at = p_now, left_version = null
  where tenant_id = p_tenant_id and state = 'arriving';
  if not found then
    return;
  end if;
  delete from kith.tenant_imports where tenant_id = p_tenant_id;
  select * into strict v_tenant from kith.tenants where tenant_id = p_tenant_id;
  -- One that is deleted, and can be restored, moves too.
  perform set_config('kith.tenant_id', p_tenant_id::text, true), set_config('kith.user_id', '', true);
  perform internal.refresh_tenant_texts(p_tenant_id, internal.default_locale(v_tenant));
  -- Positions are those of the other database. The reset tells since when the endpoint must ask.
  update kith.webhooks
  set taken_xid = pg_snapshot_xmin(pg_current_snapshot()), taken_id = '00000000-0000-0000-0000-000000000000',
    has_news = true, batch_id = null, batch_xid = null, batch_until_id = null, batch_is_reset = true, attempts = 0,
    next_attempt_at = p_now, leased_by = null
  where tenant_id = p_tenant_id;
  perform internal.record_act(p_tenant_id, internal.operator(), 'tenant.arrive', v_tenant.slug, null);
  perform internal.leave_tenant();
end
$$;
comment on function internal.settle_arrival(integer, timestamptz) is
  'In the target, while writes are held: serves the tenant from the commit on. Its endpoints are told to load '
  'everything since the position that they had; a disabled one, if it is enabled. Does nothing if it is served '
  'already.';

create or replace function internal.forget_tenant(p_tenant_id integer, p_batch integer) returns integer
  language plpgsql
as $$
declare
  v_table record;
  v_deleted integer;
begin
  if exists (select from pg_catalog.pg_publication where pubname = 'kith_move_' || p_tenant_id)
    or exists (
      select from pg_catalog.pg_subscription
      where subname = 'kith_move_' || p_tenant_id
        and subdbid = (select oid from pg_catalog.pg_database where datname = current_database())
    )
    or not exists (select from kith.moving_tenants where tenant_id = p_tenant_id and state in ('gone', 'arriving'))
  then
    raise exception 'conflict' using errcode = 'KT409', detail = 'The tenant is served here, or is still replicated.';
  end if;
  set local session_replication_role = replica;
  for v_table in
    select tables.name, tables.key from internal.tenant_tables() as tables
    where tables.name not in ('tenants', 'tenant_imports', 'tenant_cells', 'tenant_moves', 'moving_tenants')
    order by tables.level desc, tables.name
  loop
    v_deleted := internal.purge_batch(p_tenant_id, v_table.name, v_table.key, greatest(p_batch, 1));
    if v_deleted > 0 then
      return v_deleted;
    end if;
  end loop;
  update kith.outages set told_tenant_id = p_tenant_id - 1, told_sender_id = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
  where told_tenant_id = p_tenant_id;
  delete from internal.languages where locale like '%@' || p_tenant_id;
  delete from kith.tenants where tenant_id = p_tenant_id;
  return 0;
end
$$;
comment on function internal.forget_tenant(integer, integer) is
  'In the cell that does not serve a moved tenant: deletes at most p_batch of its rows, and at last the tenant. '
  'Returns how many; 0 when none is left. The marks that keep writes and workers out stay until internal.forget_move. '
  'Refused while the deletion would be replicated.';

create or replace function internal.forget_move(p_tenant_id integer) returns void
  language plpgsql
as $$
begin
  delete from kith.tenant_imports where tenant_id = p_tenant_id and manifest ? 'move';
  delete from kith.move_marks where tenant_id = p_tenant_id;
  delete from kith.moving_tenants
  where tenant_id = p_tenant_id and left_version is null and (state in ('gone', 'arriving') or came_at is null);
  update kith.moving_tenants set state = case when left_version is null then 'here' else 'gone' end
  where tenant_id = p_tenant_id;
end
$$;
comment on function internal.forget_move(integer) is
  'In either cell: removes what the move has noted. That a tenant came stays, because of positions in the event feed, '
  'and that it has left, because of servers with an old map.';
