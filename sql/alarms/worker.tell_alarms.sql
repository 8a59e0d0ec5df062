create or replace function worker.tell_alarms(p_now timestamptz, p_batch integer) returns integer
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
as $$
declare
  v_rests boolean;
  v_answered_until timestamptz;
  v_tenant integer;
  v_done integer := 0;
begin
  p_now := internal.present(p_now);
  if internal.awaits_confirmation() then
    return 0;
  end if;
  v_rests := internal.rests_for_outage(p_now);
  -- An answer that was received in time has these seconds to arrive in the database.
  v_answered_until := p_now - internal.judging_delay();
  foreach v_tenant in array internal.tenants_to_tell(p_now, v_answered_until, v_rests) loop
    -- Another worker has its turn with it.
    continue when not pg_try_advisory_xact_lock(hashtext('worker.tell_alarms'), v_tenant);
    perform setval('kith.told_tenants', v_tenant);
    v_done := internal.work_off('tell_alarms.ask', array(
      select ask
      from kith.asks as ask
      where not v_rests and ask.tenant_id = v_tenant and ask.ended_at is null and ask.answer_by <= v_answered_until
        and not exists (select from internal.shut_out('tell_alarms', ask.tenant_id, ask.id::text, p_now))
      order by ask.answer_by
      limit least(p_batch, 50)
    ), null, p_now, 'internal.open_unanswered($1, $3)') + internal.work_off(
      'tell_alarms.tell', internal.alarms_to_tell(v_tenant, p_now, v_rests, p_batch), null, p_now,
      'internal.advance_alarms($1, $3)'
    );
    exit when v_done > 0;
  end loop;
  return v_done;
end
$$;
comment on function worker.tell_alarms(timestamptz, integer) is
  'Opens alarms for questions that nobody answered (K06), and advances alarms whose time has come: tells the next tier '
  'and the desk, tells everybody again, asks a taker, opens a take again that lapsed, and ends what is 7 days old '
  '(K02, K04). What was late is done once. While Kith''s servers are unreachable, and 15 minutes longer, only calls '
  'for help go on: nobody could check in, answer or take anything. A call is for one tenant, and the next one for the '
  'tenants after it, so that no tenant waits for another, and nobody''s check-in for an alarm of another tenant. It '
  'ends when its alarms have p_batch people to tell, or after a second. Several workers may run it at once. Returns '
  'how many alarms and questions it handled. Security definer, because no role may write alarms or notifications '
  'directly.';
grant execute on function worker.tell_alarms(timestamptz, integer) to kith_worker;

create or replace function internal.tenants_to_tell(p_now timestamptz, p_answered_until timestamptz, p_rests boolean)
  returns integer[]
  language plpgsql
as $$
declare
  v_deleted integer[] := internal.deleted_tenants();
  v_after bigint := (select last_value from kith.told_tenants);
  v_due integer[] := array(
    select alarm.tenant_id from kith.alarms as alarm where alarm.next_at <= p_now order by alarm.next_at limit 500
  );
  v_asked integer[] := array(
    select ask.tenant_id from kith.asks as ask where ask.ended_at is null and ask.answer_by <= p_answered_until
    order by ask.answer_by limit 500
  );
begin
  return array(
    select tenant.tenant_id
    from (
      select distinct near.tenant_id
      from unnest(v_due || v_asked) as near (tenant_id)
      where greatest(cardinality(v_due), cardinality(v_asked)) < 500
      union all
      -- If more are due, their tenants may be others: skip from tenant to tenant in the index.
      select skipped.tenant_id from internal.tenants_with_alarms() as skipped
      where greatest(cardinality(v_due), cardinality(v_asked)) = 500
    ) as tenant
    where tenant.tenant_id <> all (v_deleted) and (
      exists (
        select from kith.alarms as alarm
        where alarm.tenant_id = tenant.tenant_id and alarm.next_at <= p_now
          and (not p_rests or alarm.kind = 'help' and alarm.taken_at is null)
      )
      or not p_rests and exists (
        select from kith.asks as ask
        where ask.tenant_id = tenant.tenant_id and ask.ended_at is null and ask.answer_by <= p_answered_until
      )
    )
    order by tenant.tenant_id <= v_after, tenant.tenant_id
  );
