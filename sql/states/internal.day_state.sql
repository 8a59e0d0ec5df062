-- What somebody's own day says: what is asked of them, and who is told if they do not answer (I06).

create or replace function internal.receiver_in_sentence(p_alias text, p_name text, p_locale text) returns text
  language plpgsql
  stable
as $$
begin
  return internal.name_in_sentence(coalesce(p_alias, internal.counterpart_name(p_name, 'receiver')), p_locale);
end
$$;
comment on function internal.receiver_in_sentence(text, text, text) is
  'A receiver within a sentence to their sender: the alias that the sender gave, or else the display name.';

create or replace function internal.day_facts(
  p_connections internal.own_connections[], p_pings kith.pings[], p_missed kith.pings[], p_locale text,
  p_now timestamptz, out missed kith.pings[], out due_until timestamptz, out untold_at timestamptz,
  out done kith.pings[], out early kith.pings[], out heard text[], out lapsed text[], out unreachable text[],
  out pending text[], out alarmed text[], out is_told boolean, out is_active boolean, out is_paused boolean
)
  language plpgsql
  stable
as $$
begin
  with seen as (
    select own.id, own.status, own.is_suspended, ping, missed_ping,
      own.status = 'active' and not own.is_suspended as is_told,
      coalesce(json_array_length(own.reachable_by), 1) > 0 as is_reachable,
      case when ping.status = 'scheduled' and ping.scheduled_at <= p_now then 'due' else ping.status end as asked,
      internal.receiver_in_sentence(own.alias, own.counterpart_name, p_locale) as name
    from unnest(p_connections) as own
    left join unnest(p_pings) as ping on ping.connection_id = own.id
    left join unnest(p_missed) as missed_ping on missed_ping.connection_id = own.id
  )
  select
    array_agg(
      seen.missed_ping order by (seen.missed_ping).deadline_at desc
    ) filter (where (seen.missed_ping).id is not null),
    -- While a connection is pending, its pings tell nobody (P29).
    min(greatest((seen.ping).deadline_at, internal.waits_until((seen.ping).deadline_at, (seen.ping).judge_at)))
      filter (where seen.asked = 'due' and seen.status <> 'pending'),
    min((seen.ping).deadline_at) filter (where seen.asked = 'missed' and seen.status <> 'pending'),
    array_agg(
      seen.ping
      order by (seen.asked = 'completed_late' and (seen.ping).alarmed_at is not null) desc, seen.asked desc, seen.id
    )
      filter (where seen.asked in ('completed', 'completed_late') and seen.status <> 'pending'),
    array_agg(
      seen.ping order by (seen.ping).scheduled_at, seen.id
    ) filter (where seen.asked = 'scheduled' and seen.is_told),
    array_agg(seen.name order by seen.id) filter (where seen.is_told and seen.is_reachable),
    array_agg(seen.name order by seen.id) filter (where seen.status = 'active' and seen.is_suspended),
    array_agg(seen.name order by seen.id) filter (where seen.is_told and not seen.is_reachable),
    array_agg(seen.name order by seen.id) filter (where seen.status = 'pending'),
    array_agg(seen.name order by seen.id) filter (
      where seen.asked = 'completed_late' and (seen.ping).alarmed_at is not null
    ),
    coalesce(bool_or(seen.is_told), false), coalesce(bool_or(seen.status = 'active'), false),
    coalesce(bool_or(seen.status = 'paused'), false)
  into missed, due_until, untold_at, done, early, heard, lapsed, unreachable, pending, alarmed, is_told, is_active,
    is_paused
  from seen;
end
$$;
comment on function internal.day_facts(internal.own_connections[], kith.pings[], kith.pings[], text, timestamptz) is
  'What decides what a sender''s day says, of all their connections as a sender, today''s pings and the misses that '
  'nobody has answered: the misses, newest first, until when an answer is awaited, the end of a time of which nobody '
  'was told, the answered and the coming pings, and the names of those who hear of a miss, of whom the subscription '
  'has ended, who cannot be reached, who have not agreed, and who had been told of today''s miss.';

create or replace function internal.words_on_tiers(
  p_key text, p_connections internal.own_connections[], p_plan json, p_deadline timestamptz, p_from timestamptz,
  p_sight jsonb, p_now timestamptz
) returns text
  language plpgsql
  stable
