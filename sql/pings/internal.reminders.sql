-- The reminders before a deadline (J06). A ping holds the instant of the next one only, so that the planner reads what
-- is due and no more.

create or replace function internal.reminders(p_reminders jsonb, p_reminder_minutes integer) returns jsonb
  language plpgsql
  immutable
  parallel safe
as $$
begin
  return coalesce(p_reminders, jsonb_build_array(jsonb_build_object('before_minutes', p_reminder_minutes)));
end
$$;
comment on function internal.reminders(jsonb, integer) is
  'The reminders of a sender, the earliest first: their own, or the one of C. For kith.sender_profiles.';
grant execute on function internal.reminders(jsonb, integer) to kith_api, kith_worker;

create or replace function internal.next_reminder_at(p_deadline_at timestamptz, p_reminders jsonb, p_after timestamptz)
  returns timestamptz
  language plpgsql
  immutable
  parallel safe
as $$
begin
  return (
    select min(p_deadline_at - make_interval(mins => (reminder -> 'before_minutes')::integer))
    from jsonb_array_elements(p_reminders) as reminder
    where p_deadline_at - make_interval(mins => (reminder -> 'before_minutes')::integer) > p_after
  );
end
$$;
comment on function internal.next_reminder_at(timestamptz, jsonb, timestamptz) is
  'When to remind a sender next, after p_after, of a ping with this deadline. Null if there is no reminder left. '
  'p_reminders are internal.reminders.';
grant execute on function internal.next_reminder_at(timestamptz, jsonb, timestamptz) to kith_worker;

create or replace function internal.reminder_channels(p_ping kith.pings, p_reminders jsonb, p_now timestamptz)
  returns jsonb
  language plpgsql
  stable
  parallel safe
as $$
begin
  -- The last of those that are due. Of several that are late, the others are left out.
  return (
    select reminder.value -> 'channels'
    from jsonb_array_elements(p_reminders) with ordinality as reminder (value, n)
    where coalesce((p_ping).judge_at, (p_ping).deadline_at) - make_interval(
      mins => (reminder.value -> 'before_minutes')::integer
    ) <= p_now
    order by reminder.n desc
    limit 1
  );
end
$$;
comment on function internal.reminder_channels(kith.pings, jsonb, timestamptz) is
  'The channels of the reminder that is due for a ping. Null if its sender has chosen none for it: then those of '
  'ping_reminder count.';

create or replace function internal.is_silenced(p_ping kith.pings, p_reminders jsonb, p_now timestamptz) returns boolean
  language plpgsql
  stable
as $$
begin
  if internal.next_reminder_at(coalesce(p_ping.judge_at, p_ping.deadline_at), p_reminders, p_now) is null then
    return false;
  end if;
  return exists (
    select from kith.quiet_hours as quiet
    join kith.users as sender on sender.tenant_id = quiet.tenant_id and sender.id = quiet.user_id
    where quiet.tenant_id = p_ping.tenant_id and quiet.user_id = p_ping.sender_id
      and internal.quiet_until(p_now, quiet.starts_at, quiet.ends_at, sender.time_zone) > p_now
  );
end
$$;
comment on function internal.is_silenced(kith.pings, jsonb, timestamptz) is
  'Whether the sender''s quiet hours leave out the reminder that is due (J06). The last one before the deadline breaks '
  'through them (F04); the earlier ones are left out, not held: a reminder that comes late says nothing that the next '
  'one does not say.';

create or replace function internal.sorted_reminders(p_given jsonb) returns jsonb
  language plpgsql
  immutable
  parallel safe
as $$
begin
  return (
    select jsonb_agg(
      jsonb_strip_nulls(jsonb_build_object(
        'before_minutes', given.reminder -> 'before_minutes',
        'channels', (
          -- Each channel once, in a fixed order.
          select jsonb_agg(known.channel order by known.n)
          from unnest(internal.ways()) with ordinality as known (channel, n)
          where given.reminder -> 'channels' ? known.channel
        )
      ))
      order by (given.reminder -> 'before_minutes')::integer desc, given.n
    )
    from jsonb_array_elements(p_given) with ordinality as given (reminder, n)
  );
end
$$;
comment on function internal.sorted_reminders(jsonb) is 'Reminders as a request gives them, the earliest first.';

create or replace function internal.adapted_reminders(
  p_reminders jsonb, p_reminder_minutes integer, p_grace_minutes integer
)
  returns jsonb
  language plpgsql
  immutable
  parallel safe
as $$
begin
  return (
    select jsonb_agg(kept.reminder order by kept.n)
    from (
      select reminder.value as reminder, reminder.n
      from jsonb_array_elements(p_reminders - -1) with ordinality as reminder (value, n)
      where (reminder.value -> 'before_minutes')::integer > p_reminder_minutes
        and (reminder.value -> 'before_minutes')::integer < p_grace_minutes
      union all
      select jsonb_set(p_reminders -> -1, '{before_minutes}', to_jsonb(p_reminder_minutes)), 5
      where p_reminders is not null
    ) as kept
  );
end
$$;
comment on function internal.adapted_reminders(jsonb, integer, integer) is
  'A sender''s reminders with other minutes for the last one, or another grace. Those that no longer fit between are '
  'left out. Null for null. For a request that does not set reminders.';

create or replace function internal.require_reminders(p_profile kith.sender_profiles, p_body jsonb) returns void
  language plpgsql
  stable
as $$
declare
  v_errors jsonb;
begin
  if p_body ->> 'reminders' is null then
    return;
  end if;
  select coalesce(jsonb_agg(error.value order by given.n), '[]') into v_errors
  from jsonb_array_elements(p_body -> 'reminders') with ordinality as given (reminder, n)
  cross join lateral jsonb_array_elements(
    case
      when (given.reminder -> 'before_minutes')::integer >= p_profile.grace_minutes then
        internal.field_error(
          format('reminders[%s].before_minutes', given.n - 1), 'must be less than the time to answer'
        )
      when exists (
        select from jsonb_array_elements(p_body -> 'reminders') with ordinality as earlier (reminder, n)
        where earlier.n < given.n and earlier.reminder -> 'before_minutes' = given.reminder -> 'before_minutes'
      ) then
        internal.field_error(format('reminders[%s].before_minutes', given.n - 1), 'must not be repeated')
      else '[]'
    end
  ) as error (value);
  if (p_body ->> 'reminder_minutes')::integer <> p_profile.reminder_minutes then
    v_errors := v_errors
      || internal.field_error('reminder_minutes', 'must be that of the last reminder, or be left out');
  end if;
  perform internal.refuse_fields(v_errors);
end
$$;
comment on function internal.require_reminders(kith.sender_profiles, jsonb) is
  'Raises validation_failed unless the reminders that a request gives are distinct and before the deadline, and the '
  'last one is that of reminder_minutes, if that is given too.';
