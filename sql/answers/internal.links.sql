-- The links by which a sender checks in without a sign-in (J01).

create or replace function internal.link_ends_at(p_ping_on date, p_profile kith.sender_profiles) returns timestamptz
  language plpgsql
  stable
as $$
begin
  -- A zone can have skipped a date.
  return coalesce(
    internal.local_instant(p_ping_on + 1, p_profile.ping_time, p_profile.time_zone),
    internal.local_instant(p_ping_on + 2, p_profile.ping_time, p_profile.time_zone)
  );
end
$$;
comment on function internal.link_ends_at(date, kith.sender_profiles) is
  'When a link of a date ends at the earliest: at the time of the next date''s ping, whether there is one or a break.';

create or replace function internal.is_link_open(
  p_link kith.check_in_links, p_profile kith.sender_profiles, p_now timestamptz
)
  returns boolean
  language plpgsql
  stable
as $$
declare
  v_ends_at timestamptz := internal.link_ends_at(p_link.ping_on, p_profile);
  v_today date := internal.local_date(p_now, p_profile.time_zone);
  v_later date[] := array(
    select on_date
    from unnest(array[1, 0, -1, -2, -3, -4, -5, -6, -7, -8]) as days (n),
      lateral (select v_today + days.n as on_date) as day
    where on_date > p_link.ping_on
  );
begin
  return coalesce(p_now < p_link.created_at + interval '7 days', false) and (
    p_now < v_ends_at
    or not exists (
      select from kith.pings as ping
      where ping.tenant_id = p_link.tenant_id and ping.ping_on = any (v_later)
        and ping.ping_on >= internal.current_pings_since()
        and ping.sender_id = p_link.user_id and ping.asked_at is not null
    )
    or exists (
      select from kith.alarms
      where tenant_id = p_link.tenant_id and sender_id = p_link.user_id and resolved_at is null and kind <> 'drill'
        and opened_at < v_ends_at
    )
    or exists (
      select from kith.asks
      where tenant_id = p_link.tenant_id and sender_id = p_link.user_id and ended_at is null and asked_at < v_ends_at
    )
  );
end
$$;
comment on function internal.is_link_open(kith.check_in_links, kith.sender_profiles, timestamptz) is
  'Whether a link of a sender with this profile is good: until they have been asked for the ping of a later date, '
  'which brings another link, and beyond that while an alarm or a question from before internal.link_ends_at is open. '
  'At most for seven days.';

create or replace function internal.checked_in_at(
  p_used_at timestamptz, p_check_in_at timestamptz, p_zone text, p_now timestamptz
)
  returns text
  language sql
  stable
  parallel safe
as $$
  select to_char(
    case (p_now at time zone p_zone)::date
      when (p_used_at at time zone p_zone)::date then p_used_at
      when (p_check_in_at at time zone p_zone)::date then p_check_in_at
    end at time zone p_zone, 'YYYY-MM-DD"T"HH24:MI'
  )
$$;
comment on function internal.checked_in_at(timestamptz, timestamptz, text, timestamptz) is
  'The local time of a check-in as the page of a link shows it: by that link, or else the sender''s newest one. Null '
  'if neither was today.';

create or replace function internal.link_json(p_link kith.check_in_links, p_now timestamptz) returns jsonb
  language plpgsql
  stable
as $$
declare
  v_person kith.users;
  v_profile kith.sender_profiles;
  v_tenant kith.tenants;
  v_is_open boolean;
  v_is_needed boolean;
