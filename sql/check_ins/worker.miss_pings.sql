create or replace function worker.miss_pings(p_now timestamptz, p_batch integer) returns integer
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
declare
  v_told integer;
begin
  p_now := internal.present(p_now);
  if not pg_try_advisory_xact_lock(hashtext('worker.miss_pings')) then
    return 0;
  end if;
  -- Nobody can check in during an outage, so judge nothing. After an outage, senders are told before their receivers.
  -- watch_server detects outages; it is not called here, because a worker with a simulated clock must not mistake that
  -- for an outage.
  if exists (select from kith.outages where ended_at is null) or internal.awaits_confirmation() then
    return 0;
  end if;
  v_told := internal.tell_senders_after_outage(p_now, p_batch);
  if v_told is distinct from 0 then
    return coalesce(v_told, 0);
  end if;
  return internal.work_off(
    'miss_pings', internal.claim_overdue_pings(internal.judged_until(p_now), p_batch, p_now), null, p_now,
    'internal.miss_of_pings($1, $3)'
  );
end
$$;
comment on function worker.miss_pings(timestamptz, integer) is
  'Marks due pings as missed once their deadline is 10 seconds past, and tells the sender once for a date, then the '
  'receivers. Waits while Kith has an outage or its servers are silent. Deadlines that fall into an outage, or within '
  '15 minutes after it, wait until those 15 minutes are over. Handles all pings of a sender together, in one worker at '
  'a time. Returns how many pings it changed. Security definer, because no role may write notifications except '
  'together with their cause.';
grant execute on function worker.miss_pings(timestamptz, integer) to kith_worker;

create or replace function worker.miss_pings(p_now timestamptz, p_batch integer, p_instance text) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  p_now := internal.present(p_now);
  -- After a pause of all workers, or of the database, this call may come before the heartbeat that records the outage.
  if not exists (
    select from kith.heartbeats
    where component = 'worker' and instance = p_instance and beat_at > p_now - interval '30 seconds'
  ) then
    return 0;
  end if;
  return worker.miss_pings(p_now, p_batch);
end
$$;
comment on function worker.miss_pings(timestamptz, integer, text) is
  'worker.miss_pings for a worker that sends heartbeats. Does nothing while the newest heartbeat of this instance is '
  'older than 30 seconds, because an outage of the workers may not be recorded yet. Security definer for the same '
  'reason.';
grant execute on function worker.miss_pings(timestamptz, integer, text) to kith_worker;

create or replace function internal.miss_of_pings(p_pings kith.pings[], p_now timestamptz) returns integer
  language plpgsql
as $$
declare
  v_judged kith.pings[];
  v_calls kith.pings[];
  v_missed kith.pings[];
begin
  select judged.pings, judged.calls, judged.missed into v_judged, v_calls, v_missed
  from internal.judge_pings(p_pings, p_now) as judged;
  v_missed := internal.open_missed_alarms(v_missed, p_now);
  perform internal.remember_misses(v_missed);
  perform internal.tell_of_pings('ping_missed', 'sender', v_calls, p_now);
  perform internal.tell_of_pings('ping_missed', 'receiver', v_missed, p_now);
  perform internal.emit_pings(v_judged, p_now);
  perform internal.note_misses(v_judged, p_now);
  perform internal.follow_judged_pings(v_judged, p_now);
  return coalesce(cardinality(v_judged), 0);
end
$$;
comment on function internal.miss_of_pings(kith.pings[], timestamptz) is
  'Judges the given pings, whose deadline has passed, opens alarms for those that are missed, and tells of them (K01). '
  'Returns how many it changed. For worker.miss_pings, which has locked the pings.';

create or replace function internal.judged_until(p_now timestamptz) returns timestamptz
  language plpgsql
as $$
declare
  v_until timestamptz;
