-- When a request for emergency access grants, and what its people see of it. The instants are computed at each access,
-- so nothing depends on a worker having run.

create or replace function internal.stall_ends_at(p_request kith.emergency_requests) returns timestamptz
  language plpgsql
  stable
as $$
begin
  return (
    select (p_request).undelivered_since + greatest(
      make_interval(hours => (p_request).wait_hours) - coalesce(
        (
          select sum(delay.ended_at - delay.began_at)
          from kith.emergency_delays as delay
          where delay.tenant_id = (p_request).tenant_id and delay.request_id = (p_request).id
            and delay.cause = 'undelivered'
            and delay.began_at >= (p_request).waits_from and delay.began_at < (p_request).undelivered_since
        ),
        interval '0'
      ),
      interval '0'
    )
  );
end
$$;
comment on function internal.stall_ends_at(kith.emergency_requests) is
  'When a wait that stands still because no notice reaches the owner goes on at the latest: all such stalls of a wait '
  'together are no longer than the wait (E06). Null if it does not stand still. For definer procedures.';

create or replace function internal.undelivered_until(p_request kith.emergency_requests) returns timestamptz
  language plpgsql
  stable
as $$
begin
  return least(
    internal.stall_ends_at(p_request),
    (
      select least(min(notification.sent_at), min(notification.read_at))
      from kith.notifications as notification
      where notification.tenant_id = p_request.tenant_id and notification.user_id = p_request.owner_id
        and notification.id >= internal.first_uuid7(p_request.undelivered_since)
        and notification.data ->> 'request_id' = p_request.id::text and notification.data ->> 'to' = 'owner'
    )
  );
end
$$;
comment on function internal.undelivered_until(kith.emergency_requests) is
  'Up to when a wait stands still that no notice to the owner has reached: until the first notice since then was sent '
  'or read, but not beyond internal.stall_ends_at. Null if notices are not undelivered. For definer procedures.';

create or replace function internal.workers_away(p_tenant_id integer, p_now timestamptz)
  returns table (began_at timestamptz, ended_at timestamptz)
  language sql
  stable
as $$
  select outage.began_at, coalesce(outage.ended_at, p_now)
  from internal.outages_of(p_tenant_id) as outage
  where outage.component = 'worker' and outage.began_at < p_now
  union all
  -- An outage that nobody has recorded yet: the first heartbeat afterwards does.
  select beat.last_at, p_now
  from (
    select max(heartbeat.beat_at) as last_at from kith.heartbeats as heartbeat where heartbeat.component = 'worker'
  ) as beat
  where beat.last_at < p_now - interval '60 seconds'
    and not exists (select from kith.outages where component = 'worker' and outages.ended_at is null)
$$;
comment on function internal.workers_away(integer, timestamptz) is
  'When no worker ran for a tenant until p_now. Returns a table, which the planner can inline.';

create or replace function internal.standstill_parts(p_request kith.emergency_requests, p_now timestamptz)
  returns table (cause text, began_at timestamptz, ended_at timestamptz)
  language sql
  stable
as $$
  select part.cause, greatest(part.began_at, (p_request).counted_to), least(part.ended_at, p_now)
  from (
    select 'outage' as cause, outage.began_at, coalesce(outage.ended_at, p_now) as ended_at
    from internal.outages_of((p_request).tenant_id) as outage
    where outage.component = 'server' and outage.began_at < p_now
      and (outage.ended_at is null or outage.ended_at > (p_request).counted_to)
    union all
    -- An outage that nobody has recorded yet: the first heartbeat afterwards does, or the worker after a minute. So a
    -- database that is restored to an earlier day grants nothing before that.
    select 'outage', beat.last_at, p_now
    from (
      select max(heartbeat.beat_at) as last_at from kith.heartbeats as heartbeat where heartbeat.component = 'server'
    ) as beat
    where beat.last_at < p_now - interval '60 seconds'
      and not exists (select from kith.outages where component = 'server' and ended_at is null)
    union all
    -- While the workers are away, nobody sends the owner what has been written. Once the newest notice is on its way,
    -- they are not needed: the owner can say no all the time.
    select 'outage', away.began_at, least(away.ended_at, notice.planned_at)
    from kith.notifications as notice
    cross join internal.workers_away((p_request).tenant_id, p_now) as away
    where notice.tenant_id = (p_request).tenant_id and notice.user_id = (p_request).owner_id
      and notice.id = (p_request).notice_id
      and away.ended_at > (p_request).counted_to and coalesce(away.began_at < notice.planned_at, true)
    union all
    select 'suspension', tenant.suspended_at, p_now
    from kith.tenants as tenant
    where tenant.tenant_id = (p_request).tenant_id and tenant.suspended_at is not null
    union all
    select 'hold', (p_request).held_at, coalesce((p_request).held_until, p_now)
    where (p_request).held_at is not null
    union all
    select 'undelivered', (p_request).undelivered_since, internal.undelivered_until(p_request)
    where (p_request).undelivered_since is not null
  ) as part
  where part.began_at < p_now and part.ended_at > (p_request).counted_to