end
$$;
comment on function internal.tenants_to_tell(timestamptz, timestamptz, boolean) is
  'The tenants with alarms or questions whose time has come, in the order of their turn. For worker.tell_alarms.';

create or replace function internal.tenants_with_alarms() returns table (tenant_id integer)
  language sql
  stable
as $$
  with recursive waiting (tenant_id) as (
    select 0
    union all
    select (
      select least(
        (
          select alarm.tenant_id from kith.alarms as alarm
          where alarm.next_at is not null and alarm.tenant_id > waiting.tenant_id order by alarm.tenant_id limit 1
        ),
        (
          select ask.tenant_id from kith.asks as ask
          where ask.ended_at is null and ask.tenant_id > waiting.tenant_id order by ask.tenant_id limit 1
        )
      )
    )
    from waiting
    where waiting.tenant_id is not null
  )
  select waiting.tenant_id from waiting where waiting.tenant_id > 0
$$;
comment on function internal.tenants_with_alarms()
  is 'The tenants with alarms that are not resolved, or with open questions.';

create or replace function internal.alarms_to_tell(
  p_tenant integer, p_now timestamptz, p_rests boolean, p_batch integer
)
  returns kith.alarms[]
  language plpgsql
  stable
as $$
declare
  v_alarm kith.alarms;
  v_alarms kith.alarms[] := '{}';
  v_people integer := 0;
begin
  for v_alarm in
    select *
    from kith.alarms as alarm
    where alarm.tenant_id = p_tenant and alarm.next_at <= p_now
      and (not p_rests or alarm.kind = 'help' and alarm.taken_at is null)
      and not exists (select from internal.shut_out('tell_alarms', alarm.tenant_id, alarm.id::text, p_now))
    order by alarm.next_at
    -- Each is a subtransaction, and PostgreSQL keeps 64 of a transaction in memory.
    limit least(p_batch, 50)
  loop
    v_people := v_people + 1 + (
      select count(*)
      from kith.alarm_receivers as receiver
      where receiver.tenant_id = p_tenant and receiver.alarm_id = v_alarm.id and receiver.left_at is null
    );
    exit when v_alarms <> '{}' and v_people > p_batch;
    v_alarms := v_alarms || v_alarm;
  end loop;
  return v_alarms;
end
$$;
comment on function internal.alarms_to_tell(integer, timestamptz, boolean, integer) is
  'The oldest alarms of a tenant whose time has come, as many as have p_batch people to tell together, and at least '
  'one. For worker.tell_alarms.';

create or replace function internal.advance_alarms(p_alarms kith.alarms[], p_now timestamptz) returns integer
  language plpgsql
as $$
declare
  v_claimed kith.alarms;
  v_alarm kith.alarms;
  v_done integer := 0;
begin
  foreach v_claimed in array p_alarms loop
    -- The connections remember a miss of which their receivers are told now, and come first in the order of locks.
    continue when not internal.lock_untold(v_claimed, p_now);
    -- A check-in locks the pings before the alarm.
    perform from kith.pings as ping
    where ping.tenant_id = v_claimed.tenant_id and ping.sender_id = v_claimed.sender_id and ping.status = 'missed'
      and ping.alarmed_at is null and ping.deadline_at >= v_claimed.counts_from - interval '3 days'
      and ping.ping_on >= (v_claimed.counts_from at time zone 'UTC')::date - 4
    order by ping.ping_on, ping.connection_id
    for update;
    select * into v_alarm from kith.alarms
    where tenant_id = v_claimed.tenant_id and id = v_claimed.id for update skip locked;
    -- Another worker or an act may have handled it.
    if v_alarm.next_at <= p_now then
      perform internal.advance_alarm(v_alarm, p_now);
      v_done := v_done + 1;
    end if;
  end loop;
  return v_done;
end
$$;
comment on function internal.advance_alarms(kith.alarms[], timestamptz) is
  'Advances the given alarms. Returns how many. For worker.tell_alarms.';

create or replace function internal.lock_untold(p_alarm kith.alarms, p_now timestamptz) returns boolean
  language plpgsql
as $$
declare
  v_untold uuid[];