begin
  -- An outage is recorded only after a minute of silence, and not while nobody reaches the database. Until then, judge
  -- no deadline later than the last heartbeat of a server. Where no server has ever sent one there is no such limit,
  -- nor with a simulated clock.
  select least(p_now - internal.judging_delay(), max(beat_at)) into v_until
  from kith.heartbeats
  where component = 'server' and beat_at < p_now + interval '2 minutes'
    and (beat_at > p_now - interval '2 minutes' or to_regclass('internal.development') is null);
  -- Deadlines after the beginning of an outage wait until 15 minutes after its end.
  select least(v_until, min(began_at)) into v_until
  from kith.outages
  where ended_at > p_now - interval '15 minutes';
  return v_until;
end
$$;
comment on function internal.judged_until(timestamptz) is
  'The instant up to which a deadline counts: 10 seconds ago, or earlier if the servers are silent or an outage has '
  'just ended. For worker.miss_pings.';

create or replace function internal.claim_overdue_pings(p_until timestamptz, p_batch integer, p_now timestamptz)
  returns kith.pings[]
  language plpgsql
as $$
declare
  v_until_at timestamptz;
  v_until_tenant integer;
  v_until_sender uuid;
  v_claimed kith.pings[];
  v_left kith.pings[];
  v_locked kith.pings[];
begin
  -- Handle all pings of a sender together, as in claim_scheduled_pings.
  select case when ping.judge_at is null then ping.deadline_at else ping.judge_at end, ping.tenant_id, ping.sender_id
  into v_until_at, v_until_tenant, v_until_sender
  from kith.pings as ping
  where ping.status = 'due' and case when ping.judge_at is null then ping.deadline_at else ping.judge_at end <= p_until
    and not (
      (select internal.shuts_out('miss_pings', p_now))
      and exists (select from internal.shut_out('miss_pings', ping.tenant_id, ping.id::text, p_now))
    )
  order by case when ping.judge_at is null then ping.deadline_at else ping.judge_at end, ping.tenant_id, ping.sender_id
  offset p_batch - 1 limit 1;
  if not found then
    v_until_at := p_until;
    v_until_tenant := 2147483647;
    v_until_sender := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  end if;
  -- With their connections, which remember a miss. These come first in the order of locks, so nothing here may wait for
  -- them: what somebody else has locked is left for the next call.
  v_claimed := array(
    select ping
    from kith.pings as ping
    join kith.connections as connection on connection.tenant_id = ping.tenant_id and connection.id = ping.connection_id
    where ping.status = 'due'
      and (
        case when ping.judge_at is null then ping.deadline_at else ping.judge_at end, ping.tenant_id, ping.sender_id
      ) <= (v_until_at, v_until_tenant, v_until_sender)
      and not (
        (select internal.shuts_out('miss_pings', p_now))
        and exists (select from internal.shut_out('miss_pings', ping.tenant_id, ping.id::text, p_now))
      )
    for update of ping skip locked
    for no key update of connection skip locked
  );
  v_left := internal.left_pings(v_claimed, p_now);
  if v_left = '{}' then
    return v_claimed;
  end if;
  -- Where another ping follows, the profile is locked too. A check-in locks it before the pings, so nothing here may
  -- wait for it: what somebody else has locked is left for the next call.
  v_locked := array(
    select ping
    from unnest(v_left) as ping
    join kith.sender_profiles as profile on profile.tenant_id = ping.tenant_id and profile.user_id = ping.sender_id
    for share of profile skip locked
  );
  return array(
    select claimed
    from unnest(v_claimed) as claimed
    where not (claimed = any (v_left)) or claimed = any (v_locked)
  );
end
$$;
comment on function internal.claim_overdue_pings(timestamptz, integer, timestamptz) is
  'Locks the due pings whose deadline has passed at p_until, p_batch of them and the rest of the last sender''s, with '
  'their connections. For worker.miss_pings.';

create or replace function internal.judge_pings(
  p_pings kith.pings[], p_now timestamptz, out pings kith.pings[], out calls kith.pings[], out missed kith.pings[]
)
  language plpgsql
