-- The story of one request for emergency access for an operator: what began it, what delayed it, who was told, and what
-- the nominee did.

create or replace function internal.messages_of_request(p_request kith.emergency_requests, p_slug text)
  returns table (at kith.instant, what text, detail text, next text)
  language plpgsql
  stable
as $$
begin
  return query
  select told.created_at, internal.how_told(told),
    format(
      '%s, %s: %s', internal.person_in_story(told.tenant_id, told.user_id), told.type, internal.what_became_of(told)
    ),
    format('select * from admin.story_of_notification(%L, %L)', p_slug, told.id)
  from (
    select p_request.owner_id as id
    union
    select nominee.user_id from kith.nominees as nominee
    where nominee.tenant_id = p_request.tenant_id and nominee.vault_id = p_request.vault_id
      and nominee.user_id is not null
  ) as concerned
  cross join lateral (
    select notification.* from kith.notifications as notification
    where notification.tenant_id = p_request.tenant_id and notification.user_id = concerned.id
      and notification.id >= internal.first_uuid7(p_request.requested_at - interval '1 hour')
      and notification.data ->> 'request_id' = p_request.id::text
    order by notification.id
    limit 50
  ) as told;
end
$$;
comment on function internal.messages_of_request(kith.emergency_requests, text) is
  'Who was told of a request for emergency access, and what became of each message; at most 50 for a person. For '
  'admin.story_of_emergency.';

create or replace function internal.holds_of_request(p_request kith.emergency_requests)
  returns table (at timestamptz, what text, detail text, next text)
  language sql
  stable
as $$
  select act.at, case act.action when 'emergency.hold' then 'held' else 'released' end,
    format('by %s%s: %s', act.actor, ', until ' || (act.detail ->> 'until'), act.detail ->> 'reason'), null
  from kith.audit as act
  where act.tenant_id = p_request.tenant_id and act.subject = p_request.id::text
    and act.action in ('emergency.hold', 'emergency.release')
  order by act.id desc
  limit 100
$$;
comment on function internal.holds_of_request(kith.emergency_requests) is
  'The operators who held and released a request for emergency access, with their reasons. For '
  'admin.story_of_emergency.';

create or replace function internal.story_of_request(p_request kith.emergency_requests, p_slug text, p_now timestamptz)
  returns table (at timestamptz, what text, detail text, next text)
  language plpgsql
  stable
as $$
begin
  return query
  select null::timestamptz, 'now', concat_ws(
    '; ', state.status,
    case
      when not rests.is_so then 'grants at ' || internal.shown_instant(state.grants_at)
      when state.grants_at > p_now then format('%s of the wait are left', date_trunc('second', state.grants_at - p_now))
    end,
    case when not rests.is_so then 'ends at ' || internal.shown_instant(state.ends_at) end,
    case
      when state.is_held then format(
        'held by %s since %s, until %s: %s', p_request.held_by, internal.shown_instant(p_request.held_at),
        coalesce(internal.shown_instant(p_request.held_until), 'it is released'), p_request.hold_reason
      )
    end,
    'no notice has reached the owner since ' || internal.shown_instant(p_request.undelivered_since),
    p_request.end_reason
  ), null::text
  from internal.emergency_state(p_request.tenant_id, p_request.id, p_now) as state
  cross join lateral (select state.is_held and p_request.held_until is null as is_so) as rests
  union all
  select p_request.requested_at, 'began', format(
    '%s for %s, with the vault %s of %s; %s hours to wait',
    case p_request.cause when 'silence' then format('by %s missed days', p_request.missed_days) else 'asked' end,
    internal.person_in_story(p_request.tenant_id, p_request.user_id), p_request.vault_id,
    internal.person_in_story(p_request.tenant_id, p_request.owner_id), p_request.wait_hours
  ), null
  union all
  select delay.recorded_at, 'delayed', format(
    '%s from %s to %s: grants at %s', delay.cause, internal.shown_instant(delay.began_at),
    internal.shown_instant(delay.ended_at), internal.shown_instant(delay.grants_at)
  ), null
  from kith.emergency_delays as delay
  where delay.tenant_id = p_request.tenant_id and delay.request_id = p_request.id
  union all
  (
    select entry.at, entry.action, concat_ws(
      ' ', coalesce(
        internal.person_in_story(p_request.tenant_id, entry.actor_id), 'by itself, or by an operator (kith audit)'
      ),
      nullif(entry.detail - 'request_id' - 'nominee_id', '{}')
    ), null
    from kith.history as entry
    where entry.tenant_id = p_request.tenant_id and entry.vault_id = p_request.vault_id
      and entry.id >= internal.first_uuid7(p_request.requested_at - interval '1 hour')
      -- Below, with the operator and the reason.
      and entry.action <> 'emergency.held'
      and (
        entry.subject_type = 'emergency_request' and entry.subject_id = p_request.id
        or entry.detail ->> 'request_id' = p_request.id::text
      )
    order by entry.id desc
    limit 500
  )
  union all
  select holds.* from internal.holds_of_request(p_request) as holds
  union all
  select messages.* from internal.messages_of_request(p_request, p_slug) as messages;
end
$$;
comment on function internal.story_of_request(kith.emergency_requests, text, timestamptz) is
  'What happened with a request for emergency access, without what people wrote; of the vault''s history the newest '
  '500 rows. For admin.story_of_emergency.';

create or replace function admin.story_of_emergency(p_tenant text, p_request uuid, p_now timestamptz default now())
  returns table (at timestamptz, what text, detail text, next text)
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := internal.enter_tenant(p_tenant);
  v_request kith.emergency_requests;
begin
  perform internal.require_present(p_now);
  select * into v_request from kith.emergency_requests where tenant_id = v_tenant and id = p_request;
  if not found then
    perform internal.refuse_unknown(
      p_tenant, format('request %s for emergency access', p_request), 'admin.emergency_requests'
    );
  end if;
  return query
  select story.* from internal.story_of_request(v_request, p_tenant, p_now) as story
  order by story.at nulls first, story.what, story.detail;
  perform internal.leave_tenant();
  perform internal.note_read_of(
    'story_of_emergency', p_tenant, array[p_request, v_request.owner_id, v_request.user_id]
  );
end
$$;
comment on function admin.story_of_emergency(text, uuid, timestamptz) is
  'What happened with a request for emergency access: how it stands, what began it, what delayed it, who was told on '
  'which channel, what the nominee did, and how it ended. select * from admin.story_of_emergency(''acme'', '
  '''019aa5c2-…''); admin.emergency_requests has the ids.';
grant execute on function admin.story_of_emergency(text, uuid, timestamptz) to kith_reader;
