-- The right to emergency access, as the owner of a vault gives it to a nominee (E01).

create or replace function internal.check_in_sources() returns text[]
  language sql
  immutable
  parallel safe
as $$ select array['app', 'web', 'link', 'sms', 'voice', 'sign'] $$;
comment on function internal.check_in_sources()
  is 'The ways in which a check-in can come (J05), in the order in which answers list them.';
grant execute on function internal.check_in_sources() to kith_api;

create or replace function internal.given_sources(p_given jsonb) returns text[]
  language plpgsql
  stable
as $$
begin
  if jsonb_typeof(p_given -> 'sources') is distinct from 'array' then
    -- A thing may be pressed by anybody who finds it, so it counts only where the owner says so.
    return array_remove(internal.check_in_sources(), 'sign');
  end if;
  return array(
    select distinct given.source
    from jsonb_array_elements_text(p_given -> 'sources') as given (source)
    order by given.source
  );
end
$$;
comment on function internal.given_sources(jsonb) is
  'The sources of check-ins that a right to emergency access counts, each once, as the owner gives them; without any, '
  'all but sign.';

create or replace function internal.emergency_settings_errors(p_given jsonb) returns jsonb
  language plpgsql
  stable
as $$
begin
  return (
    select coalesce(
      jsonb_agg(jsonb_build_object('field', error.field, 'message', error.message) order by error.field), '[]'
    )
    from (values
      ('wait_hours', 'must be from 1 to 2160', (p_given ->> 'wait_hours')::integer between 1 and 2160),
      (
        'access_level', 'must be view or edit; emergency access is never full',
        p_given ->> 'access_level' in ('view', 'edit')
      ),
      ('grant_hours', 'must be from 1 to 720', coalesce((p_given ->> 'grant_hours')::integer, 72) between 1 and 720),
      (
        'after_missed_days', 'must be from 2 to 30',
        coalesce((p_given ->> 'after_missed_days')::integer, 2) between 2 and 30
      ),
      (
        'sign_of_life', 'must be check_in or any_use',
        coalesce(p_given ->> 'sign_of_life', 'check_in') in ('check_in', 'any_use')
      ),
      (
        'sources', 'must be one or more of ' || array_to_string(internal.check_in_sources(), ', '),
        coalesce(
          internal.given_sources(p_given) <@ internal.check_in_sources()
          and cardinality(internal.given_sources(p_given)) > 0,
          false
        )
      ),
      (
        'on_request', 'must be true, or after_missed_days must be set: something has to start the wait',
        (p_given ->> 'on_request')::boolean or p_given ->> 'after_missed_days' is not null
      )
    ) as error (field, message, is_met)
    where error.is_met is not true
  );
end
$$;
comment on function internal.emergency_settings_errors(jsonb) is
  'What is wrong with a right that an owner wants to give, for internal.refuse_fields.';

create or replace function internal.give_emergency(
  p_nominee kith.nominees, p_given jsonb, p_prefix text, p_now timestamptz
)
  returns void
  language plpgsql
as $$
declare
  v_tenant integer := p_nominee.tenant_id;
  v_old kith.emergency_settings;
  v_new kith.emergency_settings;
