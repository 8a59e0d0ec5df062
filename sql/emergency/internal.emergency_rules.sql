-- The rules of emergency access that need no table. The worker applies them to what has happened, the rehearsal to what
-- would follow.

create or replace function internal.counts_as_missed(p_statuses text[], p_had_outage boolean, p_was_asked boolean)
  returns boolean
  language sql
  immutable
  parallel safe
as $$
  select case
    when p_statuses && array['completed', 'completed_late'] then false
    when p_statuses && array['scheduled', 'due'] or p_had_outage or not p_was_asked then null
    when 'missed' = any (p_statuses) then true
  end
$$;
comment on function internal.counts_as_missed(text[], boolean, boolean) is
  'What a local date with pings of these statuses does to a row of missed days (E03): true counts, false breaks the '
  'row, null does neither. A date counts when every ping that was not cancelled was missed. A date with an open ping '
  'is undecided. p_had_outage: Kith could not be reached between the time and the deadline of one of the pings. '
  'p_was_asked: the sender was told in time that one of them was due.';

create or replace function internal.begins_wait(
  p_missed_days integer, p_after_missed_days integer, p_newest_deadline_at timestamptz, p_last_ended_at timestamptz
) returns boolean
  language sql
  immutable
  parallel safe
as $$
  select coalesce(
    p_missed_days >= p_after_missed_days and (p_last_ended_at is null or p_newest_deadline_at > p_last_ended_at), false
  )
$$;
comment on function internal.begins_wait(integer, integer, timestamptz, timestamptz) is
  'Whether a silence of p_missed_days begins the wait of a right (E03), if no request of that nominee is open. After a '
  'request has ended, a day must have been missed anew: p_newest_deadline_at is the deadline of the newest day that '
  'counts, p_last_ended_at the end of the nominee''s last request, null if there was none.';

create or replace function internal.wait_instants(
  p_waits_from timestamptz, p_wait_hours integer, p_grant_hours integer, out grants_at timestamptz,
  out ends_at timestamptz
)
  language plpgsql
  stable
  parallel safe
as $$
begin
  grants_at := p_waits_from + make_interval(hours => p_wait_hours);
  ends_at := grants_at + make_interval(hours => p_grant_hours);
end
$$;
comment on function internal.wait_instants(timestamptz, integer, integer) is
  'When a wait that begins at p_waits_from ends with the grant, and when the grant ends, if nothing delays it. Days '
  'have 24 hours here, whatever the clocks do.';

create or replace function internal.gathers_until(p_request kith.emergency_requests) returns timestamptz
  language sql
  stable
  parallel safe
as $$
  select coalesce((p_request).stopped_at, (p_request).requested_at) + interval '720 hours'
$$;
comment on function internal.gathers_until(kith.emergency_requests) is
  'When a request that gathers a quorum ends by itself: 30 days after the nominee asked, or after the wait was stopped '
  '(E05).';

create or replace function internal.emergency_notice_instants(p_waits_from timestamptz, p_grants_at timestamptz)
  returns setof timestamptz
  language sql
  immutable
  parallel safe
as $$
  with last_notices as materialized (
    select p_grants_at - make_interval(hours => hours) as at
    from unnest(array[48, 24, 1]) as hours
    where p_grants_at - make_interval(hours => hours) > p_waits_from
  )
  select p_waits_from
  union
  select last_notice.at
  from last_notices as last_notice
  union
  select weekly.at
  from (
    select p_waits_from + make_interval(hours => 168 * week) as at
    from generate_series(1, (extract(epoch from p_grants_at - p_waits_from) / 604800)::integer) as week
  ) as weekly
  where weekly.at < p_grants_at
    and not exists (
      select from last_notices as last_notice
      where weekly.at > last_notice.at - interval '12 hours' and weekly.at < last_notice.at + interval '12 hours'
    )
  order by 1
$$;
comment on function internal.emergency_notice_instants(timestamptz, timestamptz) is
  'When the owner is told of a wait (E02), in order: at once, then weekly, then 2 days, 1 day and 1 hour before the '
  'grant. A weekly notice closer than 12 hours to one of the last three is left out.';
