create or replace function internal.notification_types()
  returns table (n integer, type text, breaks_through boolean, channels text[])
  language sql
  immutable
  parallel safe
as $$
  select row_number() over ()::integer, known.type, known.breaks_through,
    case when known.is_urgent then array['push', 'email'] else array['push'] end
  from (values
    ('connection_request', false, false),
    ('connection_requested', false, false),
    ('connection_accepted', false, false),
    ('connection_paused', false, false),
    ('connection_resumed', false, false),
    ('connection_removed', false, false),
    ('ping_due', true, false),
    ('ping_reminder', true, false),
    ('ping_completed', false, false),
    ('ping_missed', true, true),
    ('ping_all_clear', true, false),
    ('subscription_lapsing', false, true),
    ('break_started', false, false),
    ('break_ended', false, false),
    ('vault_opened', false, false),
    ('vault_locked', false, false),
    ('nominee_invited', false, false),
    ('nominee_revoked', false, false),
    ('nominee_changed', false, false),
    ('nominee_accepted', false, false),
    ('nominee_declined', false, false),
    ('transfer_requested', false, false),
    ('transfer_accepted', false, false),
    ('transfer_declined', false, false),
    ('message_received', false, false),
    ('emergency_requested', true, true),
    ('emergency_reminder', true, true),
    ('emergency_approved', true, true),
    ('emergency_rejected', true, true),
    ('emergency_opened', true, true)
  ) as known (type, breaks_through, is_urgent)
$$;
comment on function internal.notification_types() is
  'Every type of notification, in the order of the documentation: whether it breaks through quiet hours (and therefore cannot be switched off entirely), and its default channels. SMS is never a default, because a text message costs the tenant money.';
revoke all on function internal.notification_types() from public;
grant execute on function internal.notification_types() to kith_api, kith_worker;

create or replace function internal.quiet_until(p_at timestamptz, p_starts_at time, p_ends_at time, p_time_zone text) returns timestamptz
  language plpgsql
  immutable
  parallel safe
as $$
declare
  v_date date := internal.local_date(p_at, p_time_zone);
  v_time time := (p_at at time zone p_time_zone)::time;
  v_until timestamptz;
begin
  if p_starts_at < p_ends_at and (v_time < p_starts_at or v_time >= p_ends_at)
    or p_starts_at > p_ends_at and v_time < p_starts_at and v_time >= p_ends_at
  then
    return p_at;
  end if;
  if v_time >= p_ends_at then
    v_date := v_date + 1;
  end if;
  -- A date that the zone skipped has no such time; the next date has.
  v_until := coalesce(
    internal.local_instant(v_date, p_ends_at, p_time_zone), internal.local_instant(v_date + 1, p_ends_at, p_time_zone)
  );
  -- In the hour that clocks show twice, the end is the first of the two instants and may be past.
  return greatest(v_until, p_at);
end
$$;
comment on function internal.quiet_until(timestamptz, time, time, text) is
  'When the quiet hours in effect at p_at end, or p_at itself if none are. Hours that end before they start run past midnight.';
revoke all on function internal.quiet_until(timestamptz, time, time, text) from public;

create or replace function internal.release_held(p_until timestamptz, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  -- Nothing is held longer than a day.
  v_first uuid := internal.first_uuid7(p_now - interval '2 days');
begin
  perform internal.require_user();
  update kith.deliveries as delivery
  set next_attempt_at = p_until, expires_at = p_until + interval '1 day'
  from (
    select waiting.id
    from kith.notifications as notification
    join kith.deliveries as waiting on waiting.tenant_id = v_tenant and waiting.notification_id = notification.id and waiting.id >= v_first
    where notification.tenant_id = v_tenant and notification.user_id = v_user and notification.id >= v_first
      and waiting.status = 'queued' and waiting.attempts = 0 and not waiting.is_urgent and waiting.next_attempt_at > p_until
    order by waiting.id
    for no key update of waiting skip locked
  ) as held
  where delivery.tenant_id = v_tenant and delivery.id = held.id;
end
$$;
comment on function internal.release_held(timestamptz, timestamptz) is
  'Makes the deliveries that the current user''s quiet hours hold back due at p_until, unless they are due earlier. They expire a day later, as if they had been written then. For definer procedures.';
revoke all on function internal.release_held(timestamptz, timestamptz) from public;

create or replace function internal.preferences_json() returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  return (
    select json_agg(
      json_build_object('type', known.type, 'channels', coalesce(preference.channels, known.channels)) order by known.n
    )
    from internal.notification_types() as known
    left join kith.notification_preferences as preference
      on preference.tenant_id = v_tenant and preference.user_id = v_user and preference.type = known.type
  );
end
$$;
comment on function internal.preferences_json() is
  'The current user''s channels for each type of notification: their choice, or the default.';
revoke all on function internal.preferences_json() from public;
grant execute on function internal.preferences_json() to kith_api;

create or replace function internal.quiet_hours_json() returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  return (
    select json_build_object('from', to_char(starts_at, 'HH24:MI'), 'until', to_char(ends_at, 'HH24:MI'))
    from kith.quiet_hours
    where tenant_id = v_tenant and user_id = v_user
  );
end
$$;
comment on function internal.quiet_hours_json() is 'The current user''s quiet hours, or null.';
revoke all on function internal.quiet_hours_json() from public;
grant execute on function internal.quiet_hours_json() to kith_api;