$$;
comment on function internal.standstill_parts(kith.emergency_requests, timestamptz) is
  'What did not count towards the wait of a request until p_now, and is not yet contained in its grants_at (E06): '
  'outages of the servers, and of the workers while a notice to the owner waits for them, the tenant''s suspension, a '
  'hold, and notices that reach the owner on no channel, in all for at most the length of the wait. The parts can '
  'overlap. All of them are after counted_to. Returns a table, which the planner can inline.';

create or replace function internal.standstills(p_request kith.emergency_requests, p_now timestamptz)
  returns tstzmultirange
  language plpgsql
  stable
as $$
begin
  -- The union, so that an outage during a hold does not count twice.
  return (
    select range_agg(tstzrange(part.began_at, part.ended_at, '[)'))
    from internal.standstill_parts(p_request, p_now) as part
    where part.began_at < part.ended_at
  );
end
$$;
comment on function internal.standstills(kith.emergency_requests, timestamptz) is
  'The times until p_now that do not count towards the wait of a request and are not yet contained in its grants_at, '
  'without overlaps. Null if there are none.';

create or replace function internal.is_held(p_request kith.emergency_requests, p_now timestamptz) returns boolean
  language sql
  immutable
  parallel safe
as $$
  select (p_request).held_at is not null and coalesce((p_request).held_until > p_now, true)
$$;
comment on function internal.is_held(kith.emergency_requests, timestamptz) is 'Whether an operator holds a request.';

create or replace function internal.emergency_instants(
  p_request kith.emergency_requests, p_now timestamptz, out grants_at timestamptz, out ends_at timestamptz,
  out stands_still boolean
) returns record
  language plpgsql
  stable
as $$
declare
  v_standstill tstzrange;
begin
  grants_at := p_request.grants_at;
  stands_still := internal.is_held(p_request, p_now);
  if grants_at is not null then
    for v_standstill in select unnest(internal.standstills(p_request, p_now)) loop
      -- What begins after the grant delays nothing.
      exit when lower(v_standstill) >= grants_at;
      grants_at := grants_at + (upper(v_standstill) - lower(v_standstill));
      -- One that lasts reaches to p_now, and keeps grants_at ahead of it.
      stands_still := stands_still or upper(v_standstill) = p_now;
    end loop;
  end if;
  ends_at := p_request.ends_at + (grants_at - p_request.grants_at);
end
$$;
comment on function internal.emergency_instants(kith.emergency_requests, timestamptz) is
  'When a request grants access and until when, as known at p_now, and whether its wait stands still. Every access '
  'asks it, and the worker records what it says (E04, E06). Access is granted if the request has not ended, does not '
  'stand still, and grants_at <= p_now < ends_at. While the wait stands still, grants_at moves along. Null instants '
  'while the quorum gathers. For definer procedures.';

create or replace function internal.over_at(p_request kith.emergency_requests, p_now timestamptz) returns timestamptz
  language plpgsql
  stable
as $$
begin
  return case
    when p_request.waits_from is null then internal.gathers_until(p_request)
    else (internal.emergency_instants(p_request, p_now)).ends_at
  end;
end
$$;
comment on function internal.over_at(kith.emergency_requests, timestamptz) is
  'When a request ends by itself, as known at p_now: its grant runs out, or the quorum has not gathered in time. It is '
  'over then whether or not a worker has recorded it. For definer procedures.';

create or replace function internal.emergency_status(p_request kith.emergency_requests, p_now timestamptz) returns text
  language plpgsql
  stable