begin
  if p_alarm.kind <> 'missed' then
    return true;
  end if;
  v_untold := array(
    select receiver.connection_id from kith.alarm_receivers as receiver
    where receiver.tenant_id = p_alarm.tenant_id and receiver.alarm_id = p_alarm.id and receiver.told_at is null
      and receiver.left_at is null and receiver.tell_at <= p_now
  );
  return v_untold = '{}' or cardinality(v_untold) = cardinality(array(
    select connection.id from kith.connections as connection
    where connection.tenant_id = p_alarm.tenant_id and connection.id = any (v_untold)
    order by connection.id
    for no key update skip locked
  ));
end
$$;
comment on function internal.lock_untold(kith.alarms, timestamptz) is
  'Locks the connections of those who may be told of a missed alarm now. False if somebody else has locked one of '
  'them: the next call advances the alarm, because the worker waits for nobody. For internal.advance_alarms.';

create or replace function internal.advance_alarm(p_alarm kith.alarms, p_now timestamptz) returns void
  language plpgsql
as $$
begin
  if p_alarm.taken_until <= p_now and p_alarm.checked_at is null and p_alarm.expires_at > p_now then
    -- However late: nobody loses an alarm without having been asked.
    p_alarm := internal.check_on_taker(p_alarm, p_now);
  end if;
  p_alarm := internal.settle_alarm(p_alarm, p_now);
  if p_alarm.resolved_at is not null then
    return;
  elsif p_alarm.taken_at is not null then
    -- Taken means quiet, but nobody can keep it from the others for ever (K02).
    p_alarm := internal.tell_tiers(p_alarm, p_now - internal.longest_take(), p_now);
    p_alarm := internal.tell_desk(p_alarm, p_now - internal.longest_take(), p_now);
  else
    p_alarm := internal.tell_tiers(p_alarm, p_now, p_now);
    p_alarm := internal.tell_desk(p_alarm, p_now, p_now);
    p_alarm := internal.repeat_alarm(p_alarm, p_now);
    if exists (
      select from kith.alarm_receivers as receiver
      where receiver.tenant_id = p_alarm.tenant_id and receiver.alarm_id = p_alarm.id and receiver.told_at = p_now
        and receiver.left_at is null
    ) then
      -- Whoever has just been told, with the last tier perhaps, is told again as the others were.
      p_alarm := internal.add_repeats(p_alarm, p_now);
    end if;
  end if;
  perform internal.set_next(p_alarm, p_now);
end
$$;
comment on function internal.advance_alarm(kith.alarms, timestamptz) is
  'Does what the time asks of an alarm. For internal.advance_alarms, which has locked it.';

create or replace function internal.check_on_taker(p_alarm kith.alarms, p_now timestamptz) returns kith.alarms
  language plpgsql
as $$
begin
  update kith.alarms set checked_at = p_now where tenant_id = p_alarm.tenant_id and id = p_alarm.id returning *
  into p_alarm;
  perform internal.tell_of_sender(p_alarm, 'alarm_check', array[p_alarm.taken_by], '{}', p_now);
  perform internal.emit_alarm(
    p_alarm, internal.add_entry(p_alarm, 'asked', p_alarm.taken_by, p_alarm.taken_by_desk, null, null, p_now), p_now
  );
  return p_alarm;
end
$$;
comment on function internal.check_on_taker(kith.alarms, timestamptz) is
  '"Still on it?" to the taker (K02). A person of the desk is asked by the event. For internal.advance_alarm.';

create or replace function internal.tell_tiers(p_alarm kith.alarms, p_until timestamptz, p_now timestamptz)
  returns kith.alarms
  language plpgsql
as $$
declare
  v_told uuid[];
  v_connections uuid[];
