create or replace function worker.announce_due_pings(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  -- A batch is small compared with the table, which the planner cannot know. Access by key is always right here, and
  -- one plan is kept.
  set plan_cache_mode = 'force_generic_plan'
  set jit = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set enable_material = off
  set enable_seqscan = off
as $$
begin
  p_now := internal.present(p_now);
  if not pg_try_advisory_xact_lock(hashtext('worker.announce_due_pings')) or internal.awaits_confirmation() then
    return 0;
  end if;
  return internal.work_off(
    'announce_due_pings', internal.claim_scheduled_pings(p_now, p_batch), null, p_now, 'internal.announce_pings($1, $3)'
  );
end
$$;
comment on function worker.announce_due_pings(timestamptz, integer) is
  'Makes pings due when their scheduled time has come, and tells each sender once for a date, with delivery spread '
  'over the following minute. A ping that a check-in has already answered is completed instead. Pending connections '
  'tell nobody (P29). Handles all pings of a sender together, at least p_batch pings if there are so many, in one '
  'worker at a time. Returns how many pings it changed. Security definer, because no role may write notifications '
  'except together with their cause.';
grant execute on function worker.announce_due_pings(timestamptz, integer) to kith_worker;

create or replace function internal.announce_pings(p_pings kith.pings[], p_now timestamptz) returns integer
  language plpgsql
as $$
declare
  v_announced kith.pings[];
  v_calls kith.pings[];
  v_answered kith.pings[];
begin
  select announced.pings, announced.calls, announced.answered into v_announced, v_calls, v_answered
  from internal.make_pings_due(p_pings, p_now) as announced;
  perform internal.tell_of_pings('ping_due', 'sender', v_calls, p_now);
  perform internal.tell_of_pings(
    'ping_completed', 'receiver',
    array(
      select answered from unnest(v_answered) as answered
      where not internal.stands_open(answered.tenant_id, answered.sender_id)
    ),
    p_now
  );
  perform internal.emit_pings(v_announced, p_now);
  return coalesce(cardinality(v_announced), 0);
end
$$;
comment on function internal.announce_pings(kith.pings[], timestamptz) is
  'Makes the given pings due, and tells of it. Returns how many it changed. For worker.announce_due_pings, which has '
  'locked the pings.';

create or replace function internal.claim_scheduled_pings(p_now timestamptz, p_batch integer) returns kith.pings[]
  language plpgsql
as $$
declare
  v_until_at timestamptz;
  v_until_tenant integer;
  v_until_sender uuid;
begin
  -- Handle all pings of a sender together: the batch ends after the last ping that its last sender has at that instant.
  select ping.scheduled_at, ping.tenant_id, ping.sender_id into v_until_at, v_until_tenant, v_until_sender
  from kith.pings as ping
  where ping.status = 'scheduled' and ping.scheduled_at <= p_now
    and not (
      (select internal.shuts_out('announce_due_pings', p_now))
      and exists (select from internal.shut_out('announce_due_pings', ping.tenant_id, ping.id::text, p_now))
    )
  order by ping.scheduled_at, ping.tenant_id, ping.sender_id
  offset p_batch - 1 limit 1;
  if not found then
    v_until_at := p_now;
    v_until_tenant := 2147483647;
    v_until_sender := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  end if;
  -- A locked ping is being answered, cancelled or moved. The next call handles it if it is still scheduled.
  return array(
    select ping
    from kith.pings as ping
    where ping.status = 'scheduled'
      and (ping.scheduled_at, ping.tenant_id, ping.sender_id) <= (v_until_at, v_until_tenant, v_until_sender)
      and not (
        (select internal.shuts_out('announce_due_pings', p_now))
        and exists (select from internal.shut_out('announce_due_pings', ping.tenant_id, ping.id::text, p_now))
      )
    for update of ping skip locked
  );
end
$$;
comment on function internal.claim_scheduled_pings(timestamptz, integer) is
  'Locks the scheduled pings whose time has come, p_batch of them and the rest of the last sender''s. For '
  'worker.announce_due_pings.';

create or replace function internal.make_pings_due(
  p_pings kith.pings[], p_now timestamptz, out pings kith.pings[], out calls kith.pings[], out answered kith.pings[]
)
  language plpgsql
as $$
declare
  v_deleted integer[] := internal.deleted_tenants();
  v_waits_until timestamptz := internal.waits_for_asking_until(p_now);
begin
  with known as materialized (
    select ping.tenant_id, ping.ping_on, ping.connection_id, ping.sender_id, ping.deadline_at,
      -- Nobody is asked for a window that had ended when the connection began, or began again.
      connection.status = 'active' and connection.activated_at < ping.deadline_at as is_told, connection.activated_at,
      internal.awaits_ping(connection.status, connection.updated_at, connection.deleted_at, ping.deadline_at)
        and ping.tenant_id <> all (v_deleted) as is_awaited,
      -- A check-in that found no ping to answer, because the worker was late or the connection is newer. Nobody else's
      -- are read: an early one came on the ping's date.
      case
        when sender.last_check_in_at >= ping.scheduled_at - sender.ping_time - interval '2 hours'
          then internal.sign_for_ping(ping)
      end as sign
    from unnest(p_pings) as ping
    cross join lateral (
      select one.* from kith.connections as one
      where one.tenant_id = ping.tenant_id and one.id = ping.connection_id offset 0
    ) as connection
    -- An account that ended after the deadline has no profile any more, and its ping stays until it is judged (X34).
    left join lateral (
      select one.* from kith.sender_profiles as one
      where one.tenant_id = ping.tenant_id and one.user_id = ping.sender_id offset 0
    ) as sender on true
  ), announced as materialized (
    select known.*, (known.sign).received_at as sign_at,
      internal.announced_status(known.is_awaited, (known.sign).received_at, known.deadline_at) as status from known
  ), changed as (
    update kith.pings as ping
    set status = announced.status,
      asked_at = case when announced.status = 'due' and announced.is_told then p_now end,
      -- What the sender should have been asked while the worker was away is judged after a full grace from this asking
      -- (X35).
      judge_at = case
        when announced.status = 'due' and announced.is_told and ping.deadline_at <= v_waits_until
          then greatest(p_now + (ping.deadline_at - ping.scheduled_at), v_waits_until)
      end,
      remind_at = case
        when announced.status <> 'due' then null
        when ping.deadline_at > v_waits_until then ping.remind_at
        when announced.is_told
          then greatest(
            p_now + (ping.deadline_at - ping.scheduled_at), v_waits_until
          ) - (ping.deadline_at - ping.remind_at)
      end,
      completed_at = case when announced.status in ('completed', 'completed_late') then announced.sign_at end,
      check_in_id = case when announced.status in ('completed', 'completed_late') then (announced.sign).id end,
      -- A note is for those who were receivers when it was written (P40).
      note = case
        when announced.status in ('completed', 'completed_late') and announced.is_told and (announced.sign).shares_note
          and announced.sign_at >= announced.activated_at then (announced.sign).note
      end
    from announced
    where ping.tenant_id = announced.tenant_id and ping.ping_on = announced.ping_on
      and ping.connection_id = announced.connection_id and ping.sender_id = announced.sender_id
    returning ping, announced.is_told
  )
  select array_agg(changed.ping),
    internal.untold_calls(
      'ping_due', array_agg(changed.ping) filter (where changed.is_told and (changed.ping).status = 'due')
    ),
    array_agg(changed.ping) filter (where changed.is_told and (changed.ping).status in ('completed', 'completed_late'))
  into pings, calls, answered
  from changed;
end
$$;
comment on function internal.make_pings_due(kith.pings[], timestamptz) is
  'Makes the given pings due, completes those that a check-in has answered, and cancels those that nobody waits for '
  '(internal.announced_status). Returns the changed pings, those of which the sender must be told, and the answered '
  'ones of which the receiver must be told. Pending connections tell nobody (P29). For worker.announce_due_pings, '
  'which has locked the pings.';

create or replace function internal.waits_for_asking_until(p_now timestamptz) returns timestamptz
  language plpgsql
  stable
as $$
begin
  return greatest(
    p_now,
    (
      select max(ended_at) + interval '15 minutes' from kith.outages
      where component = 'worker' and ended_at > p_now - interval '15 minutes'
    )
  );
end
$$;
comment on function internal.waits_for_asking_until(timestamptz) is
  'A ping that is announced now, and has a deadline up to this instant, came too late: the worker was away when its '
  'sender should have been asked (X35).';