as $$
declare
  v_instants record;
begin
  if p_request.ended_at is not null then
    return case
      when p_request.end_reason in ('rejected', 'owner_returned', 'blocked') then 'rejected'
      when p_request.end_reason = 'withdrawn' then 'withdrawn'
      else 'ended'
    end;
  elsif p_request.waits_from is null then
    return case when internal.gathers_until(p_request) > p_now then 'gathering' else 'ended' end;
  end if;
  v_instants := internal.emergency_instants(p_request, p_now);
  return case
    when v_instants.grants_at > p_now then 'waiting'
    when v_instants.ends_at <= p_now then 'ended'
    when v_instants.stands_still then 'waiting'
    else 'granted'
  end;
end
$$;
comment on function internal.emergency_status(kith.emergency_requests, timestamptz) is
  'The status of a request at p_now: gathering, waiting, granted, ended, rejected or withdrawn. A granted request that '
  'an operator holds is waiting. For definer procedures.';

create or replace function internal.nominee_knows(p_request kith.emergency_requests, p_now timestamptz) returns boolean
  language plpgsql
  stable
as $$
declare
  v_at timestamptz := coalesce(p_request.ended_at, p_now);
begin
  return p_request.cause = 'request'
    or exists (
      select from kith.emergency_settings
      where tenant_id = p_request.tenant_id and nominee_id = p_request.nominee_id
        and coalesce(p_request.ended_at, 'infinity') > visible_since
    )
    or coalesce((internal.emergency_instants(p_request, v_at)).grants_at <= v_at, false);
end
$$;
comment on function internal.nominee_knows(kith.emergency_requests, timestamptz) is
  'Whether the nominee may know of a request: they asked, or the owner shows them their right and did so before the '
  'request ended, or access was granted. Nobody else learns from it that the owner is silent. For definer procedures.';

create or replace function internal.nominees_who_asked(p_request kith.emergency_requests, p_is_owner boolean)
  returns json
  language plpgsql
  stable
as $$
begin
  return (
    select coalesce(
      json_agg(
        json_build_object('id', nominee.id, 'display_name', internal.name_of_anybody(nominee.name)) order by nominee.id
      ),
      '[]'
    )
    from kith.nominees as nominee
    where nominee.tenant_id = p_request.tenant_id and nominee.id in (
      select p_request.nominee_id where p_request.cause = 'request'
      union
      select other.nominee_id from kith.emergency_requests as other
      where other.tenant_id = p_request.tenant_id and other.vault_id = p_request.vault_id and other.ended_at is null
        and other.cause = 'request' and other.required > 1 and p_request.required > 1 and p_request.ended_at is null
        and p_is_owner
    )
  );
end
$$;
comment on function internal.nominees_who_asked(kith.emergency_requests, boolean) is
  'The nominees who have asked in the quorum of a request, for the owner; for a nominee only themselves. For '
  'internal.emergency_json.';

create or replace function internal.emergency_json(
  p_request kith.emergency_requests, p_now timestamptz, p_is_owner boolean
)
  returns json
  language plpgsql
  stable
as $$
declare
  v_instants record := internal.emergency_instants(p_request, coalesce(p_request.ended_at, p_now));
  v_status text := internal.emergency_status(p_request, p_now);
  v_is_held boolean := p_request.ended_at is null and internal.is_held(p_request, p_now);