as $$
declare
  v_locale text := p_sight ->> 'locale';
  v_minutes integer;
  v_first text[];
  v_later text[];
begin
  with heard as (
    select own.id, internal.receiver_in_sentence(own.alias, own.counterpart_name, v_locale) as name,
      tier.n, (tier.value ->> 'after_minutes')::integer as minutes
    from unnest(p_connections) as own
    left join lateral (
      select planned.value, planned.n from json_array_elements(p_plan -> 'tiers') with ordinality as planned (value, n)
      where own.id::text in (select json_array_elements_text(planned.value -> 'receivers'))
      order by planned.n
      limit 1
    ) as tier on true
    where own.status = 'active' and not own.is_suspended and coalesce(json_array_length(own.reachable_by), 1) > 0
  ), first as (
    -- Tiers before theirs, which have nobody who is told, delay nothing.
    select min(heard.n) as n, coalesce((p_plan -> 'tiers' -> 0 ->> 'after_minutes')::integer, 0) as minutes from heard
  )
  select array_agg(heard.name order by heard.id) filter (where heard.n is not distinct from first.n),
    array_agg(heard.name order by heard.id) filter (where heard.n is distinct from first.n), max(first.minutes)
  into v_first, v_later, v_minutes
  from heard, first;
  if v_first is null then
    return null;
  end if;
  return concat_ws(
    ' ',
    internal.state_text(p_key, v_locale, array[
      internal.list_text(v_first, v_locale), null, internal.moment_text('at', p_from, p_sight, p_now), null,
      internal.moment_text('at', p_deadline + make_interval(mins => v_minutes), p_sight, p_now)
    ], cardinality(v_first)),
    case when v_later is not null then
      internal.state_text('day.later', v_locale, array[internal.list_text(v_later, v_locale)], cardinality(v_later))
    end
  );
end
$$;
comment on function internal.words_on_tiers(
  text, internal.own_connections[], json, timestamptz, timestamptz, jsonb, timestamptz
) is
  'Who is told when, if a sender does not check in until a deadline, and who later: by their plan (K04, '
  'internal.plan_json), or all at once without one. p_from is when they are asked. Null where nobody is told.';

create or replace function internal.words_on_own_miss(
  p_connections internal.own_connections[], p_missed kith.pings[], p_sight jsonb, p_now timestamptz
) returns text[]
  language plpgsql
  stable
as $$
declare
  v_locale text := p_sight ->> 'locale';
  v_told text[];
  v_told_at timestamptz;
  v_waiting text[];
  v_unreached text[];
  v_resolution json;
begin
  select array_agg(seen.name order by seen.id) filter (where seen.telling not in ('being_told', 'not_reached')),
    max((seen.ping).alarmed_at) filter (where seen.telling not in ('being_told', 'not_reached')),
    array_agg(seen.name order by seen.id) filter (where seen.telling = 'being_told'),
    array_agg(seen.name order by seen.id) filter (where seen.telling = 'not_reached')
  into v_told, v_told_at, v_waiting, v_unreached
  from (
    select own.id, ping,
      internal.telling_of_miss(ping.tenant_id, ping.receiver_id, ping.id, ping.alarmed_at) as telling,
      internal.receiver_in_sentence(own.alias, own.counterpart_name, v_locale) as name
    from unnest(p_connections) as own
    join unnest(p_missed) as ping on ping.connection_id = own.id
  ) as seen;
  select resolved.said into v_resolution
  from unnest(p_missed) as ping
  cross join lateral (select internal.resolution_of_miss(ping) as said offset 0) as resolved
  where resolved.said is not null
  limit 1;
  return array_remove(array[
    case when v_told is not null then internal.state_text('day.were_told', v_locale, array[
      internal.list_text(v_told, v_locale), null, null, null, internal.moment_text('at', v_told_at, p_sight, p_now)
    ], cardinality(v_told)) end,
    case when v_waiting is not null then
      internal.state_text(
        'day.being_told', v_locale, array[internal.list_text(v_waiting, v_locale)], cardinality(v_waiting)
      )
    end,
    case when v_unreached is not null then
      internal.state_text(
        'day.not_reached', v_locale, array[internal.list_text(v_unreached, v_locale)], cardinality(v_unreached)
      )
    end,
    internal.words_on_miss('day.said', v_resolution, p_sight, p_now)
  ], null);