begin
  perform internal.refuse_fields((
    select coalesce(jsonb_agg(error || jsonb_build_object('field', p_prefix || (error ->> 'field'))), '[]')
    from jsonb_array_elements(internal.emergency_settings_errors(p_given)) as error
  ));
  -- A right that the owner gives while they block the person would come alive when the block ends.
  if exists (
    select from kith.blocks
    where tenant_id = v_tenant and user_id = p_nominee.owner_id and blocked_id = p_nominee.user_id
  ) then
    raise exception 'conflict'
      using errcode = 'KT409',
      detail = 'You have blocked this person. End the block before you give them emergency access.';
  end if;
  select * into v_old from kith.emergency_settings where tenant_id = v_tenant and nominee_id = p_nominee.id for update;
  perform internal.confirm_person(p_nominee, p_now);
  insert into kith.emergency_settings as given (
    tenant_id, nominee_id, vault_id, owner_id, wait_hours, access_level, grant_hours, on_request, after_missed_days,
    reject_on_check_in, sign_of_life, visible, visible_since, created_at, updated_at, sources
  )
  values (
    v_tenant, p_nominee.id, p_nominee.vault_id, p_nominee.owner_id, (p_given ->> 'wait_hours')::integer,
    p_given ->> 'access_level',
    coalesce((p_given ->> 'grant_hours')::integer, 72), coalesce((p_given ->> 'on_request')::boolean, false),
    (p_given ->> 'after_missed_days')::integer, coalesce((p_given ->> 'reject_on_check_in')::boolean, true),
    coalesce(p_given ->> 'sign_of_life', 'check_in'), coalesce((p_given ->> 'visible')::boolean, false),
    case when (p_given ->> 'visible')::boolean then p_now end, p_now, p_now, internal.given_sources(p_given)
  )
  on conflict (tenant_id, nominee_id) do update
  set wait_hours = excluded.wait_hours, access_level = excluded.access_level, grant_hours = excluded.grant_hours,
    on_request = excluded.on_request, after_missed_days = excluded.after_missed_days,
    reject_on_check_in = excluded.reject_on_check_in, sign_of_life = excluded.sign_of_life, visible = excluded.visible,
    visible_since = case when excluded.visible then coalesce(given.visible_since, p_now) end, ended_at = null,
    created_at = case when given.ended_at is null then given.created_at else p_now end, updated_at = p_now,
    sources = excluded.sources
  returning * into v_new;
  insert into kith.signs_of_life (tenant_id, user_id) values (v_tenant, p_nominee.owner_id) on conflict do nothing;
  -- Whoever gives a right is alive: no day before it counts.
  if kith.user_id() = p_nominee.owner_id then
    perform internal.note_answer(p_now);
  end if;
  perform internal.record_history(
    p_nominee.vault_id, kith.user_id(),
    case
      when v_old.nominee_id is null or v_old.ended_at is not null then 'emergency.given'
      else 'emergency.changed'
    end,
    'nominee', p_nominee.id, internal.emergency_settings_json(v_new) - array['ended_at', 'updated_at'], p_now
  );
  perform internal.emit_emergency_right(p_nominee, coalesce(v_old.visible, false) or v_new.visible, p_now);
  perform internal.return_to_quorum(p_nominee, p_now);
end
$$;
comment on function internal.give_emergency(kith.nominees, jsonb, text, timestamptz) is
  'Gives a nominee the right to emergency access, replaces it, or renews one that rejections have ended: {wait_hours, '
  'access_level, grant_hours?, on_request, after_missed_days?, reject_on_check_in?, sign_of_life?, sources?, '
  'visible?}. A wait that has begun keeps its terms. Whoever is bound to the nominee by then is confirmed by it. '
  'Raises conflict if the owner has blocked them. Fields of a refusal get p_prefix. For definer procedures of the '
  'owner that have locked the vault and the nominee.';

create or replace function internal.take_emergency(p_nominee kith.nominees, p_now timestamptz) returns boolean
  language plpgsql
as $$
declare
  v_tenant integer := p_nominee.tenant_id;
  v_old kith.emergency_settings;
begin
  select * into v_old from kith.emergency_settings where tenant_id = v_tenant and nominee_id = p_nominee.id for update;
  -- A request can outlive its right: three rejections end the right, and a grant goes on.
  perform internal.end_emergencies_of_nominee(v_tenant, p_nominee.id, 'right_ended', kith.user_id(), p_now);
  if v_old.nominee_id is null then
    return false;
  end if;
  delete from kith.emergency_settings where tenant_id = v_tenant and nominee_id = p_nominee.id;
  perform internal.record_history(
    p_nominee.vault_id, kith.user_id(), 'emergency.taken', 'nominee', p_nominee.id, null, p_now
  );
  perform internal.emit_emergency_right(p_nominee, v_old.visible, p_now);
  return true;
end
$$;
comment on function internal.take_emergency(kith.nominees, timestamptz) is
  'Takes the right to emergency access from a nominee, and ends what has come of it at this instant (E07). False if '
  'there was none. For definer procedures of the owner that have locked the vault and the nominee.';

create or replace function internal.emit_emergency_right(
  p_nominee kith.nominees, p_is_visible boolean, p_now timestamptz
)
  returns void
  language plpgsql
as $$
begin
  insert into kith.events (tenant_id, id, user_id, type, subject_id, parent_id)
  select p_nominee.tenant_id, internal.uuid7(p_now), person.user_id, 'nominee', p_nominee.id, p_nominee.vault_id
  from (
    select p_nominee.owner_id as user_id
    union
    select nominee.user_id
    from kith.nominees as nominee
    where p_is_visible and nominee.tenant_id = p_nominee.tenant_id and nominee.id = p_nominee.id
      and internal.may_use_right(nominee)
  ) as person;
end
$$;
comment on function internal.emit_emergency_right(kith.nominees, boolean, timestamptz) is
  'Emits an event to the owner, and to the nominee only if they see the right, which does not sleep: an event without '
  'a visible change would give it away. For definer procedures.';