begin
  return json_build_object(
    'id', p_request.id,
    'vault_id', p_request.vault_id,
    'nominee_id', p_request.nominee_id,
    'vault', (
      select json_build_object('id', vault.id, 'name', vault.name)
      from kith.vaults as vault
      where vault.tenant_id = p_request.tenant_id and vault.id = p_request.vault_id
    ),
    'owner', internal.person_json(p_request.owner_id),
    'inside_since', (
      select internal.instant(min(session.opened_at))
      from kith.vault_sessions as session
      where session.tenant_id = p_request.tenant_id and session.vault_id = p_request.vault_id
        and session.kind = 'emergency' and session.request_id = p_request.id
        and session.locked_at is null and session.expires_at > p_now
    ),
    'nominee', (
      select json_build_object('id', nominee.id, 'display_name', internal.name_of_anybody(nominee.name))
      from kith.nominees as nominee
      where nominee.tenant_id = p_request.tenant_id and nominee.id = p_request.nominee_id
    ),
    'cause', p_request.cause,
    'status', v_status,
    'reason', p_request.reason,
    'missed_days', case when p_is_owner then p_request.missed_days end,
    'access_level', p_request.access_level,
    'requested_at', internal.instant(p_request.requested_at),
    'grants_at', internal.instant(v_instants.grants_at),
    'ends_at', internal.instant(v_instants.ends_at),
    'asked', internal.nominees_who_asked(p_request, p_is_owner),
    'required', p_request.required,
    'held', v_is_held,
    'held_until', case when v_is_held then internal.instant(p_request.held_until) end,
    'ended_at', internal.instant(
      coalesce(p_request.ended_at, case when v_status = 'ended' then internal.over_at(p_request, p_now) end)
    ),
    'delays', (
      select coalesce(
        json_agg(
          json_build_object(
            'cause', delay.cause, 'began_at', internal.instant(delay.began_at),
            'ended_at', internal.instant(delay.ended_at), 'grants_at', internal.instant(delay.grants_at)
          )
          order by delay.id
        ),
        '[]'
      )
      from kith.emergency_delays as delay
      where delay.tenant_id = p_request.tenant_id and delay.request_id = p_request.id
    )
  );
end
$$;
comment on function internal.emergency_json(kith.emergency_requests, timestamptz, boolean) is
  'A request for emergency access in the API''s representation, for the owner or for the nominee, with the vault''s '
  'name, its owner, and since when the nominee has been inside. A nominee learns that the request was rejected, and '
  'when, as the notification says that they got then, but not here whether the owner checked in, said no or blocked '
  'them. Nobody learns why an operator holds it. For definer procedures.';

create or replace function internal.emit_emergency_request(p_request kith.emergency_requests, p_now timestamptz)
  returns void
  language plpgsql
as $$
begin
  insert into kith.events (tenant_id, id, user_id, type, subject_id, parent_id)
  select p_request.tenant_id, internal.uuid7(p_now), person.user_id, 'emergency_request', p_request.id,
    p_request.vault_id
  from (
    select p_request.owner_id as user_id
    union
    select p_request.user_id where internal.nominee_knows(p_request, p_now)
  ) as person;
end
$$;
comment on function internal.emit_emergency_request(kith.emergency_requests, timestamptz) is
  'Emits an event to the owner, and to the nominee who may know of it, when a request for emergency access is new or '
  'has changed. For definer procedures.';

create or replace function internal.first_grant(
  p_request kith.emergency_requests, p_grants_at timestamptz, p_now timestamptz
)
  returns timestamptz
  language plpgsql
  stable
as $$
begin
  return (
    select least(p_grants_at, min(instants.grants_at))
    from kith.emergency_requests as other
    cross join lateral internal.emergency_instants(other, p_now) as instants
    where other.tenant_id = p_request.tenant_id and other.nominee_id = p_request.nominee_id and other.id <> p_request.id
      and other.ended_at is null and instants.grants_at > p_now
  );
end
$$;
comment on function internal.first_grant(kith.emergency_requests, timestamptz, timestamptz) is
  'When the nominee of a request gets in first: at p_grants_at, the grant of this request, or at that of their other '
  'open request if it is still ahead and earlier. The owner must not be told a later instant. For '
  'internal.tell_emergency.';

create or replace function internal.every_check_in_stops(
  p_tenant_id integer, p_owner_id uuid, p_reject_on_check_in boolean, p_sources text[]
) returns boolean
  language plpgsql
  stable
as $$
begin
  return p_reject_on_check_in and p_sources @> array_remove(internal.check_in_sources(), 'sign') and (
    'sign' = any (p_sources) or not exists (
      select from kith.signs as thing
      where thing.tenant_id = p_tenant_id and thing.user_id = p_owner_id and thing.kind = 'check_in'
    )
  );
end
$$;
comment on function internal.every_check_in_stops(integer, uuid, boolean, text[]) is
  'Whether the owner of a vault can rely on a check-in to end a wait with these terms, however they check in (J05): '
  'every source counts that they have. A thing that checks in is one of them only if they have made its address. '
  'Otherwise they are told to say no, which always helps: whoever reads "unless you check in" and presses a button '
  'that does not count must not believe that it did.';