end
$$;
comment on function internal.words_on_own_miss(internal.own_connections[], kith.pings[], jsonb, timestamptz) is
  'Who knows of a sender''s miss, who is being told, who could not be reached, and what somebody has said of it: a '
  'sentence each.';

create or replace function internal.words_on_own_check_in(
  p_ping kith.pings, p_source text, p_heard text[], p_alarmed text[], p_sight jsonb, p_now timestamptz
) returns text[]
  language plpgsql
  stable
as $$
declare
  v_locale text := p_sight ->> 'locale';
  v_moment text := internal.moment_text('at', coalesce(p_ping.completed_at, p_ping.deadline_at), p_sight, p_now);
  v_outcome text := internal.check_in_outcome(p_ping);
  -- "Late" is said only to whom it was told (X35).
  v_names text[] := case v_outcome when 'completed' then p_heard when 'completed_late' then p_alarmed end;
  v_source text := internal.state_text('source.' || p_source, v_locale);
begin
  return array[internal.state_text(
    case
      when v_outcome = 'arrived_later' then 'day.arrived_later'
      when v_names is null then 'day.done_alone'
      when v_outcome = 'completed_late' then 'day.late_text'
      else 'day.done_text'
    end,
    v_locale, array[internal.list_text(v_names, v_locale), null, null, null, v_moment], cardinality(v_names)
  )] || case
    when v_source is not null then array[internal.state_text('source.came', v_locale, array[null, v_source])]
    else '{}'
  end;
end
$$;
comment on function internal.words_on_own_check_in(kith.pings, text, text[], text[], jsonb, timestamptz) is
  'When a sender checked in today, who can see it or was told, and how it came (p_source; null if another check-in '
  'came since): a sentence each.';

create or replace function internal.day_state(
  p_connections internal.own_connections[], p_pings kith.pings[], p_missed kith.pings[], p_zone text, p_break json,
  p_next_at timestamptz, p_plan json, p_alarms json, p_sight jsonb, p_now timestamptz
) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_alarm json := (
    select alarm.value from json_array_elements(p_alarms) with ordinality as alarm (value, n)
    where alarm.value ->> 'role' = 'sender' and alarm.value ->> 'kind' <> 'drill'
    order by alarm.value ->> 'kind' <> 'help', alarm.n
    limit 1
  );
  v_said record;
begin
  perform internal.language_in_sight(p_sight);
  if p_connections is null or v_alarm ->> 'kind' in ('help', 'unanswered') then
    return v_alarm -> 'state';
  end if;
  v_said := internal.day_question(p_connections, p_pings, p_missed, p_zone, p_break, p_next_at, p_plan, p_sight, p_now);
  return internal.state_json(
    v_said.kind, v_said.tone,
    array_remove(
      v_said.sentences || case when v_said.kind = 'missed' then v_alarm -> 'state' ->> 'detail' end || v_said.untold,
      null
    ),
    least(v_said.changes_at, internal.next_midnight(p_zone, p_now), (p_sight ->> 'midnight')::timestamptz), p_now
  );
end
$$;
comment on function internal.day_state(
  internal.own_connections[], kith.pings[], kith.pings[], text, json, timestamptz, json, json, jsonb, timestamptz
) is
  'What the current user''s own day says (I06), as internal.state_json has it: their call for help or unanswered '
  'question, a miss, the open question, what they have said today, a break, or what comes next. p_connections are all '
  'of theirs as a sender, null without a profile, with p_pings of today and p_missed that nobody has answered; p_zone '
  'is of the profile; p_break, p_plan and p_alarms are as in api.home. Null for whoever is no sender, without an '
  'alarm. Security definer, because kith_api may not read texts.';
grant execute on function internal.day_state(
  internal.own_connections[], kith.pings[], kith.pings[], text, json, timestamptz, json, json, jsonb, timestamptz
) to kith_api;

create or replace function internal.day_question(
  p_connections internal.own_connections[], p_pings kith.pings[], p_missed kith.pings[], p_zone text, p_break json,
  p_next_at timestamptz, p_plan json, p_sight jsonb, p_now timestamptz, out kind text, out tone text,
  out sentences text[], out untold text[], out changes_at timestamptz
)
  language plpgsql
  stable
