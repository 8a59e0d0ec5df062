-- An owner's silence: how many local days in a row they have missed. It is counted from the pings each time and kept
-- nowhere.

create or replace function internal.missed_row(
  p_tenant_id integer, p_owner_id uuid, p_since timestamptz, p_now timestamptz
)
  returns table (days bigint, newest_deadline_at timestamptz)
  language sql
  stable
as $$
  with missed as materialized (
    select near.ping_on, min(near.scheduled_at) as scheduled_at, max(near.deadline_at) as deadline_at,
      bool_or(near.is_asked) as is_asked
    from (
      select ping.ping_on, ping.scheduled_at, ping.deadline_at,
        ping.asked_at is not null and ping.judge_at is null and ping.is_unreached is null as is_asked
      from kith.pings as ping
      where ping.tenant_id = p_tenant_id and ping.sender_id = p_owner_id and ping.status = 'missed'
        and ping.deadline_at > p_since and ping.deadline_at <= p_now
        -- Not a further condition, but partitions are pruned by the date.
        and ping.ping_on >= (p_since at time zone 'UTC')::date - 2
        and ping.ping_on <= (p_now at time zone 'UTC')::date + 1
      order by ping.deadline_at desc
      limit 50000
    ) as near
    group by near.ping_on
    order by near.ping_on desc
    limit 40
  ), stopped as materialized (
    -- When nobody could check in. The rows are few. A ping with a deadline after p_since can be half a day older.
    select range_agg(stop.at) as at
    from (
      select tstzrange(outage.began_at, outage.ended_at) as at
      from internal.outages_of(p_tenant_id) as outage
      where outage.component = 'server' and (outage.ended_at is null or outage.ended_at > p_since - interval '1 day')
      union all
      select tstzrange(suspension.began_at, suspension.ended_at)
      from kith.suspensions as suspension
      where suspension.tenant_id = p_tenant_id and suspension.ended_at > p_since - interval '1 day'
      union all
      select tstzrange(tenant.suspended_at, null)
      from kith.tenants as tenant
      where tenant.tenant_id = p_tenant_id and tenant.suspended_at is not null
    ) as stop
  ), judged as materialized (
    select missed.ping_on, missed.deadline_at,
      internal.counts_as_missed(
        array['missed'] || other.statuses,
        coalesce(stopped.at && tstzrange(missed.scheduled_at, missed.deadline_at), false),
        missed.is_asked and internal.was_reached(p_tenant_id, p_owner_id, missed.ping_on, missed.scheduled_at)
      ) as counts
    from missed
    cross join stopped
    cross join lateral (
      select array_agg(distinct ping.status) as statuses
      from kith.pings as ping
      where ping.tenant_id = p_tenant_id and ping.ping_on = missed.ping_on and ping.sender_id = p_owner_id
        and ping.status <> 'missed' and ping.deadline_at > p_since
        -- Every completed ping has a check-in, so that only one completed early, by the last check-in, has a later
        -- deadline than that. And only pings of today, or yesterday's, can be open. The dates between need not be read.
        and (
          missed.ping_on <= (p_since at time zone 'UTC')::date + 2
          or missed.ping_on >= (p_now at time zone 'UTC')::date - 2
        )
    ) as other
  )
  select count(*) filter (where judged.counts), max(judged.deadline_at) filter (where judged.counts)
  from judged
  where judged.ping_on > coalesce(
    (select max(broken.ping_on) from judged as broken where not broken.counts), '-infinity'
  )
$$;
comment on function internal.missed_row(integer, uuid, timestamptz, timestamptz) is
  'The local days in a row, newest first, on which a sender missed every ping (E03), at most 40, and the deadline of '
  'the newest. Only pings with a deadline after p_since, the last sign of life, are looked at. '
  'internal.counts_as_missed judges each day; days on which the sender was not asked in time, or only by channels that '
  'took nothing, days on which Kith could not take a check-in, or the tenant was suspended, neither count nor break '
  'the row, and neither do days without a ping. Returns a table of one row, which the planner can inline.';

create or replace function internal.may_have_reached(
  p_tenant_id integer, p_id uuid, p_user_id uuid, p_delivery_status text
)
  returns boolean
  language plpgsql
  stable
as $$
begin
  -- Where it was to go nowhere, they have chosen the app alone, or no channel of theirs works.
  return p_delivery_status <> 'failed' and not exists (
    select from kith.deliveries as delivery where delivery.tenant_id = p_tenant_id and delivery.notification_id = p_id
  ) and (p_delivery_status <> 'dropped' or internal.can_be_asked(p_tenant_id, p_user_id));