create or replace function internal.tell_emergency(
  p_request kith.emergency_requests, p_type text, p_to text, p_detail text, p_now timestamptz
) returns uuid
  language plpgsql
as $$
declare
  v_tenant integer := p_request.tenant_id;
  v_reader uuid := case p_to when 'owner' then p_request.owner_id else p_request.user_id end;
  v_instants record := internal.emergency_instants(p_request, p_now);
  v_grants_at timestamptz := v_instants.grants_at;
  v_vault kith.vaults;
  v_name text;
  v_data jsonb;
begin
  select * into v_vault from kith.vaults where tenant_id = v_tenant and id = p_request.vault_id;
  -- A vault's name must not become a way to message somebody who has blocked the owner (X22).
  if not exists (select from kith.users where tenant_id = v_tenant and id = v_reader and deleted_at is null)
    or p_to = 'nominee' and p_request.cause = 'silence' and exists (
    select from kith.blocks where tenant_id = v_tenant and user_id = v_reader and blocked_id = p_request.owner_id
  ) then
    return null;
  elsif p_to = 'owner' then
    select name into v_name from kith.nominees where tenant_id = v_tenant and id = p_request.nominee_id;
    v_grants_at := internal.first_grant(p_request, v_grants_at, p_now);
  else
    select display_name into v_name from kith.users where tenant_id = v_tenant and id = p_request.owner_id;
  end if;
  v_data := internal.vault_notification_data(
    v_vault, case p_to when 'owner' then p_request.user_id else p_request.owner_id end
  )
    || jsonb_strip_nulls(jsonb_build_object(
      'request_id', p_request.id, 'nominee_id', p_request.nominee_id, 'to', p_to, 'detail', p_detail,
      'check_in_stops', case
        when p_to = 'owner'
          and not internal.every_check_in_stops(
            v_tenant, p_request.owner_id, p_request.reject_on_check_in, p_request.sources
          )
          then false
      end,
      'grants_at',
      case when p_type in ('emergency_requested', 'emergency_reminder') then internal.instant(v_grants_at) end,
      'since_at', case p_detail when 'late' then internal.instant(v_instants.grants_at) end,
      'ends_at', case
        when p_type in ('emergency_approved', 'emergency_opened') then internal.instant(v_instants.ends_at)
      end,
      'missed_days', case when p_detail ~ '^[0-9]+$' then p_detail::integer end
    ));
  perform internal.notify(
    p_type, array[v_tenant], array[v_reader], array[v_data], p_now,
    p_people => array[case p_to when 'owner' then p_request.user_id else p_request.owner_id end],
    p_names => array[v_name]
  );
  return (
    select id from kith.notifications
    where tenant_id = v_tenant and user_id = v_reader and id >= internal.first_uuid7(p_now) and type = p_type
      and data ->> 'request_id' = p_request.id::text
    order by id desc
    limit 1
  );
end
$$;
comment on function internal.tell_emergency(kith.emergency_requests, text, text, text, timestamptz) is
  'Tells the owner or the nominee (p_to) of a request, and returns the notification, or null for an ended account. The '
  'times are those of internal.emergency_instants; the owner is told of the nominee''s first grant. p_detail selects a '
  'text: the number of missed days, or moved for a new instant, for emergency_requested; entered, or late for a grant '
  'that is told late (internal.grant_detail), for emergency_opened; returned, withdrawn, not_reached, stopped (the '
  'quorum broke) or ended for emergency_rejected. For definer procedures.';

create or replace function internal.next_emergency_notice(p_request kith.emergency_requests, p_now timestamptz)
  returns timestamptz
  language plpgsql
  stable
as $$
declare
  v_instants record := internal.emergency_instants(p_request, p_now);
begin
  if v_instants.grants_at <= p_now then
    return case when p_request.grant_told_at is null then p_now else v_instants.ends_at end;
  end if;
  return (
    select least(min(notice.at), v_instants.grants_at)
    from internal.emergency_notice_instants(p_request.waits_from, v_instants.grants_at) as notice (at)
    where notice.at > p_now
  );
end
$$;
comment on function internal.next_emergency_notice(kith.emergency_requests, timestamptz) is
  'When the worker has something to tell or to record about a request next, after p_now: a notice, the grant, or its '
  'end. Null while the quorum gathers. For definer procedures.';
