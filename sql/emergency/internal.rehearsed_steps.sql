create or replace function internal.check_in_stops(p_nominee_id uuid, p_waits_from timestamptz) returns boolean
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  if p_waits_from is null then
    return (
      select internal.every_check_in_stops(v_tenant, owner_id, reject_on_check_in, sources)
      from kith.emergency_settings
      where tenant_id = v_tenant and nominee_id = p_nominee_id
    );
  end if;
  -- An open wait keeps the terms that it began with.
  return (
    select bool_and(internal.every_check_in_stops(v_tenant, owner_id, reject_on_check_in, sources))
    from kith.emergency_requests
    where tenant_id = v_tenant and nominee_id = p_nominee_id and ended_at is null and waits_from = p_waits_from
  );
end
$$;
comment on function internal.check_in_stops(uuid, timestamptz) is
  'Whether every check-in by the owner ends the open wait of a nominee that began at p_waits_from, or, where that is '
  'null, one that a silence is still to begin. For internal.rehearsed_wait_steps.';

create or replace function internal.rehearsal_text(
  p_key text, p_locale text, p_name text, p_vault text, p_count integer default null, p_able integer default null,
  p_person text default null
) returns text
  language plpgsql
  stable
as $$
begin
  return (
    select format(
      pattern, internal.isolated_name(
        coalesce(p_name, format(internal.phrase('name.anybody', p_locale))), is_right_to_left
      ),
      internal.isolated_name(p_vault, is_right_to_left), p_count, p_able,
      internal.isolated_name(coalesce(p_person, format(internal.phrase('name.anybody', p_locale))), is_right_to_left)
    )
    from internal.texts
    where locale = p_locale and key = p_key
  );
end
$$;
comment on function internal.rehearsal_text(text, text, text, text, integer, integer, text) is
  'A text of the rehearsal that no notification has, in a language of internal.languages. Null for an unknown key.';

create or replace function internal.rehearsed_wait_steps(
  p_user_id uuid, p_from timestamptz, p_until timestamptz, p_now timestamptz
)
  returns table (
    at timestamptz, kind text, vault_id uuid, nominee_id uuid, n bigint, person_id uuid, person_name text, text text
  )
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  return query
  with waits as materialized (
    select * from internal.rehearsed_waits(p_user_id, p_from, p_until, p_now)
  )
  select step.at, step.kind, wait.vault_id, wait.nominee_id, wait.n, wait.user_id, named.nominee,
    case step.kind
      when 'grant_ends' then internal.rehearsal_text('rehearsal.grant_ends', reader.locale, named.nominee, named.vault)
      else words.body
    end
  from waits as wait
  join lateral (
    select nominee.name as nominee, vault.name as vault,
      internal.check_in_stops(wait.nominee_id, case wait.n when 0 then wait.waits_from end) as check_in_stops
    from (
      select one.name, one.vault_id from kith.nominees as one
      where one.tenant_id = v_tenant and one.id = wait.nominee_id offset 0
    ) as nominee
    cross join lateral (
      select one.name from kith.vaults as one where one.tenant_id = v_tenant and one.id = nominee.vault_id offset 0
    ) as vault
  ) as named on true
  cross join lateral (
    select notice.at, case when notice.at = wait.waits_from then 'wait_begins' else 'notice' end as kind
    from internal.emergency_notice_instants(wait.waits_from, wait.grants_at) as notice (at)
    where wait.n > 0 or notice.at > p_now
    union all
    select greatest(wait.grants_at, p_now), 'grant'
    where wait.told_at is null and wait.ends_at > p_now
    union all
    select wait.ends_at, 'grant_ends'
    where wait.ends_at > p_now
  ) as step
  cross join lateral (
    -- As internal.first_grant has it.
    select least(wait.grants_at, min(other.grants_at)) as grants_at
    from waits as other
    where other.nominee_id = wait.nominee_id and other.waits_from <= step.at and other.grants_at > step.at
  ) as first
  cross join lateral (
    select case step.kind when 'wait_begins' then 'emergency_requested' when 'notice' then 'emergency_reminder'
      else 'emergency_opened' end as type, jsonb_strip_nulls(jsonb_build_object(
        'to', 'owner', 'nominee_id', wait.nominee_id, 'vault_name', named.vault, 'check_in_stops', named.check_in_stops,
        'detail', case step.kind when 'grant' then internal.grant_detail(wait.grants_at, step.at) end,
        'missed_days', case step.kind when 'wait_begins' then wait.missed_days end,
        'grants_at', internal.instant(first.grants_at),
        'since_at', internal.instant(wait.grants_at), 'ends_at', internal.instant(wait.ends_at)
      )) as data
    offset 0
  ) as told
  cross join lateral internal.reader_of(v_tenant, p_user_id) as reader
  cross join lateral internal.words(
    v_tenant, internal.text_key(told.type, told.data, false), told.type, told.data, step.at, null, named.nominee,
    null, false, false, reader.locale, reader.time_zone
  ) as words
  where step.at >= p_from;
