-- Daily limits on what a user may do. Each list that a user can extend also has a total limit. docs/limits.md lists
-- both.

create or replace function internal.acts_a_day(p_act text) returns integer
  language sql
  immutable
  parallel safe
as $$
  select case p_act
    when 'change' then 5000
    when 'broadcast' then 200
    when 'return' then 10
    when 'document' then 2000
    when 'reading' then 5000
    when 'message' then 1000
    when 'invitation' then 400
    when 'participant' then 4000
    when 'refresh' then 5000
    when 'feedback' then 20
    when 'right' then 100
    when 'asking' then 20
    when 'emergency' then 100
    when 'rehearsal' then 100
    when 'alarm' then 200
    when 'card' then 100
    when 'administration' then 1000
  end
$$;
comment on function internal.acts_a_day(text) is
  'How often one user may do something in one UTC day; for administration, how often a tenant''s server may. change: '
  'writes the user''s own rows, or a few of others. broadcast: notifies or shows something to all of a user''s '
  'connections, or all nominees of a vault. return: a profile that had ended comes back with its connections. '
  'participant: a share creates or changes a nominee. reading: a read that adds a row to the history. right: changes '
  'who has emergency access. asking: asks for it, which alarms the owner. emergency: approves a request, or enters by '
  'it. alarm: writes a note in an alarm. card: sees a care card. rehearsal: computes what would follow a silence, '
  'which takes a tenth of a second or more.';

create or replace function internal.count_acts_of(p_actor_id uuid, p_act text, p_acts integer, p_now timestamptz)
  returns integer
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_today date := (p_now at time zone 'UTC')::date;
  v_acts integer;
begin
  insert into kith.act_counts as counted (tenant_id, actor_id, act, counted_on, acts)
  values (v_tenant, p_actor_id, p_act, v_today, p_acts)
  on conflict (tenant_id, actor_id, act) do update
  set acts = case counted.counted_on when excluded.counted_on then counted.acts else 0 end + excluded.acts,
    counted_on = excluded.counted_on
  returning acts into v_acts;
  if v_acts <= internal.acts_a_day(p_act) then
    return null;
  end if;
  -- A statement of its own, so that no act within the usual limit pays for it.
  if not exists (
    select from kith.raised_quotas as raised
    where raised.tenant_id = v_tenant and raised.user_id = p_actor_id and raised.act = p_act
      and raised.allowed_until > p_now and raised.allowed >= v_acts
  ) then
    return greatest(1, ceil(extract(epoch from date_trunc('day', p_now, 'UTC') + interval '1 day' - p_now)))::integer;
  end if;
  return null;
end
$$;
comment on function internal.count_acts_of(uuid, text, integer, timestamptz) is
  'Counts p_acts further acts of a user on this UTC day. Returns null, or, beyond the limit or what an operator allows '
  'this user (admin.raise_quota), the seconds until the next day. Touches one row by its key. For definer procedures.';

create or replace function internal.count_acts(p_act text, p_acts integer, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_wait integer := internal.count_acts_of(
    coalesce(kith.user_id(), '00000000-0000-0000-0000-000000000000'), p_act, p_acts, p_now
  );
begin
  if v_wait is not null then
    raise exception 'too_many_requests'
      using errcode = 'KT429', detail = 'You have done this too often today. Please try again tomorrow.',
      hint = v_wait::text;
  end if;
end
$$;
comment on function internal.count_acts(text, integer, timestamptz) is
  'Counts p_acts acts of the current user, or of the tenant''s server. Beyond internal.acts_a_day it raises '
  'too_many_requests, with the seconds to wait as its hint. For definer procedures.';

create or replace function internal.begin_act(p_act text, p_now timestamptz) returns void
  language plpgsql
as $$
begin
  perform internal.require_user();
  perform internal.count_acts(p_act, 1, p_now);
end
$$;
comment on function internal.begin_act(text, timestamptz) is
  'Like require_user, and counts one act. Every definer procedure by which a user can extend a list or notify others '
  'calls it first, before any other lock. A procedure that only ends something does not need it, and must never be '
  'refused. For definer procedures.';