as $$
declare
  v_locale text := p_sight ->> 'locale';
  v_day date := (p_now at time zone p_zone)::date;
  v_facts record := internal.day_facts(p_connections, p_pings, p_missed, v_locale, p_now);
begin
  untold := internal.words_on_untold(v_facts.lapsed, v_facts.unreachable, v_locale);
  if v_facts.missed is not null then
    kind := 'missed'; tone := 'alarm';
    sentences := array[case
      when (v_facts.missed[1]).ping_on = v_day then internal.state_text('day.missed', v_locale)
      else internal.state_text(
        'day.missed_on', v_locale,
        array[null, null, null, internal.date_in_sentence((v_facts.missed[1]).ping_on, p_sight, p_now)]
      )
    end] || internal.words_on_own_miss(p_connections, p_missed, p_sight, p_now);
  elsif v_facts.due_until is not null then
    kind := case when v_facts.due_until <= p_now then 'late' else 'waiting' end; tone := 'waiting';
    changes_at := case when v_facts.due_until > p_now then v_facts.due_until end;
    sentences := array[
      internal.state_text('day.due', v_locale),
      internal.words_on_tiers(
        case kind when 'late' then 'day.if_not_now' else 'day.if_not' end, p_connections, p_plan, v_facts.due_until,
          null, p_sight, p_now
      )
    ];
  elsif v_facts.untold_at is not null then
    kind := 'missed'; tone := 'waiting';
    sentences := array[
      internal.state_text('day.missed', v_locale),
      internal.state_text(
        'day.untold_text', v_locale,
        array[null, null, null, null, internal.moment_text('at', v_facts.untold_at, p_sight, p_now)]
      )
    ];
  elsif (p_break ->> 'from')::date <= v_day then
    kind := 'break'; tone := 'calm';
    sentences := array[internal.state_text('day.break', v_locale), internal.words_on_break(p_break, p_sight, p_now)];
  elsif v_facts.done is not null then
    select after.* into kind, tone, sentences
    from internal.day_after_check_in(
      v_facts.done[1], v_facts.heard, v_facts.alarmed, p_connections[1], p_break, p_next_at, p_sight, p_now
    ) as after;
  elsif v_facts.early is not null then
    kind := 'waiting'; tone := 'calm'; changes_at := (v_facts.early[1]).scheduled_at;
    sentences := array[
      internal.state_text('day.early', v_locale),
      internal.words_on_tiers(
        'day.early_text', p_connections, p_plan, (v_facts.early[1]).deadline_at, (v_facts.early[1]).scheduled_at,
        p_sight, p_now
      )
    ];
  else
    select empty.* into kind, tone, sentences, changes_at
    from internal.day_without_ping(
      v_facts.is_told, v_facts.heard is not null, v_facts.is_active, v_facts.is_paused, v_facts.pending, p_next_at,
      p_sight, p_now
    ) as empty;
  end if;
end
$$;
comment on function internal.day_question(
  internal.own_connections[], kith.pings[], kith.pings[], text, json, timestamptz, json, jsonb, timestamptz
) is
  'What a day asks of a sender, in the order of its urgency: kind and tone, the sentences, who is not told whatever '
  'happens (untold), and when it changes by itself. For internal.day_state.';

create or replace function internal.words_on_untold(p_lapsed text[], p_unreachable text[], p_locale text) returns text[]
  language plpgsql
  stable
as $$
begin
  return array_remove(array[
    case when p_lapsed is not null then
      internal.state_text(
        'day.not_told', p_locale, array[internal.list_text(p_lapsed, p_locale)], cardinality(p_lapsed)
      )
    end,
    case when p_unreachable is not null then
      internal.state_text(
        'day.unreachable', p_locale, array[internal.list_text(p_unreachable, p_locale)], cardinality(p_unreachable)
      )
    end
  ], null);
end
$$;
comment on function internal.words_on_untold(text[], text[], text) is
  'Whose subscription has ended, and who cannot be reached: neither is told of a miss. A sentence each.';

create or replace function internal.words_on_break(p_break json, p_sight jsonb, p_now timestamptz) returns text
  language plpgsql
  stable