end
$$;
comment on function internal.rehearsed_wait_steps(uuid, timestamptz, timestamptz, timestamptz) is
  'The waits of a silent owner step by step, with the texts that the owner would get: the beginning, each notice, the '
  'grant and its end. For internal.rehearsal_json.';

create or replace function internal.able_to_ask(p_tenant_id integer, p_vault_id uuid) returns integer
  language plpgsql
  stable
as $$
begin
  return (
    -- A person is a nominee of a vault once.
    select count(*) filter (where able.is_member) + least(
      count(*) filter (where not able.is_member), internal.empty_places(p_tenant_id, p_vault_id, null)
    )
    from (
      select nominee.id = any (quorum.nominee_ids) as is_member
      from kith.emergency_quorums as quorum
      join kith.emergency_settings as given
        on given.tenant_id = p_tenant_id and given.vault_id = p_vault_id and given.on_request and given.ended_at is null
      join kith.nominees as nominee
        on nominee.tenant_id = p_tenant_id and nominee.id = given.nominee_id and internal.may_use_right(nominee)
      where quorum.tenant_id = p_tenant_id and quorum.vault_id = p_vault_id
        and (
          nominee.id = any (quorum.nominee_ids)
          or internal.empty_places(p_tenant_id, p_vault_id, internal.bound_since(nominee)) > 0
        )
    ) as able
  );
end
$$;
comment on function internal.able_to_ask(integer, uuid) is
  'How many people could ask together for emergency access to a vault with a quorum, as internal.count_asked would '
  'count them. For internal.rehearsed_sleep.';

create or replace function internal.rehearsed_sleep(p_user_id uuid)
  returns table (vault_id uuid, nominee_id uuid, person_id uuid, person_name text, text text)
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_locale text := (select reader.locale from internal.reader_of(v_tenant, p_user_id) as reader);
begin
  return query
  select given.vault_id, (nominee.found).id, (nominee.found).user_id, (nominee.found).name,
    internal.rehearsal_text(
      'rehearsal.sleeps.' || case
        when given.ended_at is not null then 'ended'
        when (nominee.found).user_id is null then 'invited'
        when (nominee.found).status = 'inactive' then 'paused'
        else 'unconfirmed'
      end,
      v_locale, (nominee.found).name, vault.name, p_person => account.display_name
    )
  from kith.emergency_settings as given
  -- Look-ups by the keys, whatever the planner knows.
  cross join lateral (
    select name from kith.vaults where tenant_id = v_tenant and id = given.vault_id and deleted_at is null offset 0
  ) as vault
  cross join lateral (
    select one as found from kith.nominees as one
    where one.tenant_id = v_tenant and one.id = given.nominee_id and one.status <> 'revoked'
    offset 0
  ) as nominee
  left join lateral (
    select display_name from kith.users where tenant_id = v_tenant and id = (nominee.found).user_id offset 0
  ) as account on true
  where given.tenant_id = v_tenant and given.owner_id = p_user_id
    and (given.ended_at is not null or not internal.may_use_right(nominee.found))
  union all
  select given.vault_id, (nominee.found).id, (nominee.found).user_id, (nominee.found).name,
    internal.rehearsal_text('rehearsal.too_few', v_locale, (nominee.found).name, vault.name, needed.n, needed.able)
  from kith.emergency_settings as given
  cross join lateral (
    select name from kith.vaults where tenant_id = v_tenant and id = given.vault_id and deleted_at is null offset 0
  ) as vault
  cross join lateral (
    select one as found from kith.nominees as one
    where one.tenant_id = v_tenant and one.id = given.nominee_id and internal.may_use_right(one)
    offset 0
  ) as nominee
  cross join lateral (
    select internal.required_nominees(nominee.found) as n, internal.able_to_ask(v_tenant, given.vault_id) as able
  ) as needed
  where given.tenant_id = v_tenant and given.owner_id = p_user_id and given.on_request and given.ended_at is null
    and needed.able < needed.n
    and exists (
      select from kith.emergency_quorums as quorum
      where quorum.tenant_id = v_tenant and quorum.vault_id = given.vault_id
    )
  order by 2
  limit 50;