end
$$;
comment on function internal.may_have_reached(integer, uuid, uuid, text) is
  'Whether a notice that no channel has taken, and nobody has read, may have reached its reader: in the app, or by the '
  'tenant''s own server. For internal.was_reached and internal.unreached.';

create or replace function internal.was_reached(
  p_tenant_id integer, p_user_id uuid, p_ping_on date, p_scheduled_at timestamptz
)
  returns boolean
  language plpgsql
  stable
as $$
begin
  return coalesce(
    (
      select bool_or(
        notice.sent_at is not null or notice.read_at is not null
          or internal.may_have_reached(notice.tenant_id, notice.id, notice.user_id, notice.delivery_status)
      )
      from kith.notifications as notice
      where notice.tenant_id = p_tenant_id and notice.user_id = p_user_id
        and notice.id >= internal.first_uuid7(p_scheduled_at - interval '1 minute')
        and notice.id < internal.first_uuid7(p_scheduled_at + interval '2 days')
        and notice.type in ('ping_due', 'ping_reminder') and notice.data ->> 'date' = p_ping_on::text
    ),
    true
  );
end
$$;
comment on function internal.was_reached(integer, uuid, date, timestamptz) is
  'Whether a sender was told by some channel, or in the app alone if they chose that, that the pings of a date were '
  'due (E03, X37): false if all channels have failed for every notice, or there was none. A sender at the screen needs '
  'none.';

create or replace function internal.unreached(p_pings kith.pings[])
  returns table (tenant_id integer, sender_id uuid, ping_on date, scheduled_at timestamptz)
  language sql
  stable
as $$
  select asked.*
  from (
    select distinct ping.tenant_id, ping.sender_id, ping.ping_on, ping.scheduled_at from unnest(p_pings) as ping
  ) as asked
  cross join lateral (
    select bool_or(
        notice.sent_at is not null or notice.read_at is not null
          or internal.may_have_reached(notice.tenant_id, notice.id, notice.user_id, notice.delivery_status)
      ) as was_reached
    from kith.notifications as notice
    where notice.tenant_id = asked.tenant_id and notice.user_id = asked.sender_id
      -- With the user, so that no statistics make the primary key look as good, by which all of the tenant's would be
      -- read.
      and (notice.user_id, notice.id) >= (
        asked.sender_id, internal.first_uuid7(asked.scheduled_at - interval '1 minute')
      )
      and (notice.user_id, notice.id) < (asked.sender_id, internal.first_uuid7(asked.scheduled_at + interval '2 days'))
      and notice.type in ('ping_due', 'ping_reminder') and notice.data ->> 'date' = asked.ping_on::text
    offset 0
  ) as told
  where not coalesce(told.was_reached, true)
$$;
comment on function internal.unreached(kith.pings[]) is
  'Those senders of the given pings whom no notice of them has reached (X37), as internal.was_reached, in one '
  'statement. For internal.judge_pings, at the moment at which a ping is missed: the deliveries that show it are '
  'deleted long before the ping. Returns a table, which the planner can inline.';

create or replace function internal.since_sign_of_life(p_at timestamptz, p_now timestamptz) returns timestamptz
  language sql
  stable
  parallel safe
as $$
  select coalesce(greatest(p_at, p_now - interval '400 days'), p_now - interval '400 days')
$$;
comment on function internal.since_sign_of_life(timestamptz, timestamptz) is
  'The instant after which a silence is counted: the last sign of life, and no more than 400 days ago, which is longer '
  'than any silence that begins a wait.';

create or replace function internal.counts_anew_after(p_past kith.emergency_requests, p_sign_of_life text)
  returns boolean
  language sql
  immutable
  parallel safe
as $$
  select (p_past).end_reason = 'owner_returned' and (p_past).sign_of_life in ('check_in', p_sign_of_life)
$$;
comment on function internal.counts_anew_after(kith.emergency_requests, text) is
  'Whether a silence needs no newly missed day after a request that has ended: the owner''s sign of life ended it, so '
  'all days that are counted come after that sign. It may be older than the end (J07), with days missed between them. '
  'p_sign_of_life is that of the right. Without the sign, or after one that the right does not count, the days of the '
  'old silence would begin it again.';

create or replace function internal.silent_rights(p_tenants integer[], p_owners uuid[], p_now timestamptz)
  returns table (settings kith.emergency_settings, user_id uuid, days bigint)
  language sql
  stable
