create or replace function internal.is_stuck(p_kind text, p_reports integer) returns boolean
  language sql
  immutable
  parallel safe
as $$
  select p_kind = 'check_in' and p_reports > 20
$$;
comment on function internal.is_stuck(text, integer) is
  'Whether a button reports by itself: more than twenty times, in different minutes, without six hours of silence. '
  'Whoever presses one so often has checked in by the first press.';
grant execute on function internal.is_stuck(text, integer) to kith_api;

create or replace function internal.sign_json(
  p_id uuid, p_name text, p_kind text, p_allow_get boolean, p_last_used_at timestamptz, p_reports integer
) returns json
  language sql
  stable
  parallel safe
as $$
  select json_build_object(
    'id', p_id, 'name', p_name, 'kind', p_kind, 'allow_get', p_allow_get,
    'last_used_at', internal.instant(p_last_used_at), 'stuck', internal.is_stuck(p_kind, p_reports)
  )
$$;
comment on function internal.sign_json(uuid, text, text, boolean, timestamptz, integer) is
  'A sign as its owner sees it, without its address. From columns, because kith_api may not read the hash of the '
  'token.';
grant execute on function internal.sign_json(uuid, text, text, boolean, timestamptz, integer) to kith_api;

create or replace function internal.signs_json() returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  return (
    select coalesce(json_agg(internal.sign_json(id, name, kind, allow_get, last_used_at, reports) order by id), '[]')
    from kith.signs
    where tenant_id = v_tenant and user_id = v_user
  );
end
$$;
comment on function internal.signs_json() is 'The signs of the current user, oldest first; at most 10.';
grant execute on function internal.signs_json() to kith_api;

create or replace function internal.show_activity(p_tenant_id integer, p_user_id uuid, p_now timestamptz) returns void
  language plpgsql
as $$
begin
  insert into kith.events (tenant_id, id, user_id, type, subject_id)
  select p_tenant_id, internal.uuid7(p_now), connection.receiver_id, 'connection', connection.id
  from kith.connections as connection
  where connection.tenant_id = p_tenant_id and connection.sender_id = p_user_id and connection.status = 'active'
    and connection.activity_shared_since is not null;
end
$$;
comment on function internal.show_activity(integer, uuid, timestamptz) is
  'P11: shows an activity on the dashboards of the receivers with whom the sender shares it. For api.report_sign.';

create or replace function internal.reports_with(p_sign kith.signs, p_now timestamptz) returns integer
  language plpgsql
  stable
as $$
begin
  return case when p_now < p_sign.last_used_at + interval '6 hours' then p_sign.reports + 1 else 1 end;
end
$$;
comment on function internal.reports_with(kith.signs, timestamptz) is
  'How many reports of a sign there have been since the last six hours of silence, with one at p_now. For '
  'api.report_sign.';

create or replace function internal.is_merged_report(p_sign kith.signs, p_now timestamptz) returns boolean
  language plpgsql
  stable
as $$
begin
  if p_sign.kind = 'activity' then
    return coalesce(p_sign.last_used_at > p_now - interval '1 minute', false)
      -- Receivers see nothing from before it was shared with them, nor from a pause (internal.own_connections).
      and not exists (
        select from kith.connections
        where tenant_id = p_sign.tenant_id and sender_id = p_sign.user_id and status = 'active'
          and activity_shared_since is not null and greatest(activity_shared_since, activated_at) > p_sign.last_used_at
      );
  end if;
  return coalesce(
    floor(extract(epoch from p_sign.last_used_at) / 60) = floor(extract(epoch from p_now) / 60)
      and (
        internal.is_stuck(p_sign.kind, p_sign.reports)
        or not internal.press_changes(p_sign.tenant_id, p_sign.user_id, p_sign.last_used_at, p_now)
      ),
    false
  );
end
$$;
comment on function internal.is_merged_report(kith.signs, timestamptz) is
  'Whether a report is merged with the last one that counted (J04): of an activity, one within a minute, unless '
  'somebody may see activity only since the last one; of a check-in, one of the same minute of the clock that would '
  'change nothing, as none of a stuck button does. Windows, deadlines and dates begin with a minute of the clock, so '
  'the first press after one always counts.';

create or replace function internal.press_changes(
  p_tenant_id integer, p_user_id uuid, p_since timestamptz, p_now timestamptz
)
  returns boolean
  language plpgsql
  stable
as $$
declare
  v_day date := (p_now at time zone 'UTC')::date;
  v_today date := (
    select internal.local_date(p_now, time_zone)
    from kith.sender_profiles
    where tenant_id = p_tenant_id and user_id = p_user_id and ended_at is null
  );
begin
  return exists (
    select from kith.emergency_requests
    where tenant_id = p_tenant_id and owner_id = p_user_id and ended_at is null and requested_at >= p_since
  ) or exists (
    select from kith.asks where tenant_id = p_tenant_id and sender_id = p_user_id and ended_at is null
  ) or exists (
    select from kith.alarms
    where tenant_id = p_tenant_id and sender_id = p_user_id and resolved_at is null and kind in ('missed', 'unanswered')
  ) or exists (
    select from kith.pings as ping
    where ping.tenant_id = p_tenant_id and ping.ping_on in (v_day - 2, v_day - 1, v_day, v_day + 1)
      and ping.sender_id = p_user_id and ping.ping_on >= internal.current_pings_since()
      and (
        ping.status in ('scheduled', 'due') and ping.scheduled_at <= p_now
        or ping.status = 'missed' and ping.deadline_at > p_since
        -- Early, as internal.complete_coming_pings does.
        or ping.status = 'scheduled' and ping.ping_on = v_today and not exists (
          select from kith.pings as answered
          where answered.tenant_id = p_tenant_id and answered.ping_on in (v_day - 2, v_day - 1, v_day, v_day + 1)
            and answered.ping_on >= internal.current_pings_since()
            and answered.sender_id = p_user_id and answered.status in ('completed', 'completed_late')
            and answered.scheduled_at <= p_now and answered.deadline_at > p_now
        )
      )
  );
end
$$;
comment on function internal.press_changes(integer, uuid, timestamptz, timestamptz) is
  'Whether a check-in at p_now would do more than the one at p_since, within the same minute of the clock: a ping has '
  'been made, resumed or missed since that it completes, somebody has asked for emergency access, or an alarm or a '
  'question waits that it answers. For internal.is_merged_report.';