begin
  with told as (
    update kith.alarm_receivers as receiver set told_at = p_now
    where receiver.tenant_id = p_alarm.tenant_id and receiver.alarm_id = p_alarm.id and receiver.told_at is null
      and receiver.left_at is null and receiver.tell_at <= p_until
    returning receiver.receiver_id, receiver.connection_id
  )
  select array_agg(told.receiver_id), array_agg(told.connection_id) into v_told, v_connections from told;
  if v_told is null then
    return p_alarm;
  end if;
  case p_alarm.kind
    when 'missed' then perform internal.tell_missed(p_alarm, v_told, v_connections, p_now);
    when 'help' then perform internal.tell_of_sender(p_alarm, 'help_requested', v_told, '{}', p_now);
    when 'unanswered' then perform internal.tell_of_sender(p_alarm, 'ask_unanswered', v_told, '{}', p_now);
    else perform internal.tell_of_sender(p_alarm, 'ping_missed', v_told, '{}', p_now);
  end case;
  perform internal.emit_alarm(p_alarm, p_alarm.id, p_now);
  return p_alarm;
end
$$;
comment on function internal.tell_tiers(kith.alarms, timestamptz, timestamptz) is
  'Tells the receivers whose tiers'' minutes had passed at p_until (K04). For internal.advance_alarm.';

create or replace function internal.tell_missed(
  p_alarm kith.alarms, p_receivers uuid[], p_connections uuid[], p_now timestamptz
)
  returns void
  language plpgsql
as $$
declare
  v_pings kith.pings[];
begin
  with alarmed as (
    update kith.pings as ping set alarmed_at = p_now
    where ping.tenant_id = p_alarm.tenant_id and ping.sender_id = p_alarm.sender_id and ping.status = 'missed'
      and ping.alarmed_at is null
      and ping.connection_id = any (p_connections) and ping.deadline_at >= p_alarm.counts_from - interval '3 days'
      and ping.ping_on >= (p_alarm.counts_from at time zone 'UTC')::date - 4
    returning ping
  )
  -- The newest of each connection: they are told of one.
  select array_agg(newest.ping) into v_pings
  from (
    select distinct on ((alarmed.ping).connection_id) alarmed.ping from alarmed
    order by (alarmed.ping).connection_id, (alarmed.ping).ping_on desc
  ) as newest;
  perform internal.remember_misses(v_pings);
  perform internal.tell_of_pings('ping_missed', 'receiver', v_pings, p_now);
  -- Whose ping has changed since: a removed one came back, or it is no longer missed.
  perform internal.tell_of_sender(
    p_alarm, 'alarm_repeat', untold.receivers, '{"repeat": 0}', p_now
  )
  from (
    select array_agg(receiver.id) as receivers
    from unnest(p_receivers, p_connections) as receiver (id, connection_id)
    where not exists (select from unnest(v_pings) as ping where ping.connection_id = receiver.connection_id)
  ) as untold
  where untold.receivers is not null;
end
$$;
comment on function internal.tell_missed(kith.alarms, uuid[], uuid[], timestamptz) is
  'Tells receivers of a later tier of the newest miss, as the first tier was told, and records it on the pings, so '
  'that a check-in brings them the all-clear. For internal.tell_tiers; the pings are locked.';

create or replace function internal.tell_desk(p_alarm kith.alarms, p_until timestamptz, p_now timestamptz)
  returns kith.alarms
  language plpgsql
as $$
begin
  if p_alarm.desk_told_at is not null or coalesce(p_alarm.desk_at > p_until, true) then
    return p_alarm;
  elsif not internal.has_desk(p_alarm.tenant_id, p_now) then
    -- There may be one later.
    update kith.alarms set desk_at = p_until + interval '15 minutes'
    where tenant_id = p_alarm.tenant_id and id = p_alarm.id returning * into p_alarm;
    return p_alarm;
  end if;
  update kith.alarms set desk_told_at = p_now where tenant_id = p_alarm.tenant_id and id = p_alarm.id returning *
  into p_alarm;
  perform internal.emit_alarm(p_alarm, internal.add_entry(p_alarm, 'desk_told', null, null, null, null, p_now), p_now);
  return p_alarm;
end
$$;
comment on function internal.tell_desk(kith.alarms, timestamptz, timestamptz) is
  'Tells the tenant''s desk, if its tier''s minutes had passed at p_until: by the event alarm, which webhooks bring '
  '(K09). Where the tenant has no desk (internal.has_desk), nobody is told and no timeline says so; whether it has one '
  'is asked again every 15 minutes. For internal.advance_alarm.';