as $$
  select given, nominee.user_id, silence.days
  from unnest(p_tenants, p_owners) as silent (tenant_id, owner_id)
  join kith.emergency_settings as given
    on given.tenant_id = silent.tenant_id and given.owner_id = silent.owner_id and given.after_missed_days is not null
      and given.ended_at is null
  cross join lateral (
    select one.* from kith.nominees as one where one.tenant_id = given.tenant_id and one.id = given.nominee_id offset 0
  ) as nominee
  cross join lateral (
    select one.* from kith.vaults as one where one.tenant_id = given.tenant_id and one.id = given.vault_id offset 0
  ) as vault
  join kith.tenants as tenant
    on tenant.tenant_id = given.tenant_id and tenant.status = 'active' and tenant.deleted_at is null
  join kith.sender_profiles as profile
    on profile.tenant_id = given.tenant_id and profile.user_id = given.owner_id and profile.ended_at is null
  left join kith.signs_of_life as life on life.tenant_id = given.tenant_id and life.user_id = given.owner_id
  cross join lateral (
    select life_sign.at, internal.since_sign_of_life(life_sign.at, p_now) as since
    from (
      select greatest(
        profile.last_check_in_at, life.answered_at, case given.sign_of_life when 'any_use' then life.seen_at end
      ) as at
    ) as life_sign
    offset 0
  ) as sign
  cross join lateral internal.missed_row(given.tenant_id, given.owner_id, sign.since, p_now) as silence
  where nominee.status = 'accepted' and nominee.user_id is not null and not nominee.bound_by_link
    and vault.owner_id = given.owner_id and vault.deleted_at is null and not exists (
      select from kith.blocks as block
      where block.tenant_id = given.tenant_id and block.user_id = given.owner_id and block.blocked_id = nominee.user_id
    )
    -- A grant that has run out may not be recorded yet. A nominee who waits for others of a quorum need not wait for
    -- them now.
    and not exists (
      select from kith.emergency_requests as request
      where request.tenant_id = given.tenant_id and request.nominee_id = given.nominee_id and request.ended_at is null
        and internal.emergency_status(request, p_now) in ('waiting', 'granted')
    )
    -- A change of zone or ping time makes dates pass faster, but not days. Two hours are enough for a change of clocks.
    and coalesce(sign.at < p_now - make_interval(days => given.after_missed_days - 1, hours => -2), true)
    and internal.begins_wait(
      silence.days::integer, given.after_missed_days, silence.newest_deadline_at,
      greatest(
        (
          select max(over.at)
          from kith.emergency_requests as request
          cross join lateral (select internal.over_at(request, p_now) as at) as over
          where request.tenant_id = given.tenant_id and request.nominee_id = given.nominee_id
            and request.ended_at is null and over.at <= p_now
        ),
        (
          select max(past.ended_at)
          from kith.emergency_requests as past
          where past.tenant_id = given.tenant_id and past.nominee_id = given.nominee_id and past.ended_at is not null
            and not internal.counts_anew_after(past, given.sign_of_life)
        )
      )
    )
$$;
comment on function internal.silent_rights(integer[], uuid[], timestamptz) is
  'The rights of the given owners whose wait begins now because the owner has been silent for long enough, with the '
  'nominee''s account and the number of missed days. Leaves out suspended and deleted tenants, nominees without '
  'access, whom the owner has not confirmed or has blocked, and senders who have ended their profile. Returns a table, '
  'which the planner can inline.';

create or replace function internal.note_misses(p_pings kith.pings[], p_now timestamptz) returns void
  language plpgsql
as $$
begin
  with missed as materialized (
    select life.tenant_id, life.user_id
    from (
      select distinct ping.tenant_id, ping.sender_id from unnest(p_pings) as ping where ping.status = 'missed'
    ) as sender
    join kith.signs_of_life as life on life.tenant_id = sender.tenant_id and life.user_id = sender.sender_id
    where exists (
      select from kith.emergency_settings as given
      where given.tenant_id = sender.tenant_id and given.owner_id = sender.sender_id
        and given.after_missed_days is not null and given.ended_at is null
    )
    order by life.tenant_id, life.user_id
    for no key update of life
  )
  update kith.signs_of_life as life
  set recount_at = p_now
  from missed
  where life.tenant_id = missed.tenant_id and life.user_id = missed.user_id;
end
$$;
comment on function internal.note_misses(kith.pings[], timestamptz) is
  'Asks worker.begin_emergency_waits to count the days of the senders who have just missed a ping and have given '
  'somebody a right that begins by silence. So it never looks at anybody else. For worker.miss_pings.';