as $$
declare
  v_deleted integer[] := internal.deleted_tenants();
begin
  with known as materialized (
    select ping.tenant_id, ping.ping_on, ping.connection_id, ping.sender_id, ping.deadline_at,
      internal.awaits_ping(connection.status, connection.updated_at, connection.deleted_at, ping.deadline_at)
        and ping.tenant_id <> all (v_deleted) as is_awaited,
      -- A sender who has checked in since is safe: after days without a worker, nobody is alarmed about the first of
      -- them.
      case
        when profile.last_check_in_at >= ping.scheduled_at
          then coalesce((internal.sign_for_ping(ping)).received_at, profile.last_check_in_at)
      end as sign_at,
      -- Pending connections tell nobody (P29). After a consent, the sender must have been asked. What was paused after
      -- the deadline is told; what was removed since then stays missed, and is told to nobody any more (X34).
      case connection.status
        when 'active' then ping.asked_at is not null or connection.activated_at < ping.deadline_at
        when 'paused' then ping.asked_at is not null
        else false
      end as is_told
    from unnest(p_pings) as ping
    cross join lateral (
      select one.status, one.activated_at, one.updated_at, one.deleted_at
      from kith.connections as one
      where one.tenant_id = ping.tenant_id and one.id = ping.connection_id
      offset 0
    ) as connection
    left join lateral (
      select one.last_check_in_at
      from kith.sender_profiles as one
      where one.tenant_id = ping.tenant_id and one.user_id = ping.sender_id
      offset 0
    ) as profile on true
  ), judged as materialized (
    select known.*, internal.judged_status(known.is_awaited, known.sign_at, known.deadline_at) as status
    from known
  ), changed as (
    update kith.pings as ping
    set status = judged.status, remind_at = null,
      completed_at = case when judged.status in ('completed', 'completed_late') then judged.sign_at end,
      alarmed_at = case when judged.status = 'missed' and judged.is_told then p_now end,
      is_unreached = case
        when judged.status = 'missed'
          and (ping.tenant_id, ping.sender_id, ping.ping_on, ping.scheduled_at) in (
            select unreached.* from internal.unreached(p_pings) as unreached
          )
          then true
      end
    from judged
    where ping.tenant_id = judged.tenant_id and ping.ping_on = judged.ping_on
      and ping.connection_id = judged.connection_id
      -- The sender too (sql/README.md).
      and ping.sender_id = judged.sender_id
    returning ping
  )
  select array_agg(changed.ping),
    internal.untold_calls('ping_missed', array_agg(changed.ping) filter (where (changed.ping).alarmed_at is not null)),
    array_agg(changed.ping) filter (where (changed.ping).alarmed_at is not null)
  into pings, calls, missed
  from changed;
end
$$;
comment on function internal.judge_pings(kith.pings[], timestamptz) is
  'Marks the given pings as missed, or as internal.judged_status says. Returns the changed pings, those of which the '
  'sender must be told, and those of which the receiver must be told. For worker.miss_pings, which has locked the '
  'pings.';

create or replace function internal.follow_judged_pings(p_pings kith.pings[], p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_left kith.pings[] := internal.left_pings(p_pings, p_now);
  v_tenant integer;
begin
  for v_tenant in select distinct ping.tenant_id from unnest(v_left) as ping order by 1 loop
    perform set_config('kith.tenant_id', v_tenant::text, true);
    perform internal.settle_pings(
      array(select distinct ping.connection_id from unnest(v_left) as ping where ping.tenant_id = v_tenant), false,
      false, p_now
    );
  end loop;
  if v_left <> '{}' then
    perform internal.leave_tenant();
  end if;
end
$$;
comment on function internal.follow_judged_pings(kith.pings[], timestamptz) is
  'X33: makes today''s pings of the connections whose left-over ping has just been judged. For worker.miss_pings, '
  'which has locked the senders'' profiles.';