as $$
declare
  v_locale text := p_sight ->> 'locale';
begin
  return internal.state_text(
    'day.break_text', v_locale,
    array[null, null, null, internal.date_in_sentence((p_break ->> 'until')::date, p_sight, p_now)]
  );
end
$$;
comment on function internal.words_on_break(json, jsonb, timestamptz)
  is 'Until when a sender is not asked, and nobody is told.';

create or replace function internal.day_after_check_in(
  p_done kith.pings, p_heard text[], p_alarmed text[], p_connection internal.own_connections, p_break json,
  p_next_at timestamptz, p_sight jsonb, p_now timestamptz, out kind text, out tone text, out sentences text[]
)
  language plpgsql
  stable
as $$
declare
  v_locale text := p_sight ->> 'locale';
  v_words text[] := internal.words_on_own_check_in(
    -- A check-in of another day, or a later one of this day, may have come another way.
    p_done, case when p_connection.last_check_in_at = p_done.completed_at then p_connection.last_source end, p_heard,
    p_alarmed, p_sight, p_now
  );
begin
  -- A newer question stands open: nothing is quiet until it is answered (X39).
  if internal.is_asked(kith.tenant_id(), kith.user_id(), p_now) then
    kind := 'waiting'; tone := 'waiting'; sentences := internal.state_text('day.asked', v_locale) || v_words;
    return;
  end if;
  kind := 'safe'; tone := 'calm';
  sentences := internal.state_text('day.done', v_locale) || v_words || case
    when p_heard is not null and p_next_at is not null then internal.state_text(
      'day.quiet_until', v_locale, array[null, null, null, internal.moment_text('until', p_next_at, p_sight, p_now)]
    )
    when p_break is not null then internal.words_on_break(p_break, p_sight, p_now)
  end;
end
$$;
comment on function internal.day_after_check_in(
  kith.pings, text[], text[], internal.own_connections, json, timestamptz, jsonb, timestamptz
) is
  'What the day of a sender says who has answered today''s ping. p_connection is any of theirs, for how the last '
  'check-in came. For internal.day_question.';

create or replace function internal.day_without_ping(
  p_is_told boolean, p_is_heard boolean, p_is_active boolean, p_is_paused boolean, p_pending text[],
  p_next_at timestamptz, p_sight jsonb,
  p_now timestamptz, out kind text, out tone text, out sentences text[], out changes_at timestamptz
)
  language plpgsql
  stable
as $$
declare
  v_locale text := p_sight ->> 'locale';
  v_key text;
  v_next text := case
    when p_is_heard then internal.moment_text('at', p_next_at, p_sight, p_now)
  end;
begin
  tone := 'waiting';
  if p_is_told and internal.is_asked(kith.tenant_id(), kith.user_id(), p_now) then
    kind := 'waiting'; v_key := 'asked';
  elsif p_is_told and p_is_heard and p_next_at <= p_now then
    -- The time of a question has passed, and it has not been asked (X39).
    kind := 'late'; v_key := 'unasked';
  elsif p_is_told then
    kind := 'unknown'; tone := 'calm'; v_key := 'nothing'; changes_at := p_next_at;
  elsif p_is_active then
    kind := 'paused'; v_key := 'lapsed';
  elsif p_is_paused then
    kind := 'paused'; v_key := 'paused';
  elsif p_pending is not null then
    kind := 'pending'; v_key := 'pending';
  else
    kind := 'unknown'; v_key := 'alone';
  end if;
  sentences := array_remove(array[
    internal.state_text(case v_key when 'pending' then 'day.alone' else 'day.' || v_key end, v_locale),
    case when v_key not in ('nothing', 'unasked', 'asked') or v_next is not null and v_key <> 'asked' then
      internal.state_text(
        'day.' || v_key || '_text', v_locale, array[internal.list_text(p_pending, v_locale), null, null, null, v_next],
        cardinality(p_pending)
      )
    end
  ], null);
end
$$;
comment on function internal.day_without_ping(
  boolean, boolean, boolean, boolean, text[], timestamptz, jsonb, timestamptz
) is
  'What the day of a sender says without a ping of today: that nothing is asked, that Kith is late, or why nobody '
  'would be told. For internal.day_question.';
