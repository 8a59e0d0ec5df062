create or replace function worker.remind_senders(p_now timestamptz, p_batch integer) returns integer
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
  if not pg_try_advisory_xact_lock(hashtext('worker.remind_senders')) or internal.awaits_confirmation() then
    return 0;
  end if;
  return internal.work_off(
    'remind_senders', internal.claim_pings_to_remind(p_now, p_batch), null, p_now, 'internal.remind_of_pings($1, $3)'
  );
end
$$;
comment on function worker.remind_senders(timestamptz, integer) is
  'Reminds the senders of due pings whose deadline is near, once for a date and each of the sender''s reminders (J06), '
  'with the minutes that are left. Of reminders that are late only the last is sent. Pending connections remind nobody '
  '(P29). Handles all pings of a sender together, in one worker at a time. Returns how many pings it changed. Security '
  'definer, because no role may write notifications except together with their cause.';
grant execute on function worker.remind_senders(timestamptz, integer) to kith_worker;

create or replace function internal.remind_of_pings(p_pings kith.pings[], p_now timestamptz) returns integer
  language plpgsql
as $$
declare
  v_calls kith.pings[] := internal.calls_to_remind(p_pings, p_now);
begin
  update kith.pings as ping
  set remind_at = case
      when profile.reminders is not null
        then internal.next_reminder_at(coalesce(claimed.judge_at, claimed.deadline_at), profile.reminders, p_now)
    end
  from unnest(p_pings) as claimed
  -- An account that has ended has none, and is not reminded again.
  left join lateral (
    select one.reminders
    from kith.sender_profiles as one
    where one.tenant_id = claimed.tenant_id and one.user_id = claimed.sender_id
    offset 0
  ) as profile on true
  where ping.tenant_id = claimed.tenant_id and ping.ping_on = claimed.ping_on
    and ping.connection_id = claimed.connection_id
    -- The sender too (sql/README.md).
    and ping.sender_id = claimed.sender_id;
  perform internal.tell_of_pings('ping_reminder', 'sender', v_calls, p_now);
  return cardinality(p_pings);
end
$$;
comment on function internal.remind_of_pings(kith.pings[], timestamptz) is
  'Reminds the senders of the given pings, and notes when to remind them next. Returns how many pings it changed. For '
  'worker.remind_senders, which has locked the pings.';

create or replace function internal.claim_pings_to_remind(p_now timestamptz, p_batch integer) returns kith.pings[]
  language plpgsql
as $$
declare
  v_until_at timestamptz;
  v_until_tenant integer;
  v_until_sender uuid;
begin
  -- Handle all pings of a sender together, as in claim_scheduled_pings.
  select ping.remind_at, ping.tenant_id, ping.sender_id into v_until_at, v_until_tenant, v_until_sender
  from kith.pings as ping
  where ping.status = 'due' and ping.remind_at is not null and ping.remind_at <= p_now
    and not (
      (select internal.shuts_out('remind_senders', p_now))
      and exists (select from internal.shut_out('remind_senders', ping.tenant_id, ping.id::text, p_now))
    )
  order by ping.remind_at, ping.tenant_id, ping.sender_id
  offset p_batch - 1 limit 1;
  if not found then
    v_until_at := p_now;
    v_until_tenant := 2147483647;
    v_until_sender := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  end if;
  return array(
    select ping
    from kith.pings as ping
    where ping.status = 'due' and ping.remind_at is not null
      and (ping.remind_at, ping.tenant_id, ping.sender_id) <= (v_until_at, v_until_tenant, v_until_sender)
      and not (
        (select internal.shuts_out('remind_senders', p_now))
        and exists (select from internal.shut_out('remind_senders', ping.tenant_id, ping.id::text, p_now))
      )
    for update of ping skip locked
  );
end
$$;
comment on function internal.claim_pings_to_remind(timestamptz, integer) is
  'Locks the due pings of which it is time to remind the sender, p_batch of them and the rest of the last sender''s. '
  'For worker.remind_senders.';

create or replace function internal.calls_to_remind(p_pings kith.pings[], p_now timestamptz) returns kith.pings[]
  language plpgsql
  stable
as $$
declare
  v_deleted integer[] := internal.deleted_tenants();
begin
  return internal.untold_calls('ping_reminder', array(
    select ping
    from unnest(p_pings) as ping
    cross join lateral (
      select one.status from kith.connections as one
      where one.tenant_id = ping.tenant_id and one.id = ping.connection_id offset 0
    ) as connection
    cross join lateral (
      select one.reminders from kith.sender_profiles as one
      where one.tenant_id = ping.tenant_id and one.user_id = ping.sender_id offset 0
    ) as profile
    where connection.status = 'active' and coalesce(ping.judge_at, ping.deadline_at) > p_now
      and ping.tenant_id <> all (v_deleted)
      -- A sender without reminders of their own costs no look at quiet hours.
      and (profile.reminders is null or not internal.is_silenced(ping, profile.reminders, p_now))
  ));
end
$$;
comment on function internal.calls_to_remind(kith.pings[], timestamptz) is
  'Of the given pings, one for each sender whom a reminder still helps, who has not had this one, and whose quiet '
  'hours do not leave it out. Call it before the pings change.';