create or replace function internal.repeat_alarm(p_alarm kith.alarms, p_now timestamptz) returns kith.alarms
  language plpgsql
as $$
declare
  v_past integer := (select count(*) from unnest(p_alarm.repeats_at) as repeat (at) where at <= p_now);
  v_at timestamptz := p_alarm.repeats_at[v_past];
  v_is_after_outage boolean := internal.workers_away(p_now) @> v_at;
  v_told uuid[];
begin
  if v_past <= p_alarm.repeats_told then
    return p_alarm;
  end if;
  -- Not those who have just been told for the first time, nor, after an outage, those to whom what waited is just being
  -- sent.
  v_told := array(
    select receiver_id from kith.alarm_receivers as receiver
    where tenant_id = p_alarm.tenant_id and alarm_id = p_alarm.id and left_at is null and told_at < least(v_at, p_now)
      and not (v_is_after_outage and internal.is_being_told(p_alarm, receiver, p_now))
  );
  if v_told = '{}' and v_is_after_outage then
    -- Nobody has heard these, so those that follow are as loud as they would have been.
    update kith.alarms
    set repeats_at = repeats_at[:repeats_told] || coalesce(
      nullif(repeats_at[v_past + 1:], '{}'),
      internal.instants_after(p_now, (internal.plan_of(p_alarm.tenant_id, p_alarm.sender_id)).repeat_minutes[1:2])
    )
    where tenant_id = p_alarm.tenant_id and id = p_alarm.id
    returning * into p_alarm;
    return p_alarm;
  end if;
  update kith.alarms set repeats_told = v_past where tenant_id = p_alarm.tenant_id and id = p_alarm.id returning *
  into p_alarm;
  if v_told <> '{}' then
    perform internal.tell_of_sender(
      p_alarm, 'alarm_repeat', v_told,
      jsonb_build_object('repeat', v_past) || internal.acted_data(p_alarm)
        || case
          when p_alarm.kind = 'help'
            then jsonb_build_object('since_at', internal.instant(internal.last_called_at(p_alarm)))
          else '{}'
        end,
      p_now
    );
    perform internal.emit_alarm(p_alarm, internal.add_entry(p_alarm, 'repeated', null, null, null, null, p_now), p_now);
  end if;
  return p_alarm;
end
$$;
comment on function internal.repeat_alarm(kith.alarms, timestamptz) is
  '"There is still no sign", or the words of its kind: tells everybody again who was told, each time on a louder '
  'channel (K04). Of several that are past, one is told. After an outage, whoever is just being told what waited is '
  'told again at the next instant of the plan. For internal.advance_alarm.';

create or replace function internal.is_being_told(
  p_alarm kith.alarms, p_receiver kith.alarm_receivers, p_now timestamptz
)
  returns boolean
  language plpgsql
  stable
as $$
begin
  return exists (
    select from kith.notifications as note
    where note.tenant_id = p_alarm.tenant_id and note.user_id = p_receiver.receiver_id
      and note.id >= internal.first_uuid7(p_receiver.told_at - interval '1 minute')
      and note.data ? 'alarm_id' and note.data ->> 'alarm_id' = p_alarm.id::text and internal.asks_receiver(note.type)
      and (note.delivery_status = 'queued' or note.sent_at > p_now - interval '2 minutes')
  );
end
$$;
comment on function internal.is_being_told(kith.alarms, kith.alarm_receivers, timestamptz) is
  'Whether a message that asks a receiver to look after somebody waits to be sent, or has just been sent. For '
  'internal.repeat_alarm.';

create or replace function internal.tier_of(p_tenant integer, p_user uuid, p_connection_id uuid) returns integer
  language plpgsql
  stable
as $$
begin
  return coalesce(
    (
      select tier from kith.alarm_plan_receivers
      where tenant_id = p_tenant and user_id = p_user and connection_id = p_connection_id
    ),
    (
      select internal.last_tier(plan) from kith.alarm_plans as plan
      where plan.tenant_id = p_tenant and plan.user_id = p_user
    ),
    1
  );
end
$$;
comment on function internal.tier_of(integer, uuid, uuid) is
  'The tier of a receiver in the plan of a sender. Whoever stands in none is told with the last one that is not the '
  'desk''s alone (K04).';