end
$$;
comment on function internal.rehearsed_sleep(uuid) is
  'The rights that an owner has given and that would not count if they fell silent: the nominee has not accepted, is '
  'not confirmed, or is paused, or the right has ended, by a block or the third rejection; or fewer people could ask '
  'than the quorum needs. An owner who relies on them must learn it from the rehearsal. For internal.rehearsal_json.';

create or replace function internal.rehearsal_json(
  p_user_id uuid, p_from timestamptz, p_until timestamptz, p_limit integer, p_now timestamptz
) returns json
  language plpgsql
  stable
as $$
begin
  return (
    with numbered as (
      -- The first wait of each nominee comes before everything else: many receivers must not push it out of the answer.
      select step.*,
        row_number() over (order by step.n < 2 desc, step.at, step.rank, step.nominee_id, step.person_id) as place
      from (
        select wait.at, wait.kind, wait.vault_id, wait.nominee_id, wait.n, wait.person_id, wait.person_name, wait.text,
          case wait.kind when 'grant_ends' then 5 when 'wait_begins' then 6 when 'notice' then 7 else 8 end as rank
        from internal.rehearsed_wait_steps(p_user_id, p_from, p_until, p_now) as wait
        union all
        select ping.at, ping.kind, null, null, 2, ping.person_id, ping.person_name, ping.text,
          case ping.kind when 'ping_due' then 1 when 'ping_reminder' then 2 when 'ping_missed' then 3 else 4 end
        from internal.rehearsed_ping_steps(p_user_id, p_from, p_until, p_now) as ping
        where ping.at <= p_until
        union all
        select p_from, 'right_sleeps', asleep.vault_id, asleep.nominee_id, 0, asleep.person_id, asleep.person_name,
          asleep.text, 0
        from internal.rehearsed_sleep(p_user_id) as asleep
      ) as step
    )
    select json_build_object(
      'from', internal.instant(p_from),
      'until', internal.instant(least(p_until, min(step.at) filter (where step.place > p_limit))),
      'steps', coalesce(
        json_agg(
          json_strip_nulls(json_build_object(
            'at', internal.instant(step.at),
            'kind', step.kind,
            'vault_id', step.vault_id,
            'nominee_id', step.nominee_id,
            'person', case
              when step.person_id is not null
                then json_build_object('id', step.person_id, 'display_name', internal.name_of_anybody(step.person_name))
            end,
            'text', step.text
          ))
          order by step.at, step.rank, step.nominee_id, step.person_id
        ) filter (where step.place <= p_limit),
        '[]'
      )
    )
    from numbered as step
  );
end
$$;
comment on function internal.rehearsal_json(uuid, timestamptz, timestamptz, integer, timestamptz) is
  'What follows the silence of an owner, in order of time, at most p_limit steps. until is where the list has its '
  'first hole. For api.rehearse_emergency, which has checked the caller.';