begin
  select * into v_tenant from kith.tenants where tenant_id = p_link.tenant_id and deleted_at is null;
  select * into v_person from kith.users
  where tenant_id = p_link.tenant_id and id = p_link.user_id and deleted_at is null;
  select * into v_profile from kith.sender_profiles
  where tenant_id = p_link.tenant_id and user_id = p_link.user_id and ended_at is null;
  if v_tenant.tenant_id is null or v_person.id is null then
    perform internal.refuse_not_found();
  end if;
  v_is_open := v_profile.user_id is not null and internal.is_link_open(p_link, v_profile, p_now);
  -- A reader closes a page that says that they have checked in.
  v_is_needed := v_is_open and (
    internal.press_changes(p_link.tenant_id, p_link.user_id, v_profile.last_check_in_at, p_now)
    or internal.has_alarm_since(p_link.tenant_id, p_link.user_id, '-infinity')
  );
  return jsonb_build_object(
    'tenant_id', v_tenant.tenant_id, 'slug', v_tenant.slug, 'brand_name', v_tenant.brand_name,
    'brand_color', v_tenant.brand_color, 'brand_mark', internal.brand_mark_path(v_tenant.slug, v_tenant.brand_mark),
    'wording', internal.wording(v_tenant), 'locale', v_person.locale,
    'time_zone', v_person.time_zone, 'phone', v_person.phone,
    'is_open', v_is_open
  ) || case
    when v_is_open then jsonb_build_object(
      'first_name', internal.first_name(v_person.display_name),
      'checked_in_at',
      case
        when not v_is_needed
          then internal.checked_in_at(p_link.used_at, v_profile.last_check_in_at, v_person.time_zone, p_now)
      end,
      'today', (p_now at time zone v_person.time_zone)::date,
      'is_calling', internal.is_calling_since(p_link.tenant_id, p_link.user_id, '-infinity', p_now),
      'is_heard', internal.is_heard(p_link.tenant_id, p_link.user_id)
    )
    else '{}'
  end;
end
$$;
comment on function internal.link_json(kith.check_in_links, timestamptz) is
  'What the page of a link shows: {tenant_id, slug, brand_name, brand_color, brand_mark, wording, locale, time_zone, '
  'phone, is_open}, where the zone and the phone number only choose an emergency number, and while it is open '
  '{first_name, checked_in_at, today, is_calling, is_heard}: the local time of today''s check-in '
  '(internal.checked_in_at), unless a ping, a question, an alarm or anything else waits for another one, whether a '
  'call for help of the person is open, and whether one would reach anybody. Nothing of anybody else. Raises not_found '
  'for an ended account or a deleted tenant.';

create or replace function internal.end_links(p_user_id uuid) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  delete from kith.check_in_links where tenant_id = v_tenant and user_id = p_user_id;
  delete from kith.alarm_links where tenant_id = v_tenant and receiver_id = p_user_id;
end
$$;
comment on function internal.end_links(uuid) is
  'Ends all links of a user when one of their contacts has changed: whoever has the old phone checks nobody in any '
  'more, and acts in no alarm. For definer procedures.';

create or replace function internal.links_json() returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  return (
    select coalesce(
      json_agg(
        json_build_object(
          'date', ping_on, 'created_at', internal.instant(created_at), 'used_at', internal.instant(used_at)
        )
        order by created_at, ping_on
      ), '[]'
    )
    from kith.check_in_links
    where tenant_id = v_tenant and user_id = v_user
  );
end
$$;
comment on function internal.links_json()
  is 'The current user''s links of the last week, without their addresses, for the export.';
grant execute on function internal.links_json() to kith_api;

create or replace function internal.has_alarm_since(p_tenant_id integer, p_user_id uuid, p_since timestamptz)
  returns boolean
  language plpgsql
  stable
as $$
begin
  return exists (
    select from kith.alarms as alarm
    where alarm.tenant_id = p_tenant_id and alarm.sender_id = p_user_id and alarm.resolved_at is null
      and alarm.kind <> 'drill' and greatest(alarm.opened_at, internal.last_called_at(alarm)) >= p_since
  );
end
$$;
comment on function internal.has_alarm_since(integer, uuid, timestamptz) is
  'Whether an alarm of a user has opened since an instant, or they have called for help in it, and it is not over. For '
  'api.use_check_in_link and internal.link_json.';

create or replace function internal.is_calling_since(
  p_tenant_id integer, p_user_id uuid, p_since timestamptz, p_now timestamptz
)
  returns boolean
  language plpgsql
  stable
as $$
begin
  return exists (
    select from kith.alarms as alarm
    where alarm.tenant_id = p_tenant_id and alarm.sender_id = p_user_id and alarm.resolved_at is null
      and alarm.kind = 'help' and alarm.expires_at > p_now and internal.last_called_at(alarm) >= p_since
  );
end
$$;
comment on function internal.is_calling_since(integer, uuid, timestamptz, timestamptz) is
  'Whether a call for help of a user is open in which they have called since an instant. For api.use_check_in_link and '
  'internal.link_json.';
