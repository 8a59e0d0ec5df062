create or replace function api.rehearse_emergency(
  p_from timestamptz, p_until timestamptz, p_limit integer, p_now timestamptz
)
  returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  -- A user has few rows in large tables. Access by key is always right here, and one plan is kept.
  set plan_cache_mode = 'force_generic_plan'
  set jit = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set enable_material = off
  set enable_seqscan = off
as $$
begin
  perform internal.begin_act('rehearsal', p_now);
  return internal.rehearsal(p_from, p_until, p_limit, p_now);
end
$$;
comment on function api.rehearse_emergency(timestamptz, timestamptz, integer, timestamptz) is
  'Returns what would follow if the current user fell silent at p_from, now if null: {from, until, steps} (E08). It '
  'applies the rules by which the worker acts to the state as it is, and changes nothing of it. The call is counted, '
  'because it is one of the most costly. If p_from is ahead, the user checks in then for the last time. There are at '
  'most p_limit steps, 100 if null, and the rights of at most 50 nominees; the first wait of each nominee goes before '
  'everything else. The steps are complete up to until: p_until, 120 days after p_from if null, or the first step that '
  'p_limit leaves out. The grants of waits that begin by then are included whenever they are. A right that would not '
  'count, because the owner has not confirmed the nominee or has blocked them, for example, is a step of the kind '
  'right_sleeps at p_from. Security definer, because it reads signs of life and the state of generation.';
grant execute on function api.rehearse_emergency(timestamptz, timestamptz, integer, timestamptz) to kith_api;

create or replace function internal.rehearsal(
  p_from timestamptz, p_until timestamptz, p_limit integer, p_now timestamptz
)
  returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_from timestamptz := greatest(p_from, p_now);
  v_latest timestamptz := v_from + interval '2880 hours';
  v_until timestamptz := coalesce(p_until, v_latest);
begin
  -- A client's clock can be behind.
  if p_from not between p_now - interval '1 hour' and p_now + interval '2160 hours' then
    perform internal.refuse_fields(internal.field_error('from', 'must be from now to 90 days ahead'));
  elsif v_until <= v_from or v_until > v_latest then
    perform internal.refuse_fields(internal.field_error('until', 'must be after from, by at most 120 days'));
  end if;
  if not exists (
    select from kith.emergency_settings as given
    join kith.vaults as vault on vault.tenant_id = v_tenant and vault.id = given.vault_id and vault.deleted_at is null
    where given.tenant_id = v_tenant and vault.owner_id = v_user and given.owner_id = v_user
  ) and not exists (
    select from kith.emergency_requests where tenant_id = v_tenant and owner_id = v_user and ended_at is null
  ) then
    return json_build_object(
      'from', internal.instant(v_from), 'until', internal.instant(v_until), 'steps', json_build_array()
    );
  end if;
  return internal.rehearsal_json(v_user, v_from, v_until, coalesce(p_limit, 100), p_now);
end
$$;
comment on function internal.rehearsal(timestamptz, timestamptz, integer, timestamptz) is
  'What api.rehearse_emergency returns. It writes nothing.';
